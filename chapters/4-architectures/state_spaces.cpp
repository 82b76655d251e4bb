// # State spaces: S4, and a memory with the shape of the past
//
// ```{rows} sys-s4
// ```
//
// A thousand numbers arrive one after another, and you may keep only a few. Which few? The last ones would be a short
// memory. A **state space** keeps numbers that describe the *shape* of the whole past, and updates them at each step
// with one fixed matrix. {numref}`fig-hippo` shows a signal and what can be rebuilt from the state after its last
// step. Move the sliders: a larger state, or a signal that wiggles faster. Such a memory does not have to be learned
// before it can be used. It is the idea behind S4, a layer that reads sequences of thousands of steps.
//
// ```{opening} fig-hippo
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/state_space.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/pad.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/clip.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say,
    book::Study;
using figure::Figure;

const book::Option<Index> state("state", 12, "numbers of the state",
                                {.least = 1, .most = 64});
const book::Option<Index> periods("periods", 10,
                                  "periods of the fastest wave of the signal",
                                  {.least = 1, .most = 40});
const book::Option<double> time_step("delta", 0.02, "time step of the drawn kernels",
                                     {.least = 0.001, .most = 1.0});

const book::Option<bool> retrain("retrain", true,
                                 "whether one network of the study is trained again",
                                 {.quick = false});

using Numbers = std::vector<double>;
// Defined further down:
Numbers read_all(const Numbers& signal, Index size);
Numbers rebuild(const Numbers& c, Index time);
//-

//- signals, and how the figure is drawn
const Index length = 1000;

// A sum of ten waves with random phases and with up to this many periods in 1,000 steps.
Numbers draw_signal(double fastest, Generator& random) {
    Numbers signal(std::size_t(length), 0.0);
    for (int wave = 0; wave < 10; ++wave) {
        const double turns = fastest * (wave == 0 ? 1 : random.next_uniform()),
                     phase = 2 * std::numbers::pi * random.next_uniform();
        for (std::size_t t = 0; t < signal.size(); ++t)
            signal[t] += std::sin(
                2 * std::numbers::pi * turns * double(t) / double(length) + phase);
    }
    return signal;
}
double relative_error(const Numbers& got, const Numbers& want) {
    double gap = 0, all = 0;
    for (std::size_t t = 0; t < want.size(); ++t)
        gap += (got[t] - want[t]) * (got[t] - want[t]), all += want[t] * want[t];
    return std::sqrt(gap / all);
}

// Draws the first figure, and returns the relative error of its rebuilt signal.
double draw_memory() {
    Generator random(book::seed());
    const Numbers signal = draw_signal(double(periods()), random),
                  rebuilt = rebuild(read_all(signal, state()), length);
    Numbers times, before, after;
    for (std::size_t t = 0; t < signal.size(); t += 4) {
        times.push_back(double(t + 1));
        before.push_back(signal[t]), after.push_back(rebuilt[t]);
    }
    Figure("fig-hippo")
        .describe(
            "A wavy signal over 1,000 times, and a second curve rebuilt from the "
            "state. "
            "Two sliders set the size of the state and how fast the signal wiggles.")
        .slider(state, "numbers of the state")
        .slider(periods, "periods of the fastest wave")
        .line("signal", times, before,
              {.color = figure::ochre, .width = 4, .points = false})
        .line("rebuilt from the state", times, after,
              {.color = figure::blue, .points = false})
        .x("time")
        .y("value")
        .save(
            "A signal of 1,000 numbers, and the signal that is rebuilt from the state "
            "after the last of them. The state is computed step by step, and no input "
            "is stored.");
    return relative_error(rebuilt, signal);
}
//-

