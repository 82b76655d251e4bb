#include <recto/testing/parity.hpp>

#include <cmath>

#include <recto/autograd/tape.hpp>
#include <recto/base/float_formats.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/round_to.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;
using Catch::Matchers::ContainsSubstring;

namespace {

using X = const std::vector<Tensor>&;

bool on_sim(X x) { return x[0].device() == Device::sim; }

constexpr FloatFormat tf32{"TF32", 8, 10, true};
Tensor product_in_tf32(const Tensor& a, const Tensor& b) { return matmul(round_to(a, tf32), round_to(b, tf32)); }

/// exp with a wrong gradient on sim.
Tensor wrong_slope(const Tensor& x) {
    const Tensor y = exp(x.detach());
    const Real factor = x.device() == Device::sim ? Real(1.001) : Real(1);
    return record("wrong_slope", y, {x}, [y, factor](const Tensor& dy) { return Grads{dy * y * factor}; });
}

/// exp with a backward pass that throws on sim.
Tensor failing_slope(const Tensor& x) {
    const Tensor y = exp(x.detach());
    return record("failing_slope", y, {x}, [y](const Tensor& dy) {
        check(y.device() != Device::sim, "failing_slope: the device is on fire");
        return Grads{dy * y};
    });
}

/// A copy of x, number by number on the host, with a mistake on sim.
Tensor copied(const Tensor& x, void (*mistake)(Real* y, Index n)) {
    const std::vector<Real> values = x.values();
    Tensor y = empty(x.shape(), x.device());
    Real* to = y.write();
    for (std::size_t i = 0; i < values.size(); ++i) to[i] = values[i];
    if (x.device() == Device::sim) mistake(to, x.numel());
    return y;
}

struct Mistake {
    Op op;
    const char* said;  ///< a part of the expected report
};

const Nearness bits{Nearness::equal}, sums{Nearness::sums, "n m"}, chain{Nearness::chain, "m"};
const Mistake mistakes[] = {
    {{"a digit off", "nm", [](X x) { return Results(exp(x[0]) * (on_sim(x) ? Real(1.00001) : Real(1))); }}, "result 0"},
    {{"a slope off", "nm", [](X x) { return Results(wrong_slope(x[0])); }}, "gradient 0"},
    {{"products in tf32", "nm m5",
      [](X x) { return Results(on_sim(x) ? product_in_tf32(x[0], x[1]) : matmul(x[0], x[1])); }, sums},
     "result 0"},
    {{"a sum without its last", "nm",
      [](X x) { return Results(sum(x[0]) - (on_sim(x) && x[0].numel() ? Real(x[0].values().back()) : Real(0))); },
      chain},
     "result 0"},
    {{"one bit", "nm",
      [](X x) {
          return Results(copied(x[0], [](Real* y, Index n) {
              if (n > 100) y[100] = std::nextafter(y[100], Real(9));
          }));
      },
      bits},
     "n = 17, m = 7, normal numbers, result 0, at 100: wanted "},
    {{"NaN lost", "nm",
      [](X x) {
          return Results(copied(x[0], [](Real* y, Index n) {
              for (Index i = 0; i < n; ++i) y[i] = is_nan(y[i]) ? Real(0) : y[i];
          }));
      }},
     "wanted nan, got 0"},
    {{"a number never written", "nm",
      [](X x) { return Results(on_sim(x) ? empty(x[0].shape(), Device::sim) : zeros(x[0].shape())); }},
     "wanted 0, got -nan"},
    {{"one written too far", "nm", [](X x) { return Results(copied(x[0], [](Real* y, Index n) { y[n] = 1; })); }, bits},
     "it wrote beyond "},
    {{"one written too early", "nm", [](X x) { return Results(copied(x[0], [](Real* y, Index) { y[-1] = 1; })); },
      bits},
     "it wrote beyond "},
    {{"on fire", "nm", [](X x) { return Results(failing_slope(x[0])); }}, "failing_slope: the device is on fire"},
    {{"refused", "nm",
      [](X x) {
          check(!on_sim(x), "refused: not here");
          return Results(exp(x[0]));
      }},
     "it says 'refused: not here', the cpu ''"}};

}  // namespace

TEST_CASE("parity: sim agrees with the cpu in every operation", "[parity]") {
    for (const std::string& name : parity_names()) {
        const Parity found = parity(name, Device::sim);
        INFO(found.name << ": " << found.fault << "; worst " << found.share << " of the bound, " << found.setting);
        CHECK(found.fault.empty());
        CHECK(found.share <= 1);
        CHECK(found.numbers > 0);
        CHECK(found.name == name);
    }
    CHECK_THROWS_WITH(parity("cosine", Device::sim), "parity: there is no operation cosine");
}

TEST_CASE("parity: mistakes of a device are found, and said where", "[parity]") {
    for (const auto& [op, said] : mistakes) {
        const Parity found = compare(op, Device::sim);
        INFO(op.name);
        CHECK_THAT(found.fault, ContainsSubstring(said));
    }
    CHECK(identity(Device::sim, matmul).fault.empty());
    CHECK_THAT(identity(Device::sim, product_in_tf32).fault,
               ContainsSubstring("1 x 1, on the right, at 0: wanted ") && ContainsSubstring("allowed to be 0 apart"));
}

TEST_CASE("parity: the longest of several sums", "[parity]") {
    CHECK(longest_sum("1", 5, 7) == 1);
    CHECK(longest_sum("3n m", 2, 7) == 7);
    CHECK(longest_sum("3n m", 3, 7) == 9);
    CHECK(longest_sum("nm", 0, 7) == 1);
}
