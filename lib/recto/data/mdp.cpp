#include <recto/data/mdp.hpp>

#include <algorithm>
#include <cmath>

namespace RECTO::data {

MdpTable::MdpTable(Index states, Index actions, std::vector<Index> starts,
                   std::vector<std::vector<Outcome<Index>>> outcomes)
    : states_(states), actions_(actions), starts_(std::move(starts)), outcomes_(std::move(outcomes)) {
    check(states >= 1 && actions >= 1, "MdpTable: wanted at least 1 state and 1 action, got {} and {}", states,
          actions);
    check(Index(outcomes_.size()) == states * actions, "MdpTable: wanted {} lists of outcomes, got {}",
          states * actions, outcomes_.size());
    check(!starts_.empty(), "MdpTable: wanted at least 1 first state, got none");
    for (const Index s : starts_)
        check(s >= 0 && s < states, "MdpTable: wanted first states from 0 to {}, got {}", states - 1, s);
    for (std::size_t row = 0; row < outcomes_.size(); ++row) {
        double sum = 0;
        for (const Outcome<Index>& o : outcomes_[row]) {
            check(o.probability >= 0, "MdpTable: wanted probabilities of at least 0, got {}", o.probability);
            check(o.next >= 0 && o.next < states, "MdpTable: wanted next states from 0 to {}, got {}", states - 1,
                  o.next);
            sum += o.probability;
        }
        check(std::abs(sum - 1) <= 1e-9,
              "MdpTable: wanted probabilities that sum to 1 for state {} and action {}, got a sum of {}",
              Index(row) / actions, Index(row) % actions, sum);
    }
}

const std::vector<Outcome<Index>>& MdpTable::row(Index s, Index a) const {
    check(s >= 0 && s < states_ && a >= 0 && a < actions_,
          "MdpTable: wanted a state below {} and an action below {}, got {} and {}", states_, actions_, s, a);
    return outcomes_[std::size_t(s * actions_ + a)];
}

std::vector<double> optimal_values(const MdpTable& table, double discount, double tolerance) {
    check(discount >= 0 && discount < 1, "optimal_values: wanted a discount of at least 0 and below 1, got {}",
          discount);
    check(tolerance > 0, "optimal_values: wanted a tolerance above 0, got {}", tolerance);
    const Index actions = table.actions();
    std::vector<double> q(std::size_t(table.states() * actions)), best(std::size_t(table.states()));
    for (double change = 1; change > tolerance;) {
        change = 0;
        for (Index s = 0; s < table.states(); ++s)
            best[std::size_t(s)] = *std::max_element(q.begin() + s * actions, q.begin() + (s + 1) * actions);
        for (Index s = 0; s < table.states(); ++s)
            for (Index a = 0; a < actions; ++a) {
                double value = 0;
                for (const Outcome<Index>& o : table.row(s, a))
                    value += o.probability * (o.reward + (o.ends ? 0 : discount * best[std::size_t(o.next)]));
                double& old = q[std::size_t(s * actions + a)];
                change = std::max(change, std::abs(value - old));
                old = value;
            }
    }
    return q;
}

Index best_action(std::span<const Real> values) {
    check(!values.empty(), "best_action: wanted at least 1 action, got none");
    return Index(std::max_element(values.begin(), values.end()) - values.begin());
}

Index epsilon_greedy(std::span<const Real> values, double epsilon, Generator& random) {
    check(!values.empty(), "epsilon_greedy: wanted at least 1 action, got none");
    check(epsilon >= 0 && epsilon <= 1, "epsilon_greedy: wanted a probability, got {}", epsilon);
    if (random.next_uniform() < epsilon) return random.next_integer(0, Index(values.size()));
    const Index best = best_action(values);
    const auto equal = Index(std::count(values.begin(), values.end(), values[std::size_t(best)]));
    if (equal <= 1) return best;
    Index skip = random.next_integer(0, equal), a = best;
    while (values[std::size_t(a)] != values[std::size_t(best)] || skip-- > 0) ++a;
    return a;
}

}  // namespace RECTO::data
