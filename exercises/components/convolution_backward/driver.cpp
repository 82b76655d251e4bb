#include "convolution_backward.hpp"
#include "driver.hpp"

namespace {

Options options_of(kit::Arguments& in) {
    Options options;
    options.stride = in.next<int>();
    options.padding = in.next<int>();
    options.dilation = in.next<int>();
    return options;
}

template <auto gradient>
void one(kit::Arguments& in, kit::Answer& out) {
    const auto x = in.next<Tensor>(), weight = in.next<Tensor>(), dy = in.next<Tensor>();
    out.write(gradient(x, weight, dy, options_of(in)));
}

const kit::Function functions[] = {
    {"input_gradient", one<input_gradient>},
    {"weight_gradient", one<weight_gradient>},
    {"bias_gradient", bias_gradient}};

}  // namespace
