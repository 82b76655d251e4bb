// From the last layer down: the field by (field - 1) * stride + window, the start by following output 0.
#include "receptive_field.hpp"

static int below(const Layer& layer, int place) { return place * layer.stride - layer.padding; }

std::vector<Stage> stages(int size, const std::vector<Layer>& layers) {
    std::vector<Stage> found;
    for (std::size_t count = 0; count <= layers.size(); ++count) {
        if (count > 0) {
            const Layer& layer = layers[count - 1];
            const int window = layer.dilation * (layer.kernel - 1) + 1, padded = size + 2 * layer.padding;
            if (window > padded) throw std::invalid_argument("no window fits");
            size = (padded - window + layer.stride) / layer.stride;
        }
        int field = 1, first = 0, second = 1;
        for (std::size_t k = count; k-- > 0;) {
            field = (field - 1) * layers[k].stride + layers[k].dilation * (layers[k].kernel - 1) + 1;
            first = below(layers[k], first);
            second = below(layers[k], second);
        }
        found.push_back({size, second - first, field, first});
    }
    return found;
}

Range span(int, const std::vector<Layer>& layers, int output) {
    Range range{output, output};
    for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer)
        range = {below(*layer, range.first), below(*layer, range.last) + layer->dilation * (layer->kernel - 1)};
    return range;
}

std::vector<int> places(int size, const std::vector<Layer>& layers, int output) {
    const auto all = stages(size, layers);
    std::vector<int> seen{output};
    for (std::size_t k = layers.size(); k-- > 0;) {
        std::vector<int> reads;
        for (const int place : seen)
            for (int tap = 0; tap < layers[k].kernel; ++tap) reads.push_back(below(layers[k], place) + tap * layers[k].dilation);
        std::erase_if(reads, [&](int place) { return place < 0 || place >= all[k].size; });
        std::sort(reads.begin(), reads.end());
        reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
        seen = reads;
    }
    return seen;
}
