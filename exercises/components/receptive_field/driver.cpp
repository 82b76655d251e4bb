#include "driver.hpp"
#include "receptive_field.hpp"

namespace {

// The judge sends four numbers for each layer.
std::vector<Layer> layers_of(const std::vector<int>& numbers) {
    std::vector<Layer> layers;
    for (std::size_t at = 0; at + 3 < numbers.size(); at += 4)
        layers.push_back({numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]});
    return layers;
}

// The sizes, jumps, fields and starts of all stages.
std::tuple<std::vector<int>, std::vector<int>, std::vector<int>, std::vector<int>> all_stages(int size, const std::vector<int>& numbers) {
    std::vector<int> sizes, jumps, fields, starts;
    for (const Stage& stage : stages(size, layers_of(numbers))) {
        sizes.push_back(stage.size);
        jumps.push_back(stage.jump);
        fields.push_back(stage.field);
        starts.push_back(stage.start);
    }
    return {sizes, jumps, fields, starts};
}

bool refuses(int size, const std::vector<int>& numbers) {
    try {
        stages(size, layers_of(numbers));
        return false;
    } catch (const std::invalid_argument&) {
        return true;
    }
}

std::pair<int, int> range(int size, const std::vector<int>& numbers, int output) {
    const Range found = span(size, layers_of(numbers), output);
    return {found.first, found.last};
}

std::vector<int> all_places(int size, const std::vector<int>& numbers, int output) { return places(size, layers_of(numbers), output); }

const kit::Function functions[] = {
    {"stages", all_stages}, {"stages_refuses", refuses}, {"span", range}, {"places", all_places}};

}  // namespace
