// # Differentiable programming: any program can be a model
//
// ```{rows} sys-differentiable-programming
// ```
//
// A network is a program: multiply, add, apply an activation function. The tape differentiates it because it knows the
// derivative of each step. Nothing in this argument needs layers. A simulation or a sorting routine is a program too, and
// if each of its steps has a derivative, gradient descent can choose its numbers. {numref}`fig-pendulum` shows a pendulum
// that a camera has followed, and a simulation with two numbers, a length and a damping. Drag the dot and fit the swing by
// hand. Then let the gradient do it.
//
// ```{opening} fig-pendulum
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::say;
using figure::Figure;

const book::Option<double> your_length("length", 0.8, "length of your pendulum, metres",
                                       {.least = 0.2, .most = 4.0});
const book::Option<double> your_damping("damping", 0.6,
                                        "damping of your pendulum, per second",
                                        {.least = 0.0, .most = 1.5});
const book::Option<double> noise("noise", 0.01,
                                 "standard deviation of an observed angle",
                                 {.least = 0.0, .most = 1.0});
const book::Option<Index> iterations("iterations", 240, "steps of Adam in each fit",
                                     {.quick = 24, .least = 8, .most = 4000});
const book::Option<double> softness("softness", 1.0, "softness of the sorted list",
                                    {.least = 0.05, .most = 10.0});

using Numbers = std::vector<double>;
const double true_length = 1.3, true_damping = 0.25, gravity = 9.81, start = 2;
const double frame = 0.1;  // seconds between two pictures
const Index frames = 80;
//-

// ## A simulation
//
// A pendulum of length $l$ has an angle $\theta$ and an angular speed $\omega$. Gravity pulls the speed back and damping
// slows it down:
//
// $$ \theta' = \omega, \qquad \omega' = -\frac{g}{l} \sin\theta - c\,\omega $$
//
// With $l = 1$ and $g = 9.81$, a pendulum that is held at two radians and released has $\omega' = -9.81 \sin 2 =
// -8.9$. After a tenth of a second its speed is about $-0.89$, because the speed was zero and there was nothing to
// damp. How does this speed change with the length? $-g \sin\theta / l$ has the derivative $g \sin\theta / l^2$, so
// a centimetre more changes it by $0.0089$. A longer pendulum is slower. This is a gradient through one step of a
// simulation. The tape does the same for hundreds of steps.
//
// One step is missing in our library: it has no sine. To give the tape a new operation, compute its value and say how
// a gradient of the result becomes a gradient of the input:
Tensor sine(const Tensor& x) {
    std::vector<Real> value = x.values(), slope = x.values();
    for (Real& v : value) v = std::sin(v);
    for (Real& v : slope) v = std::cos(v);
    const Tensor cosine(x.shape(), slope);
    return record("sine", Tensor(x.shape(), value), {x},
                  [cosine](const Tensor& dy) { return Grads{dy * cosine}; });
}
//- the sine of a plain number
double sine(double x) { return std::sin(x); }
//-

// The simulation is a template. With `double` in place of `Number` it is an ordinary program. With `Tensor` it is a model:
template <class Number>
struct Pendulum {
    Number angle, speed;
};
template <class Number>
Pendulum<Number> change(const Pendulum<Number>& now, const Number& length,
                        const Number& damping) {
    return {now.speed, -gravity / length * sine(now.angle) - damping * now.speed};
}
//- a move along a slope
template <class Number>
Pendulum<Number> moved(const Pendulum<Number>& from, const Pendulum<Number>& slope,
                       double time) {
    return {from.angle + time * slope.angle, from.speed + time * slope.speed};
}
//-

// From one picture to the next we use the classical **Runge–Kutta method**. It mixes four slopes: one at the beginning of
// the step, two in the middle and one at the end:
template <class Number>
std::vector<Number> swing(const Number& length, const Number& damping, Index count,
                          double step) {
    Pendulum<Number> now{0 * length + start, 0 * length};
    std::vector<Number> angles = {now.angle};
    while (Index(angles.size()) < count) {
        const auto a = change(now, length, damping),
                   b = change(moved(now, a, step / 2), length, damping),
                   c = change(moved(now, b, step / 2), length, damping),
                   d = change(moved(now, c, step), length, damping);
        now = moved(moved(now, a, step / 6), b, step / 3);
        now = moved(moved(now, c, step / 3), d, step / 6);
        angles.push_back(now.angle);
    }
    return angles;
}

