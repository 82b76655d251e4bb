#pragma once
/// @file
/// Counted contexts: an n-gram language model, the table of how often each symbol followed each context.
#include <array>
#include <map>

#include <recto/data/words.hpp>

namespace RECTO::data {

/// An n-gram model: how often each symbol followed each context. With contexts of one symbol it is the table of
/// bigrams.
///
/// \f[ p(i \mid c) = \frac{n_{ci} + a}{\sum_j (n_{cj} + a)} \f]
///
/// where a is the smoothing. A context that never came up gives all 27 symbols the same probability.
class ContextTable {
public:
    /// @param seen       what is counted
    /// @param smoothing  what is added to every count. @throws Error unless it is at least 0
    explicit ContextTable(const Contexts& seen, double smoothing = 0);

    /// Mean negative log-likelihood of places in nats; infinite when the model assigns probability 0 to one of them.
    /// @throws Error when their contexts have another length, or there are none
    double nll(const Contexts& places) const;
    /// The share of places whose context was never counted. @throws Error as nll() does
    double unseen(const Contexts& places) const;
    /// How many different contexts were counted.
    Index size() const { return Index(rows_.size()); }

private:
    template <class Use>
    void each(const Contexts& places, const Use& use) const;

    Index length_;
    double smoothing_;
    std::map<std::vector<Index>, std::array<Index, 27>> rows_;
};

}  // namespace RECTO::data
