// # Micrograd: autograd from single numbers
//
// ```{rows} sys-micrograd-value claim-zero-grad ex-tp1-micrograd
// ```
//
// [The last page](chain_rule.cpp) found all derivatives of a computation in one backward pass, over a tape written by hand.
// Now the tape writes itself while you compute. A program that does this is an **autograd** engine, and this one works on
// single numbers ({numref}`fig-forward-backward`). Andrej Karpathy teaches backpropagation in this way, with a program called
// **micrograd** {cite:p}`karpathy2020`. Such an engine is short enough to read in full, and the engines of large libraries rest
// on the same idea. What must a number remember, and in which order do the gradients travel?
//
// ```{opening} fig-forward-backward
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/autograd/value.hpp>
#include <recto/book/page.hpp>
#include <recto/figure/figure.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>

#include <algorithm>
#include <cmath>

using namespace recto;
using book::ask, book::claim, book::say;
using figure::Figure, figure::Names;

const book::Option<double> first("first", 2, "the number a of the example",
                                 {.least = -100.0, .most = 100.0});
const book::Option<double> second("second", -3, "the number b of the example",
                                  {.least = -100.0, .most = 100.0});
const book::Option<int> doublings("doublings", 40, "how often a number is doubled",
                                  {.least = 1, .most = 1000});
//-

//- the example, and how its figure is drawn
void both_passes() {
    const Value a = first(), b = second(), p = a * b, y = p + a;
    y.backward();
    const std::vector<double> stops = {0, 1, 2, 3, 4, 5};
    const double ax = 0, ay = 1, bx = 0, by = 0, px = 1, py = 0.25, yx = 2, yy = 0.75;
    Figure figure("fig-forward-backward");
    figure
        .describe(fmt::format(
            "A graph of four numbers. Lines lead from a and b to their product p, and "
            "from p and a to the sum y. A slider first fills in the values, p = {:.4g} "
            "and y = {:.4g}, then the gradients from y back to a and b. The gradient "
            "of a arrives in two parts.",
            p.data(), y.data()))
        .bare()
        .height(260)
        .slider("step", stops, "step", 5)
        .xlim(-0.65, 2.65)
        .ylim(-0.25, 1.25);
    struct Edges {  // lines with a gap after each
        std::vector<double> x, y;
        void add(double x0, double y0, double x1, double y1) {
            const double dx = x1 - x0, dy = y1 - y0, gap = std::nan("");
            x.insert(x.end(), {x0 + 0.22 * dx, x0 + 0.78 * dx, gap});
            y.insert(y.end(), {y0 + 0.22 * dy, y0 + 0.78 * dy, gap});
        }
    };
    const auto words = [&](double x, double y_at, figure::Color color,
                           const std::string& text) {
        figure.words("", {x}, {y_at}, Names{text}, {.color = color, .width = 14});
    };
    const auto slope = [&](double x, double y_at, double value) {
        words(x, y_at, figure::grey, fmt::format("× {:.4g}", value));
    };
    const auto grad = [&](double x, double y_at, double value, const char* more = "") {
        words(x, y_at - 0.13, figure::red, fmt::format("grad {:.4g}{}", value, more));
    };
    for (const double stop : stops) {
        figure.at(stop);
        words(ax, ay, figure::ink, fmt::format("a = {:.4g}", a.data()));
        words(bx, by, figure::ink, fmt::format("b = {:.4g}", b.data()));
        words(px, py, figure::ink,
              stop < 1 ? "p = ab" : fmt::format("p = ab = {:.4g}", p.data()));
        words(yx, yy, figure::ink,
              stop < 2 ? "y = p + a" : fmt::format("y = p + a = {:.4g}", y.data()));
        Edges idle, busy;  // busy: something travels along it in this step
        Edges& product = stop == 1 || stop == 5 ? busy : idle;
        product.add(ax, ay, px, py), product.add(bx, by, px, py);
        Edges& sum = stop == 2 || stop == 4 ? busy : idle;
        sum.add(px, py, yx, yy), sum.add(ax, ay, yx, yy);
        const auto draw = [&](const Edges& edges, figure::Color color, double width) {
            figure.line("", edges.x, edges.y,
                        {.color = color,
                         .dash = figure::solid,
                         .width = width,
                         .points = false});
        };
        if (!idle.x.empty()) draw(idle, figure::grey, 1.5);
        if (!busy.x.empty()) draw(busy, figure::red, 3);
        if (stop >= 1)  // what a result remembers: its derivatives
            slope(0.62, 0.7, b.data()), slope(0.5, 0.02, a.data());
        if (stop >= 2) slope(1.5, 0.36, 1), slope(1, 1, 1);
        if (stop >= 3) grad(yx, yy, y.grad());
        if (stop >= 4) grad(px, py, p.grad());
        if (stop == 4) grad(ax, ay, y.grad(), ", so far");
        if (stop == 5) grad(ax, ay, a.grad()), grad(bx, by, b.grad());
    }
    figure.save(
        "Move the slider from 0 to 5. Steps 1 and 2 compute the values (forward), and "
        "each result stores its derivatives, one for each line to an input. Steps 3 to "
        "5 send the gradients back: a gradient is multiplied by the number on the "
        "line, "
        "and what arrives at $a$ adds up.");
}
//-

