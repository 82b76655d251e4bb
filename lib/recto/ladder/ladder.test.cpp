#include <cmath>
#include <numeric>

#include <recto/core/random.hpp>
#include <recto/ladder/mistakes.cuh>
#include <recto/ladder/products.cuh>
#include <recto/ladder/reductions.cuh>
#include <recto/testing/testing.hpp>

using namespace recto;
using kernels::Buffer, kernels::Counts, kernels::launch;
using ladder::Product, ladder::products, ladder::Reduction, ladder::reductions;
using Numbers = std::vector<float>;

namespace {

/// Under AddressSanitizer the kernels run, but accesses are not counted, and a mistake ends the program.
void want_emulator() {
#ifndef RECTO_CUDA_ON_CPU
    SKIP("this build does not watch what kernels do");
#endif
}

Numbers draw(int count, std::uint64_t seed) {
    const std::vector<Real> drawn = Generator(seed).normal({count}).values();
    return {drawn.begin(), drawn.end()};
}

struct Multiplied {
    Numbers c;
    Counts counts;
};

Multiplied multiply(
    const Product& step, int m, int n, int k, const Numbers& a, const Numbers& b) {
    const Buffer<float> on_a(a, "a"), on_b(b, "b"), on_c(std::size_t(m * n), "c");
    const Counts counts =
        launch({step.grid(m, n), step.block}, step.kernel, m, n, k, on_a, on_b, on_c);
    return {on_c.values(), counts};
}

Multiplied multiply(const Product& step, int m, int n, int k) {
    return multiply(step, m, n, k, draw(m * k, 1), draw(k * n, 2));
}

struct Added {
    float sum;
    Counts counts;  // of the first launch
};

Added add(const Reduction& step, const Numbers& x) {
    Added found{};
    Buffer<float> from(x, "x");
    for (int left = int(x.size()), round = 0; left > 1 || round == 0; ++round) {
        const int blocks = step.blocks(left);
        Buffer<float> to(std::size_t(step.atomic ? 1 : blocks), "sums");
        if (step.atomic) to.set({0});
        const Counts counts =
            launch({unsigned(blocks), ladder::group}, step.kernel, left, from, to);
        if (round == 0) found.counts = counts;
        left = int(to.size());
        from = std::move(to);
    }
    found.sum = from.values()[0];
    return found;
}

}  // namespace

TEST_CASE("ladder: every product, also where no tile fits") {
    const int shapes[][3] = {{1, 1, 1}, {5, 3, 0}, {3, 7, 33}, {33, 32, 31},
        {67, 36, 40}, {130, 129, 12}, {128, 128, 8}};
    for (const Product& step : products)
        for (const auto& [m, n, k] : shapes) {
            INFO(step.name << ", " << m << " x " << n << " x " << k);
            const Numbers a = draw(m * k, 1), b = draw(k * n, 2),
                          c = multiply(step, m, n, k, a, b).c;
            double worst = 0;
            for (int i = 0; i < m; ++i)
                for (int j = 0; j < n; ++j) {
                    double sum = 0, size = 0;
                    for (int p = 0; p < k; ++p) {
                        const double term = double(a[i * k + p]) * b[p * n + j];
                        sum += term;
                        size += std::abs(term);
                    }
                    const double error = std::abs(c[i * n + j] - sum);
                    if (!(error <= 4 * std::ldexp(1, -24) * std::sqrt(k) * size))
                        worst = std::fmax(worst, error);
                }
            CHECK(worst == 0);
        }
}

TEST_CASE("ladder: products fetch what theory says") {
    want_emulator();
    const int m = 128, n = 256, k = 64;  // whole tiles
    struct Wanted {
        double sectors;   // fetched by a warp for 32 multiplications, one in each lane
        double barriers;  // of each block
        int conflict;     // the worst bank conflict
        double shared_requests;  // by a warp for 32 multiplications, one in each lane
    };
    // The tiles are also written: a 32 x 32 tile twice per 32 multiplications, and so on.
    const double sums = 64. * ladder::depth;
    const Wanted wanted[] = {{32 + 1, 0, 0, 0}, {1 + 4, 0, 0, 0},
        {(4. + 4) / 32, 2. * k / 32, 1, 2 + 2. / 32},
        {256. / (128 * 128 * 8 / 32), 2. * k / 8, 1, 16. / 64 + 8 / sums},
        {256. / (128 * 128 * 8 / 32), 2. * k / 8, 1, 4. / 64 + 5 / sums},
        {256. / (128 * 128 * 8 / 32), k / 8 + 1., 1,
            4. / 64 + 5 / sums * (k / 8 + 1) / (k / 8)}};
    for (std::size_t s = 0; s < std::size(products); ++s) {
        const Product& step = products[s];
        INFO(step.name);
        const Counts counts = multiply(step, m, n, k).counts;
        const double warps = double(m) * n * k / 32,
                     blocks = step.grid(m, n).x * step.grid(m, n).y;
        CHECK(double(counts.loads.sectors) / warps == wanted[s].sectors);
        CHECK(double(counts.barriers) / blocks == wanted[s].barriers);
        CHECK(counts.shared.worst_conflict == wanted[s].conflict);
        CHECK(double(counts.shared.requests) / warps == wanted[s].shared_requests);
        CHECK(counts.stores.sectors >= m * n / 8);
        CHECK(counts.stores.sectors <=
              (s == 0 ? m * n : m * n / 8));  // the naive kernel also writes columns
    }
}

