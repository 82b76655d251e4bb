#pragma once
/// @file
/// GPT-2 as it is published: a safetensors file with the weights, and the files of its tokenizer beside it.
#include <string>

#include <recto/nn/decoder.hpp>

#include "tokenizer.hpp"

namespace RECTO::generate {

/// A model, and the tokenizer that turns text into its tokens.
struct Published {
    FileTokenizer tokenizer;  ///< from `vocab.json` and `merges.txt`
    nn::Decoder model;        ///< from the safetensors file
};

/// Reads the weights of a model of GPT-2's layout from `path`, and its tokenizer from the files `vocab.json` and
/// `merges.txt` in the same folder. The number of heads is `n_head` of the file `config.json` there, if there is one; else
/// a head has 64 numbers. A text ends with the token `<|endoftext|>`, if the vocabulary has it.
/// @throws Error `path: byte N: reason`
Published read_published(const std::string& path);

}  // namespace RECTO::generate