// ## A state that flows
//
// Begin with a state of one number. In each second it loses what it holds, and takes in the input: $h' = -h + x$. In
// general a state space is the pair
//
// $$ h'(t) = A\,h(t) + B\,x(t), \qquad y(t) = C\,h(t) $$
//
// with matrices $A$, $B$ and $C$. It is linear: no tanh, no gate. A sequence has an input at each *step*, so time is
// cut into steps of length $\Delta$. S4 takes the mean of the slopes at both ends of a step, the **bilinear rule**:
//
// ```{equation} eq-state-space
// :function: recto::nn::StateSpace
// :test: StateSpace: both views against a loop in complex numbers
// h_t = \bar A\, h_{t-1} + \bar B\, x_t, \qquad \bar A = \frac{1 + \Delta A / 2}{1 - \Delta A / 2}, \qquad
// \bar B = \frac{\Delta B}{1 - \Delta A / 2}
// ```
//
// For $A = -1$, $B = 1$ and $\Delta = 1$ this is $\bar A = \frac13$ and $\bar B = \frac23$. The inputs 3, 0, 0 give
// the states 2, $\frac23$, $\frac29$. With a step of $\Delta = 0.1$ we have $\bar A = 0.905$, and the memory lasts
// eleven times as long, because $0.905^{11}$ is about $\frac13$. The time step sets the length of the memory: a shorter
// step is a longer memory.
//
// ## The matrix that keeps the shape
//
// Which matrix $A$ makes a good memory? {cite:t}`gu2020` asked for a state that can *rebuild* the past. At time $t$,
// stretch all of the past to the interval from $-1$ to $1$, and approximate it by a polynomial of degree $N - 1$ with
// the least mean squared error. Its $N$ coefficients, in the Legendre polynomials, are the state. When time moves on,
// the stretched past changes, and so do the best coefficients. They follow a linear equation, whose matrix does not
// depend on the signal. It is called **HiPPO** (high-order polynomial projection operators):
//
// $$ h'(t) = \frac1t \bigl(A\,h(t) + B\,x(t)\bigr), \qquad B_n = \sqrt{2n+1}, $$
//
// $$ A_{nk} = -\begin{cases} \sqrt{(2n+1)(2k+1)} & n > k \cr n + 1 & n = k \cr 0 & n < k \end{cases} $$
//
// Below the diagonal $A$ is a product of two square roots, so one pass over the state is enough for a step of the
// bilinear rule. The first sum collects the old state and the second one the new state:
void read_one(Numbers& h, double x, double t) {
    double old_sum = 0, new_sum = 0;
    for (std::size_t n = 0; n < h.size(); ++n) {
        const double root = std::sqrt(2.0 * double(n) + 1), a = double(n) + 1;
        const double moved = h[n] - (root * old_sum + a * h[n]) / (2 * t);
        old_sum += root * h[n];
        h[n] = (moved + root * (x / t - new_sum / (2 * t))) / (1 + a / (2 * t));
        new_sum += root * h[n];
    }
}
//- the rest of the memory
Numbers read_all(const Numbers& signal, Index size) {
    Numbers h(std::size_t(size), 0.0);
    for (std::size_t t = 0; t < signal.size(); ++t)
        read_one(h, signal[t], double(t + 1));
    return h;
}

// The polynomial with these coefficients at each time; P_n by the recurrence of Bonnet.
Numbers rebuild(const Numbers& c, Index time) {
    Numbers signal;
    for (Index t = 0; t < time; ++t) {
        const double s = 2 * double(t + 1) / double(time) - 1;
        double before = 0, now = 1, value = 0;
        for (std::size_t n = 0; n < c.size(); ++n) {
            const double k = double(n);
            value += c[n] * std::sqrt(2 * k + 1) * now;
            const double next = ((2 * k + 1) * s * now - k * before) / (k + 1);
            before = now, now = next;
        }
        signal.push_back(value);
    }
    return signal;
}
//-

