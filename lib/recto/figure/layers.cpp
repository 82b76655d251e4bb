#include <recto/figure/layers.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace RECTO::figure {
namespace {

/// The shape of one sample.
recto::Shape sample(const recto::Shape& batch) { return batch.dim() > 0 ? batch.without(0) : batch; }

/// `blocks.0.attention` for `blocks.0.attention.out.weight`, if `attention` is drawn as one box; otherwise empty.
std::string whole_module(const std::string& tensor, const std::vector<std::string>& whole) {
    for (std::size_t end = tensor.find('.'); end != tensor.npos; end = tensor.find('.', end + 1)) {
        const std::size_t dot = tensor.rfind('.', end - 1);
        const std::size_t begin = dot == tensor.npos || end == 0 ? 0 : dot + 1;
        if (std::ranges::find(whole, tensor.substr(begin, end - begin)) != whole.end()) return tensor.substr(0, end);
    }
    return "";
}

/// A box for each operation; the second is its module, if that is drawn as one box.
std::vector<std::pair<LayerBox, std::string>> operations(const nn::Tape& tape, const std::vector<std::string>& whole) {
    std::vector<std::pair<LayerBox, std::string>> boxes;
    std::map<std::uint64_t, Index> places;  // of steps
    std::set<std::uint64_t> read;
    for (const Step& step : tape.steps) {
        const auto known = tape.leaves.find(step.id);
        if (known != tape.leaves.end() || step.name == "leaf") {
            if (known != tape.leaves.end() && known->second.name == "input") places[step.id] = -1;
            continue;
        }
        LayerBox box{std::string(step.name), {}, sample(step.shape), 0, false, {}};
        std::string module;
        for (std::size_t i = 0; i < step.inputs.size(); ++i) {
            const std::uint64_t from = step.inputs[i];
            if (const auto place = places.find(from); place != places.end()) {
                if (box.inputs.empty()) box.input = sample(step.input_shapes[i]);
                box.inputs.push_back(place->second);
            } else if (const auto leaf = tape.leaves.find(from); leaf != tape.leaves.end()) {
                if (read.insert(from).second) box.parameters += leaf->second.trained;
                if (module.empty()) module = whole_module(leaf->second.name, whole);
            }
        }
        box.complex = box.parameters > 0;
        places[step.id] = Index(boxes.size());
        boxes.emplace_back(std::move(box), module);
    }
    return boxes;
}

/// Joins the operations from the first to the last of each module that is drawn as one box.
std::vector<LayerBox> joined(const std::vector<std::pair<LayerBox, std::string>>& operations) {
    std::vector<LayerBox> boxes;
    std::vector<Index> place;  // the box of each operation
    for (std::size_t i = 0; i < operations.size(); ++i) {
        LayerBox box = operations[i].first;
        const std::string& module = operations[i].second;
        std::size_t last = i;
        if (!module.empty()) {
            for (std::size_t j = i; j < operations.size(); ++j)
                if (operations[j].second == module) last = j;
            box.words = module.substr(module.rfind('.') + 1), box.complex = true;
        }
        for (Index& from : box.inputs) from = from < 0 ? from : place[std::size_t(from)];
        for (std::size_t j = i + 1; j <= last; ++j) {
            box.result = operations[j].first.result, box.parameters += operations[j].first.parameters;
            for (const Index from : operations[j].first.inputs)
                if (from < Index(i)) box.inputs.push_back(from < 0 ? from : place[std::size_t(from)]);
        }
        place.resize(last + 1, Index(boxes.size()));
        boxes.push_back(std::move(box));
        i = last;
    }
    return boxes;
}

/// Whether box b is a copy of box a, `apart` boxes later.
bool copies(const LayerBox& a, const LayerBox& b, Index apart) {
    LayerBox moved = a;
    for (Index& from : moved.inputs) from += apart;
    return moved == b;
}

/// The number of successive copies of the `length` boxes from `first`.
Index copies_of(const std::vector<LayerBox>& boxes, Index first, Index length) {
    Index times = 1;
    const auto at = [&](Index i) -> const LayerBox& { return boxes[std::size_t(i)]; };
    for (; first + (times + 1) * length <= Index(boxes.size()); ++times)
        for (Index i = first + times * length; i < first + (times + 1) * length; ++i)
            if (!copies(at(i - length), at(i), length)) return times;
    return times;
}

/// Whether the boxes of a run read only their own copy and the one before, and later boxes only the run's result.
bool closed(const std::vector<LayerBox>& boxes, Index first, Index length, Index times) {
    const Index end = first + length * times;
    for (Index i = first; i < Index(boxes.size()); ++i)
        for (const Index from : boxes[std::size_t(i)].inputs) {
            if (i < end && from < first + (i - first) / length * length - 1) return false;
            if (i >= end && from >= first && from < end - 1) return false;
        }
    return true;
}

}  // namespace

