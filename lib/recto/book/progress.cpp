#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <fmt/core.h>

#include <recto/book/progress.hpp>
#include <recto/book/stopwatch.hpp>

namespace RECTO::book {
namespace {

bool on_a_terminal() {
    const char* kind = std::getenv("TERM");
    return ::isatty(STDERR_FILENO) && kind && std::string_view(kind) != "dumb";
}

bool shown = false;

/// The rate, and the remaining time at this rate; empty in the first seconds.
std::string pace(Index done, Index total) {
    static Index first = 0, last = 0;
    static double begun = now();
    if (done < last || done <= 1) first = done, begun = now();  // a new piece of work
    last = done;
    if (seconds_since(begun) < 2 || done == first) return "";
    const double rate = double(done - first) / seconds_since(begun), left = double(total - done) / rate;
    const std::string fast = rate < 10 ? fmt::format("{:.2g}", rate) : fmt::format("{:.0f}", rate);
    return fmt::format(", {} a second, {:.0f} {} left", fast, left < 100 ? left : left / 60, left < 100 ? "s" : "min");
}

}  // namespace

void hide_progress() {
    if (!shown) return;
    std::fputs("\r\033[K", stderr);
    shown = false;
}

void progress(Index done, Index total, std::string_view text) {
    static const bool wanted = on_a_terminal();
    static double drawn = 0;
    if (!wanted) return;
    if (total <= 0 || done >= total) return hide_progress();
    const std::string rest = pace(done, total);
    if (seconds_since(drawn) < 0.1) return;
    drawn = now();
    constexpr int cells = 30;
    const double part = std::clamp(static_cast<double>(done) / static_cast<double>(total), 0.0, 1.0);
    const auto full = static_cast<std::size_t>(part * cells);
    fmt::print(stderr, "\r\033[K{}{} {:3.0f} % {}{}", std::string(full, '#'), std::string(cells - full, '.'),
               100 * part, text.substr(0, 40), rest);
    std::fflush(stderr);
    shown = true;
}

}  // namespace RECTO::book
