// Tables of booleans, one for each layer, and their product; products of strides by partial_sum.
#include "receptive_field.hpp"

std::vector<Stage> stages(int size, const std::vector<Layer>& layers) {
    std::vector<int> strides{1}, jumps(layers.size() + 1), wide{1}, back{0}, sizes{size};
    for (const Layer& layer : layers) strides.push_back(layer.stride);
    std::partial_sum(strides.begin(), strides.end(), jumps.begin(), std::multiplies<>());
    for (std::size_t k = 0; k < layers.size(); ++k) {
        wide.push_back(layers[k].dilation * (layers[k].kernel - 1) * jumps[k]);
        back.push_back(-layers[k].padding * jumps[k]);
        const int room = sizes[k] + 2 * layers[k].padding - layers[k].dilation * (layers[k].kernel - 1);
        if (room <= 0) throw std::invalid_argument("no window fits");
        sizes.push_back(room / layers[k].stride + (room % layers[k].stride != 0));
    }
    std::partial_sum(wide.begin(), wide.end(), wide.begin());
    std::partial_sum(back.begin(), back.end(), back.begin());
    std::vector<Stage> found;
    for (std::size_t k = 0; k <= layers.size(); ++k) found.push_back({sizes[k], jumps[k], wide[k], back[k]});
    return found;
}

Range span(int size, const std::vector<Layer>& layers, int output) {
    const Stage top = stages(size, layers).back();
    Range range{top.start, top.start + top.field - 1};
    range.first += output * top.jump;
    range.last += output * top.jump;
    return range;
}

using Table = std::vector<std::vector<bool>>;  // for each output the inputs that it depends on

std::vector<int> places(int size, const std::vector<Layer>& layers, int output) {
    Table whole;
    for (int i = 0; i < size; ++i) {
        whole.emplace_back(std::size_t(size), false);
        whole.back()[std::size_t(i)] = true;
    }
    for (const Layer& layer : layers) {
        Table next;
        const int inputs = int(whole.size());
        for (int first = -layer.padding; first + layer.dilation * (layer.kernel - 1) < inputs + layer.padding; first += layer.stride) {
            std::vector<bool> row(std::size_t(size), false);
            for (int tap = 0; tap < layer.kernel; ++tap)
                if (const int read = first + tap * layer.dilation; read >= 0 && read < inputs)
                    for (std::size_t i = 0; i < row.size(); ++i) row[i] = row[i] || whole[std::size_t(read)][i];
            next.push_back(row);
        }
        whole = next;
    }
    std::vector<int> found;
    for (int i = 0; i < size; ++i)
        if (whole[std::size_t(output)][std::size_t(i)]) found.push_back(i);
    return found;
}
