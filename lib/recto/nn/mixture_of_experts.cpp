#include <recto/nn/mixture_of_experts.hpp>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/indexing/top_k.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO::nn {

MixtureOfExperts::MixtureOfExperts(const MixtureSize& size, Generator& random, Device device)
    : chosen(size.chosen), router(size.width, size.experts, random, {.bias = false, .device = device}) {
    check(size.chosen >= 1 && size.chosen <= size.experts,
          "MixtureOfExperts: wanted from 1 to {} chosen experts, got {}", size.experts, size.chosen);
    check(size.shared >= 0, "MixtureOfExperts: wanted shared >= 0, got {}", size.shared);
    const auto add = [&](std::vector<Expert>& to, Index count) {
        for (Index e = 0; e < count; ++e)
            to.push_back({Linear(size.width, size.hidden, random, {.device = device}),
                          Linear(size.hidden, size.width, random, {.device = device})});
    };
    add(experts, size.experts), add(shared, size.shared);
}

Routing MixtureOfExperts::route(const Tensor& x) const {
    const Tensor probabilities = softmax(router(x));
    const TopK best = top_k(probabilities, chosen);
    return {probabilities, best.values, best.places};
}

Tensor MixtureOfExperts::mix(const Tensor& x, const Routing& routing) const {
    const Index tokens = x.size(0), k = routing.experts.size(1);
    const std::vector<Index> choice = routing.experts.values();
    std::vector<std::vector<Index>> readers(experts.size());  // the choices of each expert
    for (std::size_t i = 0; i < choice.size(); ++i) readers[std::size_t(choice[i])].push_back(Index(i));
    std::vector<Tensor> results;
    std::vector<Index> place(choice.size());  // the row of each choice in the joined results
    Index row = 0;
    for (std::size_t e = 0; e < experts.size(); ++e) {
        if (readers[e].empty()) continue;
        std::vector<Index> rows;
        for (const Index i : readers[e]) rows.push_back(i / k), place[std::size_t(i)] = row++;
        results.push_back(experts[e](index_rows(x, Integers({Index(rows.size())}, rows, x.device()))));
    }
    if (results.empty()) return x;  // no token
    const Tensor found = index_rows(concat(results), Integers({tokens, k}, place, x.device()));
    Tensor y = sum(found * reshape(routing.gates, {tokens, k, 1}), {1});
    for (const Expert& expert : shared) y = y + expert(x);
    return y;
}

Tensor MixtureOfExperts::operator()(const Tensor& x) const {
    const Tensor tokens = reshape(x, {x.numel() / router.weight.size(1), router.weight.size(1)});
    return reshape(mix(tokens, route(tokens)), x.shape());
}

Tensor balance_loss(const Routing& routing) {
    const Index experts = routing.probabilities.size(1);
    const Tensor share = mean(one_hot(routing.experts, experts), {0, 1});
    return sum(share * mean(routing.probabilities, {0})) * Real(experts);
}

}  // namespace RECTO::nn
