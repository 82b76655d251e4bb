// # Markov decision processes: what is a state worth?
//
// ```{rows} sys-mdp eq-return sys-policy eq-6.1
// ```
//
// A robot wants to reach its charger, in the corner marked +1. Three pits lie beside the short path. Its wheels slip,
// and a slip to the side can end in a pit. Should it take the short path? No label says so, and a reward comes only at
// the end. {numref}`fig-grid` shows how much each cell is worth, and the best move from it. Move the slider: on a dry
// floor the robot runs past the pits, and on a slippery one it takes the long way. This page computes both numbers and
// arrows exactly. **Reinforcement learning** begins where the probabilities are unknown, and solves the same equations.
//
// ```{opening} fig-grid
// ```
//- includes, names and options
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/breakout.hpp>
#include <recto/data/catch_game.hpp>
#include <recto/data/gridworld.hpp>
#include <recto/data/mdp.hpp>
#include <recto/figure/figure.hpp>
#include <recto/linalg/matrix.hpp>
#include <recto/linalg/solve.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::say;
using data::Gridworld, data::MdpTable, data::Outcome;
using figure::Figure;
using linalg::Matrix, linalg::Vector;

const book::Option<double> slip("slip", 0.1, "probability that a move goes to the side",
                                {.least = 0.0, .most = 1.0});
const book::Option<Index> episodes("episodes", 20'000,
                                   "episodes that estimate the return",
                                   {.quick = 2000, .least = 100, .most = 1'000'000});

const double discount = 0.9;
using Policy = std::vector<Index>;  // an action for each state
// Defined further down:
double look_ahead(const MdpTable& mdp, const Vector& v, Index s, Index a, double gamma);
Vector value_of(const MdpTable& mdp, const Policy& policy, double gamma);
Vector best_of(const Vector& q, Index actions);
Vector sweep(const MdpTable& mdp, const Vector& q, double gamma);
//-

// ## States, actions and chances
//
// The map is a list of rows: a dot is a free cell, `S` the start, `+` the charger and `-` a pit.
const std::vector<std::string> pits = {"......+",  //
                                       "S.---..",  //
                                       ".......",  //
                                       "......."};
const std::vector<std::string> small = {"..+",  //
                                        "..-",  //
                                        "..."};
//- how the first figure is drawn
const std::vector<std::string> arrows = {"↑", "→", "↓", "←"};

// What every cell of the map shows: a value, the reward of an end, or nothing for a wall.
std::vector<double> on_map(const Gridworld& grid, const std::vector<Index>& states,
                           const Vector& values) {
    std::vector<double> cells;
    for (Index cell = 0; cell < grid.rows() * grid.columns(); ++cell) {
        const char c = grid.at(cell);
        cells.push_back(c == '+'   ? 1
                        : c == '-' ? -1
                                   : std::numeric_limits<double>::quiet_NaN());
    }
    for (std::size_t s = 0; s < states.size(); ++s)
        cells[std::size_t(states[s])] = values[s];
    return cells;
}
figure::Names counted(Index n) {
    figure::Names names;
    for (Index i = 1; i <= n; ++i) names.push_back(std::to_string(i));
    return names;
}
// The arrows of a policy, each in its cell; (0, 0) is the cell in the corner at the top.
void draw_policy(Figure& figure, const Gridworld& grid,
                 const std::vector<Index>& states, const Policy& policy) {
    std::vector<double> x, y;
    std::vector<std::string> words;
    for (Index cell = 0; cell < grid.rows() * grid.columns(); ++cell) {
        const auto at = std::find(states.begin(), states.end(), cell);
        const char c = grid.at(cell);
        if (at == states.end() && c == '#') continue;
        x.push_back(double(cell % grid.columns()));
        y.push_back(-double(cell / grid.columns()));
        words.push_back(
            at != states.end()
                ? arrows[std::size_t(policy[std::size_t(at - states.begin())])]
            : c == '+' ? "+1"
                       : "−1");
    }
    figure.words("", x, y, words, {.color = figure::ink, .width = 18})
        .xlim(-0.5, double(grid.columns()) - 0.5)
        .ylim(0.5 - double(grid.rows()), 0.5)
        .tall(196)
        .bare();
}
Policy greedy(const MdpTable& mdp, const Vector& v, double gamma) {
    Policy policy;
    for (Index s = 0; s < mdp.states(); ++s) {
        Index best = 0;
        for (Index a = 1; a < mdp.actions(); ++a)
            if (look_ahead(mdp, v, s, a, gamma) >
                look_ahead(mdp, v, s, best, gamma) + 1e-12)
                best = a;
        policy.push_back(best);
    }
    return policy;
}

