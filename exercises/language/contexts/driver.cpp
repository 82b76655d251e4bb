#include "driver.hpp"

#include "contexts.hpp"

static std::tuple<std::vector<std::string>, std::vector<std::string>, std::vector<std::string>> three_lists(
    const std::vector<std::string>& words, int seed) {
    const Split lists = split(words, seed);
    return {lists.train, lists.dev, lists.test};
}

static const kit::Function make_contexts_("make_contexts", make_contexts);
static const kit::Function split_("split", three_lists);
