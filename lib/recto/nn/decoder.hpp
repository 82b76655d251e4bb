#pragma once
/// @file
/// A language model as a file stores it, for generating text: weights as plain numbers or in blocks of few bits.
#include <variant>
#include <vector>

#include <recto/core/quantized_tensor.hpp>
#include <recto/io/gguf.hpp>
#include <recto/nn/attention.hpp>
#include <recto/nn/gpt.hpp>
#include <recto/ops/sequences/positions.hpp>

namespace RECTO::nn {

/// A matrix of weights, plain or in blocks.
class StoredMatrix {
public:
    StoredMatrix() = default;                                              ///< Undefined.
    StoredMatrix(Tensor plain) : numbers_(std::move(plain)) {}             ///< Plain numbers (out, in).
    StoredMatrix(QuantizedTensor blocks) : numbers_(std::move(blocks)) {}  ///< Blocks of (out, in).

    /// linear(), or quantized_linear() for blocks: (..., in) to (..., out).
    Tensor operator()(const Tensor& x, const Tensor& bias = Tensor()) const;
    /// The rows of these numbers as plain numbers, as index_rows(): the shape of `places`, then (in).
    Tensor rows(const Integers& places) const;
    /// The same matrix without its first `begin` rows, up to row `end`.
    StoredMatrix between(Index begin, Index end) const;

    const Shape& shape() const;                                                        ///< (out, in).
    Index nbytes() const;                                                              ///< Bytes that the numbers take.
    bool defined() const;                                                              ///< Whether there are numbers.
    const std::variant<Tensor, QuantizedTensor>& numbers() const { return numbers_; }  ///< The numbers themselves.

private:
    std::variant<Tensor, QuantizedTensor> numbers_;
};

/// The kinds of models that a Decoder runs.
enum class DecoderKind {
    gpt2,   ///< Radford et al. (2019): layer norm, learned positions, gelu.
    llama,  ///< Touvron et al. (2023): RMS norm, rotary positions, a gated feed-forward part, few keys and values.
};

/// The size of a Decoder.
struct DecoderSize {
    DecoderKind kind = DecoderKind::gpt2;  ///< what its blocks are made of
    Index tokens = 0;                      ///< size of the vocabulary
    Index time = 0;                        ///< longest sequence (context length)
    Index layers = 0;                      ///< number of blocks
    Index width = 0;                       ///< width of the embeddings
    Index heads = 0;                       ///< number of query heads in a block; divides the width
    Index key_heads = 0;                   ///< number of heads with keys and values; divides `heads`
    Index hidden = 0;                      ///< width between the two fully connected layers
    double epsilon = 1e-5;                 ///< added to the variance in the norms
    double rotary_base = 10000;            ///< base of the rotary positions
};

/// One block of a Decoder. In a llama all biases are undefined, in a gpt2 the gate is.
struct StoredBlock {
    Tensor attention_norm;       ///< scale of the norm before attention
    Tensor attention_norm_bias;  ///< shift of that norm
    StoredMatrix queries;        ///< (width, width)
    StoredMatrix keys;           ///< (width of the key heads, width)
    StoredMatrix values;         ///< of the same shape
    StoredMatrix out;            ///< (width, width): combines the heads
    Tensor query_bias;           ///< bias of `queries`
    Tensor key_bias;             ///< bias of `keys`
    Tensor value_bias;           ///< bias of `values`
    Tensor out_bias;             ///< bias of `out`
    Tensor hidden_norm;          ///< scale of the norm before the fully connected layers
    Tensor hidden_norm_bias;     ///< shift of that norm
    StoredMatrix gate;           ///< (hidden, width): what a llama multiplies the hidden numbers by, after silu()
    StoredMatrix up;             ///< (hidden, width)
    StoredMatrix down;           ///< (width, hidden)
    Tensor up_bias;              ///< bias of `up`
    Tensor down_bias;            ///< bias of `down`
};

/// A decoder-only Transformer that generates: it reads new tokens after those in its caches. For training there is Gpt.
///
/// The query heads of a llama are divided into groups of neighbours that share the keys and values of one head (Ainslie
/// et al., 2023). Nothing is recorded on the tape.
struct Decoder {
    DecoderSize size;                 ///< sizes and kind
    StoredMatrix words;               ///< (tokens, width): embeds tokens
    Tensor places;                    ///< (time, width): embeds positions; undefined in a llama
    std::vector<StoredBlock> blocks;  ///< in the order in which they run
    Tensor last;                      ///< scale of the norm before the scores
    Tensor last_bias;                 ///< shift of that norm; undefined in a llama
    StoredMatrix scores;              ///< (tokens, width)
    bool tied = false;                ///< whether `scores` are `words`, which a file then holds once
    bool exact_gelu = false;          ///< gelu() instead of gelu_tanh(), with which GPT-2 was trained
    Tensor turns;                     ///< the angles of the rotary positions; undefined in a gpt2

    /// Scores of the token after each of the new tokens; keys and values are appended to the caches.
    /// @param tokens  (time)   @param caches  from caches()
    /// @return        (time, tokens)
    /// @throws Error when a token is out of range or the caches are full
    Tensor operator()(const Integers& tokens, std::vector<KeyValueCache>& caches) const;
    /// The same for the last of the new tokens alone, of which there is at least one. @return (1, tokens)
    Tensor next(const Integers& tokens, std::vector<KeyValueCache>& caches) const;

    /// An empty cache for `capacity` tokens for every block. @throws Error when that is more than `size.time`
    std::vector<KeyValueCache> caches(Index capacity) const;

    Index nbytes() const;  ///< Bytes of all weights, each counted once.
};

/// A Gpt as a Decoder that shares its numbers. @param format  if given, matrices are stored in these blocks
Decoder decoder_of(const Gpt& model, const BlockFormat* format = nullptr);

/// Reads a model of the architecture `gpt2` or `llama` from a GGUF file. @throws Error `path: byte N: reason`, also when
/// tensors are missing or have other shapes than the notes say
Decoder read_decoder(const io::GgufFile& source, Device device = Device::cpu);

/// Writes a model as llama.cpp names its parts, safe against crashes.
/// @param notes  added to those that describe the model, such as its tokenizer
/// @throws Error when the file cannot be written
void write_decoder(const std::string& path, const Decoder& model, io::GgufNotes notes = {});

}  // namespace RECTO::nn
