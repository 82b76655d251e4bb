#include <recto/figure/model.hpp>

namespace RECTO::figure {

Diagram model_diagram(std::string name, const nn::Tape& tape) {
    Diagram drawn(std::move(name));
    std::map<std::uint64_t, std::string> ids;  // positions on the tape, since births differ from run to run
    std::string told;
    for (const Step& step : tape.steps) {
        const std::string id = std::to_string(ids.size() + 1);
        ids[step.id] = id;
        const auto leaf = tape.leaves.find(step.id);
        if (leaf != tape.leaves.end())
            drawn.node(id, fmt::format("{}\n{}", leaf->second.name, step.shape), Box::box,
                       leaf->second.trained > 0 ? grey : ink);
        else
            drawn.node(id, fmt::format("{}\n{}", step.name, step.shape), Box::round, blue);
        if (leaf == tape.leaves.end()) told += fmt::format("{}{}", told.empty() ? "" : ", ", step.name);
        for (const std::uint64_t from : step.inputs)
            if (from != 0) drawn.edge(ids.at(from), id);
    }
    drawn.describe(
        fmt::format("A graph of operations, in the order in which they ran: {}.", told.empty() ? "none" : told));
    return drawn;
}

}  // namespace RECTO::figure
