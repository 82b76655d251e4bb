#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include <recto/base/check.hpp>
#include <recto/figure/spec.hpp>

namespace RECTO::figure {

using book::Json;

namespace {

std::size_t length(const Column& column) { return column.words.empty() ? column.numbers.size() : column.words.size(); }

bool has(const Layer& layer, const std::string& column) {
    return std::any_of(layer.data.begin(), layer.data.end(), [&](const Column& c) { return c.name == column; });
}

void append(Column& to, const Column& from) {
    to.numbers.insert(to.numbers.end(), from.numbers.begin(), from.numbers.end());
    to.words.insert(to.words.end(), from.words.begin(), from.words.end());
}

Json slider_param(const Slider& s) {
    const auto [low, high] = std::minmax_element(s.values.begin(), s.values.end());
    const double step = s.values.size() > 1 ? s.values[1] - s.values[0] : 1;
    // A range computes its stops as min + n step, which equals the settings exactly only for evenly spaced integers.
    // All other settings form a list, from which the page's script makes a slider.
    bool whole = step > 0;
    for (std::size_t i = 0; i < s.values.size(); ++i)
        whole = whole && s.values[i] == std::trunc(s.values[i]) &&
                s.values[i] == s.values[0] + step * static_cast<double>(i);
    Json bind = Json::object({{"name", s.label + " "}});
    if (whole) {
        bind.add("input", "range").add("min", *low).add("max", *high).add("step", step);
    } else {
        Json options = Json::array(), labels = Json::array();
        for (const double value : s.values) options.append(value), labels.append(fmt::format("{:.6g}", value));
        bind.add("input", "select").add("options", options).add("labels", labels);
    }
    return Json::array({Json::object({{"name", s.name}, {"value", s.first}, {"bind", bind}})});
}

// The data with which the page's script lets a reader paint: the option, the panel, and the limits of its numbers.
Json canvas(const Canvas& canvas, const std::vector<Panel>& panels) {
    const Panel& panel = panels[canvas.panel];
    const bool one = panels.size() > 1 && panel.layers.size() == 1 && panel.layers[0].kind == Kind::heatmap &&
                     panel.layers[0].low < panel.layers[0].high;
    check(one, "painted_by --{}: wanted one of several panels, with a heat map whose ends are given", canvas.option);
    return Json::object({{"option", "--" + canvas.option},
                         {"panel", canvas.panel},
                         {"low", panel.layers[0].low},
                         {"high", panel.layers[0].high}});
}

// What the page's script needs in order to let a reader drag a dot: the options, the panel and its limits.
Json handle(const Handle& dot, const std::vector<Panel>& panels) {
    const Axis &x = panels[dot.panel].x, &y = panels[dot.panel].y;
    check(x.low < x.high && y.low < y.high && !x.log && !y.log,
          "dragged --{}, --{}: wanted a panel with limits and no logarithmic axis", dot.x_option, dot.y_option);
    return Json::object({{"options", Json::array({"--" + dot.x_option, "--" + dot.y_option})},
                         {"at", Json::array({dot.x, dot.y})},
                         {"low", Json::array({x.low, y.low})},
                         {"high", Json::array({x.high, y.high})},
                         {"panel", panels.size() > 1 ? fmt::format("concat_{}_group", dot.panel) : "root"}});
}

// The data from which the page's script makes the sliders.
Json knobs(const std::vector<Knob>& all) {
    Json list = Json::array();
    for (const Knob& knob : all)
        list.append(Json::object({{"option", "--" + knob.option},
                                  {"label", knob.label},
                                  {"least", knob.least},
                                  {"most", knob.most},
                                  {"value", knob.value}}));
    return list;
}

Json title(const std::string& text) {
    return Json::object({{"text", text},
                         {"anchor", "start"},
                         {"frame", "group"},
                         {"fontSize", 14},
                         {"fontWeight", "normal"},
                         {"color", hex(ink)}});
}

bool has_heatmap(const Panel& panel) {
    return std::any_of(panel.layers.begin(), panel.layers.end(),
                       [](const Layer& l) { return l.kind == Kind::heatmap; });
}

bool has_field(const Panel& panel) {
    return std::any_of(panel.layers.begin(), panel.layers.end(), [](const Layer& l) { return l.kind == Kind::field; });
}

/// The height of one of several panels: its own, if set. Cells of a heat map without axes are square, like those of an
/// image, unless the panel would be higher than wide.
int height_of(const Panel& panel, int width, int otherwise) {
    if (panel.height > 0 || !panel.bare || !has_heatmap(panel)) return panel.height > 0 ? panel.height : otherwise;
    const auto& data = panel.layers[0].data;
    return std::min(width, width * static_cast<int>(distinct(data[0])) / static_cast<int>(distinct(data[1])));
}

bool has_bars(const Panel& panel) {
    return std::any_of(panel.layers.begin(), panel.layers.end(), [](const Layer& l) { return l.kind == Kind::bars; });
}

}  // namespace

void Figure::State::add(Layer layer) {
    auto& present = panels.back().layers;
    if (setting && !layer.data.empty()) {
        layer.data.push_back(
            {.name = slider->name, .numbers = std::vector<double>(length(layer.data[0]), *setting), .exact = true});
        for (Layer& other : present) {
            if (other.kind != layer.kind || other.label != layer.label || other.style != layer.style ||
                !has(other, slider->name))
                continue;
            for (std::size_t i = 0; i < other.data.size(); ++i) append(other.data[i], layer.data[i]);
            return;
        }
    }
    present.push_back(std::move(layer));
}

Json drawn(double number, bool exact) {
    if (!std::isfinite(number)) return Json::null();
    if (exact || number == std::trunc(number)) return number;
    return std::strtod(fmt::format("{:.6g}", number).c_str(), nullptr);
}

Json rows(const Layer& layer, const Panel& panel) {
    Json list = Json::array();
    for (std::size_t i = 0; i < length(layer.data.front()); ++i) {
        Json row = Json::object();
        for (const Column& c : layer.data) {
            if (!c.words.empty()) {
                row.add(c.name, c.words[i]);
                continue;
            }
            const bool log = (c.name == "x" && panel.x.log) ||
                             ((c.name == "y" || c.name == "low" || c.name == "high") && panel.y.log);
            row.add(c.name, log && c.numbers[i] <= 0 ? Json::null() : drawn(c.numbers[i], c.exact));
        }
        list.append(row, true);
    }
    return list;
}

std::size_t distinct(const Column& column) {
    return std::set<std::string>(column.words.begin(), column.words.end()).size();
}

std::string Figure::spec(const std::string& caption) const {
    State state = *state_;
    check(!state.alt.empty(), "figure {}: wanted a description for those who cannot see it, call describe()",
          state.name);
    for (const Panel& panel : state.panels) {
        check(!panel.layers.empty(), "figure {}: wanted something to draw, got an empty panel", state.name);
        const bool framed = std::all_of(panel.layers.begin() + 1, panel.layers.end(),
                                        [](const Layer& l) { return l.kind == Kind::frame; });
        check(!has_heatmap(panel) || (panel.layers[0].kind == Kind::heatmap && framed),
              "figure {}: a heat map wants a panel of its own", state.name);
        check(!panel.numbers || state.panels.size() == 1, "figure {}: numbers() wants a figure of one panel",
              state.name);
    }
    const auto entries = complete_styles(state.panels);
    const bool legend = entries.size() > 1, several = state.panels.size() > 1;
    const int across = std::min(state.columns, static_cast<int>(state.panels.size()));
    const int width = several ? (640 - 70 * (across - 1)) / across : 640;
    const int height = state.height > 0 ? state.height : several ? 240 : 300;

    Json meta = Json::object({{"name", state.name}, {"caption", caption}});
    if (state.slider && !state.slider->option.empty()) meta.add("slider", state.slider->option);
    if (!state.knobs.empty()) meta.add("knobs", knobs(state.knobs));
    if (state.canvas) meta.add("canvas", canvas(*state.canvas, state.panels));
    if (state.handle) meta.add("handle", handle(*state.handle, state.panels));
    Json spec = Json::object({{"$schema", "https://vega.github.io/schema/vega-lite/v6.json"},
                              {"description", state.alt},
                              {"usermeta", Json::object({{"recto", meta}})}});
    if (state.slider) spec.add("params", slider_param(*state.slider));
    if (const std::size_t columns = legend_columns(entries); columns < entries.size())
        spec.add("config", Json::object({{"legend", Json::object({{"columns", columns}})}}));
    Json panels = Json::array();
    std::vector<std::string> names;
    for (const Panel& panel : state.panels) {
        Json made = several ? Json::object() : spec;
        if (!panel.title.empty()) made.add("title", title(panel.title));
        made.add("width", width).add("height", several ? height_of(panel, width, height) : height);
        if (legend && !has_heatmap(panel)) made.add("encoding", Json::object({{"color", legend_channel(entries)}}));
        const std::string x_scale = several ? fmt::format("concat_{}_x", &panel - state.panels.data()) : "x";
        made.add("layer", layers(panel, legend, state.slider ? &*state.slider : nullptr, x_scale, names));
        if (!several) return made.text();
        panels.append(made);
    }
    spec.add("columns", across).add("concat", panels);
    Json own = Json::object();  // the properties of each panel; Vega-Lite shares the rest
    if (std::any_of(state.panels.begin(), state.panels.end(), has_heatmap)) own.add("color", "independent");
    if (std::any_of(state.panels.begin(), state.panels.end(), has_field)) own.add("fill", "independent");
    if (std::any_of(state.panels.begin(), state.panels.end(), has_bars)) own.add("xOffset", "independent");
    if (own.text() != "{}") spec.add("resolve", Json::object({{"scale", own}}));
    return spec.text();
}

}  // namespace RECTO::figure
