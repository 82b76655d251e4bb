#include <fmt/format.h>

#include <recto/book/say.hpp>
#include <recto/book/trace.hpp>

namespace RECTO::book {

void say_formatted(fmt::string_view text, fmt::format_args values, bool timing, Place where) {
    const std::string line = fmt::vformat(text, values);
    keep(record(timing ? "timing" : "say", where).add("text", line));
    print(line);
}

}  // namespace RECTO::book
