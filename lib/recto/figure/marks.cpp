#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/core.h>

#include <recto/figure/ramp.hpp>
#include <recto/figure/spec.hpp>

namespace RECTO::figure {

using book::Json;

namespace {

constexpr std::string_view held = "event.ctrlKey || event.metaKey";  // a pinch on a touch pad also reports ctrlKey

/// Zoom and shift with the wheel, only while Ctrl is pressed: without Ctrl, the wheel scrolls the page.
Json zoom(std::size_t number) {
    return Json::object(
        {{"name", fmt::format("zoom_{}", number)},
         {"bind", "scales"},
         {"select",
          Json::object(
              {{"type", "interval"},
               {"zoom", fmt::format("wheel![{}]", held)},
               {"translate", fmt::format("[pointerdown[{0}], window:pointerup] > window:pointermove!", held)}})}});
}

/// A unique name for a data set: the letters of the label, or the kind of data.
std::string data_name(const Layer& layer, std::vector<std::string>& names) {
    std::string name;
    for (const char c : layer.label) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (plain)
            name += c;
        else if (!name.empty() && name.back() != '-')
            name += '-';
    }
    while (!name.empty() && name.back() == '-') name.pop_back();
    if (name.empty()) name = layer.kind == Kind::rule_x || layer.kind == Kind::rule_y ? "rule" : "data";
    const std::string base = name;
    for (int n = 2; std::find(names.begin(), names.end(), name) != names.end(); ++n)
        name = fmt::format("{}-{}", base, n);
    names.push_back(name);
    return name;
}

/// The size of numbers in cells, for the longest of them: 12 pixels, or less in narrow cells. If the cells are too
/// narrow for letters of 10 pixels, there are no numbers.
Json size_in_cells(const std::vector<double>& numbers, std::string_view scale) {
    std::size_t longest = 1;
    for (const double v : numbers)  // a minus sign is as wide as two digits
        if (std::isfinite(v)) longest = std::max(longest, fmt::formatted_size("{:.3g}", v) + (v < 0));
    const double wide = 0.5 * static_cast<double>(longest) + 0.3;  // in units of the letters' height, with a gap
    return Json::object({{"expr", fmt::format("bandwidth('{0}') < {1:.3g} ? 0 : min(12, bandwidth('{0}') / {2:.3g})",
                                              scale, 10 * wide, wide)}});
}

/// Everything that the layers of one panel share.
struct Drawing {
    const Panel& panel;
    bool legend;
    const Slider* slider;
    std::string_view x_scale;

    Json tip(std::string_view field, const std::string& title) const {
        return Json::object(
            {{"field", field}, {"title", title.empty() ? std::string(field) : title}, {"format", ".4~g"}});
    }

    Json tips(const Layer& layer) const {
        Json list = Json::array();
        for (const Column& c : layer.data) {
            if (c.name == "from" || c.name == "to" || (slider && c.name == slider->name)) continue;
            const std::string& title = c.name == "x" ? panel.x.title : c.name == "y" ? panel.y.title : "";
            if (c.words.empty())
                list.append(tip(c.name, title));
            else
                list.append(Json::object({{"field", c.name}, {"title", title.empty() ? c.name : title}}));
        }
        return list;
    }

    Json mark(std::string_view type, const Layer& layer) const {
        const bool cut = panel.x.low < panel.x.high || panel.y.low < panel.y.high;
        Json made = Json::object({{"type", type}});
        if (layer.style.opacity != 1.0 || layer.kind == Kind::dots) made.add("opacity", *layer.style.opacity);
        if (!legend || layer.label.empty()) made.add("color", hex(*layer.style.color));
        if (cut) made.add("clip", true);
        return made;
    }

    Json encoding(const Layer& layer, std::string_view x, std::string_view y) const {
        Json made = Json::object();
        if (!x.empty()) made.add("x", channel(panel, true, x));
        if (!y.empty()) made.add("y", channel(panel, false, y));
        if (legend && !layer.label.empty()) made.add("color", Json::object({{"datum", layer.label}}));
        return made;
    }

