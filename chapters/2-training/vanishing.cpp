// # Vanishing and exploding gradients: what arrives
//
// ```{rows} claim-vanishing-gradient claim-exploding-gradient claim-backprop-leaky
// ```
//
// [Backpropagation](backpropagation.cpp) is exact at any depth, and [its memory](memory.cpp) can be reduced. Still, for decades
// networks of fifty layers could not be trained, because a gradient can be exact and useless. A **vanishing gradient** is so small
// that no weight moves. An **exploding gradient** is so large that a step destroys the weights. Both have one cause, a product of
// many matrices. This page measures it in a stack of layers, where a suitable **initialisation** helps, and in a recurrent network,
// which multiplies by the same matrix again and again.
//
// How much of a gradient arrives fifty layers further down? Choose another depth with the slider:
//
// ```{opening} fig-vanishing
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/linalg/products.hpp>
#include <recto/linalg/solve.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/reductions/reduce.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say;
using figure::Figure;

const book::Option<Index> depth("depth", 50, "number of layers in the stack",
                                {.least = 3, .most = 200});
const book::Option<Index> width("width", 64, "number of outputs of each layer",
                                {.quick = 32, .least = 2, .most = 1024});
const book::Option<int> seeds("seeds", 5, "number of repetitions of each experiment",
                              {.quick = 1, .least = 1, .most = 100});
//-

// ## A product of fifty Jacobians
//
// A layer $x^{(d)} = f_d(x^{(d-1)})$ has a Jacobian $J_d$, the matrix of all its derivatives. By the chain rule, the
// gradient of the loss with respect to the output of layer $d$ of $D$ layers is
//
// $$ \frac{\partial \Loss}{\partial x^{(d)}} = J_{d+1}^\top J_{d+2}^\top \cdots J_D^\top \,
//    \frac{\partial \Loss}{\partial x^{(D)}} . $$
//
// This is a product of $D - d$ matrices. If each matrix shortens a vector by a tenth, $0.9^{50}$, or half a percent, of
// the length remains after fifty layers. If each lengthens it by a tenth, the length grows by a factor of $1.1^{50} = 117$.
// Only an average factor of one preserves the length.
//
// Which factor does a network have? We build a stack of layers without biases and choose two things: the activation
// function, and the scale $s$ of the initial weights. A layer of $m$ numbers gets weights of standard deviation
// $s/\sqrt m$. With $s = 1$ a weighted sum of $m$ inputs is about as large as one of the inputs.
//
// The tape keeps gradients of leaves only. To read the gradient of a layer's output, we add a leaf of zeros to the output.
// The gradient of the leaf equals the gradient of the output.
//- the norm of a tensor
double norm_of(const Tensor& x) {
    double squares = 0;  // in double, where they do not underflow
    for (const Real v : x.values()) squares += double(v) * double(v);
    return std::sqrt(squares);
}
//-
std::vector<double> gradient_norms(Activation f, double scale, Generator& random) {
    const Real deviation = Real(scale / std::sqrt(double(width())));
    std::vector<Tensor> listeners;
    Tensor x = random.normal({32, width()});
    for (Index d = 0; d < depth(); ++d) {
        listeners.push_back(zeros(x.shape()).requires_grad_());
        x = linear(x, random.normal({width(), width()}, 0, deviation), {}, f) +
            listeners.back();
    }
    mean(x * random.normal(x.shape())).backward();  // a random loss
    std::vector<double> norms;
    for (const Tensor& e : listeners) norms.push_back(norm_of(e.grad()));
    return norms;
}

// For the sigmoid you can predict the result. With $s = 1$ the matrix keeps the length of the gradient on average, and the
// derivative of the sigmoid is at most $\frac14$, so every layer divides the gradient by four or a little more. The logarithm of
// the norm should fall along a straight line, by about $\log 4 = 1.39$ per layer.
//- a line is fitted to the logarithms, for several seeds
struct Line {
    double slope, share;  // the share of the variance that the line explains
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
          "sigmoid: the share of the log-norm's variance that a line over the layers "
          "explains",
          over_seeds(shares), ">", 0.95);
    claim("claim-vanishing-gradient/b",
          "sigmoid: the change of the log-norm per layer, from the last layer to the "
          "first",
          over_seeds(slopes), "<", -0.3);
    //-

    // The line fits, and each layer divides the gradient by $e^{1.445} = 4.2$. {numref}`fig-vanishing` adds two other
    // activation functions and two other scales.
    //- how the figure is drawn
    std::vector<double> layers;
    for (Index d = 1; d <= depth(); ++d) layers.push_back(double(d));
    Figure all("fig-vanishing");
    all.describe(
           "Three panels, for initial weights of scale one half, one and two. Each "
           "shows the norm of the gradient against the layer on a logarithmic axis, "
           "for sigmoid, tanh and ReLU. At one half all three fall steeply from the "
           "last layer to the first. At one the sigmoid falls steeply, the ReLU less, "
           "the tanh hardly. At two the sigmoid still falls; tanh and ReLU grow. A "
           "slider sets the number of layers.")
        .slider(depth, "layers")
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
        "The norm of the gradient of each layer's output. The loss is at the right, so "
        "read from right to left. The sigmoid's gradient vanishes at every scale "
        "shown. The tanh keeps its gradient at s = 1, the ReLU between s = 1 and s = "
        "2. A line that stops has reached zero in single precision.");
    book::shows("claim-vanishing-gradient/c", "fig-vanishing");
}
//-

