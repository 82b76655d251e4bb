#include "test_split.hpp"
#include "trial.hpp"
#include "candidates.hpp"  // kept by the judge

static const Numbered* tried = nullptr;

static Split split(int count, unsigned seed) {
    return kit::attempt([&] { return tried->split(count, seed); });
}

static void test(kit::Arguments& in, kit::Answer& out) {
    tried = &candidate(in.next<int>());
    forget();
    out.write(kit::verdict([] { return test_split(split); }));
}
static const kit::Function test_split_("test_split", test);