// The loss is the mean squared distance of the simulated angles from the observed ones. Length and damping must stay
// positive, so we fit their logarithms:
Tensor loss_of(const Tensor& log_length, const Tensor& log_damping, const Numbers& seen,
               Index count) {
    const std::vector<Tensor> angles =
        swing(exp(log_length), exp(log_damping), count, frame);
    const Tensor want({count, 1},
                      std::vector<Real>(seen.begin(), seen.begin() + count));
    return mean(square(stack(angles) - want), {0});
}
//- the camera, and how the figure is drawn
// What the camera sees: a simulation with steps a hundred times as short, and noise.
Numbers observe() {
    Generator random(book::seed());
    const Index fine = 100;
    const Numbers exact =
        swing(true_length, true_damping, (frames - 1) * fine + 1, frame / double(fine));
    Numbers seen;
    for (Index t = 0; t < frames; ++t)
        seen.push_back(exact[std::size_t(t * fine)] + noise() * random.next_normal());
    return seen;
}
double plain_loss(double length, double damping, const Numbers& seen, Index count) {
    const Numbers angles = swing(length, damping, count, frame);
    double total = 0;
    for (std::size_t t = 0; t < angles.size(); ++t)
        total += (angles[t] - seen[t]) * (angles[t] - seen[t]);
    return total / double(count);
}

void by_hand(const Numbers& seen) {
    const int across = 60, down = 40;
    Numbers heights, times;
    for (int row = 0; row < down; ++row)
        for (int col = 0; col < across; ++col)
            heights.push_back(
                std::log(plain_loss(0.2 + 3.8 * (col + 0.5) / across,
                                    1.5 * (1 - (row + 0.5) / down), seen, frames)));
    for (Index t = 0; t < frames; ++t) times.push_back(frame * double(t));
    const double loss = plain_loss(your_length(), your_damping(), seen, frames);
    Figure("fig-pendulum")
        .describe(
            "Two panels. In the first, observed angles swing between two and minus two "
            "radians and become smaller, and a second curve swings at another rate. In "
            "the second, a map of the loss over length and damping, with a dark valley "
            "and a dot that can be dragged; the first curve follows the dot.")
        .panel("the swing")
        .dots("camera", times, seen, {.color = figure::ochre, .width = 3})
        .line("your pendulum", times,
              swing(your_length(), your_damping(), frames, frame),
              {.color = figure::blue, .points = false})
        .words("", {5.5}, {2.6}, {fmt::format("loss {:.3f}", loss)})
        .x("time, seconds")
        .y("angle, radians")
        .ylim(-3, 3)
        .panel("your pendulum")
        .field(0.2, 4, 0, 1.5, across, heights, "log of the loss")
        .xlim(0.2, 4)
        .ylim(0, 1.5)
        .x("length, metres")
        .y("damping, per second")
        .dragged(your_length(), your_damping(), your_length, your_damping)
        .save(
            "First panel: the angles that the camera has seen, and the swing of your "
            "pendulum. Second panel: the logarithm of the loss over both numbers, low "
            "where the map is dark. Drag the dot until the curve runs through all "
            "observed angles.");
    say("your pendulum: {} m, damping {}, loss {:.3f}", your_length(), your_damping(),
        loss);
}
//-

// The gradient must be right for all of this to work, so we check it against central differences, for the simulation
// and for the soft sorting further down.
//- the check
using Loss = std::function<Tensor(const Tensor&)>;
double gradient_error(const Loss& loss, const Tensor& at) {
    Tensor w(at.shape(), at.values());
    w.requires_grad_();
    loss(w).backward();
    const std::vector<Real> slopes = w.grad().values(), values = at.values();
    double worst = 0, largest = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto moved_by = [&](double by) {
            std::vector<Real> there = values;
            there[i] += Real(by);
            return double(loss(Tensor(at.shape(), there)).item());
        };
        const double central = (moved_by(1e-5) - moved_by(-1e-5)) / 2e-5;
        worst = std::max(worst, std::abs(central - double(slopes[i])));
        largest = std::max(largest, std::abs(central));
    }
    return worst / largest;
}
//-

