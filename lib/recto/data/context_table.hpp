#pragma once
/// @file
/// An n-gram language model: counts of how often each symbol followed each context.
#include <array>
#include <map>

#include <recto/data/words.hpp>

namespace RECTO::data {

/// An n-gram model: how often each symbol followed each context. With contexts of one symbol it is the table of
/// bigrams.
///
/// \f[ p(i \mid c) = \frac{n_{ci} + a}{\sum_j (n_{cj} + a)} \f]
///
/// where a is the smoothing. An unseen context has equal probabilities for all 27 symbols.
class ContextTable {
public:
    /// @param seen       the contexts to count
    /// @param smoothing  added to every count. @throws Error unless it is at least 0
    explicit ContextTable(const Contexts& seen, double smoothing = 0);

    /// Mean negative log-likelihood of positions in nats; infinite if the model assigns probability 0 to one of them.
    /// @throws Error when their contexts have another length, or there are no positions
    double nll(const Contexts& places) const;
    /// The fraction of positions with unseen contexts. @throws Error as nll()
    double unseen(const Contexts& places) const;
    /// The number of different contexts counted.
    Index size() const { return Index(rows_.size()); }

private:
    template <class Use>
    void each(const Contexts& places, const Use& use) const;

    Index length_;
    double smoothing_;
    std::map<std::vector<Index>, std::array<Index, 27>> rows_;
};

}  // namespace RECTO::data