// The gradient of a layer's weights is the gradient of its output times its input. With one learning rate for all layers,
// the last layers of the sigmoid stack would move while the first stand still: the **vanishing gradient**
// {cite:p}`bengio1994`. Lines that rise from right to left show the **exploding gradient**. Between them lies a narrow range
// of scales. For the tanh it is near $s = 1$. The ReLU sets about half of the numbers to zero, which halves the squared
// norm in each layer, and $s = \sqrt2$ makes up for it. Choosing such a scale is the purpose of an **initialisation**.
//
// ## The same matrix a hundred times
//
// In a stack every layer has weights of its own, so the factors average out. A recurrent network multiplies by *one* matrix in
// every step: $h_t = \tanh(W h_{t-1} + e_t)$ reads $e_t$ in step $t$. Its Jacobian is
// $J_t = \operatorname{diag}(1 - h_t^2)\, W$, and the backward pass over $k$ steps multiplies by $k$ such Jacobians. While the
// states are small, the slopes $1 - h_t^2$ are nearly one, and $J_t$ is nearly $W$.
//
// Two numbers describe what $W$ does to lengths. The largest **singular value** is the largest factor for *one* step. The
// **spectral radius** $\rho$, the largest absolute value of an eigenvalue, is the factor per step for *many* steps:
// $\|W^k\|^{1/k}$ tends to $\rho$. The two can differ much. For
// $W = \begin{pmatrix} 0 & 4 \cr \frac14 & 0 \end{pmatrix}$ the largest singular value is 4, but $W^2$ is the identity, so
// $\rho = 1$: what one step lengthens, the next step shortens.
//- the spectral radius, by squaring the matrix thirty times
using linalg::Matrix;

double log_length(const Matrix& a) {
    double squares = 0;
    for (const double v : a.values) squares += v * v;
    return std::log(squares) / 2;
}
double spectral_radius(Matrix w) {
    double log_scale = 0, power = 1;  // the factor before w, and its power
    for (int squared = 0; squared < 30; ++squared) {
        const double log_norm = log_length(w);
        for (double& v : w.values) v *= std::exp(-log_norm);
        log_scale = 2 * (log_scale + log_norm), power *= 2;
        w = linalg::matmul(w, w);
    }
    return std::exp((log_scale + log_length(w)) / power);
}

const Index unrolled = 100, state_size = 32;
//-

