// Every layer is split: padding, then a window one place wider at a time, then every S-th output.
#include "receptive_field.hpp"

std::vector<Stage> stages(int size, const std::vector<Layer>& layers) {
    Stage now{size, 1, 1, 0};
    std::vector<Stage> found{now};
    for (const Layer& layer : layers) {
        now.size += 2 * layer.padding;
        now.start -= layer.padding * now.jump;
        for (int step = 0; step < layer.dilation * (layer.kernel - 1); ++step) {
            now.size -= 1;
            now.field += now.jump;
        }
        if (now.size <= 0) throw std::invalid_argument("no window fits");
        now.size = (now.size - 1) / layer.stride + 1;
        now.jump *= layer.stride;
        found.push_back(now);
    }
    return found;
}

Range span(int size, const std::vector<Layer>& layers, int output) {
    const std::vector<Stage> all = stages(size, layers);
    return {all.back().start + all.back().jump * output, all.back().start + all.back().jump * output + all.back().field - 1};
}

std::vector<int> places(int size, const std::vector<Layer>& layers, int output) {
    const std::vector<Stage> all = stages(size, layers);
    std::vector<std::vector<char>> marks;
    for (const Stage& stage : all) marks.emplace_back(std::size_t(stage.size), 0);
    marks.back()[std::size_t(output)] = 1;
    for (std::size_t k = layers.size(); k-- > 0;)
        for (int tap = layers[k].kernel; tap-- > 0;)
            for (int place = all[k + 1].size; place-- > 0;) {
                const int read = place * layers[k].stride - layers[k].padding + tap * layers[k].dilation;
                if (marks[k + 1][std::size_t(place)] && read >= 0 && read < all[k].size) marks[k][std::size_t(read)] = 1;
            }
    std::vector<int> found;
    for (int place = 0; place < size; ++place)
        if (marks[0][std::size_t(place)]) found.push_back(place);
    return found;
}
