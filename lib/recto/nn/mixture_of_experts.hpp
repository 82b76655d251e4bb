#pragma once
/// @file
/// A mixture of experts: many small perceptrons, of which a router chooses a few for each token.
#include <vector>

#include <recto/core/integers.hpp>
#include <recto/nn/linear.hpp>

namespace RECTO::nn {

/// The size of a MixtureOfExperts.
struct MixtureSize {
    Index width;       ///< width of a token
    Index hidden;      ///< hidden units of an expert
    Index experts;     ///< number E of routed experts
    Index chosen;      ///< number k of routed experts that run for a token
    Index shared = 0;  ///< number of experts that run for every token
};

/// A perceptron with one hidden layer.
struct Expert {
    Linear widen;   ///< (width) to (hidden), then gelu
    Linear narrow;  ///< (hidden) to (width)

    /// (..., width) to the same shape.
    Tensor operator()(const Tensor& x) const { return narrow(widen(x, gelu)); }
    /// Names its parts.
    void visit(auto&& part) { part("widen", widen), part("narrow", narrow); }
};

/// What the router of a MixtureOfExperts decides for some tokens.
struct Routing {
    Tensor probabilities;  ///< (tokens, E): a softmax of the router's scores
    Tensor gates;          ///< (tokens, k): the k largest probabilities of each token
    Integers experts;      ///< (tokens, k): the experts that have them
};

/// A sparse layer: each token runs through the k experts of largest probability and through all shared ones,
///
/// \f[ y = \sum_{e \in \mathrm{top}\text{-}k(g(x))} g_e(x)\, E_e(x) + \sum_s S_s(x), \qquad g(x) = \mathrm{softmax}(W x) .
/// \f]
///
/// As in Fedus et al. 2022, *Switch transformers*, the chosen probabilities are not divided by their sum, so that the
/// router has a gradient for k = 1 too. The tokens of an expert pass through it as one batch; an expert without tokens
/// does not run. The host reads the choice, so a GPU waits for it.
struct MixtureOfExperts {
    Index chosen;                 ///< k
    Linear router;                ///< (width) to (E), without a bias
    std::vector<Expert> experts;  ///< the routed experts
    std::vector<Expert> shared;   ///< the experts that always run

    /// Initialises the weights. @throws Error when a size is negative, or unless 1 <= chosen <= experts
    MixtureOfExperts(const MixtureSize& size, Generator& random, Device device = Device::cpu);

    /// Chooses the experts of each token. @param x  (tokens, width)
    Routing route(const Tensor& x) const;
    /// Runs tokens through the chosen experts and the shared ones. @param x  (tokens, width)   @return  the same shape
    Tensor mix(const Tensor& x, const Routing& routing) const;
    /// mix() with the experts of route(): (..., width) to the same shape.
    Tensor operator()(const Tensor& x) const;

    /// Names its parts.
    void visit(auto&& part) { part("router", router), part("experts", experts), part("shared", shared); }
};

/// The load-balancing loss of Fedus et al. 2022, \f$ E \sum_e f_e\, \bar g_e \f$: the share of the choices that fell on an
/// expert times its mean probability. It is 1 when all experts are chosen equally often or have equal mean probability, and
/// E when one expert takes everything. The gradient reaches the probabilities.
Tensor balance_loss(const Routing& routing);

}  // namespace RECTO::nn
