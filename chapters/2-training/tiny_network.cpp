// # A tiny network: training with single numbers
//
// ```{rows} sys-neuron-mlp-micrograd sys-micrograd-value claim-mlp-41-params claim-zero-grad claim-graphs-grow-fast ex-tp1-micrograd
// ```
//
// [The last page](micrograd.cpp) made numbers that record what they were computed from. From such numbers we now build a
// **neuron**, from neurons a **network**, and the network learns four samples ({numref}`fig-outputs`). No further rule is needed:
// the engine differentiates sums, products, powers and tanh, and has no idea what a neuron is. What does the **training loop** do,
// what happens if you leave out one of its lines, and what does it cost to record every single number?
//
// ```{opening} fig-outputs
// ```
//- includes, names and options
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

const book::Option<int> steps_made("steps", 200,
                                   "number of training steps of a network",
                                   {.quick = 40, .least = 1, .most = 2000});
const book::Option<double> rate("rate", 0.05, "learning rate",
                                {.least = 0.0, .most = 2.0});
const book::Option<int> starts("starts", 9, "number of networks trained",
                               {.quick = 3, .least = 1, .most = 100});
const book::Option<int> pairs("pairs", 100,
                              "number of starts with and without zero_grad",
                              {.quick = 3, .least = 1, .most = 1000});
const book::Option<int> widest("widest", 64,
                               "number of neurons in the widest hidden layers",
                               {.quick = 16, .least = 2, .most = 200});
//-

//- nine trainings, and how their figure is drawn
struct Training {
    std::vector<double> losses, targets;
    std::vector<std::vector<double>> outputs;  // one list for each sample
};
std::vector<Training> nine_trainings();

std::vector<double> four_samples() {
    const std::vector<Training> trainings = nine_trainings();
    std::vector<double> ends, at, numbers;
    const auto thinned = [](const std::vector<double>& all) {  // late steps lie close
        std::vector<double> some;
        for (std::size_t i = 0; i < all.size(); ++i)
            if (i <= 40 || i % 5 == 0) some.push_back(all[i]);
        return some;
    };
    for (std::size_t i = 0; i < trainings[0].losses.size(); ++i)
        at.push_back(double(i));
    at = thinned(at);
    for (const Training& one : trainings) {
        ends.push_back(one.losses.back());
        numbers.push_back(double(ends.size()));
    }
    Figure drawn("fig-outputs");
    drawn
        .describe(
            "First panel: the outputs for four samples against the step. They start "
            "between minus one and one, and within a few dozen steps two of them go to "
            "plus one and two to minus one. Second panel: the loss falls by about "
            "three powers of ten. A slider shows one network after the other.")
        .height(250)
        .slider("network", numbers, "network", 1)
        .panel("outputs for the four samples");
    for (std::size_t run = 0; run < trainings.size(); ++run) {
        drawn.at(numbers[run]);
        for (std::size_t n = 0; n < 4; ++n)
            drawn.line(fmt::format("sample {}, {:+}", n + 1, trainings[0].targets[n]),
                       at, thinned(trainings[run].outputs[n]), {.points = false});
    }
    drawn.always().x("step").y("output").ylim(-1.1, 1.1);
    drawn.panel("loss").log_y().x("step").y("sum of squared errors").ylim(1e-3, 20);
    for (std::size_t run = 0; run < trainings.size(); ++run)
        drawn.at(numbers[run])
            .line("", at, thinned(trainings[run].losses),
                  {.color = figure::ink, .dash = figure::solid, .points = false});
    drawn.save(
        "A network of 41 parameters learns four samples; the legend gives the target "
        "of each. Move the slider: other networks have other initial weights, and all "
        "of them arrive. A tanh reaches 1 only at infinity, so the loss keeps falling, "
        "ever more slowly.");
    return ends;
}
//-

// ## A neuron
//
// A {term}`neuron` multiplies each input by a weight, adds up the products and a bias, and squeezes the sum into the interval from
// $-1$ to 1: $\tanh(w \cdot x + b)$. Its weights and its bias start at random between $-1$ and 1.
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

