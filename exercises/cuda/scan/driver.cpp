#include "kernels.hpp"
#include "scan.hpp"

using recto::kernels::Buffer, recto::kernels::launch;
using Numbers = std::vector<float>;

static unsigned blocks_for(const Buffer<float>& x) { return unsigned((x.size() + group - 1) / group); }

static std::tuple<Numbers, Numbers> scan_of_blocks(const Numbers& x) {
    const Buffer<float> on_x(x, "x"), y(x.size(), "y"), totals(blocks_for(on_x), "totals");
    launch({blocks_for(on_x), unsigned(group)}, scan_blocks, on_x, y, totals, int(x.size()));
    return {y.values(), totals.values()};
}
static const kit::Function scan_blocks_("scan_blocks", kit::with_kernels<scan_of_blocks>);

static Numbers added_before(const Numbers& y, const Numbers& sums) {
    const Buffer<float> on_y(y, "y"), on_sums(sums, "sums");
    launch({blocks_for(on_y), unsigned(group)}, add_before, on_y, on_sums, int(y.size()));
    return on_y.values();
}
static const kit::Function add_before_("add_before", kit::with_kernels<added_before>);

// The totals are scanned in the same way.
static Buffer<float> scanned(const Buffer<float>& x) {
    Buffer<float> y(x.size(), "y"), totals(blocks_for(x), "totals");
    launch({blocks_for(x), unsigned(group)}, scan_blocks, x, y, totals, int(x.size()));
    if (totals.size() == 1) return y;
    const Buffer<float> sums = scanned(totals);
    launch({blocks_for(x), unsigned(group)}, add_before, y, sums, int(x.size()));
    return y;
}
static Numbers scan(const Numbers& x) { return scanned(Buffer<float>(x, "x")).values(); }
static const kit::Function scan_("scan", kit::with_kernels<scan>);
