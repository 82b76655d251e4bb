// # Micrograd: autograd from single numbers
//
// ```{rows} sys-micrograd-value sys-neuron-mlp-micrograd claim-mlp-41-params claim-graphs-grow-fast claim-zero-grad ex-tp1-micrograd ex-scoring-scheme
// ```
//
// [The last page](chain_rule.cpp) found all derivatives of a computation in one backward pass, over a tape written by hand.
// Now the tape writes itself while you compute. A program that does this is an **autograd** engine, and this one works on
// single numbers. From numbers we build neurons, from neurons a network, and the network learns. Andrej Karpathy teaches
// backpropagation in this way, with a program called **micrograd** {cite:p}`karpathy2020`. You can read it whole, and it
// works by the same idea as the engines of large libraries.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/autograd/value.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/curves.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/graph.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/reduce.hpp>

#include <algorithm>
#include <array>
#include <cmath>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using figure::Figure;
figure::Style thin(figure::Color color, double width) {
    return {.color = color,
            .dash = figure::solid,
            .shape = figure::Shape::circle,
            .width = width,
            .points = false};
}
//-

// Four numbers can be changed:
const book::Option<int> steps_made("steps", 200,
                                   "number of training steps of a network",
                                   {.quick = 40, .least = 1, .most = 2000});
const book::Option<double> rate("rate", 0.05, "learning rate",
                                {.least = 0.0, .most = 2.0});
const book::Option<int> starts("starts", 9, "number of networks trained",
                               {.quick = 3, .least = 1, .most = 100});
const book::Option<int> widest("widest", 64,
                               "number of neurons in the widest hidden layers",
                               {.quick = 16, .least = 2, .most = 200});

// ## A number that remembers
//
// A {cpp:class}`~recto::Value` holds a number, its gradient, and what it was computed from. Operators such as `+` and `*`
// and functions such as `tanh` are overloaded: each computes a result, and stores the derivatives of this result with
// respect to its inputs. So a formula, as you write it, records its own {term}`computational graph`.
//
// Take $y = ab + a$ at $a = 2$ and $b = -3$. The program records two results. The product $p = ab = -6$ has the derivatives
// $b = -3$ with respect to $a$, and $a = 2$ with respect to $b$. The sum $y = p + a = -4$ has the derivatives 1 and 1. Now
// go backward. The gradient of $y$ is 1. The sum passes 1 to $p$ and 1 to $a$. The product passes $1 \cdot (-3)$ to $a$ and
// $1 \cdot 2$ to $b$. In total $a$ receives $1 - 3 = -2$, and $b$ receives 2.
//
// So $a$ receives its gradient in two parts. A number may pass its gradient on only when all parts have arrived, so the
// backward pass needs the reverse of a {term}`topological order`: each number comes after everything that was computed from
// it. The tape of the last page was a list with this order built in. Here there are only arrows from each result to its
// inputs. The first loop follows them, and counts how often each number is used. In the second loop a number passes its
// gradient on once that many parts have arrived:
//
// ```{excerpt} recto/autograd/value.cpp backward
// ```
//
// We test the engine with thirty formulas, in two ways: against central differences, and against the library's engine for
// tensors, which is a separate implementation. The code of the test works for any kind of number.
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

    //-

    // The order also keeps the cost low. Double a number forty times, $z \leftarrow z + z$: there are $2^{40}$ paths from
    // the result to the start, but only 41 numbers, and `backward` visits each of them once.
    //- forty doublings
    const Value a = 1;
    Value z = a;
    for (int i = 0; i < 40; ++i) z += z;
    z.backward();
    claim("sys-micrograd-value/b", "the derivative of 40 doublings, divided by 2^40",
          a.grad() / std::pow(2.0, 40), "==", 1);
}
//-

// ## A neuron
//
// A {term}`neuron` multiplies each input by a weight, adds a bias, and squeezes the sum into the interval from $-1$ to 1:
// $\tanh(w \cdot x + b)$. Its weights and its bias start at random between $-1$ and 1.
using Values = std::vector<Value>;

