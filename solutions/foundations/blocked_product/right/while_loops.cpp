// While-loops, a copied block of b, and sums in long double.
#include "blocked_product.hpp"

#include <vector>

// A block of b in an array of its own, and the numbers of a one by one.
Matrix blocked_product(const SlowMatrix& a, const SlowMatrix& b, int block) {
    const int m = a.rows(), inner = a.cols(), n = b.cols();
    std::vector<long double> sums(std::size_t(m) * std::size_t(n), 0.0L);
    int k0 = 0;
    while (k0 < inner) {
        int j0 = 0;
        while (j0 < n) {
            const int height = inner - k0 < block ? inner - k0 : block, width = n - j0 < block ? n - j0 : block;
            std::vector<double> held;
            for (int k = 0; k < height; ++k)
                for (int j = 0; j < width; ++j) held.push_back(b(k0 + k, j0 + j));
            for (int i = 0; i < m; ++i)
                for (int k = 0; k < height; ++k) {
                    const double factor = a(i, k0 + k);
                    for (int j = 0; j < width; ++j)
                        sums[std::size_t(i * n + j0 + j)] += (long double)factor * held[std::size_t(k * width + j)];
                }
            j0 += width;
        }
        k0 += k0 + block < inner ? block : inner - k0;
    }
    Matrix c(m, n);
    for (std::size_t at = 0; at < sums.size(); ++at) c.numbers[at] = double(sums[at]);
    return c;
}
