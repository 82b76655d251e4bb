#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <random>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include <recto/book/command_line.hpp>
#include <recto/book/model.hpp>
#include <recto/book/option.hpp>
#include <recto/book/origin.hpp>
#include <recto/book/progress.hpp>
#include <recto/book/study.hpp>
#include <recto/book/trace.hpp>
#include <recto/device/threads.hpp>
#include <recto/io/atomic_file.hpp>
#include <recto/kernels/gemm.hpp>

namespace RECTO::book {
namespace {

volatile std::sig_atomic_t writing = 0, stopped_by = 0;

extern "C" void stop(int signal) {
    if (!writing) ::_exit(128 + signal);  // nothing is on the disk yet
    stopped_by = signal;                  // the files take milliseconds: finish them first
}

/// One line on standard error, whatever characters the message contains.
void complain(const std::string& program, std::string message) {
    hide_progress();
    for (char& c : message)
        if (c == '\n') c = ' ';
    while (!message.empty() && message.back() == ' ') message.pop_back();
    std::fprintf(stderr, "%s: %s\n", program.c_str(), message.c_str());
}

std::string base_name(const char* path) {
    const std::string_view whole = path ? path : "page";
    return std::string(whole.substr(whole.rfind('/') + 1));
}

/// The options for studies, which run instead of the page.
struct StudyWords {
    bool full = false;
    Index again = 0;
    Study::Share share = {};
};

/// Reads `2/8`; false for another text.
bool read_share(const std::string& text, Study::Share& share) {
    const char* end = text.data() + text.size();
    const auto number = std::from_chars(text.data(), end, share.number);
    if (number.ec != std::errc() || number.ptr == end || *number.ptr != '/') return false;
    const auto count = std::from_chars(number.ptr + 1, end, share.count);
    return count.ec == std::errc() && count.ptr == end && share.number >= 0 && share.number < share.count;
}

/// Reads the command line into `settings`, threads and the page's options; returns an exit status if the program is
/// done.
std::optional<int> read(int argc, const char* const* argv, Settings& settings, StudyWords& studies) {
    CLI::App app(settings.program + ": a page of Recto, run");
    app.get_formatter()->column_width(34);
    app.set_help_flag("-h,--help", "Print this and exit");
    std::string device_word = "cpu", products_word = "ieee";
    int thread_count = threads();
    const auto take_seed = [&settings](const std::string& text) {  // CLI11 would read -1 as 2^64 - 1
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), settings.seed);
        if (error != std::errc() || end != text.data() + text.size())
            throw CLI::ValidationError("--seed", "wanted a whole number from 0 to 2^64 - 1, got '" + text + "'");
    };
    app.add_option_function<std::string>("--seed", take_seed, "Where everything random starts; 1 unless said otherwise")
        ->option_text("S");
    app.add_option("--device", device_word, "Where tensors live; cpu unless said otherwise")
        ->option_text("cpu|sim|cuda")
        ->check(CLI::IsMember({"cpu", "sim", "cuda"}));
    app.add_option("--matmul", products_word, "How a GPU multiplies matrices of floats; ieee unless said otherwise")
        ->option_text("ieee|tf32|bf16")
        ->check(CLI::IsMember({"ieee", "tf32", "bf16"}));
    app.add_option("--threads", thread_count, "How many threads work; one per core unless said otherwise")
        ->option_text("N")
        ->check(CLI::Range(1, 1024));
    app.add_flag("--quick", settings.quick, "Do as little as a test needs; claims are not judged");
    app.add_option("--until", settings.until, "End after this figure; claims are not judged")->option_text("FIGURE");
    app.add_option("--out", settings.out, "Write the trace and the figures into this directory")->option_text("DIR");