// Place your bet:
//- the question, and what is checked
void remember(double error_in_figure) {
    Numbers errors, small;
    Index needed = 0;
    for (int draw = 0; draw < 3; ++draw) {
        Generator random(book::seed() + std::uint64_t(draw));
        const Numbers signal = draw_signal(10, random);
        const auto error_of = [&](Index size) {
            return relative_error(rebuild(read_all(signal, size), length), signal);
        };
        errors.push_back(error_of(64)), small.push_back(error_of(16));
        Index size = 1;
        while (size < 64 && error_of(size) >= 0.05) ++size;
        needed = std::max(needed, size);
    }
    //-
    ask("A signal of 1,000 numbers wiggles with up to ten periods. How many state "
        "numbers does HiPPO need to rebuild all of it with an error below 5 %?",
        {{"About 10: one for each period.", needed < 15,
          "A wave has a height and a phase, which are two numbers for each period."},
         {"About 40: a few for each period.", needed >= 15 && needed < 100,
          "Two for each period would be enough for whole waves. Polynomials need about "
          "three, because they crowd their bends near the ends."},
         {"About 500: each number describes two inputs.", needed >= 100,
          "The signal is smooth, so neighbouring inputs say nearly the same."}});
    //- what is printed
    Generator random(book::seed());
    Numbers noise;
    for (Index t = 0; t < length; ++t) noise.push_back(random.next_normal());
    say("in the first figure: {} state numbers, up to {} periods, relative error "
        "{:.3f}",
        state(), periods(), error_in_figure);
    say("state numbers for an error below 5 %, the most of three signals: {}", needed);
    say("relative error with 16 numbers: {:.2f}; of pure noise with 64 numbers: {:.2f}",
        book::median(small),
        relative_error(rebuild(read_all(noise, 64), length), noise));
    claim("sys-s4/b",
          "relative error of a signal of 1,000 numbers with up to ten periods, rebuilt "
          "from 64 state numbers",
          over_seeds(errors), "<", 0.05);
}
//-

// Thirty-five numbers are enough for our three signals. With 64 the error is 1.6 %, and with 16 it is 53 %, because
// the polynomial has too few bends. What the state cannot hold is noise: of 1,000 independent numbers, 64 coefficients
// rebuild next to nothing, and the relative error is 0.97. HiPPO keeps the smooth part of the past, and no training
// has chosen this part. (Even with 40 numbers the rebuilt curve of {numref}`fig-hippo` misses the first few inputs,
// at the left end. When they came, a step was as long as the whole past, and the bilinear rule is coarse.) Set the
// sliders of {numref}`fig-hippo` to 40 numbers and 20 periods to see the limit: the rebuilt curve fails in the middle
// before it fails near the ends, because polynomials have their closest bends near the ends.
//
// ## Modes
//
// S4 {cite:p}`gu2022s4` takes the HiPPO matrix, without the $1/t$, for the first state matrix of a trained layer. The
// past is then no longer kept evenly: it fades over about $1/\Delta$ steps. A full matrix of size $N$ costs $N^2$
// products at each step. Nearly as good is a **diagonal** one, S4D {cite:p}`gu2022s4d`: then each number of the state
// is on its own, and is called a **mode**. The simplest first values, S4D-Lin, are $A_n = -\frac12 + i\pi n$: evenly
// spaced frequencies, as in a Fourier series. (Those of the HiPPO matrix itself are spaced unevenly.) The
// imaginary part turns and the real part decays, so each mode is a decaying wave. {numref}`fig-modes` shows four of
// them. Drag the time step and see the memory stretch:
//- how the figure is drawn
void draw_modes() {
    const Numbers all = {0.005, 0.01, 0.02, 0.05, 0.1, 0.2};
    Numbers times;
    for (int l = 0; l <= 100; ++l) times.push_back(double(l));
    Figure figure("fig-modes");
    figure
        .describe(
            "Four waves against the number of steps: modes 0 to 3. All decay at the "
            "same rate; mode 0 does not oscillate and the others oscillate one, two "
            "and three times as fast. A slider sets the time step, which stretches "
            "all of them.")
        .slider(time_step, all, "time step Δ");
    const figure::Color colors[] = {figure::ink, figure::blue, figure::green,
                                    figure::ochre};
    for (const double d : figure::settings(time_step, all))
        for (int n = 0; n < 4; ++n) {
            const std::complex<double> a(-0.5, std::numbers::pi * n),
                factor = (1. + d * a / 2.) / (1. - d * a / 2.);
            Numbers wave;
            for (const double l : times) wave.push_back(std::pow(factor, l).real());
            figure.at(d).line(fmt::format("mode {}", n), times, wave,
                              {.color = colors[n], .points = false});
        }
    figure.always()
        .x("steps since an input of 1")
        .y("real part of the mode")
        .ylim(-1, 1)
        .save(
            "What modes 0 to 3 remember of a single input. The time step sets the "
            "scale: half the step is twice the memory.");
}
//-

