#include "tokenizer.hpp"

#include <memory>

#include <recto/io/plain_text.hpp>
#include <recto/text/gpt2_tokenizer.hpp>
#include <recto/text/sentence_pieces.hpp>

namespace RECTO::generate {
namespace {

using Words = std::vector<std::string>;

/// The kind of every token; without a note all are text.
std::vector<Index> kinds_of(const io::GgufFile& source, std::size_t tokens) {
    const std::string key = "tokenizer.ggml.token_type";
    std::vector<Index> kinds = source.note_or(key, std::vector<Index>(tokens, Index(text::PieceKind::normal)));
    if (kinds.size() != tokens)
        source.file().fail(0,
                           fmt::format("{} has {} kinds, wanted one for each of {} tokens", key, kinds.size(), tokens));
    return kinds;
}

/// The token that a note names, if there is one.
std::optional<Index> token_of(const io::GgufFile& source, const std::string& key, Index tokens) {
    if (!source.notes.contains(key)) return {};
    const Index token = source.note<Index>(key);
    if (token < 0 || token >= tokens)
        source.file().fail(0, fmt::format("{} is {}, wanted a token from 0 to {}", key, token, tokens - 1));
    return token;
}

/// A tokenizer made of what the file holds.
template <class Made, class... Parts>
std::shared_ptr<const Made> made_of(const io::GgufFile& source, const Parts&... parts) {
    try {
        return std::make_shared<Made>(parts...);
    } catch (const Error& error) {
        source.file().fail(0, error.what());
    }
}

FileTokenizer gpt2(const io::GgufFile& source) {
    const std::string pieces = source.note_or("tokenizer.ggml.pre", std::string("gpt-2"));
    if (pieces != "gpt-2")
        source.file().fail(0, fmt::format("wanted text to be split as by gpt-2, got '{}'", io::escaped(pieces)));
    const auto& tokens = source.note<Words>("tokenizer.ggml.tokens");
    const std::vector<Index> kinds = kinds_of(source, tokens.size());
    std::vector<Index> control;
    for (std::size_t i = 0; i < kinds.size(); ++i)
        if (kinds[i] == Index(text::PieceKind::control)) control.push_back(Index(i));
    const auto made =
        made_of<text::Gpt2Tokenizer>(source, tokens, source.note<Words>("tokenizer.ggml.merges"), control);
    return {[made](std::string_view text) { return made->encode(text); },
            [made](Index token) {
                return made->decode({&token, 1});
            },
            made->size()};
}

FileTokenizer llama(const io::GgufFile& source) {
    if (!source.note_or("tokenizer.ggml.add_space_prefix", true))
        source.file().fail(0, "wanted a tokenizer that puts a space before a text, got one that does not");
    const auto& tokens = source.note<Words>("tokenizer.ggml.tokens");
    const auto made = made_of<text::SentencePieces>(
        source, tokens, source.note<std::vector<double>>("tokenizer.ggml.scores"), kinds_of(source, tokens.size()));
    return {[made](std::string_view text) { return made->encode(text); },
            [made](Index token) { return made->bytes(token); }, made->size()};
}

}  // namespace

FileTokenizer tokenizer_of(const io::GgufFile& source) {
    const std::string& kind = source.note<std::string>("tokenizer.ggml.model");
    if (kind != "gpt2" && kind != "llama")
        source.file().fail(0, fmt::format("wanted the tokenizer gpt2 or llama, got '{}'", io::escaped(kind)));
    FileTokenizer made = kind == "llama" ? llama(source) : gpt2(source);
    made.end = token_of(source, "tokenizer.ggml.eos_token_id", made.size);
    // A llama's text begins with a mark unless the file says otherwise, a GPT-2's only if it says so.
    const std::optional<Index> first = token_of(source, "tokenizer.ggml.bos_token_id", made.size);
    if (first && source.note_or("tokenizer.ggml.add_bos_token", kind == "llama"))
        made.encode = [first = *first, plain = made.encode](std::string_view text) {
            std::vector<Index> tokens = plain(text);
            tokens.insert(tokens.begin(), first);
            return tokens;
        };
    return made;
}

}  // namespace RECTO::generate
