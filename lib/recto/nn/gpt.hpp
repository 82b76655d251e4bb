#pragma once
/// @file
/// A decoder-only transformer (GPT), which predicts the next token at every position.
#include <recto/nn/attention.hpp>
#include <recto/nn/embedding.hpp>
#include <recto/nn/norm.hpp>

namespace RECTO::nn {

/// The size of a Gpt.
struct GptSize {
    Index tokens;      ///< size of the vocabulary
    Index time;        ///< longest sequence (context length)
    Index layers = 2;  ///< how many blocks
    Index width = 64;  ///< of the vector of every place
    Index heads = 4;   ///< of the attention of every block; they divide the width
};

/// Attention, then two fully connected layers, the first four times as wide: each reads its input normalised, and what
/// it finds is added to that input.
struct GptBlock {
    LayerNorm before_attention;    ///< what attention reads goes through it
    MultiHeadAttention attention;  ///< looks at other positions
    LayerNorm before_perceptron;   ///< what the two layers read goes through it
    Linear widen;                  ///< (width) to (4 width), then gelu
    Linear narrow;                 ///< and back

    /// Draws the first values. @throws Error as MultiHeadAttention does
    GptBlock(const GptSize& size, Generator& random, Device device = Device::cpu);

    /// (batch, time, width) to the same shape.
    Tensor operator()(const Tensor& x, const AttentionOptions& attending) const;
    /// Runs the block on new positions after those in the cache. @throws Error when the cache is full
    Tensor operator()(const Tensor& x, KeyValueCache& cache) const;

    /// Names its parts.
    void visit(auto&& part) {
        part("before_attention", before_attention), part("attention", attention);
        part("before_perceptron", before_perceptron), part("widen", widen), part("narrow", narrow);
    }
};

/// The model of Radford et al. (2019), *Language models are unsupervised multitask learners*: a vector for the symbol
/// plus one for the place, blocks, a normalisation, and scores by the product with the vectors of all symbols. With
/// 50257 symbols, 1024 places, 12 layers of width 768 it has the 124,439,808 parameters of GPT-2 small. First values
/// are those of our layers; both tables begin with a deviation of 0.02.
struct Gpt {
    Embedding words;               ///< (tokens, width): reads symbols, and scores them
    Embedding places;              ///< (time, width)
    std::vector<GptBlock> blocks;  ///< one after the other
    LayerNorm last;                ///< what is scored goes through it

    /// Draws the first values. @throws Error when a size is negative or heads do not divide the width
    Gpt(const GptSize& size, Generator& random, Device device = Device::cpu);

    /// Scores of the symbol after each place: row t follows from what `attending` lets it see.
    /// @param tokens     (batch, time), each below `tokens`
    /// @param attending  options of the attention in all blocks
    /// @return           (batch, time, tokens)
    /// @throws Error when the sequence is longer than `time`, or a token is out of range
    Tensor operator()(const Integers& tokens, const AttentionOptions& attending) const;
    /// Scores with causal attention: every position sees itself and those before it.
    Tensor operator()(const Integers& tokens) const { return (*this)(tokens, {.causal = true}); }

    /// Scores after each of the new tokens, (batch, new): the same numbers as one pass over all tokens, with less work.
    /// Not recorded on the tape. @param caches  from caches(), which grow by them. @throws Error when they are full
    Tensor operator()(const Integers& tokens, std::vector<KeyValueCache>& caches) const;

    /// An empty cache for `capacity` tokens for every block.
    std::vector<KeyValueCache> caches(Index batch, Index capacity) const;

    /// Names its parts.
    void visit(auto&& part) {
        part("words", words), part("places", places), part("blocks", blocks), part("last", last);
    }
};

}  // namespace RECTO::nn
