// # Gradient clipping and dead units: failures without an error
//
// ```{rows} sys-gradient-clipping claim-backprop-leaky
// ```
//
// [The last page](vanishing.cpp) found why gradients vanish and explode. A suitable initialisation keeps their length at the
// start, but a single step can still meet a gradient that is far too long. **Gradient clipping** deals with these steps.
// Then this page looks at units that pass on no gradient at all: **saturated units** and **dead units**. None of these failures
// stops with an error. The loss just does not fall.
//
// There are two ways to shorten a gradient that is too long. Which one keeps its direction? Drag the red dot at the tip
// of the gradient, and move the slider, which sets the threshold:
//
// ```{opening} fig-clipped
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/base/math.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
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
#include <numbers>
#include <utility>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say;
using figure::Figure;

const book::Option<double> first_part("first-part", 4,
                                      "first number of the gradient in the figure",
                                      {.least = -5, .most = 5});
const book::Option<double> second_part("second-part", 1, "its second number",
                                       {.least = -5, .most = 5});
const book::Option<Index> delay("delay", 10,
                                "number of steps between reading and repeating",
                                {.least = 0, .most = 200});
const book::Option<double> rate("rate", 1, "learning rate on the copy task",
                                {.least = 0.0});
const book::Option<double> threshold("threshold", 0.3,
                                     "norm to which longer gradients are clipped",
                                     {.least = 0.0});
