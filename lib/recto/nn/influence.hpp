#pragma once
/// @file
/// Which inputs a sequence model's outputs depend on, measured by changing them.
#include <functional>

#include <recto/core/random.hpp>

namespace RECTO::nn {

/// A model of sequences of tokens: (1, time) to anything (1, outputs, ...).
using SymbolModel = std::function<Tensor(const Integers& tokens)>;
/// A model of sequences of vectors: (1, time, width) to anything (1, outputs, ...).
using VectorModel = std::function<Tensor(const Tensor& x)>;

/// How far each input position changes each output position: (outputs, time); entry (t, s) is the largest change of any
/// element of output t when only the token at s changes. Tries every other token at every position of some random
/// sequences. Exactly 0 means that no element changed; a NaN that appears or disappears counts as inf.
///
/// One change proves dependence; independence is only supported by many trials without a change.
/// @param model    called time * (symbols - 1) + 1 times for each sequence
/// @param time     length of the sequences
/// @param symbols  tokens are drawn from 0 to symbols - 1; at least 2
/// @param trials   number of sequences
/// @throws Error when sizes are out of range, or outputs change their shape or have a first axis other than 1
Tensor influence(const SymbolModel& model, Index time, Index symbols, Generator& random, Index trials = 8);

/// influence() for sequences of vectors: at each position in turn, another normal vector replaces the vector.
Tensor vector_influence(const VectorModel& model, Index time, Index width, Generator& random, Index trials = 8);

/// Whether output t depends only on inputs up to t - delay. With a delay of 1 this is causality of a next-token model;
/// with 0 an output may also see its own position.
/// @param influence  from influence(). @throws Error unless it has two axes
bool is_causal(const Tensor& influence, Index delay = 1);

}  // namespace RECTO::nn
