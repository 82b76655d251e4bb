#include <recto/text/gpt2_files.hpp>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <recto/io/input_file.hpp>
#include <recto/io/scanner.hpp>
#include <recto/io/utf8.hpp>

namespace RECTO::text {
namespace {

std::string text_of(const io::InputFile& file) {
    constexpr Index most = Index(64) << 20;
    if (file.size() > most) file.fail(0, fmt::format("has {} bytes, more than {}", file.size(), most));
    std::string text(std::size_t(file.size()), '\0');
    file.read(text.data(), 0, file.size());
    const std::string_view kind = io::known_kind(std::string_view(text).substr(0, 256));
    if (!kind.empty()) file.fail(0, fmt::format("this is {}, not a file of a tokenizer", kind));
    return text;
}

constexpr Index most_merges = 1'000'000;  // twenty times as many as GPT-2 has

}  // namespace

std::vector<std::string> read_gpt2_vocabulary(const std::string& path) {
    const io::InputFile file(path);
    const std::string text = text_of(file);
    std::map<Index, std::string> numbered;
    try {
        io::Scanner scan(text);
        scan.object([&](const std::string& token) {
            const Index number = scan.number();
            if (!numbered.emplace(number, token).second)
                scan.fail(fmt::format("two tokens have the number {}", number));
        });
        scan.want_end();
    } catch (const io::BadFile& bad) {
        file.fail(bad.place, bad.reason);
    }
    std::vector<std::string> tokens;
    for (auto& [number, token] : numbered) {
        if (number != std::ssize(tokens)) file.fail(0, fmt::format("no token has the number {}", tokens.size()));
        tokens.push_back(std::move(token));
    }
    return tokens;
}

std::vector<std::string> read_gpt2_merges(const std::string& path) {
    const io::InputFile file(path);
    const std::string text = text_of(file);
    std::vector<std::string> merges;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string line = text.substr(at, end - at);
        if (line.ends_with('\r')) line.pop_back();
        if (at > 0 || !line.starts_with("#version")) {
            if (!io::is_utf8(line)) file.fail(Index(at), "this line is not UTF-8");
            if (std::ranges::count(line, ' ') != 1 || line.front() == ' ' || line.back() == ' ')
                file.fail(Index(at), "wanted two tokens with a space between them");
            if (std::ssize(merges) == most_merges)
                file.fail(Index(at), fmt::format("wanted at most {} merges", most_merges));
            merges.push_back(std::move(line));
        }
        at = end + 1;
    }
    return merges;
}

}  // namespace RECTO::text