// The network of micrograd's example takes three numbers, and has two layers of four neurons and a single neuron at the end. That
// makes $4 \cdot (3 + 1) + 4 \cdot (4 + 1) + 1 \cdot (4 + 1) = 41$ parameters.
//- the parameters, counted
void a_neuron() {
    Generator random(book::seed());
    const Network network(3, {4, 4, 1}, random);
    claim("claim-mlp-41-params/a", "parameters of the network",
          network.parameters().size(), "==", 16 + 20 + 5);
    const std::vector<ValueStep> graph = steps(network({2, 3, -1})[0]);
    std::vector<int> bends(graph.size());  // on the path to a number with the most tanh
    for (std::size_t i = 0; i < graph.size(); ++i) {
        for (const ValueStep::Input& input : graph[i].inputs)
            bends[i] = std::max(bends[i], bends[input.step]);
        bends[i] += graph[i].name == std::string("tanh");
    }
    claim("claim-mlp-41-params/b",
          "layers, counted as the most tanh on a path through the recorded graph",
          bends.back(), "==", 3);

    //-

    // Two properties are worth a check. The first is the order of the parameters. The derivative of
    // $y = \tanh(w \cdot x + b)$ is $(1 - y^2)\, x_i$ with respect to $w_i$, and $1 - y^2$ with respect to $b$. So the
    // gradients of the list, divided by $1 - y^2$, must be the inputs and a 1 at the end. The second is the distribution of
    // 10,000 initial parameters: at every number, the share of parameters below it must be close to that of a uniform
    // distribution (the Kolmogorov-Smirnov test). In about one of 1,000 such draws the gap exceeds
    // $1.95/\sqrt{10{,}000} = 0.0195$ somewhere.
    //- both checks
    const Neuron one(3, random);
    const double x[4] = {2, 3, -1, 1};  // the inputs, and the factor of the bias
    const Value y = one({x[0], x[1], x[2]});
    y.backward();
    const Values its = one.parameters();
    double apart = its.size() == 4 ? 0 : 1;
    for (std::size_t i = 0; i < std::min<std::size_t>(its.size(), 4); ++i)
        apart =
            std::max(apart, std::abs(its[i].grad() / (1 - y.data() * y.data()) - x[i]));
    claim("sys-neuron-mlp-micrograd/b",
          "the gradients of a neuron's list, divided by 1 − y²: the largest gap to the "
          "inputs and 1",
          apart, "<=", 1e-12);
    std::vector<double> drawn_at;
    for (int n = 0; n < 100; ++n)
        for (const Value& p : Neuron(99, random).parameters())
            drawn_at.push_back(p.data());
    std::ranges::sort(drawn_at);
    double farthest = 0;  // between the shares below, at any number
    for (std::size_t i = 0; i < drawn_at.size(); ++i) {
        const double share = std::clamp((drawn_at[i] + 1) / 2, 0.0, 1.0);
        for (const std::size_t below : {i, i + 1})
            farthest = std::max(
                farthest, std::abs(double(below) / double(drawn_at.size()) - share));
    }
    claim("sys-neuron-mlp-micrograd/b",
          fmt::format("{} initial parameters: the largest gap to the shares of a "
                      "uniform distribution from -1 to 1",
                      drawn_at.size()),
          farthest, "<=", 1.95 / std::sqrt(double(drawn_at.size())));
    //-

    // {numref}`fig-neuron` shows a neuron with two inputs after its backward pass: five leaves, two products, two sums and
    // a tanh, 10 nodes.
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
    claim("sys-micrograd-value/c", "nodes of the drawing", nodes, "==", 10);
}
//-

// ## The training loop
//
// The example has four samples of three numbers each, with the targets $+1$ and $-1$. The loss is the sum of the squared errors.
// (`size` will shrink the targets in an experiment below.)
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

// The {term}`training loop` repeats the same four steps as with [tensors](batches.cpp): compute the loss (the forward pass), set all
// old gradients to zero, go backward, and move every parameter against its gradient. (`look` records what the figures show, and
// `clear` switches the second step off, for the same experiment.)
std::vector<double> train(const Network& network, double size, bool clear,
                          const auto& look) {
    Values parameters = network.parameters();
    std::vector<double> losses;
    for (int step = 0; step <= steps_made(); ++step) {
        const Value loss = loss_of(network, size);
        losses.push_back(loss.data());
        look(step);
        if (clear)
            for (const Value& p : parameters) p.zero_grad();
        loss.backward();
        for (Value& p : parameters) p.set(p.data() - rate() * p.grad());
    }
    return losses;
}

