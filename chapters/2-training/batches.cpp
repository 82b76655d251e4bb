// # Stochastic gradient descent: a mini-batch at a time
//
// ```{rows} sys-training-loop eq-loss-average eq-3.2 sys-sgd claim-sgd-unbiased claim-sgd-more-steps
// ```
//
// On the last two pages a step of gradient descent cost almost nothing, because each loss was a formula of one line. A
// real loss is a mean over the training set: sixty thousand images, or a billion words. Must the program read all of them
// before it takes a single step? This page writes the training loop that all programs share. Then it estimates the
// gradient from a few samples, a **mini-batch**, measures how far off the estimate is, and compares batches of different
// sizes that read the same number of images. The method is **stochastic gradient descent**.
//
// How far from the full gradient is the gradient of a few samples? Move the slider:
//
// ```{opening} fig-batches
// ```
//- includes, names and options
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

const book::Option<Index> pictures("pictures", 60'000, "number of training images",
                                   {.quick = 3000, .least = 1000, .most = 60'000});
const book::Option<int> epochs("epochs", 2, "how often each image is seen",
                               {.least = 1, .most = 20});
const book::Option<Index> small_batch("batch", 100, "batch size of the small batches",
                                      {.least = 1, .most = 1000});
const book::Option<int> seeds("seeds", 5, "how many orders of the images are tried",
                              {.quick = 1, .least = 1, .most = 20});
//-

// ## The training loop: four lines
//
// Every training program, from the smallest to the largest, repeats four things: compute the loss, clear the old gradient,
// compute the new gradient, and let the optimiser change the weights.
template <class Optimiser, class Loss>
double one_step(Optimiser& optimiser, const Loss& loss) {
    const Tensor value = loss();  // forward pass: how good are the weights?
    optimiser.zero_grad();        // clear the gradient of the last step
    value.backward();             // backward pass: the gradient here
    optimiser.step();             // change the weights
    return double(value.item());
}

// The second line looks superfluous. It is needed because `backward` *adds* to the stored gradient. A weight that is used twice in
// one loss gets two contributions, and their sum is the derivative. The gradients of two losses add up in the same way: after a
// `backward` for each, the stored gradient is that of their sum. `backward` cannot know whether you want this sum or have begun a new
// step, so the program must clear the gradient between two steps. To check the order of the calls we pass a stand-in optimiser,
// which only writes down what was called.
//- the stand-in, and the order of its calls
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
    claim_true("sys-training-loop/a", "the calls come in the order of the four lines",
               heard == "loss reset gradient step loss reset gradient step ");
    heard.clear();
    optim::fit(optimiser, loss, {.steps = 1});
    say("a step of fit:     {}", heard);
    //-

    // The library's {cpp:func}`~recto::optim::fit` clears the gradient before it computes the loss. The result is the same, since
    // only `backward` reads what was cleared.
    //
    // What happens without `zero_grad`? Take the bowl $\frac12 w^2$, whose derivative is $w$ itself, a start at $w = 1$, and a rate
    // of 0.1. The loop below leaves the line out; `widest` is the largest distance from the minimum in the last hundred steps.
    const Tensor v = Tensor({1}, {1}).requires_grad_();
    optim::Sgd forgetful({{"v", v}}, {.lr = 0.1});
    double widest = 0;
    for (int step = 0; step < 1000; ++step) {
        (0.5 * sum(square(v))).backward();
        forgetful.step();
        if (step >= 900) widest = std::max(widest, std::abs(double(v.item())));
    }
    ask("A program leaves out zero_grad and trains for a thousand steps. What has "
        "happened to the weight?",
        {{"It reached the minimum, faster than with the line: its steps were longer.",
          widest < 1e-3,
          "The steps are longer, but nothing makes them short again at the "
          "bottom."},
         {"It swings from one side to the other, as far as in the beginning.",
          widest > 0.9 && widest < 1.2,
          "The sum of all gradients acts as a velocity, and each new gradient as a "
          "force: a pendulum without friction. With friction it becomes momentum, on "
          "the next page."},
         {"It diverged to infinity.", !(widest < 100),
          "Each gradient pulls back towards the bottom, so their sum cannot grow "
          "without end."}});
}

// ## The loss is a mean, and so is its gradient
//
// Each sample $n$ has a loss of its own, $\ell_n(w) = \ell(f(x_n; w), y_n)$. The loss over the data is their mean:
//
// ```{equation} eq-loss-average
// :function: recto::cross_entropy
// :test: batches: loss and gradient of all are the means over batches, weighted by size
// \Loss(w) = \frac1N \sum_{n=1}^N \ell_n(w)
// ```
//
// The derivative of a sum is the sum of the derivatives, so the gradient is a mean as well:
//
// ```{equation} eq-3.2
// :function: recto::optim::train_step
// :test: batches: loss and gradient of all are the means over batches, weighted by size
// \nabla \Loss(w) = \frac1N \sum_{n=1}^N \nabla \ell_n(w)
// ```
//
// Everything on this page rests on these two identities. We check them with fifty images of clothes and a {term}`perceptron` with
// one hidden layer. The function below returns all derivatives of a batch in one list:
std::vector<double> slopes(const nn::Mlp& model, const Examples& some) {
    for (const NamedTensor& p : nn::parameters(model)) p.tensor.zero_grad();
    cross_entropy(model(some.x), some.labels).backward();
    std::vector<double> all;
    for (const NamedTensor& p : nn::parameters(model))
        for (const Real slope : p.tensor.grad().values()) all.push_back(slope);
    return all;
}

// The loss of fifty images must equal the mean over batches of 16, 16, 16 and 2, weighted by their sizes. And the gradient of all
// must equal the mean of fifty gradients of single images:
//- both checks
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
          "the loss of all images minus the weighted mean of the batches' losses",
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
          fmt::format("the largest difference of {} derivatives from their mean over "
                      "50 single images",
                      mean.size()),
          apart, "<=", 1e-6);
}
//-

