#include <algorithm>

#include <recto/book/trace.hpp>
#include <recto/figure/diagram.hpp>

namespace RECTO::figure {
namespace {

/// A string in Graphviz's quotes. Backslashes are doubled, since labels use `\N` and `\l`.
std::string quoted(std::string_view text) {
    std::string made = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') made += '\\';
        if (c == '\n')
            made += "\\n";
        else if (c != '\0' && c != '\r')
            made += c;
    }
    return made + '"';
}

/// The label of an arrow with space around it, so that other arrows keep a distance.
std::string beside(const std::string& label) { return quoted(label.empty() ? label : " " + label + "  "); }

std::string shape(Box box) {
    switch (box) {
        case Box::box:
            return "shape=box";
        case Box::circle:
            return "shape=circle";
        case Box::plain:
            return "shape=plain";
        default:
            return "shape=box, style=rounded";
    }
}

}  // namespace

Diagram::Diagram(std::string name) : name_(std::move(name)) {}

Diagram& Diagram::describe(std::string alt) { return alt_ = std::move(alt), *this; }
Diagram& Diagram::left_to_right() { return across_ = true, *this; }

void Diagram::known(const std::string& id) const {
    check(std::find(ids_.begin(), ids_.end(), id) != ids_.end(), "diagram {}: wanted the name of a node, got '{}'",
          name_, id);
}

Diagram& Diagram::node(const std::string& id, std::string label, Box box, Color color) {
    check(std::find(ids_.begin(), ids_.end(), id) == ids_.end(), "diagram {}: node '{}' is there already", name_, id);
    ids_.push_back(id);
    body_ += fmt::format("  {} [label={}, {}, color=\"{}\"];\n", quoted(id), quoted(label), shape(box), hex(color));
    return *this;
}

Diagram& Diagram::edge(const std::string& from, const std::string& to, std::string label, Color color) {
    known(from), known(to);
    body_ += fmt::format("  {} -> {} [label={}, color=\"{}\"];\n", quoted(from), quoted(to), beside(label), hex(color));
    return *this;
}

Diagram& Diagram::edge_back(const std::string& from, const std::string& to, std::string label, Color color) {
    known(from), known(to);
    body_ += fmt::format("  {} -> {} [label={}, color=\"{}\", dir=back];\n", quoted(to), quoted(from), beside(label),
                         hex(color));
    return *this;
}

Diagram& Diagram::link(const std::string& id, const std::string& address) {
    known(id);
    body_ += fmt::format("  {} [URL={}];\n", quoted(id), quoted(address));
    return *this;
}

Diagram& Diagram::group(std::string title, const std::vector<std::string>& ids, Dash dash) {
    body_ += fmt::format("  subgraph cluster_{} {{\n    label={};\n", groups_++, quoted(title));
    if (dash != Dash::solid) body_ += "    style=dashed; labeljust=r;\n";
    for (const std::string& id : ids) {
        known(id);
        body_ += fmt::format("    {};\n", quoted(id));
    }
    body_ += "  }\n";
    return *this;
}

Diagram& Diagram::tall(const std::string& id) {
    known(id);
    body_ += fmt::format("  {} [height=0.62];\n", quoted(id));
    return *this;
}

Diagram& Diagram::level(const std::vector<std::string>& ids) {
    std::string row;
    for (const std::string& id : ids) {
        known(id);
        row += fmt::format(" {};", quoted(id));
    }
    body_ += fmt::format("  {{ rank=same;{} }}\n", row);
    return *this;
}

std::string Diagram::dot() const {
    check(!alt_.empty(), "diagram {}: wanted a description for those who cannot see it, call describe()", name_);
    check(!ids_.empty(), "diagram {}: wanted nodes, got none", name_);
    return fmt::format(
        "digraph {} {{\n"
        "  rankdir={}; bgcolor=\"transparent\"; nodesep=0.3; ranksep=0.35;\n"
        "  fontname=\"Charis SIL\"; fontsize=13; fontcolor=\"{}\"; color=\"{}\";\n"
        "  node [fontname=\"Charis SIL\", fontsize=13, fontcolor=\"{}\", margin=\"0.14,0.06\", height=0.34];\n"
        "  edge [fontname=\"Charis SIL\", fontsize=11, fontcolor=\"{}\", arrowsize=0.6];\n{}}}\n",
        quoted(name_), across_ ? "LR" : "TB", hex(grey), hex(grey), hex(ink), hex(grey), body_);
}

void Diagram::save(const std::string& caption, book::Place where) const {
    check(!caption.empty(), "diagram {}: wanted a caption, got none", name_);
    const auto meta = book::Json::object(
        {{"description", alt_},
         {"usermeta", book::Json::object({{"recto", book::Json::object({{"name", name_}, {"caption", caption}})}})}});
    std::string text = dot();
    book::keep_file(name_ + ".meta.json", meta.text() + "\n");
    book::keep_figure(name_, name_ + ".dot", std::move(text), where);
}

}  // namespace RECTO::figure