// ## A number that remembers
//
// A {cpp:class}`~recto::Value` holds a number, its gradient, and what it was computed from. Operators such as `+` and `*`
// and functions such as `tanh` are overloaded: each computes a result, and stores the derivatives of this result with
// respect to its inputs. So a formula, as you write it, records its own {term}`computational graph`.
//
// Take $y = ab + a$ at $a = 2$ and $b = -3$. The program records two results. The product $p = ab = -6$ has the derivatives
// $b = -3$ with respect to $a$, and $a = 2$ with respect to $b$. The sum $y = p + a = -4$ has the derivatives 1 and 1. Now
// go backward. The gradient of $y$ is 1. The sum passes 1 to $p$ and 1 to $a$. The product passes $1 \cdot (-3)$ to $a$ and
// $1 \cdot 2$ to $b$. In total $a$ receives $1 - 3 = -2$, and $b$ receives 2. In the program you see the formula only; the
// operators do the recording:
void the_example() {
    const Value a = first(), b = second();
    const Value y = a * b + a;
    y.backward();
    say("y = {}, gradients: {} for a, {} for b", y.data(), a.grad(), b.grad());
}

// ## Backward, in the right order
//
// The number $a$ receives its gradient in two parts. A number may pass its gradient on only when all parts have arrived, so the
// backward pass needs the reverse of a {term}`topological order`: each number comes after everything that was computed from
// it. The tape of the last page was a list in topological order, and the backward pass read it from its end. Here there is no
// list, only arrows from each result to its inputs. The first loop below follows them, and counts how often each number is used.
// In the second loop a number passes its gradient on once that many parts have arrived:
//
// ```{excerpt} recto/autograd/value.cpp backward
// ```
//
// What would it cost to pass on every part at once, without waiting for the others? The gradients would still be right, since
// each path from the result contributes its product. This function counts how often such an engine passes a part on. It begins at
// number `at` of `graph`, the list of all recorded numbers:
double without_waiting(const std::vector<ValueStep>& graph, std::size_t at) {
    double count = 0;
    for (const ValueStep::Input& input : graph[at].inputs)
        count += 1 + without_waiting(graph, input.step);
    return count;
}

