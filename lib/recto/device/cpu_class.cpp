#include <recto/device/cpu_class.hpp>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <recto/base/check.hpp>

namespace RECTO {
namespace {

constexpr const char* names[] = {"plain", "avx2", "avx512"};

CpuClass best() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return CpuClass::plain;
    for (const bool has : {__builtin_cpu_supports("avx512f") != 0, __builtin_cpu_supports("avx512vl") != 0,
                           __builtin_cpu_supports("avx512bw") != 0, __builtin_cpu_supports("avx512dq") != 0})
        if (!has) return CpuClass::avx2;
    return CpuClass::avx512;
#else
    return CpuClass::plain;
#endif
}

CpuClass choose() {
    const char* asked = std::getenv("RECTO_CPU");
    if (!asked || !*asked) return best();
    const auto* found = std::ranges::find(names, std::string_view(asked));
    check(found != std::end(names), "RECTO_CPU: wanted plain, avx2 or avx512, got '{}'", asked);
    return std::min(CpuClass(found - names), best());
}

}  // namespace

CpuClass cpu_class() {
    static const CpuClass chosen = choose();
    return chosen;
}

const char* cpu_class_name() { return names[int(cpu_class())]; }

}  // namespace RECTO
