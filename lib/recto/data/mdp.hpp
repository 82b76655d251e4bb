#pragma once
/// @file
/// Markov decision processes: a state, an action, and the probabilities of what comes next.
#include <concepts>
#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <recto/base/check.hpp>
#include <recto/core/random.hpp>

namespace RECTO::data {

/// One thing that may follow an action.
template <class State>
struct Outcome {
    double probability;  ///< How likely it is.
    State next;          ///< The next state; without meaning if the episode ends.
    double reward;       ///< The reward of this step.
    bool ends;           ///< Whether the episode ends with this step.
};

/// What every Markov decision process has: a number of actions, a list of equally likely first states, and a list of
/// outcomes for each state and action. The probabilities of a list sum to 1.
template <class Game>
concept Mdp = requires(const Game& game, const typename Game::State& state, Index action) {
    { game.actions() } -> std::same_as<Index>;
    { game.starts() } -> std::same_as<std::vector<typename Game::State>>;
    { game.outcomes(state, action) } -> std::same_as<std::vector<Outcome<typename Game::State>>>;
};

/// A random first state.
template <Mdp Game>
typename Game::State start(const Game& game, Generator& random) {
    const std::vector<typename Game::State> all = game.starts();
    return all[std::size_t(random.next_integer(0, Index(all.size())))];
}

/// One step of the process: an outcome drawn with its probability.
template <Mdp Game>
Outcome<typename Game::State> play(const Game& game, const typename Game::State& state, Index action,
                                   Generator& random) {
    const std::vector<Outcome<typename Game::State>> all = game.outcomes(state, action);
    double left = all.size() > 1 ? random.next_uniform() : 0;
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        if (left < all[i].probability) return all[i];
        left -= all[i].probability;
    }
    return all.back();
}

/// A process whose states are the numbers 0 to n - 1, with a list of outcomes for each state and action.
class MdpTable {
public:
    using State = Index;  ///< The number of a state.

    /// @param starts    the equally likely first states
    /// @param outcomes  the list of state s and action a has the number s * actions + a
    /// @throws Error unless each list holds probabilities that sum to 1, and states of the table
    MdpTable(Index states, Index actions, std::vector<Index> starts, std::vector<std::vector<Outcome<Index>>> outcomes);

    Index states() const { return states_; }                      ///< The number of states.
    Index actions() const { return actions_; }                    ///< The number of actions, the same in every state.
    const std::vector<Index>& first() const { return starts_; }   ///< The first states, without a copy.
    std::vector<Index> starts() const { return starts_; }         ///< The equally likely first states.
    std::vector<Outcome<Index>> outcomes(Index s, Index a) const  ///< What may follow; a copy of row().
    {
        return row(s, a);
    }
    /// What may follow action `a` in state `s`. @throws Error when there is no such state or action
    const std::vector<Outcome<Index>>& row(Index s, Index a) const;

private:
    Index states_, actions_;
    std::vector<Index> starts_;
    std::vector<std::vector<Outcome<Index>>> outcomes_;
};

/// A process as a table, and the state behind each number.
template <class State>
struct Tabulated {
    MdpTable table;             ///< The process with numbers for states.
    std::vector<State> states;  ///< The state that each number stands for.
};

/// Numbers all states that can be reached from a first state, in the order in which they are found. States must have an
/// order (`<`). @throws Error when there are more than `most`
template <Mdp Game>
Tabulated<typename Game::State> tabulate(const Game& game, Index most = 1000000) {
    using State = typename Game::State;
    std::map<State, Index> numbers;
    std::vector<State> states;
    const auto number = [&](const State& state) {
        const auto [at, fresh] = numbers.try_emplace(state, Index(states.size()));
        if (fresh) states.push_back(state);
        check(Index(states.size()) <= most, "tabulate: wanted at most {} states, got more", most);
        return at->second;
    };
    std::vector<Index> starts;
    for (const State& state : game.starts()) starts.push_back(number(state));
    std::vector<std::vector<Outcome<Index>>> outcomes;
    for (std::size_t s = 0; s < states.size(); ++s)
        for (Index a = 0; a < game.actions(); ++a) {
            const State from = states[s];
            std::vector<Outcome<Index>> list;
            for (const Outcome<State>& o : game.outcomes(from, a))
                list.push_back({o.probability, o.ends ? Index(s) : number(o.next), o.reward, o.ends});
            outcomes.push_back(std::move(list));
        }
    return {MdpTable(Index(states.size()), game.actions(), std::move(starts), std::move(outcomes)), std::move(states)};
}

/// The optimal action values by value iteration: Q(s, a) stands at s * actions + a.
///
/// Sweeps until no value changes by more than `tolerance`.
/// @throws Error unless 0 <= discount < 1 and tolerance > 0
std::vector<double> optimal_values(const MdpTable& table, double discount, double tolerance = 1e-13);

/// The number of the largest value, the first of equals. @throws Error without values
Index best_action(std::span<const Real> values);
/// With probability `epsilon` an action drawn uniformly from all, otherwise the best; several that are equally good are
/// equally likely.
/// @throws Error when there is no action, or `epsilon` is not a probability
Index epsilon_greedy(std::span<const Real> values, double epsilon, Generator& random);

}  // namespace RECTO::data