void draw_grid() {
    const std::vector<double> all = {0, 0.05, 0.1, 0.2, 0.3, 0.4};
    Figure figure("fig-grid");
    figure
        .describe(
            "A grid of 4 rows and 7 columns, twice. One copy has the value of each "
            "cell as a number and a colour; they grow towards the charger in the upper "
            "corner. The other has an arrow in each cell: the best move. A slider sets "
            "the probability of slipping. With 0 the arrows at the start lead past the "
            "pits, from 0.2 on they lead around them.")
        .slider(slip, all, "probability of slipping");
    figure.panel("value of each cell");
    const auto solved = [](double probability) {
        const Gridworld grid(pits, {.slip = probability});
        const auto found = data::tabulate(grid);
        return std::tuple(grid, found,
                          best_of(data::optimal_values(found.table, discount), 4));
    };
    for (const double p : figure::settings(slip, all)) {
        const auto [grid, found, v] = solved(p);
        figure.at(p).heatmap("", counted(grid.columns()), counted(grid.rows()),
                             on_map(grid, found.states, v), -1, 1);
    }
    figure.always().bare().panel("best move");
    for (const double p : figure::settings(slip, all)) {
        const auto [grid, found, v] = solved(p);
        figure.at(p);
        draw_policy(figure, grid, found.states, greedy(found.table, v, discount));
        figure.always();
        say("slip {}: the start is worth {:.3f}, and the best move there is {}", p,
            v[0], arrows[std::size_t(greedy(found.table, v, discount)[0])]);
    }
    figure.save(
        "The value of each cell, for a discount of 0.9, and the move that earns it. "
        "A slip takes the robot to one of the two sides of where it wants to go. On a "
        "very slippery floor the robot above the pits drives against the wall: then "
        "no slip can end in a pit.");
}
//-

// The cell is the **state**. The robot chooses one of four **actions**. The outcome is random: with a slip of 0.2 the
// move goes where it should with probability 0.8, and to each side with 0.1. The **reward** is 1 at the charger, −1 in a
// pit and 0 elsewhere, and both end the **episode**. States, actions, rewards and the probabilities of all outcomes are
// a **Markov decision process** (MDP). In the library, an MDP is any class with a function
// `outcomes(state, action)`, the concept `data::Mdp`. The same interface runs two games of
// [a later page](deep_q.cpp), Catch and a small Breakout.
//
// *Markov* means that the state holds all of the past that helps to predict the future. A cell does. On ice it does
// not: suppose that, half of the time, the robot glides on in the direction of its last move. Then two robots in one
// cell have different futures, and the state must be the cell *and* the last move.
//- the games against their laws, and what the past can tell
struct OnIce {  // with probability 1/2 the last move is repeated
    Gridworld grid;
    using State = std::pair<Index, Index>;  // the cell and the last move
    Index actions() const { return 4; }
    std::vector<State> starts() const {
        std::vector<State> all;
        for (const Index cell : grid.starts())
            for (Index move = 0; move < 4; ++move) all.push_back({cell, move});
        return all;
    }
    std::vector<Outcome<State>> outcomes(const State& s, Index action) const {
        std::vector<Outcome<State>> list;
        for (const Index move : {action, s.second})
            for (const Outcome<Index>& o : grid.outcomes(s.first, move))
                list.push_back({o.probability / 2, {o.next, move}, o.reward, o.ends});
        return list;
    }
};

