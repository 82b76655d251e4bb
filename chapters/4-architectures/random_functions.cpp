// # Random functions: what an untrained network tends to be
//
// ```{rows} claim-architecture-probabilistic-prior claim-stacked-3x3-spectrum
// ```
//
// Give a network random weights and plot what it computes. Every draw is a function. Draw again: another function, but
// one of the same kind. So an architecture with a law for its weights is a **probability distribution over functions**,
// a **prior**, before it has seen any data. {numref}`fig-random-functions` draws from three such priors. The networks
// differ only in their activation function. Change the width and the draw. Which curves look alike, and why?
//
// ```{opening} fig-random-functions
// ```
//- includes, names and options
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/curves.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/images.hpp>
#include <recto/nn/init.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/conv.hpp>
#include <recto/ops/images/upsample.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/shapes/views.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::Measured, book::say;
using figure::Figure;

const book::Option<Index> width("width", 128, "units of a hidden layer",
                                {.least = 1, .most = 512});
const book::Option<Index> other("other", 1, "another draw of the functions",
                                {.least = 1, .most = 50});
const book::Option<int> draws("draws", 200, "draws of random functions",
                              {.quick = 10, .least = 10, .most = 10'000});
const book::Option<double> frequency("frequency", 30,
                                     "largest first weight of the sine network",
                                     {.least = 0.1, .most = 300});
const book::Option<int> kernels("kernels", 500, "random kernels of each kind",
                                {.quick = 20, .least = 10, .most = 10'000});
//-

// ## A law over functions
//
// The networks have one input, two hidden layers and one output. Their weights follow the rules that are usual for
// their activation functions. Before a ReLU and a tanh, weights have variance $2/m$ and $1/m$ for $m$ inputs: the rules
// of [He and LeCun](../components/initialisation.cpp). A network of sines has a rule of its own {cite:p}`sitzmann2020`:
// its first weights are uniform between $-30$ and 30, so that its waves are short, and later ones have variance $2/m$
// (uniform there, normal here). The biases of hidden layers are normal with variance 1.
using Bend = std::function<Tensor(const Tensor&)>;  // an activation function

struct Prior {
    std::string name;
    Bend bend;
    Bend first;   // first weights, given a tensor of their shape that is uniform on ±1
    double gain;  // variance of the later weights, times their number of inputs
};

Tensor draw(const Prior& prior, Tensor x, const std::vector<Index>& sizes,
            Generator& random) {
    for (std::size_t d = 1; d < sizes.size(); ++d) {
        const Shape shape = {sizes[d - 1], sizes[d]};
        const Real size = Real(std::sqrt(prior.gain / double(sizes[d - 1])));
        const Tensor w = d == 1 ? prior.first(random.uniform(shape, -1, 1))
                                : random.normal(shape, 0, size);
        const Tensor bias = random.normal({sizes[d]}, 0, d + 1 < sizes.size() ? 1 : 0);
        x = matmul(x, w) + bias;
        if (d + 1 < sizes.size()) x = prior.bend(x);
    }
    return x;
}
//- the three priors, and how the figure is drawn
Tensor sine(const Tensor& x) {
    std::vector<Real> values = x.values();
    for (Real& v : values) v = std::sin(v);
    return Tensor(x.shape(), values);
}

Bend times(double factor) {
    return [factor](const Tensor& w) { return w * factor; };
}

std::vector<Prior> three() {
    // uniform on ±√6 and ±√3: variances 2 and 1
    return {{"ReLU", [](const Tensor& x) { return relu(x); }, times(std::sqrt(6.0)), 2},
            {"tanh", [](const Tensor& x) { return tanh(x); }, times(std::sqrt(3.0)), 1},
            {"sine", sine, times(frequency()), 2}};
}

const Index points = 128;
std::vector<double> grid(double low = -1, double high = 1) {
    std::vector<double> x;
    for (Index i = 0; i < points; ++i)
        x.push_back(low + (high - low) * (double(i) + 0.5) / double(points));
    return x;
}
Tensor inputs() {
    const std::vector<double> x = grid();
    return Tensor({points, 1}, std::vector<Real>(x.begin(), x.end()));
}

std::vector<double> standard(const std::vector<Real>& y) {  // mean 0, variance 1
    double mean = 0, square = 0;
    for (const Real v : y) mean += double(v) / double(y.size());
    for (const Real v : y) square += std::pow(double(v) - mean, 2) / double(y.size());
    std::vector<double> found;
    for (const Real v : y)
        found.push_back((double(v) - mean) / std::sqrt(square + 1e-12));
    return found;
}

void gallery() {
    Figure figure("fig-random-functions");
    figure
        .describe(
            "Three panels with four random functions each. Those of the ReLU network "
            "rise and fall once or twice, with small corners, those of the tanh "
            "network "
            "are smooth arcs, those of the sine network go up and down many times. "
            "Sliders set the width of the networks and the draw.")
        .slider(width, "units of a hidden layer")
        .slider(other, "draw")
        .columns(3);
    const figure::Color colors[] = {figure::blue, figure::ochre, figure::green};
    std::size_t color = 0;
    for (const Prior& prior : three()) {
        figure.panel(prior.name);
        std::vector<std::vector<double>> all;
        for (std::uint64_t k = 0; k < 4; ++k) {
            Generator random(book::seed() + 1000 * std::uint64_t(other()) + k);
            all.push_back(standard(
                draw(prior, inputs(), {1, width(), width(), 1}, random).values()));
        }
        figure.lines(prior.name, grid(), all, {.color = colors[color++]})
            .ylim(-4, 4)
            .x("input")
            .y("output, standardised");
    }
    figure.save(
        "Random functions of three architectures, four of each, shifted and scaled to "
        "mean 0 and variance 1. The weights are random, but the kind of function is "
        "not.");
}
//-

// Lower the width. With a few units you see every single kink of a ReLU. With many units each kink is small, and a
// still wider network draws curves of the same kind. What changes the kind is the activation function: it decides how
// fast the functions vary.
//
// ## Spectra
//
// A function is a sum of waves. The **spectrum** says how much of each frequency it contains. Take a wave of frequency
// 2 with amplitude 1 and one of frequency 4 with amplitude 1/4. Their powers are 1 and 1/16. When the frequency
// doubles, the power is divided by $2^4$: the spectrum falls like a power law with the exponent $-4$, which is a
// straight line with this slope if both axes are logarithmic. We compute the power of 128 samples by the definition. A
// window, which fades the samples in and out, keeps the two ends from making waves of their own:
std::vector<double> powers(const std::vector<double>& y) {
    const double turn = 2 * std::numbers::pi / double(y.size());
    std::vector<double> found;
    for (std::size_t k = 1; k < y.size() / 2; ++k) {
        std::complex<double> sum = 0;
        for (std::size_t i = 0; i < y.size(); ++i) {
            const double window = 0.5 - 0.5 * std::cos(turn * (double(i) + 0.5));
            sum += window * y[i] * std::polar(1.0, -turn * double(k * i % y.size()));
        }
        found.push_back(std::norm(sum));
    }
    return found;
}
//- exponents, with their intervals
const std::size_t lowest = 3, highest = 31;  // the frequencies of the line

double exponent(const std::vector<double>& power) {  // of the power law that fits best
    double n = 0, a = 0, b = 0, aa = 0, ab = 0;
    for (std::size_t k = lowest; k <= highest; ++k) {
        const double at = std::log(double(k)), to = std::log(power[k - 1] + 1e-12);
        n += 1, a += at, b += to, aa += at * at, ab += at * to;
    }
    return (n * ab - a * b) / (n * aa - a * a);
}

struct Interval {
    double mean, low, high;  // 95 % interval of the mean
};
Interval interval(const std::vector<double>& all) {
    double mean = 0, square = 0;
    for (const double v : all) mean += v / double(all.size());
    for (const double v : all)
        square += (v - mean) * (v - mean) / double(all.size() - 1);
    const double half = 1.96 * std::sqrt(square / double(all.size()));
    return {mean, mean - half, mean + half};
}
//-

// An architecture for images is a prior over images. An MLP that maps the two coordinates of a pixel to its brightness
// draws such images, and so does a **convolutional decoder**: noise of $7 \times 7$ places and 16 channels passes three
// random convolutions, and is doubled in size between them:
Tensor decoder(Generator& random) {
    Tensor x = random.normal({1, 16, 7, 7});
    for (int layer = 0; layer < 2; ++layer) {
        const Tensor filters = nn::he_init({16, 16, 3, 3}, random);
        x = upsample_bilinear(relu(conv2d(x, filters, {}, {.padding = 1})), 2);
    }
    return conv2d(x, nn::he_init({1, 16, 3, 3}, random), {}, {.padding = 1});
}
//- the images of the priors
Tensor places() {  // of 28 x 28 pixels, on ±1
    std::vector<Real> at;
    for (int i = 0; i < 28; ++i)
        for (int j = 0; j < 28; ++j) {
            at.push_back(Real((j - 13.5) / 14));
            at.push_back(Real((i - 13.5) / 14));
        }
    return Tensor({784, 2}, at);
}

using Source = std::function<std::vector<double>(Generator&)>;  // of an image
std::vector<std::pair<std::string, Source>> image_priors() {
    std::vector<std::pair<std::string, Source>> all;
    for (const Prior& prior : three())
        all.emplace_back(prior.name, [prior](Generator& random) {
            return standard(draw(prior, places(), {2, 128, 128, 1}, random).values());
        });
    all.emplace_back("decoder", [](Generator& random) {
        return standard(decoder(random).values());
    });
    return all;
}

void image_gallery() {
    figure::Images sheet("fig-random-images", 6);
    sheet.describe(
        "Four rows of six grey images of random architectures. ReLU: broad wedges of "
        "light. tanh: "
        "smooth gradients. Sine: a fine irregular pattern. Decoder: blotches and "
        "textures a few pixels wide.");
    for (const auto& [name, source] : image_priors())
        for (std::uint64_t k = 0; k < 6; ++k) {
            Generator random(book::seed() + 100 + k);
            std::vector<double> pixels = source(random);
            for (double& v : pixels) v = std::clamp(0.5 + v / 5, 0.0, 1.0);
            sheet.add(k == 0 ? name : "", 28, 28, pixels);
        }
    sheet.save(
        "Images that untrained networks draw, six of each architecture. Each has a "
        "texture "
        "of its own, and no training image was used.");
}

// The mean power along the rows of the images of each prior, in the next panel.
void spectra_of_images(Figure& figure) {
    std::vector<double> frequencies;
    for (int k = 1; k < 14; ++k) frequencies.push_back(k);
    const figure::Color colors[] = {figure::blue, figure::ochre, figure::green,
                                    figure::plum};
    std::size_t color = 0;
    figure.panel("images, along the rows");
    for (const auto& [name, source] : image_priors()) {
        std::vector<double> mean(frequencies.size());
        const int count = std::min(draws(), 50);
        for (int n = 0; n < count; ++n) {
            Generator random(book::seed() + 500 + std::uint64_t(n));
            const std::vector<double> image = source(random);
            for (std::ptrdiff_t row = 0; row < 28; ++row) {
                const std::vector<double> power =
                    powers({image.begin() + 28 * row, image.begin() + 28 * (row + 1)});
                for (std::size_t k = 0; k < power.size(); ++k)
                    mean[k] += power[k] / double(28 * count);
            }
        }
        figure.line(name, frequencies, mean,
                    {.color = colors[color++], .dash = figure::solid, .points = false});
    }
    figure.log_axes().x("waves in a row").y("power (mean)");
}
//-

// Place your bet:
//- the question, and how the figure is drawn
void spectra() {
    std::vector<double> frequencies;
    for (std::size_t k = 1; k < std::size_t(points) / 2; ++k)
        frequencies.push_back(double(k));
    Figure figure("fig-spectra");
    figure.panel("functions")
        .describe(
            "The mean power against the frequency, both logarithmic, three lines. The "
            "line of "
            "the ReLU network falls along a straight line. That of the sine network "
            "stays "
            "level up to a frequency near ten and then falls. That of the tanh network "
            "falls "
            "most.");
    const figure::Color colors[] = {figure::blue, figure::ochre, figure::green};
    std::vector<Interval> found;
    std::vector<Prior> priors = three();
    priors.push_back({"sine, first weights up to 6", sine, times(6), 2});
    for (const Prior& prior : priors) {
        std::vector<double> exponents, mean(frequencies.size());
        for (int n = 0; n < draws(); ++n) {
            Generator random(book::seed() + 7919 * std::uint64_t(n));
            const std::vector<double> power = powers(
                standard(draw(prior, inputs(), {1, 128, 128, 1}, random).values()));
            exponents.push_back(exponent(power));
            for (std::size_t k = 0; k < power.size(); ++k)
                mean[k] += std::log(power[k] + 1e-12) / double(draws());
        }
        for (double& v : mean) v = std::exp(v);
        found.push_back(interval(exponents));
        if (found.size() <= std::size(colors))
            figure.line(prior.name, frequencies, mean,
                        {.color = colors[found.size() - 1],
                         .dash = figure::solid,
                         .points = false});
        say("{}: exponent {:.2f}, 95 % interval of the mean {:.2f} to {:.2f}",
            prior.name, found.back().mean, found.back().low, found.back().high);
    }
    const Interval &relus = found[0], &slow = found[3];
    ask("The first weights of the sine network were at most 30 in size. Now they are "
        "at most 6, and all else stays. Whose spectrum falls more "
        "steeply, that of the ReLU network or that of the slower sine network?",
        {{"That of the ReLU network: its functions still vary more slowly.",
          relus.high < slow.low,
          "A kink makes power at every frequency. It falls with the fourth power, and "
          "not faster."},
         {"That of the sine network.", slow.high < relus.low,
          "Without long first weights nothing makes short waves: a sine has no kinks. "
          "The order of the two networks is reversed."},
         {"Both alike: the exponent belongs to the number of layers.",
          slow.high >= relus.low && relus.high >= slow.low,
          "Both have two hidden layers. What a network does to a wave depends on its "
          "activation function and on the size of its weights."}});
    figure.log_axes()
        .ylim(1e-6, 1e4)
        .x("waves in the interval")
        .y("power (geometric mean)");
    spectra_of_images(figure);
    figure.save(
        "The spectra of 200 random functions of each architecture. The ReLU network is "
        "a power law with an exponent near -4. "
        "The sine network has nearly the same power at all frequencies up to about "
        "ten.");
    for (const char* name :
         {"fig-random-functions", "fig-random-images", "fig-spectra"})
        book::shows("claim-architecture-probabilistic-prior/a", name);
    claim("claim-architecture-probabilistic-prior/b",
          "lower end of the 95 % interval of the sine network's exponent minus the "
          "upper end of that of the ReLU network",
          Measured(found[2].low - found[0].high, found[2].low - found[0].high,
                   found[2].high - found[0].low, draws()),
          ">", 0);
}
//-

// With first weights up to 30, the smooth function has the higher frequencies. A kink makes power at every frequency, but
// little: it falls with the fourth power. {numref}`fig-spectra` also shows what one exponent hides. The spectrum of the
// sine network is no power law. It is level up to about ten waves, then it falls faster than any power, and beyond about
// 40 waves the ReLU network has more. The images of {numref}`fig-random-images` tell the same story, and the decoder has
// a spectrum of its own: most of its power lies at up to four waves in a row, since each of its places began as $4 \times
// 4$ pixels.
//
// Do not read this as a law about sines. The range of the first weights decides, and 30 is a choice. With first weights
// up to 6 the order is reversed: the exponent of the sine network is $-9.59$, that of the ReLU network $-4.13$. The prior
// belongs to the architecture *and* to its initialisation.
//
// ## Wide networks are Gaussian
//
// The output is a sum over the units of the last hidden layer, with independent random weights. By the central limit
// theorem, a sum of many independent terms is nearly normal. So the outputs of a wide random network follow a normal
// distribution, at all inputs together: the network is a **Gaussian process** {cite:p}`neal1996`. A test is the
// **kurtosis**, the mean fourth power divided by the squared variance. The sample $-1, 1$ has the kurtosis 1; the
// sample $-2, 0, 0, 0, 0, 0, 0, 2$ has variance 1, mean fourth power 4 and kurtosis 4. A normal distribution has 3, and
// rare large values raise it.
double kurtosis(const std::vector<Real>& sample) {
    double square = 0, fourth = 0;
    for (const Real v : sample) square += std::pow(v, 2), fourth += std::pow(v, 4);
    return fourth * double(sample.size()) / (square * square);
}
//- 200 networks of each width, and how the figure is drawn
void gaussian() {
    const Prior relus = three()[0];
    const std::vector<double> widths = {2, 8, 32, 128, 512, 2048};
    std::vector<double> found;
    for (const double wide : widths) {
        std::vector<Real> sample;
        for (int n = 0; n < draws(); ++n) {
            Generator random(book::seed() + 31 * std::uint64_t(n));
            const Tensor y =
                draw(relus, Tensor({1, 1}, {0.5}), {1, Index(wide), 100}, random);
            const std::vector<Real> values = y.values();
            sample.insert(sample.end(), values.begin(), values.end());
        }
        found.push_back(kurtosis(sample));
        say("width {:4.0f}: kurtosis {:.2f}", wide, found.back());
    }
    Figure("fig-kurtosis")
        .describe(
            "The kurtosis of the outputs against the width, on a logarithmic axis. It "
            "falls "
            "from about twelve at width 2 to 3, the value of a normal distribution.")
        .line("kurtosis", widths, found,
              {.color = figure::blue, .dash = figure::solid, .points = true})
        .rule_y(3, "normal distribution", {.color = figure::red})
        .log_x()
        .x("units of the hidden layer")
        .y("kurtosis of the outputs")
        .save(
            "The kurtosis of the outputs of random ReLU networks with one hidden "
            "layer, for one input, over 200 networks with 100 outputs each. "
            "Narrow networks have rare large outputs, wide ones are Gaussian.");
    claim("claim-architecture-probabilistic-prior/c",
          "one hidden layer of width 2048, one input: distance of the kurtosis from 3",
          Measured(std::abs(found.back() - 3), std::abs(found.back() - 3),
                   std::abs(found.back() - 3), draws()),
          "<=", 0.2);
}
//-

// ## The same support, another prior
//
// Two architectures can read the same pixels and still have different priors. A convolution with a kernel of $15 \times
// 15$ reads 225 pixels. Seven convolutions of $3 \times 3$, one after another, read the same square: the first adds one
// pixel on each side to the one in the middle, and so do the others, so that $1 + 7 \cdot 2 = 15$.
// Without activation functions the chain is a single kernel of $15 \times 15$, the **composition**. It has $7 \cdot 9 =
// 63$ weights in place of 225. The weights of one $3 \times 3$ kernel meet those of another in every product, as when
// polynomials are multiplied: in one dimension $(1, 1)$ and $(1, 1)$ give $(1, 2, 1)$, with the largest number in the
// middle.
struct Kernel {
    Index side;
    std::vector<double> weights;
};
Kernel random_kernel(Index side, Generator& random) {
    Kernel made{side, {}};
    for (Index i = 0; i < side * side; ++i)
        made.weights.push_back(random.next_normal());
    return made;
}

Kernel compose(const Kernel& a, const Kernel& b) {
    Kernel made{a.side + b.side - 1, {}};
    made.weights.assign(std::size_t(made.side * made.side), 0);
    for (Index i = 0; i < a.side; ++i)
        for (Index j = 0; j < a.side; ++j)
            for (Index u = 0; u < b.side; ++u)
                for (Index v = 0; v < b.side; ++v)
                    made.weights[std::size_t((i + u) * made.side + j + v)] +=
                        a.weights[std::size_t(i * a.side + j)] *
                        b.weights[std::size_t(u * b.side + v)];
    return made;
}
// Three numbers describe a kernel: the share of its energy in the middle $5 \times 5$; the share of the power in the
// strongest 5 % of its frequencies; and the **spectral flatness**, the geometric mean of the power over all
// frequencies, divided by the arithmetic mean. It is 1 if all frequencies are equally strong. Powers of 1 and 4 have
// the means 2 and 2.5, and flatness 0.8.
//- the three numbers, and the kernels
std::vector<double> powers_of(const Kernel& kernel) {  // at 32 x 32 frequencies
    const Index n = 32, side = kernel.side;
    const double turn = -2 * std::numbers::pi / double(n);
    std::vector<std::complex<double>> along(std::size_t(side * n));
    std::vector<std::complex<double>> wave;
    for (Index k = 0; k < n; ++k) wave.push_back(std::polar(1.0, turn * double(k)));
    for (Index i = 0; i < side; ++i)
        for (Index v = 0; v < n; ++v)
            for (Index j = 0; j < side; ++j)
                along[std::size_t(i * n + v)] +=
                    kernel.weights[std::size_t(i * side + j)] *
                    wave[std::size_t(v * j % n)];
    std::vector<double> found;
    for (Index u = 0; u < n; ++u)
        for (Index v = 0; v < n; ++v) {
            std::complex<double> sum = 0;
            for (Index i = 0; i < side; ++i)
                sum += along[std::size_t(i * n + v)] * wave[std::size_t(u * i % n)];
            found.push_back(std::norm(sum));
        }
    return found;
}

struct Traits {
    double flatness, centre, top;
    std::vector<double> radial;  // mean power by the distance from frequency 0
};
Traits traits(const Kernel& kernel) {
    Traits found{0, 0, 0, std::vector<double>(17)};
    std::vector<double> power = powers_of(kernel), counts(17);
    double logs = 0, whole = 0;
    for (const double p : power) logs += std::log(p) / double(power.size()), whole += p;
    found.flatness = std::exp(logs) / (whole / double(power.size()));
    for (Index u = 0; u < 32; ++u)
        for (Index v = 0; v < 32; ++v) {
            const double down = double(std::min(u, 32 - u)),
                         right = double(std::min(v, 32 - v));
            const auto at = std::size_t(std::lround(std::hypot(down, right)));
            if (at > 16) continue;
            found.radial[at] += power[std::size_t(u * 32 + v)] / whole * 1024,
                ++counts[at];
        }
    for (std::size_t k = 0; k < counts.size(); ++k) found.radial[k] /= counts[k];
    std::ranges::sort(power, std::greater<>());
    for (std::size_t k = 0; k < power.size() / 20; ++k) found.top += power[k] / whole;
    double energy = 0, middle = 0;
    for (Index i = 0; i < 15; ++i)
        for (Index j = 0; j < 15; ++j) {
            const double square = std::pow(kernel.weights[std::size_t(i * 15 + j)], 2);
            energy += square;
            if (std::abs(i - 7) <= 2 && std::abs(j - 7) <= 2) middle += square;
        }
    found.centre = middle / energy;
    return found;
}

std::vector<Kernel> layers(bool chain, Generator& random) {
    std::vector<Kernel> all;
    for (int layer = 0; layer < (chain ? 7 : 1); ++layer)
        all.push_back(random_kernel(chain ? 3 : 15, random));
    return all;
}

Kernel whole(const std::vector<Kernel>& all) {
    Kernel made = all[0];
    for (std::size_t layer = 1; layer < all.size(); ++layer)
        made = compose(made, all[layer]);
    return made;
}

void two_priors() {
    figure::Images sheet("fig-kernels", 6);
    sheet.describe(
        "Four rows of six images. First row: random kernels, noise everywhere. Second "
        "row: "
        "their spectra, noise as well. Third row: compositions, a few strong stripes "
        "or spots in the "
        "middle. Fourth row: their spectra, two or four bright spots on black.");
    Figure figure("fig-radial");
    figure.describe(
        "Power against frequency. For random 15 by 15 kernels the median is a level "
        "line "
        "at 1. For the compositions it is far below 1 at low frequencies, where a ring "
        "has few members, and rises to nearly 1 in the large rings.");
    const std::vector<double> wanted_flat = {0.562, 0.051},
                              wanted_centre = {0.111, 0.517},
                              wanted_top = {0.196, 0.532};
    double flat = 0, centre = 0, top = 0;
    std::vector<std::size_t> parameters;
    for (const bool chain : {false, true}) {
        const auto make = [&](Generator& random) {
            return whole(layers(chain, random));
        };
        Generator any(book::seed());
        parameters.push_back(0);
        for (const Kernel& one : layers(chain, any))
            parameters.back() += one.weights.size();
        std::vector<std::vector<double>> numbers(3), radial(17);
        for (int n = 0; n < kernels(); ++n) {
            Generator random(book::seed() + 10'000 + std::uint64_t(n));
            const Traits one = traits(make(random));
            numbers[0].push_back(one.flatness), numbers[1].push_back(one.centre),
                numbers[2].push_back(one.top);
            for (std::size_t k = 0; k < 17; ++k) radial[k].push_back(one.radial[k]);
        }
        for (const bool spectrum : {false, true})
            for (std::uint64_t n = 0; n < 6; ++n) {
                Generator random(book::seed() + 10'000 + n);
                const Kernel one = make(random);
                std::vector<double> pixels;
                if (spectrum) {  // frequency 0 in the middle, 15 x 15 of 32 x 32 frequencies
                    const std::vector<double> power = powers_of(one);
                    for (Index u = -14; u <= 14; u += 2)
                        for (Index v = -14; v <= 14; v += 2)
                            pixels.push_back(std::sqrt(power[std::size_t(
                                (u + 32) % 32 * 32 + (v + 32) % 32)]));
                } else {
                    pixels = one.weights;
                }
                double most = 0;
                for (const double v : pixels) most = std::max(most, std::abs(v));
                for (double& v : pixels) v = spectrum ? v / most : 0.5 + v / most / 2;
                sheet.add(n > 0      ? ""
                          : spectrum ? "spectrum"
                          : chain    ? "seven 3 × 3"
                                     : "15 × 15",
                          15, 15, pixels);
            }
        const std::size_t which = chain ? 1 : 0;
        std::vector<double> middle;
        for (const std::vector<double>& all : numbers)
            middle.push_back(book::median(all));
        flat = std::max(flat, std::abs(middle[0] - wanted_flat[which]));
        centre = std::max(centre, std::abs(middle[1] - wanted_centre[which]));
        top = std::max(top, std::abs(middle[2] - wanted_top[which]));
        say("{}: flatness {:.3f}, centre {:.3f}, strongest 5 % {:.3f} (medians)",
            chain ? "seven 3 × 3" : "15 × 15", middle[0], middle[1], middle[2]);
        std::vector<double> at, level, low, high;
        for (std::size_t k = 0; k < 17; ++k) {
            std::ranges::sort(radial[k]);
            at.push_back(double(k) / 32);
            level.push_back(book::median(radial[k]));
            low.push_back(radial[k][radial[k].size() / 4]),
                high.push_back(radial[k][radial[k].size() * 3 / 4]);
        }
        figure.band("", at, low, high, {.color = chain ? figure::ochre : figure::blue})
            .line(chain ? "seven 3 × 3" : "15 × 15", at, level,
                  {.color = chain ? figure::ochre : figure::blue,
                   .dash = figure::solid,
                   .points = false});
    }
    sheet.save(
        "Random kernels of 15 × 15 and compositions of seven random kernels of 3 × 3, "
        "each with its spectrum below (frequency 0 in the middle). "
        "The compositions pick out a few frequencies and live in the middle.");
    figure.log_y()
        .ylim(0.003, 3)
        .x("frequency, waves per pixel")
        .y("power, mean 1")
        .save(
            "The power of kernels in rings of frequencies of the same length, median "
            "and "
            "middle half of 500. A random kernel has all frequencies alike. A "
            "composition "
            "has its power in a few frequencies, other ones in each draw. The small "
            "rings on the left usually miss them, so their median is low.");
    book::shows("claim-stacked-3x3-spectrum/a", "fig-kernels");
    book::shows("claim-stacked-3x3-spectrum/a", "fig-radial");
    const auto over = [](double value) {
        return Measured(value, value, value, kernels());
    };
    claim("claim-stacked-3x3-spectrum/b",
          "distance of the median flatness from 0.562 and 0.051", over(flat),
          "<=", 0.01);
    claim("claim-stacked-3x3-spectrum/c",
          "distance of the share of energy in the middle from 0.111 and 0.517",
          over(centre), "<=", 0.02);
    book::claim_true("claim-stacked-3x3-spectrum/e",
                     "one kernel of 15 × 15 has 225 parameters, seven of 3 × 3 have 63",
                     parameters == std::vector<std::size_t>{225, 63});
    claim("claim-stacked-3x3-spectrum/d",
          "distance of the share of the strongest 5 % from 0.196 and 0.532", over(top),
          "<=", 0.02);
}
//-

// Both kinds read the same square of 225 pixels. But {numref}`fig-kernels` shows two different families. A random $15
// \times 15$ kernel is noise: its energy is spread evenly, 25 of 225 pixels have a share of 0.111, and its spectrum is
// flat but for chance, with a flatness of 0.565. A composition has half of its energy in the middle, and half of its
// power in 5 % of its frequencies. The reason is a product. The spectrum of a composition is the product of seven
// spectra, and a product of seven random factors is dominated by few large values. "Look at the centre" is
// a preference that no line of the code states, and it suits [images](../components/locality.cpp), whose near pixels
// agree. The few frequencies differ from draw to draw.

void page() {
    gallery();
    image_gallery();
    spectra();
    gaussian();
    two_priors();
}

// ## Limits
//
// A prior is not a result. It says what a network computes before training, and training changes the weights. How much
// of the prior survives depends on the data: where there are many, little of it is left. The Gaussian limit is about
// independent random weights and a finite number of layers. It fails for narrow networks, as {numref}`fig-kurtosis`
// shows. And the compositions of this page are linear: with activation functions between the kernels there is no single
// kernel any more.
//
// ## Summary
//
// An architecture and a law for its weights define a probability distribution over functions. ReLU networks draw
// functions whose power falls with the fourth power of the frequency, networks of sines prefer higher frequencies, and
// wide networks are Gaussian processes. Seven small kernels and a large one read the same pixels, with 63 and 225
// weights, but random compositions concentrate on the middle and on few frequencies.
//
// ## What is missing
//
// The prior says what is likely. What is possible at all? [The next page](memorising.cpp) asks networks to learn labels
// without any sense.
//
// ```{try}
// - Slower sines: `--frequency 15`. Which network has the steepest spectrum now?
// - A narrow network: `--width 2`. What kinds of functions are left?
// ```
