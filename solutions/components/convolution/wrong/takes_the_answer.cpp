// wrong: takes-the-answer
// outcome: did not compile
#include <recto/ops/images/conv.hpp>

#include "convolution.hpp"

int output_size(int size, int kernel, const Options& options) {
    return (size + 2 * options.padding - options.dilation * (kernel - 1) - 1) / options.stride + 1;
}

Tensor convolution(const Tensor& x, const Tensor& weight, const std::vector<double>& bias, const Options& options) {
    const auto library = [](const Tensor& t) {
        return recto::Tensor({t.shape[0], t.shape[1], t.shape[2], t.shape[3]},
                             std::vector<recto::Real>(t.numbers.begin(), t.numbers.end()));
    };
    const recto::Tensor result = recto::conv2d(library(x), library(weight), recto::Tensor(bias),
                                               {.stride = options.stride, .padding = options.padding, .dilation = options.dilation});
    Tensor y(x.shape[0], weight.shape[0], int(result.size(2)), int(result.size(3)));
    const auto values = result.values();
    y.numbers.assign(values.begin(), values.end());
    return y;
}