// ## A mini-batch estimates the gradient
//
// A mean can be estimated from a sample. Draw a mini-batch of $B$ samples at random and take *their* mean; $B$ is the **batch
// size**:
//
// $$ g = \frac1B \sum_{i=1}^B \nabla \ell_{n_i}(w) . $$
//
// Take three samples with the derivatives 1, 2 and 6. The full gradient is their mean, 3. The three possible batches of two give
// 1.5, 3.5 and 4. Each of them is off, but their mean is again 3. The same holds in general: if every sample is equally likely to
// be drawn, the mini-batch gradient is an {term}`unbiased estimate`. Its mean over all possible batches is the full gradient.
//
// How far is it off? For $B$ out of $N$ samples, drawn without replacement, the variance is that of a single sample, multiplied
// by
//
// $$ \frac1B \cdot \frac{N - B}{N - 1} . $$
//
// In the example the variance is 14/3 for single samples and 7/6 for batches of two: a quarter, as the formula says for $B = 2$
// and $N = 3$. The first factor is the usual one: four times as many samples halve the error. The second factor is close to 1 as
// long as the batch is a small part of the data.
//
// To test both statements without averaging over chance, we fit a straight line to eight samples. They have only 70 batches of
// four, so we can compute all of them. The line has two weights, slope and height, and a gradient is a point in the plane. Here is
// the gradient of the batch whose samples are the ones in the bits of `chosen`:
//- the gradients of all batches of one size
struct Cloud {
    std::vector<double> x, y;  // gradients of all batches of one size
    double mean[2] = {}, variance = 0;
};
//-
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

