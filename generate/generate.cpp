// recto_generate MODEL: continues a text with a language model from a GGUF or a safetensors file, on the CPU.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <recto/base/check.hpp>
#include <recto/book/stopwatch.hpp>
#include <recto/core/random.hpp>
#include <recto/device/threads.hpp>
#include <recto/io/gguf.hpp>
#include <recto/io/input_file.hpp>
#include <recto/io/plain_text.hpp>
#include <recto/io/utf8.hpp>
#include <recto/nn/decoder.hpp>
#include <recto/text/generate.hpp>

#include "published.hpp"
#include "tokenizer.hpp"

using namespace recto;

namespace {

struct Asked {
    std::string model, prompt;
    text::Sampling sampling{.temperature = 0.8, .top_k = 40, .stop = {}, .most = 128};
    std::uint64_t seed = 1;
    int threads = 0;
};

/// Prints text as it comes. On a terminal, what could steer it is shown instead of obeyed; a character is held back until
/// its last byte is there.
class Screen {
public:
    void print(const std::string& more) {
        rest_ += more;
        std::string ready;
        while (!rest_.empty()) {
            const io::Character c = io::first_character(rest_);
            if (c.bytes == 0 && rest_.size() < 4 && static_cast<unsigned char>(rest_[0]) >= 0xC2) break;  // may go on
            const std::string one = rest_.substr(0, std::max<std::size_t>(c.bytes, 1));
            ready += terminal_ && one != "\n" && one != "\t" && one != "\\" ? io::escaped(one) : one;
            rest_.erase(0, one.size());
        }
        write(ready);
    }
    void end() { write((terminal_ ? io::escaped(rest_) : rest_) + "\n"); }

private:
    static void write(const std::string& text) {
        if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
            throw Error(fmt::format("recto_generate: cannot write the text: {}", std::strerror(errno)));
    }
    const bool terminal_ = ::isatty(STDOUT_FILENO) != 0;
    std::string rest_;
};

/// A file of safetensors has its tokenizer beside it, a GGUF file in it.
generate::Published read(const std::string& path) {
    if (path.ends_with(".safetensors")) return generate::read_published(path);
    const io::GgufFile file(path);
    return {generate::tokenizer_of(file), nn::read_decoder(file)};
}

void run(const Asked& asked) {
    if (asked.threads != 0) set_threads(asked.threads);
    const generate::Published loaded = read(asked.model);
    const generate::FileTokenizer& tokenizer = loaded.tokenizer;
    const nn::Decoder& model = loaded.model;
    if (tokenizer.size != model.size.tokens)
        io::InputFile(asked.model)
            .fail(0, fmt::format("the tokenizer has {} tokens, the model {}", tokenizer.size, model.size.tokens));
    std::vector<Index> tokens = tokenizer.encode(asked.prompt);
    if (tokens.empty() && tokenizer.end) tokens.push_back(*tokenizer.end);  // as GPT-2 begins a text
    check(!tokens.empty(), "recto_generate: this model wants a prompt (--prompt TEXT)");
    const Index room = model.size.time - Index(tokens.size());
    check(room >= 1, "recto_generate: the model reads {} tokens at most, the prompt has {}", model.size.time,
          tokens.size());
    text::Sampling sampling = asked.sampling;
    sampling.most = std::min(sampling.most, room);
    sampling.stop = tokenizer.end;
    std::vector<nn::KeyValueCache> caches = model.caches(Index(tokens.size()) + sampling.most);
    Screen screen;
    screen.print(asked.prompt);
    std::size_t read = 0;
    const double start = book::now();
    const auto next = [&](std::span<const Index> before) {
        if (read > 0) screen.print(tokenizer.bytes(before[read]));  // the prompt is on the screen already
        const std::span<const Index> fresh = before.subspan(read);
        read = before.size();
        return model.next(Integers({Index(fresh.size())}, fresh), caches).values();
    };
    Generator random(asked.seed);
    const std::vector<Index> drawn = text::generate(next, tokens, random, sampling);
    if (!drawn.empty() && drawn.back() != sampling.stop) screen.print(tokenizer.bytes(drawn.back()));
    screen.end();
    const double seconds = book::seconds_since(start);
    if (::isatty(STDERR_FILENO) != 0)
        fmt::print(stderr, "{} tokens, {:.1f} a second; weights of {:.1f} MB\n", drawn.size(),
                   double(drawn.size()) / seconds, double(model.nbytes()) / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
    const auto between = [](const auto least, const auto most) {  // CLI::Range takes NaN for any number
        return [=](const std::string& word) {
            auto value = least;
            const char* const end = word.data() + word.size();
            const auto [read, error] = std::from_chars(word.data(), end, value);
            return error == std::errc() && read == end && value >= least && value <= most
                       ? std::string()
                       : fmt::format("wanted {} to {}, got {}", least, most, word);
        };
    };
    Asked asked;
    CLI::App app(
        "Continues a text with a language model on the CPU: from a GGUF file (gpt2 or llama), or "
        "from a safetensors file of the layout of GPT-2 with vocab.json and merges.txt beside it.");
    app.add_option("MODEL", asked.model, "the file")->required();
    app.add_option("--prompt", asked.prompt, "the text to be continued");
    app.add_option("--tokens", asked.sampling.most, "how many tokens at most (128)")->check(between(0, 1 << 20));
    app.add_option("--temperature", asked.sampling.temperature,
                   "scores are divided by it; 0 takes the best token (0.8)")
        ->check(between(0.0, 100.0));
    app.add_option("--top-k", asked.sampling.top_k, "draw among the K best tokens; 0 for all (40)")
        ->check(between(0, 1 << 24));
    app.add_option("--seed", asked.seed, "where the draws start (1)")
        ->check(between(std::uint64_t(0), std::numeric_limits<std::uint64_t>::max()));
    app.add_option("--threads", asked.threads, "how many threads work (one for each core)")->check(between(1, 1024));
    try {
        app.parse(argc, argv);
        run(asked);
    } catch (const CLI::CallForHelp&) {
        std::fputs(app.help().c_str(), stdout);
    } catch (const CLI::ParseError& error) {
        fmt::print(stderr, "recto_generate: {} (--help says more)\n", io::escaped(error.what()));
        return 2;
    } catch (const Error& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}: {}\n", io::escaped(asked.model), error.what());
        return 1;
    }
    return 0;
}
