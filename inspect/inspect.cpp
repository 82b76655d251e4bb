// recto_inspect FILE...: lists the contents of files of numbers, untrusted files included.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <vector>

#include <fmt/core.h>

#include <recto/base/check.hpp>
#include <recto/book/progress.hpp>
#include <recto/io/plain_text.hpp>

#include "listing.hpp"

using namespace recto;

namespace {

constexpr const char* help =
    "usage: recto_inspect FILE...\n"
    "Says what is inside IDX files (plain or gzip), safetensors files and GGUF files: names, types, shapes, where the\n"
    "bytes lie, minimum, mean, maximum and NaNs. A file that is damaged or something else is one line on standard "
    "error.\n"
    "Exit status: 0 all files are good, 1 one is not, 2 wrong usage.\n";

int mistake(const std::string& text) {
    fmt::print(stderr, "recto_inspect: {} (--help says more)\n", text);
    return 2;
}

}  // namespace

int main(int count, char** words) {
    std::vector<std::string> paths;
    bool options = true;
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        if (options && word == "--") {
            options = false;
        } else if (options && (word == "--help" || word == "-h")) {
            std::fputs(help, stdout);
            return 0;
        } else if (options && word.size() > 1 && word[0] == '-') {
            return mistake(fmt::format("there is no option {}", io::escaped(word)));
        } else {
            paths.push_back(word);
        }
    }
    if (paths.empty()) return mistake("wanted at least one FILE, got none");

    bool good = true;
    for (const std::string& path : paths) {
        try {
            const std::string text = inspect::listing_of(path);  // complete before anything is printed
            book::hide_progress();
            if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
                fmt::print(stderr, "recto_inspect: cannot write the listing: {}\n", std::strerror(errno));
                return 1;
            }
        } catch (const Error& error) {
            book::hide_progress();
            fmt::print(stderr, "{}\n", error.what());
            good = false;
        } catch (const std::exception& error) {
            book::hide_progress();
            fmt::print(stderr, "{}: byte 0: {}\n", io::escaped(path), error.what());
            good = false;
        }
    }
    return good ? 0 : 1;
}
