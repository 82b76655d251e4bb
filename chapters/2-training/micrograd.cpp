// # Neurons from single numbers
//
// ```{rows} sys-micrograd-value sys-neuron-mlp-micrograd claim-mlp-41-params claim-graphs-grow-fast claim-zero-grad ex-tp1-micrograd ex-scoring-scheme
// ```
//
// [The last page](chain_rule.cpp) found all slopes of a computation on one way back, over a tape that was written
// by hand. Now the tape shall write itself, while we compute as usual. Then single numbers become neurons,
// neurons become a network, and the network learns. Andrej Karpathy has taught backpropagation in this way to
// very many people, with a program called micrograd {cite:p}`karpathy2020`. Everything that large libraries do is
// in it, and one can see it.
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
const book::Option<int> steps_made("steps", 200, "how many steps a network may make",
                                   {.quick = 40, .least = 1, .most = 2000});
const book::Option<double> rate("rate", 0.05, "how far a step goes",
                                {.least = 0.0, .most = 2.0});
const book::Option<int> starts("starts", 9, "how many networks are trained",
                               {.quick = 3, .least = 1, .most = 100});
const book::Option<int> widest("widest", 64, "neurons in the widest hidden layers",
                               {.quick = 16, .least = 2, .most = 200});

// ## A number with a memory
//
// A {cpp:class}`~recto::Value` holds a number, room for a gradient, and what it was computed from. Plus, times
// and their kin are overloaded: they compute, and they keep the slopes. So whoever writes down a formula has
// written down a graph as well. The way back is all there is besides:
//
// ```{excerpt} recto/autograd/value.cpp backward
// ```
//
// The tape of the last page was a list, and read from its end. Here there is no list, only arrows. The first loop
// follows them to count how often each number is used. The second lets a number hand its gradient on when all its
// uses have handed theirs to it. That is what {term}`topological order` means.
//
// Is it right? Thirty formulas shall say. They are written for any kind of number, so we can ask three witnesses:
// this engine; the library's engine for tensors, which shares no line with it; and differences.
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

// Each is computed as it stands, and with $a$ or $b$ moved a little:
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

    // The other two witnesses find the gradients of one formula after the other:
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
    claim("", "both engines: the largest gap", from_tensors, "<=", 1e-12);

    // Where ways part and meet again, a way back that walks every path would never end. Forty times $y + y$ has
    // $2^{40}$ of them, and forty-one numbers:
    const Value a = 1;
    Value z = a;
    for (int i = 0; i < 40; ++i) z += z;
    z.backward();
    claim("sys-micrograd-value/b", "the slope of 40 doublings, over 2^40",
          a.grad() / std::pow(2.0, 40), "==", 1);
}

// ## A neuron
//
// A {term}`neuron` weighs its inputs, adds a bias and squeezes the sum into the interval from $-1$ to 1: $\tanh(w
// \cdot x + b)$. Its weights start anywhere between $-1$ and 1. Neurons side by side are a {term}`layer`, layers
// one behind the other are a network. Each can list its parameters, because the training loop wants nothing else
// of them: weights first, then the bias, neuron after neuron.
using Values = std::vector<Value>;

struct Neuron {
    Values w;
    Value b;

    Neuron(int inputs, Generator& random) {
        const auto draw = [&] { return 2 * random.next_uniform() - 1; };
        for (int i = 0; i < inputs; ++i) w.push_back(draw());
        b = draw();
    }
    Value operator()(const Values& x) const {
        Value sum = b;
        for (std::size_t i = 0; i < w.size(); ++i) sum += w[i] * x[i];
        return tanh(sum);
    }
    Values parameters() const {
        Values all = w;
        all.push_back(b);
        return all;
    }
};

// Layers of them make the network:
struct Network {
    std::vector<std::vector<Neuron>> layers;

    Network(int inputs, const std::vector<int>& sizes, Generator& random) {
        for (const int size : sizes) {
            layers.emplace_back();
            for (int i = 0; i < size; ++i) layers.back().emplace_back(inputs, random);
            inputs = size;
        }
    }
    Values operator()(Values x) const {
        for (const std::vector<Neuron>& layer : layers) {
            Values y;
            for (const Neuron& neuron : layer) y.push_back(neuron(x));
            x = y;
        }
        return x;
    }
    Values parameters() const {
        Values all;
        for (const std::vector<Neuron>& layer : layers)
            for (const Neuron& neuron : layer)
                for (const Value& p : neuron.parameters()) all.push_back(p);
        return all;
    }
};