// A layer has many channels, and each has a time step of its own, at first from 0.001 to 0.1. Time steps, decays,
// frequencies and $C$ are trained. ($B$ can be left at 1, because only its product with $C$ matters.)
//
// ## Two views
//
// The steps are the same at all times, so the [scans page](scans.cpp) applies: all states are a convolution of the
// input with the answer to a single 1. Here this **kernel** is a sum of $N$ decaying waves:
//
// $$ y = K * x, \qquad K_l = \operatorname{Re} \sum_{n=1}^{N} C_n\, \bar A_n^{\,l}\, \bar B_n $$
Numbers kernel_of(const std::vector<std::complex<double>>& A,
                  const std::vector<std::complex<double>>& C, double step, Index time) {
    Numbers K(std::size_t(time), 0.0);
    for (std::size_t n = 0; n < A.size(); ++n) {
        const std::complex<double> half = step * A[n] / 2.;
        std::complex<double> mode = C[n] * step / (1. - half);
        for (double& value : K) {
            value += mode.real();
            mode *= (1. + half) / (1. - half);
        }
    }
    return K;
}
//- what is checked
void two_views() {
    Generator random(book::seed());
    const Index channels = 8, states = 16, time = 512;
    const nn::StateSpace layer(channels, states, random);
    const NoGrad only_asking;
    const Tensor x = random.normal({2, time, channels}), by_kernel = layer(x);
    nn::Modes modes;
    std::vector<Tensor> outputs;
    for (Index t = 0; t < time; ++t)
        outputs.push_back(layer.step(select(x, 1, t), modes));
    const Tensor by_steps = stack(outputs, 1);
    const double largest = double(max(abs(by_steps)).item());
    claim("sys-s4/a",
          "the convolution and the recurrence of a layer with 8 channels over 512 "
          "steps, largest difference relative to the largest output",
          double(max(abs(by_kernel - by_steps)).item()) / largest, "<=", 1e-4);
    const Tensor kernel = layer.kernel(time);
    double worst = 0, scale = double(max(abs(kernel)).item());
    for (Index c = 0; c < channels; ++c) {
        std::vector<std::complex<double>> A, C;
        for (Index n = 0; n < states; ++n) {
            A.emplace_back(-std::exp(double(layer.log_decay.at({c, n}))),
                           double(layer.frequency.at({c, n})));
            C.emplace_back(double(layer.read_re.at({c, n})),
                           double(layer.read_im.at({c, n})));
        }
        const Numbers K =
            kernel_of(A, C, std::exp(double(layer.log_step.at({c}))), time);
        for (Index l = 0; l < time; ++l)
            worst = std::max(
                worst, std::abs(K[std::size_t(l)] - double(kernel.at({c, l}))) / scale);
    }
    claim("", "the kernels above against the library's, largest relative difference",
          worst, "<=", 1e-4);
}
//-