// By how much does the probability of the next cell, given the cell and the action,
// change if the cell and the action before are known as well? All pairs of steps are
// enumerated, with equally likely first states and actions.
template <data::Mdp Game>
double past_tells(const Game& game, auto&& cell_of) {
    using Known = std::vector<Index>;
    std::map<Known, std::map<Index, double>> without, with;
    const auto states = data::tabulate(game).states;
    for (const auto& s0 : states)
        for (Index a0 = 0; a0 < game.actions(); ++a0)
            for (const auto& first : game.outcomes(s0, a0)) {
                if (first.ends) continue;
                for (Index a1 = 0; a1 < game.actions(); ++a1)
                    for (const auto& second : game.outcomes(first.next, a1)) {
                        const double p = first.probability * second.probability;
                        const Index c1 = cell_of(first.next), c2 = cell_of(second.next);
                        without[{c1, a1}][c2] += p;
                        with[{c1, a1, cell_of(s0), a0}][c2] += p;
                    }
            }
    double largest = 0;
    const auto total = [](const std::map<Index, double>& of) {
        double sum = 0;
        for (const auto& [cell, p] : of) sum += p;
        return sum;
    };
    for (const auto& [known, next] : with) {
        std::map<Index, double>& plain = without[{known[0], known[1]}];
        for (const auto& [cell, p] : plain) {
            const auto at = next.find(cell);
            const double given = at == next.end() ? 0 : at->second / total(next);
            largest = std::max(largest, std::abs(given - p / total(plain)));
        }
    }
    return largest;
}

// How far the frequencies of many drawn outcomes lie from these probabilities, in
// standard errors: the largest of all.
template <class Key>
double deviation(const std::map<Key, double>& wanted, auto&& draw) {
    const int n = 20'000;
    std::map<Key, int> seen;
    for (int i = 0; i < n; ++i) ++seen[draw()];
    double worst = 0;
    for (const auto& [key, count] : seen)
        if (!wanted.contains(key)) return std::numeric_limits<double>::infinity();
    for (const auto& [key, p] : wanted) {
        const double error = std::sqrt(p * (1 - p) / n),
                     gap = std::abs(double(seen[key]) / n - p);
        worst = std::max(worst, gap == 0 ? 0 : gap / error);
    }
    return worst;
}

void laws() {
    Generator random(book::seed());
    const Gridworld grid(pits, {.slip = 0.2});
    double worst = 0;
    int compared = 0;
    const auto compare = [&](const auto& wanted, auto&& draw) {
        ++compared;
        worst = std::max(worst, deviation(wanted, draw));
    };
    // gridworld: beside a pit, in a corner, and beside the charger
    const auto from = [&](Index cell, Index action) {
        return
            [&, cell, action] { return data::play(grid, cell, action, random).next; };
    };
    compare(std::map<Index, double>{{4, 0.8}, {3, 0.1}, {10, 0.1}},
            from(3, data::move_right));
    compare(std::map<Index, double>{{21, 0.9}, {22, 0.1}}, from(21, data::move_down));
    compare(std::map<Index, double>{{6, 0.8}, {12, 0.1}, {13, 0.1}},
            from(13, data::move_up));
    // Catch: the first column, the wind, and the calm below
    const data::CatchGame game;
    using Place = data::CatchGame::State;
    std::map<Index, double> columns;
    for (Index k = 0; k < 7; ++k) columns[k] = 1.0 / 7;
    compare(columns, [&] { return data::start(game, random).column; });
    const auto falls = [&](Place s, Index a) {
        return [&, s, a] { return data::play(game, s, a, random).next; };
    };
    compare(
        std::map<Place, double>{{{3, 3, 5}, 0.15}, {{3, 4, 5}, 0.7}, {{3, 5, 5}, 0.15}},
        falls({2, 4, 4}, 2));
    compare(std::map<Place, double>{{{1, 0, 0}, 0.85}, {{1, 1, 0}, 0.15}},
            falls({0, 0, 0}, 0));
    compare(std::map<Place, double>{{{7, 2, 3}, 1}}, falls({6, 2, 3}, 1));
    // Breakout: the first side, and where the paddle goes
    const data::Breakout bricks;
    compare(std::map<Index, double>{{0, 0.5}, {9, 0.5}},
            [&] { return data::start(bricks, random).column; });
    const data::Breakout::State ball{6, 4, 1, 1, 5, data::Breakout::all_bricks, 5, 3};
    std::map<std::tuple<Index, Index, Index>, double> paddles;
    for (Index paddle = 4; paddle <= 6; ++paddle)
        paddles[{7, 5, paddle}] = paddle == 4 ? 0.9 + 0.1 / 3 : 0.1 / 3;
    compare(paddles, [&] {
        const auto s = data::play(bricks, ball, 0, random).next;
        return std::tuple(s.row, s.column, s.paddle);
    });
    claim(
        "sys-mdp/a",
        fmt::format(
            "frequencies of 20,000 draws from each of {} distributions of gridworld, "
            "Catch and Breakout against the laws: largest deviation in standard errors",
            compared),
        worst, "<=", 4);

    const Gridworld floor(pits, {.slip = 0.25});
    const double dry = past_tells(floor, [](Index cell) { return cell; }),
                 ice = past_tells(OnIce{floor}, [](const auto&s) { return s.first; });
    claim("sys-mdp/b",
          "change of a probability of the next cell if the past is known, gridworld, "
          "largest of all histories of two steps",
          dry, "==", 0);
    claim("", "the same on ice, where the cell alone is no state", ice, ">=", 0.2);
}
//-

