#pragma once
/// @file
/// The tokenizer that a model's file carries.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <recto/io/gguf.hpp>

namespace RECTO::generate {

/// How to turn text into a model's tokens, and back.
struct FileTokenizer {
    std::function<std::vector<Index>(std::string_view)>
        encode;                               ///< a prompt's tokens, with the first mark if one is due
    std::function<std::string(Index)> bytes;  ///< the bytes of one token
    Index size = 0;                           ///< number of tokens
    std::optional<Index> end = {};            ///< the token after which a text ends
};

/// Reads the tokenizer of a GGUF file: `gpt2`, or `llama`. @throws Error `path: byte N: reason`
FileTokenizer tokenizer_of(const io::GgufFile& source);

}  // namespace RECTO::generate
