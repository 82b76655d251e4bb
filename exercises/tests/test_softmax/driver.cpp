#include "test_softmax.hpp"
#include "trial.hpp"
#include "candidates.hpp"  // kept by the judge

static const Numbered* tried = nullptr;

static Matrix softmax(const Matrix& x) {
    return kit::attempt([&] { return tried->softmax(x); });
}

static void test(kit::Arguments& in, kit::Answer& out) {
    tried = &candidate(in.next<int>());
    forget();
    out.write(kit::verdict([] { return test_softmax(softmax); }));
}
static const kit::Function test_softmax_("test_softmax", test);