// ## Rewards later
//
// A reward in two steps should count less than a reward now: the robot should hurry. The **discount** $\gamma$ between
// 0 and 1 multiplies a reward for each step of delay. For $\gamma = 0.9$ the rewards 0, 0, 1 together count as
// $0 + 0.9 \cdot 0 + 0.9^2 \cdot 1 = 0.81$. This sum is the **return**. With bounded rewards it stays finite even if an
// episode never ends. What we want is its mean over all chances:
//
// ```{equation} eq-return
// :function: value_of
// \mathbb E \Big[ \sum_{t \ge 0} \gamma^t R_t \Big], \qquad 0 < \gamma < 1
// ```
//
// A **policy** $\pi$ is a rule that names an action for each state, $A_t = \pi(S_t)$. Once it is fixed, the process is a
// chain with the probabilities $P$ from state to state, and $r$ is the mean reward of the next step from each. The value
// $v$ of a state is that reward plus the discounted value of where the robot arrives: $v = r + \gamma P v$. These are
// linear equations:
Vector value_of(const MdpTable& mdp, const Policy& policy, double gamma) {
    Matrix a(mdp.states(), mdp.states());  // I - γ P
    Vector r(std::size_t(mdp.states()));
    for (Index s = 0; s < mdp.states(); ++s) {
        a(s, s) += 1;
        for (const Outcome<Index>& o : mdp.row(s, policy[std::size_t(s)])) {
            r[std::size_t(s)] += o.probability * o.reward;
            if (!o.ends) a(s, o.next) -= gamma * o.probability;
        }
    }
    return linalg::qr_least_squares(a, r);
}
//- the return by playing
void returns() {
    const MdpTable mdp = data::tabulate(Gridworld(pits, {.slip = 0.2})).table;
    const Policy policy = greedy(
        mdp, best_of(data::optimal_values(mdp, discount), mdp.actions()), discount);
    Generator random(book::seed());
    double sum = 0, squares = 0;
    for (Index i = 0; i < episodes(); ++i) {
        Index s = data::start(mdp, random);
        double total = 0, weight = 1;
        for (bool ends = false; !ends && weight > 1e-12; weight *= discount) {
            const Outcome<Index> o = data::play(mdp, s, policy[std::size_t(s)], random);
            total += weight * o.reward;
            s = o.next, ends = o.ends;
        }
        sum += total, squares += total * total;
    }
    const double n = double(episodes()), mean = sum / n,
                 error = std::sqrt((squares / n - mean * mean) / n),
                 exact = value_of(mdp, policy, discount)[0];
    say("from the start with a slip of 0.2: {:.4f} on average over {} episodes, {:.4f} "
        "by the equations",
        mean, episodes(), exact);
    claim("eq-return/a",
          "the mean return of played episodes against the linear equations, in "
          "standard errors",
          std::abs(mean - exact) / error, "<=", 4);
}
//-

