#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <recto/base/check.hpp>
#include <recto/figure/spec.hpp>

namespace RECTO::figure {

using book::Json;

namespace {

bool is_line(const Layer& layer) { return layer.kind == Kind::line || layer.kind == Kind::lines; }

double default_width(Kind kind) {
    return kind == Kind::lines                            ? 1
           : kind == Kind::rule_x || kind == Kind::rule_y ? 1.25
           : kind == Kind::dots                           ? 3.3
           : kind == Kind::words                          ? 13
                                                          : 2.25;
}

double default_opacity(Kind kind) { return kind == Kind::lines ? 0.75 : kind == Kind::band ? 0.2 : 1; }

// A longer label would be cut off.
constexpr std::ptrdiff_t longest_label = 26;

std::ptrdiff_t letters(const std::string& utf8) {
    return std::count_if(utf8.begin(), utf8.end(), [](char byte) { return (byte & 0xC0) != 0x80; });
}

/// `{'label': value, ...}[datum.value] || value`, an expression of Vega for an entry of the legend. For the layout of
/// the legend, Vega evaluates it without an entry, and needs a number then.
Json by_label(const std::vector<Entry>& entries, auto&& value) {
    Json cases = Json::object();
    for (const Entry& entry : entries) cases.add(entry.label, value(entry.look));
    return Json::object({{"expr", cases.text() + "[datum.value] || " + Json(value(entries.front().look)).text()}});
}

}  // namespace

std::string_view hex(Color color) {
    static constexpr std::array<std::string_view, 7> values{"#165CC8", "#B03A2A", "#05A06C", "#AF8800",
                                                            "#AD4394", "#6B6357", "#1F1C18"};
    return values[static_cast<std::size_t>(color)];
}

Json dashes(Dash dash) {
    switch (dash) {
        case dashed:
            return Json::array({6, 3});
        case dotted:
            return Json::array({2, 2});
        case dash_dot:
            return Json::array({8, 3, 2, 3});
        case long_dashed:
            return Json::array({12, 4});
        case sparse:
            return Json::array({2, 5});
        default:
            return Json::array({1, 0});
    }
}

std::string_view vega_name(Shape shape) {
    static constexpr std::array<std::string_view, 6> names{"circle",  "square", "triangle-up",
                                                           "diamond", "cross",  "stroke"};
    return names[static_cast<std::size_t>(shape)];
}

std::vector<Entry> complete_styles(std::vector<Panel>& panels) {
    // An author's choice for one layer applies to its label; the others are assigned in order of appearance. Dashes are
    // assigned to lines and shapes to dots, so that the first line is solid.
    std::map<std::string, Style> labels;
    for (const Panel& panel : panels)
        for (const Layer& layer : panel.layers)
            if (Style& style = labels[layer.label]; !layer.label.empty() && !style.color)
                style.color = layer.style.color;

    std::vector<Entry> entries;
    int colors = 0, dash_count = 0, shapes = 0;
    for (Panel& panel : panels)
        for (Layer& layer : panel.layers) {
            if (layer.kind == Kind::heatmap || layer.kind == Kind::frame || layer.kind == Kind::field) continue;
            Style nameless, &style = layer.style, &known = layer.label.empty() ? nameless : labels[layer.label];
            if (layer.kind == Kind::rule_x || layer.kind == Kind::rule_y) nameless = {.color = grey, .dash = dashed};
            if (!known.color) known.color = style.color ? *style.color : static_cast<Color>(colors++ % 6);
            if (layer.kind == Kind::line && !known.dash) known.dash = static_cast<Dash>(dash_count++ % 6);
            const bool points =
                layer.kind == Kind::line && style.points.value_or(layer.data.front().numbers.size() <= 30);
            if ((points || layer.kind == Kind::dots) && !known.shape) known.shape = static_cast<Shape>(shapes++ % 5);
            if (!style.color) style.color = known.color;
            if (!style.dash) style.dash = known.dash.value_or(solid);
            if (!style.shape) style.shape = known.shape.value_or(Shape::circle);
            if (!style.width) style.width = default_width(layer.kind);
            if (!style.opacity) style.opacity = default_opacity(layer.kind);
            if (layer.kind == Kind::lines) style.dash = layer.style.dash.value_or(solid);
            style.points = points;
            const bool listed =
                std::any_of(entries.begin(), entries.end(), [&](const Entry& e) { return e.label == layer.label; });
            check(letters(layer.label) <= longest_label, "legend: wanted labels of at most {} letters, got '{}'",
                  longest_label, layer.label);
            if (!layer.label.empty() && !listed) entries.push_back({layer.label, {layer.kind, layer.label, style, {}}});
        }
    return entries;
}

Json legend_channel(const std::vector<Entry>& entries) {
    Json labels = Json::array(), colors = Json::array();
    for (const Entry& entry : entries) {
        labels.append(entry.label);
        colors.append(hex(*entry.look.style.color));
    }
    // A line needs space to show its dashes, but the legend's layout has a single symbol size: the path extends beyond
    // it, and the labels are moved by that much.
    const auto symbol = [](const Layer& look) -> std::string_view {
        return is_line(look) ? "M-2.2,0L2.2,0" : look.kind == Kind::dots ? vega_name(*look.style.shape) : "square";
    };
    const bool lines = std::any_of(entries.begin(), entries.end(), [](const Entry& e) { return is_line(e.look); });
    Json legend = Json::object(
        {{"orient", "top"},
         {"title", Json::null()},
         {"labelLimit", 7 * int(longest_label)},
         {"symbolType", by_label(entries, symbol)},
         {"symbolSize", 80},
         {"symbolOffset", lines ? 6 : 0},
         {"labelOffset", lines ? 12 : 4},
         {"symbolDash", by_label(entries, [](const Layer& l) { return dashes(*l.style.dash); })},
         {"symbolStrokeWidth", by_label(entries, [](const Layer& l) { return is_line(l) ? *l.style.width : 0.01; })},
         {"symbolOpacity", by_label(entries, [](const Layer& l) { return l.kind == Kind::band ? 0.35 : 1.0; })}});
    return Json::object(
        {{"type", "nominal"}, {"scale", Json::object({{"domain", labels}, {"range", colors}})}, {"legend", legend}});
}

std::size_t legend_columns(const std::vector<Entry>& entries) {
    const auto width = [&](std::size_t columns) {  // each column is as wide as its longest label
        double sum = 0;
        for (std::size_t c = 0; c < columns; ++c) {
            std::size_t letters = 0;
            for (std::size_t i = c; i < entries.size(); i += columns)
                letters = std::max(letters, entries[i].label.size());
            sum += 7 * static_cast<double>(letters) + 55;  // a letter is 7 pixels; a symbol with its gaps 55
        }
        return sum;
    };
    std::size_t columns = entries.size();
    while (columns > 1 && width(columns) > 690) --columns;
    const std::size_t rows = (entries.size() + columns - 1) / std::max<std::size_t>(columns, 1);
    return rows > 1 ? (entries.size() + rows - 1) / rows : columns;  // rows of similar length
}

}  // namespace RECTO::figure
