#include "published.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <recto/io/input_file.hpp>
#include <recto/io/parameters.hpp>
#include <recto/nn/gpt2_parameters.hpp>
#include <recto/text/gpt2_files.hpp>
#include <recto/text/gpt2_tokenizer.hpp>

namespace RECTO::generate {
namespace {

/// The number `n_head` of a JSON file of settings, which may not ask for another network than gpt2_decoder() makes.
Index heads_of(const std::string& path) {
    const io::InputFile file(path);
    if (file.size() > 1 << 20) file.fail(0, "wanted at most a megabyte of settings");
    std::string text(std::size_t(file.size()), '\0');
    file.read(text.data(), 0, file.size());
    const nlohmann::json settings = nlohmann::json::parse(text, nullptr, false);
    if (!settings.is_object()) file.fail(0, "wanted a JSON object of settings");
    const nlohmann::json usual = {{"activation_function", "gelu_new"},
                                  {"layer_norm_epsilon", 1e-5},
                                  {"scale_attn_weights", true},
                                  {"scale_attn_by_inverse_layer_idx", false}};
    for (const auto& [name, wanted] : usual.items())
        if (settings.contains(name) && settings[name] != wanted)
            file.fail(0, fmt::format("wanted {} {}, as in GPT-2, got another", name, wanted.dump()));
    const auto heads = settings.find("n_head");
    if (heads == settings.end() || !heads->is_number_unsigned() || *heads < 1 || *heads > 1 << 20)
        file.fail(0, "wanted a whole number n_head from 1 on");
    return heads->get<Index>();
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