    if (!all_studies().empty()) {
        app.add_flag("--full", studies.full, "Do the page's long studies, keep what they find, and end");
        app.add_option("--again", studies.again, "Do N cells of its studies again, compare with what was kept, and end")
            ->option_text("N")
            ->check(CLI::Range(1, 1000));
        const auto take_share = [&studies](const std::string& text) {
            if (!read_share(text, studies.share))
                throw CLI::ValidationError("--task", "wanted K/N with K from 0 to N - 1, got '" + text + "'");
        };
        app.add_option_function<std::string>("--task", take_share, "With --full: do the cells of task K of N only")
            ->option_text("K/N");
    }

    std::vector<std::pair<const AnyOption*, std::string>> given;
    for (const AnyOption* option : all_options()) {
        const std::string flag = "--" + option->name(), help = option->help() + "; " + option->wanted();
        const auto take = [&given, option](const std::string& text) {
            given.emplace_back(option, text);
            if (!option->take(text))
                throw CLI::ValidationError("--" + option->name(),
                                           "wanted " + option->wanted() + ", got '" + text + "'");
        };
        CLI::Option* made = app.add_option_function<std::string>(flag, take, help);
        if (option->is_flag())  // `--name` alone, or `--name=false`
            made->expected(0, 1)->default_str("true");
        made->option_text("= " + option->standard_text())->group("Options of this page");
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        std::fputs(app.help().c_str(), stdout);
        return std::fflush(stdout) == 0 ? 0 : 1;
    } catch (const CLI::ParseError& e) {
        complain(settings.program, std::string(e.what()) + " (--help lists the options)");
        return 2;
    }
    for (const AnyOption* option : all_options()) option->reset(settings.quick);
    for (const auto& [option, text] : given) option->take(text);

    settings.device = device_named(device_word);
    settings.products = product_precision_named(products_word);
    settings.standard = !settings.quick && settings.until.empty() && settings.seed == Settings{}.seed;
    settings.standard &= settings.products == ProductPrecision::ieee;
    for (const AnyOption* option : all_options()) settings.standard &= option->text() == option->standard_text();
    if (thread_count != threads()) set_threads(thread_count);
    if (!studies.full && studies.share.count > 1) {
        complain(settings.program, "--task wants --full beside it (--help lists the options)");
        return 2;
    }
    if (studies.full && !settings.standard) {
        complain(settings.program, "--full wants the standard settings: what it keeps is what the book shows");
        return 2;
    }
    return std::nullopt;
}

int run(int argc, const char* const* argv, void (*page)(), Settings& settings) {
    StudyWords words;
    if (const std::optional<int> status = read(argc, argv, settings, words)) return *status;
    require(settings.device);
    set_product_precision(settings.device, settings.products);
    if (!settings.out.empty()) io::make_directories(settings.out);  // before the work, which may take long
    start(settings);
    if (words.full || words.again) {
        if (words.full) {
            keep_models();
            for (const Study* study : all_studies()) study->run(settings.figures, origin(), words.share);
        } else {
            Study::again(all_studies(), settings.figures, words.again, std::random_device{}());
        }
        return 0;
    }
    try {
        page();
        check(settings.until.empty(), "--until: there is no figure {}", settings.until);
    } catch (const Reached&) {  // the figures drawn so far are kept
    }
    hide_progress();
    writing = 1;
    finish();
    writing = 0;
    if (stopped_by) ::_exit(128 + stopped_by);
    std::fputs(breakage().c_str(), stderr);
    return breakage().empty() ? 0 : 1;
}

}  // namespace

int run_page(int argc, const char* const* argv, void (*page)(), const char* figures) {
    Settings settings;
    settings.figures = figures;
    settings.program = base_name(argc > 0 ? argv[0] : nullptr);
    std::signal(SIGINT, stop);
    std::signal(SIGTERM, stop);
    try {
        return run(argc, argv, page, settings);
    } catch (const std::bad_alloc&) {
        complain(settings.program, "not enough memory");
    } catch (const std::exception& e) {
        complain(settings.program, e.what());
    } catch (...) {
        complain(settings.program, "it threw something that is not an exception");
    }
    return 1;
}

}  // namespace RECTO::book