// Every batch size from 1 to 8 gets its mean and its variance, and both are compared with the theory.
//- all batches of one size, what is checked, and how the figure is drawn
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
    Figure figure("fig-batches");
    figure
        .describe(
            "Gradients as points in a plane, one for each batch of the size that a "
            "slider sets. They lie around a cross, the full gradient. Single samples "
            "are spread wide; the larger the batch, the tighter the cloud; with all "
            "eight samples it is the cross itself.")
        .slider("B", even_grid(N, 1, double(N)), "samples in a batch B", 4)
        .height(330)
        .x("derivative for the slope of the line")
        .y("derivative for its height")
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
        "The gradients of all possible batches of B samples. Move the slider: their "
        "centre is always the full gradient (cross), and the cloud shrinks as B grows. "
        "At B = 8 the only batch is the whole set.");
}
//-

// A batch of four in {numref}`fig-batches` has a seventh of the variance of a single sample, and costs half as much as all eight.
//
// ## Epochs
//
// Stochastic gradient descent takes the step of [gradient descent](descent.cpp) with the gradient of a random batch in place of
// the full one. {cite:t}`robbins1951` proved, for one unknown, that such steps converge if the learning rate fades at the right pace:
// slowly enough to cover any distance, and fast enough for the noise to average out.
//
// In practice the samples are shuffled once and dealt in batches, like cards, until all are used. One such round is an
// {term}`epoch`; then they are shuffled again. {cpp:class}`~recto::data::Batches` does this, and its test checks that an epoch
// contains every sample once.
//
// Our model is the simplest classifier, [ten scores](../foundations/classification.cpp) from one linear layer. Its weights start at
// zero, so that only the batches are random. A run trains for a number of epochs and records the loss of each batch:
//- the classifier, and the record of a run
struct Scores {
    Tensor weight = zeros({10, 784}).requires_grad_();
    Tensor bias = zeros({10}).requires_grad_();
    Tensor operator()(const Tensor& x) const { return linear(x, weight, bias); }
    void visit(auto&& part) { part("weight", weight), part("bias", bias); }
};
struct Run {
    std::vector<double> losses;  // of each batch, before its step
    std::vector<Real> weights;   // at the end
};
//-
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

// All randomness comes from a seed, so a run can be repeated bit by bit. This helps you to find mistakes: you can watch
// the same mistake again. Five epochs over a thousand images:
//- three runs, and what is checked
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
    claim_true("sys-sgd/b", "and the same weights; another seed gives other weights",
               same && first.weights != other.weights);
    //-

    // If the batch is the whole set in its old order, the loop must be plain gradient descent:
    const Run whole = run([&] { return Batches(some, some.size()); }, 5);
    const Scores model;
    optim::Sgd descent(nn::parameters(model), {.lr = 0.1});
    optim::fit(descent, [&] { return cross_entropy(model(some.x), some.labels); },
               {.steps = 5});
    //- what is checked and printed
    claim_true("sys-sgd/c", "batches of size N give the weights of gradient descent",
               whole.weights == model.weight.values());
    const Run stirred = shuffled(book::seed(), some.size());
    double apart = 0;
    for (std::size_t i = 0; i < whole.weights.size(); ++i)
        apart =
            std::max(apart, double(std::abs(whole.weights[i] - stirred.weights[i])));
    say("shuffled first, the farthest weight is off by {:.1e}", apart);
    //-

    // A shuffled set adds the same numbers in another order, and [rounding](../foundations/small_numbers.cpp) makes the last digits
    // differ. Equal bits need an equal order. {numref}`fig-loop` shows the recorded losses.
    //- how the figure is drawn
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
            "first, and fluctuates throughout. Five dots, the means of the epochs, "
            "fall smoothly.")
        .line("a batch", even_grid(count, 1, double(count)), first.losses,
              {.dash = figure::solid, .width = 1, .points = false})
        .line("mean of the epoch", middles, means, {.points = true})
        .ylim(0, 2.5)
        .x("step")
        .y("loss")
        .save(
            "A typical training curve. The thin line jumps because each batch contains "
            "other images; the means of the epochs show the progress.");
    book::shows("sys-training-loop/c", "fig-loop");
}
//-