    Json line(const Layer& layer) const {
        Json shape = mark("line", layer).add("strokeWidth", *layer.style.width);
        if (layer.style.dash != solid) shape.add("strokeDash", dashes(*layer.style.dash));
        // Without marks, invisible points let the pointer find values; thousands of points would only be slow.
        const std::size_t count = layer.data.front().numbers.size();
        if (*layer.style.points) {
            Json point = Json::object(
                {{"size", 26}, {"opacity", 1}, {"shape", vega_name(*layer.style.shape)}, {"filled", true}});
            if (!legend || layer.label.empty()) point.add("color", hex(*layer.style.color));
            shape.add("point", point);
        } else if (layer.kind == Kind::line && count <= 100)
            shape.add("point", "transparent");
        Json code =
            // In the given order, not sorted by x.
            encoding(layer, "x", "y").add("order", Json::object({{"value", Json::null()}}));
        if (layer.kind == Kind::lines) code.add("detail", Json::object({{"field", "line"}}));
        return Json::object({{"mark", shape}, {"encoding", code.add("tooltip", tips(layer))}});
    }

    Json dots(const Layer& layer) const {
        const double width = *layer.style.width;
        const Json shape = mark("point", layer)
                               .add("filled", true)
                               .add("shape", vega_name(*layer.style.shape))
                               .add("size", drawn(4 * width * width));
        return Json::object({{"mark", shape}, {"encoding", encoding(layer, "x", "y").add("tooltip", tips(layer))}});
    }

    Json words(const Layer& layer) const {
        Json shape = mark("text", layer).add("fontSize", drawn(*layer.style.width)).add("baseline", "middle");
        if (layer.style.bold.value_or(false)) shape.add("fontWeight", "bold");
        Json code = encoding(layer, "x", "y").add("text", Json::object({{"field", "words"}}));
        return Json::object({{"mark", shape}, {"encoding", code.add("tooltip", tips(layer))}});
    }

    Json band(const Layer& layer) const {
        Json code = encoding(layer, "x", "low").add("y2", Json::object({{"field", "high"}}));
        return Json::object({{"mark", mark("area", layer)}, {"encoding", code.add("tooltip", tips(layer))}});
    }

    Json bars(const Layer& layer) const {
        Json code = encoding(layer, "x", "y"), labels = Json::array();
        std::vector<std::string> seen;
        for (const Layer& other : panel.layers)
            if (other.kind == Kind::bars && std::find(seen.begin(), seen.end(), other.label) == seen.end())
                labels.append(seen.emplace_back(other.label));
        if (seen.size() > 1)
            code.add("xOffset",
                     Json::object(
                         {{"datum", layer.label}, {"type", "nominal"}, {"scale", Json::object({{"domain", labels}})}}));
        return Json::object({{"mark", mark("bar", layer)}, {"encoding", code.add("tooltip", tips(layer))}});
    }

    Json columns(const Layer& layer) const {
        Json code = encoding(layer, "from", "y").add("x2", Json::object({{"field", "to"}}));
        // A bar starts at zero, or at the axis if that is logarithmic and has no zero.
        code.add("y2", panel.y.log ? Json::object({{"value", Json::object({{"expr", "height"}})}})
                                   : Json::object({{"datum", 0}}));
        return Json::object({{"mark", mark("rect", layer)}, {"encoding", code.add("tooltip", tips(layer))}});
    }

    /// Whether the text beside a vertical rule is on its left: on its right it would overlap the next rule on a narrow
    /// page, or leave the panel.
    bool words_left(const Layer& rule) const {
        constexpr double letter = 7, gaps = 10, narrow = 270;  // pixels
        const double from = share(panel, true, rule.data[0].numbers[0]),
                     to = from + (letter * static_cast<double>(rule.data[1].words[0].size()) + gaps) / narrow;
        return to > 1 || std::ranges::any_of(panel.layers, [&](const Layer& l) {
                   if (l.kind != Kind::rule_x) return false;
                   const double other = share(panel, true, l.data[0].numbers[0]);
                   return from < other && other < to;
               });
    }