// We draw a matrix, scale it to a given spectral radius, start in a random state, and read random numbers in every
// step:
//- a matrix of the given spectral radius
struct WayBack {
    std::vector<double> norms, singular;
};
WayBack way_back(double radius, double read, Generator random) {
    Matrix drawn = linalg::matrix_of(random.normal({state_size, state_size}));
    const double before = spectral_radius(drawn);
    for (double& v : drawn.values) v *= radius / before;
    const Tensor w = linalg::tensor_of(drawn);
    std::vector<Tensor> e, states;
    //-
    Tensor h = random.normal({1, state_size}, 0, Real(read));
    for (Index t = 0; t < unrolled; ++t) {
        e.push_back(random.normal({1, state_size}, 0, Real(read)).requires_grad_());
        h = tanh(linear(h, w) + e.back());
        states.push_back(h.detach());
    }
    sum(h * random.normal(h.shape())).backward();

    // For each number of steps back we keep the norm of the gradient. Beside it we keep the largest singular value of the
    // product of as many Jacobians, computed from the states alone:
    //- the product starts as the identity
    WayBack way;
    Matrix product(state_size, state_size);
    for (Index i = 0; i < state_size; ++i) product(i, i) = 1;
    //-
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
    //- the growth per step, over the second half, for several seeds
    return way;
}
double growth_per_step(std::vector<double> values) {  // in the second half
    values.erase(values.begin(), values.begin() + unrolled / 2);
    return std::exp(fit_line(logs(values)).slope);
}

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
    //-

    // We compare three networks: one that reads small numbers, one that reads larger ones, and one with larger weights.
    // The first has a spectral radius of 1.2 and reads numbers of about 0.01. What do you expect?
    //- what is asked
    const double grows = book::median(growths(quiet));
    ask("A recurrent network has a matrix of spectral radius 1.2 and reads numbers of "
        "about 0.01. From 50 to 99 steps back, by which factor per step does the "
        "gradient grow?",
        {{"By the largest singular value of W, more than 2.", grows > 1.5,
          "This can happen in a single step. But W also rotates the vector, so the "
          "next step no longer meets the direction that W lengthens most."},
         {"By the spectral radius of W, 1.2.", std::abs(grows - 1.2) < 0.02,
          "This would be right if the states stayed at zero. But the states grow too, "
          "until tanh bends, and there its slope is below one."},
         {"By more than 1 and less than 1.2.", grows > 1 && grows < 1.18,
          "While the states are near zero, the factor is about 1.2. But the states "
          "grow, so the slopes 1 - h^2 fall below one, and each of them reduces the "
          "gradient."}});
    //-

    // Here is the measured growth per step for the three networks, over the steps 50 to 99 back:
    //- what is checked and printed
    std::vector<double> off, ratios;
    for (const WayBack& way : quiet)
        off.push_back(
            std::abs(growth_per_step(way.norms) / growth_per_step(way.singular) - 1));
    for (const WayBack& way : wild)
        ratios.push_back(way.norms.back() / way.norms.front());
    say("radius 1.2, small inputs: the gradient grows by a factor of {} per step",
        book::brief(over_seeds(growths(quiet))));
    say("radius 1.2, large inputs: by {}", book::brief(over_seeds(growths(loud))));
    say("radius 4, large inputs: by {}", book::brief(over_seeds(growths(wild))));
    claim(
        "claim-exploding-gradient/a",
        "radius 1.2, small inputs: the relative difference between the growth per step "
        "of the gradient and of the largest singular value",
        over_seeds(off), "<=", 0.05);
    claim("", "radius 1.2, small inputs: the growth of the gradient per step",
          over_seeds(growths(quiet)), ">", 1);
    claim("claim-backprop-leaky/c",
          "radius 4: the norm of the gradient 99 steps back, as a multiple of "
          "the norm in the last step",
          over_seeds(ratios), ">", 1e6);
    //-

    // The gradient grows as fast as the product of Jacobians, to within one percent. But the weights alone do not decide.
    // With inputs fifty times larger, the same matrix makes larger states. The slopes $1 - h_t^2$ become smaller, and the
    // gradient loses 17 % per step. {numref}`fig-recurrence` shows one draw of each network. In the first panel the gradient
    // grows only at the right end, more than seventy steps back, where the states were still small.
    //- how the figure is drawn
    Figure recurrent("fig-recurrence");
    recurrent
        .describe(
            "Three panels, each with the norm of the gradient against the number of "
            "steps back on a logarithmic axis, and parallel to it the largest singular "
            "value of the product of Jacobians. In the first both are nearly level and "
            "rise at the end, in the second both fall, in the third both rise steeply.")
        .columns(3);
    std::vector<double> back;
    for (Index k = 0; k < unrolled; ++k) back.push_back(double(k));
    for (const auto& [name, way] : {std::pair{"radius 1.2, small inputs", quiet[0]},
                                    std::pair{"radius 1.2, large inputs", loud[0]},
                                    std::pair{"radius 4, large inputs", wild[0]}})
        recurrent.panel(name)
            .line("gradient", back, way.norms, {.color = figure::red, .points = false})
            .line("Jacobians", back, way.singular,
                  {.color = figure::grey, .points = false})
            .log_y()
            .ylim(1e-12, 1e20)
            .x("steps back");
    recurrent.save(
        "The norm of the gradient in a recurrent network, and the largest singular "
        "value of the product of as many Jacobians. The two run in parallel. The first "
        "two networks have the same weights: larger inputs alone turn growth into "
        "decay.");
}
//-

// How far can an explosion go? Floating-point numbers end. Layers whose weights are ten times too large multiply the
// length by ten each, and single precision ends at $3.4\times10^{38}$, so the 38th or 39th layer should overflow. The forward
// pass alone shows this:
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
//- what is checked and printed
void overflow() {
    Generator random(book::seed() + 2);
    say("the largest number of single precision is {:.1e}",
        std::numeric_limits<float>::max());
    std::vector<double> layers;
    for (int run = 0; run < seeds(); ++run)
        layers.push_back(double(first_overflow(10, random)));
    claim("claim-exploding-gradient/b",
          "weights ten times too large: the first layer with an infinity or a NaN",
          over_seeds(layers), "<", 40);
}
//-

void page() {
    fifty_layers();
    recurrence();
    overflow();
}

// ## Summary
//
// The backward pass multiplies by one Jacobian per layer or step, so a gradient vanishes or explodes unless the average factor
// is close to one. In a stack of layers the initialisation sets this factor at the start, for each activation function
// differently. In a recurrent network the weights and the states set it together.
//
// ## What is missing
//
// An explosion need not last: one gradient that is too long, at one step, can destroy what was learned before. [The next
// page](clipping.cpp) limits the length of a step, and looks at units through which no gradient passes.
//
// ```{try}
// - A deeper stack: `--depth 200`. Which of the nine lines of the first figure still reach layer 1?
// - A narrow stack: `--width 8`. How much do the lines differ from layer to layer?
// - More seeds: `--seeds 20`. How far apart are the slopes of the sigmoid stack?
// ```
