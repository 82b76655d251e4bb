#pragma once
/// @file
/// The two files in which the tokenizer of GPT-2 is published: `vocab.json` and `merges.txt`.
#include <string>
#include <vector>

#include <recto/base/config.hpp>

namespace RECTO::text {

/// Reads a vocabulary, a JSON object with the number of each token, for Gpt2Tokenizer. The file is untrusted: it has at
/// most 64 MiB, and the numbers are those from 0 on, each once.
/// @return  the tokens in the order of their numbers
/// @throws Error `path: byte N: reason`
std::vector<std::string> read_gpt2_vocabulary(const std::string& path);

/// Reads merges, a line with two tokens for each, after an optional first line that begins with `#version`. The file is
/// untrusted: it is UTF-8 text of at most 64 MiB.
/// @return  the lines in their order
/// @throws Error `path: byte N: reason`
std::vector<std::string> read_gpt2_merges(const std::string& path);

}  // namespace RECTO::text