// The test is a number that is doubled again and again, $z \leftarrow z + z$.
//- both counts, up to twenty doublings
void doubled() {
    std::vector<double> times, eager, waiting;
    Value w = 1;
    for (int n = 1; n <= 20; ++n) {
        w += w;
        const std::vector<ValueStep> graph = steps(w);
        times.push_back(n);
        eager.push_back(without_waiting(graph, graph.size() - 1));
        double arrows = 0;
        for (const ValueStep& step : graph) arrows += double(step.inputs.size());
        waiting.push_back(arrows);
    }
    const double forty = eager.back() * std::pow(2.0, 20);
    //-
    ask("A number is doubled forty times, z + z. About how often does an engine pass "
        "a gradient on if no number waits for its second part?",
        {{"80 times: there are forty sums, and each passes on two parts.", forty < 1000,
          "This is right for an engine that waits. Without waiting, a sum passes on "
          "two parts each time that something arrives, and twice as much arrives at "
          "each number as at the one after it."},
         {"1,600 times: forty sums, each reached from all forty.",
          forty >= 1000 && forty < 1e5,
          "The number of arrivals does not grow by a fixed amount from sum to sum. It "
          "doubles."},
         {"Two million million times.", forty > 1e12,
          "Each doubling doubles the number of paths, and without waiting each path "
          "is walked by itself."}});

    // {numref}`fig-doublings` shows both counts for up to twenty doublings; for forty we double the count twenty times more.
    // Without waiting, an engine walks each of the $2^{40}$ paths from the result to the start by itself, and passes $2^{41} - 2$
    // parts on, about two million million. Our engine has 41 numbers to visit, and visits each of them once:
    //- how the figure is drawn
    Figure("fig-doublings")
        .describe(
            "Two counts against the number of doublings, on a logarithmic axis. "
            "Without waiting the count rises as a straight line to two million at "
            "twenty doublings. With waiting it rises from two to only forty.")
        .line("without waiting", times, eager, {.points = false})
        .line("each number waits", times, waiting, {.points = false})
        .log_y()
        .height(240)
        .x("doublings")
        .y("gradients passed on")
        .save(
            "How often gradients are passed on in a graph of doublings. If each number "
            "waits for all parts, every sum passes on two. Without waiting, the count "
            "doubles with every sum.");
    //-
    const Value a = 1;
    Value z = a;
    for (int i = 0; i < doublings(); ++i) z += z;
    z.backward();
    claim("sys-micrograd-value/b",
          fmt::format("the derivative of {0} doublings, divided by 2^{0}", doublings()),
          a.grad() / std::pow(2.0, doublings()), "==", 1);
}

// In a doubling both parts arrive from the same sum. In $y = d^3/c$, with $d = a + b$ and $c = ab$, they arrive from
// different results: paths fork at $a$ and at $b$, fork again at $d$, and meet at the end. By hand the gradients are
// $3d^2/c - y/a$ and $3d^2/c - y/b$. At $a = 2$ and $b = -4$ we have $d = -2$, $c = -8$ and $y = 1$, so the gradients are
// $-1.5 - 0.5 = -2$ and $-1.5 + 0.25 = -1.25$, and no step has to round:
//- how they are compared
void met_again() {
    const Value a = 2, b = -4, c = a * b, d = a + b;
    (d * d * d / c).backward();
    claim("sys-micrograd-value/b",
          "paths over different results: the largest gap of a gradient to that by hand",
          std::max(std::abs(a.grad() + 2), std::abs(b.grad() + 1.25)), "==", 0);
}
//-

// ## Thirty formulas
//
// We test the engine with thirty formulas, in two ways: against [central differences](chain_rule.cpp), and against the library's
// engine for tensors, which is a separate implementation. The formulas are written once, as a template, and serve for both kinds
// of number.
//- thirty formulas
Tensor pow(const Tensor& x, double exponent) { return exp(exponent * log(x)); }

template <class Number>
std::vector<Number> thirty(const Number& a, const Number& b) {
    const Number c = a * b, d = a + b, e = tanh(a), f = exp(b);
    std::vector<Number> all;
    const auto add = [&](std::initializer_list<Number> more) {
        all.insert(all.end(), more);
    };
    add({a + b, a - b, a * b, a / b, -a, a * a, pow(a, 2.5), pow(b, -1)});
    add({exp(a), exp(a) * b, tanh(b), tanh(c), relu(a), relu(b - a), relu(c) * d});
    add({c + d, c * d, c / d, e * f, e / f, e - f, (a + b) * c, tanh(c + d)});
    add({exp(e) / (f + 1.), pow(d, 3) - c, 1. / (1. + exp(-c)), tanh(exp(e))});
    add({relu(d - 0.5) + relu(c - 9.), d * d * d / c,
         pow(f + e, 0.5) * tanh(pow(c, 2))});
    return all;
}
//-

