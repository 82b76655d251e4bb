#include <recto/device/cpu_class.hpp>

#include <cstdlib>

#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("cpu_class: never more than was asked for", "[core][cpu_class]") {
    const std::string name = cpu_class_name();
    CHECK((name == "plain" || name == "avx2" || name == "avx512"));
    const char* asked = std::getenv("RECTO_CPU");
    if (asked && std::string(asked) == "plain") CHECK(cpu_class() == CpuClass::plain);
    if (asked && std::string(asked) == "avx2") CHECK(cpu_class() <= CpuClass::avx2);
}

// `sim` runs the loop for plain x86-64, `cpu` the one of this machine's class: number by number they agree to
// the last bit, because every fused multiply-add is written out.
TEST_CASE("cpu_class: the classes agree number by number", "[core][cpu_class]") {
    const Tensor x = Generator(1).normal({10007}, 0, 5), far = x.to(Device::sim);
    CHECK(same_bits(exp(x), exp(far)));
    CHECK(same_bits(log(x), log(far)));
    CHECK(same_bits(tanh(x), tanh(far)));
    CHECK(same_bits(sigmoid(x), sigmoid(far)));
    CHECK(same_bits(softplus(x), softplus(far)));
    CHECK(same_bits(Generator(2).normal({10007}), Generator(2).normal({10007}, 0, 1, Device::sim)));
}