// The network of the course takes three numbers, has two layers of four neurons, and one neuron at the end. By
// hand that makes $4 \cdot (3 + 1)$, $4 \cdot (4 + 1)$ and $1 \cdot (4 + 1)$ parameters.
void a_neuron() {
    Generator random(book::seed());
    const Network network(3, {4, 4, 1}, random);
    claim("claim-mlp-41-params/a", "parameters of the network",
          network.parameters().size(), "==", 16 + 20 + 5);
    claim("claim-mlp-41-params/b", "layers that it has", network.layers.size(),
          "==", 3);
    const Neuron& one = network.layers[0][0];
    const Values its = one.parameters();
    bool in_order = its.size() == 4 && its[3].id() == one.b.id();
    for (std::size_t i = 0; i < 3; ++i)
        in_order = in_order && its[i].id() == one.w[i].id();
    claim_true("sys-neuron-mlp-micrograd/b",
               "a neuron lists its weights, then its bias", in_order);

    // {numref}`fig-neuron` is one of them at work, with two inputs to keep it small. It has no idea that it is a
    // neuron.
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
        "A neuron with two inputs, and what its output owes to each number: value, "
        "gradient, and on the arrows the slope of each step.");
    const std::string drawn = diagram.dot();
    int nodes = 0;
    for (std::size_t at = 0; (at = drawn.find("shape=", at)) != drawn.npos; ++at)
        ++nodes;
    claim("sys-micrograd-value/c", "nodes of the drawing", nodes,
          "==", steps(out).size());
}

// ## Four samples
//
// micrograd's example has four samples of three numbers each, and wants $+1$ or $-1$ for them. The loss is the
// sum of the squared errors. Then comes the loop of all loops: compute the loss, forget the old gradients, go
// back, move every parameter against its gradient.
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

// We let several networks learn, each from a start of its own.
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

    // {numref}`fig-outputs` follows the first of these networks.
    Figure drawn("fig-outputs");
    drawn
        .describe(
            "Left: the outputs for four samples against the step. They start together, "
            "and within some tens of steps two of them go to plus one and two to minus "
            "one. Right: the loss falls by several powers of ten.")
        .height(250)
        .panel("its four answers");
    for (std::size_t n = 0; n < 4; ++n)
        drawn.line(fmt::format("sample {}, {:+}", n + 1, targets[n]), at, outputs[n],
                   {.points = false});
    drawn.x("step").y("output").ylim(-1.1, 1.1);
    drawn.panel("its loss")
        .line("", at, first,
              {.color = figure::ink, .dash = figure::solid, .points = false})
        .log_y()
        .x("step")
        .y("sum of squared errors")
        .save(
            "A network of 41 numbers learns four samples. The legend says what is "
            "wanted of each. A tanh reaches 1 only at infinity, so the loss never "
            "stops falling.");
}

// ## Forget, or pay
//
// Why does the loop say `zero_grad`? Gradients of {term}`leaves <leaf>` add up: within one way back they must,
// for a number that is used twice. The tape cannot know that a new way back has begun. After $k$ of them at the
// same weights the gradient is $k$ times too large:
void forget() {
    const Value w = 3;
    double off = 0;
    for (int k = 1; k <= 10; ++k) {
        pow(w, 3).backward();
        off = std::max(off, std::abs(w.grad() - k * 27));
    }
    claim("claim-zero-grad/a",
          "the gradient after 1 to 10 ways back, against k times 27", off, "==", 0);

    // In training the weights move between the ways back, so that slopes of places left long ago are mixed in.
    // Two networks start alike, and one of them never forgets.
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
    ask("The loop lost its line with zero_grad. Nothing crashes. What becomes of the "
        "loss after all the steps, as a rule?",
        {{"About the same: the direction is right, only the steps are longer.",
          std::abs(usual) < 0.5,
          "At fixed weights that would be so. But they move, and longer steps in these "
          "directions make a difference of many powers of ten."},
         {"It stays large: steps that follow old slopes lead nowhere.", usual >= 0.5,
          "One should think so. But here all old slopes point the same way as the new "
          "ones."},
         {"It becomes far smaller than with the line.", usual <= -0.5,
          "The mistake pays! The figure below says why, and where it does not."}});

    // Does it pay to be wrong? The sum of all slopes pushes like a ball without friction. For targets of $\pm 1$
    // there is no bottom: a tanh comes closer to 1 the larger its sum is, without end, and a ball that never
    // stops is just what one wants. The same network with the targets $\pm\frac12$ has a bottom, and
    // {numref}`fig-forget` shows what the ball does there.
    //- how the figure is drawn
    Figure forgetful("fig-forget");
    forgetful.height(250).describe(
        "Two panels of losses on logarithmic axes. Left, targets plus and minus one: "
        "with zero_grad the loss falls slowly, without it it drops by many powers of "
        "ten. Right, targets of one half: with zero_grad the loss falls steadily, "
        "without it it swings up and down to the end and never gets small.");
    for (const double size : {1.0, 0.5})
        forgetful.panel(size == 1 ? "targets ±1" : "targets ±½")
            .line("with zero_grad", at, curve(size, true), {.points = false})
            .line("without", at, curve(size, false), {.points = false})
            .ylim(1e-12, 100)
            .log_y()
            .x("step")
            .y("loss");
    forgetful.save(
        "The same training with and without the line that forgets. Losses below "
        "$10^{-12}$ are drawn there. Where the loss has no bottom the mistake wins; "
        "where it has one, it never comes to rest.");
    book::shows("claim-zero-grad/b", "fig-forget");
    //-
    claim("",
          "targets ±1: powers of ten from the last loss with the line to that without",
          over_seeds(ones), "<", -1);
    claim("", "targets ±½: the same", over_seeds(halves), ">", 1);
}