struct Neuron {
    Values w;
    Value b;

    Neuron(int inputs, Generator& random) {
        const auto draw = [&] { return 2 * random.next_uniform() - 1; };
        for (int i = 0; i < inputs; ++i) w.push_back(draw());
        b = draw();
    }

    // The formula of the neuron is its code. As each operator records itself, a call of the neuron records its graph:
    Value operator()(const Values& x) const {
        Value sum = b;
        for (std::size_t i = 0; i < w.size(); ++i) sum += w[i] * x[i];
        return tanh(sum);
    }

    // Training needs the list of all parameters: the weights first, then the bias.
    Values parameters() const {
        Values all = w;
        all.push_back(b);
        return all;
    }
};

// Neurons side by side form a {term}`layer`, and layers in sequence form a network. All neurons of a layer read the same
// inputs, and what they return is the input of the next layer.
//- a network: how it is made
struct Network {
    std::vector<std::vector<Neuron>> layers;

    Network(int inputs, const std::vector<int>& sizes, Generator& random) {
        for (const int size : sizes) {
            layers.emplace_back();
            for (int i = 0; i < size; ++i) layers.back().emplace_back(inputs, random);
            inputs = size;
        }
    }
    //-
    Values operator()(Values x) const {
        for (const std::vector<Neuron>& layer : layers) {
            Values y;
            for (const Neuron& neuron : layer) y.push_back(neuron(x));
            x = y;
        }
        return x;
    }
    //- and its parameters, neuron after neuron
    Values parameters() const {
        Values all;
        for (const std::vector<Neuron>& layer : layers)
            for (const Neuron& neuron : layer)
                for (const Value& p : neuron.parameters()) all.push_back(p);
        return all;
    }
};

//-

// Karpathy's example takes three numbers, and has two layers of four neurons and a single neuron at the end. By hand, that
// makes $4 \cdot (3 + 1) + 4 \cdot (4 + 1) + 1 \cdot (4 + 1) = 41$ parameters.
//- the parameters, counted
void a_neuron() {
    Generator random(book::seed());
    const Network network(3, {4, 4, 1}, random);
    claim("claim-mlp-41-params/a", "parameters of the network",
          network.parameters().size(), "==", 16 + 20 + 5);
    claim("claim-mlp-41-params/b", "layers of the network", network.layers.size(),
          "==", 3);
    const Neuron& one = network.layers[0][0];
    const Values its = one.parameters();
    bool in_order = its.size() == 4 && its[3].id() == one.b.id();
    for (std::size_t i = 0; i < 3; ++i)
        in_order = in_order && its[i].id() == one.w[i].id();
    claim_true("sys-neuron-mlp-micrograd/b",
               "a neuron lists its weights, then its bias", in_order);

    //-

    // {numref}`fig-neuron` shows a neuron with two inputs after its backward pass. The engine knows products, sums and a
    // tanh. It does not know what a neuron is.
    //- how the figure is drawn
    const Neuron small(2, random);
    const Value x1 = 1, x2 = -0.5, out = small({x1, x2});
    out.backward();
    const auto diagram = figure::value_diagram("fig-neuron", out,
                                               {{"w1", small.w[0]},
                                                {"w2", small.w[1]},
                                                {"b", small.b},
                                                {"x1", x1},
                                                {"x2", x2}});
    diagram.save(
        "A neuron with two inputs. Each node shows its value and the gradient of the "
        "output; each arrow shows the derivative of that step. Multiply the numbers "
        "along a path, and you get the gradient at its end.");
    const std::string drawn = diagram.dot();
    int nodes = 0;
    for (std::size_t at = 0; (at = drawn.find("shape=", at)) != drawn.npos; ++at)
        ++nodes;
    claim("sys-micrograd-value/c", "nodes of the drawing", nodes,
          "==", steps(out).size());
}
//-

