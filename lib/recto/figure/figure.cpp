#include <cmath>

#include <recto/book/trace.hpp>
#include <recto/figure/png.hpp>
#include <recto/figure/ramp.hpp>
#include <recto/figure/spec.hpp>

namespace RECTO::figure {
namespace {

void same_length(const char* what, const std::string& label, const Values& a, const Values& b) {
    check(a.numbers.size() == b.numbers.size(), "{} '{}': wanted as many y as x, got {} and {}", what, label,
          b.numbers.size(), a.numbers.size());
    check(!a.numbers.empty(), "{} '{}': wanted something to draw, got nothing", what, label);
}

}  // namespace

Figure::Figure(std::string name) : state_(std::make_unique<State>()) { state_->name = std::move(name); }
Figure::~Figure() = default;

Figure& Figure::describe(std::string alt) {
    state_->alt = std::move(alt);
    return *this;
}

Figure& Figure::line(std::string label, Values x, Values y, Style style) {
    same_length("line", label, x, y);
    state_->add({Kind::line, std::move(label), style, {{"x", std::move(x.numbers)}, {"y", std::move(y.numbers)}}});
    return *this;
}

Figure& Figure::lines(std::string label, Values x, const std::vector<std::vector<double>>& ys, Style style) {
    std::vector<double> flat;
    for (const auto& y : ys) {
        same_length("lines", label, x, y);
        flat.insert(flat.end(), y.begin(), y.end());
    }
    return lines(std::move(label), std::move(x), std::move(flat), style);
}

Figure& Figure::lines(std::string label, Values x, Values ys, Style style) {
    const std::size_t n = x.numbers.size(), total = ys.numbers.size();
    check(n > 0 && total > 0 && total % n == 0, "lines '{}': wanted whole lines of {} points, got {} numbers", label, n,
          total);
    Column line{"line", {}}, across{"x", {}};
    for (std::size_t i = 0; i < total; ++i) {
        line.numbers.push_back(static_cast<double>(i / n + 1));
        across.numbers.push_back(x.numbers[i % n]);
    }
    state_->add(
        {Kind::lines, std::move(label), style, {std::move(line), std::move(across), {"y", std::move(ys.numbers)}}});
    return *this;
}

Figure& Figure::dots(std::string label, Values x, Values y, Style style) {
    same_length("dots", label, x, y);
    state_->add({Kind::dots, std::move(label), style, {{"x", std::move(x.numbers)}, {"y", std::move(y.numbers)}}});
    return *this;
}

Figure& Figure::words(std::string label, Values x, Values y, Names words, Style style) {
    same_length("words", label, x, y);
    check(words.size() == x.numbers.size(), "words '{}': wanted as many words as places, got {} and {}", label,
          words.size(), x.numbers.size());
    state_->add({Kind::words,
                 std::move(label),
                 style,
                 {{"x", std::move(x.numbers)}, {"y", std::move(y.numbers)}, {"words", {}, std::move(words)}}});
    return *this;
}

Figure& Figure::band(std::string label, Values x, Values low, Values high, Style style) {
    same_length("band", label, x, low);
    same_length("band", label, x, high);
    state_->add({Kind::band,
                 std::move(label),
                 style,
                 {{"x", std::move(x.numbers)}, {"low", std::move(low.numbers)}, {"high", std::move(high.numbers)}}});
    return *this;
}

Figure& Figure::bars(std::string label, Names names, Values heights, Style style) {
    check(names.size() == heights.numbers.size() && !names.empty(),
          "bars '{}': wanted one bar for each of {} names, got {}", label, names.size(), heights.numbers.size());
    Names labels(names.size(), label);
    state_->add({Kind::bars,
                 std::move(label),
                 style,
                 {{"x", {}, std::move(names)}, {"y", std::move(heights.numbers)}, {"label", {}, std::move(labels)}}});
    return *this;
}

Figure& Figure::bars(std::string label, Values x, Values heights, Style style) {
    same_length("bars", label, x, heights);
    double gap = INFINITY;  // bars touch where they are closest
    for (std::size_t i = 1; i < x.numbers.size(); ++i) gap = std::fmin(gap, std::abs(x.numbers[i] - x.numbers[i - 1]));
    if (!(gap > 0 && std::isfinite(gap))) gap = 1;
    Column from{"from", {}}, to{"to", {}};
    for (const double at : x.numbers) {
        from.numbers.push_back(at - gap / 2);
        to.numbers.push_back(at + gap / 2);
    }
    state_->add({Kind::columns,
                 std::move(label),
                 style,
                 {{"x", std::move(x.numbers)}, {"y", std::move(heights.numbers)}, std::move(from), std::move(to)}});
    return *this;
}

Figure& Figure::rule_x(double x, std::string words, Style style) {
    state_->add({Kind::rule_x, "", style, {{"x", {x}}, {"words", {}, {std::move(words)}}}});
    return *this;
}

Figure& Figure::rule_y(double y, std::string words, Style style) {
    state_->add({Kind::rule_y, "", style, {{"y", {y}}, {"words", {}, {std::move(words)}}}});
    return *this;
}

Figure& Figure::heatmap(std::string label, Names columns, Names rows, Values numbers, double low, double high) {
    const std::size_t cells = columns.size() * rows.size();
    check(cells > 0 && cells == numbers.numbers.size() && cells <= 10'000,
          "heatmap '{}': wanted {} x {} numbers, at most 10000, got {}", label, rows.size(), columns.size(),
          numbers.numbers.size());
    Column across{"column", {}, {}}, down{"row", {}, {}};
    for (std::size_t i = 0; i < cells; ++i) {
        across.words.push_back(columns[i % columns.size()]);
        down.words.push_back(rows[i / columns.size()]);
    }
    state_->add({Kind::heatmap,
                 std::move(label),
                 {},
                 {std::move(down), std::move(across), {"value", std::move(numbers.numbers)}},
                 low,
                 high});
    return *this;
}

Figure& Figure::frame(Names columns, Names rows) {
    check(columns.size() == rows.size() && !rows.empty(), "frame: wanted as many rows as columns, got {} and {}",
          rows.size(), columns.size());
    state_->add({Kind::frame, "", {}, {{"row", {}, std::move(rows)}, {"column", {}, std::move(columns)}}});
    return *this;
}

Figure& Figure::numbers() { return state_->panels.back().numbers = true, *this; }

Figure& Figure::field(double x_low, double x_high, double y_low, double y_high, int columns, Values numbers,
                      std::string label) {
    const std::size_t n = numbers.numbers.size();
    check(columns > 0 && n > 0 && n % static_cast<std::size_t>(columns) == 0,
          "field: wanted whole rows of {} numbers, got {}", columns, n);
    check(!state_->setting, "field: wanted a layer for all settings of the slider, got one for a single setting");
    const int count = static_cast<int>(n / static_cast<std::size_t>(columns));
    const auto pixels = ramp(numbers.numbers);
    const auto [low, high] = range(numbers.numbers);
    xlim(x_low, x_high).ylim(y_low, y_high);
    state_->add({.kind = Kind::field,
                 .label = std::move(label),
                 .style = {},
                 .data = {},
                 .low = low,
                 .high = high,
                 .picture = data_uri(png(columns, count, 3, pixels))});
    return *this;
}

Figure& Figure::x(std::string title) { return state_->panels.back().x.title = std::move(title), *this; }
Figure& Figure::y(std::string title) { return state_->panels.back().y.title = std::move(title), *this; }
Figure& Figure::log_x() { return state_->panels.back().x.log = true, *this; }
Figure& Figure::log_y() { return state_->panels.back().y.log = true, *this; }
Figure& Figure::log_axes() { return log_x().log_y(); }
Figure& Figure::height(int pixels) { return state_->height = pixels, *this; }
Figure& Figure::tall(int pixels) { return state_->panels.back().height = pixels, *this; }
Figure& Figure::always() { return state_->setting.reset(), *this; }

Figure& Figure::xlim(double low, double high) {
    check(low < high, "xlim: wanted low < high, got {} and {}", low, high);
    Axis& axis = state_->panels.back().x;
    return axis.low = low, axis.high = high, *this;
}

Figure& Figure::ylim(double low, double high) {
    check(low < high, "ylim: wanted low < high, got {} and {}", low, high);
    Axis& axis = state_->panels.back().y;
    return axis.low = low, axis.high = high, *this;
}

Figure& Figure::panel(std::string title) {
    auto& panels = state_->panels;
    if (!panels.back().layers.empty()) panels.emplace_back();
    panels.back().title = std::move(title);
    return *this;
}

Figure& Figure::bare() { return state_->panels.back().bare = true, *this; }

Figure& Figure::columns(int count) {
    check(count >= 1, "columns: wanted at least one, got {}", count);
    return state_->columns = count, *this;
}

Figure& Figure::slider(std::string name, Values values, std::string label, double first) {
    const bool word =
        !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") == name.npos;
    check(word, "slider: wanted a name of letters, got '{}'", name);
    for (const char* taken :
         {"x", "y", "low", "high", "from", "to", "row", "column", "value", "words", "label", "line"})
        check(name != taken, "slider {}: wanted another name, for the data have a column {}", name, taken);
    check(!state_->slider && state_->knobs.empty(), "slider {}: there is one already", name);
    state_->slider = Slider{std::move(name), std::move(label), std::move(values.numbers), first};
    return at(first).always();
}

Figure& Figure::slider(const book::Option<double>& option, Values values, std::string label) {
    slider(option.name(), std::move(values), std::move(label), option());
    state_->slider->option = "--" + option.name();
    return *this;
}

Figure& Figure::slider(const book::Option<Index>& option, std::string label) {
    const auto& [quick, least, most, among] = option.limits();
    check(least && most && among.empty(), "slider --{}: wanted an option between two limits, got {}", option.name(),
          option.wanted());
    check(!state_->slider, "slider --{}: there is a slider with stops already", option.name());
    state_->knobs.push_back({option.name(), std::move(label), *least, *most, option()});
    return *this;
}

std::vector<double> settings(const book::Option<double>& option, Values all) {
    if (option.text() == option.standard_text()) return all.numbers;
    return {option()};
}

Figure& Figure::painted_by(const book::Option<std::string>& option) {
    check(!state_->canvas, "painted_by: there is a canvas already, painted by --{}", state_->canvas->option);
    return state_->canvas = Canvas{option.name(), state_->panels.size() - 1}, *this;
}

Figure& Figure::dragged(double at_x, double at_y, const book::Option<double>& x, const book::Option<double>& y) {
    check(!state_->handle, "dragged: there is such a dot already, of --{} and --{}", state_->handle->x_option,
          state_->handle->y_option);
    state_->handle = Handle{x.name(), y.name(), at_x, at_y, state_->panels.size() - 1};
    return dots("", {at_x}, {at_y}, {.color = red, .shape = Shape::circle});
}

Figure& Figure::at(double setting) {
    check(state_->slider.has_value(), "at: wanted a figure with a slider, got one without");
    const Slider& slider = *state_->slider;
    for (const double value : slider.values)
        if (value == setting) return state_->setting = setting, *this;
    const std::size_t count = slider.values.size();
    refuse("slider {}: wanted one of its {} settings, got {}", fmt::make_format_args(slider.name, count, setting));
}

void Figure::save(const std::string& caption, book::Place where) const {
    check(!caption.empty(), "figure {}: wanted a caption, got none", state_->name);
    book::keep_figure(state_->name, state_->name + ".vl.json", spec(caption) + "\n", where);
}

}  // namespace RECTO::figure
