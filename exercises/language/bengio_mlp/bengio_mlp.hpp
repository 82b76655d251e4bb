#pragma once
#include <cmath>
#include <random>

#include <recto/autograd/tape.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/reductions/log_softmax.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/shapes/views.hpp>

// The network of Bengio and others (2003). All five tensors are leaves of the tape: requires_grad_() marks them.
struct Model {
    recto::Tensor embedding;      // (symbols, width): C, one row for each symbol
    recto::Tensor hidden_weight;  // (context * width, hidden)
    recto::Tensor hidden_bias;    // (hidden)
    recto::Tensor output_weight;  // (hidden, symbols)
    recto::Tensor output_bias;    // (symbols)
};

// A model for 27 symbols, a context of 3, an embedding of 10 and 200 hidden units, with random weights. The same seed
// gives the same model.
Model make_model(unsigned seed);

// The score of each symbol as the next one, (batch, symbols). `contexts`, (batch, context), holds the symbols before it.
// All sizes come from the tensors.
recto::Tensor logits(const Model& model, const recto::Integers& contexts);

// The mean of -log p(target), a tensor of shape (). `logits` is (batch, symbols), `targets` is (batch).
recto::Tensor loss(const recto::Tensor& logits, const recto::Integers& targets);

// One step of gradient descent on these samples: subtracts `rate` times its gradient from each of the five tensors.
void step(Model& model, const recto::Integers& contexts, const recto::Integers& targets, float rate);

// Trains the model on these samples. The batch size, the learning rate and the number of steps are yours to choose.
void train(Model& model, const recto::Integers& contexts, const recto::Integers& targets);

namespace kit {
// Shows the progress of a training run, from 0 to 1, and its loss. Calling it is up to you.
void progress(double done, double loss);
}  // namespace kit