// ## The training loop
//
// micrograd's example has four samples of three numbers each, with the targets $+1$ and $-1$. The loss is the sum of the
// squared errors:
constexpr double samples[4][3] = {{2, 3, -1}, {3, -1, 0.5}, {0.5, 1, 1}, {1, 1, -1}};
constexpr double targets[4] = {1, -1, -1, 1};

Value loss_of(const Network& network, double size = 1) {
    Value loss = 0;
    for (std::size_t n = 0; n < 4; ++n) {
        const auto& x = samples[n];
        loss += pow(network({x[0], x[1], x[2]})[0] - size * targets[n], 2);
    }
    return loss;
}

// The {term}`training loop` repeats four steps: compute the loss (the forward pass), set all old gradients to zero, go
// backward, and move every parameter against its gradient.
std::vector<double> train(const Network& network, double size, bool forget,
                          const auto& look) {
    Values parameters = network.parameters();
    std::vector<double> losses;
    for (int step = 0; step <= steps_made(); ++step) {
        const Value loss = loss_of(network, size);
        losses.push_back(loss.data());
        look(step);
        if (forget)
            for (const Value& p : parameters) p.zero_grad();
        loss.backward();
        for (Value& p : parameters) p.set(p.data() - rate() * p.grad());
    }
    return losses;
}

// We train nine networks with different initial weights, 200 steps each.
//- nine trainings, and how the figure of the first is drawn
void four_samples() {
    std::vector<double> ends, at, first;
    std::vector<std::vector<double>> outputs(4);
    for (int start = 0; start < starts(); ++start) {
        Generator random(book::seed() + std::uint64_t(start));
        const Network network(3, {4, 4, 1}, random);
        const auto look = [&](int step) {
            if (start > 0) return;
            at.push_back(step);
            for (std::size_t n = 0; n < 4; ++n) {
                const auto& x = samples[n];
                outputs[n].push_back(network({x[0], x[1], x[2]})[0].data());
            }
        };
        const std::vector<double> losses = train(network, 1, true, look);
        ends.push_back(losses.back());
        if (start == 0) first = losses;
    }
    claim("sys-neuron-mlp-micrograd/a",
          fmt::format("the loss after {} steps", steps_made()), over_seeds(ends), "<",
          0.01);

    Figure drawn("fig-outputs");
    drawn
        .describe(
            "Left: the outputs for four samples against the step. They start between "
            "-0.6 and 0.5, and within twenty steps two of them go to plus one and two "
            "to minus "
            "one. Right: the loss falls by about three powers of ten.")
        .height(250)
        .panel("outputs for the four samples");
    for (std::size_t n = 0; n < 4; ++n)
        drawn.line(fmt::format("sample {}, {:+}", n + 1, targets[n]), at, outputs[n],
                   {.points = false});
    drawn.x("step").y("output").ylim(-1.1, 1.1);
    drawn.panel("loss")
        .line("", at, first,
              {.color = figure::ink, .dash = figure::solid, .points = false})
        .log_y()
        .x("step")
        .y("sum of squared errors")
        .save(
            "A network of 41 parameters learns four samples; the legend gives the "
            "target of each. A tanh reaches 1 only at infinity, so the loss keeps "
            "falling, ever more slowly.");
}
//-

