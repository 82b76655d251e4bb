// # Vanishing and exploding gradients: what arrives
//
// ```{rows} claim-vanishing-gradient claim-exploding-gradient sys-gradient-clipping claim-backprop-leaky
// ```
//
// [Backpropagation](backpropagation.cpp) is exact at any depth, and [its memory](memory.cpp) can be reduced. Still, networks
// of fifty layers could not be trained for decades, because a gradient can be exact and useless. A **vanishing
// gradient** is so small that no weight moves. An **exploding gradient** is so large that a step destroys the weights.
// Both have one cause, a product of many matrices, and this page measures it. It shows what **initialisation** and **gradient
// clipping** can do, and how a **dead unit** arises.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/base/math.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/linalg/products.hpp>
#include <recto/linalg/solve.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/sequences/recurrent.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/clip.hpp>
#include <recto/optim/fit.hpp>
#include <recto/optim/sgd.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say;
using figure::Figure;
//-

// You can change seven numbers, two for the stack of layers and five for the task that comes later:
const book::Option<Index> depth("depth", 50, "how many layers the stack has",
                                {.least = 3, .most = 500});
const book::Option<Index> width("width", 64, "how many numbers a layer makes",
                                {.quick = 32, .least = 2, .most = 1024});
const book::Option<Index> delay("delay", 10, "how long the network must remember",
                                {.least = 0, .most = 200});
const book::Option<double> rate("rate", 1, "the learning rate of that task",
                                {.least = 0.0});
const book::Option<double> threshold("threshold", 0.3,
                                     "the longest gradient with clipping",
                                     {.least = 0.0});