// In training the whole sequence is known, and the convolution has no step that waits. With a fast Fourier transform
// it takes about $T \log T$ multiplications; the library's {cpp:func}`~recto::conv1d` takes $T^2$, which is fine for
// the lengths of this page. When a trained network *writes* a sequence, it needs one step at a time, and the
// recurrence does it with $N$ numbers for each channel, however long the text has become.
//
// ## The first letter
//
// A test of long memory: a sequence begins with one of eight letters, and 511 random digits follow. After the last one
// the network must name the letter. It consists of a dense layer, one S4D layer with 32 channels of 16 modes, and a
// classifier. Only the output at the last time is needed, and that is a single weighted sum over the past:
const Index channels = 32, symbols = 16;
struct Recaller {
    nn::Linear embed;
    nn::StateSpace layer;
    nn::Linear classify;
    Tensor operator()(const Tensor& x) const {  // (batch, time, symbols), one-hot
        const Tensor u = embed(x), kernel = layer.kernel(x.size(1));
        const Tensor weights = transpose(flip(kernel, {1}));  // (time, channels)
        return classify(gelu(sum(u * weights, {1})));
    }
    void visit(auto&& part) {
        part("embed", embed), part("layer", layer), part("classify", classify);
    }
};
//- sequences, training, and the study
const Index kinds = 8, reach = 512, batch = 32;
struct Task {
    Tensor x;        // (count, time, symbols)
    Integers first;  // (count)
};
Task draw_task(Index count, Generator& random) {
    std::vector<Index> all, first;
    for (Index n = 0; n < count; ++n) {
        first.push_back(random.next_integer(0, kinds));
        all.push_back(first.back());
        for (Index t = 1; t < reach; ++t)
            all.push_back(random.next_integer(kinds, symbols));
    }
    return {one_hot(Integers({count, reach}, all), symbols), Integers({count}, first)};
}

// Accuracies on 1,000 fresh sequences after each tenth of the training.
const Index training = 400;
Study::Row learn(
    const Study::Row& cell) {  // the longest first step, the rate, the draw
    Generator random(100 + std::uint64_t(cell[2]));
    const nn::Linear embed(symbols, channels, random);
    const nn::StateSpace layer(channels, 16, random,
                               {.shortest = cell[0] / 100, .longest = cell[0]});
    const Recaller net{embed, layer, nn::Linear(channels, kinds, random)};
    optim::Adam adam(nn::parameters(net));
    Generator others(1001);
    const Task to_judge = draw_task(1000, others);
    Study::Row found;
    for (Index step = 1; step <= training; ++step) {
        adam.options.lr = cell[1] * (1 - double(step - 1) / double(training));
        const Task task = draw_task(batch, random);
        adam.zero_grad();
        cross_entropy(net(task.x), task.first).backward();
        optim::clip_norm(adam.parameters(), 1);
        adam.step();
        if (step % (training / 10) != 0) continue;
        const NoGrad only_asking;
        found.push_back(nn::accuracy(net(to_judge.x), to_judge.first));
    }
    return found;
}

const std::vector<double> ranges = {0.1, 1, 10}, rates = {1e-2, 3e-2},
                          draws = {1, 2, 3};
