#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include <fmt/core.h>

#include <recto/figure/spec.hpp>

namespace RECTO::figure {

using book::Json;

namespace {

/// Calls `see(number)` for everything that must fit on an axis.
void each_number(const Panel& panel, bool is_x, auto&& see) {
    for (const Layer& layer : panel.layers)
        for (const Column& c : layer.data) {
            const bool mine = is_x ? c.name == "x" || c.name == "from" || c.name == "to"
                                   : c.name == "y" || c.name == "low" || c.name == "high";
            if (mine)
                for (const double v : c.numbers) see(v);
        }
}

/// Whether an axis counts: all its numbers are integers, with so small a range that ticks at fractions would look odd.
bool counts(const Panel& panel, bool is_x) {
    double low = INFINITY, high = -INFINITY;
    bool whole = true;
    each_number(panel, is_x, [&](double v) {
        whole = whole && v == std::trunc(v);
        low = std::min(low, v), high = std::max(high, v);
    });
    return whole && low < high && high - low <= 20;
}

bool any(const Panel& panel, std::initializer_list<Kind> kinds) {
    return std::any_of(panel.layers.begin(), panel.layers.end(),
                       [&](const Layer& l) { return std::find(kinds.begin(), kinds.end(), l.kind) != kinds.end(); });
}

/// Whether a panel with lines also has marks; without marks, its x axis ends with its data.
bool marked_line(const Panel& panel) {
    return any(panel, {Kind::line, Kind::lines}) &&
           std::any_of(panel.layers.begin(), panel.layers.end(), [](const Layer& l) {
               return l.kind == Kind::dots || (l.kind == Kind::line && *l.style.points);
           });
}

/// The position of a number on an axis: 0 at its lower end, 1 at its upper end.
double share(const Axis& axis, double value) {
    const auto place = [&](double v) { return axis.log ? std::log(v) : v; };
    return (place(value) - place(axis.low)) / (place(axis.high) - place(axis.low));
}

/// The ends of an axis: the given limits, or those of the data. Computed here instead of by Vega, so that an axis does
/// not move with a slider.
Axis with_ends(const Panel& panel, bool is_x) {
    Axis axis = is_x ? panel.x : panel.y;
    if (axis.low < axis.high) return axis;
    double low = INFINITY, high = -INFINITY;
    each_number(panel, is_x, [&](double v) {
        if (std::isfinite(v) && (v > 0 || !axis.log)) low = std::min(low, v), high = std::max(high, v);
    });
    if (!is_x && any(panel, {Kind::bars, Kind::columns}))
        low = std::min(low, axis.log ? low : 0.0), high = std::max(high, 0.0);
    if (!(low <= high)) low = axis.log ? 0.1 : 0, high = 1;  // nothing to show
    if (is_x && low < high && marked_line(panel)) {          // a mark at the end of a line must not be clipped
        const double room = axis.log ? std::pow(high / low, 0.015) : 0.015 * (high - low);
        low = axis.log ? low / room : low - room, high = axis.log ? high * room : high + room;
    }
    if (low == high) {
        const double room = low == 0 ? 1 : std::abs(low) / 2;
        low -= room, high += room;
    }
    if (axis.log && !is_x && high / low > 30) {
        low = std::pow(10, std::floor(std::log10(low) + 1e-9));
        high = std::pow(10, std::ceil(std::log10(high) - 1e-9));
    } else if (axis.log && !is_x) {
        const double room = std::pow(high / low, 0.05);
        low /= room, high *= room;
    }
    axis.low = low, axis.high = high;
    const bool high_words = !is_x && std::ranges::any_of(panel.layers, [&](const Layer& l) {
        return l.kind == Kind::rule_y && !l.data[1].words[0].empty() && share(axis, l.data[0].numbers[0]) > fits_above;
    });
    if (high_words) axis.high = axis.log ? high * std::pow(high / low, 0.1) : high + 0.1 * (high - low);
    return axis;
}

std::string superscript(int number) {
    static constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string text;
    for (const char c : std::to_string(number)) text += c == '-' ? "⁻" : digits[c - '0'];
    return text;
}

/// Three to six evenly spaced round numbers.
std::vector<double> even_ticks(double low, double high) {
    double step = std::pow(10, std::floor(std::log10(high - low)));
    for (const double smaller : {2.0, 2.5, 2.0, 2.0, 2.5, 2.0}) {
        if (std::floor(high / step) - std::ceil(low / step) >= 2) break;
        step /= smaller;  // 1, 0.5, 0.2, 0.1, 0.05, ...
    }
    std::vector<double> ticks;
    for (double k = std::ceil(low / step - 1e-9); k * step <= high * (1 + 1e-9); ++k)
        ticks.push_back(std::strtod(fmt::format("{:.6g}", k * step).c_str(), nullptr));
    return ticks;
}

/// Ticks at powers of ten, at 1, 2, 5 if there are few, or otherwise evenly spaced; in decimal notation.
Json log_ticks(double low, double high) {
    const int first = static_cast<int>(std::ceil(std::log10(low) - 1e-9)),
              last = static_cast<int>(std::floor(std::log10(high) + 1e-9));
    Json values = Json::array(), words = Json::object();
    if (last - first < 1) {
        std::vector<double> ticks;
        for (int e = first - 1; e <= last + 1; ++e)
            for (const int digit : {1, 2, 5}) {
                const double v = std::strtod(fmt::format("{}e{}", digit, e).c_str(), nullptr);
                if (v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9)) ticks.push_back(v);
            }
        if (ticks.size() < 3) ticks = even_ticks(low, high);
        for (const double v : ticks) values.append(v);
        return Json::object({{"values", values}, {"format", low >= 1e-3 && high <= 1e6 ? ",~g" : ".0e"}});
    }
    const int step = (last - first) / 9 + 1;
    for (int e = first; e <= last; ++e) {
        if (e % step != 0) continue;
        values.append(std::strtod(fmt::format("1e{}", e).c_str(), nullptr));
        words.add(std::to_string(e), e == 0 ? "1" : e == 1 ? "10" : "10" + superscript(e));
    }
    if (first >= -3 && last <= 5) return Json::object({{"values", values}, {"format", ",~g"}});
    return Json::object({{"values", values}, {"labelExpr", words.text() + "[round(log(datum.value) / LN10)]"}});
}

Json named(const Panel& panel, const std::string& title, bool is_x, std::string_view field) {
    std::set<std::string> names;
    Json domain = Json::array();  // in the order of appearance; a cell without a number keeps its place
    for (const Layer& layer : panel.layers)
        for (const Column& c : layer.data)
            if (c.name == field)
                for (const std::string& word : c.words)
                    if (names.insert(word).second) domain.append(word);
    std::size_t letters = 0, longest = 0;
    for (const std::string& word : names) letters += word.size() + 2, longest = std::max(longest, word.size());
    const bool many = names.size() > 30;  // frames of a sound, say: only some of their names are written
    const bool counted = std::ranges::all_of(names, [](const std::string& word) {
        return !word.empty() && std::ranges::all_of(word, [](char c) { return '0' <= c && c <= '9'; });
    });  // of 1, 2, 3, ... a reader can guess every second one
    const bool crowded = !many && !counted && is_x && names.size() > 1 &&
                         ((longest > 1 && letters > 80) || (longest > 4 && letters > 40));
    Json axis = Json::object({{"labelAngle", crowded ? -35 : 0}, {"grid", false}});
    if (many || counted) axis.add("labelOverlap", "parity");
    return Json::object({{"field", field},
                         {"type", "nominal"},
                         {"sort", Json::null()},
                         {"scale", Json::object({{"domain", domain}})},
                         {"title", title.empty() ? Json::null() : Json(title)},
                         {"axis", panel.bare ? Json::null() : axis}});
}

}  // namespace

