#include <recto/classic/fourier.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/gradcheck.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;
using classic::Complex, classic::Spectrogram;
using std::numbers::pi;

namespace {

const double loose = sizeof(Real) == 8 ? 1e-11 : 2e-5;

// The definition, for rows of n numbers: real parts, then imaginary parts.
std::pair<std::vector<double>, std::vector<double>> naive(const Tensor& re, const Tensor& im) {
    const std::vector<double> a = doubles(re), b = doubles(im);
    const std::size_t n = std::size_t(re.size(-1));
    std::vector<double> out_re, out_im;
    for (std::size_t row = 0; row < a.size() / n; ++row)
        for (std::size_t k = 0; k < n; ++k) {
            std::complex<double> sum = 0;
            for (std::size_t i = 0; i < n; ++i)
                sum += std::complex<double>(a[row * n + i], b[row * n + i]) *
                       std::polar(1.0, -2 * pi * double(k * i % n) / double(n));
            out_re.push_back(sum.real()), out_im.push_back(sum.imag());
        }
    return {out_re, out_im};
}

}  // namespace

TEST_CASE("fourier: the definition, on every device", "[classic][fourier][devices][row:sys-spectrogram/e]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(1);
    for (const Index n : {1, 2, 4, 8, 64, 256}) {
        const Tensor re = random.normal({2, 3, n}), im = random.normal({2, 3, n});
        const auto [want_re, want_im] = naive(re, im);
        const Complex y = classic::fourier({re.to(device), im.to(device)});
        CHECK(y.re.shape() == re.shape());
        CHECK(close(y.re, want_re, loose));
        CHECK(close(y.im, want_im, loose));
        const auto [real_re, real_im] = naive(re, zeros(re.shape()));
        const Tensor power = classic::power_spectrum(re.to(device));
        CHECK(power.shape() == Shape{2, 3, n / 2 + 1});
        std::vector<double> want;
        for (Index row = 0; row < 6; ++row)
            for (Index k = 0; k <= n / 2; ++k) {
                const std::size_t at = std::size_t(row * n + k);
                want.push_back(real_re[at] * real_re[at] + real_im[at] * real_im[at]);
            }
        CHECK(close(power, want, 10 * loose));
        const Tensor one =
            classic::power_spectrum(select(select(re, 0, 0), 0, 0).to(device));  // rows in pairs, or alone
        CHECK(close(one, std::vector<double>(want.begin(), want.begin() + n / 2 + 1), 10 * loose));
    }
}

TEST_CASE("fourier: numbers of numpy 2.2", "[classic][fourier]") {
    const Complex y = classic::fourier(Tensor({8}, {1, -2, 3, 0.5, 0, 4, -1, 2}));
    // np.fft.fft([1, -2, 3, .5, 0, 4, -1, 2])
    CHECK(close(y.re,
                {7.5, -2.1819805153394642, -1, 4.1819805153394642, -1.5, 4.1819805153394642, -1, -2.1819805153394642},
                usual));
    CHECK(close(y.im, {0, 1.3033008588991066, 0.5, 9.303300858899107, 0, -9.303300858899107, -0.5, -1.3033008588991066},
                usual));
}

TEST_CASE("mel scale, window and filters", "[classic][fourier]") {
    CHECK(std::abs(classic::mel(1000) - 1000) <= 0.02);  // 1000 Hz is 1000 mel, by the choice of its constants
    for (const double f : {0.0, 55.0, 440.0, 3999.0}) CHECK(std::abs(classic::hertz(classic::mel(f)) - f) <= 1e-9);
    CHECK(close(classic::hann_window(4), {0, 0.5, 1, 0.5}));

    const Spectrogram made({.window = 256, .hop = 64, .bands = 20, .rate = 8000});
    const std::vector<double> filters = doubles(made.filters);
    for (Index k = 0; k <= 128; ++k) {  // between the outermost centres, the triangles sum to 1
        const double f = double(k) * 8000 / 256;
        double sum = 0;
        for (Index d = 0; d < 20; ++d) sum += filters[std::size_t(k * 20 + d)];
        if (f >= made.centres.front() && f <= made.centres.back())
            CHECK(std::abs(sum - 1) <= 1e-6);
        else
            CHECK(sum < 1);
    }
    double squares = 0;
    for (const double w : doubles(made.window)) squares += w * w;
    CHECK(std::abs(squares - 1) <= 1e-6);
}

TEST_CASE("Spectrogram: a loop over frames and bands", "[classic][fourier][devices][row:sys-spectrogram/e]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(2);
    const Tensor sound = random.normal({2, 100});
    const Spectrogram made({.window = 32, .hop = 12, .bands = 5, .rate = 100}, device);
    const Tensor energies = made(sound.to(device));
    REQUIRE(energies.shape() == Shape{2, 6, 5});
    const std::vector<double> x = doubles(sound), filters = doubles(made.filters);
    std::vector<double> want;
    for (std::size_t b = 0; b < 2; ++b)
        for (std::size_t t = 0; t < 6; ++t) {
            std::vector<double> band(5);
            for (std::size_t k = 0; k <= 16; ++k) {
                std::complex<double> sum = 0;
                for (std::size_t n = 0; n < 32; ++n) {
                    const double s = std::sin(pi * double(n) / 32);
                    sum += x[b * 100 + t * 12 + n] * s * s / std::sqrt(0.375 * 32) *
                           std::polar(1.0, -2 * pi * double(k * n) / 32);
                }
                for (std::size_t d = 0; d < 5; ++d) band[d] += std::norm(sum) * filters[k * 5 + d];
            }
            want.insert(want.end(), band.begin(), band.end());
        }
    CHECK(close(energies, want, 10 * loose));
}

TEST_CASE("fourier: messages", "[classic][fourier]") {
    CHECK_THROWS_WITH(classic::fourier(zeros({2, 6})), "fourier: wanted rows of a power of two, got shape (2, 6)");
    CHECK_THROWS_WITH(classic::fourier({zeros({4}), zeros({8})}),
                      "fourier: wanted real and imaginary parts of one shape, got (4) and (8)");
    CHECK_THROWS_WITH(classic::hann_window(0), "hann_window: wanted a length of at least 1, got 0");
    CHECK_THROWS_WITH(Spectrogram({.window = 100}), "Spectrogram: wanted a window of a power of two, got 100");
    CHECK_THROWS_WITH(Spectrogram({.hop = 0}),
                      "Spectrogram: wanted a hop, bands and a rate above 0, got 0, 32 and 8000");
    CHECK_THROWS_WITH(Spectrogram({.window = 64, .bands = 40}),
                      "Spectrogram: wanted a frequency in every band, got none in band 0 of 40; take a longer window");
    CHECK_THROWS_WITH(Spectrogram()(zeros({1, 255})),
                      "Spectrogram: wanted at least the 256 samples of a frame, got 255");
    CHECK_THROWS_WITH(Spectrogram()(zeros({256})),
                      "Spectrogram: wanted sounds of shape (batch, samples), got shape (256)");
}

GRADIENT_TEST("fourier and spectrogram") {
    check_gradient(
        [](const Inputs& x) {
            const Complex y = classic::fourier({x[0], x[1]});
            return square(y.re) + y.im;
        },
        [](Generator& random) {
            const Tensor re = random.normal({2, 4});
            return Inputs{re, random.normal({2, 4})};
        },
        4);
}
