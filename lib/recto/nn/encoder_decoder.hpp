#pragma once
/// @file
/// The Transformer of Vaswani et al. (2017): an encoder reads one sequence, a decoder writes another.
#include <vector>

#include <recto/nn/embedding.hpp>
#include <recto/nn/positions.hpp>
#include <recto/nn/transformer.hpp>

namespace RECTO::nn {

/// The size of an EncoderDecoder; layers, width, hidden and heads as they stand are those of the base model of Vaswani
/// et al. (2017).
struct EncoderDecoderSize {
    Index source_tokens;  ///< size of the source's vocabulary
    Index target_tokens;  ///< size of the target's vocabulary
    Index source_time;    ///< longest source
    Index target_time;    ///< longest target
    Index layers = 6;     ///< blocks of the encoder, and blocks of the decoder
    Index width = 512;    ///< width D of the embeddings
    Index hidden = 2048;  ///< width inside the feed-forward blocks
    Index heads = 8;      ///< number of attention heads; must divide the width
};

/// A layer of an encoder: self-attention without a mask, then a feed-forward block.
struct EncoderBlock {
    SelfAttentionBlock mix;  ///< every position reads every position
    FeedForwardBlock think;  ///< works on each position alone

    /// Initialises the weights. @throws Error as MultiHeadAttention
    EncoderBlock(Index width, Index hidden, Index heads, Generator& random, Device device = Device::cpu);

    /// (batch, time, width) to the same shape. @param lengths  (batch): later positions are padding
    Tensor operator()(const Tensor& x, const Integers& lengths = {}) const;

    /// Names its parts.
    void visit(auto&& part) { part("mix", mix), part("think", think); }
};

/// A layer of a decoder: causal self-attention, cross-attention to the encoder's output, then a feed-forward block.
struct DecoderBlock {
    SelfAttentionBlock mix;    ///< every position reads itself and earlier ones
    CrossAttentionBlock read;  ///< every position reads the whole memory
    FeedForwardBlock think;    ///< works on each position alone

    /// Initialises the weights. @throws Error as MultiHeadAttention
    DecoderBlock(Index width, Index hidden, Index heads, Generator& random, Device device = Device::cpu);

    /// (batch, time, width), for a memory of (batch, source time, width), to the shape of `x`.
    /// @param lengths  (batch): later positions of the memory are padding
    Tensor operator()(const Tensor& x, const Tensor& memory, const Integers& lengths = {}) const;

    /// Names its parts.
    void visit(auto&& part) { part("mix", mix), part("read", read), part("think", think); }
};

/// Source and target have a vocabulary, an embedding and learned positions of their own. Normalisation stands first in
/// every branch, as in GPT-2, and once more after the last block of the decoder. Scores are products with the embeddings
/// of the target's tokens. Without embeddings and positions it has \f$ L (12 D^2 + 16 D^2) \f$ parameters and smaller
/// terms if the hidden width is 4 D: 44,139,520 in the base size. Initial weights are those of our layers; embeddings
/// and positions start with a standard deviation of 0.02.
struct EncoderDecoder {
    Embedding source_words;             ///< (source tokens, width)
    LearnedPositions source_places;     ///< (source time, width)
    std::vector<EncoderBlock> encoder;  ///< in the order in which they run
    Embedding target_words;             ///< (target tokens, width): embeds tokens, and scores them
    LearnedPositions target_places;     ///< (target time, width)
    std::vector<DecoderBlock> decoder;  ///< in the order in which they run
    LayerNorm last;                     ///< normalises the input of the scores

    /// Initialises the weights. @throws Error when a size is negative or heads do not divide the width
    EncoderDecoder(const EncoderDecoderSize& size, Generator& random, Device device = Device::cpu);

    /// The memory Z: (batch, source time) to (batch, source time, width). Every position depends on the whole source.
    /// @param lengths  (batch): later tokens are padding
    /// @throws Error when the source is longer than its positions, or a token is out of range
    Tensor encode(const Integers& source, const Integers& lengths = {}) const;

    /// Scores of the target's next token after each token of `before`: row s depends on the whole memory, and on tokens
    /// 0 to s of `before`.
    /// @param before   (batch, target time): a token that means "begin", then the target's tokens
    /// @param memory   from encode()
    /// @param lengths  (batch): later positions of the memory are padding
    /// @return         (batch, target time, target tokens)
    /// @throws Error when `before` is longer than its positions, or a token is out of range
    Tensor decode(const Integers& before, const Tensor& memory, const Integers& lengths = {}) const;

    /// Both, one after the other.
    Tensor operator()(const Integers& source, const Integers& before, const Integers& lengths = {}) const {
        return decode(before, encode(source, lengths), lengths);
    }

    /// Names its parts.
    void visit(auto&& part) {
        part("source_words", source_words), part("source_places", source_places), part("encoder", encoder);
        part("target_words", target_words), part("target_places", target_places), part("decoder", decoder);
        part("last", last);
    }
};

}  // namespace RECTO::nn