const book::Option<Index> training("training", 2000, "steps of training",
                                   {.quick = 60, .least = 60, .most = 100'000});
const book::Option<int> seeds("seeds", 5, "how often each experiment is repeated",
                              {.quick = 1, .least = 1, .most = 100});

// ## A product of fifty matrices
//
// A layer $x^{(d)} = f_d(x^{(d-1)})$ has a Jacobian $J_d$, the matrix of all its derivatives. By the chain rule the
// gradient that reaches layer $d$ of $D$ is
//
// $$ \frac{\partial \Loss}{\partial x^{(d)}} = J_{d+1}^\top J_{d+2}^\top \cdots J_D^\top \,
//    \frac{\partial \Loss}{\partial x^{(D)}} . $$
//
// It is a product of $D - d$ matrices. If each makes a vector shorter by a tenth on average, half a percent of the length
// remains after fifty. If each makes it longer by a tenth, the length grows to 117 times. Only an
// average factor of one, kept in all fifty layers, preserves it. Does this happen by itself? We look at a stack
// without biases, and choose two things: the activation function, and the scale $s$ of the weights, which are drawn
// with standard deviation $s/\sqrt m$ for layers of $m$ numbers. With $s = 1$ a sum of $m$ inputs is about as large
// as one of them.
//
// How do we get at the gradient of a layer's output, when the tape keeps only those of leaves? We add a leaf of
// zeros to it. That changes nothing, and what flows to the sum flows to the leaf.
double norm_of(const Tensor& x) {
    double squares = 0;  // in double, where they do not underflow
    for (const Real v : x.values()) squares += double(v) * double(v);
    return std::sqrt(squares);
}

std::vector<double> gradient_norms(Activation f, double scale, Generator& random) {
    const Real deviation = Real(scale / std::sqrt(double(width())));
    std::vector<Tensor> listeners;
    Tensor x = random.normal({32, width()});
    for (Index d = 0; d < depth(); ++d) {
        listeners.push_back(zeros(x.shape()).requires_grad_());
        x = linear(x, random.normal({width(), width()}, 0, deviation), {}, f) +
            listeners.back();
    }
    mean(x * random.normal(x.shape())).backward();  // any loss will do
    std::vector<double> norms;
    for (const Tensor& e : listeners) norms.push_back(norm_of(e.grad()));
    return norms;
}

// For the sigmoid we can tell beforehand. Its slope is never more than one fourth, so with $s = 1$ every layer
// should cost a factor of four or a little more, and the logarithm of the norm should be a straight line over the
// layers.
struct Line {
    double slope, share;  // and how much of the variance it explains
};
Line fit_line(const std::vector<double>& y) {
    const double n = double(y.size()), middle = (n - 1) / 2;
    double mean_y = 0, xy = 0, xx = 0, yy = 0;
    for (const double v : y) mean_y += v / n;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const double dx = double(i) - middle, dy = y[i] - mean_y;
        xy += dx * dy, xx += dx * dx, yy += dy * dy;
    }
    return {xy / xx, xy * xy / (xx * yy)};
}
std::vector<double> logs(std::vector<double> values) {
    for (double& v : values) v = std::log(v);
    return values;
}

void fifty_layers() {
    std::vector<double> shares, slopes;
    for (int run = 0; run < seeds(); ++run) {
        Generator random(book::seed() + std::uint64_t(run));
        std::vector<double> log_norm = logs(gradient_norms(sigmoid, 1, random));
        std::ranges::reverse(log_norm);  // from the last layer to the first
        const Line line = fit_line(log_norm);
        shares.push_back(line.share), slopes.push_back(line.slope);
    }
    claim("claim-vanishing-gradient/a",
          "a line over the layers explains this share of the variance of the log-norm",
          over_seeds(shares), ">", 0.95);
    claim("claim-vanishing-gradient/b",
          "its slope: the change of the log-norm per layer on the way back",
          over_seeds(slopes), "<", -0.3);

    // {numref}`fig-vanishing` has two other functions and two other scales.
    std::vector<double> layers;
    for (Index d = 1; d <= depth(); ++d) layers.push_back(double(d));
    Figure all("fig-vanishing");
    all.describe(
           "Three panels, for scales of the weights of one half, one and two. Each has "
           "the norm of the gradient against the layer on a logarithmic axis, for "
           "sigmoid, tanh and ReLU. At one half all three fall steeply from the last "
           "layer to the first. At one the sigmoid falls steeply, the ReLU less, the "
           "tanh hardly. At two the sigmoid still falls; tanh and ReLU grow.")
        .columns(3);
    for (const double scale : {0.5, 1.0, 2.0}) {
        Generator random(book::seed());
        all.panel(fmt::format("s = {}", scale));
        all.line("sigmoid", layers, gradient_norms(sigmoid, scale, random),
                 {.points = false});
        all.line("tanh", layers, gradient_norms(tanh, scale, random),
                 {.points = false});
        all.line("ReLU", layers, gradient_norms(relu, scale, random),
                 {.points = false});
        all.log_y().ylim(1e-46, 1e10).x("layer");
        if (scale == 0.5) all.y("norm of the gradient");
    }
    all.save(
        "The norm of the gradient of each layer's output; the loss is at the right "
        "end, and the gradient comes from there. A line that stops has arrived at "
        "zero: single precision has no smaller numbers.");
    book::shows("claim-vanishing-gradient/c", "fig-vanishing");
}

// The gradient of a layer's weights is this one times the layer's input. With one {term}`learning rate` for all,
// the last layers of the sigmoid would jump while the first stand still. That is the *vanishing gradient*
// {cite:p}`bengio1994`. The opposite, lines that rise on the way back, is the *exploding gradient*. Between them
// lies a narrow path. For the tanh it goes near $s = 1$; for the ReLU, which lets half of the numbers through, it
// must be a little more. The initialisation of weights, later in this book, is nothing but the art of beginning on
// that path.
//
// ## The same matrix a hundred times
//
// In a stack every layer has other weights, and luck and bad luck even out. A recurrent network multiplies by *one*
// matrix, step after step: $h_t = \tanh(W h_{t-1} + e_t)$ reads $e_t$ in step $t$. Its Jacobian is $J_t =
// \operatorname{diag}(1 - h_t^2)\, W$, and a gradient that goes back $k$ steps is multiplied by $k$ of them. While the states are
// small, the slopes $1 - h_t^2$ are nearly one, and $J_t$ is nearly $W$.
//
// Two numbers belong to $W$. The largest *singular value* is how much longer it makes a vector at most, once. The
// *spectral radius* $\rho$ is the size of its largest eigenvalue, and it is what counts in the long run:
// $\|W^k\|^{1/k}$ tends to $\rho$. We compute it so, with $k$ a large power of two:
using linalg::Matrix;

double log_length(const Matrix& a) {
    double squares = 0;
    for (const double v : a.values) squares += v * v;
    return std::log(squares) / 2;
}
double spectral_radius(Matrix w) {
    double log_scale = 0, power = 1;  // what stands before w, and which power it is
    for (int squared = 0; squared < 30; ++squared) {
        const double log_norm = log_length(w);
        for (double& v : w.values) v *= std::exp(-log_norm);
        log_scale = 2 * (log_scale + log_norm), power *= 2;
        w = linalg::matmul(w, w);
    }
    return std::exp((log_scale + log_length(w)) / power);
}

const Index unrolled = 100, state_size = 32;

// We draw a matrix, bring it to a spectral radius, start in a random state, and read random numbers in every step. For each
// number of steps back we note the norm of the gradient, and the largest singular value of the product of as many Jacobians:
struct WayBack {
    std::vector<double> norms, singular;
};
WayBack way_back(double radius, double read, Generator random) {
    Matrix drawn = linalg::matrix_of(random.normal({state_size, state_size}));
    const double before = spectral_radius(drawn);
    for (double& v : drawn.values) v *= radius / before;
    const Tensor w = linalg::tensor_of(drawn);
    std::vector<Tensor> e, states;
    Tensor h = random.normal({1, state_size}, 0, Real(read));
    for (Index t = 0; t < unrolled; ++t) {
        e.push_back(random.normal({1, state_size}, 0, Real(read)).requires_grad_());
        h = tanh(linear(h, w) + e.back());
        states.push_back(h.detach());
    }
    sum(h * random.normal(h.shape())).backward();

    WayBack way;
    Matrix product(state_size, state_size);
    for (Index i = 0; i < state_size; ++i) product(i, i) = 1;
    for (std::size_t t = std::size_t(unrolled); t-- > 0;) {
        way.norms.push_back(norm_of(e[t].grad()));
        way.singular.push_back(linalg::singular_values(product)[0]);
        Matrix jacobian = drawn;
        for (Index i = 0; i < state_size; ++i) {
            const double state = double(states[t].at({0, i}));
            for (Index j = 0; j < state_size; ++j) jacobian(i, j) *= 1 - state * state;
        }
        product = linalg::matmul(product, jacobian);
    }
    return way;
}
double growth_per_step(std::vector<double> values) {  // in the second half
    values.erase(values.begin(), values.begin() + unrolled / 2);
    return std::exp(fit_line(logs(values)).slope);
}

// A network that hardly reads anything, one that reads more, and one with larger weights:
void recurrence() {
    const auto ways = [](double radius, double read) {
        std::vector<WayBack> found;
        for (int run = 0; run < seeds(); ++run)
            found.push_back(way_back(
                radius, read, Generator(book::seed() + 100 + std::uint64_t(run))));
        return found;
    };
    const std::vector<WayBack> quiet = ways(1.2, 0.01), loud = ways(1.2, 0.5),
                               wild = ways(4, 0.5);
    const auto growths = [](const std::vector<WayBack>& of) {
        std::vector<double> found;
        for (const WayBack& way : of) found.push_back(growth_per_step(way.norms));
        return found;
    };
    const double grows = book::median(growths(quiet));
    ask("A recurrent network has a matrix of spectral radius 1.2 and reads numbers of "
        "about 0.01. By which factor per step does the gradient grow, a long way back?",
        {{"By the largest singular value of W, more than 2.", grows > 1.5,
          "In one step it can. But then the longest direction is turned away, and the "
          "next step finds another one."},
         {"By the spectral radius of W, 1.2.", std::abs(grows - 1.2) < 0.02,
          "So it would be if the states stayed at zero. They grow as well, until the "
          "tangent bends, and there its slope is below one."},
         {"By more than 1 and less than 1.2.", grows > 1 && grows < 1.18,
          "W alone would make 1.2 of it. The states are not zero, and every slope of "
          "the tangent takes its share."}});

    std::vector<double> off, ratios;
    for (const WayBack& way : quiet)
        off.push_back(
            std::abs(growth_per_step(way.norms) / growth_per_step(way.singular) - 1));
    for (const WayBack& way : wild)
        ratios.push_back(way.norms.back() / way.norms.front());
    say("radius 1.2, little to read: the gradient grows by {} a step",
        book::brief(over_seeds(growths(quiet))));
    say("radius 1.2, much to read: by {}", book::brief(over_seeds(growths(loud))));
    say("radius 4, much to read: by {}", book::brief(over_seeds(growths(wild))));
    claim("claim-exploding-gradient/a",
          "radius 1.2, little to read: the distance of the gradient's growth per step "
          "from that of the largest singular value, as a share of it",
          over_seeds(off), "<=", 0.05);
    claim("", "and the growth itself", over_seeds(growths(quiet)), ">", 1);
    claim("claim-backprop-leaky/c",
          "radius 4: the gradient after a hundred steps, as a multiple of that after "
          "one",
          over_seeds(ratios), ">", 1e6);

    // {numref}`fig-recurrence` has the first draw of each.
    Figure recurrent("fig-recurrence");
    recurrent
        .describe(
            "Three panels, each with the norm of the gradient against the number of "
            "steps back on a logarithmic axis, and beside it, in parallel, the largest "
            "singular value of the product of Jacobians. Left both rise slowly, in the "
            "middle both fall, on the right both rise steeply.")
        .columns(3);
    std::vector<double> back;
    for (Index k = 0; k < unrolled; ++k) back.push_back(double(k));
    for (const auto& [name, way] : {std::pair{"radius 1.2, little to read", quiet[0]},
                                    std::pair{"radius 1.2, much to read", loud[0]},
                                    std::pair{"radius 4, much to read", wild[0]}})
        recurrent.panel(name)
            .line("gradient", back, way.norms, {.color = figure::red, .points = false})
            .line("Jacobians", back, way.singular,
                  {.color = figure::grey, .points = false})
            .log_y()
            .ylim(1e-12, 1e20)
            .x("steps back");
    recurrent.save(
        "A gradient on its way back through a recurrent network, and the largest "
        "singular value of the product of as many Jacobians. The weights alone do not "
        "decide: a network that reads more has larger states and smaller slopes.");
}

// How bad can it become? Forward or backward, numbers have an end. Layers whose weights are ten times too large
// multiply by ten each:
Index first_overflow(double gain, Generator& random) {
    const NoGrad only_asking;
    Tensor x = random.normal({1, width()});
    const Real deviation = Real(gain / std::sqrt(double(width())));
    for (Index d = 1;; ++d) {
        x = linear(x, random.normal({width(), width()}, 0, deviation));
        for (const Real v : x.values())
            if (!std::isfinite(v)) return d;
    }
}
void overflow() {
    Generator random(book::seed() + 2);
    say("the largest number of single precision is {:.1e}",
        std::numeric_limits<float>::max());
    std::vector<double> layers;
    for (int run = 0; run < seeds(); ++run)
        layers.push_back(double(first_overflow(10, random)));
    claim("claim-exploding-gradient/b",
          "with a gain of ten, the first layer that holds an infinity or no number",
          over_seeds(layers), "<", 40);
}

// ## Clipping
//
// Only a different architecture or initialisation cures vanishing gradients. Exploding gradients have a simple remedy. A long
// gradient still points in the right direction, but its length makes the step too large. So if its norm exceeds a
// threshold $\tau$, shorten it to this length:
//
// $$ g \leftarrow g \cdot \min\Big(1, \frac{\tau}{\|g\|}\Big) . $$
//
// This is *gradient clipping* {cite:p}`pascanu2013`. All parameters together are one vector $g$, otherwise the
// direction would change. {cpp:func}`~recto::optim::clip_norm` does it between `backward()` and `step()`, and says
// how long the gradient was.
//
// A task that needs it: read three symbols, wait, and repeat them. What is needed at the end was seen long before,
// so the gradient must go back all the way. *Copy tasks* are the classical test of memory.
const Index symbols = 4, remembered = 3;

struct Lesson {
    Tensor x;         // (batch, time, symbols + 2): also a blank, and a sign to begin
    Integers answer;  // (batch * remembered)
};
Lesson lesson(Generator& random) {
    const Index batch = 32, time = 2 * remembered + delay();
    const Integers shown = random.integers({batch, remembered}, 0, symbols);
    std::vector<Index> read(std::size_t(batch * time), symbols);
    for (Index b = 0; b < batch; ++b) {
        for (Index k = 0; k < remembered; ++k)
            read[std::size_t(b * time + k)] =
                shown.values()[std::size_t(b * remembered + k)];
        read[std::size_t(b * time + remembered + delay())] = symbols + 1;
    }
    return {one_hot(Integers({batch, time}, read), symbols + 2),
            shown.reshape({batch * remembered})};
}

// The network is a plain recurrent one with 32 numbers of memory, whose matrix begins with a spectral radius of 1.2.
struct Reader {
    RecurrentWeights weights;
    nn::Linear answer;

    explicit Reader(Generator& random) : answer(32, symbols, random) {
        weights.weight_ih = random.normal({32, symbols + 2}).requires_grad_();
        weights.weight_hh = nn::orthogonal_init({32, 32}, 1.2, random).requires_grad_();
        weights.bias_ih = zeros({32}).requires_grad_();
    }
    Tensor operator()(const Tensor& x) const {  // scores of what is to be repeated
        const Tensor h = rnn(x, weights).y;
        return answer(reshape(slice(h, 1, x.size(1) - remembered, x.size(1)),
                              {x.size(0) * remembered, 32}));
    }
    void visit(auto&& part) { part("weights", weights), part("answer", answer); }
};

// The same plain gradient descent, the same rate, the same lessons. All that differs is one line.
struct Course {
    std::vector<double> steps, losses, norms;
    double at_the_end = 0;  // the loss, over the last fifty steps
};
Course train(int run, double step_size, double longest) {
    Generator random(book::seed() + std::uint64_t(run));
    const Reader reader(random);
    optim::Sgd sgd(nn::parameters(reader), {.lr = step_size});
    Course course;
    double longest_lately = 0;
    for (Index step = 1; step <= training(); ++step) {
        const Lesson now = lesson(random);
        sgd.zero_grad();
        const Tensor loss = cross_entropy(reader(now.x), now.answer);
        loss.backward();
        longest_lately = std::max<double>(longest_lately,
                                          optim::clip_norm(sgd.parameters(), longest));
        sgd.step();
        if (step > training() - 50) course.at_the_end += double(loss.item()) / 50;
        if (step % (training() / 50) != 0) continue;
        course.steps.push_back(double(step));
        course.losses.push_back(double(loss.item()));
        course.norms.push_back(std::exchange(longest_lately, 0));
    }
    return course;
}

void clipping() {
    // Random guessing scores $\log 4$. We measure the loss in this unit.
    const double guessing = std::log(double(symbols));
    std::vector<double> without, with, slowly;
    Course wild, tame;
    for (int run = 0; run < seeds(); ++run) {
        const Course a = train(run, rate(), infinity),
                     b = train(run, rate(), threshold());
        slowly.push_back(train(run, rate() / 10, infinity).at_the_end / guessing);
        without.push_back(a.at_the_end / guessing);
        with.push_back(b.at_the_end / guessing);
        if (run == 0) wild = a, tame = b;
    }
    claim("sys-gradient-clipping/d",
          "the loss at the end without clipping, as a multiple of that of guessing",
          over_seeds(without), ">", 1);
    claim("sys-gradient-clipping/e", "the same with clipping", over_seeds(with),
          "<=", 0.01);

    // Would shorter steps not have done the same? We also trained with a tenth of the rate and no clipping:
    say("without clipping, at a tenth of the rate: {:.4f}, in the worst run {:.4f}",
        book::median(slowly), std::ranges::max(slowly));

    // They do, mostly. All steps must then be short for the sake of a few. Clipping shortens only these, and lets the
    // others be long. {numref}`fig-clipping` shows the first of the runs.
    Figure("fig-clipping")
        .describe(
            "Two panels over the steps of training, logarithmic. Left the loss: "
            "without clipping it stays above that of guessing, with clipping it falls "
            "to almost nothing. Right the norm of the gradient before clipping: "
            "without, it stays far above the threshold; with clipping it has peaks at "
            "first and then falls far below.")
        .panel("the loss")
        .line("without", wild.steps, wild.losses,
              {.color = figure::red, .points = false})
        .line("clipped", tame.steps, tame.losses,
              {.color = figure::blue, .points = false})
        .rule_y(guessing)
        .log_y()
        .x("step")
        .y("loss")
        .panel("the gradient before it is clipped")
        .line("without", wild.steps, wild.norms,
              {.color = figure::red, .points = false})
        .line("clipped", tame.steps, tame.norms,
              {.color = figure::blue, .points = false})
        .rule_y(threshold())
        .log_y()
        .x("step")
        .y("norm")
        .save(
            "One network learns to repeat three symbols, without clipping and with it. "
            "Left the loss; the dashed line is that of guessing. Right the longest "
            "gradient of every forty steps before it was clipped; the dashed line is "
            "the threshold. Without clipping the steps stay far too long and throw the "
            "weights from one useless place to the next.");
}

// ## Three silent failures
//
// A library computes gradients for us, and one might think that we need not know how. The trouble is that none of
// the following stops with an error. The loss just does not fall, and only who knows the backward pass knows where
// to look. The abstraction is *leaky* {cite:p}`karpathy2016`.
//
// **Saturated units.** The derivative of the sigmoid is $y(1-y)$. Feed it with a hundred pixels from 0 to
// 255, instead of 0 to 1, and most of its sums are far beyond ten, on one side or the other:
double median_slope(double brightest, Generator& random) {
    const Tensor pixels = random.uniform({50, 100}, 0, Real(brightest));
    const nn::Linear layer(100, 50, random);
    const Tensor sums = layer(pixels).detach().requires_grad_();
    sum(sigmoid(sums)).backward();
    const std::vector<Real> slopes = sums.grad().values();
    return book::median(std::vector<double>(slopes.begin(), slopes.end()));
}

// **Dead units.** A ReLU that is negative for every sample gets no gradient, whatever the loss, and so it stays
// negative. A learning rate that is too large causes this in two steps. Say that the targets lie above what the
// network says. The first step pushes down every unit whose outgoing weight is negative, and up the others: at most about
// half can die, because outgoing weights have either sign equally often. Now the output is far too large, and the second
// step pushes down those that went up. We count units that lived before and are dead after:
struct Dying {
    double before, after_one,
        after_two;  // dead before; of the living, dead after steps
};
Dying dying(double rate, Generator random) {
    const Tensor x = random.uniform({100, 10}), y = random.normal({100, 1}, 1);
    const nn::Mlp net({10, 1000, 1}, relu, random);
    const auto dead = [&] {
        const NoGrad only_asking;
        std::vector<bool> found;
        for (const Real largest : max(net.layers[0](x, relu), {0}).values())
            found.push_back(largest == 0);
        return found;
    };
    const std::vector<bool> at_first = dead();
    const double born_dead = double(std::ranges::count(at_first, true));
    optim::Sgd sgd(nn::parameters(net), {.lr = rate});
    const auto died = [&] {
        optim::train_step(sgd, [&] { return mse_loss(net(x), y); });
        return (double(std::ranges::count(dead(), true)) - born_dead) /
               (double(at_first.size()) - born_dead);
    };
    const double once = died(), twice = died();
    return {born_dead / double(at_first.size()), once, twice};
}

// **Exploding recurrences** we have met above. Here are the other two, over several draws:
void failures() {
    std::vector<double> slopes, healthy, once, twice;
    for (int run = 0; run < seeds(); ++run) {
        Generator random(book::seed() + 10 + std::uint64_t(run));
        slopes.push_back(median_slope(255, random));
        healthy.push_back(median_slope(1, random));
        const Dying died = dying(100, random);
        once.push_back(died.after_one), twice.push_back(died.after_two);
    }
    say("median slope of a sigmoid with pixels up to 1: {:.3f}", book::median(healthy));
    claim("claim-backprop-leaky/a", "with pixels up to 255", over_seeds(slopes), "<",
          1e-6);
    for (const double rate : {0.01, 0.1, 1.0, 10.0, 1000.0}) {
        const Dying died = dying(rate, Generator(book::seed() + 10));
        say("rate {:>5}: {:.2f} dead before; of the living {:.2f} die in one step, "
            "{:.2f} in two",
            rate, died.before, died.after_one, died.after_two);
    }
    say("rate   100: of the living {} die in one step", book::brief(over_seeds(once)));
    claim("claim-backprop-leaky/b", "of the living, the share dead after two steps",
          over_seeds(twice), ">", 0.5);
}

void page() {
    fifty_layers();
    recurrence();
    overflow();
    clipping();
    failures();
}

// To find any of these three failures, print numbers that training does not show by default. When a loss does not fall, look at
//
// * the norm of each layer's gradient: does it fall or rise from layer to layer by a constant factor?
// * the outputs of each layer: how many lie at the ends of the range of a sigmoid or a tangent, how many ReLUs are
//   zero for every sample of a batch?
// * the norm of the whole gradient over the steps, as on the right of {numref}`fig-clipping`: does it come down, and are
//   there single peaks?
//
// ## What is missing
//
// Clipping mends one of two troubles, and by force. The real remedies are in the architecture: weights that start
// at the right scale, layers that normalise what passes through them, and shortcuts by which a gradient goes around
// a layer. They come in later chapters. Before that we should ask whether all this trouble is worth it. What can
// many layers do that few cannot? [The next page](bending_the_plane.cpp) looks at eight of them from inside.
//
// ```{try}
// - Find the path: `--depth 200`. Which of the nine lines of the first figure still arrive?
// - Take a third of the rate, `--rate 0.3`. Is clipping still needed?
// - Clip hard, `--threshold 0.01`, or hardly, `--threshold 3`. Why do both fail?
// - Remember longer: `--delay 30`. Against which of the two troubles does clipping help?
// ```
