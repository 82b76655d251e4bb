// # Shattered gradients: can you trust a step?
//
// ```{rows} fig-udl-11.3 claim-loss-less-smooth-with-depth fig-udl-11.13
// ```
//
// A gradient is the slope at one point, and a step of gradient descent uses it at another: wherever the step ends. That
// works if the slope is about the same there. In a deep plain network it need not be. {numref}`fig-udl-11.3` shows the
// derivative of a random network with one input, at 401 neighbouring points. Move the slider from one layer to 24
// layers, and on to 24 layers whose signals are centred. The curve of that setting is as erratic as noise, and a
// gradient of this kind is called **shattered**. This page measures how far a gradient can be trusted, first for an
// input, then for a step, and then for the whole surface of a loss.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/book/apart.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/curves.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/deep_mlp.hpp>
#include <recto/nn/init.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/optim/adam.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::over_seeds, book::say, book::Study;
using data::Batches, data::Examples, data::Part;
using figure::Figure;

const book::Option<int> draws("draws", 40, "networks with one input of each kind",
                              {.quick = 5, .least = 5, .most = 1000});
const book::Option<int> nets("networks", 21, "networks whose steps are followed",
                             {.quick = 5, .least = 5, .most = 1000});
const book::Option<int> many("many", 210, "networks for the comparison at 32 blocks",
                             {.quick = 5, .least = 5, .most = 10'000});

enum class Kind { shallow, deep, centred, residual };
const char* const kind_names[] = {"1 layer", "24 layers", "24 layers, centred",
                                  "24 layers, residual"};

// Defined further down:
Tensor last_sums(Kind kind, const Tensor& x, Generator& random);
std::vector<double> cosines_along(const nn::DeepMlp& net,
                                  const std::vector<double>& lengths);
//-

//- how the figure is drawn, and what is checked
std::vector<double> grid() { return data::even_grid(401, -2, 2); }

// The derivative on the grid, and the share of the units of the last layer that switch on it.
std::pair<std::vector<double>, double> derivative(Kind kind, Generator& random) {
    const std::vector<double> places = grid();
    const std::vector<Real> at(places.begin(), places.end());
    const Tensor x = Tensor({Index(at.size()), 1}, at).requires_grad_();
    const Tensor sums = last_sums(kind, x, random);
    sum(linear(relu(sums), nn::glorot_init({1, 200}, random))).backward();
    const std::vector<Real> g = x.grad().values();
    const std::vector<Real> low = min(sums, {0}).values(),
                            high = max(sums, {0}).values();
    double switching = 0;
    for (std::size_t k = 0; k < low.size(); ++k)
        switching += double(low[k] < 0 && high[k] > 0) / double(low.size());
    return {{g.begin(), g.end()}, switching};
}

// The autocorrelation at lags of 0 to 100 points.
std::vector<double> autocorrelation(const std::vector<double>& g) {
    double middle = 0;
    for (const double v : g) middle += v / double(g.size());
    std::vector<double> found;
    for (std::size_t lag = 0; lag <= 100; ++lag) {
        double products = 0;
        for (std::size_t i = 0; i + lag < g.size(); ++i)
            products += (g[i] - middle) * (g[i + lag] - middle);
        found.push_back(products);
    }
    const double squares = found[0];
    for (double& v : found) v = squares > 0 ? v / squares : 0;
    return found;
}

void shattered() {
    Figure figure("fig-udl-11.3");
    figure
        .describe(
            "Left, the derivative of a network by its input, from minus 2 to 2, with a "
            "slider for four kinds of network. One layer gives a smooth staircase, 24 "
            "layers a rougher one, 24 centred layers noise, and residual blocks "
            "something between. Right, the mean autocorrelation of each kind against "
            "the distance: the first two fall slowly, the residual one within 0.15, "
            "and "
            "the centred one at once.")
        .slider("kind", {1, 2, 3, 4},
                "1: one layer, 2: 24 layers, 3: centred, 4: residual", 1)
        .panel("derivative of one network");
    const figure::Color colors[] = {figure::grey, figure::ochre, figure::red,
                                    figure::blue};
    const figure::Dash dashes[] = {figure::dashed, figure::dotted, figure::solid,
                                   figure::long_dashed};
    const auto style = [&](int kind) {
        return figure::Style{
            .color = colors[kind], .dash = dashes[kind], .points = false};
    };
    std::vector<double> near[4], switching_units;
    std::vector<std::vector<double>> means;
    for (int kind = 0; kind < 4; ++kind) {
        std::vector<double> mean(101);
        double switches = 0;
        for (int draw = 0; draw < draws(); ++draw) {
            Generator random(book::seed() + std::uint64_t(draw));
            auto [g, switching] = derivative(Kind(kind), random);
            switches += switching / draws();
            const std::vector<double> of = autocorrelation(g);
            near[kind].push_back(of[5]);
            for (std::size_t lag = 0; lag <= 100; ++lag) mean[lag] += of[lag] / draws();
            if (draw != 0) continue;
            double squares = 0;
            for (const double v : g) squares += v * v / double(g.size());
            for (double& v : g) v /= std::sqrt(squares);
            figure.at(kind + 1).line(kind_names[kind], grid(), g, style(kind));
        }
        means.push_back(mean);
        switching_units.push_back(switches);
    }
    figure.always().x("input").y("derivative / its root mean square").ylim(-4, 4);
    figure.panel("autocorrelation, mean of all draws");
    for (int kind = 0; kind < 4; ++kind)
        figure.line(kind_names[kind], data::even_grid(101, 0, 1),
                    means[std::size_t(kind)], style(kind));
    figure.rule_x(0.05)
        .x("distance of two inputs")
        .y("autocorrelation")
        .ylim(-0.2, 1)
        .save(
            "The derivative of random networks of 200 units a layer with Glorot's "
            "weights, and how much of it is still the same at a distance, mean over 40 "
            "networks; the line at 0.05 marks the distance at which the checks are "
            "made. After {cite:t}`balduzzi2017` and {cite:t}`prince2023`.");
    book::shows("fig-udl-11.3/a", "fig-udl-11.3");
    for (int kind = 0; kind < 4; ++kind)
        say("{}: {:.0f} % of the units of the last layer switch between −2 and 2",
            kind_names[kind], 100 * switching_units[std::size_t(kind)]);
    claim("fig-udl-11.3/d", "one layer: autocorrelation of the derivative at 0.05",
          over_seeds(near[0]), ">=", 0.9);
    claim_in("fig-udl-11.3/b", "24 layers with Glorot's weights: the same",
             over_seeds(near[1]), 0.77, 0.97);
    claim_in("fig-udl-11.3/c", "24 layers, each centred over the inputs: the same",
             over_seeds(near[2]), -0.06, 0.14);
    claim_in("fig-udl-11.3/e",
             "24 layers, residual and with batch normalisation: the same",
             over_seeds(near[3]), 0.31, 0.51);
}
//-

// ## Why a derivative can shatter
//
// A ReLU network is made of straight pieces, and its derivative changes only at a corner. Take one unit,
// $\max(0, x - 1)$. Its derivative is 0 left of 1 and 1 right of it. A layer of 200 units has 200 corners, and each of
// them changes the derivative a little. Now add a second layer: each of its units has a corner wherever *its* input
// crosses zero, and its input has 200 corners already. With every layer there can be more corners, and a path through
// 24 layers is open only if all 24 units on the way are active.
//
// How strong this effect is depends on something that the usual picture leaves out:
//
// ```{erratum} The network that shatters
// :row: fig-udl-11.3
// :source: {cite:t}`prince2023`, Fig. 11.3, and {cite:t}`transformers-slides`, slides on residual connections
// :printed: $D = 24$ layers with Glorot's weights: the autocorrelation of the derivative falls to zero at once
// :correct: for $D = 24$ and Glorot's weights it is 0.89 at a distance of 0.05; it falls to zero with centred layers
//
// A single layer has 0.94 at this distance, so 24 layers alone change little. The experiment of
// {cite:t}`balduzzi2017`, after which the figure is drawn, **centres** each layer: it subtracts, for each unit, its mean
// over the inputs. With centring we measure −0.01.
// ```
//
// Why does centring matter? Without it, the units of a deep layer are always on or always off. A ReLU layer with
// Glorot's weights halves the mean square of its signal, and each layer adds new biases. After a few layers the biases
// outweigh what changes with $x$. In the last of 24 layers hardly any unit switches on our interval, and with centring
// nearly all of them do. A unit that never switches has no corner. Centring puts the zero into the middle of what
// changes, so that each unit switches within our interval, and with 24 layers of such units a small step changes
// everything. Batch normalisation centres as well.
//
// The four networks in code:
Tensor last_sums(Kind kind, const Tensor& x, Generator& random) {
    const auto glorot = [&](const Tensor& h) {
        const Index in = h.size(1);
        const auto spread = Real(std::sqrt(2.0 / double(in + 200)));
        const Tensor weights = nn::glorot_init({200, in}, random);
        return linear(h, weights, random.normal({200}, 0, spread));
    };
    const auto centred = [](const Tensor& z) { return z - mean(z, {0}).detach(); };
    Tensor z = glorot(x);
    for (int layer = 1; layer < 24 && kind != Kind::shallow; ++layer) {
        if (kind == Kind::centred) z = centred(z);
        if (kind == Kind::residual) {
            const Tensor m = centred(z);
            const Tensor size = sqrt(mean(square(m), {0}) + 1e-5).detach();
            z = z + glorot(relu(m / size));
        } else {
            z = glorot(relu(z));
        }
    }
    return kind == Kind::centred ? centred(z) : z;
}

// The means are taken over the 401 inputs, and `detach` makes constants of them, so that the derivative is that of the
// network for one input. The residual network is centred, too, and its derivative keeps 0.38. Its short paths go
// through few units, and the sum over all paths still contains them.
//
// ## Along a step
//
// An input with one number is easy to draw. In training the *weights* move. So take a network on images of clothes,
// compute the gradient of its loss over 500 images, make a step of a fixed length against it, and compute the gradient
// again. The cosine between the two says how much of the direction is left: 1 if it is the same, 0 if nothing remains.
// We compare plain and residual networks with the same layers and equally many weights.
//- the images, the gradient, and the question
Tensor standard(const Tensor& x) { return (x - 0.286) / 0.353; }  // of all pixels

const Examples& some() {
    static const Examples found = [] {
        Examples set =
            data::slice(data::flat(data::fashion_mnist(Part::train)), 0, 500);
        set.x = standard(set.x);
        return set;
    }();
    return found;
}

std::vector<Tensor> gradients(const nn::DeepMlp& net) {
    std::vector<Tensor> found;
    for (const NamedTensor& p : nn::parameters(net)) Tensor(p.tensor).zero_grad();
    cross_entropy(net(some().x), some().labels).backward();
    for (const NamedTensor& p : nn::parameters(net)) found.push_back(p.tensor.grad());
    return found;
}
double dot(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
    double found = 0;
    for (std::size_t k = 0; k < a.size(); ++k) found += double(sum(a[k] * b[k]).item());
    return found;
}
//-
std::vector<double> cosines_along(const nn::DeepMlp& net,
                                  const std::vector<double>& lengths) {
    const std::vector<Tensor> before = gradients(net);
    const double squares = dot(before, before);
    const NamedTensors weights = nn::parameters(net);
    std::vector<Tensor> start;
    for (const NamedTensor& w : weights) start.push_back(clone(w.tensor.detach()));
    std::vector<double> found;
    for (const double length : lengths) {
        const double scale = length / std::sqrt(squares);
        for (std::size_t k = 0; k < weights.size(); ++k)
            Tensor(weights[k].tensor).copy_(start[k] - before[k] * scale);
        const std::vector<Tensor> after = gradients(net);
        found.push_back(dot(before, after) / std::sqrt(squares * dot(after, after)));
    }
    return found;
}
//- how the figure is drawn, and what is checked
// The cosines of `count` networks of a depth: of the plain ones and of the residual ones, each by length and draw.
struct Cosines {
    std::vector<std::vector<double>> of[2];

    // The cosine of each plain network over that of the residual one.
    std::vector<double> ratios(std::size_t length) const {
        std::vector<double> found = of[0][length];
        for (std::size_t i = 0; i < found.size(); ++i) found[i] /= of[1][length][i];
        return found;
    }
};

Cosines cosines(Index depth, const std::vector<double>& lengths, int count) {
    some();  // read once, for all processes
    Cosines found;
    for (auto& of : found.of) of.assign(lengths.size(), std::vector<double>(count));
    book::each_apart(
        count, 2,
        [&](Index draw) {
            std::vector<double> row;
            for (const bool residual : {false, true}) {
                Generator random(book::seed() + std::uint64_t(draw));
                const nn::DeepMlp net({784, 64, depth, 10}, residual, random);
                for (const double v : cosines_along(net, lengths)) row.push_back(v);
            }
            return row;
        },
        [&](Index draw, const std::vector<double>& row) {
            for (std::size_t i = 0; i < row.size(); ++i)
                found.of[i / lengths.size()][i % lengths.size()][std::size_t(draw)] =
                    row[i];
        });
    return found;
}

void steps() {
    const std::vector<double> depths = {2, 8, 16, 32, 48}, lengths = {0.02, 0.05, 0.1};
    Figure figure("fig-step-cosine");
    figure
        .describe(
            "The cosine between the gradients before and after a step, against the "
            "number of blocks on a logarithmic axis, with bands that hold all draws "
            "and "
            "a slider for the length of the step. Both lines start near 1 and fall "
            "with "
            "depth. From 16 blocks on the plain line falls faster than the residual "
            "one.")
        .slider("length", lengths, "length of the step", 0.05);
    std::vector<Cosines> found;
    for (const double depth : depths)
        found.push_back(cosines(Index(depth), lengths, nets()));
    for (std::size_t length = 0; length < lengths.size(); ++length)
        for (const bool residual : {false, true}) {
            std::vector<double> low, middle, high;
            for (const Cosines& of : found) {
                const std::vector<double>& all = of.of[residual][length];
                middle.push_back(book::median(all));
                const auto [least, most] = std::ranges::minmax(all);
                low.push_back(least), high.push_back(most);
            }
            const char* name = residual ? "residual" : "plain";
            const figure::Color color = residual ? figure::blue : figure::red;
            figure.at(lengths[length])
                .band(name, depths, low, high, {.color = color})
                .line(name, depths, middle, {.color = color});
        }
    figure.always()
        .log_x()
        .x("blocks")
        .y("cosine of the two gradients")
        .ylim(-0.4, 1)
        .save(
            "How much of the direction of the gradient is left after a step of this "
            "length. Networks of 64 units at their initial weights, median and range "
            "over 21 draws.");
    book::shows("claim-loss-less-smooth-with-depth/a", "fig-step-cosine");
    const std::vector<double> ratio = cosines(32, {0.05}, many()).ratios(0);
    claim("claim-loss-less-smooth-with-depth/b",
          "32 blocks, a step of 0.05: the cosine of the plain network over that of the "
          "residual one",
          over_seeds(ratio), "<", 0.5);
    std::vector<double> of_sets;  // the medians of sets of 21
    for (std::size_t first = 0; first + 21 <= ratio.size(); first += 21)
        of_sets.push_back(book::median(
            {ratio.begin() + Index(first), ratio.begin() + Index(first) + 21}));
    if (!of_sets.empty())
        say("medians of {} sets of 21 networks: {:.2f} to {:.2f}", of_sets.size(),
            std::ranges::min(of_sets), std::ranges::max(of_sets));
    claim("", "48 blocks: the same ratio", over_seeds(found.back().ratios(1)), "<",
          0.5);
}
//-

// {numref}`fig-step-cosine` shows what is left. Up to 16 blocks the two networks differ little. At 32 and 48 blocks the
// plain network keeps less: in the median over 210 networks 0.48 of what the residual one keeps at 32 blocks, and less
// at 48. We expected less than a half, and at 32 blocks this is hardly less. The scatter is large. Single ratios at 32
// blocks lie on both sides of 1, and medians over only 21 networks lie between 0.35 and 0.91. So 21 networks, as in the
// figure, show a direction, and not a number.
//
// Notice the slider's stops. After a step of 0.02 only the plain network of 48 blocks has lost much, and after 0.1 all
// deep networks have. How far a gradient can be trusted depends on the length of the step as well as on the depth.
//
// ## The surface of a loss
//
// A loss is a function of all weights, 85,000 of them in this case. We can look at it along two directions, as in
// {cite:t}`li2018`: take the trained weights, add $a$ times one random direction and $b$ times another, and draw the
// loss over the plane of $a$ and $b$. A direction must fit the network. Weights that are large can be moved farther
// than small ones, and in a ReLU network one layer can be made larger and the next one smaller without any change of
// the function. Therefore the direction is **normalised** row by row: each row gets the length of the row of weights
// that it moves. A step of 1 then adds to each row a random row of the same length.
//
//- training, and the loss on the plane
const Index side = 25;  // points of the plane along each direction

// Four digits are enough for a figure.
double rounded(double v) { return std::stod(fmt::format("{:.3e}", v)); }
//-
std::vector<Tensor> direction(const NamedTensors& weights, Generator& random) {
    const auto length = [](const Tensor& w) {
        return sqrt(sum(square(w), {1}, Keep::yes));
    };
    std::vector<Tensor> found;
    for (const NamedTensor& w : weights) {
        const Tensor d = random.normal(w.tensor.shape());
        const bool bias = w.tensor.dim() == 1;
        found.push_back(bias ? d * 0 : d * (length(w.tensor.detach()) / length(d)));
    }
    return found;
}
//- the study
Examples lessons() {
    return data::slice(data::flat(data::fashion_mnist(Part::train)), 0, 2000);
}
nn::DeepMlp deep(const Study::Row& setting, Generator& random) {
    return nn::DeepMlp({784, 32, 56, 10}, setting[0] == 1, random);
}
void train(const nn::DeepMlp& net, optim::Adam& adam, const Examples& set, Index epochs,
           Generator& random) {
    for (Index epoch = 0; epoch < epochs; ++epoch)
        for (const Examples& batch : Batches(set, 100, random)) {
            adam.zero_grad();
            cross_entropy(net(standard(batch.x)), batch.labels).backward();
            adam.step();
        }
}
// The loss of all training images on the plane through the weights, row by row.
using Surface = std::vector<double>;
Surface around(const nn::DeepMlp& net, const Examples& set, Generator& random) {
    const NoGrad only_looking;
    const Tensor x = standard(set.x);
    const NamedTensors weights = nn::parameters(net);
    const std::vector<Tensor> one = direction(weights, random),
                              other = direction(weights, random);
    std::vector<Tensor> centre;
    for (const NamedTensor& w : weights) centre.push_back(clone(w.tensor.detach()));
    Surface loss;
    for (const double b : data::even_grid(int(side), 1, -1))
        for (const double a : data::even_grid(int(side), -1, 1)) {
            for (std::size_t k = 0; k < weights.size(); ++k)
                Tensor(weights[k].tensor).copy_(centre[k] + one[k] * a + other[k] * b);
            loss.push_back(rounded(double(cross_entropy(net(x), set.labels).item())));
        }
    for (std::size_t k = 0; k < weights.size(); ++k)
        Tensor(weights[k].tensor).copy_(centre[k]);
    return loss;
}
double accuracy_on(const nn::DeepMlp& net, const Examples& set) {
    const NoGrad only_looking;
    return nn::accuracy(net(standard(set.x)), set.labels);
}
Study::Row surface(const Study::Row& setting) {
    Generator random(std::uint64_t(setting[2]) + 1000 * book::seed());
    const Examples set = lessons();
    const nn::DeepMlp net = deep(setting, random);
    optim::Adam adam(nn::parameters(net), {.lr = setting[1]});
    train(net, adam, set, 30, random);
    Study::Row found = {accuracy_on(net, set)};
    for (const double loss : around(net, set, random)) found.push_back(loss);
    return found;
}
const std::vector<double> rates = {1e-4, 3e-4, 1e-3, 3e-3, 1e-2};
std::vector<Study::Row> cells() {
    std::vector<Study::Row> all;
    for (const double residual : {0, 1})
        for (const double rate : rates)
            for (double seed = 1; seed <= 3; ++seed)
                all.push_back({residual, rate, seed});
    return all;
}
std::vector<std::string> results() {
    std::vector<std::string> names = {"accuracy"};
    for (Index i = 1; i <= side * side; ++i) names.push_back(fmt::format("loss {}", i));
    return names;
}
const Study study({"surface",
                   {"residual", "rate", "seed"},
                   results(),
                   {"fig-udl-11.13/b", "fig-udl-11.13/c"},
                   0.1},
                  cells(), surface);

// Calls a function with the loss at an inner point and its eight neighbours, for all inner points.
template <class F>
void for_inner(const Surface& loss, const F& f) {
    for (Index i = 1; i + 1 < side; ++i)
        for (Index j = 1; j + 1 < side; ++j) {
            const auto at = [&](Index down, Index right) {
                return loss[std::size_t((i + down) * side + j + right)];
            };
            const Index centre = side / 2;
            f(at, std::max(std::abs(i - centre), std::abs(j - centre)) <= 2);
        }
}
// The share of inner points, of all or of those near the centre, at which the surface bends upwards in every direction.
double bowl(const Surface& loss, bool near = false) {
    double yes = 0, all = 0;
    for_inner(loss, [&](const auto& at, bool is_near) {
        if (near && !is_near) return;
        const double aa = at(0, 1) - 2 * at(0, 0) + at(0, -1),
                     bb = at(1, 0) - 2 * at(0, 0) + at(-1, 0),
                     ab = (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / 4;
        yes += aa >= 0 && bb >= 0 && aa * bb >= ab * ab, all += 1;
    });
    return yes / all;
}
// The mean square of the difference between a point and the mean of its four neighbours, over the variance.
double roughness(const Surface& loss) {
    double squares = 0, all = 0, middle = 0, spread = 0;
    for_inner(loss, [&](const auto& at, bool) {
        const double off = at(0, 0) - (at(0, 1) + at(0, -1) + at(1, 0) + at(-1, 0)) / 4;
        squares += off * off, all += 1;
    });
    for (const double v : loss) middle += v / double(loss.size());
    for (const double v : loss)
        spread += (v - middle) * (v - middle) / double(loss.size());
    return squares / all / spread;
}

// Does the plain network only need more time? The best rate of each kind, four times as long:
Study::Row longer(const Study::Row& setting) {
    Generator random(std::uint64_t(setting[2]) + 1000 * book::seed());
    const Examples set = lessons();
    const nn::DeepMlp net = deep(setting, random);
    optim::Adam adam(nn::parameters(net), {.lr = setting[1]});
    Study::Row found;
    for (const Index more : {30, 30, 60}) {
        train(net, adam, set, more, random);
        found.push_back(accuracy_on(net, set));
    }
    const Surface loss = around(net, set, random);
    found.push_back(bowl(loss)), found.push_back(roughness(loss));
    return found;
}
const Study longer_study({"surface_longer",
                          {"residual", "rate", "seed"},
                          {"accuracy 30", "accuracy 60", "accuracy 120",
                           "bends upwards", "roughness"},
                          {"fig-udl-11.13/b", "fig-udl-11.13/c"},
                          0.2},
                         {{0, 3e-4, 1},
                          {0, 3e-4, 2},
                          {0, 3e-4, 3},
                          {1, 3e-3, 1},
                          {1, 3e-3, 2},
                          {1, 3e-3, 3}},
                         longer);

// The surfaces of the three trainings at the rate with the best training accuracy.
std::vector<Surface> best_of(bool residual) {
    std::vector<Surface> best;
    double most = 0;
    for (const double rate : rates) {
        std::vector<Surface> found;
        double accuracy = 0;
        for (const Study::Row& row : study.frozen().rows)
            if (row[0] == double(residual) && row[1] == rate) {
                found.emplace_back(row.begin() + 4, row.begin() + 4 + side * side);
                accuracy += row[3];
            }
        if (accuracy > most) most = accuracy, best = found;
    }
    say("{}: mean training accuracy {:.1f} %", residual ? "residual" : "plain",
        100 * most / 3);
    return best;
}

Surface logarithm(Surface loss) {
    for (double& v : loss) v = std::log10(v);
    return loss;
}

void surfaces() {
    const std::vector<Surface> plain = best_of(false), residual = best_of(true);
    std::vector<double> walls;  // the loss at a = 1, b = 0
    for (const Surface& loss : plain)
        walls.push_back(loss[std::size_t(side * (side / 2) + side - 1)]);
    const double wall = book::median(walls);
    //-

    //- the question
    ask("The plain network of 56 blocks is trained, and its loss is below 1. We go one "
        "unit along one direction, which adds to each row of weights a random row of "
        "the "
        "same length. How large is the loss there?",
        {{"About 2.3, as for guessing.", wall < 10,
          "Guessing is what a network does that says nothing. This one says something "
          "wrong, and says it loudly."},
         {"Some thousands.", wall >= 10 && wall < 1e6,
          "That would be enough for a few layers. Here 56 layers multiply."},
         {"More than a million.", wall >= 1e6,
          "Each row becomes about 1.4 times as long, and so does the signal, in each "
          "of 56 blocks and in the layers before and after them. The scores grow by "
          "1.4 to the power of 58, and the loss with "
          "them."}});
    //-

    //- how the figure is drawn, and what is checked
    say("seed 1: loss at a = 1, b = 0: {:.1e} without skip connections, {:.1f} with "
        "them",
        walls[0], residual[0][std::size_t(side * (side / 2) + side - 1)]);
    figure::Names across, down;
    for (const double a : data::even_grid(int(side), -1, 1))
        across.push_back(fmt::format("{:.2f}", a));
    for (const double b : data::even_grid(int(side), 1, -1))
        down.push_back(fmt::format("{:.2f}", b));
    Figure figure("fig-udl-11.13");
    figure
        .describe(
            "A slider switches skip connections off and on. Left, the logarithm of the "
            "loss over a plane as a coloured map: a narrow dark spot in the middle of "
            "steep bright walls without skip connections, a wide dark basin with them. "
            "Right, a cut through the middle, three lines each: walls that rise to ten "
            "to the nine within one unit, and a flat basin.")
        .slider("skips", {0, 1}, "skip connections: 0 without, 1 with", 0)
        .panel("log10 of the loss");
    figure.at(0).heatmap("log10 of the loss", across, down, logarithm(plain[0]), -2, 8);
    figure.at(1).heatmap("log10 of the loss", across, down, logarithm(residual[0]), -2,
                         8);
    figure.always().bare();
    figure.panel("cut at b = 0");
    for (const bool with : {false, true}) {
        std::vector<std::vector<double>> cuts;
        for (const Surface& loss : with ? residual : plain)
            cuts.emplace_back(loss.begin() + side * (side / 2),
                              loss.begin() + side * (side / 2 + 1));
        figure.lines(with ? "with skip connections" : "without",
                     data::even_grid(int(side), -1, 1), cuts,
                     {.color = with ? figure::blue : figure::red});
    }
    figure.log_y().x("a").y("loss").save(
        "The loss of trained networks of 56 blocks with 32 units on 2,000 images of "
        "clothes, along two random directions. The map shows the network without or "
        "with skip connections, as the slider says; $a$ runs to the right and $b$ "
        "upwards, each from −1 to 1. The cuts show three seeds of each. Each network "
        "has the best of five learning rates. After {cite:t}`li2018`.");
    book::shows("fig-udl-11.13/a", "fig-udl-11.13");
    std::vector<double> share, ratio, logs;
    for (std::size_t i = 0; i < plain.size(); ++i) {
        share.push_back(bowl(residual[i]) - bowl(plain[i]));
        ratio.push_back(roughness(residual[i]) / roughness(plain[i]));
        logs.push_back(roughness(logarithm(residual[i])) /
                       roughness(logarithm(plain[i])));
        for (const bool near : {false, true})
            say("seed {}, {}: the loss bends upwards at {:.0f} % of them without and "
                "{:.0f} % with skip connections, its logarithm at {:.0f} % and {:.0f} "
                "%",
                i + 1, near ? "points near the centre" : "all points",
                100 * bowl(plain[i], near), 100 * bowl(residual[i], near),
                100 * bowl(logarithm(plain[i]), near),
                100 * bowl(logarithm(residual[i]), near));
    }
    claim("fig-udl-11.13/b",
          "share of points at which the surface bends upwards, with skip connections "
          "minus without",
          over_seeds(share), ">", 0);
    claim("fig-udl-11.13/c",
          "high-frequency energy relative to the variance, with skip connections over "
          "without",
          over_seeds(ratio), "<", 1);
    say("the same for the logarithm of the loss: {}", book::brief(over_seeds(logs)));

    const std::vector<Study::Row> later = longer_study.frozen().rows;
    std::vector<double> right, right_with, more, less;
    for (std::size_t i = 0; i < 3;
         ++i) {  // plain, and the residual network of the same seed
        const Study::Row &without = later[i], &with = later[i + 3];
        right.push_back(without[5]), right_with.push_back(with[5]);
        more.push_back(with[6] - without[6]), less.push_back(with[7] / without[7]);
    }
    say("four times as long: training accuracy {} plain, {} residual",
        book::brief(over_seeds(right)), book::brief(over_seeds(right_with)));
    claim("fig-udl-11.13/b", "the same difference after four times as many epochs",
          over_seeds(more), ">", 0);
    claim("fig-udl-11.13/c", "the same ratio after four times as many epochs",
          over_seeds(less), "<", 1);
}
//-

// The slider of {numref}`fig-udl-11.13` switches between both networks. The plain one names 77 % of its training
// images, the residual one 98 %. Around the plain one the loss rises by eight to ten powers of ten within one unit,
// because each of 56 blocks multiplies the signal by about 1.4, and $1.4^{56}$ is about $10^8$. Around the residual one
// lies a bowl. We check two numbers. At each point of the plane, does the surface bend upwards in every direction, as
// around a minimum? Without skip connections it does at 17 to 23 % of the points, with them at 99 to 100 %. And how
// rough is it? The mean square of the difference between a point and its neighbours, relative to the variance of the
// whole surface, is 0.04 times as large with skip connections. A logarithmic scale changes the second comparison to
// 0.5, and it turns the first one round: 38 to 42 % of the points without against 5 to 15 % with skip connections,
// because the logarithm of a wide bowl bends downwards far from the centre.
//
// After 30 epochs the plain network still improves. Four times as many epochs, at the rate that was best after 30, take it
// to 91 to 94 % and the residual one to all of its images. The surfaces differ as much as before: the plain one bends
// upwards at 19 to 26 % of the points, the residual one at all of them, and the roughness of the residual one is 0.03 to
// 0.09 times that of the plain one.
//
// ## Limits and history
//
// Two random directions are few among 85,000, and a plane through a minimum hides what happens beside it. So these
// surfaces show that the loss around a residual network *can* be much smoother. They do not explain alone why it trains
// better. The two networks also differ in their loss at the centre, 0.6 against 0.1, and in their initial weights:
// those of the residual network are divided by the root of the depth, so each block matters less. How much of the wide
// bowl comes from this we have not measured. {cite:t}`li2018` drew such surfaces for convolutional networks of 56 layers
// on photographs; ours are smaller and fully connected.
//
// {cite:t}`balduzzi2017` introduced shattered gradients, and found a second cure: plain networks whose initial weights
// make every layer linear at first can also be trained at a depth of 200 layers. Skip connections are not the only way.
//
// ## Summary
//
// A gradient is useful as far as it stays the same. In deep plain networks it changes quickly, along an input if the
// layers are centred, and along a step of the weights. Skip connections keep it longer in networks of more than 16
// blocks, and widen the basin in which the trained weights lie.
//
// ## What is missing
//
// All layers so far combine places in a fixed pattern, all of them or the nearest. [The next page](attention.cpp)
// builds a layer that chooses by content which places to read.
//
// ```{try}
// - More draws: `--draws 400`. Do the four autocorrelations of {numref}`fig-udl-11.3` come closer?
// ```
void page() {
    shattered();
    steps();
    surfaces();
}