// We train nine networks with different initial weights, 200 steps each. {numref}`fig-outputs` shows all of them.
//- nine trainings, and what is checked
std::vector<Training> nine_trainings() {
    std::vector<Training> all;
    for (int start = 0; start < starts(); ++start) {
        Generator random(book::seed() + std::uint64_t(start));
        const Network network(3, {4, 4, 1}, random);
        Training one;
        one.targets.assign(targets, targets + 4);
        one.outputs.resize(4);
        const auto look = [&](int) {
            for (std::size_t n = 0; n < 4; ++n) {
                const auto& x = samples[n];
                one.outputs[n].push_back(network({x[0], x[1], x[2]})[0].data());
            }
        };
        one.losses = train(network, 1, true, look);
        all.push_back(one);
    }
    return all;
}
void check_ends(const std::vector<double>& ends) {
    claim("sys-neuron-mlp-micrograd/a",
          fmt::format("the loss after {} steps", steps_made()), over_seeds(ends), "<",
          0.01);
}
//-

// The worst of the nine, network 8, ends at a loss of 0.0087. Its outputs for the two samples with the target $+1$ begin
// below $-0.99$, where the tanh is flat and passes hardly any gradient on. So the loss of this network stays near 8 for
// seventy steps before it falls.
//
// ## The loop without zero_grad
//
// Gradients add up until they are cleared, as [the last page](micrograd.cpp) explained. What becomes of the training if you forget the
// line? In training the weights move between the passes, so `grad` mixes in gradients of points that the weights left long
// ago. We train a hundred networks twice from the same start, with and without the reset, first for the targets $\pm 1$ and then
// for the targets $\pm\frac12$.
//- two hundred pairs of trainings
void forget() {
    std::vector<double> at;
    for (int step = 0; step <= steps_made(); ++step) at.push_back(step);
    const auto curve = [&](double size, bool clear, int start = 0) {
        Generator random(book::seed() + std::uint64_t(start));
        return train(Network(3, {4, 4, 1}, random), size, clear, [](int) {});
    };
    std::vector<double> ones_with, ones, halves_with, halves;  // the last losses
    for (int start = 0; start < pairs(); ++start) {
        book::progress(start + 1, pairs(), "starts");
        ones_with.push_back(curve(1, true, start).back());
        ones.push_back(curve(1, false, start).back());
        halves_with.push_back(curve(0.5, true, start).back());
        halves.push_back(curve(0.5, false, start).back());
    }
    const double usual =  // in powers of ten, those below -12 counted as -12
        std::log10(std::max(book::median(ones), 1e-12) / book::median(ones_with));
    //-
    ask("You delete the line with zero_grad. Nothing crashes. What happens to the loss "
        "after all the steps, in the median of the hundred starts?",
        {{"It is about the same: the direction is right, only the steps are longer.",
          std::abs(usual) < 0.5,
          "At fixed weights this would be so. But the weights move, and steps that "
          "grow all the time change the loss by many powers of ten."},
         {"It stays large: steps along old gradients lead nowhere.", usual >= 0.5,
          "A plausible guess. But here most old gradients agree with the new one, so "
          "their sum still leads down."},
         {"It becomes far smaller than with the line.", usual <= -0.5,
          "The mistake pays! The figure below shows why, and where it does not."}});

    // Without the reset, each step follows the sum of all gradients so far. That is [momentum](optimisers.cpp) with $\beta = 1$, a
    // ball without friction, like the [pendulum](batches.cpp) of an earlier page. For the targets $\pm 1$ the loss has no minimum,
    // because the larger the sum in a tanh, the closer the tanh comes to 1. There a ball that never stops is mostly an advantage. With
    // the targets $\pm\frac12$ the loss has a minimum at finite weights, and the ball rolls through it again and again
    // ({numref}`fig-forget`).
    //- how the figure is drawn
    Figure forgetful("fig-forget");
    forgetful.height(250).describe(
        "Two panels of losses on logarithmic axes. First panel, targets plus and minus "
        "one: with zero_grad the loss falls slowly, without zero_grad it drops by many "
        "powers of ten. Second panel, targets of one half: with zero_grad the loss "
        "falls steadily, without zero_grad it swings up and down to the end.");
    const auto drawn = [&](double size, bool clear) {
        std::vector<double> losses = curve(size, clear);
        for (double& loss : losses) loss = std::max(loss, 1e-12);
        return losses;
    };
    for (const double size : {1.0, 0.5})
        forgetful.panel(size == 1 ? "targets ±1" : "targets ±½")
            .line("with zero_grad", at, drawn(size, true), {.points = false})
            .line("without", at, drawn(size, false), {.points = false})
            .ylim(1e-12, 100)
            .log_y()
            .x("step")
            .y("loss");
    forgetful.save(
        "The same training with and without zero_grad. Losses below $10^{-12}$ are "
        "drawn at $10^{-12}$. In this start the mistake wins where the loss has no "
        "minimum (first panel); where it has one (second panel), the weights never "
        "come to rest.");
    book::shows("claim-zero-grad/b", "fig-forget");
    //-
    const auto tell = [&](const char* title, const std::vector<double>& ends) {
        const auto above = [](double loss) { return !(loss <= 1); };
        const auto below = [](double loss) { return loss < 1e-12; };
        say("{} median {:.2g}, above 1: {:>2} of {}, below 1e-12: {:>2}", title,
            book::median(ends), std::ranges::count_if(ends, above), ends.size(),
            std::ranges::count_if(ends, below));
    };
    say("losses after {} steps", steps_made());
    tell("targets ±1, with zero_grad:", ones_with);
    tell("targets ±1, without:       ", ones);
    tell("targets ±½, with zero_grad:", halves_with);
    tell("targets ±½, without:       ", halves);
}