// ## Many noisy steps or few exact ones
//
// Now the comparison. Every run may read the sixty thousand images twice. That is enough for two steps with full
// gradients, or for 1200 steps with batches of a hundred, each of them noisy. Which loss is lower in the end, measured
// on *all* images? Each batch size uses the best of four learning rates: 0.03, 0.1, 0.3 and 0.6.
//- a run of the comparison, and the runs at four rates
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
void many_or_few(const Examples& all, Generator& random) {
    const std::vector<double> rates = {0.03, 0.1, 0.3, 0.6};
    const std::vector<Index> sizes = {all.size(), 1000, small_batch()};
    Figure figure("fig-race");
    figure
        .describe(
            "The loss on all images against epochs, for three batch sizes; a slider "
            "sets the learning rate. At every rate full batches, which make two steps "
            "in all, end highest, and the smallest batches end lowest. At the largest "
            "rate all lines rise and fall.")
        .slider("rate", rates, "learning rate", 0.1)
        .x("epochs")
        .y("loss on all images");
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
    //-
    ask("All batch sizes read the same images equally often, each at its best rate. "
        "Which of them ends with the lowest loss on all images?",
        {{"All end at about the same loss: an image teaches the same whenever its "
          "gradient is used.",
          gain > 0.8 && gain < 1.25,
          "A gradient is valid where it was computed. After a step it has changed, and "
          "a full batch computes all of its gradients at one place."},
         {"Full batches end lowest: their few steps have no noise.", gain <= 0.8,
          "An exact gradient is exact at one place only. It does not say how far to "
          "follow it, and the curvature limits the rate."},
         {"The smallest batches, by a factor of more than two.", gain > 2,
          "1200 noisy steps lead farther than two exact ones."}});
    figure.ylim(0, 2.5).save(
        "The same number of images, read in batches of three sizes. Move the slider: a "
        "full batch takes only two steps, and none of the four rates makes up for "
        "that.");
    book::shows("claim-sgd-more-steps/b", "fig-race");
    for (std::size_t i = 0; i < sizes.size(); ++i)
        say("batches of {:<6} best rate {:<5} loss {:.4f}", sizes[i], best_rate[i],
            best[i]);

    // One order of the images could be lucky. So the small batches run again, each time in another order:
    //- the other orders
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
//-

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

// {numref}`fig-race` shows the first order. In all five others the loss with batches of a hundred ends at 0.26 to 0.27
// of the loss with full ones; the check asks only for less than 0.7. Why is the difference so large? The images
// resemble one another. Imagine a set in which every image occurs twice. A full gradient costs twice as much and says
// the same; a batch of a hundred is hardly affected. A thousand shirts are not copies, but their gradients are similar.
// Far from the minimum the gradient is large compared with its noise, and a rough direction is enough. Near the minimum
// the gradient vanishes, but the noise remains, so the learning rate has to fade: [the next page](optimisers.cpp) shows
// how. Whether the noise also lowers the error on new data is measured [later](step_and_batch.cpp).
//
// Mini-batches have a second advantage: a batch fits into memory. A data set that is larger than the memory, or that grows
// without end, can be used for training all the same.
//
// ## Summary
//
// The training loop has four lines, and the second one clears the gradient. A mini-batch gives an unbiased estimate of
// the gradient, with a variance that falls like $1/B$ as long as $B$ is much smaller than $N$. For the same number of
// images many noisy steps lower the loss much further than a few exact ones.
//
// ## What is missing
//
// The loop works with any data. But its last line, the step, is still the simplest one: one rate for all weights, and no
// memory of earlier gradients. [The next page](optimisers.cpp) improves it. [The page after it](chain_rule.cpp) explains
// how its third line, `backward`, computes the gradient.
//
// ```{try}
// - Smaller still: `--batch 10`, and `--batch 1` if you have a minute. Does the best rate stay the same?
// - Twenty epochs of a small set: `--pictures 3000 --epochs 20`. How far has the full batch come?
// - Other orders: `--seeds 20`. How much of the result was luck?
// ```
