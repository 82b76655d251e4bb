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
    return source.note_or("tokenizer.ggml.token_type", std::vector<Index>(tokens, Index(text::PieceKind::normal)));
}

FileTokenizer gpt2(const io::GgufFile& source) {
    const auto& tokens = source.note<Words>("tokenizer.ggml.tokens");
    const std::vector<Index> kinds = kinds_of(source, tokens.size());
    std::vector<Index> control;
    for (std::size_t i = 0; i < std::min(kinds.size(), tokens.size()); ++i)
        if (kinds[i] == Index(text::PieceKind::control)) control.push_back(Index(i));
    const auto made =
        std::make_shared<text::Gpt2Tokenizer>(tokens, source.note<Words>("tokenizer.ggml.merges"), control);
    return {[made](std::string_view text) { return made->encode(text); },
            [made](Index token) {
                return made->decode({&token, 1});
            },
            {}};
}

FileTokenizer llama(const io::GgufFile& source) {
    const auto& tokens = source.note<Words>("tokenizer.ggml.tokens");
    const auto made = std::make_shared<text::SentencePieces>(
        tokens, source.note<std::vector<double>>("tokenizer.ggml.scores"), kinds_of(source, tokens.size()));
    return {[made](std::string_view text) { return made->encode(text); },
            [made](Index token) { return made->bytes(token); },
            {}};
}

}  // namespace

FileTokenizer tokenizer_of(const io::GgufFile& source) {
    const std::string& kind = source.note<std::string>("tokenizer.ggml.model");
    if (kind != "gpt2" && kind != "llama")
        source.file().fail(0, fmt::format("wanted the tokenizer gpt2 or llama, got '{}'", io::escaped(kind)));
    FileTokenizer made;
    try {
        made = kind == "llama" ? llama(source) : gpt2(source);
    } catch (const Error& error) {
        const std::string_view said = error.what();
        if (said.find(": byte ") != said.npos) throw;  // of the file itself
        source.file().fail(0, said);
    }
    const Index none = -1, end = source.note_or("tokenizer.ggml.eos_token_id", none);
    if (end != none) made.end = end;
    // A llama's text begins with a mark unless the file says otherwise, a GPT-2's only if it says so.
    const Index first = source.note_or("tokenizer.ggml.bos_token_id", none);
    if (first != none && source.note_or("tokenizer.ggml.add_bos_token", kind == "llama"))
        made.encode = [first, plain = made.encode](std::string_view text) {
            std::vector<Index> tokens = plain(text);
            tokens.insert(tokens.begin(), first);
            return tokens;
        };
    return made;
}

}  // namespace RECTO::generate