// Without the reset the median loss for the targets $\pm 1$ is exactly 0, because every tanh has rounded to 1 or $-1$; with the reset
// it is 0.0031. But the mistake does not always pay: 18 of the hundred networks end above 1, with a sample stuck on the wrong side,
// where the tanh is flat. With the reset no network is stuck. For the targets $\pm\frac12$ the median loss without the reset is 0.34,
// and with it $1.2\times10^{-6}$. A test that trains one network and only asks whether the loss falls would probably praise the
// mistake. So test the gradient itself.
//
// ## How large the graph gets
//
// Every parameter, input and constant is a node of the graph, and so is every result. Count them for this network. A neuron with
// three inputs computes 3 products, 3 sums and a tanh, 7 results. A neuron with four inputs computes 9. The network has four of the
// first kind and five of the second, $4 \cdot 7 + 5 \cdot 9 = 73$ results for each sample. With its 3 inputs and with the target, the
// error, its square and one more sum for the loss, each of the four samples needs 80 nodes. The parameters add 41, and the loss
// starts from one more number, zero: $4 \cdot 80 + 41 + 1 = 362$.
//- the same count for any network, and as recorded
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
           "Several hundred dots joined by a web of thin lines. At the left a column "
           "of leaves; further right columns of results that get sparser, with some "
           "leaves between them, down to a single dot, the loss.")
        .bare()
        .height(420)
        .dots("leaves", x[0], y[0], thin(figure::ochre, 2))
        .dots("results", x[1], y[1], thin(figure::blue, 2))
        .save(
            "Everything that a network of nine neurons computes for four samples: 362 "
            "nodes for one loss. Each leaf stands just before its first use, and the "
            "loss at the right.");
    book::shows("claim-graphs-grow-fast/b", "fig-graph");
    //-

    // {numref}`fig-graph` shows all 362 nodes, and this network is tiny. {numref}`fig-growth` makes its hidden layers wider.
    // Between two layers of $m$ neurons there are $m^2$ weights, so in wide layers twice the width means nearly four times as many
    // nodes.
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
            "gets steeper until twice the width means nearly four times as many "
            "nodes.");
    book::shows("claim-graphs-grow-fast/c", "fig-growth");
    //-

    // What does the graph cost? A result is a single operation of arithmetic. To record it the engine writes the number, its gradient,
    // two pointers, two derivatives and more, 72 bytes in all, and the backward pass reads most of them again. That costs
    // more than the operation itself. The remedy is to record larger operations. Here is the same loss with the library's tensors, and
    // the same 41 parameters in three matrices and three rows of biases:
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
    const std::vector<double> ends = four_samples();
    a_neuron();
    check_ends(ends);
    forget();
    how_large();
}

// ## Summary and what is missing
//
// A neuron is a weighted sum of its inputs, a bias and a tanh; a network is layers of neurons; and the training loop computes the loss,
// clears the gradients, goes backward, and moves every parameter against its gradient. The engine needs no rule for any of these. Without
// the reset, each step follows the sum of all gradients so far, and the loss may still fall. A node for every number makes the graph
// large: with wide layers, nearly four times as many nodes for twice the width.
//
// A node for every product is good for understanding and slow for computing. [The next page](backpropagation.cpp) makes
// the nodes larger: whole layers, which pass on whole rows of gradients.
//
// ```{exercises}
// - [Neurons, layers, a network](/exercises/micrograd/perceptron.md)
// - [Gradient descent by hand](/exercises/micrograd/fit.md)
// ```
//
// ```{try}
// - Take longer steps: `--rate 0.2`, then `--rate 0.5`. How many of the networks still end below 0.01?
// - Give them less time: `--steps 20`. Which of the claims breaks?
// - Train many networks: `--starts 50`. Compare the worst loss with the median.
// ```
