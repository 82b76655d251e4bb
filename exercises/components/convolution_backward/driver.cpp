#include <cstdint>

#include "convolution_backward.hpp"
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

template <auto gradient>
void one(kit::Arguments& in, kit::Answer& out) {
    const Tensor x = take(in), weight = take(in), dy = take(in);
    give(out, gradient(x, weight, dy, options_of(in)));
}

const kit::Function functions[] = {
    {"input_gradient", one<input_gradient>},
    {"weight_gradient", one<weight_gradient>},
    {"bias_gradient", [](kit::Arguments& in, kit::Answer& out) { out.write(bias_gradient(take(in))); }}};

}  // namespace
