#include <recto/figure/enlarge.hpp>

#include <recto/base/check.hpp>

namespace RECTO::figure {

std::vector<double> enlarged(const Values& pixels, int columns, int times) {
    const std::size_t n = pixels.numbers.size();
    check(columns >= 1 && times >= 1 && n % static_cast<std::size_t>(columns) == 0,
          "enlarged: wanted whole rows of {} pixels, {} times, got {}", columns, times, n);
    const std::size_t across = static_cast<std::size_t>(columns), each = static_cast<std::size_t>(times);
    const std::size_t wide = across * each;
    std::vector<double> large;
    large.reserve(n * each * each);
    for (std::size_t i = 0; i < n * each * each; ++i)
        large.push_back(pixels.numbers[i / wide / each * across + i % wide / each]);
    return large;
}

}  // namespace RECTO::figure