// ## A better policy
//
// Suppose that the values of a policy are known. Then look one step ahead: what would each action bring if the robot
// followed the old policy afterwards?
double look_ahead(const MdpTable& mdp, const Vector& v, Index s, Index a,
                  double gamma) {
    double q = 0;
    for (const Outcome<Index>& o : mdp.row(s, a))
        q += o.probability * (o.reward + (o.ends ? 0 : gamma * v[std::size_t(o.next)]));
    return q;
}

// If the best action of some state beats the one that the policy names, switch. The new policy is at least as good in
// *every* state, because each switch raises what follows from there, and lowers nothing. **Policy iteration** computes
// the values, switches wherever that helps, and repeats until no switch helps {cite:p}`howard1960`.
//
// How many policies must it try? On a map of three by three cells with seven free ones there are $4^7$.
//- the question
struct Found {
    Policy policy;
    std::vector<Vector> values;  // of every policy on the way
};
Found policy_iteration(const MdpTable& mdp, Policy policy, double gamma) {
    Found found{policy, {}};
    while (found.values.size() < 100) {
        found.values.push_back(value_of(mdp, found.policy, gamma));
        const Policy better = greedy(mdp, found.values.back(), gamma);
        bool same = true;
        for (Index s = 0; s < mdp.states(); ++s) {
            Index& now = found.policy[std::size_t(s)];
            const Index then = better[std::size_t(s)];
            if (look_ahead(mdp, found.values.back(), s, then, gamma) >
                look_ahead(mdp, found.values.back(), s, now, gamma) + 1e-12)
                now = then, same = false;
        }
        if (same) break;
    }
    return found;
}

MdpTable small_table() { return data::tabulate(Gridworld(small, {.slip = 0.2})).table; }

// All policies, by counting in base 4. Returns the one that is best in every state.
struct Best {
    Policy policy;
    Vector values;
    Index tried = 0, tied = 0;  // how many, and how many share the values of the best
};
Best brute_force(const MdpTable& mdp, double gamma) {
    Best best{{}, Vector(std::size_t(mdp.states()), -2.0)};
    Policy policy(std::size_t(mdp.states()), 0);
    Vector sums;
    for (bool more = true; more;) {
        const Vector v = value_of(mdp, policy, gamma);
        double sum = 0, highest = 0;
        for (std::size_t s = 0; s < v.size(); ++s) {
            sum += v[s], highest += best.values[s];
        }
        if (sum > highest) best.values = v, best.policy = policy;
        sums.push_back(sum), ++best.tried;
        more = false;
        for (Index& action : policy) {
            if (++action < mdp.actions()) {
                more = true;
                break;
            }
            action = 0;
        }
    }
    const double most = *std::max_element(sums.begin(), sums.end());
    best.tied = std::count_if(sums.begin(), sums.end(),
                              [&](double sum) { return sum > most - 1e-9; });
    return best;
}

