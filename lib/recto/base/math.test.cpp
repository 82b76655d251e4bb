#include <recto/base/math.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

#include <recto/device/cpu_class.hpp>
#include <recto/device/storage.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("math: functions of <cmath> are not ambiguous after using namespace", "[core][math]") {
    CHECK(exp(1.0) == std::exp(1.0));  // with a double, the C library's function
    CHECK(log(2.0) == std::log(2.0));
    CHECK(sqrt(2.0) == std::sqrt(2.0));
    CHECK(tanh(0.5) == std::tanh(0.5));
    CHECK(fma(2.0, 3.0, 4.0) == 10);
    CHECK(abs(-1.5) == 1.5);
    CHECK(abs(-1.5f) == 1.5f);
    CHECK(exp(Tensor({}, {0})).item() == 1);
}

#ifndef RECTO_REAL_IS_DOUBLE  // the double build has the same functions of float
namespace {

/// The error of `got`, in distances between neighbouring floats at `want`.
double units(float got, double want) {
    const auto rounded = float(want);
    if (std::isnan(want) || std::isinf(rounded) || std::isinf(got))
        return got == rounded || (std::isnan(got) && std::isnan(rounded)) ? 0 : 1e9;
    int power = 0;
    std::frexp(want, &power);
    return std::abs(double(got) - want) / std::ldexp(1.0, std::max(power - 24, -149));
}

/// The worst error over the floats whose bits are multiples of `step`.
double worst(float (*ours)(float), double (*exact)(double), std::uint64_t step) {
    double most = 0;
    for (std::uint64_t bits = 0; bits < (std::uint64_t(1) << 32); bits += step) {
        const auto x = std::bit_cast<float>(std::uint32_t(bits));
        const double error = units(ours(x), exact(double(x)));
        if (!(error <= most)) most = error;
    }
    return most;
}

[[maybe_unused]] void check_accuracy(std::uint64_t step) {
    CHECK(worst([](float x) { return recto::exp(x); }, [](double x) { return std::exp(x); }, step) <= 1.013);
    CHECK(worst([](float x) { return recto::log(x); }, [](double x) { return std::log(x); }, step) <= 1.0);
    CHECK(worst([](float x) { return recto::log1p(x); }, [](double x) { return std::log1p(x); }, step) <= 2.0);
    CHECK(worst([](float x) { return recto::tanh(x); }, [](double x) { return std::tanh(x); }, step) <= 1.4);
}

/// The worst absolute error of gelu and its derivative over those floats; beyond 2 the error of gelu may grow like x.
[[maybe_unused]] void check_gelu(std::uint64_t step) {
    double most = 0, steepest = 0;
    for (std::uint64_t bits = 0; bits < (std::uint64_t(1) << 32); bits += step) {
        const auto x = std::bit_cast<float>(std::uint32_t(bits));
        const double d = double(x), tail = 0.5 * std::erfc(-d * 0.70710678118654752);
        if (!(std::abs(d) < 1e30)) continue;
        const double error = std::abs(double(recto::gelu(x)) - d * tail) / std::max(1.0, std::abs(d) / 2);
        const double slope = tail + d * 0.39894228040143268 * std::exp(-0.5 * d * d);
        most = error <= most ? most : error;
        steepest = std::abs(double(recto::gelu_slope(x)) - slope) <= steepest
                       ? steepest
                       : std::abs(double(recto::gelu_slope(x)) - slope);
    }
    CAPTURE(most, steepest);
    CHECK(most <= 2e-7);
    CHECK(steepest <= 4e-7);
}

}  // namespace

TEST_CASE("math: exp, log, log1p and tanh of four million floats", "[core][math][sweep]") { check_accuracy(1021); }
TEST_CASE("math: gelu of four million floats", "[core][math][sweep]") { check_gelu(1021); }
TEST_CASE("math: exp, log, log1p and tanh of all floats", "[.slow]") { check_accuracy(1); }
TEST_CASE("math: gelu of all floats", "[.slow]") { check_gelu(1); }

