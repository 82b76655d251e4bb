#include <recto/data/examples.hpp>

#include <algorithm>

#include <recto/device/threads.hpp>

namespace RECTO::data {
namespace {

Tensor row_view(const Tensor& x, Index begin, Index end) {
    return x.defined() ? x.view(x.shape().with(0, end - begin), x.strides(), begin * x.strides()[0]) : x;
}

Tensor copy_rows(const Tensor& x, std::span<const Index> which) {
    if (!x.defined()) return x;
    const Tensor from = dense(x);
    const Index width = x.size(0) ? x.numel() / x.size(0) : 0;
    Tensor y = empty(x.shape().with(0, Index(which.size())));
    const Real* in = from.host();
    Real* out = y.write();
    parallel(Index(which.size()), std::max<Index>(1, 65536 / std::max<Index>(1, width)), [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) std::copy_n(in + which[std::size_t(i)] * width, width, out + i * width);
    });
    return y;
}

}  // namespace

Examples slice(const Examples& all, Index begin, Index end) {
    check(0 <= begin && begin <= end && end <= all.size(), "slice: [{}, {}) is outside {} examples", begin, end,
          all.size());
    return {row_view(all.x, begin, end), all.labels.defined() ? all.labels.slice(begin, end) : all.labels,
            row_view(all.targets, begin, end), all.source};
}

Examples select(const Examples& all, std::span<const Index> which) {
    check(all.x.device() == Device::cpu, "select: wanted examples on cpu, got them on {}", all.x.device());
    for (const Index row : which)
        check(row >= 0 && row < all.size(), "select: wanted rows from 0 to {}, got {}", all.size() - 1, row);
    Integers labels;
    if (all.labels.defined()) {
        labels = Integers(Shape{Index(which.size())});
        std::ranges::transform(which, labels.write(), [from = all.labels.data()](Index row) { return from[row]; });
    }
    return {copy_rows(all.x, which), labels, copy_rows(all.targets, which), all.source};
}

Examples flat(const Examples& all) {
    Examples out = all;
    const Tensor x = dense(all.x);
    const Shape shape{all.size(), all.size() ? x.numel() / all.size() : 0};
    out.x = x.view(shape, shape.strides(), 0);
    return out;
}

Examples to(const Examples& all, Device device) {
    return {all.x.to(device), all.labels.defined() ? all.labels.to(device) : all.labels,
            all.targets.defined() ? all.targets.to(device) : all.targets, all.source};
}

}  // namespace RECTO::data