const book::Option<Index> training("training", 2000, "training steps on the copy task",
                                   {.quick = 60, .least = 60, .most = 100'000});
const book::Option<int> seeds("seeds", 5, "number of repetitions of each experiment",
                              {.quick = 1, .least = 1, .most = 100});
//-

//- how the figure is drawn
// The gradient (first_part, second_part) after the library has clipped it.
std::vector<Real> clipped(const auto& clip, double most) {
    const Tensor w = zeros({2}).requires_grad_();
    sum(w * Tensor({2}, {Real(first_part()), Real(second_part())})).backward();
    clip(NamedTensors{{"w", w}}, most);
    return w.grad().values();
}
void draw_arrow(Figure& figure, double x, double y, figure::Color color) {
    const double length = std::max(std::hypot(x, y), 1e-9),
                 head = std::min(0.4, length / 2), along = head * x / length,
                 up = head * y / length;
    figure.line("", {0, x, x - along - up / 2, x, x - along + up / 2},
                {0, y, y - up + along / 2, y, y - up - along / 2},
                {.color = color, .dash = figure::solid, .width = 2.5, .points = false});
}

void draw_clipped() {
    const std::vector<double> thresholds = {0.5, 1, 2, 3, 4, 5};
    const figure::Style edge{
        .color = figure::grey, .dash = figure::dashed, .width = 1, .points = false};
    std::vector<double> circle_x, circle_y;
    for (int k = 0; k <= 72; ++k) {
        circle_x.push_back(std::cos(2 * std::numbers::pi * k / 72));
        circle_y.push_back(std::sin(2 * std::numbers::pi * k / 72));
    }
    const std::vector<double> square_x = {-1, 1, 1, -1, -1},
                              square_y = {-1, -1, 1, 1, -1};
    const auto times = [](std::vector<double> values, double factor) {
        for (double& v : values) v *= factor;
        return values;
    };
    Figure figure("fig-clipped");
    figure
        .describe(
            "Two planes, each with a gradient as an arrow from the origin, whose tip "
            "can be dragged. First panel: the same gradient, shortened to a circle "
            "around the origin, in the same direction. Second panel: the gradient cut "
            "number by number to a square, in another direction. A slider sets the "
            "radius of the circle, which is half the side of the square.")
        .height(285)
        .slider("tau", thresholds, "threshold τ", 2)
        .panel("clipped by its norm")
        .xlim(-5, 5)
        .ylim(-5, 5)
        .x("derivative for weight 1")
        .y("derivative for weight 2")
        .dragged(first_part(), second_part(), first_part, second_part);
    draw_arrow(figure, first_part(), second_part(), figure::grey);
    for (const double most : thresholds) {
        const std::vector<Real> g = clipped(optim::clip_norm, most);
        figure.at(most).line("", times(circle_x, most), times(circle_y, most), edge);
        draw_arrow(figure, double(g[0]), double(g[1]), figure::blue);
    }
    figure.always()
        .panel("each number cut")
        .xlim(-5, 5)
        .ylim(-5, 5)
        .x("derivative for weight 1")
        .y("derivative for weight 2");
    draw_arrow(figure, first_part(), second_part(), figure::grey);
    for (const double most : thresholds) {
        const std::vector<Real> g = clipped(optim::clip_value, most);
        figure.at(most).line("", times(square_x, most), times(square_y, most), edge);
        draw_arrow(figure, double(g[0]), double(g[1]), figure::red);
    }
    figure.always().save(
        "A gradient of two numbers (grey), clipped in two ways. First panel: if its "
        "norm exceeds the threshold, the radius of the circle, it is shortened to that "
        "norm and keeps its direction. Second panel: if each number is cut at the "
        "threshold, the arrow ends in the square, and in general turns away from the "
        "gradient.");
}
//-

// ## Shorten the gradient, keep its direction
//
// Only a different architecture or initialisation cures vanishing gradients. Exploding gradients have a simple remedy. The
// direction of a long gradient is still useful, but its length makes the step too large. So if its norm exceeds a threshold
// $\tau$, shorten it to norm $\tau$. For example, with $\tau = 1$ the gradient $(3, 4)$ of norm 5 becomes
// $(0.6, 0.8)$. In general
//
// $$ g \leftarrow g \cdot \min\Big(1, \frac{\tau}{\|g\|}\Big) . $$
//
// This is **gradient clipping** {cite:p}`pascanu2013`. The vector $g$ holds the gradients of *all* parameters.
// {cpp:func}`~recto::optim::clip_norm` clips between `backward()` and `step()`, and returns the norm before clipping. Cutting
// each number at $\tau$ would be simpler. But then a long gradient ends near a corner of the square in {numref}`fig-clipped`,
// and the step goes the same distance along every weight, whatever the derivatives are.
//
// ## A test of memory
//
// We test clipping on a **copy task**, a classical test of memory: read three symbols, wait, and repeat them. The gradient must
// pass back through all the steps between. The network is a plain recurrent one with 32 numbers of memory. Its matrix starts
// with a [spectral radius](vanishing.cpp) of 1.2, so that the gradient can grow on its way.
//- the copy task and the network
const Index symbols = 4, remembered = 3;

struct Lesson {
    Tensor x;         // (batch, time, symbols + 2): with a blank, and a sign to repeat
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

struct Reader {
    RecurrentWeights weights;
    nn::Linear answer;

    explicit Reader(Generator& random) : answer(32, symbols, random) {
        weights.weight_ih = random.normal({32, symbols + 2}).requires_grad_();
        weights.weight_hh = nn::orthogonal_init({32, 32}, 1.2, random).requires_grad_();
        weights.bias_ih = zeros({32}).requires_grad_();
    }
    Tensor operator()(const Tensor& x) const {  // scores of the symbols to repeat
        const Tensor h = rnn(x, weights).y;
        return answer(reshape(slice(h, 1, x.size(1) - remembered, x.size(1)),
                              {x.size(0) * remembered, 32}));
    }
    void visit(auto&& part) { part("weights", weights), part("answer", answer); }
};

struct Course {
    std::vector<double> steps, losses, norms;
    double at_the_end = 0;  // the loss, averaged over the last fifty steps
};
Course train(int run, double step_size, double longest) {
    Generator random(book::seed() + std::uint64_t(run));
    const Reader reader(random);
    optim::Sgd sgd(nn::parameters(reader), {.lr = step_size});
    Course course;
    double longest_lately = 0;
    //-

    // Two networks train by plain gradient descent, with the same learning rate on the same lessons. They differ in one number, the
    // threshold `longest`, which is infinite for training without clipping:
    for (Index step = 1; step <= training(); ++step) {
        const Lesson now = lesson(random);
        sgd.zero_grad();
        const Tensor loss = cross_entropy(reader(now.x), now.answer);
        loss.backward();
        longest_lately = std::max<double>(longest_lately,
                                          optim::clip_norm(sgd.parameters(), longest));
        sgd.step();
        //- what is recorded
        if (step > training() - 50) course.at_the_end += double(loss.item()) / 50;
        if (step % (training() / 50) != 0) continue;
        course.steps.push_back(double(step));
        course.losses.push_back(double(loss.item()));
        course.norms.push_back(std::exchange(longest_lately, 0));
    }
    return course;
}

void clipping() {
    //-

    // Random guessing scores $\log 4$. We measure the loss as a multiple of this.
    //- what is checked and printed, for several seeds
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
          "the loss after training without clipping, as a multiple of that of guessing",
          over_seeds(without), ">", 1);
    claim("sys-gradient-clipping/e",
          "the loss after training with clipping, as a multiple of that of guessing",
          over_seeds(with), "<=", 0.01);
    //-

    // Without clipping the network ends worse than guessing in all five runs. Would a smaller learning rate have done the same as
    // clipping? To find out, we also train without clipping at a tenth of the rate:
    say("without clipping, at a tenth of the rate: {:.4f}, in the worst run {:.4f}",
        book::median(slowly), std::ranges::max(slowly));

    // Mostly, but less well. The median run learns the task, with a loss about thirty times that of clipping, and the
    // worst of the five runs ends at more than half the loss of guessing. A smaller rate shortens *every* step.
    // Clipping shortens only those with a long gradient, which in the first run are over after a fifth of the training.
    // {numref}`fig-clipping` shows the first run.
    //- how the figure is drawn
    Figure("fig-clipping")
        .describe(
            "Two panels over the training steps, logarithmic. In the first panel the "
            "loss: without clipping it never falls clearly below that of guessing, "
            "with clipping it falls to almost nothing. In the second the norm of the "
            "gradient before clipping: without clipping it stays far above the "
            "threshold; with clipping it is as large at first and then falls far "
            "below.")
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
            "The same network learns to repeat three symbols, without clipping and "
            "with it. First panel: the loss; the dashed line is the loss of guessing. "
            "Second panel: the largest norm of every forty gradients before clipping; "
            "the dashed line is the threshold. Long gradients appear in both runs at "
            "first. Only with clipping does training get past them.");
}
//-

// ## Saturated units
//
// A library computes all gradients, so it seems that you need not know how. But some failures raise no error, and you must know
// the backward pass to find them. The abstraction is *leaky* {cite:p}`karpathy2016`. The first example is a **saturated unit**. The
// derivative of the sigmoid is $y(1-y)$. A linear layer takes a hundred pixels. If these run from 0 to 255 instead of 0 to 1, about
// nine in ten of its sums are beyond 10 or $-10$, and the sigmoid is flat there:
double median_slope(double brightest, Generator& random) {
    const Tensor pixels = random.uniform({50, 100}, 0, Real(brightest));
    const nn::Linear layer(100, 50, random);
    const Tensor sums = layer(pixels).detach().requires_grad_();
    sum(sigmoid(sums)).backward();
    const std::vector<Real> slopes = sums.grad().values();
    return book::median(std::vector<double>(slopes.begin(), slopes.end()));
}

//- what is checked and printed, for several seeds
void saturated_units() {
    std::vector<double> slopes, healthy;
    for (int run = 0; run < seeds(); ++run) {
        Generator random(book::seed() + 10 + std::uint64_t(run));
        slopes.push_back(median_slope(255, random));
        healthy.push_back(median_slope(1, random));
    }
    say("pixels up to 1: the sigmoid's median slope is {:.3f}", book::median(healthy));
    claim("claim-backprop-leaky/a", "pixels up to 255: the sigmoid's median slope",
          over_seeds(slopes), "<", 1e-6);
}
//-

// In at least three of the five draws the median is exactly zero, for two reasons. Above a sum of about 17, single
// precision rounds $y$ to 1, so $1 - y$ is 0. This happens to about two in five sums. Below about $-104$ the output
// itself underflows to 0. Together these are about half of all sums, so the median is zero or nearly zero. In exact
// arithmetic the slopes would be positive, but tiny.
//
// ## Dead units
//
// The second example is a **dead unit**. If the weighted sum of a ReLU is negative for every sample, the weights of this unit get no
// gradient, whatever the loss. In the first layer the inputs do not change either, so the sum stays negative. A learning rate that
// is too large kills units. We count the dead units of a network with 1,000 hidden units before and after each of two steps:
//- a network, and its units that are zero for every sample
struct Dying {
    double before;                // the share of dead units before training
    double after_one, after_two;  // of the living units, the share dead after steps
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
    //-
    optim::Sgd sgd(nn::parameters(net), {.lr = rate});
    const auto died = [&] {
        optim::train_step(sgd, [&] { return mse_loss(net(x), y); });
        return (double(std::ranges::count(dead(), true)) - born_dead) /
               (double(at_first.size()) - born_dead);
    };
    const double once = died(), twice = died();
    //- the study over several draws
    return {born_dead / double(at_first.size()), once, twice};
}

void dead_units() {
    std::vector<double> once, twice;
    for (int run = 0; run < seeds(); ++run) {
        const Dying died =
            dying(100, Generator(book::seed() + 10 + std::uint64_t(run)));
        once.push_back(died.after_one), twice.push_back(died.after_two);
    }
    const double lost = book::median(once);
    //-
    ask("The targets lie above the outputs, and the learning rate is 100. Which share "
        "of the living units is dead after the *first* step?",
        {{"Nearly all: the step is far too long.", lost > 0.8,
          "A long step pushes half of the units up, and those do not die."},
         {"About half.", lost > 0.2 && lost <= 0.8,
          "To raise the output, the step pushes down every unit whose outgoing weight "
          "is negative, and pushes up the others. About half of the weights are "
          "negative."},
         {"None: a step against the gradient lowers the loss.", lost <= 0.2,
          "Only a short step is sure to lower the loss."}});

    // The first step pushes down every unit whose outgoing weight is negative, and pushes up the others. So at most about half of
    // the units die. Now the output is far too large, and the second step pushes down the units that went up.
    //- what is checked and printed
    for (const double size : {0.01, 0.1, 1.0, 10.0, 1000.0}) {
        const Dying died = dying(size, Generator(book::seed() + 10));
        say("rate {:>5}: {:.2f} dead before; of the living {:.2f} die in one step, "
            "{:.2f} in two steps",
            size, died.before, died.after_one, died.after_two);
    }
    say("rate   100: of the living {} die in one step", book::brief(over_seeds(once)));
    claim("claim-backprop-leaky/b",
          "rate 100: of the living units, the share dead after two steps",
          over_seeds(twice), ">", 0.5);
}
//-

// The lines for the rates 0.01 to 1000 come from one draw of samples and weights, so they show the trend and not exact
// shares; only rate 100 has five draws, with 43 to 49 % dead after one step and 98 % or more after two. In the one draw,
// 11 % of the units are dead before training, because the random weights alone make them negative for all 100 samples.
// The shares count only units that lived at the start. In this draw, at rate 1 hardly any unit dies in the first step,
// and 89 % are dead after the second; at rate 0.1 nearly all survive both steps.

void page() {
    draw_clipped();
    clipping();
    saturated_units();
    dead_units();
}

// ## What to look at
//
// The exploding recurrence of [the last page](vanishing.cpp) is a third failure without an error. To find any of the three, look at
// numbers that training does not show by default:
//
// * the norm of each layer's gradient: does it fall or rise from layer to layer by a constant factor?
// * the outputs of each layer: how many lie at the ends of the range of a sigmoid or a tanh, and how many ReLUs are zero for
//   every sample of a batch?
// * the norm of the whole gradient over the steps, as in the second panel of {numref}`fig-clipping`: does it fall, and are there
//   single peaks?
//
// ## Summary
//
// Gradient clipping shortens a gradient that is too long and keeps its direction, so the dangerous steps do not force a
// small learning rate on all others. Saturated and dead units pass on no gradient at all, without any error. Watch the
// norms of the gradients and the outputs of the layers.
//
// ## What is missing
//
// The other remedies are in the architecture: layers that normalise their inputs, and shortcuts by which a gradient goes
// around a layer. They come in later chapters. Before that, [the next page](bending_the_plane.cpp) asks what many layers can do that
// few cannot, and looks at eight of them from inside.
//
// ```{try}
// - A smaller learning rate: `--rate 0.3`. Is clipping still needed?
// - A small threshold, `--threshold 0.01`, and a large one, `--threshold 3`. Why does each fail?
// - A longer delay: `--delay 30`. Which of the two problems does clipping solve?
// ```
