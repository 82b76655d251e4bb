#pragma once
/// @file
/// BERT: an encoder that reads a text in both directions, and a head that fills masked tokens in.
#include <vector>

#include <recto/nn/attention.hpp>
#include <recto/nn/embedding.hpp>
#include <recto/nn/norm.hpp>

namespace RECTO::nn {

/// The size of a Bert; as it stands, that of the base model of Devlin et al. (2019).
struct BertSize {
    Index tokens = 30'522;    ///< size of the vocabulary
    Index time = 512;         ///< longest sequence
    Index segments = 2;       ///< number of texts that may follow one another in a sequence
    Index layers = 12;        ///< number of blocks
    Index width = 768;        ///< width D of the embeddings
    Index hidden = 3072;      ///< width between the two fully connected layers
    Index heads = 12;         ///< number of attention heads in a block; must divide the width
    double deviation = 0.02;  ///< standard deviation of the initial embeddings
};

/// Attention, then two fully connected layers. Normalisation stands last, after each sum, as in Vaswani et al. (2017).
struct BertBlock {
    MultiHeadAttention attention;  ///< looks at other positions
    LayerNorm after_attention;     ///< normalises the sum of the input and what attention returns
    Linear widen;                  ///< (width) to (hidden), then gelu
    Linear narrow;                 ///< (hidden) to (width)
    LayerNorm after_perceptron;    ///< normalises the sum of the perceptron's input and what it returns

    /// Initialises the weights. @throws Error as MultiHeadAttention
    BertBlock(const BertSize& size, Generator& random, Device device = Device::cpu);

    /// (batch, time, width) to the same shape.
    Tensor operator()(const Tensor& x, const AttentionOptions& attending = {}) const;

    /// Names its parts.
    void visit(auto&& part) {
        part("attention", attention), part("after_attention", after_attention);
        part("widen", widen), part("narrow", narrow), part("after_perceptron", after_perceptron);
    }
};

/// The encoder of Devlin et al. (2019), *BERT: Pre-training of deep bidirectional transformers for language
/// understanding*: embeddings of tokens, positions and segments, a normalisation, and blocks without a mask. In the base
/// size it has 109,482,240 parameters with its pooler. Initial weights are those of our layers.
struct Bert {
    Embedding words;                ///< (tokens, width)
    Embedding places;               ///< (time, width): embeds positions
    Embedding segments;             ///< (segments, width): embeds the number of the text that a token belongs to
    LayerNorm embedded;             ///< normalises the sum of the three
    std::vector<BertBlock> blocks;  ///< in the order in which they run
    Linear pooler;                  ///< (width) to (width), for pooled()

    /// Initialises the weights. @throws Error when a size is negative or heads do not divide the width
    Bert(const BertSize& size, Generator& random, Device device = Device::cpu);

    /// The sum of the three embeddings, normalised: (batch, time) to (batch, time, width).
    /// @param segment  (batch, time): the segment of each token; segment 0 for all if undefined
    /// @throws Error when the sequence is longer than `time`, or a number is out of range
    Tensor embed(const Integers& tokens, const Integers& segment = {}) const;
    /// The outputs of the last block, (batch, time, width): each depends on all tokens.
    /// @param tokens     (batch, time), each below `tokens`
    /// @param attending  options of the attention in all blocks, such as lengths
    /// @param segment    as in embed()
    /// @throws Error as embed()
    Tensor operator()(const Integers& tokens, const AttentionOptions& attending = {},
                      const Integers& segment = {}) const;
    /// The tanh of a dense layer at the first token: (batch, time, width) to (batch, width), for questions about a whole
    /// text. The first token is a class token, which stands for no word.
    Tensor pooled(const Tensor& outputs) const;

    /// Names its parts.
    void visit(auto&& part) {
        part("words", words), part("places", places), part("segments", segments), part("embedded", embedded);
        part("blocks", blocks), part("pooler", pooler);
    }
};

/// Scores of the tokens at masked positions: a dense layer with gelu and a normalisation, then the product with the
/// vectors of all tokens, and a bias for each.
struct MaskedTokenHead {
    Linear dense;    ///< (width) to (width), then gelu
    LayerNorm norm;  ///< normalises the input of the scores
    Tensor bias;     ///< (tokens)

    /// Initialises the weights; the bias of the scores is 0. @throws Error when a size is negative
    MaskedTokenHead(const BertSize& size, Generator& random, Device device = Device::cpu);

    /// @param outputs  (..., width): outputs of a Bert   @param words  (tokens, width): its vectors of tokens
    /// @return         (..., tokens)
    /// @throws Error when shapes do not fit
    Tensor operator()(const Tensor& outputs, const Tensor& words) const;

    /// Names its parts.
    void visit(auto&& part) { part("dense", dense), part("norm", norm), part("bias", bias); }
};

/// What a Bert reads in place of a sequence, and what it should find.
struct MaskedTokens {
    Integers read;    ///< the sequence in which some tokens are replaced
    Integers wanted;  ///< the original token where one was chosen, and -1 elsewhere
};

/// Options of mask_tokens(); as they stand, those of Devlin et al. (2019).
struct MaskingOptions {
    double chosen = 0.15;   ///< probability that a token is chosen
    double hidden = 0.8;    ///< probability that a chosen token becomes the mask token
    double replaced = 0.1;  ///< probability that a chosen token becomes a random one; otherwise it stays
    Index first_word = 0;   ///< smallest token that may be chosen, and smallest random token
    Index last_word = 0;    ///< largest such token
};

/// Chooses tokens at random and hides most of them.
/// @param tokens  any shape   @param mask  the mask token
/// @throws Error when a probability is not from 0 to 1, when those of a chosen token sum to more than 1, or when the
/// words are not a range
MaskedTokens mask_tokens(const Integers& tokens, Index mask, const MaskingOptions& options, Generator& random);

}  // namespace RECTO::nn
