// # Deep Q-networks: learning to play from pixels
//
// ```{rows} sys-dqn claim-dqn-values-human-level
// ```
//
// A ball falls in the wind, and a paddle must be below it when it lands. The network of this page is not told what a
// ball is. It sees the pixels of a frame, presses one of three keys, and at the end of an episode it learns whether it
// has won. {numref}`fig-catch` shows one episode after the training. Move the slider and watch what the network expects
// from each key. The method is [Q-learning](q_learning.cpp) with a network for a table, a **deep Q-network** (DQN); in
// 2015 it learned dozens of Atari games {cite:p}`mnih2015`. A network alone is not enough for that: two additions keep the
// training stable.
//
// ```{opening} fig-catch
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/stopwatch.hpp>
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
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::over_seeds, book::say;
using data::CatchGame, data::Breakout, data::Outcome, data::Transitions;
using figure::Figure;

const book::Option<Index> frames("frames", 20'000, "frames of Catch that are played",
                                 {.quick = 1000, .least = 100, .most = 50'000});
//-

// ## A network for a table
//
// [Catch](https://arxiv.org/abs/1406.6247) has ten rows of seven pixels. The ball falls one row in each step, in the upper rows a gust
// may take it along sideways, and the paddle moves one pixel at most. Catching the ball earns 1, missing it −1, and nothing
// else earns anything. A table would need a few hundred rows here. For a game with thirty bricks that are there or not, it
// would need more than a billion. So a [multilayer perceptron](../architectures/mlp.cpp) takes the pixels and returns a
// value for each key, all at once:
template <data::Mdp Game>
std::vector<Real> frame_of(const Game& game, const typename Game::State& state) {
    std::vector<Real> frame(std::size_t(Game::pixels));
    game.draw(state, frame);
    return frame;
}
std::vector<Real> values(const nn::Mlp& net, const std::vector<Real>& frame) {
    const NoGrad only_asking;
    return net(Tensor({1, Index(frame.size())}, frame)).values();
}

// The loss is that of [the page before](q_learning.cpp): the squared difference of the value of the key that was pressed and
// the target, the reward plus the discounted best value of the next frame.
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
// A table changes one value at a time. A network changes all of them, and this causes two problems. First, frames that follow
// one another are alike. A network that learns from them in order fits the present situation and forgets the others. The
// remedy is a **replay memory**: it keeps the last thousands of steps, and each batch is drawn from them at random.
// Second, every step of training moves the targets as well, and errors can feed on themselves. So the targets come from a
// **target network**, a copy of the weights that is renewed only now and then.
struct Training {
    Index frames;       // how many are played
    double discount;    // for each step of delay
    Index hidden = 64;  // units
};
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
        const double share = double(t) / double(training.frames),
                     epsilon = std::max(0.05, 1 - share / 0.3);
        const std::vector<Real> seen = frame_of(game, s);
        const Index a = data::epsilon_greedy(values(net, seen), epsilon, random);
        const auto o = data::play(game, s, a, random);
        memory.add(seen, a, o.reward,
                   o.ends ? std::vector<Real>() : frame_of(game, o.next));
        s = o.ends ? data::start(game, random) : o.next;
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
