// Convolutions of ones: an output depends on a place if it changes when this place changes.
#include "receptive_field.hpp"

static std::vector<double> through(const Layer& layer, const std::vector<double>& x) {
    std::vector<double> wide(x.size() + 2 * std::size_t(layer.padding)), y;
    std::copy(x.begin(), x.end(), wide.begin() + layer.padding);
    const int span = layer.dilation * (layer.kernel - 1) + 1;
    for (int first = 0; first + span <= int(wide.size()); first += layer.stride) {
        double sum = 0;
        for (int tap = 0; tap < layer.kernel; ++tap) sum += wide[std::size_t(first + tap * layer.dilation)];
        y.push_back(std::min(sum, 1.0));  // so that no number becomes too large
    }
    if (y.empty()) throw std::invalid_argument("no window fits");
    return y;
}

std::vector<Stage> stages(int size, const std::vector<Layer>& layers) {
    std::vector<double> x(std::size_t(size), 0.0);
    std::vector<Stage> found(1);
    found[0].size = size;
    for (const Layer& layer : layers) {
        x = through(layer, x);
        Stage next = found.back();
        next.size = int(x.size());
        for (int tap = 1; tap < layer.kernel; ++tap) next.field += layer.dilation * next.jump;
        for (int zero = 0; zero < layer.padding; ++zero) next.start -= next.jump;
        next.jump *= layer.stride;
        found.push_back(next);
    }
    return found;
}

Range span(int size, const std::vector<Layer>& layers, int output) {
    Stage top = stages(size, layers).back();
    for (; output > 0; --output) top.start += top.jump;
    return {top.start, top.start + top.field - 1};
}

std::vector<int> places(int size, const std::vector<Layer>& layers, int output) {
    std::vector<int> found;
    for (int place = 0; place < size; ++place) {
        std::vector<double> x(std::size_t(size), 0.0);
        x[std::size_t(place)] = 1;
        for (const Layer& layer : layers) x = through(layer, x);
        if (x[std::size_t(output)] != 0) found.push_back(place);
    }
    return found;
}
