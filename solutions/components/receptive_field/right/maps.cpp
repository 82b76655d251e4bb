// A layer is a pair of affine maps, from an output to the first and to the last place that it reads; a stack composes them.
#include "receptive_field.hpp"

struct Map {
    int factor = 1, shift = 0;
    int operator()(int place) const { return factor * place + shift; }
    Map after(const Map& upper) const { return {factor * upper.factor, factor * upper.shift + shift}; }  // upper first
};

static std::pair<Map, Map> maps(const std::vector<Layer>& layers, std::size_t count) {
    Map first, last;
    for (std::size_t k = 0; k < count; ++k) {
        const Layer& layer = layers[k];
        first = first.after({layer.stride, -layer.padding});
        last = last.after({layer.stride, layer.dilation * (layer.kernel - 1) - layer.padding});
    }
    return {first, last};
}

std::vector<Stage> stages(int size, const std::vector<Layer>& layers) {
    std::vector<Stage> found;
    for (std::size_t count = 0; count <= layers.size(); ++count) {
        if (count > 0) {
            const Layer& layer = layers[count - 1];
            const int last = size - 1 + layer.padding - layer.dilation * (layer.kernel - 1);  // where the last window may begin
            if (last < -layer.padding) throw std::invalid_argument("no window fits");
            size = (last + layer.padding) / layer.stride + 1;
        }
        const auto [first, last] = maps(layers, count);
        found.push_back({size, first.factor, last(0) - first(0) + 1, first(0)});
    }
    return found;
}

Range span(int, const std::vector<Layer>& layers, int output) {
    const auto [first, last] = maps(layers, layers.size());
    return {first(output), last(output)};
}

std::vector<int> places(int size, const std::vector<Layer>& layers, int output) {
    const auto all = stages(size, layers);
    std::map<int, bool> seen{{output, true}};
    for (std::size_t k = layers.size(); k-- > 0;) {
        std::map<int, bool> below;
        for (int read = 0; read < all[k].size; ++read)
            for (const auto& [place, yes] : seen)
                for (int tap = 0; tap < layers[k].kernel; ++tap)
                    if (place * layers[k].stride - layers[k].padding + tap * layers[k].dilation == read) below[read] = yes;
        seen = below;
    }
    std::vector<int> found;
    for (const auto& [place, yes] : seen) found.push_back(place);
    return found;
}
