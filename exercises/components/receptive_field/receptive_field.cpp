#include "receptive_field.hpp"

#include "not_written.hpp"

std::vector<Stage> stages(int size, const std::vector<Layer>& layers) {
    std::vector<Stage> found{{size, 1, 1, 0}};
    // Add one stage for each layer, and delete the next line.
    not_written("stages");
    return found;
}

Range span(int size, const std::vector<Layer>& layers, int output) {
    not_written("span");
    return {0, 0};
}

std::vector<int> places(int size, const std::vector<Layer>& layers, int output) {
    not_written("places");
    return {};
}