    Json rule(const Layer& layer) const {
        const bool up = layer.kind == Kind::rule_x, left = !up || words_left(layer);
        const bool below = up || share(panel, false, layer.data[0].numbers[0]) > fits_above;
        const int down = up ? 0 : below ? 4 : -4;
        Json stroke =
            mark("rule", layer).add("strokeWidth", *layer.style.width).add("strokeDash", dashes(*layer.style.dash));
        Json words = Json::object({{"type", "text"},
                                   {"color", hex(*layer.style.color)},
                                   {"align", left ? "right" : "left"},
                                   {"fontSize", 13},
                                   {"dx", left ? -5 : 5},
                                   {"dy", down},
                                   {"baseline", below ? "top" : "bottom"}});
        Json code = encoding(layer, up ? "x" : "", up ? "" : "y"), placed = code;
        placed.add(up ? "y" : "x", Json::object({{"value", up ? Json(2) : Json("width")}}))
            .add("text", Json::object({{"field", "words"}}));
        Json both = Json::array({Json::object({{"mark", stroke}, {"encoding", code}})});
        if (!layer.data[1].words[0].empty()) both.append(Json::object({{"mark", words}, {"encoding", placed}}));
        return Json::object({{"layer", both}});
    }

    Json heatmap(const Layer& layer) const {
        double low = layer.low, high = layer.high;
        if (!(low < high)) std::tie(low, high) = range(layer.data[2].numbers);
        const bool signs = low < 0 && low == -high;  // symmetric around zero: zero is pale, and the sign is a hue
        const Json scale = Json::object({{"scheme", signs ? "blueorange" : "viridis"},
                                         {"domain", Json::array({drawn(low), drawn(high)})},
                                         {"clamp", true}});
        const Json legend_of = layer.label.empty() ? Json::null() : Json::object({{"title", layer.label}});
        Json place = Json::object({{"x", channel(panel, true, "column")}, {"y", channel(panel, false, "row")}}),
             code = place;
        code.add("color",
                 Json::object({{"field", "value"}, {"type", "quantitative"}, {"scale", scale}, {"legend", legend_of}}));
        Json both = Json::array({Json::object({{"mark", "rect"}, {"encoding", code.add("tooltip", tips(layer))}})});
        const std::size_t cells = distinct(layer.data[0]) * distinct(layer.data[1]);  // at one setting of the slider
        if (cells <= 150 || panel.numbers) {  // few enough to be legible; dark text on light cells
            const std::string light = signs ? fmt::format("abs(datum.value) < {}", 0.6 * high)
                                            : fmt::format("datum.value > {}", low + 0.6 * (high - low));
            place.add("text", Json::object({{"field", "value"}, {"type", "quantitative"}, {"format", ".3~g"}}));
            place.add("color", Json::object({{"condition", Json::object({{"test", light}, {"value", "#000000"}})},
                                             {"value", "#FFFFFF"}}));
            const Json size = size_in_cells(layer.data[2].numbers, x_scale);
            Json words =
                Json::object({{"mark", Json::object({{"type", "text"}, {"fontSize", size}})}, {"encoding", place}});
            const bool gaps = !std::ranges::all_of(layer.data[2].numbers, [](double v) { return std::isfinite(v); });
            if (gaps)  // otherwise they would read "null"
                words.add("transform", Json::array({Json::object({{"filter", "isValid(datum.value)"}})}));
            both.append(words);
        }
        return Json::object({{"layer", both}});
    }

    Json frame(const Layer&) const {
        const Json shape =
            Json::object({{"type", "rect"}, {"filled", false}, {"color", hex(red)}, {"strokeWidth", 2.5}});
        return Json::object(
            {{"mark", shape},
             {"encoding", Json::object({{"x", channel(panel, true, "column")}, {"y", channel(panel, false, "row")}})}});
    }

