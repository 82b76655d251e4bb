#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include <recto/book/option.hpp>
#include <recto/book/progress.hpp>
#include <recto/book/stopwatch.hpp>
#include <recto/book/trace.hpp>
#include <recto/device/cpu_class.hpp>
#include <recto/device/threads.hpp>
#include <recto/io/atomic_file.hpp>
#include <recto/io/byte_source.hpp>

namespace RECTO::book {
namespace {

/// A program runs one page, so its state is a single object.
struct Run {
    Settings settings;
    double begun = now();
    std::string records, breakage;
    std::vector<std::pair<std::string, std::string>> files;
};

Run& run() {
    static Run one;
    return one;
}

bool plain(std::string_view name) {
    return !name.empty() && name.front() != '.' &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_") == name.npos;
}

Json page_record() {
    const Settings& s = settings();
    Json options = Json::array();
    for (const AnyOption* option : all_options())
        options.append(Json::object({{"name", option->name()},
                                     {"default", option->standard_text()},
                                     {"value", option->text()},
                                     {"help", option->help()}}));
    Json files = Json::array();
    for (const std::string& path : io::files_read()) files.append(path);
    return Json::object({{"kind", "page"},
                         {"program", s.program},
                         {"options", options},
                         {"seed", s.seed},
                         {"device", name(s.device)},
                         {"quick", s.quick},
                         {"standard", s.standard},
                         {"threads", threads()},
                         {"cpu", cpu_class_name()},
                         {"precision", sizeof(Real) == 4 ? "float" : "double"},
                         {"data", files},
                         {"seconds", seconds_since(run().begun)}});
}

}  // namespace

std::uint64_t seed() { return settings().seed; }
Device device() { return settings().device; }
bool quick() { return settings().quick; }
bool standard() { return settings().standard; }

void start(Settings settings) {
    run() = Run{};
    run().settings = std::move(settings);
}

const Settings& settings() { return run().settings; }
const std::string& records() { return run().records; }
const std::string& breakage() { return run().breakage; }

Json record(std::string_view kind, Place where) { return Json::object({{"kind", kind}, {"line", where.line}}); }

void keep(const Json& record) { (run().records += record.text()) += '\n'; }

void keep_file(const std::string& name, std::string bytes) {
    check(plain(name), "file: wanted a name of letters, digits, dots and dashes, got '{}'", name);
    for (const auto& [other, _] : run().files) check(other != name, "file {}: it is already there", name);
    run().files.emplace_back(name, std::move(bytes));
}

void keep_figure(const std::string& name, const std::string& spec, std::string bytes, Place where) {
    keep_file(spec, std::move(bytes));
    keep(record("figure", where).add("name", name).add("spec", spec));
    const std::string& out = settings().out;
    print(out.empty() ? fmt::format("figure {} (--out DIR keeps it)", name)
                      : fmt::format("figure {}: {}/{}", name, out, spec));
    if (name == settings().until) throw Reached();
}

void broken(Place where, std::string_view what) {
    run().breakage += fmt::format("{}:{}: {}\n", where.file, where.line, what);
}

void print(std::string_view line) {
    if (settings().silent) return;
    hide_progress();
    errno = 0;
    const bool ok = std::fwrite(line.data(), 1, line.size(), stdout) == line.size() && std::fputc('\n', stdout) >= 0 &&
                    std::fflush(stdout) == 0;  // at once, so that a reader sees each result immediately
    const char* reason = std::strerror(errno);
    check(ok, "standard output: cannot write: {}", reason);
}

void finish() {
    keep(page_record());
    const std::string& out = settings().out;
    if (out.empty()) return;
    for (const auto& [name, bytes] : run().files) io::write_file(out + "/" + name, bytes);
    io::write_file(out + "/trace.jsonl", records());  // last, so that its figures exist whenever it exists
}

}  // namespace RECTO::book
