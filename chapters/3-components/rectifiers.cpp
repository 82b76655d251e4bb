// # GELU, SiLU, ELU and SELU: the relatives of ReLU
//
// ```{rows} eq-prelu eq-gelu eq-softplus eq-silu-swish eq-elu eq-selu fig-udl-3.13
// ```
//
// [ReLU](activations.cpp) has a corner at zero and is flat below. Its relatives change the corner, the flat side or
// both: SoftPlus in 2001, and from 2015 to 2017 PReLU, ELU, GELU, SELU, SiLU and Swish. What does each of them change,
// and at what price? {numref}`fig-swish` begins with **Swish**, which is a whole family of functions with a parameter
// $\beta$. Move the slider: the same formula goes from a straight line to ReLU.
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/curves.hpp>
#include <recto/figure/figure.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/prelu.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/reduce.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::claim_true, book::say;
using data::even_grid;
using figure::Figure;
using Curve = std::function<Tensor(const Tensor&)>;

const book::Option<double> least("least", -6, "where the curves begin",
                                 {.least = -100, .most = -1});
const book::Option<double> most("most", 6, "where the curves end",
                                {.least = 1, .most = 100});
const book::Option<Index> places("places", 120'001,
                                 "places at which curves are compared",
                                 {.quick = 12'001, .least = 101, .most = 10'000'001});

Tensor grid(Index count) { return Tensor({count}, even_grid(count, least(), most())); }
double largest(const Tensor& x) { return double(max(abs(x)).item()); }
Tensor swish(const Tensor& x, double beta);
//-

//- how the figure is drawn
void swish_figure() {
    const std::vector<double> betas = {0, 0.4, 1, 1.4, 1.702, 3, 10, 50};
    const Tensor x = grid(241);
    Figure figure("fig-swish");
    figure
        .describe(
            "Left: Swish and ReLU, with a slider for the parameter beta. At zero Swish "
            "is a straight line of slope one half; for large beta it is close to ReLU. "
            "Right: the distance from ReLU, which shrinks to a narrow peak on each "
            "side of zero.")
        .slider("beta", betas, "β", 1)
        .panel("Swish")
        .ylim(-1, 4)
        .xlim(-4, 4)
        .x("x")
        .y("output");
    for (const double beta : betas)
        figure.at(beta).line("Swish", x.values(), swish(x, beta).values(),
                             {.color = figure::blue, .points = false});
    figure.always()
        .line("ReLU", x.values(), relu(x).values(),
              {.color = figure::grey, .dash = figure::dashed, .points = false})
        .panel("ReLU minus Swish")
        .ylim(-0.1, 1)
        .xlim(-4, 4)
        .x("x")
        .y("difference");
    for (const double beta : betas)
        figure.at(beta).line("Swish", x.values(), (relu(x) - swish(x, beta)).values(),
                             {.color = figure::blue, .points = false});
    figure.always().save(
        "Swish for several β, from half the identity (β = 0) to almost ReLU (β = 50). "
        "The distance from ReLU has the same shape for every β above zero; twice the β "
        "makes it half as high and half as wide.");
}
//-

// ## Gates: Swish and SiLU
//
// You can read ReLU as a product: the input times a *gate* that is 1 (open) for positive inputs and 0 (closed) for
// negative ones. This gate jumps. **SiLU** opens it gradually, with a sigmoid. At $x = 1$ the gate is open by
// $\sigma(1) = 0.731$, so the output is 0.731. At $x = -1$ the gate is open by 0.269, and the output is $-0.269$. At
// $x = -10$ the gate is nearly closed, and the output is almost zero again. **Swish** has a parameter $\beta$ that
// makes the gate steeper; SiLU is the case $\beta = 1$:
//
// ```{equation} eq-silu-swish
// :function: recto::silu
// :test: unary: agrees with PyTorch
// \mathrm{swish}_\beta(x) = x\, \sigma(\beta x), \qquad \mathrm{silu}(x) = x\, \sigma(x)
// ```
//
// SiLU was proposed first {cite:p}`hendrycks2016,elfwing2018`; a search by machine over formulas found the family again
// and named it Swish {cite:p}`ramachandran2017`. The library has {cpp:func}`~recto::silu`; Swish is one line:
Tensor swish(const Tensor& x, double beta) { return x * sigmoid(beta * x); }

// At $\beta = 0$ the gate is half open everywhere, so Swish is $x/2$. For large $\beta$ the gate opens within a narrow
// range around zero, and Swish is close to ReLU:
//- what is checked
void gates() {
    const Tensor x = grid(places());
    claim("eq-silu-swish/a", "the largest gap between Swish at beta = 50 and ReLU",
          largest(swish(x, 50) - relu(x)), "<", 0.006);
    claim_true("eq-silu-swish/b", "at beta = 0 Swish is x/2, bit for bit",
               swish(x, 0).values() == (x / 2).values());
}
//-

// ## GELU: the gate is a probability
//
// Imagine a switch that compares each input $x$ with a random number $Z$ from the standard normal distribution. If
// $Z \le x$, the switch keeps the input; otherwise it sets the input to zero. Large inputs are kept almost surely. The
// input 1 is kept with probability 0.841, so the mean output of the switch is $1 \cdot 0.841$. The input $-1$ is kept
// with probability 0.159, which gives $-0.159$. This mean is **GELU** {cite:p}`hendrycks2016`:
//
// ```{equation} eq-gelu
// :function: recto::gelu
// :test: unary: agrees with PyTorch
// \mathrm{gelu}(x) = x \, \Pr(Z \le x)
// ```
//
// So GELU has the form of Swish, with another gate. Its curve is never above that of ReLU, and has one surprise.
//- the question
void slope_of_gelu() {
    const Tensor x = grid(places()).requires_grad_();
    sum(gelu(x)).backward();
    const std::vector<Real> slopes = x.grad().values(), at = x.values();
    const auto top = std::ranges::max_element(slopes);
    const double steepest = *top;
    ask("GELU is nowhere above ReLU, and far to the right the two agree. What is the "
        "largest derivative of GELU?",
        {{"Less than 1: GELU never quite becomes as steep as ReLU.", steepest < 1,
          "Then the distance to ReLU could only grow from zero on. But it shrinks to "
          "nothing on the right."},
         {"Exactly 1, that of ReLU.", steepest == 1,
          "At zero GELU and ReLU are equal. Then GELU falls behind, with a slope of "
          "one "
          "half. It must catch up."},
         {"More than 1.", steepest > 1,
          "GELU starts half as steep as ReLU and falls behind. Because the two meet "
          "again, GELU must be steeper somewhere."}});
    say("the largest derivative of GELU is {:.3f}, at x = {:.2f}", steepest,
        at[std::size_t(top - slopes.begin())]);
}
//-

// The probability needs the error function. Two approximations replace the error function by a single exponential:
// {cpp:func}`~recto::gelu_tanh`, with which GPT-2 was trained, and Swish with $\beta = 1.702$. We compare them with
// GELU between $-6$ and 6, and look for the minimum of GELU:
//- the errors, and the minimum
void approximations() {
    const Tensor x = grid(places()), y = gelu(x);
    claim_in("eq-gelu/a", "GELU with a tanh: the largest error",
             largest(gelu_tanh(x) - y), 4.73e-4, 4.75e-4);
    claim_in("eq-gelu/b", "GELU with a sigmoid, Swish at 1.702: the largest error",
             largest(swish(x, 1.702) - y), 0.0203, 0.0205);
    const std::vector<Real> values = y.values(), at = x.values();
    const auto low = std::ranges::min_element(values);
    const double where = at[std::size_t(low - values.begin())];
    say("the minimum of GELU is {:.4f}, at x = {:.3f}", *low, where);
    claim("eq-gelu/c", "the distance of the minimum from -0.1700",
          std::abs(*low + 0.17), "<=", 1e-4);
    claim("eq-gelu/d", "the distance of its place from -0.752", std::abs(where + 0.752),
          "<=", 1e-3);
}
//-

// The form with tanh is wrong by $4.7\times10^{-4}$ at most, the form with a sigmoid by 0.020. GELU and Swish are not
// monotonic: to the left of the minimum the output rises again towards zero, so two inputs share each output between
// the minimum and zero. This dip is also the largest gap between GELU and ReLU. The gap at $x$ is $|x| \Pr(Z \ge |x|)$,
// the same on both sides of zero, and at most 0.170, at $x = \pm 0.752$.
//
// ## SoftPlus: a rounded corner
//
// Where the input is large, $\log(1 + e^x)$ is nearly $\log e^x = x$; where it is very negative, $\log(1 + e^x)$ is
// nearly $\log 1 = 0$. This is **SoftPlus**, a ReLU with a rounded corner {cite:p}`dugas2001`:
//
// ```{equation} eq-softplus
// :function: recto::softplus
// :test: equations: activations
// \mathrm{softplus}(x) = \log(1 + e^x), \qquad \mathrm{softplus}'(x) = \sigma(x)
// ```
//
// SoftPlus is always positive, always increasing, and at most $\log 2 = 0.693$ above ReLU, at $x = 0$. You meet it
// where a network must return a positive number, such as a standard deviation.
//
// ## PReLU: a learned slope
//
// For [leaky ReLU](activations.cpp) you choose a slope $a$ below zero. **PReLU**, the *parametric* ReLU, learns the
// slope, one for each channel or one for all {cite:p}`he2015`. How does the loss depend on $a$? With $a = 0.25$ the
// input $-2$ gives $-0.5$; raise $a$ by 0.01 and the output falls by 0.02. So the derivative with respect to $a$ is the
// input, if the input is negative:
//
// ```{equation} eq-prelu
// :function: recto::prelu
// :test: prelu: definition, forward and back
// \mathrm{prelu}_a(x) = \max(x, 0) + a \min(x, 0), \qquad
// \frac{\partial\, \mathrm{prelu}_a(x)}{\partial a} = \min(x, 0)
// ```
//
// The gradient of $a$ is a sum over all inputs. With the inputs $-2$ and $3$, and a loss whose derivatives with respect
// to the two outputs are $0.5$ and $1$, it is $-2 \cdot 0.5 + 0 \cdot 1 = -1$. With $a = 0$ PReLU is ReLU, with
// $a = 1$ the identity:
//- what is checked
void learned_slope() {
    Generator random(book::seed());
    const Tensor x = random.normal({50, 20}), dy = random.normal({50, 20});
    const auto loss = [&](const Tensor& a) { return sum(prelu(x, a) * dy); };
    const Tensor a = full({1}, 0.25).requires_grad_();
    loss(a).backward();
    const double h = 1e-3;
    const double slope = double(a.grad().item()),
                 moved = double((loss(full({1}, 0.25 + h)) - loss(full({1}, 0.25 - h)))
                                    .item()) /
                         (2 * h);
    claim("eq-prelu/a",
          "the gradient of the slope against central differences, relative",
          std::abs(slope / moved - 1), "<=", 1e-6);
    claim_true("eq-prelu/b", "PReLU with a = 0 is ReLU, and with a = 1 the identity",
               prelu(x, zeros({1})).values() == relu(x).values() &&
                   prelu(x, ones({1})).values() == x.values());
}
//-

// ## ELU and SELU: outputs with a mean nearer zero
//
// The outputs of ReLU are never negative. So their mean is positive, and every unit of the next layer receives a
// weighted sum of these means, the same shift for every sample. **ELU** lets outputs fall to $-\alpha$
// {cite:p}`clevert2016`, so that positive and negative outputs can cancel. With $\alpha = 1$ the input $-1$ gives
// $e^{-1} - 1 = -0.632$, and $-10$ gives almost exactly $-1$:
//
// ```{equation} eq-elu
// :function: recto::elu
// :test: unary: the slope at a kink
// \mathrm{elu}_\alpha(x) = \begin{cases} x & \text{if } x \ge 0 \cr \alpha\,(e^x - 1) & \text{if } x < 0 \end{cases}
// ```
//
// At zero both branches are 0. The slope is 1 on the right and $\alpha$ on the left, so ELU has a corner unless
// $\alpha = 1$.
//- what is checked
void corner_of_elu() {
    const double near = 1e-8;
    double jump = 0, off = 0;
    for (const double alpha : {0.25, 0.5, 1.0, 1.6733, 3.0}) {
        const Tensor x = Tensor({2}, {-near, near}).requires_grad_();
        const Tensor y = elu(x, alpha);
        sum(y).backward();
        jump = std::max(jump, std::abs(double(y.at({1}) - y.at({0}))));
        const double bend = std::abs(double(x.grad().at({1}) - x.grad().at({0})));
        off = std::max(off, std::abs(bend - std::abs(1 - alpha)));
    }
    claim("eq-elu/a", "the jump of ELU at zero, the largest of five alphas", jump,
          "<=", 1e-6);
    claim("eq-elu/b",
          "the jump of its slope at zero against |1 - alpha|, the largest difference",
          off, "<=", 1e-6);
}
//-

// **SELU** has two constants, chosen so that standard normal inputs give outputs with mean 0 and variance 1
// {cite:p}`klambauer2017`. If the weights between the layers keep mean and variance too, signals pass through many
// layers without growing or shrinking:
//
// ```{equation} eq-selu
// :function: recto::selu
// :test: unary: agrees with PyTorch
// \mathrm{selu}(x) = 1.0507 \cdot \mathrm{elu}_{1.6733}(x)
// ```
//
// The mean of a function of a standard normal number is an integral. A sum over a fine grid gives it to many digits:
struct Moments {
    double mean, variance;
};
Moments moments(const Curve& f) {
    const Tensor z({20'001}, even_grid(20'001, -10, 10));
    const Tensor density = exp(-0.5 * square(z)) / std::sqrt(2 * std::numbers::pi);
    const auto expected = [&](const Tensor& y) {
        return double(sum(y * density).item()) * 20 / 20'000;
    };
    const double mean = expected(f(z));
    return {mean, expected(square(f(z) - mean))};
}

// This is what each function makes of standard normal inputs:
//- the table, and what is checked
void means() {
    struct Row {
        const char* name;
        Curve f;
    };
    const std::vector<Row> all = {
        {"ReLU", Activation(relu)},
        {"GELU", Activation(gelu)},
        {"SiLU", Activation(silu)},
        {"SoftPlus", Activation(softplus)},
        {"ELU, α = 1", [](const Tensor& x) { return elu(x, 1); }},
        {"SELU", Activation(selu)},
        {"tanh", Activation(tanh)}};
    std::vector<std::vector<book::Cell>> rows;
    for (const auto& [name, f] : all) {
        const Moments of = moments(f);
        rows.push_back({name,
                        fmt::format("{:.3f}", std::round(1000 * of.mean) / 1000 + 0.0),
                        fmt::format("{:.3f}", of.variance)});
    }
    const Moments of = moments(Activation(selu));
    claim("eq-selu/a", "SELU of standard normal inputs: the mean, in absolute value",
          std::abs(of.mean), "<=", 1e-3);
    claim_in("eq-selu/b", "SELU of standard normal inputs: the variance", of.variance,
             0.997, 1.003);
    book::table("means", "Mean and variance of the output for standard normal inputs.",
                {"", "mean", "variance"}, rows);
}
//-

// Only SELU keeps mean 0 and variance 1. ReLU has the mean 0.399 and SoftPlus, which is positive everywhere, 0.806. The
// mean of tanh is 0 as well, since tanh is odd, but its variance is only 0.394: a stack of tanh layers needs larger
// weights to keep its signals. [A later page](initialisation.cpp) chooses them.
//
// ## All of them at once
//
// {numref}`fig-udl-3.13` collects the family. The parameters are those of the figure in {cite:t}`prince2023`.
//- the curves, how they are checked and drawn
struct Drawn {
    std::size_t panel;
    std::string name, letter;
    double parameter;  // if there is a letter
    Curve f;

    std::string label() const {
        return letter.empty() ? name
                              : fmt::format("{}, {} = {:.2g}", name, letter, parameter);
    }
};
std::vector<Drawn> family() {
    std::vector<Drawn> all = {{0, "sigmoid", "", 0, Activation(sigmoid)},
                              {0, "tanh", "", 0, Activation(tanh)}};
    const double slope = 0.1, a = 0.25;
    all.push_back({1, "leaky ReLU", "a", slope,
                   [slope](const Tensor& x) { return leaky_relu(x, slope); }});
    all.push_back({1, "PReLU", "a", a,
                   [a](const Tensor& x) { return prelu(x, full({1}, Real(a))); }});
    all.push_back({2, "SoftPlus", "", 0, Activation(softplus)});
    all.push_back({2, "GELU", "", 0, Activation(gelu)});
    all.push_back({2, "SiLU", "", 0, Activation(silu)});
    for (const double alpha : {0.5, 1.0})
        all.push_back(
            {3, "ELU", "α", alpha, [alpha](const Tensor& x) { return elu(x, alpha); }});
    all.push_back({4, "SELU", "", 0, Activation(selu)});
    for (const double beta : {0.4, 1.0, 1.4})
        all.push_back({5, "Swish", "β", beta,
                       [beta](const Tensor& x) { return swish(x, beta); }});
    return all;
}
// The parameters of all curves of this name, such as "0.4, 1 and 1.4".
std::string parameters_of(const std::string& name, const std::vector<Drawn>& all) {
    std::vector<double> found;
    for (const Drawn& curve : all)
        if (curve.name == name) found.push_back(curve.parameter);
    std::string words;
    for (std::size_t i = 0; i < found.size(); ++i)
        words += fmt::format("{}{:.2g}",
                             i == 0                  ? ""
                             : i + 1 == found.size() ? " and "
                                                     : ", ",
                             found[i]);
    return words;
}
// What the library gives for the curve of this label, number by number; NaN for an unknown label.
Real by_label(const std::string& label, Real at) {
    const Tensor x({}, {at});
    const std::map<std::string, Tensor> values = {
        {"sigmoid", sigmoid(x)},
        {"tanh", tanh(x)},
        {"leaky ReLU, a = 0.1", leaky_relu(x, 0.1)},
        {"PReLU, a = 0.25", leaky_relu(x, 0.25)},
        {"SoftPlus", softplus(x)},
        {"GELU", gelu(x)},
        {"SiLU", silu(x)},
        {"ELU, α = 0.5", elu(x, 0.5)},
        {"ELU, α = 1", elu(x)},
        {"SELU", selu(x)},
        {"Swish, β = 0.4", x * sigmoid(0.4 * x)},
        {"Swish, β = 1", x * sigmoid(x)},
        {"Swish, β = 1.4", x * sigmoid(1.4 * x)}};
    const auto found = values.find(label);
    return found == values.end() ? Real(NAN) : found->second.item();
}
void family_figure() {
    const std::vector<std::string> titles = {
        "sigmoid, tanh", "leaky ReLU, PReLU", "SoftPlus, GELU, SiLU", "ELU", "SELU",
        "Swish"};
    const std::vector<Drawn> all = family();
    const std::string caption = fmt::format(
        "The relatives of ReLU, with sigmoid and tanh. The slope below zero is a = {} "
        "for leaky ReLU and a = {} for PReLU. ELU has α = {}, Swish β = {}. After "
        "Figure 3.13 of {{cite:t}}`prince2023`.",
        parameters_of("leaky ReLU", all), parameters_of("PReLU", all),
        parameters_of("ELU", all), parameters_of("Swish", all));
    const std::vector<double> at = even_grid(201, -5, 5);
    const Tensor x({201}, at);
    const figure::Color colors[] = {figure::blue, figure::red, figure::green};
    const figure::Dash dashes[] = {figure::solid, figure::dashed, figure::dotted};
    Index differ = 0;
    std::vector<double> parameters;
    Figure figure("fig-udl-3.13");
    figure
        .describe(
            "Six panels of curves. Sigmoid and tanh rise and become flat at both ends. "
            "Leaky and parametric ReLU have a corner at zero and a small slope below. "
            "SoftPlus stays above ReLU; GELU and SiLU dip below zero. ELU and SELU "
            "approach a negative limit on the left. Swish dips less for larger beta.")
        .columns(3)
        .height(180);
    for (std::size_t panel = 0; panel < titles.size(); ++panel) {
        figure.panel(titles[panel]).xlim(-5, 5).ylim(-2, 5).x("x");
        if (panel % 3 == 0) figure.y("output");
        std::size_t drawn_here = 0;
        for (const Drawn& curve : all) {
            if (curve.panel != panel) continue;
            const std::vector<Real> drawn = curve.f(x).values();
            for (std::size_t i = 0; i < at.size(); ++i)
                differ += drawn[i] != by_label(curve.label(), at[i]);
            if (!curve.letter.empty()) parameters.push_back(curve.parameter);
            const std::size_t n = drawn_here++;
            figure
                .line("", at, drawn,
                      {.color = colors[n], .dash = dashes[n], .points = false})
                .words("", {-1.0}, {4.4 - 0.9 * double(n)}, {curve.label()},
                       {.color = colors[n], .width = 12});
        }
    }
    figure.save(caption);
    book::shows("fig-udl-3.13/a", "fig-udl-3.13");
    claim("fig-udl-3.13/b",
          "drawn values that differ from those of the function in the legend", differ,
          "==", 0);
    claim_true(
        "fig-udl-3.13/c",
        "the legends and the caption name a = 0.1, 0.25; α = 0.5, 1; β = 0.4, 1, 1.4",
        parameters == std::vector<double>{0.1, 0.25, 0.5, 1, 0.4, 1, 1.4});
}
//-

// Far from zero GELU, SiLU and SoftPlus agree with ReLU. Leaky ReLU, PReLU, ELU and SELU differ from ReLU on the
// negative side, and SELU is also 5 % steeper on the positive side. Only leaky ReLU and PReLU need no exponential. The
// curves do not tell you which function is best: [a later page](choosing_an_activation.cpp) compares them by
// experiment.

void page() {
    swish_figure();
    gates();
    slope_of_gelu();
    approximations();
    learned_slope();
    corner_of_elu();
    means();
    family_figure();
}

// ## Summary
//
// SiLU, Swish and GELU multiply the input by a gate that opens gradually, so they dip below zero and are steeper than
// 1 in places. PReLU learns its slope below zero, and SoftPlus rounds the corner. ELU and SELU let outputs become
// negative; SELU keeps mean 0 and variance 1 of standard normal inputs.
//
// ## What is missing
//
// This page looked at single curves. What happens to a gradient that passes through thirty layers with such curves?
// [The next page](saturation.cpp) follows the gradient to the places where it stops.
//
// ```{try}
// - Look farther out: `--least -40 --most 40`. Do the approximations of GELU become worse?
// - Fewer places: `--places 1001`. Which of the checks of this page need a fine grid?
// ```