    Json field(const Layer& layer) const {
        Json code = Json::object({{"x", channel(panel, true, "").add("datum", panel.x.low)},
                                  {"x2", Json::object({{"datum", panel.x.high}})},
                                  {"y", channel(panel, false, "").add("datum", panel.y.low)},
                                  {"y2", Json::object({{"datum", panel.y.high}})}});
        const double opacity = panel.bare ? 1.0 : 0.6;
        const Json picture = Json::object(
            {{"type", "image"}, {"aspect", false}, {"clip", true}, {"opacity", opacity}, {"url", layer.picture}});
        const Json image = Json::object({{"mark", picture}, {"encoding", code}});
        return layer.label.empty() ? image
                                   : Json::object({{"layer", Json::array({image, colour_bar(layer, opacity)})}});
    }

    static std::string hex_of(const Rgb& colour) {
        return fmt::format("#{:02X}{:02X}{:02X}", colour[0], colour[1], colour[2]);
    }

    // An image has no scale, so a point of size 0 brings the colour bar. It is filled, because `color` may belong to
    // the labels of other layers.
    Json colour_bar(const Layer& layer, double opacity) const {
        Json colours = Json::array();
        for (int i = 0; i <= 16; ++i) colours.append(hex_of(viridis(i / 16.0)));
        const Json scale =
            Json::object({{"domain", Json::array({drawn(layer.low), drawn(layer.high)})}, {"range", colours}});
        const Json fill = Json::object({{"datum", drawn(layer.low)},
                                        {"type", "quantitative"},
                                        {"scale", scale},
                                        {"legend", Json::object({{"title", layer.label}})}});
        return Json::object(
            {{"mark", Json::object({{"type", "point"}, {"size", 0}, {"strokeWidth", 0}, {"opacity", opacity}})},
             {"encoding", Json::object({{"x", channel(panel, true, "").add("datum", panel.x.low)},
                                        {"y", channel(panel, false, "").add("datum", panel.y.low)},
                                        {"fill", fill}})}});
    }

    Json draw(const Layer& layer) const {
        switch (layer.kind) {
            case Kind::line:
            case Kind::lines:
                return line(layer);
            case Kind::dots:
                return dots(layer);
            case Kind::band:
                return band(layer);
            case Kind::bars:
                return bars(layer);
            case Kind::columns:
                return columns(layer);
            case Kind::heatmap:
                return heatmap(layer);
            case Kind::frame:
                return frame(layer);
            case Kind::field:
                return field(layer);
            case Kind::words:
                return words(layer);
            default:
                return rule(layer);
        }
    }
};

bool zoomable(const Layer& layer) {
    return layer.kind == Kind::line || layer.kind == Kind::lines || layer.kind == Kind::dots ||
           layer.kind == Kind::band;
}

}  // namespace

Json layers(const Panel& panel, bool legend, const Slider* slider, std::string_view x_scale,
            std::vector<std::string>& names) {
    const Drawing drawing{panel, legend, slider, x_scale};
    const bool numbers =
        std::none_of(panel.layers.begin(), panel.layers.end(), [](const Layer& l) { return l.kind == Kind::bars; });
    Json list = Json::array();
    bool zooms = false;
    for (const Layer& layer : panel.layers) {
        Json made = drawing.draw(layer);
        if (layer.kind == Kind::field)  // a single row without a name, so that it is not listed as a table
            made.add("data", Json::object({{"sequence", Json::object({{"start", 0}, {"stop", 1}})}}));
        else
            made.add("data", Json::object({{"name", data_name(layer, names)}, {"values", rows(layer, panel)}}));
        if (slider && !layer.data.empty() && layer.data.back().name == slider->name)
            made.add("transform",
                     Json::array({Json::object({{"filter", fmt::format("datum.{0} == {0}", slider->name)}})}));
        if (numbers && !zooms && zoomable(layer)) {
            made.add("params", Json::array({zoom(names.size())}));
            zooms = true;
        }
        list.append(made, true);
    }
    return list;
}

}  // namespace RECTO::figure
