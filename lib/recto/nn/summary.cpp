#include <recto/nn/summary.hpp>

#include <algorithm>
#include <array>
#include <set>

namespace RECTO::nn {
namespace {

/// Multiply-accumulates of one operation, from the shapes alone.
Index macs_of(const Step& step) {
    const auto& name = step.name;
    const auto& in = step.input_shapes;
    const Index results = step.shape.numel();
    if (name == "linear" || name == "matmul") return results * in[0].size(-1);
    if (name == "conv1d" || name == "conv2d") return results * in[1].without(0).numel();  // a result reads one kernel
    if (name == "conv_transpose1d" || name == "conv_transpose2d") return in[0].numel() * in[1].without(0).numel();
    if (name == "attention")  // (batch, heads, time, width): every query with every key, then with every value
        return in[0].size(0) * in[0].size(1) * in[0].size(2) * in[1].size(2) * (in[1].size(3) + in[2].size(3));
    if (name == "self_attention") return 2 * results * in[0].size(1);  // every number sees all times, twice
    if (name == "rnn" || name == "lstm" || name == "gru")  // the product with the input is a separate `linear`
        return step.shape.size(0) * step.shape.size(1) * in[2].numel();
    return 0;
}

/// `blocks.0` for `blocks.0.weight`.
std::string owner(const std::string& name) {
    const std::size_t dot = name.rfind('.');
    return dot == name.npos ? "" : name.substr(0, dot);
}

}  // namespace

void Tape::begin(const std::string& name, Tensor& x, Index trained) {
    x = x.detach();
    x.requires_grad_();
    leaves[recto::steps(x)[0].id] = {name, trained};
}

Summary summary(const Tape& tape) {
    Summary made;
    std::set<std::uint64_t> read;
    for (const Step& step : tape.steps) {
        if (step.name == "leaf") continue;
        SummaryRow row{"", std::string(step.name), step.shape, 0, macs_of(step), 0};
        if (!step.view) row.bytes = step.shape.numel() * Index(sizeof(Real));
        for (const std::uint64_t id : step.inputs) {
            const auto leaf = tape.leaves.find(id);
            if (leaf == tape.leaves.end()) continue;
            if (row.layer.empty()) row.layer = owner(leaf->second.name);
            if (read.insert(id).second) row.parameters += leaf->second.trained;
        }
        made.total.shape = row.shape;
        made.total.parameters += row.parameters, made.total.macs += row.macs, made.total.bytes += row.bytes;
        made.rows.push_back(std::move(row));
    }
    for (const auto& [id, leaf] : tape.leaves)
        if (!read.contains(id)) made.unread += leaf.trained;
    return made;
}

std::string to_string(const Summary& summary) {
    std::vector<std::array<std::string, 6>> lines = {{"layer", "operation", "result", "parameters", "MACs", "bytes"}};
    const auto add = [&](const SummaryRow& row, const std::string& layer, const std::string& shape) {
        lines.push_back({layer, row.operation, shape, std::to_string(row.parameters), std::to_string(row.macs),
                         std::to_string(row.bytes)});
    };
    for (const SummaryRow& row : summary.rows) add(row, row.layer, to_string(row.shape));
    add(summary.total, "total", "");
    if (summary.unread > 0) lines.push_back({"not read", "", "", std::to_string(summary.unread), "", ""});
    std::array<std::size_t, 6> widths{};
    for (const auto& line : lines)
        for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
    std::string text;
    for (const auto& line : lines) {
        std::string made;
        for (std::size_t i = 0; i < line.size(); ++i) {
            made += i < 3 ? fmt::format("{:<{}}", line[i], widths[i]) : fmt::format("{:>{}}", line[i], widths[i]);
            made += "  ";
        }
        text += made.substr(0, made.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
}

}  // namespace RECTO::nn
