#include <recto/classic/kolmogorov_smirnov.hpp>

#include <algorithm>
#include <cmath>

#include <recto/base/check.hpp>

namespace RECTO::classic {

double kolmogorov_smirnov(std::vector<double> samples, const std::function<double(double x)>& cdf) {
    check(!samples.empty(), "kolmogorov_smirnov: wanted at least one sample, got none");
    check(std::ranges::none_of(samples, [](double x) { return std::isnan(x); }),
          "kolmogorov_smirnov: wanted numbers, got a NaN");
    std::ranges::sort(samples);
    const double n = double(samples.size());
    double most = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const double p = cdf(samples[i]);
        most = std::max({most, double(i + 1) / n - p, p - double(i) / n});
    }
    return most;
}

}  // namespace RECTO::classic
