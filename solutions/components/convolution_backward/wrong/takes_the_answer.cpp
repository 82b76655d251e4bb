// wrong: takes-the-answer
// outcome: did not compile
#include <recto/ops/images/conv.hpp>

#include "convolution_backward.hpp"

namespace {

struct Leaves {
    recto::Tensor x, weight;
};

recto::Tensor library(const Tensor& t) {
    return recto::Tensor({t.shape[0], t.shape[1], t.shape[2], t.shape[3]},
                         std::vector<recto::Real>(t.numbers.begin(), t.numbers.end()));
}

Leaves backward(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options) {
    const Leaves leaves{library(x).requires_grad_(), library(weight).requires_grad_()};
    recto::conv2d(leaves.x, leaves.weight, {}, {.stride = options.stride, .padding = options.padding, .dilation = options.dilation})
        .backward(library(dy));
    return leaves;
}

Tensor ours(const recto::Tensor& t, Tensor like) {
    const auto values = t.grad().values();
    like.numbers.assign(values.begin(), values.end());
    return like;
}

}  // namespace

Tensor input_gradient(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options) {
    return ours(backward(x, weight, dy, options).x, x);
}

Tensor weight_gradient(const Tensor& x, const Tensor& weight, const Tensor& dy, const Options& options) {
    return ours(backward(x, weight, dy, options).weight, weight);
}

std::vector<double> bias_gradient(const Tensor& dy) {
    std::vector<double> db(std::size_t(dy.shape[1]));
    for (std::size_t i = 0; i < dy.numbers.size(); ++i)
        db[i / std::size_t(dy.shape[2] * dy.shape[3]) % db.size()] += dy.numbers[i];
    return db;
}
