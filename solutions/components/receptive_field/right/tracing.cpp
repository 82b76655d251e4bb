// No formula: the sets of places that outputs 0 and 1 read show field, start and jump, and windows are counted.
#include "receptive_field.hpp"

static std::set<int> reads(const std::vector<Layer>& layers, std::size_t count, int output) {
    std::set<int> seen{output};
    while (count-- > 0) {
        std::set<int> below;
        for (const int place : seen)
            for (int tap = 0; tap < layers[count].kernel; ++tap)
                below.insert(place * layers[count].stride - layers[count].padding + tap * layers[count].dilation);
        seen.swap(below);
    }
    return seen;
}

std::vector<Stage> stages(int size, const std::vector<Layer>& layers) {
    std::vector<Stage> found;
    for (std::size_t count = 0; count <= layers.size(); ++count) {
        if (count > 0) {
            const Layer& layer = layers[count - 1];
            int windows = 0;
            for (int first = -layer.padding; first + layer.dilation * (layer.kernel - 1) < size + layer.padding; first += layer.stride) ++windows;
            if (windows == 0) throw std::invalid_argument("no window fits");
            size = windows;
        }
        const auto zero = reads(layers, count, 0), one = reads(layers, count, 1);
        found.push_back({size, *one.begin() - *zero.begin(), *zero.rbegin() - *zero.begin() + 1, *zero.begin()});
    }
    return found;
}

Range span(int, const std::vector<Layer>& layers, int output) {
    const auto seen = reads(layers, layers.size(), output);
    return {*seen.begin(), *seen.rbegin()};
}

std::vector<int> places(int size, const std::vector<Layer>& layers, int output) {
    std::vector<int> found, sizes;
    for (const Stage& stage : stages(size, layers)) sizes.push_back(stage.size);
    // Depth first: does a path lead from the output to this place?
    for (int place = 0; place < size; ++place) {
        std::set<std::pair<std::size_t, int>> visited;
        const std::function<bool(std::size_t, int)> leads = [&](std::size_t stage, int at) {
            if (at < 0 || at >= sizes[stage] || !visited.insert({stage, at}).second) return false;
            if (stage == 0) return at == place;
            const Layer& layer = layers[stage - 1];
            for (int tap = 0; tap < layer.kernel; ++tap)
                if (leads(stage - 1, at * layer.stride - layer.padding + tap * layer.dilation)) return true;
            return false;
        };
        if (leads(layers.size(), output)) found.push_back(place);
    }
    return found;
}