LayerColumn layer_column(const nn::Tape& tape, const std::vector<std::string>& whole) {
    const std::vector<LayerBox> boxes = joined(operations(tape, whole));
    LayerColumn column;
    std::vector<Index> place;  // index in the column of every box
    for (Index i = 0; i < Index(boxes.size());) {
        Index length = 1, times = 1;
        for (Index l = 1; 2 * l <= Index(boxes.size()) - i; ++l) {
            const Index n = copies_of(boxes, i, l);
            const bool begins_well =  // a copy begins with a layer with parameters, if it contains one
                boxes[std::size_t(i)].complex ||
                std::none_of(boxes.begin() + i, boxes.begin() + i + l, [](const LayerBox& b) { return b.complex; });
            if (n > 1 && n * l > times * length && begins_well && closed(boxes, i, l, n)) length = l, times = n;
        }
        const Index first = Index(column.boxes.size());
        for (Index j = 0; j < length * times; ++j) {
            const LayerBox& box = boxes[std::size_t(i + j)];
            column.parameters += box.parameters;
            place.push_back(first + j % length);
            if (j >= length) continue;
            column.boxes.push_back(box);
            for (Index& from : column.boxes.back().inputs) from = from < 0 ? from : place[std::size_t(from)];
        }
        if (times > 1) {
            Index parameters = 0;
            for (Index j = 0; j < length * times; ++j) parameters += boxes[std::size_t(i + j)].parameters;
            column.groups.push_back({first, length, times, parameters});
        }
        i += length * times;
    }
    return column;
}

Diagram layer_diagram(std::string name, const LayerColumn& column) {
    Diagram drawn(std::move(name));
    const auto id = [](Index box) { return box < 0 ? std::string("input") : std::to_string(box + 1); };
    const recto::Shape start = column.boxes.empty() ? recto::Shape{} : column.boxes.front().input;
    const auto size_after = [&](Index box) {  // empty if the size has not changed
        if (box < 0) return to_string(start);
        const LayerBox& b = column.boxes[std::size_t(box)];
        return b.result == b.input ? std::string() : to_string(b.result);
    };
    std::string told;
    drawn.node("input", "input", Box::plain);
    std::set<Index> labelled;
    const auto arrow = [&](Index from, const std::string& to) {  // one label for each size
        drawn.edge(id(from), to, labelled.insert(from).second ? size_after(from) : "");
    };
    for (Index i = 0; i < Index(column.boxes.size()); ++i) {
        const LayerBox& box = column.boxes[std::size_t(i)];
        drawn.node(id(i), box.words, Box::round, box.complex ? blue : grey);
        if (box.complex) drawn.tall(id(i));
        for (const Index from : box.inputs) arrow(from, id(i));
        told += fmt::format("{}{}", told.empty() ? "" : ", ", box.words);
    }
    drawn.node("output", "output", Box::plain);
    arrow(Index(column.boxes.size()) - 1, "output");
    for (const LayerGroup& group : column.groups) {
        std::vector<std::string> ids;
        for (Index i = group.first; i < group.first + group.boxes; ++i) ids.push_back(id(i));
        drawn.group(fmt::format("×{}", group.times), ids, Dash::dashed);
        told += fmt::format("; {} boxes are repeated {} times", group.boxes, group.times);
    }
    drawn.describe(fmt::format("A column of layers, from the input to the output: {}.", told));
    return drawn;
}

}  // namespace RECTO::figure
