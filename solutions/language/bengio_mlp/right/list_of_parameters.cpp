// The rate multiplies the loss, and a list holds the parameters.
#include "bengio_mlp.hpp"

#include <cmath>
#include <random>
#include <vector>

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
    const Tensor hidden = tanh(matmul(rows, model.hidden_weight) + model.hidden_bias);
    return matmul(hidden, model.output_weight) + model.output_bias;
}

Tensor loss(const Tensor& logits, const Integers& targets) {
    const Tensor chosen = log_softmax(logits) * one_hot(targets, logits.size(1));
    return sum(chosen) / -double(targets.numel());
}

std::vector<Tensor*> parameters(Model& model) {
    return {&model.output_bias, &model.output_weight, &model.hidden_bias, &model.hidden_weight, &model.embedding};
}

void step(Model& model, const Integers& contexts, const Integers& targets, float rate) {
    // The loss times the rate has the gradients times the rate.
    for (Tensor* p : parameters(model)) p->zero_grad();
    (loss(logits(model, contexts), targets) * double(rate)).backward();
    for (Tensor* p : parameters(model)) p->copy_(p->detach() - p->grad());
    for (Tensor* p : parameters(model)) p->zero_grad();
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
