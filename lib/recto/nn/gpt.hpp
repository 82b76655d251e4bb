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
    Index layers = 2;  ///< number of blocks
    Index width = 64;  ///< width of the embeddings
    Index heads = 4;   ///< number of attention heads in a block; must divide the width
};

/// Attention, then two fully connected layers, the first four times as wide. Each of the two parts reads its input
/// normalised and adds its result to that input.
struct GptBlock {
    LayerNorm before_attention;    ///< normalises the input of attention
    MultiHeadAttention attention;  ///< looks at other positions
    LayerNorm before_perceptron;   ///< normalises the input of the fully connected layers
    Linear widen;                  ///< (width) to (4 width), then gelu
    Linear narrow;                 ///< (4 width) to (width)

    /// Initialises the weights. @throws Error as MultiHeadAttention
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

/// The model of Radford et al. (2019), *Language models are unsupervised multitask learners*: a token embedding plus a
/// position embedding, blocks, a normalisation, and scores by the product with all token embeddings. With 50257 tokens,
/// 1024 positions and 12 layers of width 768 it has the 124,439,808 parameters of GPT-2 small. Initial weights are
/// those of our layers; both embeddings start with a standard deviation of 0.02.
struct Gpt {
    Embedding words;               ///< (tokens, width): embeds tokens, and scores them
    Embedding places;              ///< (time, width): embeds positions
    std::vector<GptBlock> blocks;  ///< in the order in which they run
    LayerNorm last;                ///< normalises the input of the scores

    /// Initialises the weights. @throws Error when a size is negative or heads do not divide the width
    Gpt(const GptSize& size, Generator& random, Device device = Device::cpu);

    /// Scores of the token after each position: row t depends on the positions that `attending` lets it see.
    /// @param tokens     (batch, time), each below `tokens`
    /// @param attending  options of the attention in all blocks
    /// @return           (batch, time, tokens)
    /// @throws Error when the sequence is longer than `time`, or a token is out of range
    Tensor operator()(const Integers& tokens, const AttentionOptions& attending) const;
    /// Scores with causal attention: every position sees itself and those before it.
    Tensor operator()(const Integers& tokens) const { return (*this)(tokens, {.causal = true}); }

    /// Scores after each of the new tokens, (batch, new): the results of one pass over all tokens, with less work. Not
    /// recorded on the tape. @param caches  from caches(); the new tokens are appended   @throws Error when they are
    /// full
    Tensor operator()(const Integers& tokens, std::vector<KeyValueCache>& caches) const;

    /// An empty cache for `capacity` tokens for every block.
    std::vector<KeyValueCache> caches(Index batch, Index capacity) const;

    /// Names its parts.
    void visit(auto&& part) {
        part("words", words), part("places", places), part("blocks", blocks), part("last", last);
    }
};

}  // namespace RECTO::nn
