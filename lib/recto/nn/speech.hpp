#pragma once
/// @file
/// A Transformer that listens (Radford et al., 2022): convolutions and an encoder read a spectrogram, a decoder writes.
#include <vector>

#include <recto/nn/conv.hpp>
#include <recto/nn/encoder_decoder.hpp>

namespace RECTO::nn {

/// The size of a SpeechTransformer.
struct SpeechTransformerSize {
    Index bands;         ///< frequency bands of a frame
    Index frames;        ///< longest spectrogram
    Index tokens;        ///< size of the vocabulary
    Index time;          ///< longest text
    Index layers = 2;    ///< blocks of the encoder, and blocks of the decoder
    Index width = 64;    ///< width D of the embeddings
    Index hidden = 256;  ///< width inside the feed-forward blocks
    Index heads = 4;     ///< number of attention heads; must divide the width
};

/// Two convolutions over time, three frames wide, each with a gelu(); the second has a stride of 2, so that two frames
/// become one position. Then sinusoidal positions, encoder, and a decoder as that of EncoderDecoder. Every batch has sounds of one
/// length: shorter ones are filled with noise or silence, and the network learns to ignore it.
struct SpeechTransformer {
    Conv1d hear;                        ///< (bands) to (width)
    Conv1d halve;                       ///< (width) to (width), with a stride of 2
    SinusoidalPositions places;         ///< (half of the frames, width)
    std::vector<EncoderBlock> encoder;  ///< in the order in which they run
    Embedding words;                    ///< (tokens, width): embeds tokens, and scores them
    LearnedPositions word_places;       ///< (time, width)
    std::vector<DecoderBlock> decoder;  ///< in the order in which they run
    LayerNorm last;                     ///< normalises the input of the scores

    /// Initialises the weights. @throws Error when a size is negative or heads do not divide the width
    SpeechTransformer(const SpeechTransformerSize& size, Generator& random, Device device = Device::cpu);

    /// The memory: (batch, frames, bands) to (batch, half of the frames, rounded up, width).
    /// @throws Error when there are more frames than places
    Tensor encode(const Tensor& spectrogram) const;

    /// Scores of the next token after each token of `before`: (batch, time) to (batch, time, tokens).
    /// @param memory  from encode(), one for each row of `before`
    /// @throws Error when `before` is longer than its positions, or a token is out of range
    Tensor decode(const Integers& before, const Tensor& memory) const;

    /// Names its parts.
    void visit(auto&& part) {
        part("hear", hear), part("halve", halve), part("places", places), part("encoder", encoder);
        part("words", words), part("word_places", word_places), part("decoder", decoder), part("last", last);
    }
};

}  // namespace RECTO::nn
