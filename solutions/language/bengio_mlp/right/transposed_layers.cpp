// Samples as columns, and the loss from a logsumexp.
#include "bengio_mlp.hpp"

#include <cmath>
#include <random>

using namespace recto;

namespace {

Tensor normal(const Shape& shape, double deviation, std::mt19937& random) {
    std::normal_distribution<float> draw(0, float(deviation));
    Tensor x = zeros(shape);
    Real* at = x.write();
    for (Index i = 0; i < x.numel(); ++i) at[i] = draw(random);
    return x.requires_grad_();
}

}  // namespace

Model make_model(unsigned seed) {
    std::mt19937 random(seed);
    Model model;
    model.embedding = normal({27, 10}, 1, random);
    model.hidden_weight = normal({30, 200}, 1 / std::sqrt(30.0), random);
    model.hidden_bias = zeros({200}).requires_grad_();
    model.output_weight = normal({200, 27}, 0.01, random);
    model.output_bias = zeros({27}).requires_grad_();
    return model;
}

Tensor logits(const Model& model, const Integers& contexts) {
    const Tensor rows = flatten(index_rows(model.embedding, contexts));
    // Samples as columns: both layers are multiplied from the left.
    const Index hidden = model.hidden_bias.numel(), symbols = model.output_bias.numel();
    const Tensor inner = matmul(transpose(model.hidden_weight), transpose(rows)) + reshape(model.hidden_bias, {hidden, 1});
    const Tensor outer = matmul(transpose(model.output_weight), tanh(inner)) + reshape(model.output_bias, {symbols, 1});
    return transpose(outer);
}

Tensor loss(const Tensor& logits, const Integers& targets) {
    const Tensor hot = one_hot(targets, logits.size(1));
    return sum(hot * (logsumexp(logits, {1}, Keep::yes) - logits)) * (1 / double(targets.numel()));
}

void step(Model& model, const Integers& contexts, const Integers& targets, float rate) {
    loss(logits(model, contexts), targets).backward();
    for (Tensor* p :
         {&model.embedding, &model.hidden_weight, &model.hidden_bias, &model.output_weight, &model.output_bias}) {
        p->copy_(p->detach() - p->grad() * rate);
        p->zero_grad();
    }
}

void train(Model& model, const Integers& contexts, const Integers& targets) {
    const int steps = 16000, batch = 128;
    const Index length = contexts.size(1);
    std::mt19937 random(1);
    std::uniform_int_distribution<Index> draw(0, targets.numel() - 1);
    for (int n = 0; n < steps; ++n) {
        Integers x({batch, length}), y({batch});
        for (int i = 0; i < batch; ++i) {
            const Index at = draw(random);
            for (Index k = 0; k < length; ++k) x.write()[i * length + k] = contexts.data()[at * length + k];
            y.write()[i] = targets.data()[at];
        }
        if (n % 200 == 0) kit::progress(double(n) / steps, loss(logits(model, x), y).item());
        step(model, x, y, n < steps * 0.7 ? 0.2f : 0.02f);
    }
}
