// # Q-learning: values from experience
//
// ```{rows} eq-6.2 claim-dqn-stop-gradient sys-epsilon-greedy
// ```
//
// [Value iteration](decisions.cpp) needs the probability of every outcome. A robot that is carried into a new building
// knows none. It can only drive, and see what happens. {numref}`fig-q-play` shows such a robot: no map, no
// probabilities, wheels that slip. Move the slider through its episodes. At first it wanders. One lucky arrival gives a
// value to the cell beside the charger, and from there the values spread, although the robot never learns why. The rule
// is called **Q-learning**. It is [stochastic gradient descent](../training/batches.cpp) on a squared error, with one
// catch.
//
// ```{opening} fig-q-play
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/integers.hpp>
#include <recto/core/random.hpp>
#include <recto/data/gridworld.hpp>
#include <recto/data/mdp.hpp>
#include <recto/figure/figure.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/indexing/gather.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/sgd.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::say;
using data::Gridworld, data::MdpTable, data::Outcome;
using figure::Figure;

const book::Option<double> epsilon("epsilon", 0.2,
                                   "how often the robot of the first figure explores",
                                   {.least = 0.0, .most = 1.0});
const book::Option<double> rate("rate", 0.2, "learning rate of the first figure",
                                {.least = 0.0, .most = 1.0});
const book::Option<Index> updates("updates", 30'000,
                                  "steps of gradient descent on a whole table",
                                  {.quick = 300, .least = 10, .most = 1'000'000});

const double discount = 0.9;
//-

// ## One step of experience
//
// A step of the robot leaves four things: the state $s$, the action $a$, the reward $r$ and the next state $s'$.
// Bellman's equation wants the mean of $r + \gamma \max_{a'} Q(s', a')$ over all that could have followed. The robot
// has one sample of it, the **target** $y$. So it moves $Q(s, a)$ a little towards the target. Suppose $Q(s, a) = 0.5$,
// the reward is 0 and the best value in $s'$ is 0.8. With $\gamma = 0.9$ the target is 0.72, and with a learning rate
// of 0.1 the value becomes $0.5 + 0.1 \cdot (0.72 - 0.5) = 0.522$. At the end of an episode nothing follows, and the
// target is the reward alone.
struct Table {
    Index actions;
    std::vector<Real> q;  // Q(s, a) at s * actions + a
    std::span<Real> row(Index s) {
        return std::span(q).subspan(std::size_t(s * actions), std::size_t(actions));
    }
    void learn(Index s, Index a, const Outcome<Index>& seen, double rate) {
        const double best = double(*std::ranges::max_element(row(seen.next)));
        const double y = seen.reward + (seen.ends ? 0 : discount * best);
        Real& value = row(s)[std::size_t(a)];
        value += Real(rate * (y - double(value)));
    }
};

