#include <recto/figure/graph.hpp>

#include <map>
#include <string_view>

#include <fmt/core.h>

namespace RECTO::figure {
namespace {

/// The operation's usual symbol.
std::string_view sign(std::string_view name) {
    return name == "*" ? "×" : name == "-" || name == "negative" ? "−" : name == "/" ? "÷" : name;
}

/// Three digits, with a minus sign in the place of a hyphen.
std::string number(double value) {
    std::string words = fmt::format("{:.3g}", value);
    for (std::size_t at = 0; (at = words.find('-', at)) != words.npos;) words.replace(at, 1, "−");
    return words;
}

}  // namespace

Diagram value_diagram(std::string name, const Value& y, const ValueNames& names) {
    std::map<const void*, std::string> called;
    for (const auto& [word, value] : names) called[value.id()] = word;
    Diagram drawn(std::move(name));
    const std::vector<ValueStep> all = steps(y);
    std::string told;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const ValueStep& step = all[i];
        const bool leaf = step.inputs.empty();
        std::string words = called.contains(step.id) ? called[step.id] : "";
        if (!leaf) words += fmt::format("{}{}", words.empty() ? "" : "  ", sign(step.name));
        drawn.node(
            std::to_string(i),
            fmt::format("{}{}{}\ngrad {}", words, words.empty() ? "" : "\n", number(step.data), number(step.grad)),
            leaf ? Box::box : Box::round, leaf ? ink : blue);
        for (const ValueStep::Input& input : step.inputs)
            drawn.edge(std::to_string(input.step), std::to_string(i), number(input.slope));
        told += fmt::format("{}{} {:.3g} with gradient {:.3g}", told.empty() ? "" : ", ",
                            words.empty() ? "a constant" : words, step.data, step.grad);
    }
    drawn.describe(fmt::format("A graph of numbers, in the order in which they were computed: {}.", told));
    return drawn;
}

}  // namespace RECTO::figure
