#pragma once
/// @file
/// What a model of sequences really looks at, found by trying.
#include <functional>

#include <recto/core/random.hpp>

namespace RECTO::nn {

/// A model of sequences of symbols: tokens (1, time) to anything (1, outputs, ...).
using SymbolModel = std::function<Tensor(const Integers& tokens)>;
/// A model of sequences of vectors: (1, time, width) to anything (1, outputs, ...).
using VectorModel = std::function<Tensor(const Tensor& x)>;

/// Which place of the input moves which place of the output, and how far: (outputs, time), entry (t, s) is the largest
/// change of any number of output t when the symbol at s, and nothing else, becomes another. Tries every other symbol in
/// every place of some random sequences. Exactly 0 means that not one number changed; a NaN that comes or goes counts
/// as inf.
///
/// That something depends is proved by one change. That it does not is only supported by many trials without one.
/// @param model    is asked time * (symbols - 1) + 1 times for each sequence
/// @param time     how long sequences are
/// @param symbols  tokens are drawn from 0 to symbols - 1; at least 2
/// @param trials   how many sequences are drawn
/// @throws Error when sizes are out of range, or outputs have changing shapes or another first axis than 1
Tensor influence(const SymbolModel& model, Index time, Index symbols, Generator& random, Index trials = 8);

/// The same for sequences of vectors: at each place in turn the vector becomes another normal one.
Tensor vector_influence(const VectorModel& model, Index time, Index width, Generator& random, Index trials = 8);

/// Does output t follow only from inputs up to t - delay? With a delay of 1 that is what a causal model of the next
/// symbol promises; with 0 an output may see its own place too.
/// @param influence  from influence(). @throws Error unless it has two axes
bool is_causal(const Tensor& influence, Index delay = 1);

}  // namespace RECTO::nn