// The worst of the nine ends at a loss of 0.0087. {numref}`fig-outputs` follows the first.
//
// ## Why zero_grad
//
// What happens if you forget `zero_grad`? The gradients of {term}`leaves <leaf>` must add up within a backward pass, since
// a number may be used twice. But the engine cannot know that a new pass has begun, so it adds the new gradient to the old
// one. Take $w^3$ at $w = 3$, whose derivative is 27. After the first backward pass `grad` is 27, after the second it is
// 54, and after $k$ passes $27k$:
//- ten backward passes without a reset
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

    //-

    // In training the weights move between the passes, so `grad` mixes in gradients of points that the weights left long
    // ago. We train each network twice from the same start, with and without the reset.
    //- eighteen pairs of trainings
    std::vector<double> at;
    for (int step = 0; step <= steps_made(); ++step) at.push_back(step);
    const auto curve = [&](double size, bool forgets, int start = 0) {
        Generator random(book::seed() + std::uint64_t(start));
        std::vector<double> losses =
            train(Network(3, {4, 4, 1}, random), size, forgets, [](int) {});
        for (double& loss : losses) loss = std::max(loss, 1e-12);
        return losses;
    };
    std::vector<double> ones, halves;  // powers of ten between the last losses
    for (int start = 0; start < starts(); ++start)
        for (const double size : {1.0, 0.5})
            (size == 1 ? ones : halves)
                .push_back(std::log10(curve(size, false, start).back() /
                                      curve(size, true, start).back()));
    const double usual = book::median(ones);
    //-
    ask("You delete the line with zero_grad. Nothing crashes. What happens to the loss "
        "after all the steps, in the median of the nine starts?",
        {{"It is about the same: the direction is right, only the steps are longer.",
          std::abs(usual) < 0.5,
          "At fixed weights this would be so. But the weights move, and steps that "
          "grow all the time change the loss by many powers of ten."},
         {"It stays large: steps along old gradients lead nowhere.", usual >= 0.5,
          "A plausible guess. But here almost all old gradients point in the same "
          "direction as the new one."},
         {"It becomes far smaller than with the line.", usual <= -0.5,
          "The mistake pays! The figure below shows why, and where it does not."}});

    // Without the reset, each step follows the sum of all gradients so far. This is [momentum](optimisers.cpp) that never
    // decays: a ball that rolls without friction. For the targets $\pm 1$ the loss has no minimum, because the larger the
    // sum in a tanh, the closer the tanh comes to 1. There a ball that never stops is an advantage. With the
    // targets $\pm\frac12$ the loss has a minimum at finite weights, and the ball rolls through it again and again
    // ({numref}`fig-forget`).
    //- how the figure is drawn
    Figure forgetful("fig-forget");
    forgetful.height(250).describe(
        "Two panels of losses on logarithmic axes. Left, targets plus and minus one: "
        "with zero_grad the loss falls slowly, without zero_grad it drops by many "
        "powers of ten. Right, targets of one half: with zero_grad the loss falls "
        "steadily, without zero_grad it swings up and down to the end.");
    for (const double size : {1.0, 0.5})
        forgetful.panel(size == 1 ? "targets ±1" : "targets ±½")
            .line("with zero_grad", at, curve(size, true), {.points = false})
            .line("without", at, curve(size, false), {.points = false})
            .ylim(1e-12, 100)
            .log_y()
            .x("step")
            .y("loss");
    forgetful.save(
        "The same training with and without zero_grad. Losses below $10^{-12}$ are "
        "drawn at $10^{-12}$. Where the loss has no minimum (left), the mistake wins; "
        "where it has one (right), the weights never come to rest.");
    book::shows("claim-zero-grad/b", "fig-forget");
    //-
    claim("",
          "targets ±1: powers of ten between the last loss without zero_grad and that "
          "with it, losses below 1e-12 counted as 1e-12",
          over_seeds(ones), "<", -1);
    claim("", "targets ±½: the same", over_seeds(halves), ">", 1);
}

