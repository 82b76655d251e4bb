// Every operation on views: results and gradients have the same bits as on dense copies.
#include <recto/testing/every_op.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <recto/ops/shapes/views.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

/// The memory layout of a view.
struct Layout {
    const char* name;
    bool turned = false;       ///< whether the first axis is the fastest
    bool swapped = false;      ///< whether the last two axes are swapped
    bool flipped = false;      ///< whether every axis runs backwards
    Index step = 1;            ///< distance between numbers along every axis; one more along the last
    Index margin = 0;          ///< unused numbers on each side
    int stretched = max_rank;  ///< an axis with a single stored number, broadcast
};

const Layout layouts[] = {
    {.name = "turned", .turned = true},
    {.name = "swapped", .swapped = true},
    {.name = "flipped", .flipped = true},
    {.name = "sliced", .margin = 1},
    {.name = "stepped", .step = 2, .margin = 1},
    {.name = "all of these", .turned = true, .swapped = true, .flipped = true, .step = 3, .margin = 2},
    {.name = "first axis stretched", .stretched = 0},
    {.name = "last axis stretched", .stretched = -1}};

/// The numbers of `x` (along a stretched axis, only its first) as a view of memory that is NaN elsewhere.
Tensor laid(const Tensor& x, const Layout& how) {
    if (x.numel() == 0) return x;
    std::vector<std::size_t> order;  // the fastest axis first
    for (int i = x.dim() - 1; i >= 0; --i) order.push_back(std::size_t(i));
    if (how.turned) std::ranges::reverse(order);
    if (how.swapped && order.size() > 1) std::swap(order[0], order[1]);
    const int repeated = how.stretched == max_rank || x.dim() == 0 ? max_rank : x.shape().axis(how.stretched);
    const Shape once = repeated == max_rank ? x.shape() : x.shape().with(repeated, 1);
    PerAxis strides{};
    Index width = 1, first = 0;
    for (const std::size_t axis : order) {
        const Index n = once[int(axis)], step = how.step > 1 && int(axis) + 1 == x.dim() ? how.step + 1 : how.step;
        strides[axis] = how.flipped ? -step * width : step * width;
        first += (how.margin + (how.flipped ? (n - 1) * step : 0)) * width;
        width *= n * step + 2 * how.margin;
    }
    const Tensor memory = full({width}, not_a_number, x.device());
    memory.view(once, strides, first).copy_(repeated == max_rank ? x : slice(x, repeated, 0, 1));
    if (repeated != max_rank) strides[std::size_t(repeated)] = 0;
    return memory.view(x.shape(), strides, first);
}

}  // namespace

TEST_CASE("layouts: every operation gives on views the bits that it gives on dense copies", "[ops][layouts][devices]") {
    const Device device = GENERATE(from_range(devices()));
    for (const Op& op : every_op()) {
        const Change change = [&](Real v) { return op.whole ? std::round(3 * v) : v; };
        int refused = 0;
        for (const auto& [n, m] :
             {std::pair<Index, Index>{1, 1}, {1, 7}, {7, 1}, {17, 7}, {7, 17}, {129, 2}, {2, 129}, {0, 3}, {3, 0}}) {
            const std::vector<Tensor> x = inputs(op, n, m, device, change);
            for (const Layout& layout : layouts) {
                INFO(op.name << " on " << name(device) << ", n = " << n << ", m = " << m << ", " << layout.name);
                std::vector<Tensor> views, copies;
                for (const Tensor& t : x) views.push_back(laid(t, layout)), copies.push_back(clone(views.back()));
                const Outcome got = outcome(op, views, change), want = outcome(op, copies, change);
                CHECK(got.refusal == want.refusal);
                REQUIRE(got.tensors.size() == want.tensors.size());
                for (std::size_t i = 0; i < want.tensors.size(); ++i) {
                    CAPTURE(i);
                    REQUIRE(got.tensors[i].defined() == want.tensors[i].defined());
                    if (got.tensors[i].defined()) CHECK(same_bits(got.tensors[i], want.tensors[i]));
                }
                refused += !want.refusal.empty() && n * m > 0;
            }
        }
        INFO(op.name);
        CHECK(refused == 0);  // otherwise the inputs would be invalid and the test empty
    }
}
