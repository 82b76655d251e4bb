#include "receptive_field.hpp"

std::vector<Stage> stages(int size, const std::vector<Layer>& layers) {
    std::vector<Stage> found{{size, 1, 1, 0}};
    for (const Layer& layer : layers) {
        const Stage before = found.back();
        const int wide = layer.dilation * (layer.kernel - 1);  // from the first tap to the last
        const int rest = before.size + 2 * layer.padding - wide - 1;
        if (rest < 0) throw std::invalid_argument("stages: the window is larger than the padded input");
        Stage after;
        after.size = rest / layer.stride + 1;
        after.jump = before.jump * layer.stride;
        after.field = before.field + wide * before.jump;
        after.start = before.start - layer.padding * before.jump;
        found.push_back(after);
    }
    return found;
}

Range span(int size, const std::vector<Layer>& layers, int output) {
    const Stage top = stages(size, layers).back();
    const int first = top.start + output * top.jump;
    return {first, first + top.field - 1};
}

std::vector<int> places(int size, const std::vector<Layer>& layers, int output) {
    const std::vector<Stage> sizes = stages(size, layers);
    std::set<int> seen{output};
    for (std::size_t k = layers.size(); k-- > 0;) {
        std::set<int> below;
        for (const int place : seen)
            for (int tap = 0; tap < layers[k].kernel; ++tap) {
                const int read = place * layers[k].stride - layers[k].padding + tap * layers[k].dilation;
                if (read >= 0 && read < sizes[k].size) below.insert(read);
            }
        seen = below;
    }
    return {seen.begin(), seen.end()};
}