//- their gradients, found in three ways
void thirty_formulas() {
    const double x = 0.7, y = 1.6, h = 1e-3;
    const auto numbers = [](double a, double b) {
        std::vector<double> all;
        for (const Value& v : thirty<Value>(a, b)) all.push_back(v.data());
        return all;
    };
    const auto slopes = [&](double to_a, double to_b) {  // central, with four points
        std::vector<double> all;
        const auto at = [&](double t) { return numbers(x + t * to_a, y + t * to_b); };
        const std::vector<double> far_left = at(-2 * h), left = at(-h), right = at(h),
                                  far_right = at(2 * h);
        for (std::size_t i = 0; i < left.size(); ++i)
            all.push_back((far_left[i] - 8 * left[i] + 8 * right[i] - far_right[i]) /
                          (12 * h));
        return all;
    };
    const std::vector<double> by_a = slopes(1, 0), by_b = slopes(0, 1);

    double from_differences = 0, from_tensors = 0;
    const auto further = [](double& most, double one, double other) {
        most = std::max(most, std::abs(one - other) / (1 + std::abs(other)));
    };
    for (std::size_t i = 0; i < by_a.size(); ++i) {
        const Value a = x, b = y;
        thirty(a, b)[i].backward();
        further(from_differences, a.grad(), by_a[i]),
            further(from_differences, b.grad(), by_b[i]);

        const Tensor s = Tensor({}, {Real(x)}).requires_grad_(),
                     t = Tensor({}, {Real(y)}).requires_grad_();
        (thirty(s, t)[i] + 0 * s * t).backward();  // so that both are part of it
        further(from_tensors, a.grad(), double(s.grad().item()));
        further(from_tensors, b.grad(), double(t.grad().item()));
    }
    claim("sys-micrograd-value/a",
          fmt::format("{} formulas, gradients and differences: the largest gap",
                      by_a.size()),
          from_differences, "<=", 1e-8);
    claim("", "gradients of both engines: the largest gap", from_tensors, "<=", 1e-12);
}
//-

// ## Why zero_grad
//
// The gradients of {term}`leaves <leaf>` must add up within a backward pass, since a number may be used twice. They also add up
// from pass to pass. That is useful if two losses are sent back one after the other and you want the gradient of their sum. But the
// engine cannot know whether you do, or whether a new training step has begun. Take $w^3$ at $w = 3$, whose derivative is 27. After
// the first backward pass `grad` is 27, after the second it is 54, and after $k$ passes $27k$:
void forget() {
    const Value w = 3;
    double off = 0;
    for (int k = 1; k <= 10; ++k) {
        pow(w, 3).backward();
        off = std::max(off, std::abs(w.grad() - k * 27));
    }
    claim("claim-zero-grad/a",
          "the gradient after k = 1 to 10 backward passes: the largest gap to 27k", off,
          "==", 0);
}

// So set the gradients of all parameters to zero before the backward pass of each training step. That is the job of `zero_grad` in
// the [training loop](batches.cpp). Only leaves need it: the first loop of `backward` clears the gradients of all other numbers.
void page() {
    both_passes();
    the_example();
    doubled();
    met_again();
    thirty_formulas();
    forget();
}

// ## Summary and what is missing
//
// An autograd engine records, for each result, its inputs and the derivatives with respect to them. `backward` visits the record in
// reverse topological order, so that each number passes its gradient on once, when all parts have arrived and are added up. Gradients
// of leaves add up across passes as well, so set them to zero in each training step.
//
// The engine knows sums, products and a few functions. Is that enough to build a network and to train it? On [the next
// page](tiny_network.cpp) nine neurons learn four samples, and you see how large the record becomes.
//
// ```{exercises}
// - [A number that knows its gradient](/exercises/micrograd/value.md)
// ```
//
// ```{try}
// - Other numbers: `--first 1 --second -1`. What is the gradient of a, and why? Move the slider of the figure.
// - Many paths: `--doublings 1000`. How many paths lead from the result to the start? Does the engine mind?
// ```
