#include "published.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <vector>

#include <recto/io/input_file.hpp>
#include <recto/io/parameters.hpp>
#include <recto/io/scanner.hpp>
#include <recto/nn/gpt2_parameters.hpp>
#include <recto/text/gpt2_files.hpp>
#include <recto/text/gpt2_tokenizer.hpp>

namespace RECTO::generate {
namespace {

/// The number at the key `n_head` of the outermost object of a JSON file.
Index heads_of(const std::string& path) {
    const io::InputFile file(path);
    if (file.size() > 1 << 20) file.fail(0, "wanted at most a megabyte of settings");
    std::string text(std::size_t(file.size()), '\0');
    file.read(text.data(), 0, file.size());
    Index depth = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        depth += text[at] == '{' || text[at] == '[';
        depth -= text[at] == '}' || text[at] == ']';
        if (text[at] != '"') continue;
        const std::size_t start = at + 1;
        for (++at; at < text.size() && text[at] != '"'; ++at)
            if (text[at] == '\\') ++at;
        if (depth != 1 || at >= text.size() || text.substr(start, at - start) != "n_head") continue;
        io::Scanner scan(std::string_view(text).substr(at + 1));
        try {
            if (scan.take(':')) return scan.number();
        } catch (const io::BadFile& bad) {
            file.fail(Index(at) + 1 + bad.place, bad.reason);
        }
    }
    file.fail(0, "wanted a number n_head");
}

FileTokenizer tokenizer_beside(const std::string& vocabulary, const std::string& merges) {
    constexpr std::string_view end = "<|endoftext|>";
    const std::vector<std::string> tokens = text::read_gpt2_vocabulary(vocabulary),
                                   pairs = text::read_gpt2_merges(merges);
    const auto found = std::ranges::find(tokens, end);
    std::vector<Index> control;
    if (found != tokens.end()) control.push_back(found - tokens.begin());
    std::shared_ptr<const text::Gpt2Tokenizer> made;
    try {
        made = std::make_shared<text::Gpt2Tokenizer>(tokens, pairs, control);
    } catch (const Error& error) {
        io::InputFile(merges).fail(0, error.what());
    }
    FileTokenizer tokenizer{[made](std::string_view text) { return made->encode(text); },
                            [made](Index token) {
                                return made->decode({&token, 1});
                            },
                            made->size()};
    if (!control.empty()) tokenizer.end = control[0];
    return tokenizer;
}

}  // namespace

Published read_published(const std::string& path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    const std::string config = folder / "config.json";
    std::error_code unknown;
    const Index heads = std::filesystem::exists(config, unknown) ? heads_of(config) : 0;
    const NamedTensors weights = io::load_parameters(path);
    Published made{tokenizer_beside(folder / "vocab.json", folder / "merges.txt"), {}};
    try {
        made.model = nn::gpt2_decoder(weights, heads);
    } catch (const Error& error) {
        io::InputFile(path).fail(0, error.what());
    }
    return made;
}

}  // namespace RECTO::generate
