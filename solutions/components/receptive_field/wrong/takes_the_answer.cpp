// wrong: takes-the-answer
// outcome: did not compile
// The library's convolution of ones tells which outputs a changed input changes.
#include <recto/ops/images/conv.hpp>

#include "receptive_field.hpp"

std::vector<Stage> stages(int size, const std::vector<Layer>& layers) {
    std::vector<Stage> found{{size, 1, 1, 0}};
    recto::Tensor x = recto::ones({1, 1, size});
    for (const Layer& layer : layers) {
        x = recto::conv1d(x, recto::ones({1, 1, layer.kernel}), {},
                          {.stride = layer.stride, .padding = layer.padding, .dilation = layer.dilation});
        const Stage before = found.back();
        found.push_back({int(x.size(2)), before.jump * layer.stride,
                         before.field + layer.dilation * (layer.kernel - 1) * before.jump,
                         before.start - layer.padding * before.jump});
    }
    return found;
}

Range span(int size, const std::vector<Layer>& layers, int output) {
    const Stage top = stages(size, layers).back();
    return {top.start + output * top.jump, top.start + output * top.jump + top.field - 1};
}

std::vector<int> places(int size, const std::vector<Layer>& layers, int output) {
    std::vector<int> found;
    for (int place = 0; place < size; ++place) {
        recto::Tensor x = recto::zeros({1, 1, size});
        x.set({0, 0, place}, 1);
        for (const Layer& layer : layers)
            x = recto::conv1d(x, recto::ones({1, 1, layer.kernel}), {},
                              {.stride = layer.stride, .padding = layer.padding, .dilation = layer.dilation});
        if (x.at({0, 0, output}) != 0) found.push_back(place);
    }
    return found;
}
