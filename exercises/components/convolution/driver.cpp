#include "convolution.hpp"
#include "driver.hpp"

namespace {

Options options_of(kit::Arguments& in) {
    Options options;
    options.stride = in.next<int>();
    options.padding = in.next<int>();
    options.dilation = in.next<int>();
    return options;
}

int size_of(kit::Arguments& in) {
    const int size = in.next<int>(), kernel = in.next<int>();
    return output_size(size, kernel, options_of(in));
}

Tensor result_of(kit::Arguments& in) {
    const auto x = in.next<Tensor>(), weight = in.next<Tensor>();
    const auto bias = in.next<std::vector<double>>();
    return convolution(x, weight, bias, options_of(in));
}

// Whether a call throws std::invalid_argument.
template <auto call>
void refuses(kit::Arguments& in, kit::Answer& out) {
    try {
        call(in);
        out.write(false);
    } catch (const std::invalid_argument&) {
        out.write(true);
    }
}

const kit::Function functions[] = {
    {"output_size", [](kit::Arguments& in, kit::Answer& out) { out.write(size_of(in)); }},
    {"output_size_refuses", refuses<size_of>},
    {"convolution", [](kit::Arguments& in, kit::Answer& out) { out.write(result_of(in)); }},
    {"convolution_refuses", refuses<result_of>}};

}  // namespace
