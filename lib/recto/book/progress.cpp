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

/// How long the rest will take if it goes on like this, or nothing within the first seconds.
std::string time_left(Index done, Index total) {
    static Index first = 0, last = 0;
    static double begun = now();
    if (done < last || done <= 1) first = done, begun = now();  // another piece of work
    last = done;
    if (seconds_since(begun) < 2 || done == first) return "";
    const double left = seconds_since(begun) / double(done - first) * double(total - done);
    return left < 100 ? fmt::format(", {:.0f} s left", left) : fmt::format(", {:.0f} min left", left / 60);
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
    const std::string left = time_left(done, total);
    if (seconds_since(drawn) < 0.1) return;
    drawn = now();
    constexpr int cells = 30;
    const double part = std::clamp(static_cast<double>(done) / static_cast<double>(total), 0.0, 1.0);
    const auto full = static_cast<std::size_t>(part * cells);
    fmt::print(stderr, "\r\033[K{}{} {:3.0f} % {}{}", std::string(full, '#'), std::string(cells - full, '.'),
               100 * part, text.substr(0, 40), left);
    std::fflush(stderr);
    shown = true;
}

}  // namespace RECTO::book