// For the targets $\pm 1$ the median of $-9.5$ powers of ten is a matter of our floor: without the reset the loss falls
// below $10^{-12}$, where we stop counting, since a tanh can round to 1 and the loss to 0. With the reset it ends near
// 0.003. And the mistake does not always pay. In the worst start the loss ends 3.1 powers of ten *higher*, near 4: one
// sample is stuck on the wrong side, where the tanh is flat. A test that only asks whether the loss falls would not notice
// the mistake. So test the gradient itself.
//
// ## How large the graph gets
//
// Every parameter, input and constant is a node of the graph, and so is every result. How many nodes does one evaluation
// of the loss need?
//- the number of nodes by a formula, and as counted
std::size_t nodes_by_formula(std::size_t count, const std::vector<std::size_t>& sizes) {
    std::size_t parameters = 0, each = 0;
    for (std::size_t i = 1; i < sizes.size(); ++i) {
        parameters += sizes[i] * (sizes[i - 1] + 1);
        each += sizes[i] * (2 * sizes[i - 1] + 1);
    }
    return parameters + count * (each + sizes[0] + 4) + 1;
}

void how_large() {
    Generator random(book::seed());
    const Network network(3, {4, 4, 1}, random);
    const Value loss = loss_of(network);
    const std::vector<ValueStep> graph = steps(loss);
    say("{} numbers for the loss of {} parameters on 4 samples", graph.size(),
        network.parameters().size());
    claim("claim-graphs-grow-fast/a", "the nodes of the graph", graph.size(),
          "==", nodes_by_formula(4, {3, 4, 4, 1}));
    // (The graph is laid out by the longest path from a leaf; leaves stand just before their first use.)
    std::vector<double> height(graph.size()), place(graph.size()), count,
        first(graph.size(), 1e9);
    for (std::size_t i = 0; i < graph.size(); ++i) {
        for (const ValueStep::Input& input : graph[i].inputs)
            height[i] = std::max(height[i], height[input.step] + 1);
        for (const ValueStep::Input& input : graph[i].inputs)
            first[input.step] = std::min(first[input.step], height[i]);
    }
    for (std::size_t i = 0; i < graph.size(); ++i) {
        if (graph[i].inputs.empty()) height[i] = first[i] - 1;
        count.resize(std::max(count.size(), std::size_t(height[i]) + 1));
        place[i] = count[std::size_t(height[i])]++;
    }
    std::array<std::vector<double>, 2> x, y;  // leaves, results
    Figure all("fig-graph");
    const auto across = [&](std::size_t n) {
        return (place[n] + 0.5) / count[std::size_t(height[n])];
    };
    for (std::size_t i = 0; i < graph.size(); ++i) {
        for (const ValueStep::Input& input : graph[i].inputs)
            all.line("", {height[input.step], height[i]},
                     {across(input.step), across(i)}, thin(figure::grey, 0.5));
        const std::size_t kind = !graph[i].inputs.empty();
        x[kind].push_back(height[i]), y[kind].push_back(across(i));
    }
    all.describe(
           "Several hundred dots joined by a web of thin lines. At the left a dense "
           "column of leaves; further right columns of results that get shorter, down "
           "to a single dot, the loss.")
        .bare()
        .height(420)
        .dots("leaves", x[0], y[0], thin(figure::ochre, 2))
        .dots("results", x[1], y[1], thin(figure::blue, 2))
        .save(
            "Everything that a network of nine neurons computes for four samples: 362 "
            "nodes for one loss. Leaves stand at the left, and the loss at the right.");
    book::shows("claim-graphs-grow-fast/b", "fig-graph");
    //-

    // {numref}`fig-graph` shows all 362 nodes, and this network is tiny. {numref}`fig-growth` makes its hidden layers wider.
    // Between two layers of $m$ neurons there are $m^2$ weights, so twice the width soon means four times as many nodes.
    //- wider networks
    std::vector<double> widths, nodes;
    bool same = true;
    for (int width = 1; width <= widest(); width *= 2) {
        const Network wide(3, {width, width, 1}, random);
        widths.push_back(width), nodes.push_back(double(steps(loss_of(wide)).size()));
        same = same &&
               std::size_t(nodes.back()) ==
                   nodes_by_formula(4, {3, std::size_t(width), std::size_t(width), 1});
    }
    claim_true("", "the number of nodes is that of the formula for all widths", same);
    Figure("fig-growth")
        .describe(
            "Nodes of the graph against the width of the hidden layers, both axes "
            "logarithmic: a line that becomes as steep as a square, and ends at tens "
            "of thousands.")
        .line("", widths, nodes, {.color = figure::blue})
        .log_axes()
        .x("neurons in each hidden layer")
        .y("nodes, for four samples")
        .save(
            "The size of the graph against the width of the hidden layers. The line "
            "gets steeper until twice the width means four times as many nodes.");
    book::shows("claim-graphs-grow-fast/c", "fig-growth");
    //-

    // A node stands for a single operation of arithmetic, and to record it the engine writes two pointers, two derivatives
    // and more. That costs more than the operation itself. The remedy is to record larger operations. Here is
    // the same loss with the library's tensors, and the same 41 parameters in three matrices and three rows of biases:
    //- the 41 parameters, copied into tensors
    const nn::Mlp mlp({3, 4, 4, 1}, tanh, random);
    const Values scalars = network.parameters();
    const NamedTensors tensors = nn::parameters(mlp);
    std::size_t at = 0;
    for (std::size_t layer = 0; layer < 3; ++layer) {
        Tensor weight = tensors[2 * layer].tensor, bias = tensors[2 * layer + 1].tensor;
        for (Index i = 0; i < weight.size(0); ++i) {
            for (Index j = 0; j < weight.size(1); ++j)
                weight.set({i, j}, Real(scalars[at++].data()));
            bias.set({i}, Real(scalars[at++].data()));
        }
    }
    std::vector<Real> rows;
    for (const auto& sample : samples) rows.insert(rows.end(), sample, sample + 3);
    //-
    const Tensor want({4, 1}, {1, -1, -1, 1});
    const Tensor same_loss = sum(square(tanh(mlp(Tensor({4, 3}, rows))) - want));
    same_loss.backward();
    //- the loss and the gradients of both engines, compared
    loss.backward();
    double apart = std::abs(double(same_loss.item()) - loss.data());
    at = 0;
    for (std::size_t layer = 0; layer < 3; ++layer) {
        const Tensor weight = tensors[2 * layer].tensor.grad(),
                     bias = tensors[2 * layer + 1].tensor.grad();
        for (Index i = 0; i < weight.size(0); ++i) {
            for (Index j = 0; j < weight.size(1); ++j)
                apart =
                    std::max(apart, std::abs(weight.at({i, j}) - scalars[at++].grad()));
            apart = std::max(apart, std::abs(bias.at({i}) - scalars[at++].grad()));
        }
    }
    say("{} steps on the tape of tensors", steps(same_loss).size());
    claim("", "the loss and all 41 gradients, the largest gap between both engines",
          apart, "<=", 1e-12);
}
//-

// The tape of tensors has 15 steps in place of 362, and its gradients are the same up to rounding.
void page() {
    thirty_formulas();
    a_neuron();
    four_samples();
    forget();
    how_large();
}

// ## Summary and what is missing
//
// An autograd engine records, for each result, its inputs and the derivatives with respect to them; `backward` visits the
// record in reverse topological order and adds up what arrives. Neurons and networks need no further rule. Gradients of
// leaves add up across passes as well, so set them to zero before each.
//
// A node for every product is good for understanding and slow for computing. [The next page](backpropagation.cpp) makes
// the nodes larger: whole layers, which pass on whole rows of gradients.
//
// ```{exercises}
// - [A number that knows its gradient](/exercises/micrograd/value.md)
// - [Neurons, layers, a network](/exercises/micrograd/perceptron.md)
// - [Gradient descent by hand](/exercises/micrograd/fit.md)
// ```
//
// ```{try}
// - Take longer steps: `--rate 0.2`, then `--rate 0.5`. How many of the networks still end below 0.01?
// - Give them less time: `--steps 20`. Which of the claims breaks?
// - Train many networks: `--starts 50`. Compare the worst loss with the median.
// ```
