#include <recto/book/shows.hpp>

#include <cmath>

#include <recto/book/trace.hpp>

namespace RECTO::book {

void shows(std::string_view part, std::string_view name, Place where) {
    check(records().find(fmt::format("\"name\":\"{}\"", name)) != std::string::npos,
          "shows {}: wanted a figure or table of this page, got '{}'", part, name);
    keep(record("shows", where).add("part", part).add("name", name));
}

void report(std::string_view part, std::string_view sentence, Measured measured, Place where) {
    const std::string text = fmt::format("{}: {}", sentence, brief(measured));
    keep(record("say", where)
             .add("text", text)
             .add("part", part)
             .add("measured", measured.value)
             .add("seeds", measured.seeds)
             .add("low", measured.low)
             .add("high", measured.high));
    print(text);
    if (!std::isfinite(measured.value)) broken(where, fmt::format("broken report: {}", text));
}

}  // namespace RECTO::book