// ## Ten starts
//
// A right gradient does not mean a good fit. {numref}`fig-windows` shows the loss against the length when the damping is
// the true one. If only the first second of the film counts, the loss is a single valley. Move the slider to eight
// seconds: now there are valleys on both sides, because a pendulum of a wrong length falls out of step and, some
// swings later, into step again.
//- fits, and how the figures are drawn
struct Fit {
    std::vector<Numbers> lengths, dampings;  // [step][start]
};
Numbers starts() {
    Numbers all;
    for (int i = 0; i < 10; ++i) all.push_back(0.3 * std::pow(1.3, i));
    return all;
}
// Fits from all starts at once: the loss of each depends on its own numbers alone.
Fit fit(const Numbers& seen, const std::vector<Index>& windows, bool damping_known) {
    std::vector<Real> first;
    for (const double length : starts()) first.push_back(Real(std::log(length)));
    const std::vector<Real> second(first.size(),
                                   Real(std::log(damping_known ? true_damping : 0.1)));
    Tensor l({Index(first.size())}, first), c({Index(first.size())}, second);
    l.requires_grad_(), c.requires_grad_();
    NamedTensors free = {{"length", l}};
    if (!damping_known) free.push_back({"damping", c});
    Fit found;
    const auto keep = [&] {
        const NoGrad only_asking;
        const std::vector<Real> ls = exp(l).values(), cs = exp(c).values();
        found.lengths.emplace_back(ls.begin(), ls.end());
        found.dampings.emplace_back(cs.begin(), cs.end());
    };
    const Index each = iterations() / Index(windows.size());
    for (const Index window : windows) {
        optim::Adam adam(free);
        for (Index i = 0; i < each; ++i) {
            keep();
            adam.options.lr = 0.05 * (1 - double(i) / double(each));
            l.zero_grad(), c.zero_grad();
            sum(loss_of(l, c, seen, window)).backward();
            adam.step();
        }
    }
    keep();
    return found;
}
// Relative errors of the numbers from all starts after the last step.
Numbers errors(const std::vector<Numbers>& path, double truth) {
    Numbers found;
    for (const double v : path.back()) found.push_back(std::abs(v / truth - 1));
    return found;
}
Index arrived(const Fit& fit) {
    Index count = 0;
    for (const double e : errors(fit.lengths, true_length)) count += e < 0.05;
    return count;
}

const std::vector<Index> growing = {10, 20, 40, frames};

void windows(const Numbers& seen) {
    Numbers seconds, lengths;
    for (const Index count : growing) seconds.push_back(double(count) * frame);
    for (int i = 0; i <= 300; ++i)
        lengths.push_back(0.25 * std::pow(16.0, double(i) / 300));
    Figure figure("fig-windows");
    figure
        .describe(
            "The loss against the length. For one second of film it is a single "
            "valley. For eight seconds it has a deep valley at the true length and "
            "shallow ones beside it.")
        .slider("seconds", seconds, "seconds of film", 8);
    std::vector<std::string> valleys;
    for (std::size_t i = 0; i < growing.size(); ++i) {
        Numbers losses;
        for (const double l : lengths)
            losses.push_back(plain_loss(l, true_damping, seen, growing[i]));
        int count = 0;
        for (std::size_t k = 1; k + 1 < losses.size(); ++k)
            count += losses[k] < losses[k - 1] && losses[k] < losses[k + 1];
        valleys.push_back(fmt::format("{} s: {}", seconds[i], count));
        figure.at(seconds[i])
            .line("", lengths, losses, {.color = figure::blue, .points = false});
    }
    figure.always()
        .x("length, metres")
        .y("mean squared error")
        .log_x()
        .xlim(0.25, 4)
        .rule_x(true_length, "true")
        .save(
            "The loss against the length, with the true damping, for a film of one to "
            "eight seconds. With one second every slope leads to the true length. With "
            "eight seconds most slopes lead elsewhere.");
    say("valleys from 0.25 m to 4 m: {}", fmt::join(valleys, ", "));
}
//-

