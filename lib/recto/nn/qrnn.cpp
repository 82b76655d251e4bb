#include <recto/nn/qrnn.hpp>

#include <algorithm>
#include <cmath>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/conv.hpp>
#include <recto/ops/sequences/affine_scan.hpp>
#include <recto/ops/shapes/pad.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO::nn {

Qrnn::Qrnn(Index in, Index hidden, Generator& random, QrnnOptions options) {
    check(in >= 0 && hidden >= 0, "Qrnn: wanted sizes of at least 0, got {} in and {} hidden", in, hidden);
    check(options.window >= 1, "Qrnn: wanted a window of at least 1, got {}", options.window);
    const Real bound = Real(1 / std::sqrt(double(std::max<Index>(in * options.window, 1))));
    const Index rows = checked_product(3, hidden, "Qrnn");
    weight = random.uniform({rows, in, options.window}, -bound, bound, options.device).requires_grad_();
    bias = zeros({rows}, options.device).requires_grad_();
}

QrnnGates Qrnn::gates(const Tensor& x) const {
    check(x.dim() == 3 && x.size(2) == weight.size(1), "Qrnn: wanted (batch, time, {}), got shape {}", weight.size(1),
          x.shape());
    const Index hidden = bias.numel() / 3, time = x.size(1);
    // Zeros before the first input: the result at each time then reads this time and those before.
    const Tensor before = pad(transpose(x), {{weight.size(2) - 1, 0}});
    const Tensor scores =
        time == 0 ? zeros({x.size(0), 0, 3 * hidden}, x.device()) : transpose(conv1d(before, weight, bias));
    const auto third = [&](Index k) { return slice(scores, 2, k * hidden, (k + 1) * hidden); };
    return {tanh(third(0)), sigmoid(third(1)), sigmoid(third(2))};
}

Recurrent Qrnn::operator()(const Tensor& x, const Tensor& c) const {
    const QrnnGates g = gates(x);
    const Tensor memory = affine_scan(g.forget, (1 - g.forget) * g.value, c);
    const Tensor y = g.output * memory;
    if (x.size(1) == 0) return {y, Tensor(), c};
    const Index last = x.size(1) - 1;
    return {y, select(y, 1, last), select(memory, 1, last)};
}

}  // namespace RECTO::nn
