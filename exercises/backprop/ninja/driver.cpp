// Takes a model, a batch and the incoming gradient, runs the forward pass, then one of the student's functions.
#include "driver.hpp"

#include "ninja.hpp"

namespace {

Batch batch_of(const std::vector<int>& letters, const std::vector<int>& targets) {
    Batch batch;
    batch.targets = targets;
    const std::size_t length = letters.size() / targets.size();
    for (std::size_t n = 0; n < targets.size(); ++n)
        batch.contexts.emplace_back(letters.begin() + std::ptrdiff_t(n * length),
                                    letters.begin() + std::ptrdiff_t((n + 1) * length));
    return batch;
}

// `comes_in` is the gradient that the function finds in d, or nullptr; `due` are the gradients that it fills.
template <auto function, auto comes_in, auto... due>
void one(kit::Arguments& in, kit::Answer& out) {
    const auto letters = in.next<std::vector<int>>(), targets = in.next<std::vector<int>>();
    Model m;
    for (Matrix* matrix : {&m.table, &m.weights1, &m.bias1, &m.gain, &m.offset, &m.weights2, &m.bias2})
        in.read(*matrix);
    const Batch batch = batch_of(letters, targets);
    Gradients d;
    if constexpr (comes_in != nullptr) in.read(d.*comes_in);
    function(m, batch, forward(m, batch), d);
    (out.write(d.*due), ...);
}

using G = Gradients;
const kit::Function functions[] = {
    {"through_loss", one<through_loss, nullptr, &G::logs, &G::probabilities>},
    {"through_division", one<through_division, &G::probabilities, &G::inverse_sum, &G::sum, &G::powers>},
    {"through_exponential", one<through_exponential, &G::powers, &G::lowered, &G::largest, &G::logits>},
    {"through_output", one<through_output, &G::logits, &G::hidden, &G::weights2, &G::bias2>},
    {"through_tanh", one<through_tanh, &G::hidden, &G::scaled, &G::gain, &G::offset, &G::normalised>},
    {"through_deviation", one<through_deviation, &G::normalised, &G::inverse, &G::variance, &G::squared, &G::centred>},
    {"through_mean", one<through_mean, &G::centred, &G::mean, &G::linear>},
    {"through_input", one<through_input, &G::linear, &G::joined, &G::weights1, &G::bias1>},
    {"through_table", one<through_table, &G::joined, &G::embedded, &G::table>},
    {"fused_softmax", fused_softmax},
    {"fused_norm", fused_norm},
};

}  // namespace