// Ten fits begin with lengths from 0.3 to 3.2 metres, and take 240 steps of [Adam](../training/optimisers.cpp) each. They
// are compared with all eight seconds of the film. Place your bet:
//- the question, the second figure, and what is checked
void ten_starts(const Numbers& seen) {
    const Fit known = fit(seen, {frames}, true), both = fit(seen, {frames}, false),
              grown = fit(seen, growing, false);
    const Index few = arrived(known), more = arrived(both), all = arrived(grown);
    const auto worst = [](const Fit& fit) {
        const Numbers l = errors(fit.lengths, true_length),
                      c = errors(fit.dampings, true_damping);
        return std::max(*std::ranges::max_element(l), *std::ranges::max_element(c));
    };
    ask("First the true damping is given, and only the length is fitted. Then the "
        "damping is unknown too, starts at 0.1 and is fitted together with the length. "
        "In which case do more of the ten starts find the length to 5 %?",
        {{"With the damping given: one unknown is easier than two.", few > more,
          "One unknown leaves no way around a ridge."},
         {"In both cases equally many: the valleys in the length are the same.",
          few == more,
          "The valleys are those of a slice through the map. What is a valley in the "
          "slice need not be one in the map."},
         {"With the damping unknown.", few < more,
          "A fit that is out of step raises the damping until its pendulum nearly "
          "hangs still. A pendulum at rest is out of step with nothing, and its length "
          "can change freely. Then the damping comes down again."}});
    double highest = 0;
    for (const Numbers& at : both.dampings)
        highest = std::max(highest, *std::ranges::max_element(at));
    Numbers steps;
    for (std::size_t i = 0; i < known.lengths.size(); ++i) steps.push_back(double(i));
    const auto lines = [](const Fit& fit) {
        std::vector<Numbers> all(fit.lengths[0].size());
        for (const Numbers& at : fit.lengths)
            for (std::size_t i = 0; i < at.size(); ++i) all[i].push_back(at[i]);
        return all;
    };
    Figure figure("fig-fits");
    figure.describe(
        "Three panels with ten curves each, the length against the step. In the first "
        "panel some curves stay away from the true length. In the second they arrive, "
        "some on long detours. In the third all have arrived long before the end.");
    const auto panel = [&](const char* title, const Fit& fit) {
        figure.panel(title)
            .lines("", steps, lines(fit), {.color = figure::blue})
            .rule_y(true_length)
            .log_y()
            .ylim(0.2, 5)
            .x("step")
            .y("length, metres");
    };
    panel("damping given", known), panel("damping fitted too", both);
    panel("a growing window", grown);
    figure.columns(3).save(
        "Ten fits, from ten first lengths. With the damping given, some end in a wrong "
        "valley. With both numbers free, they go around. In the last panel the film "
        "starts with one second and is doubled three times.");
    say("starts that find the length to 5 %: {} of 10 with the damping given, {} with "
        "both unknown, {} with a growing window",
        few, more, all);
    say("highest damping on the way, with both unknown: {:.2f} (true: {})", highest,
        true_damping);
    say("length and damping with a growing window, from the first start: {:.4f} m, "
        "{:.4f}",
        grown.lengths.back()[0], grown.dampings.back()[0]);
    claim("", "more starts find the length if the damping is unknown, how many more",
          more - few, ">=", 1);
    claim("sys-differentiable-programming/a",
          "length and damping with a growing window, largest relative error from ten "
          "starts",
          worst(grown), "<=", 0.01);
}
//-

