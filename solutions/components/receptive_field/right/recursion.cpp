// Each function calls itself with one layer less.
#include "receptive_field.hpp"

std::vector<Stage> stages(int size, const std::vector<Layer>& layers) {
    if (layers.empty()) return {Stage{size}};
    std::vector<Stage> found = stages(size, {layers.begin(), layers.end() - 1});
    const auto [count, jump, field, start] = found.back();
    const auto [kernel, stride, padding, dilation] = layers.back();
    const int last = count + 2 * padding - dilation * (kernel - 1) - 1;
    if (last < 0) throw std::invalid_argument("no window fits");
    found.push_back({last / stride + 1, jump * stride, field + dilation * (kernel - 1) * jump, start - padding * jump});
    return found;
}

Range span(int size, const std::vector<Layer>& layers, int output) {
    if (layers.empty()) return {output, output};
    const auto [kernel, stride, padding, dilation] = layers.back();
    const std::vector<Layer> rest(layers.begin(), layers.end() - 1);
    return {span(size, rest, output * stride - padding).first, span(size, rest, output * stride - padding + dilation * (kernel - 1)).last};
}

std::vector<int> places(int size, const std::vector<Layer>& layers, int output) {
    if (output < 0 || output >= stages(size, layers).back().size) return {};
    if (layers.empty()) return {output};
    const auto [kernel, stride, padding, dilation] = layers.back();
    std::vector<int> seen;
    for (int tap = 0; tap < kernel; ++tap) {
        const auto more = places(size, {layers.begin(), layers.end() - 1}, output * stride - padding + tap * dilation);
        std::vector<int> both;
        std::set_union(seen.begin(), seen.end(), more.begin(), more.end(), std::back_inserter(both));
        seen = both;
    }
    return seen;
}
