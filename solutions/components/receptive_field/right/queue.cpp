// A queue of places, each with its stage. A place enters the queue once.
#include "receptive_field.hpp"

std::vector<Stage> stages(int size, const std::vector<Layer>& layers) {
    std::vector<Stage> found{{size, 1, 1, 0}};
    int last = 0;  // the last place of the field of output 0
    std::transform(layers.begin(), layers.end(), std::back_inserter(found), [&, now = found[0]](const Layer& layer) mutable {
        const int rest = now.size + 2 * layer.padding - layer.dilation * (layer.kernel - 1) - 1;
        if (rest < 0) throw std::invalid_argument("no window fits");
        last += (layer.dilation * (layer.kernel - 1) - layer.padding) * now.jump;
        now.start -= layer.padding * now.jump;
        now.size = 1 + (rest - rest % layer.stride) / layer.stride;
        now.jump *= layer.stride;
        now.field = last - now.start + 1;
        return now;
    });
    return found;
}

Range span(int size, const std::vector<Layer>& layers, int output) {
    const Stage top = stages(size, layers).back();
    const int last = top.start + output * top.jump + top.field - 1;
    return {last - top.field + 1, last};
}

std::vector<int> places(int size, const std::vector<Layer>& layers, int output) {
    const auto all = stages(size, layers);
    std::deque<std::pair<std::size_t, int>> open{{layers.size(), output}};
    std::set<std::pair<std::size_t, int>> met{open.front()};
    std::vector<int> found;
    while (!open.empty()) {
        const auto [stage, place] = open.front();
        open.pop_front();
        if (stage == 0) {
            found.push_back(place);
            continue;
        }
        const Layer& layer = layers[stage - 1];
        for (int tap = 0; tap < layer.kernel; ++tap) {
            const int read = place * layer.stride - layer.padding + tap * layer.dilation;
            if (read >= 0 && read < all[stage - 1].size && met.insert({stage - 1, read}).second) open.push_back({stage - 1, read});
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}
