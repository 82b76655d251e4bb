// # Deep Q-networks: learning to play from pixels
//
// ```{rows} sys-dqn claim-dqn-values-human-level fig-6.5
// ```
//
// A ball falls in the wind, and a paddle must be below it when it lands. The network of this page is not told what a
// ball is. It sees the pixels of a frame, presses one of three keys, and at the end of an episode it learns whether it
// has won. {numref}`fig-catch` shows one episode after the training. Move the slider and watch what the network expects
// from each key. The method is [Q-learning](q_learning.cpp) with a network for a table, a **deep Q-network** (DQN); in
// 2015 it learned dozens of Atari games {cite:p}`mnih2015`. Two additions are meant to make the training steadier: a
// memory and a second network.
//
// ```{opening} fig-catch
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/integers.hpp>
#include <recto/core/random.hpp>
#include <recto/data/breakout.hpp>
#include <recto/data/catch_game.hpp>
#include <recto/data/mdp.hpp>
#include <recto/data/replay.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/init.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/gather.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::over_seeds, book::say;
using data::CatchGame, data::Breakout, data::Outcome, data::Transitions;
using figure::Figure;

const book::Option<Index> frames("frames", 25'000,
                                 "frames of Catch that a network plays",
                                 {.quick = 1000, .least = 1000, .most = 50'000});
const book::Option<Index> longer("longer", 40'000,
                                 "frames of Breakout that a network plays",
                                 {.quick = 1000, .least = 1000, .most = 1'000'000});
const book::Option<Index> networks("networks", 3, "networks for each game",
                                   {.quick = 1, .least = 1, .most = 20});
const book::Option<Index> judged("judged", 300, "episodes that judge a trained network",
                                 {.quick = 20, .least = 10, .most = 100'000});

using Numbers = std::vector<double>;
//-

// ## A network for a table
//
// Catch {cite:p}`mnih2014` has ten rows of seven pixels. The ball falls one row in each step, in the upper rows a gust
// may take it along sideways, and the paddle moves one pixel at most. Catching the ball earns 1, missing it −1, and
// nothing else earns anything. A table would need a few hundred rows here. For a game with thirty bricks that are there
// or not, it would need more than a billion. And a table learns nothing about a position that it has not met, while a
// network answers for similar frames at once. So a [multilayer perceptron](../architectures/mlp.cpp) takes the pixels
// and returns a value for each key, all at once:
template <data::Mdp Game>
std::vector<Real> frame_of(const Game& game, const typename Game::State& state) {
    std::vector<Real> frame(static_cast<std::size_t>(Game::pixels));
    game.draw(state, frame);
    return frame;
}
std::vector<Real> values(const nn::Mlp& net, const std::vector<Real>& frame) {
    const NoGrad only_asking;
    return net(Tensor({1, Index(frame.size())}, frame)).values();
}

// The loss is that of [the page before](q_learning.cpp): the squared difference of the value of the key that was
// pressed and the target, the reward plus the discounted best value of the next frame. Suppose that the network expects
// 0.2 of *left*, no reward follows, and it expects 0.5 of the best key in the next frame. With a discount of 0.9 the
// target is 0.45, and this step adds $(0.2 - 0.45)^2 = 0.0625$ to the loss. The outputs of the other two keys get no
// gradient from this step.
Tensor loss(const nn::Mlp& net, const nn::Mlp& copy, const Transitions& some,
            double discount) {
    const Index n = some.actions.numel();
    const Tensor best = max(copy(some.then), {1}).detach();
    const Tensor y = some.rewards + Real(discount) * some.goes_on * best;
    const Tensor taken = gather(net(some.seen), 1, some.actions.reshape({n, 1}));
    return mse_loss(reshape(taken, {n}), y);
}

// ## A memory and a copy
//
// A table changes one value at a time. A network changes all of them, and this causes two problems. First, frames that
// follow one another are alike. A network that learns from them in order fits the present situation and forgets the
// others. The remedy is a **replay memory** {cite:p}`lin1992`: it keeps the last thousands of steps, and each batch is
// drawn from them at random. Second, every step of training moves the targets as well, and errors can feed on
// themselves. So the targets come from a **target network**, a copy of the weights that is renewed only now and then.
//- the settings of a training
struct Training {
    Index frames;       // how many are played
    double discount;    // for each step of delay
    Index hidden = 64;  // units
};
//-
template <data::Mdp Game>
void play_frame(const Game& game, typename Game::State& s, const nn::Mlp& net,
                double epsilon, data::ReplayMemory& memory, Generator& random) {
    const std::vector<Real> seen = frame_of(game, s);
    const Index a = data::epsilon_greedy(values(net, seen), epsilon, random);
    const auto o = data::play(game, s, a, random);
    const std::vector<Real> nothing;
    memory.add(seen, a, o.reward, o.ends ? nothing : frame_of(game, o.next));
    s = o.ends ? data::start(game, random) : o.next;
}

// The training plays a frame, and after every fourth frame it learns from 32 steps of the memory:
template <data::Mdp Game>
nn::Mlp learn(const Game& game, const Training& training, Generator& random,
              auto&& watch) {
    const nn::Mlp net({Game::pixels, training.hidden, game.actions()}, relu, random,
                      {.weights = nn::he_init});
    nn::Mlp copy = nn::clone(net);
    optim::Adam adam(nn::parameters(net));
    data::ReplayMemory memory(20'000, Game::pixels);
    auto s = data::start(game, random);
    for (Index t = 1; t <= training.frames; ++t) {
        const double share = double(t) / double(training.frames);
        play_frame(game, s, net, std::max(0.05, 1 - share / 0.3), memory, random);
        if (t % 4 == 0 && memory.size() >= 500) {
            adam.zero_grad();
            loss(net, copy, memory.sample(32, random), training.discount).backward();
            adam.step();
        }
        if (t % 1000 == 0) copy = nn::clone(net);
        watch(t, net);
    }
    return net;
}

// The first three tenths of the frames are for exploring: ε falls from 1 to 0.05 and stays there. Only the number of
// frames and the discount differ between the two games.
//- playing, judging, and what is measured
double best(const std::vector<Real>& q) { return double(*std::ranges::max_element(q)); }
double mean(const Numbers& numbers) {
    double sum = 0;
    for (const double v : numbers) sum += v;
    return sum / double(numbers.size());
}

const Index limit = 500;  // steps of an episode that is judged
template <data::Mdp Game>
struct Moment {
    typename Game::State state;
    std::vector<Real> q;  // what the network expects
    Index action;
    double reward;
};
// One episode from this state, or from the start; without a network, random actions.
template <data::Mdp Game>
std::vector<Moment<Game>> episode(const Game& game, const nn::Mlp* net,
                                  typename Game::State s, double epsilon,
                                  Generator& random, Index most = limit) {
    std::vector<Moment<Game>> moments;
    for (Index t = 0; t < most; ++t) {
        const std::vector<Real> q =
            net ? values(*net, frame_of(game, s))
                : std::vector<Real>(std::size_t(game.actions()));
        const Index a = data::epsilon_greedy(q, epsilon, random);
        const auto o = data::play(game, s, a, random);
        moments.push_back({s, q, a, o.reward});
        if (o.ends) break;
        s = o.next;
    }
    return moments;
}
template <data::Mdp Game>
Numbers scores(const Game& game, const nn::Mlp* net, Index episodes,
               Generator& random) {
    Numbers all;
    for (Index e = 0; e < episodes; ++e) {
        double sum = 0;
        for (const auto& m : episode(game, net, data::start(game, random), 0, random))
            sum += m.reward;
        all.push_back(sum);
    }
    return all;
}

double correlation(const Numbers& a, const Numbers& b) {
    const double ma = mean(a), mb = mean(b);
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        ab += (a[i] - ma) * (b[i] - mb), aa += (a[i] - ma) * (a[i] - ma),
            bb += (b[i] - mb) * (b[i] - mb);
    return ab / std::sqrt(aa * bb);
}
Numbers ranks(const Numbers& numbers) {
    std::vector<std::size_t> order(numbers.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [&](std::size_t i) { return numbers[i]; });
    Numbers rank(numbers.size());
    for (std::size_t i = 0, j; i < order.size(); i = j) {  // equals share their rank
        for (j = i; j < order.size() && numbers[order[j]] == numbers[order[i]];) ++j;
        for (std::size_t k = i; k < j; ++k) rank[order[k]] = double(i + j - 1) / 2;
    }
    return rank;
}

// What a network expects in states that it meets when half of its actions are random,
// and its mean discounted return when it goes on from there without exploring.
struct Judged {
    Numbers expected, returns;
};
template <data::Mdp Game>
Judged judge(const Game& game, const nn::Mlp& net, double discount, Index states,
             Generator& random) {
    Judged judged;
    while (Index(judged.expected.size()) < states) {
        const auto moments =
            episode(game, &net, data::start(game, random), 0.5, random);
        const auto& from =
            moments[std::size_t(random.next_integer(0, Index(moments.size())))];
        const Index times = 20, most = Index(std::log(0.01) / std::log(discount)) + 1;
        double sum = 0;
        for (Index k = 0; k < times; ++k) {
            double weight = 1;
            for (const auto& m : episode(game, &net, from.state, 0, random, most))
                sum += weight * m.reward, weight *= discount;
        }
        judged.expected.push_back(best(from.q));
        judged.returns.push_back(sum / double(times));
    }
    return judged;
}

template <data::Mdp Game>
struct Player {
    Game game;
    Training training;
    std::vector<nn::Mlp> nets;
    Numbers at;                   // frames
    std::vector<Numbers> curves;  // mean score at these
    Numbers final;                // mean score of many episodes
    double random_score = 0, constant_score = 0, minutes = 0;
};
template <data::Mdp Game>
Player<Game> trained(const Training& training) {
    Player<Game> player{Game(), training, {}, {}, {}, {}};
    for (Index k = 1; k <= 10; ++k)
        player.at.push_back(double(k * training.frames / 10));
    Generator others(100 + book::seed());
    player.random_score = mean(scores(player.game, nullptr, 2000, others));
    for (Index key = 0; key < player.game.actions(); ++key) {
        Numbers all;
        for (int e = 0; e < 300; ++e) {
            auto state = data::start(player.game, others);
            double sum = 0;
            for (Index t = 0; t < limit; ++t) {
                const auto o = data::play(player.game, state, key, others);
                sum += o.reward;
                if (o.ends) break;
                state = o.next;
            }
            all.push_back(sum);
        }
        player.constant_score = std::max(player.constant_score, mean(all));
    }
    for (Index n = 1; n <= networks(); ++n) {
        Generator random(1000 * std::uint64_t(n) + book::seed());
        Numbers curve;
        double resting = 0;  // seconds that are no training
        using Clock = std::chrono::steady_clock;
        const auto begin = Clock::now();
        const auto watch = [&](Index t, const nn::Mlp& net) {
            if (t % (training.frames / 10) != 0) return;
            const auto stop = Clock::now();
            Generator judges(200 + book::seed());
            curve.push_back(mean(scores(player.game, &net, judged() / 6, judges)));
            resting += std::chrono::duration<double>(Clock::now() - stop).count();
        };
        player.nets.push_back(learn(player.game, training, random, watch));
        player.minutes = std::max(
            player.minutes,
            (std::chrono::duration<double>(Clock::now() - begin).count() - resting) /
                60);
        player.curves.push_back(curve);
        Generator judges(300 + book::seed());
        player.final.push_back(
            mean(scores(player.game, &player.nets.back(), judged(), judges)));
    }
    return player;
}
//-

//- how the first figure is drawn
void draw_catch(const Player<CatchGame>& player) {
    Generator random(5);
    const auto moments =
        episode(player.game, &player.nets[0], CatchGame::State{0, 6, 3}, 0, random);
    Numbers stops;
    for (std::size_t t = 0; t < moments.size(); ++t) stops.push_back(double(t));
    Figure figure("fig-catch");
    figure
        .describe(
            "A frame of ten rows and seven columns with a round ball and a square "
            "paddle in the lowest row, and beside it a bar for each of the three keys: "
            "the value that the network expects. A slider goes through the steps of an "
            "episode. The ball falls, the paddle follows it, and the bars rise.")
        .slider("step", stops, "step", stops[stops.size() / 2])
        .panel("frame");
    for (std::size_t t = 0; t < moments.size(); ++t) {
        const CatchGame::State& s = moments[t].state;
        figure.at(double(t))
            .dots("ball", Numbers{double(s.column)}, Numbers{-double(s.row)},
                  {.color = figure::red, .shape = figure::Shape::circle, .width = 8})
            .dots("paddle", Numbers{double(s.paddle)}, Numbers{-9.0},
                  {.color = figure::blue, .shape = figure::Shape::square, .width = 10});
    }
    figure.always().xlim(-0.5, 6.5).ylim(-9.5, 0.5).bare().panel(
        "what each key is worth");
    for (std::size_t t = 0; t < moments.size(); ++t)
        figure.at(double(t)).bars("", {"left", "stay", "right"}, moments[t].q);
    figure.always()
        .y("expected return")
        .ylim(-1, 1)
        .save(
            "An episode of Catch, played by a trained network, which sees the pixels "
            "only. "
            "The bars are its three outputs, and the longest bar is the key that it "
            "presses. "
            "A key that would still allow a catch is worth the discount to the power "
            "of the "
            "steps that remain.");
    double sum = 0;
    for (const auto& m : moments) sum += m.reward;
    say("the episode of the figure ends with {}", sum);
}
//-

// ## Playing
//
// {numref}`fig-deep-q-scores` shows the scores while three networks learn each game. Random keys lose most balls of Catch.
// The second game is a small **Breakout** of ten by ten pixels, after {cite:t}`young2019`: the ball bounces off the
// walls, the bricks and the paddle, each brick earns 1, and the episode ends when the ball is lost. One picture does
// not show where the ball is going, so it would be [no state](decisions.cpp). The network therefore also sees where the
// ball was one step before.
//- how the figure is drawn, and what is checked
void draw_learning(const Player<CatchGame>& catching, const Player<Breakout>& bricks) {
    Figure("fig-deep-q-scores")
        .describe(
            "Two panels against the number of frames, with a line for each of three "
            "networks and a rule for random play. In Catch the score rises from below "
            "zero to nearly 1; in Breakout it rises from below one brick to several, "
            "and jumps up and down.")
        .panel("Catch")
        .lines("network", catching.at, catching.curves, {.color = figure::blue})
        .rule_y(catching.random_score, "random keys")
        .x("frames")
        .y("mean score")
        .ylim(-1, 1)
        .panel("Breakout")
        .lines("network", bricks.at, bricks.curves, {.color = figure::blue})
        .rule_y(bricks.random_score, "random keys")
        .x("frames")
        .y("mean score")
        .save(
            "The mean score of 50 episodes without exploring, after each tenth of the "
            "frames: balls caught less balls missed for Catch, bricks for Breakout. "
            "Three networks for each "
            "game, with different first weights.");
    book::shows("sys-dqn/a", "fig-deep-q-scores");
    Numbers caught, ahead, over_key;
    for (const double score : catching.final) caught.push_back((1 + score) / 2);
    for (const double score : bricks.final)
        ahead.push_back(score / bricks.random_score),
            over_key.push_back(score / bricks.constant_score);
    say("Catch: random keys catch {:.0f} % of the balls, the networks {:.1f} % to "
        "{:.1f} %",
        50 * (1 + catching.random_score), 100 * std::ranges::min(caught),
        100 * std::ranges::max(caught));
    say("Breakout: random keys hit {:.2f} bricks, the best single key {:.2f}, the "
        "networks {:.1f} to {:.1f}",
        bricks.random_score, bricks.constant_score, std::ranges::min(bricks.final),
        std::ranges::max(bricks.final));
    claim("sys-dqn/b",
          fmt::format("share of the balls that are caught after {} frames", frames()),
          over_seeds(caught), ">=", 0.95);
    book::timing_claim("sys-dqn/c", "minutes of training on Catch, slowest network",
                       catching.minutes, "<=", 3);
    claim("sys-dqn/d", "mean score in Breakout over that of random keys",
          over_seeds(ahead), ">=", 3);
    claim("", "mean score in Breakout over that of the best single key",
          over_seeds(over_key), ">=", 2);
}
//-

// The networks catch nearly every ball. In Breakout they are far better than random keys, and far from perfect: thirty
// bricks are on the screen. Random keys are a weak rival there: the paddle that holds one key all the time hits three
// times as many bricks, and less than half as many as the networks. The curves jump: a step that improves one situation
// can spoil another, because all situations share the weights.
//
// ## Are the values right?
//
// A network may press the right keys with wrong values: only the order of the three numbers counts. Catch is small
// enough to know the truth, by [value iteration](decisions.cpp) over all positions of ball and paddle.
//- the question, and the values against the returns
void check_values(const Player<CatchGame>& catching, const Player<Breakout>& bricks) {
    const auto found = data::tabulate(CatchGame());
    const double discount = catching.training.discount;
    const Numbers exact = data::optimal_values(found.table, discount);
    double first = 0;
    for (const Index s : found.table.first())
        first += *std::max_element(exact.begin() + s * 3, exact.begin() + s * 3 + 3) /
                 double(found.table.first().size());
    ask("A perfect player of Catch catches every ball, for a reward of 1. What is the "
        "first "
        "frame worth to this player?",
        {{"Exactly 1: the reward is certain.", std::abs(first - 1) < 0.05,
          "The reward is certain and comes late. Each of the eight steps before the "
          "last "
          "costs a factor of 0.9."},
         {"Between 0.3 and 0.6.", first > 0.3 && first < 0.6,
          "The reward comes with the ninth step, so it counts 0.9 to the power of 8."},
         {"About 0: so far nothing has been earned.", std::abs(first) < 0.05,
          "A value is about what is still to come, and not about what has been "
          "earned."}});
    Numbers error;
    Index states = 0;
    for (std::size_t n = 0; n < catching.nets.size(); ++n) {
        double sum = 0;
        states = Index(found.states.size());
        for (std::size_t s = 0; s < found.states.size(); ++s)
            sum += std::abs(best(values(catching.nets[n],
                                        frame_of(catching.game, found.states[s]))) -
                            *std::max_element(exact.begin() + Index(s) * 3,
                                              exact.begin() + Index(s) * 3 + 3));
        error.push_back(sum / double(found.states.size()));
    }
    say("Catch, {} states: the first frame is worth {:.3f}; the values of the networks "
        "are "
        "off by {} on average",
        states, first, book::brief(over_seeds(error)));

    Numbers least, high_catch, high_bricks;
    Judged shown[2];
    for (std::size_t n = 0; n < catching.nets.size(); ++n) {
        Generator random(400 + book::seed());
        const Judged a = judge(catching.game, catching.nets[n], discount, judged(),
                               random),
                     b = judge(bricks.game, bricks.nets[n], bricks.training.discount,
                               judged() / 2, random);
        const double ra = correlation(a.expected, a.returns),
                     rb = correlation(b.expected, b.returns);
        say("network {}: correlation {:.3f} in Catch, {:.3f} in Breakout", n + 1, ra,
            rb);
        least.push_back(std::min(ra, rb));
        high_catch.push_back(mean(a.expected) - mean(a.returns));
        high_bricks.push_back(mean(b.expected) - mean(b.returns));
        if (n == 0) shown[0] = a, shown[1] = b;
    }
    say("expected value less mean return, on average: {} in Catch, {} in Breakout",
        book::brief(over_seeds(high_catch)), book::brief(over_seeds(high_bricks)));
    const Numbers catch_line = {-1, 1}, bricks_line = {0, 4};
    Figure("fig-values")
        .describe(
            "Two panels of dots, for Catch and for Breakout: the mean return that "
            "followed against the value that the network expected, with the line on "
            "which both are equal. In Catch the dots lie along the line, in two groups "
            "at both ends; in Breakout they lie along it and below it.")
        .panel("Catch")
        .dots("", shown[0].expected, shown[0].returns,
              {.color = figure::blue, .opacity = 0.5})
        .line("", catch_line, catch_line,
              {.color = figure::grey, .dash = figure::dashed, .points = false})
        .x("value that the network expects")
        .y("mean return")
        .panel("Breakout")
        .dots("", shown[1].expected, shown[1].returns,
              {.color = figure::blue, .opacity = 0.5})
        .line("", bricks_line, bricks_line,
              {.color = figure::grey, .dash = figure::dashed, .points = false})
        .x("value that the network expects")
        .y("mean return")
        .save(
            "What the first network expects of a frame, and the discounted return that "
            "followed when it played on from there, the mean of 20 tries. The frames "
            "come from episodes in which half of the keys were random. On the dashed "
            "line both are equal.");
    claim("claim-dqn-values-human-level/b",
          "correlation of expected values and mean returns, the lower of the two games",
          over_seeds(least), ">=", 0.8);
}
//-

// The expected values tell good frames from bad ones in both games. In Catch they are nearly right on average. In
// Breakout they are too high: the dots lie below the line. A likely reason is the target, which takes the *largest* of
// three outputs: the largest of three uncertain numbers is too high more often than too low. Two networks that check
// each other reduce this error {cite:p}`vanhasselt2016`.
//
// ## The value of a moment
//
// A trained network shows what it makes of a game while the game goes on. {numref}`fig-6.5` follows the largest value
// through an episode of Breakout. It rises while the ball is on its way to a brick, because the reward comes closer,
// and drops when the reward has been paid: a value is about the future only. At the end the value sinks to nearly zero
// some steps before the ball is lost. The network sees that the paddle will come too late.
//- how the figure is drawn, and what is checked
void draw_value(const Player<Breakout>& player) {
    const double discount = player.training.discount;
    Numbers rank, fall;
    std::vector<Moment<Breakout>> longest;
    for (std::size_t n = 0; n < player.nets.size(); ++n) {
        Generator random(500 + book::seed());
        Numbers expected, returns, changes;
        for (int e = 0; e < 30; ++e) {
            const auto moments = episode(player.game, &player.nets[n],
                                         data::start(player.game, random), 0, random);
            if (n == 0 && e < 10 && moments.size() > longest.size() &&
                moments.size() < 200)
                longest = moments;
            double later = 0;
            for (std::size_t t = moments.size(); t-- > 0;) {
                later = moments[t].reward + discount * later;
                expected.push_back(best(moments[t].q)), returns.push_back(later);
                if (moments[t].reward > 0 && t + 1 < moments.size())
                    changes.push_back(best(moments[t + 1].q) - best(moments[t].q));
            }
        }
        rank.push_back(correlation(ranks(expected), ranks(returns)));
        fall.push_back(mean(changes));
    }
    Numbers t, v, hits_t, hits_v;
    for (std::size_t k = 0; k < longest.size(); ++k) {
        t.push_back(double(k)), v.push_back(best(longest[k].q));
        if (longest[k].reward > 0) hits_t.push_back(t[k]), hits_v.push_back(v[k]);
    }
    if (hits_t.empty())  // no brick was hit
        hits_t = hits_v = {std::numeric_limits<double>::quiet_NaN()};
    std::vector<std::size_t> peaks;  // the three highest, at least six steps apart
    while (peaks.size() < 3) {
        std::size_t highest = v.size();
        for (std::size_t k = 0; k < v.size(); ++k) {
            const bool near = std::ranges::any_of(peaks, [&](std::size_t p) {
                return std::max(p, k) - std::min(p, k) < 6;
            });
            if (!near && (highest == v.size() || v[k] > v[highest])) highest = k;
        }
        if (highest == v.size()) break;
        peaks.push_back(highest);
    }
    std::ranges::sort(peaks);
    Figure figure("fig-6.5");
    figure
        .describe(
            "The value along an episode of Breakout: a jagged line with dots where a "
            "brick is hit. It climbs before each dot and falls after it. Three peaks "
            "are numbered, and three frames show the bricks, the ball and the paddle "
            "at "
            "these peaks.")
        .panel("value along an episode")
        .line("", t, v, {.color = figure::blue, .points = false})
        .dots("a brick is hit", hits_t, hits_v,
              {.color = figure::ochre, .shape = figure::Shape::circle, .width = 4})
        .x("step")
        .y("largest value");
    for (std::size_t p = 0; p < peaks.size(); ++p)
        figure.words("", Numbers{t[peaks[p]]}, Numbers{v[peaks[p]] + 0.15},
                     {std::to_string(p + 1)}, {.color = figure::ink, .width = 14});
    for (std::size_t p = 0; p < peaks.size(); ++p) {
        const Breakout::State& s = longest[peaks[p]].state;
        Numbers x, y;
        for (Index i = 0; i < 30; ++i)
            if (s.bricks >> i & 1u)
                x.push_back(double(i % 10)), y.push_back(-double(1 + i / 10));
        figure.panel(fmt::format("peak {}", p + 1))
            .dots("bricks", x, y,
                  {.color = figure::ochre, .shape = figure::Shape::square, .width = 7})
            .dots("ball", Numbers{double(s.column)}, Numbers{-double(s.row)},
                  {.color = figure::red, .shape = figure::Shape::circle, .width = 7})
            .dots("paddle", Numbers{double(s.paddle)}, Numbers{-9.0},
                  {.color = figure::blue, .shape = figure::Shape::square, .width = 7})
            .xlim(-0.5, 9.5)
            .ylim(-9.5, 0.5)
            .bare();
    }
    figure.save(
        "The largest value that the first network expects along an episode, with the "
        "frames at three peaks. After {cite:p}`mnih2015`, whose figure shows Atari "
        "Breakout.");
    book::shows("fig-6.5/a", "fig-6.5");
    claim("fig-6.5/b",
          "rank correlation of the value and the discounted return that followed, 30 "
          "episodes",
          over_seeds(rank), ">=", 0.6);
    claim("fig-6.5/c", "mean change of the value after a brick", over_seeds(fall), "<",
          0);
}
//-

// ## Atari
//
// The network of 2015 saw four frames of 84 by 84 pixels and had three
// [convolutional layers](../components/convolution.cpp) in front of a hidden one. Replay memory, target network and
// ε-greedy play were as here. On 29 of 49 games it reached more than three quarters of the score of a professional
// tester {cite:p}`mnih2015`. The games are not free, and are not part of this book, so this result stays a quotation.
//- what is played where, and how long it would take
void atari() {
    book::table(
        "games",
        "Where a deep Q-network is tried, and whether this book can repeat it.",
        {"game", "what the network sees", "in this book"},
        {{"Catch", "10 × 7 pixels", "trained by this page"},
         {"mini-Breakout", "10 × 10 pixels in four channels", "trained by this page"},
         {"49 Atari games", "four frames of 84 × 84 pixels",
          "not reproducible offline"}});
    book::shows("claim-dqn-values-human-level/c", "games");
    const double seen = 10e6, skip = 4, a_second = 60;
    claim_in("claim-dqn-values-human-level/a",
             "days of play of 10 million frames, each shown four times, at 60 a second",
             seen * skip / a_second / (24 * 60 * 60), 7.65, 7.75);
}
//-

void page() {
    const auto catching = trained<CatchGame>({.frames = frames(), .discount = 0.9});
    draw_catch(catching);
    const auto bricks = trained<Breakout>({.frames = longer(), .discount = 0.95});
    draw_learning(catching, bricks);
    check_values(catching, bricks);
    draw_value(bricks);
    atari();
}

// ## Summary
//
// A deep Q-network returns a value for each action from the pixels of a frame. It learns from a squared error with a
// constant target; batches come from a replay memory, and targets from a copy of the weights. It catches nearly every
// ball of a small game, and its values rise and fall with the returns that follow.
//
// ## What is missing
//
// Three networks for each game show that the method works here, and not how much the memory and the copy contribute.
// And the network has an output for each key. For a robot arm with a continuous choice of
// forces the maximum over all actions is a search of its own, so there a second network learns the policy.
//
// An agent's data come from its own play. The next pages turn to data that are given, and to making more of them:
// [diffusion](diffusion.cpp).
//
// ```{try}
// - Fewer frames: `--frames 5000`. Does the network catch more than half of the balls?
// - More frames of Breakout: `--longer 200000`. How many bricks does the network hit, and do the curves still jump?
// ```