// With the damping given, four fits that begin far away end in a wrong valley. With the damping unknown, all but one come
// around. The wrong valleys are real, but only in a slice of the map where the damping is fixed. A free fit raises the
// damping to several times the true value, and a pendulum that soon hangs still is never out of step.
//
// It is better not to depend on such luck. The third panel of {numref}`fig-fits` fits the first second only, then two,
// four and eight. Each window starts where the one before has ended, near the bottom of the right valley. Now
// every start finds both numbers, to within less than a per cent. A loss with a derivative is half of the work. The
// other half is a loss whose valleys lead home.
//
// ## A sorted list
//
// A program also decides and sorts. Suppose that a jury puts six cakes in order, for forty tables of cakes. Of each cake
// we know three numbers, and want the three weights with which the jury judges. A cake's score is $s = w \cdot x$, and the
// places come from sorting the scores. But the gradient of a place is useless: move a score a little, and the order
// is the same. The derivative is zero wherever it exists, as for the [error rate](../training/surrogate.cpp).
//
// The remedy is the same as well: a soft version. {cite:t}`grover2019` sort with a
// [softmax](../training/softmax.cpp). For scores $s_1, \dots, s_n$ let $A_j$ be the sum of the distances of $s_j$ from all
// scores. Then
//
// $$ P_{ij} = \operatorname{softmax}_j \frac{(n + 1 - 2i)\, s_j - A_j}{\tau} $$
//
// is the share of item $j$ in place $i$. Take the scores 1, 4, 2. The sums of distances are 4, 5 and 3. Place 1 compares
// $2s_j - A_j$, which is $-2$, 3, 1: the item with score 4 wins. Place 2 compares $-A_j$: the item with score 2 wins. It is
// the median, which has the smallest sum of distances. Place 3 compares $-2s_j - A_j$, which is $-6$, $-13$, $-7$: the
// item with score 1 wins. With a small **temperature** $\tau$ the winner takes all, and $P$ is the matrix of a
// permutation. {numref}`fig-soft-sort` shows what lies between. The program is two lines, a comparison of all pairs and a
// sum:
Tensor place_scores(const Tensor& s, double tau) {  // (lists, n) to (lists, n, n)
    const Index lists = s.size(0), n = s.size(1);
    const Tensor row = reshape(s, {lists, 1, n}), column = reshape(s, {lists, n, 1});
    std::vector<Real> factors;
    for (Index i = 1; i <= n; ++i) factors.push_back(Real(n + 1 - 2 * i));
    const Tensor apart = sum(abs(column - row), {1}, Keep::yes);
    return (Tensor({n, 1}, factors) * row - apart) / tau;
}
//- how the figure is drawn, the jury, and what is checked
void draw_soft_sort() {
    const Numbers all = {0.1, 0.3, 1, 3, 10};
    const std::vector<Real> scores = {1, 4, 2, 5, 4.5};
    const figure::Names items = {"1", "4", "2", "5", "4.5"},
                        places = {"place 1", "place 2", "place 3", "place 4",
                                  "place 5"};
    Figure figure("fig-soft-sort");
    figure
        .describe(
            "A matrix of five places and five items. With a small temperature each row "
            "has a single light cell, with a large one the cells of all rows are "
            "alike.")
        .slider(softness, all, "temperature");
    const NoGrad only_asking;
    for (const double tau : figure::settings(softness, all)) {
        const std::vector<Real> p =
            softmax(place_scores(Tensor({1, 5}, scores), tau)).values();
        figure.at(tau).heatmap("share", items, places, Numbers(p.begin(), p.end()), 0,
                               1);
    }
    figure.always()
        .x("score of the item")
        .y("")
        .save(
            "Which item stands in which place. The scores 4, 5 and 4.5 lie close "
            "together, "
            "and a temperature of their distance blurs them while 1 and 2 are still in "
            "place.");
}

const Index cakes = 6, tables = 40;
// The numbers of cakes, and the cakes of each table in the order of the jury.
struct Judged {
    Tensor x;        // (tables, cakes, 3)
    Integers order;  // (tables * cakes)
};
Judged judge(const Tensor& weights, Generator& random) {
    const Tensor x = random.normal({tables, cakes, 3});
    const std::vector<Real> s = matmul(x, weights).values();
    std::vector<Index> order;
    for (Index t = 0; t < tables; ++t) {
        std::vector<Index> of(std::size_t(cakes), 0);
        std::iota(of.begin(), of.end(), Index(0));
        std::ranges::sort(of, [&](Index a, Index b) {
            return s[std::size_t(t * cakes + a)] > s[std::size_t(t * cakes + b)];
        });
        order.insert(order.end(), of.begin(), of.end());
    }
    return {x, Integers({tables * cakes}, order)};
}
Tensor order_loss(const Tensor& weights, const Judged& judged) {
    const Tensor s = reshape(matmul(judged.x, weights), {tables, cakes});
    return cross_entropy(reshape(place_scores(s, 1), {tables * cakes, cakes}),
                         judged.order);
}

void jury() {
    Generator random(book::seed() + 1);
    const Tensor secret({3, 1}, {2, -1, 0.5});
    const Judged judged = judge(secret, random), fresh = judge(secret, random);
    Tensor w = zeros({3, 1});
    w.requires_grad_();
    optim::Adam adam({{"weights", w}}, {.lr = 0.1});
    for (Index i = 0; i < iterations(); ++i) {
        adam.zero_grad();
        order_loss(w, judged).backward();
        adam.step();
    }
    const NoGrad only_asking;
    // The shares of places of the fresh tables that are as the jury has them.
    const Tensor s = reshape(matmul(fresh.x, w), {tables, cakes});
    const Integers guess =
        argmax(reshape(place_scores(s, 1), {tables * cakes, cakes}), 1);
    Index right = 0;
    for (Index i = 0; i < tables * cakes; ++i)
        right += guess.data()[i] == fresh.order.data()[i];
    const std::vector<Real> v = w.values();
    say("the jury's weights 2, -1, 0.5, fitted up to a factor: 2, {:.3f}, {:.3f}",
        2 * double(v[1] / v[0]), 2 * double(v[2] / v[0]));
    say("places on forty new tables that are as the jury has them: {:.1f} %",
        100 * double(right) / double(tables * cakes));
    claim("", "share of right places on new tables",
          double(right) / double(tables * cakes), ">=", 0.95);
}