// {cite:t}`watkins1989` found this rule. Note what is missing: `learn` never asks how likely the step was. Likely steps
// come often, and the value settles near the mean of its targets.
//
// ## Exploring
//
// Which action should the robot take while it learns? Always the best, and it may never see anything better than the
// first thing that it found. Always a random one, and it hardly gets anywhere. The usual compromise is
// **ε-greedy**: with probability ε an action drawn from all, and otherwise the best one, where equally good ones
// are equally likely. An episode is then a short loop:
std::vector<Index> play_and_learn(const MdpTable& mdp, Table& table, double epsilon,
                                  double rate, Generator& random) {
    Index s = data::start(mdp, random);
    std::vector<Index> path = {s};
    for (bool ends = false; !ends && path.size() <= 100;) {
        const Index a = data::epsilon_greedy(table.row(s), epsilon, random);
        const Outcome<Index> seen = data::play(mdp, s, a, random);
        table.learn(s, a, seen, rate);
        s = seen.next, ends = seen.ends;
        path.push_back(s);
    }
    return path;
}
//- how the first figure is drawn
void draw_play() {
    const Gridworld grid({"......+", "S.---..", ".......", "......."}, {.slip = 0.1});
    const auto found = data::tabulate(grid);
    const std::vector<std::string> arrows = {"↑", "→", "↓", "←"};
    const std::vector<double> stops = {0,  1,  2,  3,   4,   5,   7,   10,
                                       15, 20, 50, 100, 200, 500, 2000};
    figure::Names columns, rows;
    for (int i = 1; i <= 7; ++i) columns.push_back(std::to_string(i));
    for (int i = 1; i <= 4; ++i) rows.push_back(std::to_string(i));
    Figure figure("fig-q-play");
    figure
        .describe(
            "A grid of 4 rows and 7 columns, twice. One copy has the largest learned "
            "value of each cell; the other has an arrow in each cell and the path of "
            "one episode as a line. A slider sets the number of episodes. At first "
            "there are no values and the path wanders; later the values grow from the "
            "charger on, and the path leads there.")
        .slider("episodes", stops, "episodes played", 20)
        .panel("largest value learned");
    struct Shot {
        std::vector<double> values, x, y, words_x, words_y;
        std::vector<std::string> words;
    };
    std::vector<Shot> shots;
    Generator random(book::seed());
    Table table{4, std::vector<Real>(std::size_t(found.table.states() * 4), Real(0))};
    Index played = 0;
    for (const double stop : stops) {
        Shot shot;
        std::vector<Index> path;
        for (; played < Index(stop); ++played)
            path = play_and_learn(found.table, table, epsilon(), rate(), random);
        for (const Index s : path) {
            const Index cell = found.states[std::size_t(s)];
            shot.x.push_back(double(cell % 7)), shot.y.push_back(-double(cell / 7));
        }
        if (shot.x.empty())
            shot.x = shot.y = {std::numeric_limits<double>::quiet_NaN()};
        for (Index cell = 0; cell < 28; ++cell) {
            const auto at = std::ranges::find(found.states, cell);
            const char c = grid.at(cell);
            shot.words_x.push_back(double(cell % 7));
            shot.words_y.push_back(-double(cell / 7));
            if (at == found.states.end()) {
                shot.values.push_back(c == '+' ? 1 : -1);
                shot.words.push_back(c == '+' ? "+1" : "−1");
                continue;
            }
            const std::span<Real> row = table.row(Index(at - found.states.begin()));
            const auto best = std::ranges::max_element(row);
            shot.values.push_back(double(*best));
            const bool tie = std::ranges::count(row, *best) > 1;
            shot.words.push_back(tie ? "·" : arrows[std::size_t(best - row.begin())]);
        }
        shots.push_back(shot);
    }
    for (std::size_t k = 0; k < stops.size(); ++k)
        figure.at(stops[k]).heatmap("", columns, rows, shots[k].values, -1, 1);
    figure.always().bare().panel("best move, and the last episode");
    for (std::size_t k = 0; k < stops.size(); ++k)
        figure.at(stops[k])
            .line("", shots[k].x, shots[k].y,
                  {.color = figure::red, .width = 2, .opacity = 0.6, .points = false})
            .words("", shots[k].words_x, shots[k].words_y, shots[k].words,
                   {.color = figure::ink, .width = 18});
    figure.always().xlim(-0.5, 6.5).ylim(-3.5, 0.5).tall(196).bare().save(
        "Q-learning with a slip of 0.1, which the robot does not know. The largest "
        "value of each cell so far, the move that it belongs to (a dot: several are "
        "equal), and the path of the last episode; an episode ends after 100 steps at "
        "the latest. Values lag behind where the robot rarely goes.");
    const std::vector<double> q = data::optimal_values(found.table, discount);
    const double best = *std::max_element(q.begin(), q.begin() + 4);
    say("after {} episodes the start has the value {:.3f}; the best possible is {:.3f}",
        played, double(*std::ranges::max_element(table.row(0))), best);
    std::vector<double> ends;
    for (std::uint64_t robot = 1; robot <= 20; ++robot) {
        Generator other(1000 * robot + book::seed());
        Table its{4, std::vector<Real>(std::size_t(found.table.states() * 4), Real(0))};
        for (int k = 0; k < 2000; ++k)
            play_and_learn(found.table, its, epsilon(), rate(), other);
        ends.push_back(double(*std::ranges::max_element(its.row(0))));
    }
    say("20 other robots after 2000 episodes: {}; {} of them are below the best "
        "possible value",
        book::brief(book::over_seeds(ends)),
        std::ranges::count_if(ends, [&](double v) { return v < best; }));
}
//-