void policies() {
    const MdpTable mdp = small_table();
    const Best best = brute_force(mdp, discount);
    Index most = 0, fewest = 1000;
    double lost = 0, apart = 0;
    bool same = true;
    Generator random(book::seed());
    for (int i = 0; i < 100; ++i) {
        Policy first;
        for (Index s = 0; s < mdp.states(); ++s)
            first.push_back(random.next_integer(0, mdp.actions()));
        const Found found = policy_iteration(mdp, first, discount);
        const Index count = Index(found.values.size());
        most = std::max(most, count), fewest = std::min(fewest, count);
        for (std::size_t k = 1; k < found.values.size(); ++k)
            for (std::size_t s = 0; s < best.values.size(); ++s)
                lost = std::max(lost, found.values[k - 1][s] - found.values[k][s]);
        for (std::size_t s = 0; s < best.values.size(); ++s)
            apart = std::max(apart, std::abs(found.values.back()[s] - best.values[s]));
        same = same && found.policy == best.policy;
    }
    ask("Policy iteration starts from a random policy for the seven cells. The values "
        "of "
        "how many policies does it compute, at most?",
        {{"More than 1,000 of all 16,384.", most > 1000,
          "It does not go through the policies one by one: it switches in all states "
          "at "
          "once."},
         {"Between 20 and 1,000.", most >= 20 && most <= 1000,
          "About one switch for each state and action would be that many. But all "
          "states "
          "switch at the same time."},
         {"Fewer than 20.", most < 20,
          "All states switch at the same time, and each switch already knows the "
          "values "
          "of all states under the old policy."}});
    say("from 100 random policies: {} to {} policies tried, of {}", fewest, most,
        best.tried);
    claim("sys-policy/a",
          "largest loss of value of any state in any step of policy iteration, up to "
          "rounding",
          lost, "<=", 1e-12);
    claim_true("sys-policy/b",
               "from each of 100 random policies it stops at the best of all 16,384",
               same && apart <= 1e-12 && best.tried == 16'384);
    claim("", "policies that share the values of the best", best.tied, "==", 1);
}
//-

// A handful of steps is enough here. A policy is only replaced by a better one, so none is tried twice.
//
// ## Bellman's equation
//
// You can also drop the policies and ask for the best value directly. Let $Q(s, a)$ be the mean return of taking action
// $a$ in state $s$ and acting as well as possible afterwards. Beside the charger, with a slip of 0.2, a move onto it
// earns 1 with probability 0.8. In the other cases the robot is somewhere else, and that place is worth the best $Q$
// there, one step later. Richard Bellman wrote this equation in the 1950s for the best value of a state,
// $\max_a Q(s, a)$ {cite:p}`bellman1957`. For $Q$ it reads:
//
// ```{equation} eq-6.1
// :function: look_ahead; recto::data::optimal_values
// :test: optimal_values: against values by hand
// Q(s, a) = \mathbb E \big[ R_t + \gamma \max_{a'} Q(S_{t+1}, a') \;\big|\; S_t = s, A_t = a \big]
// ```
//
// The unknown $Q$ stands on both sides, and the maximum is not linear. So begin with any numbers, compute the side with
// the mean, and put the result in their place. This is a sweep of **value iteration**:
Vector best_of(const Vector& q, Index actions) {
    Vector v;
    for (auto row = q.begin(); row != q.end(); row += actions)
        v.push_back(*std::max_element(row, row + actions));
    return v;
}
Vector sweep(const MdpTable& mdp, const Vector& q, double gamma) {
    const Vector v = best_of(q, mdp.actions());
    Vector next;
    for (Index s = 0; s < mdp.states(); ++s)
        for (Index a = 0; a < mdp.actions(); ++a)
            next.push_back(look_ahead(mdp, v, s, a, gamma));
    return next;
}
//- sweeps, and how the figures are drawn
double distance(const Vector& a, const Vector& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
}

void draw_sweeps() {
    const Gridworld grid(pits, {.slip = 0.2});
    const auto found = data::tabulate(grid);
    const std::vector<double> stops = {0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20};
    Figure figure("fig-sweeps");
    figure
        .describe(
            "The grid with the value of each cell. A slider sets the number of sweeps. "
            "At first all values are 0; then positive values appear beside the charger "
            "and spread over the map, one cell further with each sweep.")
        .slider("sweeps", stops, "sweeps", 3);
    Vector q(std::size_t(found.table.states() * 4), 0.0);
    Index done = 0;
    for (const double stop : stops) {
        for (; done < Index(stop); ++done) q = sweep(found.table, q, discount);
        figure.at(stop).heatmap("", counted(grid.columns()), counted(grid.rows()),
                                on_map(grid, found.states, best_of(q, 4)), -1, 1);
    }
    figure.always().bare().save(
        "Value iteration with a slip of 0.2. The largest $Q$ of each cell after so "
        "many "
        "sweeps from zero. A sweep carries the news of the charger one step further.");
}

void contraction() {
    const MdpTable mdp = data::tabulate(Gridworld(pits, {.slip = 0.2})).table;
    Generator random(book::seed());
    double factor = 0;
    Figure figure("fig-contraction");
    figure.describe(
        "The distance to the solution against the number of sweeps, on a logarithmic "
        "axis, for three discounts: each line falls at least as steeply as the dashed "
        "line of its discount.");
    const figure::Color colors[] = {figure::blue, figure::green, figure::ochre};
    int k = 0;
    for (const double gamma : {0.5, 0.7, 0.9}) {
        const Vector solution = data::optimal_values(mdp, gamma);
        Vector q, sweeps, far, bound;
        for (std::size_t i = 0; i < solution.size(); ++i)
            q.push_back(4 * random.next_uniform() - 2);
        for (int step = 0; step <= 60; ++step) {
            sweeps.push_back(step), far.push_back(distance(q, solution));
            bound.push_back(far[0] * std::pow(gamma, step));
            // below this distance the ratio is one of rounding errors
            const Vector next = sweep(mdp, q, gamma);
            if (far.back() > 1e-9)
                factor =
                    std::max(factor, distance(next, solution) / far.back() / gamma);
            q = next;
            if (far.back() < 1e-9) break;
        }
        figure
            .line(fmt::format("discount {}", gamma), sweeps, far,
                  {.color = colors[k], .points = false})
            .line(fmt::format("factor {} a sweep", gamma), sweeps, bound,
                  {.color = colors[k], .dash = figure::dashed, .points = false});
        ++k;
    }
    figure.log_y()
        .x("sweeps")
        .y("largest error of Q")
        .ylim(1e-9, 10)
        .save(
            "How far value iteration is from the solution, from random first numbers "
            "between −2 and 2. The dashed lines fall by the factor $\\gamma$ in each "
            "sweep.");
    claim("eq-6.1/a",
          "factor by which a sweep changes the distance to the solution, over the "
          "discount: largest for three discounts",
          factor, "<=", 1);

    const Vector q = data::optimal_values(mdp, discount);
    claim("eq-6.1/b", "residual of the equation after value iteration",
          distance(sweep(mdp, q, discount), q), "<", 1e-10);
    const MdpTable nine = small_table();
    Vector by_sweeps(std::size_t(nine.states() * nine.actions()), 0.0);
    for (int step = 0; step < 300; ++step) by_sweeps = sweep(nine, by_sweeps, discount);
    claim_true("eq-6.1/c",
               "on three by three cells the greedy policy of value iteration is the "
               "best of all policies",
               greedy(nine, best_of(by_sweeps, 4), discount) ==
                   brute_force(nine, discount).policy);
    claim("", "value iteration on the page against the library's, largest difference",
          distance(by_sweeps, data::optimal_values(nine, discount)), "<=", 1e-10);
}
//-

// {numref}`fig-sweeps` shows the values spread over the map. Why do they settle? Take two guesses of $Q$ that differ by
// at most 1. A maximum moves by no more than its arguments, and a mean by no more than what it averages. So after a
// sweep the guesses differ by at most $\gamma$. The true $Q$ is a guess that a sweep does not change. So the
// distance to it shrinks by the factor $\gamma$ or better in each sweep, from any start: a sweep is a **contraction**.
// {numref}`fig-contraction` measures it. A discount near 1 sees far ahead and needs many sweeps.
//
// From $Q$ the policy is read off without looking ahead: in each state, take the action with the largest value.
//
// ## Limits
//
// Everything here used the probabilities of all outcomes. A robot in a new building does not know them. And there was a
// number for each state and action. A game on a screen has more states than any table.

void page() {
    draw_grid();
    laws();
    returns();
    policies();
    draw_sweeps();
    contraction();
}

// ## Summary
//
// A Markov decision process has states, actions, rewards and the probabilities of all outcomes; its state says all that
// the past can say about the future. The return adds up rewards that are discounted for each step of delay. The values
// of a fixed policy solve linear equations, and policy iteration improves the policy until it is the best. Bellman's
// equation describes the best values directly, and value iteration approaches them by the factor $\gamma$ in each
// sweep.
//
// ## What is missing
//
// [The next page](q_learning.cpp) learns $Q$ from experience alone, without a single probability.
//
// ```{try}
// - A floor of which nothing is certain: `--slip 0.6`. Where does the robot drive against a wall on purpose?
// - Fewer episodes: `--episodes 200`. How far is the mean return from the equations?
// ```
