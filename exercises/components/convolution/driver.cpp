#include <cstdint>

#include "convolution.hpp"
#include "driver.hpp"

namespace {

// The judge sends a tensor as doubles with four axes (tools/recto/judge/frames.py).
Tensor take(kit::Arguments& in) {
    char kind = 0;
    std::uint32_t axes = 0;
    int sizes[4] = {};
    in.raw(&kind, sizeof kind);
    in.raw(&axes, sizeof axes);
    in.raw(sizes, sizeof sizes);
    Tensor x(sizes[0], sizes[1], sizes[2], sizes[3]);
    in.raw(x.numbers.data(), x.numbers.size() * sizeof(double));
    return x;
}

void give(kit::Answer& out, const Tensor& y) {
    const std::uint32_t axes = 4;
    std::size_t count = 1;
    out.bytes += 'D';
    const auto add = [&](const void* from, std::size_t bytes) { out.bytes.append(static_cast<const char*>(from), bytes); };
    add(&axes, sizeof axes);
    for (const int one : y.shape) {
        const std::uint32_t size = std::uint32_t(one);
        add(&size, sizeof size);
        count *= size;
    }
    if (count != y.numbers.size())
        throw std::runtime_error("the answer has a shape for " + std::to_string(count) + " numbers, but holds " +
                                 std::to_string(y.numbers.size()));
    add(y.numbers.data(), count * sizeof(double));
}

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
    const Tensor x = take(in), weight = take(in);
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
    {"convolution", [](kit::Arguments& in, kit::Answer& out) { give(out, result_of(in)); }},
    {"convolution_refuses", refuses<result_of>}};

}  // namespace
