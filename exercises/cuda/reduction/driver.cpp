#include "kernels.hpp"
#include "reduction.hpp"

using recto::kernels::Buffer;

static Buffer<float> add_blocks(const Buffer<float>& x) {
    const unsigned n = unsigned(x.size()), blocks = (n + group - 1) / group;
    Buffer<float> sums(blocks, "sums");
    recto::kernels::launch({blocks, unsigned(group)}, block_sums, x, sums, int(n));
    return sums;
}

static std::vector<float> sums_of(const std::vector<float>& x) { return add_blocks(Buffer<float>(x, "x")).values(); }
static const kit::Function block_sums_("block_sums", kit::with_kernels<sums_of>);

// The same kernel again and again, until one sum is left.
static float whole_sum(const std::vector<float>& x) {
    Buffer<float> left(x, "x");
    do left = add_blocks(left);
    while (left.size() > 1);
    return left.values()[0];
}
static const kit::Function sum_("sum", kit::with_kernels<whole_sum>);
