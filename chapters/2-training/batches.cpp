// # A few at a time
//
// ```{rows} sys-training-loop eq-loss-average eq-3.2 sys-sgd claim-sgd-unbiased claim-sgd-more-steps
// ```
//
// On [the last page](descent.cpp) a step cost nothing, because the losses were formulas of one line. In earnest a
// loss looks at data: sixty thousand pictures, a billion words. Must all of them be read before one step may be
// made? This page writes the loop that all training programs share. Then it finds that a handful of samples knows
// nearly as well where down is, and what is gained by asking only them.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/curves.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/fit.hpp>
#include <recto/optim/sgd.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using data::Batches, data::even_grid, data::Examples, data::Part;
using figure::Figure;
//-

// Four numbers can be changed:
const book::Option<Index> pictures("pictures", 60'000, "how many pictures there are",
                                   {.quick = 3000, .least = 1000, .most = 60'000});
const book::Option<int> epochs("epochs", 2, "how often each of them is seen",
                               {.least = 1, .most = 20});
const book::Option<Index> small_batch("batch", 100, "how many make a small batch",
                                      {.least = 1, .most = 1000});
const book::Option<int> seeds("seeds", 5, "how many orders of the pictures are tried",
                              {.quick = 1, .least = 1, .most = 20});

// ## Four lines
//
// Every training program, from the smallest to the largest, repeats four things: compute the loss, forget the old
// slopes, find the new ones, step.
template <class Optimiser, class Loss>
double one_step(Optimiser& optimiser, const Loss& loss) {
    const Tensor value = loss();  // how bad are the weights?
    optimiser.zero_grad();        // forget the slopes of the last step
    value.backward();             // find the slopes here
    optimiser.step();             // and go
    return double(value.item());
}

// The second line looks superfluous. It is there because `backward` *adds*: a weight that is used twice collects two
// slopes, and it cannot know whether the one that lies there is from another use or from another step.
// To see the order of all calls, we put in stand-ins that do nothing but write down that they were called.
struct StandIn {
    std::string& heard;
    NamedTensors all;
    optim::SgdOptions options = {};
    void zero_grad() { heard += "reset "; }
    void step() { heard += "step "; }
    const NamedTensors& parameters() const { return all; }
};
void order_of_calls() {
    std::string heard;
    const Tensor w = Tensor({1}, {1}).requires_grad_();
    StandIn optimiser{heard, {{"w", w}}};
    const auto loss = [&] {
        heard += "loss ";
        return record("stand-in", Tensor(Shape{}, {0}), {w}, [&](const Tensor&) {
            heard += "gradient ";
            return Grads{zeros({1})};
        });
    };
    one_step(optimiser, loss), one_step(optimiser, loss);
    say("two steps of ours: {}", heard);
    claim_true("sys-training-loop/a", "the order of the calls is as promised",
               heard == "loss reset gradient step loss reset gradient step ");
    heard.clear();
    optim::fit(optimiser, loss, {.steps = 1});
    say("a step of fit:     {}", heard);

    // The library's {cpp:func}`~recto::optim::fit` resets before it computes the loss. The numbers are the same, since only
    // `backward` looks at what was reset, and memory for one set of slopes is free meanwhile. What if it is forgotten
    // altogether? Take the bowl $\frac12 w^2$, where the slope is $w$ itself, and a rate of 0.1.
    const Tensor v = Tensor({1}, {1}).requires_grad_();
    optim::Sgd forgetful({{"v", v}}, {.lr = 0.1});
    double widest = 0;
    for (int step = 0; step < 1000; ++step) {
        (0.5 * sum(square(v))).backward();
        forgetful.step();
        if (step >= 900) widest = std::max(widest, std::abs(double(v.item())));
    }
    ask("A program forgets the second line and trains for a thousand steps. What has "
        "become of the walk?",
        {{"It reached the minimum, faster than with the line: its steps were longer.",
          widest < 1e-3,
          "They are longer, and there is nothing that makes them short again at the "
          "bottom."},
         {"It swings from one side to the other, as wide as in the beginning.",
          widest > 0.9 && widest < 1.2,
          "The sum of all slopes is a speed, and the slope is a force: a pendulum "
          "without friction. With some friction this becomes a good idea, two sections "
          "into the next page."},
         {"It ran off to infinity.", !(widest < 100),
          "Each slope pulls back towards the bottom; their sum cannot grow without "
          "end."}});
}

// ## The loss is a mean, and so is its gradient
//
// A loss over data has a simple form. Each sample $n$ has a loss of its own, $\ell_n(w) = L(f(x_n; w), y_n)$, and
// the loss is their mean:
//
// ```{equation} eq-loss-average
// :function: recto::cross_entropy
// :test: batches: loss and gradient of all are the means over batches, weighted by size
// \Loss(w) = \frac1N \sum_{n=1}^N \ell_n(w)
// ```
//
// The slope of a sum is the sum of the slopes, so the gradient is a mean too:
//
// ```{equation} eq-3.2
// :function: recto::optim::train_step
// :test: batches: loss and gradient of all are the means over batches, weighted by size
// \nabla \Loss(w) = \frac1N \sum_{n=1}^N \nabla \ell_n(w)
// ```
//
// Two small identities, and all of this page rests on them. A few pictures of clothes, cut into unequal batches, and a
// {term}`perceptron` with one hidden layer:
std::vector<double> slopes(const nn::Mlp& model, const Examples& some) {
    for (const NamedTensor& p : nn::parameters(model)) p.tensor.zero_grad();
    cross_entropy(model(some.x), some.labels).backward();
    std::vector<double> all;
    for (const NamedTensor& p : nn::parameters(model))
        for (const Real slope : p.tensor.grad().values()) all.push_back(slope);
    return all;
}
void means(const Examples& train, Generator& random) {
    const Examples some = data::slice(train, 0, 50);
    const nn::Mlp model({784, 20, 10}, tanh, random);
    const auto loss = [&](const Examples& batch) {
        return double(cross_entropy(model(batch.x), batch.labels).item());
    };
    double weighted = 0;
    for (const Examples& batch : Batches(some, 16))  // 16, 16, 16 and 2
        weighted += loss(batch) * double(batch.size()) / double(some.size());
    claim("eq-loss-average/a",
          "loss of all, less the mean of the batches' losses weighted by size",
          std::abs(loss(some) - weighted), "<=", 1e-6);

    std::vector<double> mean(std::size_t(nn::count(model)));
    for (const Examples& single : Batches(some, 1)) {
        const std::vector<double> own = slopes(model, single);
        for (std::size_t i = 0; i < own.size(); ++i)
            mean[i] += own[i] / double(some.size());
    }
    const std::vector<double> whole = slopes(model, some);
    double apart = 0;
    for (std::size_t i = 0; i < mean.size(); ++i)
        apart = std::max(apart, std::abs(mean[i] - whole[i]));
    claim("eq-3.2/a",
          fmt::format("the largest difference of {} slopes from the mean of those of "
                      "50 single pictures",
                      mean.size()),
          apart, "<=", 1e-6);
}

// ## Ask a few
//
// Who wants to know a mean need not ask everybody. He draws a {term}`batch` of $B$ samples and takes *their* mean:
//
// $$ g = \frac1B \sum_{b=1}^B \nabla \ell_{n_b}(w) . $$
//
// It will be off. But if every sample is as likely to be drawn as any other, it is off in no direction more than in
// another: averaged over all batches that could have been drawn, it is the gradient exactly. One says that it is an
// {term}`unbiased estimate`. We can try it without any averaging over chance, because eight samples have only 70 batches of four, and
// we can draw them all. A straight line has two weights, slope and height, so a gradient is a point in the plane:
struct Cloud {
    std::vector<double> x, y;  // gradients of all batches of one size
    double mean[2] = {}, variance = 0;
};
std::array<double, 2> line_gradient(const data::Samples& s, unsigned chosen) {
    const Tensor w = Tensor({2}, {-0.5, 0.2}).requires_grad_();
    const Tensor slope = select(w, 0, 0), level = select(w, 0, 1);
    Tensor loss = zeros(Shape{});
    for (Index i = 0; i < s.size(); ++i)
        if (chosen >> i & 1)
            loss = loss +
                   square(slope * s.x[std::size_t(i)] + level - s.y[std::size_t(i)]);
    (loss / std::popcount(chosen)).backward();
    return {double(w.grad().at({0})), double(w.grad().at({1}))};
}
Cloud all_batches(const data::Samples& s, int size) {
    Cloud cloud;
    for (unsigned chosen = 1; chosen < 1u << s.size(); ++chosen) {
        if (std::popcount(chosen) != size) continue;
        const auto [slope, level] = line_gradient(s, chosen);
        cloud.x.push_back(slope), cloud.y.push_back(level);
    }
    const double count = double(cloud.x.size());
    for (const double x : cloud.x) cloud.mean[0] += x / count;
    for (const double y : cloud.y) cloud.mean[1] += y / count;
    for (std::size_t i = 0; i < cloud.x.size(); ++i)
        cloud.variance += (std::pow(cloud.x[i] - cloud.mean[0], 2) +
                           std::pow(cloud.y[i] - cloud.mean[1], 2)) /
                          count;
    return cloud;
}

// How far off is it, on average? Statisticians have known for long what happens to a mean of $B$ out of $N$, drawn without
// putting any back: its variance is that of single samples, times
//
// $$ \frac1B \cdot \frac{N - B}{N - 1} . $$
//
// The first factor is the usual one: four times as many samples, half the error. The second says that it helps if there
// are few left that were not asked.
void noisy_gradients(Generator& random) {
    const Index N = 8;
    const data::Samples s = data::noisy_samples([](double x) { return 0.8 * x - 0.5; },
                                                N, -1, 2, 0.5, random);
    std::vector<Cloud> clouds;
    for (int size = 1; size <= N; ++size) clouds.push_back(all_batches(s, size));
    const Cloud &single = clouds[0], &four = clouds[3], &all = clouds[7];
    say("{} batches of four; the variance of one is {:.4f} times that of a single "
        "sample",
        four.x.size(), four.variance / single.variance);
    claim("claim-sgd-unbiased/a",
          "the distance of the mean over all batches of 4 from the full gradient",
          std::hypot(four.mean[0] - all.x[0], four.mean[1] - all.y[0]), "<=", 1e-12);
    double off = 0;
    for (int B = 1; B <= N; ++B) {
        const double expected = single.variance / B * double(N - B) / double(N - 1);
        off = std::max(off, std::abs(clouds[std::size_t(B - 1)].variance - expected));
    }
    claim("claim-sgd-unbiased/b",
          "the largest difference of a variance from its formula, over all B", off,
          "<=", 1e-9);
    //- how the figure is drawn
    Figure figure("fig-batches");
    figure
        .describe(
            "Gradients as points in a plane, one for each batch of the size that a "
            "slider sets. They lie around a cross, the full gradient. Single samples "
            "are spread wide; the larger the batch, the tighter the cloud; with all "
            "eight samples it is the cross itself.")
        .slider("B", even_grid(N, 1, double(N)), "samples in a batch B", 4)
        .height(330)
        .x("derivative by the slope of the line")
        .y("derivative by its height")
        .dots("all samples", all.x, all.y,
              {.color = figure::red, .shape = figure::Shape::cross, .width = 6})
        .xlim(std::ranges::min(single.x) - 0.3, std::ranges::max(single.x) + 0.3)
        .ylim(std::ranges::min(single.y) - 0.3, std::ranges::max(single.y) + 0.3);
    for (int B = 1; B <= N; ++B) {
        const Cloud& cloud = clouds[std::size_t(B - 1)];
        figure.at(B).dots("a batch", cloud.x, cloud.y,
                          {.color = figure::blue, .shape = figure::Shape::circle});
    }
    figure.save(
        "The gradient as every possible batch of eight samples sees it. None is right, "
        "none is far wrong, and their centre is the truth.");
    //-
}

// Move the slider of {numref}`fig-batches` from one to eight. A batch of one often points to the wrong side of zero. A batch
// of four has a seventh of its variance, and costs half of what all cost.
//
// ## Round after round
//
// This is {term}`stochastic gradient descent`: the step of [the last page](descent.cpp), with the gradient of a random batch in
// place of the full one. {cite:t}`robbins1951` proved, for one unknown, that such a walk arrives although no step knows
// the way, if the rate fades at the right pace. In practice the samples are not drawn anew each time. They are shuffled
// and dealt like cards, so many to a batch, until all are dealt: that is an {term}`epoch`. Then they are shuffled again.
// {cpp:class}`~recto::data::Batches` does it, and its test sees to it that each card is dealt once.
//
// Our model shall be the simplest there is, [ten scores](../foundations/classification.cpp) by one layer; it starts
// from zero, so that nothing but the batches is random.
struct Scores {
    Tensor weight = zeros({10, 784}).requires_grad_();
    Tensor bias = zeros({10}).requires_grad_();
    Tensor operator()(const Tensor& x) const { return linear(x, weight, bias); }
    void visit(auto&& part) { part("weight", weight), part("bias", bias); }
};
struct Run {
    std::vector<double> losses;  // of each batch, before its step
    std::vector<Real> weights;   // in the end
};
template <class Deal>
Run run(const Deal& deal, int rounds) {
    const Scores model;
    optim::Sgd sgd(nn::parameters(model), {.lr = 0.1});
    Run made;
    optim::fit(
        sgd, deal,
        [&](const Examples& batch) {
            return cross_entropy(model(batch.x), batch.labels);
        },
        {.epochs = rounds},
        [&](const optim::Progress& now) { made.losses.push_back(now.loss); });
    made.weights = model.weight.values();
    return made;
}

// Chance is a nuisance when one looks for a mistake. So all chance comes from a seed, and a run can be had again, to
// the last bit. Five rounds over a thousand pictures:
void reproducible(const Examples& train) {
    const Examples some = data::slice(train, 0, 1000);
    const auto shuffled = [&](std::uint64_t seed, Index size) {
        Generator random(seed);
        return run([&] { return Batches(some, size, random); }, 5);
    };
    const Run first = shuffled(book::seed(), 50), again = shuffled(book::seed(), 50),
              other = shuffled(book::seed() + 1, 50);
    const bool same = first.losses == again.losses && first.weights == again.weights;
    claim_true("sys-training-loop/b",
               "the same seed gives the same curve of losses, bit for bit",
               first.losses == again.losses);
    claim_true("sys-sgd/b", "and the same weights; another seed does not",
               same && first.weights != other.weights);

    // And with batches as large as the data, dealt as they lie, it must be the old gradient descent:
    const Run whole = run([&] { return Batches(some, some.size()); }, 5);
    const Scores model;
    optim::Sgd descent(nn::parameters(model), {.lr = 0.1});
    optim::fit(descent, [&] { return cross_entropy(model(some.x), some.labels); },
               {.steps = 5});
    claim_true("sys-sgd/c", "batches of size N give the weights of gradient descent",
               whole.weights == model.weight.values());
    const Run stirred = shuffled(book::seed(), some.size());
    double apart = 0;
    for (std::size_t i = 0; i < whole.weights.size(); ++i)
        apart =
            std::max(apart, double(std::abs(whole.weights[i] - stirred.weights[i])));
    say("shuffled first, the farthest weight is off by {:.1e}", apart);

    // Shuffled, the same numbers are added in another order, and [rounding](../foundations/small_numbers.cpp) differs. Bits
    // are only equal where all is. {numref}`fig-loop` is the curve that the callback wrote down.
    const std::size_t round = first.losses.size() / 5;
    std::vector<double> means(5), middles;
    for (std::size_t i = 0; i < first.losses.size(); ++i)
        means[i / round] += first.losses[i] / double(round);
    for (std::size_t i = 0; i < 5; ++i)
        middles.push_back((double(i) + 0.5) * double(round));
    const auto count = Index(first.losses.size());
    Figure("fig-loop")
        .describe(
            "The loss of each batch against the step: it falls from 2.3, fast at "
            "first, and trembles all the while. Five dots, the means of the epochs, "
            "fall smoothly.")
        .line("a batch", even_grid(count, 1, double(count)), first.losses,
              {.dash = figure::solid, .width = 1, .points = false})
        .line("mean of the epoch", middles, means, {.points = true})
        .ylim(0, 2.5)
        .x("step")
        .y("loss")
        .save(
            "A training run as one usually sees it. The trembling is not the model's: "
            "each batch is another exam.");
    book::shows("sys-training-loop/c", "fig-loop");
}

// ## Many poor steps or few good ones
//
// Now the question for which all this was made. Sixty thousand pictures may be looked at twice. With full gradients that
// buys two steps. With batches of a hundred it buys six hundred times as many, each of them noisy. Who is lower in the end, measured on *all*
// pictures? Each may choose its best rate from a list.
double loss_on_all(const Scores& model, const Examples& all) {
    const NoGrad only_asking;
    double total = 0;
    for (const Examples& part : Batches(all, 10'000))
        total += double(cross_entropy(model(part.x), part.labels).item()) *
                 double(part.size());
    return total / double(all.size());
}
struct Course {
    std::vector<double> epoch, loss;
};
Course race(const Examples& all, Index size, double rate, int looks,
            Generator& random) {
    const Scores model;
    optim::Sgd sgd(nn::parameters(model), {.lr = rate});
    data::Passes deal(all, size, random);
    Course course;
    const auto look = [&](double epoch) {
        course.epoch.push_back(epoch), course.loss.push_back(loss_on_all(model, all));
    };
    if (looks > 1) look(0);
    const Index steps = deal.count() * epochs();
    for (Index step = 1; step <= steps; ++step) {
        const Examples batch = size == all.size() ? all : deal.next();
        one_step(sgd, [&] { return cross_entropy(model(batch.x), batch.labels); });
        if (step * looks / steps > (step - 1) * looks / steps)
            look(double(step) / double(deal.count()));
    }
    return course;
}

// Three sizes, four rates each, and a look at the loss on everything now and then:
void many_or_few(const Examples& all, Generator& random) {
    const std::vector<double> rates = {0.03, 0.1, 0.3, 0.6};
    const std::vector<Index> sizes = {all.size(), 1000, small_batch()};
    Figure figure("fig-race");
    figure
        .describe(
            "The loss on all pictures against epochs, for three sizes of batches; a "
            "slider sets the learning rate. At every rate small batches end lowest by "
            "far; full batches make two steps in all. At the largest rates all lines "
            "tremble.")
        .slider("rate", rates, "learning rate", 0.1)
        .x("epochs")
        .y("loss on all pictures");
    std::vector<double> best(sizes.size(), INFINITY);
    std::vector<double> best_rate(sizes.size());
    for (const double rate : rates)
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const int looks = i == 0 ? epochs() : 3 * epochs();
            const Course course = race(all, sizes[i], rate, looks, random);
            figure.at(rate).line(fmt::format("batches of {}", sizes[i]), course.epoch,
                                 course.loss, {.points = true});
            if (!(course.loss.back() < best[i])) continue;
            best[i] = course.loss.back(), best_rate[i] = rate;
        }
    const double gain = best[0] / best[2];
    ask("All read the same pictures as often, each at its best rate. Whose loss is "
        "lowest on all the pictures?",
        {{"All end at about the same place: a picture teaches the same, whenever its "
          "slope is used.",
          gain > 0.8 && gain < 1.25,
          "Its slope is used where it was found. After a step it is another slope, and "
          "a full batch finds all of its slopes at one place."},
         {"Full batches are lowest: their few steps have no noise.", gain <= 0.8,
          "An exact slope is exact here. It says nothing of how far to follow it, and "
          "the curvature forbids to go far."},
         {"The smallest batches are, by a factor of more than two.", gain > 2,
          "Hundreds of rough steps lead farther than two exact ones."}});
    figure.ylim(0, 2.5).save(
        "The same number of pictures looked at, by steps of three sizes. Full batches "
        "have no choice but to make two steps; no rate makes up for that.");
    book::shows("claim-sgd-more-steps/b", "fig-race");
    for (std::size_t i = 0; i < sizes.size(); ++i)
        say("batches of {:<6} best rate {:<5} loss {:.4f}", sizes[i], best_rate[i],
            best[i]);

    // One order of the pictures could be a lucky one. So the small batches go again, each time with another:
    std::vector<double> shares;
    for (int seed = 0; seed < seeds(); ++seed) {
        book::progress(seed + 1, seeds(), "orders");
        shares.push_back(race(all, small_batch(), best_rate[2], 1, random).loss[0] /
                         best[0]);
    }
    claim("claim-sgd-more-steps/a",
          "the loss with small batches, as a share of that with full ones",
          over_seeds(shares), "<", 0.7);
}

void page() {
    const Examples train =
        data::slice(data::flat(data::fashion_mnist(Part::train)), 0, pictures());
    Generator random(book::seed());
    order_of_calls();
    means(train, random);
    noisy_gradients(random);
    reproducible(train);
    many_or_few(train, random);
}

// Why is it so lopsided? The pictures resemble one another. Imagine a set in which every picture lies twice. A full
// gradient costs twice as much and says the same; a batch of a hundred does not even notice. Data sets are not copies, but
// sixty thousand shirts, shoes and bags come near it. As long as the walk is far from the bottom, a rough direction is all
// it needs. Near the bottom the noise does matter, and it does not fade by itself: [the next page](optimisers.cpp)
// will have to let the rate fade. That the noise is even good for something is told [later](step_and_batch.cpp).
//
// There is a second gain, which is no matter of taste. A batch fits into memory. A data set that does not fit, or that
// never ends, can be trained on all the same.
//
// ## What is missing
//
// The loop stands, and it feeds on any data. But its last line, the step, is still the simplest one: one rate for all
// weights, no memory of where it came from. [The next page](optimisers.cpp) improves it. Its third line, `backward`, is
// still a miracle; [after that](chain_rule.cpp) we take it apart.
//
// ```{try}
// - Smaller still: `--batch 10`, and `--batch 1` if you have a minute. Does the best rate stay the same?
// - Twenty epochs of a small set: `--pictures 3000 --epochs 20`. How far has the full batch come?
// - Other orders: `--seeds 20`. How much of the result was luck?
// ```