double share(const Panel& panel, bool is_x, double value) { return share(with_ends(panel, is_x), value); }

Json channel(const Panel& panel, bool is_x, std::string_view field) {
    const Axis axis = with_ends(panel, is_x);
    if (any(panel, {Kind::heatmap}) || (is_x && any(panel, {Kind::bars}))) return named(panel, axis.title, is_x, field);
    const bool given = is_x ? panel.x.low < panel.x.high : panel.y.low < panel.y.high;
    // Lines and bands may touch the ends of the x axis; dots must not be clipped by them.
    const bool room =
        !given && !axis.log && !(is_x && any(panel, {Kind::line, Kind::lines, Kind::band, Kind::columns}));
    Json scale = Json::object(
        {{"domain", Json::array({drawn(axis.low, given), drawn(axis.high, given)})}, {"nice", room}, {"zero", false}});
    Json made =
        Json::object({{"type", "quantitative"}, {"title", axis.title.empty() ? Json::null() : Json(axis.title)}});
    if (!field.empty()) made.add("field", field);
    if (panel.bare) return made.add("axis", Json::null()).add("scale", scale);
    if (is_x && axis.title == "year")  // 1990, not 1,990
        made.add("axis", Json::object({{"format", "d"}, {"tickMinStep", 1}}));
    else if (is_x && !axis.log && counts(panel, is_x))
        made.add("axis", Json::object({{"tickMinStep", 1}}));
    if (axis.log) {
        scale = Json::object({{"type", "log"}, {"domain", Json::array({axis.low, axis.high})}, {"nice", false}});
        made.add("axis", log_ticks(axis.low, axis.high));
    }
    return made.add("scale", scale);
}

}  // namespace RECTO::figure