#if defined(NDEBUG) && !defined(RECTO_SANITIZED)
TEST_CASE("math: exp in a loop is three times as fast as the C library's", "[core][math][speed]") {
    if (cpu_class() == CpuClass::plain) SKIP("this machine has no fused multiply-add");
    const Tensor x = Generator(1).normal({16384});
    const float* in = x.host();
    std::vector<float> out(16384);
    double ours = 1, theirs = 1;
    poison_new_memory(false);
    for (int round = 0; round < 100; ++round) {  // the least of many: another program may interfere
        const auto start = std::chrono::steady_clock::now();
        const Tensor y = exp(x);
        const auto middle = std::chrono::steady_clock::now();
        for (std::size_t i = 0; i < 16384; ++i) out[i] = std::exp(in[i]);
        const auto end = std::chrono::steady_clock::now();
        ours = std::min(ours, std::chrono::duration<double>(middle - start).count());
        theirs = std::min(theirs, std::chrono::duration<double>(end - middle).count());
        CHECK(std::abs(out[5] - y.at({5})) <= 1e-5 * out[5]);
    }
    poison_new_memory(true);
    CAPTURE(ours, theirs);
    CHECK(theirs >= 3 * ours);
}
#endif
#endif

TEST_CASE("math: edges", "[core][math]") {
    const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    CHECK(recto::exp(0.f) == 1);
    CHECK(recto::exp(-inf) == 0);
    CHECK(recto::exp(inf) == inf);
    CHECK(std::isnan(recto::exp(nan)));
    CHECK(recto::log(1.f) == 0);
    CHECK(recto::log(0.f) == -inf);
    CHECK(recto::log(-0.f) == -inf);
    CHECK(recto::log(inf) == inf);
    CHECK(std::isnan(recto::log(-1.f)));
    CHECK(std::isnan(recto::log(nan)));
    CHECK(recto::log(1e-45f) == std::log(1e-45f));
    CHECK(recto::tanh(inf) == 1);
    CHECK(recto::tanh(-inf) == -1);
    CHECK(std::isnan(recto::tanh(nan)));
    CHECK(std::signbit(recto::abs(Real(-0.0))) == false);
    CHECK(std::isnan(recto::max(not_a_number, Real(0))));
    CHECK(std::isnan(recto::max(Real(0), not_a_number)));
    CHECK(std::isnan(recto::min(not_a_number, Real(0))));
    CHECK(std::isnan(recto::min(Real(0), not_a_number)));
    CHECK(recto::max(Real(-1), Real(2)) == 2);
    CHECK(recto::min(Real(-1), Real(2)) == -1);
    CHECK(recto::log1p(-1.f) == -inf);
    CHECK(recto::log1p(inf) == inf);
    CHECK(std::isnan(recto::log1p(-2.f)));
    CHECK(std::isnan(recto::log1p(nan)));
    CHECK(recto::softplus(1000.0) == 1000);
    CHECK(recto::softplus(-1000.0) == 0);
    CHECK(recto::sigmoid(-1000.0) == 0);
    CHECK(recto::sigmoid(0.0) == 0.5);
}

TEST_CASE("math: points on the unit circle", "[core][math]") {
    double most = 0;
    for (int i = 0; i < 1 << 16; ++i) {
        const float turn = float(i) / float(1 << 16);
        const TurnPoint p = turn_point(turn);
        const double angle = 2 * 3.14159265358979323846 * double(turn);
        most = std::max({most, std::abs(double(p.cos) - std::cos(angle)), std::abs(double(p.sin) - std::sin(angle))});
    }
    CHECK(most <= 1.2e-7);
    CHECK(turn_point(0.25f).sin == 1);
    CHECK(turn_point(0.5f).cos == -1);
    CHECK(turn_point(0.75f).sin == -1);
}