// In {numref}`fig-q-play` the values never come to rest, because the learning rate stays at 0.2 and each slip moves a
// value a little. This robot's value of the start ends above the best possible one. That is chance: after as many
// episodes other robots hold other values, and most of them are a little below it.
//
// How much does exploring matter? A trap for the greedy: at the start lies a small reward of 0.2, one step back.
// Forward, after a toll of 0.1 and two more steps, lies a reward of 1. With $\gamma = 0.9$ the way forward is worth
// $-0.1 + 0.9^2 = 0.71$.
//- the corridor, and what is checked
const Index last = 2;  // cell of the corridor
MdpTable corridor() {
    std::vector<std::vector<Outcome<Index>>> rows = {{{1, 0, 0.2, true}},
                                                     {{1, 1, -0.1, false}}};
    for (Index s = 1; s <= last; ++s) {
        rows.push_back({{1, s - 1, 0, false}});
        rows.push_back({{1, std::min(s + 1, last), s == last ? 1.0 : 0.0, s == last}});
    }
    return MdpTable(last + 1, 2, {0}, rows);
}
// Whether the greedy path from the start leads to the large reward.
bool solved(Table table) {
    for (Index s = 0; s <= last; ++s)
        if (table.row(s)[1] <= table.row(s)[0]) return false;
    return true;
}
const int runs = 100;