std::vector<Study::Row> all_cells() {
    std::vector<Study::Row> cells;
    for (const double longest : ranges)
        for (const double rate : rates)
            for (const double draw : draws) cells.push_back({longest, rate, draw});
    return cells;
}
const Study recall({"state_spaces_recall",
                    {"longest_step", "rate", "draw"},
                    {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"},
                    {"sys-s4/c"},
                    0.02},
                   all_cells(), learn);

// The rows with this longest first step, at the rate with the best mean accuracy after training.
struct Best {
    double rate = 0;
    std::vector<double> final;
    std::vector<std::vector<double>> curves;
};
Best best(double longest) {
    Best found;
    double highest = -1;
    for (const double rate : rates) {
        Best at{rate, {}, {}};
        double total = 0;
        for (const Study::Row& row : recall.frozen().rows)
            if (row[0] == longest && row[1] == rate) {
                total += row[12], at.final.push_back(row[12]);
                at.curves.emplace_back(row.begin() + 3, row.begin() + 13);
            }
        if (total > highest) highest = total, found = at;
    }
    return found;
}

void recall_first() {
    const Best slow = best(0.1), middle = best(1), fast = best(10);
    Numbers steps;
    for (int k = 1; k <= 10; ++k) steps.push_back(double(k * training / 10));
    Figure("fig-recall")
        .describe(
            "The share of first letters that are named right against the training "
            "step, three draws for each of three ranges of first time steps.")
        .lines("steps 0.001 to 0.1", steps, slow.curves, {.color = figure::blue})
        .lines("steps 0.01 to 1", steps, middle.curves, {.color = figure::green})
        .lines("steps 0.1 to 10", steps, fast.curves, {.color = figure::red})
        .rule_y(1.0 / double(kinds), "guessing")
        .x("training step")
        .y("share of first letters right")
        .ylim(0, 1)
        .save(
            "The first letter after 512 times, for three ranges of the time steps "
            "$\\Delta$ before training; three draws each, at the better of two "
            "learning "
            "rates.");
    say("share of first letters right, first steps from 0.001 to 0.1: {}; from 0.01 to "
        "1: {}; from 0.1 to 10: {}",
        book::brief(over_seeds(slow.final)), book::brief(over_seeds(middle.final)),
        book::brief(over_seeds(fast.final)));
    for (const double longest : ranges) {
        Generator random(book::seed());
        const nn::StateSpace layer(channels, 16, random,
                                   {.shortest = longest / 100, .longest = longest});
        double most = 0;
        Index of = 0;
        for (Index c = 0; c < channels; ++c)
            for (Index n = 0; n < 16; ++n) {
                const std::complex<double> half =
                    std::exp(double(layer.log_step.at({c}))) / 2 *
                    std::complex<double>(-0.5, double(layer.frequency.at({c, n})));
                const double left = std::pow(std::abs((1. + half) / (1. - half)), 512);
                if (left > most) most = left, of = n;
            }
        say("steps up to {}: after 512 steps the most persistent mode, number {}, has "
            "{:.2f} of its size",
            longest, of, most);
    }
    claim("sys-s4/c",
          "share of right answers when the first of 512 symbols is asked for",
          over_seeds(slow.final), ">=", 0.95);
    if (!retrain()) return;
    const Study::Row again = recall.measure({0.1, slow.rate, 1});
    for (const Study::Row& row : recall.frozen().rows)
        if (row[0] == 0.1 && row[1] == slow.rate && row[2] == 1)
            claim("",
                  "the share of a network that was trained again, against the kept one",
                  std::abs(again[9] - row[12]), "<=", 0.01);
}
//-

// The layer learns to name the letter in a few hundred steps, from each of three ranges of first time steps. The
// first range was our choice: with a step of 0.001 a mode keeps three quarters of its size over 512 steps. We
// expected the longest steps, up to 10, to fail, because with $\Delta = 0.1$ mode 0 already keeps only $e^{-0.05
// \cdot 512} = 8\times10^{-12}$ of its size. They learn fastest. A likely reason is the bilinear rule; a comparison
// with another rule for the same steps is not on this page. For a fast mode $\Delta A / 2$ is a large, nearly
// imaginary number $p$, and then $\bar A = (1 + p) / (1 - p)$ is close to $-1$: the mode changes its sign at each
// step and hardly decays. It is no longer the wave that the differential equation describes, but it remembers. So
// long steps do not make every memory short, and the frequencies of a trained layer need not be what they were
// called.
//
// ## Limits
//
// The digits of this task are other symbols than the letters, so the dense layer can blank them out before they reach
// the state. If letters followed letters, a kernel would have to single out one of 512 times, and a few smooth waves
// cannot do this. A state space is linear between its input and its output: what a fixed kernel cannot do, it leaves
// to the layers above it. And the kernel is the same for all sequences. It can weigh an input by its age, and not by
// what the input is.

void page() {
    remember(draw_memory());
    draw_modes();
    two_views();
    recall_first();
}

// ## Summary
//
// A state space moves its state by a fixed matrix and adds the input. The HiPPO matrix makes the state the
// coefficients of a polynomial that runs through the whole past. S4 and S4D put many such memories side by side, and
// because no step depends on the input, a whole sequence is one convolution in training and one small step at a time
// in use.
//
// ## What is missing
//
// The layer treats every input alike: if some inputs matter and others do not, it must store them all. Mamba
// {cite:p}`gu2023` lets each input choose its own time step; the library has the layer,
// {cpp:class}`~recto::nn::SelectiveStateSpace`. A layer can also look back at all inputs at once and choose among them.
// [The next page](soft_switch.cpp) is about attention.
//
// ```{try}
// - A state that is large enough: `--state 40`. Where does the rebuilt curve still miss the signal?
// - A signal that is too fast: `--periods 30`. How large must the state be now?
// ```