// Even with targets of $\pm 1$ a start now and then throws a sample to the wrong side, where the tanh is flat,
// and it stays there. A test that only asks whether the loss falls would have let the mistake pass. Ask what a
// gradient *is*.
//
// ## How large it gets
//
// How many numbers does one evaluation of the loss write down? A neuron with $m$ inputs makes $m$ products, $m$
// sums and one tanh. A sample brings its inputs, a target, a difference, a square and a sum. The parameters are
// there once for all samples, and the sum starts from a number of its own.
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
    //- how the graph is laid out: by the longest way from a leaf; leaves just before their first use
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
            "All that a network of nine neurons does with four samples. From the left, "
            "the leaves, to the right, the loss.");
    //-
    book::shows("claim-graphs-grow-fast/b", "fig-graph");

    // And this network is tiny. {numref}`fig-growth` makes its hidden layers wider.
    std::vector<double> widths, nodes;
    bool same = true;
    for (int width = 1; width <= widest(); width *= 2) {
        const Network wide(3, {width, width, 1}, random);
        widths.push_back(width), nodes.push_back(double(steps(loss_of(wide)).size()));
        same = same &&
               std::size_t(nodes.back()) ==
                   nodes_by_formula(4, {3, std::size_t(width), std::size_t(width), 1});
    }
    claim_true("", "the formula holds for all widths", same);
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
            "The size of the graph against the width. Twice as wide is soon four times "
            "as large.");
    book::shows("claim-graphs-grow-fast/c", "fig-growth");

    // Each of these nodes stands for one product or one sum, the cheapest thing a processor can do, and keeping
    // books about it costs far more than doing it. The way out is to keep books about larger things. Here is the
    // same loss with the library's tensors, with the same 41 numbers in three matrices and three rows:
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

    // One line for the loss, and one comparison for each gradient:
    const Tensor want({4, 1}, {1, -1, -1, 1});
    const Tensor same_loss = sum(square(tanh(mlp(Tensor({4, 3}, rows))) - want));
    same_loss.backward();
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

void page() {
    thirty_formulas();
    a_neuron();
    four_samples();
    forget();
    how_large();
}

// ## The first practical, and what it is worth
//
// Reading about a tape is one thing. The [first set of exercises](../exercises/micrograd/index.md) asks you for
// all of this page, in three files: the number with a memory, with its 30 checks; neurons and a network with its
// parameters in order; the four lines of training. A judge compares every answer with one of its own.
//
// Each set gets a *mark* from 0 to 4, as in the course. Its base parts give up to 2, each its share of the
// points, so that five of six points are $2 \cdot \frac56$. Starred parts give the other 2, likewise by their
// share, and count once the base is complete. A set without stars gives up to 4. What is handed in late gets 1 at
// most. `./recto exercises` does this sum whenever you ask.
//
// ## What is missing
//
// A node for every product is a fine way to understand and no way to compute. [The next
// page](backpropagation.cpp) keeps the idea and changes the size of the nodes: whole layers, which hand back
// whole rows of gradients.
//
// ```{try}
// - Walk faster: `--rate 0.2`, then `--rate 0.5`. How many of the networks still arrive?
// - Give them less time: `--steps 20`. Which of the claims breaks?
// - Train many: `--starts 50`. What does the worst of them look like, compared with the median?
// ```