void check_gradients(const Numbers& seen) {
    Generator random(book::seed() + 2);
    const Loss simulation = [&](const Tensor& w) {
        return sum(loss_of(slice(w, 0, 0, 1), slice(w, 0, 1, 2), seen, frames));
    };
    const Tensor weights = random.normal({5, 1});
    const Loss sorting = [&](const Tensor& s) {
        return sum(
            matmul(softmax(place_scores(reshape(s, {1, 5}), 1)), reshape(s, {5, 1})) *
            weights);
    };
    double worst = 0;
    for (int i = 0; i < 5; ++i) {
        const double length = 0.5 + 0.5 * i, damping = 0.1 + 0.1 * i;
        worst = std::max(
            {worst,
             gradient_error(simulation, Tensor({2}, {Real(std::log(length)),
                                                     Real(std::log(damping))})),
             gradient_error(sorting, random.normal({5}))});
    }
    claim("sys-differentiable-programming/b",
          "gradients through the simulation and through the soft sorting, against "
          "central differences, largest relative error",
          worst, "<=", 1e-5);
    Tensor l({1}, {Real(std::log(0.8))}), c({1}, {Real(std::log(0.6))});
    l.requires_grad_(), c.requires_grad_();
    say("operations on the tape of one simulation of {} pictures: {}", frames,
        steps(sum(loss_of(l, c, seen, frames))).size());
}
//-

// From the order alone the fit finds the jury's weights up to a common factor, because an order says nothing about the
// scale of the scores. On new tables it puts nearly all cakes where the jury puts them.
//
// ## Limits
//
// The tape keeps every operation. Our eight seconds are thousands of operations, and a simulation with a million unknowns
// in each step would not fit into memory. Programs of this size store only some states, and compute the others again in
// the backward pass.
//
// Long simulations have the troubles of [recurrent networks](recurrent_networks.cpp), too: gradients vanish or explode.
// A chaotic system magnifies a small change of its start, on average by the same factor in each second, so the gradient
// of a late state is huge and useless.
//
// Hard decisions pass no gradient: an `if` differentiates the branch that was taken and ignores the condition. A soft
// version decides a little of everything, and so computes a slightly different program. And a fit cannot repair a wrong
// simulation. If the resistance of the air grows with the square of the speed, the fit returns the best damping of the
// wrong kind.
//
// Derivatives of whole programs are older than deep learning, as the survey of {cite:t}`baydin2018` tells.
// {cite:t}`chen2018` made the right-hand side of a differential equation a network and trained it through the solver.

void page() {
    const Numbers seen = observe();
    by_hand(seen);
    windows(seen);
    ten_starts(seen);
    draw_soft_sort();
    jury();
    check_gradients(seen);
}

// ## Summary
//
// Any program is a model if each step has a derivative: the tape records what the program did, and the chain rule does
// the rest. A derivative that exists is not yet one that helps. Sorting must be softened so that the gradient is not
// zero, and a long simulation needs an order of work, short windows first, so that the descent does not end in a wrong
// valley.
//
// ## What is missing
//
// The programs of this page had two or three unknown numbers. In a larger program the parts that are understood are
// written, and the others can be networks, which are trained through them. The next chapter puts networks to work.
//
// Before that, [the next page](quiz_architectures.cpp) asks eleven questions about this chapter.
//
// ```{try}
// - A bad camera: `--noise 0.3`. How well are length and damping still found?
// - Twice the steps: `--iterations 480`. Does the last start of the second panel of {numref}`fig-fits` arrive as well?
// - Fewer steps: `--iterations 80`. Which of the three fits of {numref}`fig-fits` suffers least?
// - A start at 0.3 metres, by hand: `--length 0.3`. Which way around does the dot have to go?
// ```