void explore() {
    const MdpTable mdp = corridor();
    const std::vector<double> stops = {1,   2,   5,    10,   20,   50,    100,
                                       200, 500, 1000, 2000, 5000, 10'000};
    Figure figure("fig-corridor");
    figure.describe(
        "The share of 100 runs that know the way to the large reward, against the "
        "number of episodes on a logarithmic axis. With epsilon 0 it stays at 0. With "
        "0.5 it is 1 after a few hundred episodes, with 0.2 after a few thousand, and "
        "with 0.05 it still rises at the end.");
    int with = 0, without = 0;
    for (const double share : {0.0, 0.05, 0.2, 0.5}) {
        std::vector<double> known(stops.size(), 0.0);
        for (int run = 0; run < runs; ++run) {
            Generator random(std::uint64_t(1000 * run) + book::seed());
            Table table{2, std::vector<Real>(6, Real(0))};
            Index played = 0;
            for (std::size_t k = 0; k < stops.size(); ++k) {
                for (; played < Index(stops[k]); ++played)
                    play_and_learn(mdp, table, share, 0.2, random);
                known[k] += solved(table) / double(runs);
            }
            if (share == 0) without += solved(table);
            if (share == 0.2) with += solved(table);
        }
        figure.line(fmt::format("ε = {}", share), stops, known);
    }
    figure.log_x()
        .x("episodes")
        .y("share of runs")
        .ylim(0, 1)
        .save(
            "The share of 100 runs whose best moves lead through the corridor to the "
            "large reward, for four values of ε. Without exploring no run ever prefers "
            "this way, even if chance has led it there in its first episode.");
    say("after {} episodes: {} of {} runs solved with ε = 0.2, {} with ε = 0",
        stops.back(), with, runs, without);
    claim("sys-epsilon-greedy/b", "runs of 100 that solve the corridor with ε = 0.2",
          with, "==", runs);
    claim("sys-epsilon-greedy/c", "runs of 100 that solve it with ε = 0", without,
          "==", 0);

    Generator random(book::seed());
    const std::vector<Real> values = {1, 4, 2, 3};
    const int n = 100'000;
    std::array<int, 4> counts = {};
    for (int i = 0; i < n; ++i)
        ++counts[std::size_t(data::epsilon_greedy(values, 0.2, random))];
    double worst = 0;
    for (std::size_t a = 0; a < 4; ++a) {
        const double p = a == 1 ? 0.8 + 0.2 / 4 : 0.2 / 4;
        worst = std::max(
            worst, std::abs(counts[a] / double(n) - p) / std::sqrt(p * (1 - p) / n));
    }
    claim("sys-epsilon-greedy/a",
          "frequencies of four actions in 100,000 choices with ε = 0.2, largest "
          "deviation in standard errors",
          worst, "<=", 4);
}
//-

// Without exploring, no run ever learns the way. The reason is not bad luck. All values start at 0, and equal ones are
// chosen at random. Once a robot has paid the toll, that step has a negative value, and from then on the robot prefers
// the other action, with a value of 0 or more. {numref}`fig-corridor` shows that a little randomness suffices, and that
// it takes time: to find the reward by chance, the robot must explore several times in a row.
//
// ## A squared error with a constant target
//
// Put the numbers $Q(s, a)$ into a tensor $w$. A batch of $N$ steps has the loss
//
// ```{equation} eq-6.2
// :function: loss; targets
// \Loss(w) = \frac1N \sum_{n=1}^{N} \big( Q(s_n, a_n; w) - y_n \big)^2, \qquad
// y_n = \begin{cases} r_n & \text{at the end of an episode} \cr
// r_n + \gamma \max_a Q(s'_n, a; \bar w) & \text{otherwise} \end{cases}
// ```
//
// Here $\bar w$ is a copy of the weights that counts as constant. With $N = 1$, the derivative with respect to
// $Q(s, a)$ is $2\,(Q(s, a) - y)$, and a step of gradient descent is the rule of `learn`. The copy may be older than
// $w$: it need not follow every step. With learning rates that fall with time, the table of a small grid approaches the
// values of value iteration, and the program checks how closely.
struct Batch {
    Integers s, a;  // (n) and (n, 1)
    Tensor rewards, goes_on;
    Integers then;  // (n)
};
Tensor targets(const Tensor& copy, const Batch& batch) {
    const Tensor best = max(index_rows(copy, batch.then), {1});
    return batch.rewards + Real(discount) * batch.goes_on * best;
}
Tensor loss(const Tensor& w, const Tensor& copy, const Batch& batch) {
    const Tensor taken = gather(index_rows(w, batch.s), 1, batch.a);
    return mse_loss(reshape(taken, batch.rewards.shape()), targets(copy, batch));
}
//- gradient descent on a table, and what is checked
// `times` steps from every state and action.
Batch draw_batch(const MdpTable& mdp, Index times, Generator& random) {
    const Index n = times * mdp.states() * mdp.actions();
    std::vector<Index> s, a, then;
    std::vector<Real> rewards, goes_on;
    for (Index i = 0; i < n; ++i) {
        const Index pair = i % (mdp.states() * mdp.actions());
        s.push_back(pair / mdp.actions()), a.push_back(pair % mdp.actions());
        const auto seen = data::play(mdp, s.back(), a.back(), random);
        then.push_back(seen.next), rewards.push_back(Real(seen.reward));
        goes_on.push_back(seen.ends ? Real(0) : Real(1));
    }
    return {Integers({n}, s), Integers({n, 1}, a), Tensor({n}, rewards),
            Tensor({n}, goes_on), Integers({n}, then)};
}

void whole_table() {
    const MdpTable mdp =
        data::tabulate(Gridworld({"..+", "..-", "..."}, {.slip = 0.2})).table;
    const Index pairs = mdp.states() * mdp.actions();
    Tensor w = zeros({mdp.states(), mdp.actions()}).requires_grad_();
    Tensor copy = clone(w.detach());
    optim::Sgd sgd({{"w", w}});
    Generator random(book::seed());
    for (Index t = 0; t < updates(); ++t) {
        if (t % 10 == 0) copy.copy_(w.detach());
        // each number has this share of the mean
        sgd.options.lr = double(pairs) / 2 / (1 + double(t) / 10);
        sgd.zero_grad();
        loss(w, copy, draw_batch(mdp, 12, random)).backward();
        sgd.step();
    }
    const std::vector<double> exact = data::optimal_values(mdp, discount);
    const std::vector<Real> learned = w.values();
    double worst = 0;
    for (std::size_t i = 0; i < exact.size(); ++i)
        worst = std::max(worst, std::abs(exact[i] - double(learned[i])));
    claim("eq-6.2/a",
          "a table learned by gradient descent on sampled steps against value "
          "iteration, largest difference",
          worst, "<=", 1e-2);

    const Batch batch = draw_batch(mdp, 100, random);
    const std::vector<Real> y = targets(full(w.shape(), Real(1000)), batch).values(),
                            rewards = batch.rewards.values(),
                            goes_on = batch.goes_on.values();
    Index ended = 0;
    bool alone = true;
    for (std::size_t i = 0; i < y.size(); ++i)
        if (goes_on[i] == 0) ++ended, alone = alone && y[i] == rewards[i];
    claim_true("eq-6.2/b",
               "where an episode ends, the target is the reward, to the bit, whatever "
               "the table holds",
               alone && ended > 0);
    say("{} of {} sampled steps end an episode", ended, y.size());
}
//-

// ## Why the gradient stops
//
// The target contains $Q$ as well. Why not let the gradient flow through it? The loss would be an honest function of
// $w$, and gradient descent would go down all the way. Try it on a process of two states. From either, the next state is
// A or B, equally likely. A step from B earns 1, a step from A nothing. Both have the same future, so B is worth
// exactly 1 more than A: for $\gamma = 0.9$ the values are 5.5 and 4.5.
//- the question, and how the figure is drawn
MdpTable two_states() {
    const std::vector<Outcome<Index>> from_a = {{0.5, 0, 0, false}, {0.5, 1, 0, false}},
                                      from_b = {{0.5, 0, 1, false}, {0.5, 1, 1, false}};
    return MdpTable(2, 1, {0, 1}, {from_a, from_b});
}

struct Course {
    std::vector<double> steps, a, b;
};
// Learns with the discount of the page, with a constant target or through the target.
Course two_values(bool constant, std::uint64_t draw = 0) {
    const MdpTable mdp = two_states();
    Generator random(1000 * draw + book::seed());
    const Tensor w = zeros({2, 1}).requires_grad_();
    optim::Sgd sgd({{"w", w}});
    Course course;
    for (int t = 0; t <= 40'000; ++t) {
        if (t % 400 == 0) {
            course.steps.push_back(t);
            course.a.push_back(double(w.at({0, 0})));
            course.b.push_back(double(w.at({1, 0})));
        }
        sgd.options.lr = 0.5 / (1 + t / 2000.0);
        sgd.zero_grad();
        loss(w, constant ? w.detach() : w, draw_batch(mdp, 32, random)).backward();
        sgd.step();
    }
    return course;
}

void stop_gradient() {
    const Course constant = two_values(true), through = two_values(false);
    const double mean = 0.5 / (1 - discount),
                 shrunk = 1 / (1 + discount * discount);  // B less A, in closed form
    const double got = through.b.back() - through.a.back();
    ask("Let the gradient flow through the target as well, from the same start with "
        "the "
        "same learning rates. What will the learned difference of B and A be?",
        {{"1, as it should: both versions make the same error small.",
          std::abs(got - 1) < 0.05,
          "They make different things small. The second version also moves the target, "
          "and its error contains the chance of the next state."},
         {"Less than 0.7.", got < 0.7,
          "The next state is random, so a difference between the values of A and B "
          "makes "
          "the target vary. Through the target, the gradient removes this variation."},
         {"More than 1.3: the values drive each other up.", got > 1.3,
          "Values can drive each other up where targets follow too fast, but here the "
          "error is a sum of squares, and its minimum is finite."}});
    Figure("fig-stop-gradient")
        .describe(
            "Two panels against the step, each with a line for the value of A and of B "
            "and dashed lines for their exact values 4.5 and 5.5. With a constant "
            "target the lines end on the exact values. With the gradient through the "
            "target they end closer together, on the values of the closed form.")
        .panel("constant target")
        .line("A", constant.steps, constant.a, {.color = figure::blue, .points = false})
        .line("B", constant.steps, constant.b,
              {.color = figure::ochre, .points = false})
        .rule_y(mean - 0.5, "exact A")
        .rule_y(mean + 0.5, "exact B")
        .x("step")
        .y("learned value")
        .ylim(0, 6)
        .panel("gradient through the target")
        .line("A", through.steps, through.a, {.color = figure::blue, .points = false})
        .line("B", through.steps, through.b, {.color = figure::ochre, .points = false})
        .rule_y(mean - 0.5)
        .rule_y(mean + 0.5)
        .x("step")
        .y("learned value")
        .ylim(0, 6)
        .save(
            "The learned values of both states, with the target held constant and with "
            "the gradient flowing through it. The same sampled steps and learning "
            "rates. The second version settles on values that are too "
            "close together. Dashed: the exact values.");
    book::shows("claim-dqn-stop-gradient/a", "fig-stop-gradient");
    say("difference of B and A: {:.3f} with a constant target, {:.3f} with the "
        "gradient "
        "through it; exact: 1",
        constant.b.back() - constant.a.back(), got);
    std::vector<double> errors;
    for (std::uint64_t draw = 0; draw < 3; ++draw) {
        const Course run = draw == 0 ? constant : two_values(true, draw);
        errors.push_back(std::max(std::abs(run.a.back() - mean + 0.5),
                                  std::abs(run.b.back() - mean - 0.5)));
    }
    claim("claim-dqn-stop-gradient/b", "largest error of Q with a constant target",
          book::over_seeds(errors), "<", 0.05);
    claim("claim-dqn-stop-gradient/c",
          "values learned through the target against the closed form, largest "
          "difference",
          std::max(std::abs(through.a.back() - mean + shrunk / 2),
                   std::abs(through.b.back() - mean - shrunk / 2)),
          "<=", 0.05);
    claim("claim-dqn-stop-gradient/d", "the bias of each value in closed form",
          (1 - shrunk) / 2, ">", 0.1);
}
//-

// The version that goes down all the way arrives at the wrong place. Look at one term of its loss: $(Q(s) - r - \gamma
// Q(s'))^2$, where $s'$ is random. Its mean is the squared error of Bellman's equation *plus* the variance of the target.
// Gradient descent makes their sum small. The variance shrinks if A and B have similar values, so the values move
// together, although they should differ. Setting the derivative of the mean loss to zero gives a difference of
// $1 / (1 + \gamma^2)$ in place of 1. With a constant target the gradient cannot touch the variance, and the value goes
// to the *mean* of its targets, as Bellman's equation asks.
//
// {cite:t}`baird1995` studied both versions. The second one, the *residual gradient*, is exact if nothing is random.
// Stopping the gradient has a price: the steps no longer go down one fixed loss, because the targets move. With a
// table, learning rates that fall slowly enough, and every action tried again and again in every state, Q-learning still
// converges {cite:p}`watkins1992`; with a network in place of the table it can diverge.
//
// ## Limits
//
// A table learns each state by itself. What the robot knows about one cell says nothing about its neighbour. With a
// million states it would have to visit each of them, many times.

void page() {
    draw_play();
    explore();
    whole_table();
    stop_gradient();
}

// ## Summary
//
// Q-learning moves the value of a state and an action towards the reward plus the discounted best value of the next
// state. This is gradient descent on a squared error whose target counts as constant; a gradient through the target
// would also remove the variance of the target, and bias the values. While the robot learns it must explore, for
// example ε-greedily.
//
// ## What is missing
//
// [The next page](deep_q.cpp) replaces the table by a network that sees the screen of a game.
//
// ```{try}
// - A robot that never explores: `--epsilon 0`. Does it find the charger, and does it find the best way?
// - Large steps: `--rate 1`. Each target overwrites the value. Which cells suffer from the slips?
// ```