TEST_CASE("ladder: every sum, of any number of numbers") {
    for (const Reduction& step : reductions)
        for (const int n : {1, 2, 31, 33, 255, 257, 512, 1025, 8191, 8193, 20'001}) {
            INFO(step.name << ", " << n);
            const Numbers x = draw(n, 3);
            const double exact = std::accumulate(x.begin(), x.end(), 0.0);
            const double size = std::accumulate(x.begin(), x.end(), 0.0,
                [](double s, float v) { return s + std::abs(v); });
            CHECK(std::abs(add(step, x).sum - exact) <=
                  4 * std::ldexp(1, -24) * std::sqrt(n) * size);
        }
}

TEST_CASE("ladder: sums cost what theory says") {
    want_emulator();
    const int n = 1 << 16;
    const Numbers x = draw(n, 4);
    // Per block: barriers, the worst conflict, and requests of its warps to shared memory. Every round reads two
    // numbers and writes one. In the tree of neighbours all eight warps take part in the first five rounds; otherwise
    // one warp for every 32 pairs does. The last request reads the sum.
    const int tree = 8 + 3 * (5 * 8 + 4 + 2 + 1) + 1,
              packed = 8 + 3 * (4 + 2 + 6 * 1) + 1;
    const int wanted[][3] = {{0, 0, 0}, {9, 1, tree}, {9, 8, packed}, {9, 1, packed},
        {9, 1, packed}, {1, 1, 9}, {1, 1, 9}};
    for (std::size_t s = 0; s < std::size(reductions); ++s) {
        const Reduction& step = reductions[s];
        INFO(step.name);
        const Counts counts = add(step, x).counts;
        CHECK(counts.loads.sectors == n / 8);
        CHECK(counts.atomics == (step.atomic ? n : 0));
        CHECK(double(counts.barriers) / step.blocks(n) == wanted[s][0]);
        CHECK(counts.shared.worst_conflict == wanted[s][1]);
        CHECK(double(counts.shared.requests) / step.blocks(n) == wanted[s][2]);
    }
    CHECK(add(reductions[6], x).counts.loads.requests == n / 4 / 32);
}

TEST_CASE("ladder: the same bits in every order of blocks and threads") {
    const Numbers x = draw(9000, 5);
    for (std::size_t s = 1; s < std::size(reductions); ++s) {
        INFO(reductions[s].name);
        const float first = add(reductions[s], x).sum;
        for (const unsigned order : {1u, 2u, 3u}) {
            kernels::settings().order = order;
            CHECK(add(reductions[s], x).sum == first);
        }
        kernels::settings().order = 0;
    }
    for (const Product& step : products) {
        INFO(step.name);
        const Numbers first = multiply(step, 130, 36, 12).c;
        kernels::settings().order = 1;
        CHECK(multiply(step, 130, 36, 12).c == first);
        kernels::settings().order = 0;
    }
}

TEST_CASE("ladder: what is forgotten is named") {
    want_emulator();
    const Product forgetful{"", ladder::forgetful, ladder::tile, ladder::tile,
        dim3(ladder::tile, ladder::tile)};
    // A single pair of tiles is written once.
    CHECK_NOTHROW(multiply(forgetful, 40, 40, 32));
    CHECK_THROWS_WITH(multiply(forgetful, 40, 40, 33),
        Catch::Matchers::StartsWith("forgetful: ") &&
            Catch::Matchers::ContainsSubstring("race for a_tile[0]"));
    const Reduction tailless{"", ladder::tailless, 2 * ladder::group, false};
    CHECK_NOTHROW(add(tailless, draw(512, 6)));
    CHECK_THROWS_WITH(add(tailless, draw(513, 6)),
        Catch::Matchers::StartsWith("tailless: ") &&
            Catch::Matchers::EndsWith("but x has 513 elements"));
}
