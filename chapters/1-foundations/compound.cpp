// # More than one answer
//
// ```{rows} sys-conditional-and-compound
// ```
//
// A number, a name, a density: three forms of question, each with its loss. Real questions mix them. Something
// is in the picture *and* is somewhere; several things are in it at once; or the answer is a number, but how
// certain it is depends on the signal {cite:p}`fleuret2023`. None of this needs a new idea. A network returns a
// row of numbers; we decide what they mean; and the losses of the parts are added.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/curves.hpp>
#include <recto/data/drawings.hpp>
#include <recto/figure/enlarge.hpp>
#include <recto/figure/figure.hpp>
#include <recto/linalg/matrix.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/binary_cross_entropy.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::report, book::say;
using data::Batches, data::Examples, data::figure_names;
using figure::Figure, figure::enlarged;
//-

// Five numbers can be changed, and one is the same for all networks of the first half, the width of their hidden
// layers:
const book::Option<Index> pictures("pictures", 6000, "how many pictures to learn from",
                                   {.quick = 1500, .least = 100, .most = 100'000});
const book::Option<Index> epochs("epochs", 12, "how often each of them is seen",
                                 {.quick = 4, .least = 1, .most = 500});
const book::Option<double> balance("balance", 1,
                                   "weight of the position's loss beside the name's",
                                   {.least = 0.0});
const book::Option<Index> samples("samples", 6000,
                                  "samples with noise of changing size",
                                  {.quick = 1000, .least = 10, .most = 100'000});
const book::Option<Index> noise_steps("noise-steps", 1000, "training steps on them",
                                      {.quick = 300, .least = 1, .most = 100'000});

const Index hidden = 64;

// Two things serve the first half of the page. One is the training loop of the last pages: batches of 64
// pictures, in a new order every epoch, with ever shorter steps. The other draws pictures in a row, under the
// words that belong to them.
template <class Model>
void train(const Model& model, const Examples& lessons, Generator& random,
           const auto& loss) {
    optim::Adam adam(nn::parameters(model));
    const double last = double(epochs() * ((lessons.size() + 63) / 64));
    Index step = 0;
    for (Index epoch = 1; epoch <= epochs(); ++epoch) {
        book::progress(epoch, epochs(), "epochs");
        optim::fit(adam, Batches(lessons, 64, random), loss,
                   {.lr = [&](Index) { return 3e-3 * (1 - double(step++) / last); }});
    }
}
Figure& panel(Figure& figure, const std::string& words, const Tensor& image) {
    const double half = 0.5, end = double(data::drawing_size) - half;
    figure.panel(words).field(-half, end, -half, end, 96,
                              enlarged(image.values(), 16, 6));
    return figure.bare();
}

// ## A name and a place
//
// A picture shows a disc, a ring or a cross, somewhere. We want to know which, and where: one classification
// and one regression of the same picture. Two networks would do. But whoever says where a ring is has seen the
// ring, so let both answers grow from one *trunk*. What is left is a *head* for each: three scores, two
// numbers.
struct TwoHeads {
    nn::Linear low, high;  // the trunk
    nn::Linear name, place;

    struct Answer {
        Tensor scores, place;
    };
    Answer operator()(const Tensor& x) const {
        const Tensor h = relu(high(relu(low(x))));
        return {name(h), place(h)};
    }
    void visit(auto&& part) {
        part("low", low), part("high", high), part("name", name), part("place", place);
    }
};

// The losses of the two heads are added. One thing has to be decided, and no theory does it for us: how
// many nats of doubt about the name weigh as much as one unit of error in the place. We measure places in
// units of two pixels, so that both losses begin at a size of about one, and add them as they are.
struct Lesson {
    Examples test;
    std::vector<Index> names;   // what the network says of the test pictures
    Tensor places;              // and where
    double right = 0, off = 0;  // share of right names; distance in pixels
};
Lesson learn_both(Generator& random) {
    const Examples lessons = data::flat(data::figures(pictures(), random));
    Lesson lesson{data::flat(data::figures(2000, random)), {}, {}};
    const TwoHeads model{{256, hidden, random},
                         {hidden, hidden, random},
                         {hidden, 3, random},
                         {hidden, 2, random}};
    train(model, lessons, random, [&](const Examples& batch) {
        const auto [scores, place] = model(batch.x);
        return cross_entropy(scores, batch.labels) +
               balance() * mse_loss(place, (batch.targets - 7.5) / 2);
    });

    // Trained, it answers both questions at once, and each head is judged by itself.
    const NoGrad only_asking;
    const auto [scores, place] = model(lesson.test.x);
    lesson.names = argmax(scores).values();
    lesson.places = place * 2 + 7.5;
    lesson.right = nn::accuracy(scores, lesson.test.labels);
    const Tensor squared = mse_loss(lesson.places, lesson.test.targets);
    lesson.off = std::sqrt(2 * double(squared.item()));  // both coordinates
    return lesson;
}

void name_and_place() {
    // We train it three times, with pictures and first weights of its own each time:
    Generator random(book::seed());
    const Lesson lesson = learn_both(random);
    std::vector<double> right = {lesson.right}, off = {lesson.off};
    for (std::uint64_t draw = 1; draw <= 2; ++draw) {
        Generator other(1000 * draw + book::seed());
        const Lesson again = learn_both(other);
        right.push_back(again.right), off.push_back(again.off);
    }
    report("sys-conditional-and-compound/c",
           "two heads: share of right names on new pictures", over_seeds(right));
    report("sys-conditional-and-compound/c",
           "two heads: root mean squared distance of the place, in pixels",
           over_seeds(off));

    // {numref}`fig-two-heads` shows both answers for six of the pictures.
    Figure figure("fig-two-heads");
    figure.columns(3).height(170);
    figure.describe(
        "Six small pictures of discs, rings and crosses. Above each stands the name "
        "that the network gives, and a red dot lies where it sees the centre, which is "
        "the centre of the figure.");
    for (Index i = 0; i < 6; ++i)
        panel(figure,
              std::string(figure_names[std::size_t(lesson.names[std::size_t(i)])]),
              select(lesson.test.x, 0, i))
            .dots("centre", {double(lesson.places.at({i, 0}))},
                  {15 - double(lesson.places.at({i, 1}))},
                  {.color = figure::red, .shape = figure::Shape::circle, .width = 4});
    figure.save(
        "Two answers of one network about six new pictures: what (the words above) and "
        "where (red).");
}

// ## Several names at once
//
// Now let a picture hold any of the three figures, together: none, one, two, or all. Which names belong to it?
// There are $2^3$ possible answers, and a score for each of them would soon be too many. We ask three questions
// instead, each with the answer yes or no.
Examples mixed(Index count, Generator& random) {
    Tensor x = zeros({count, 1, 16, 16}), targets = zeros({count, 3});
    for (int layer = 0; layer < 3; ++layer) {
        const Examples one = data::figures(count, random);
        std::vector<Real> coins;
        for (Index i = 0; i < count; ++i)
            coins.push_back(Real(random.next_integer(0, 2)));
        x = maximum(x, one.x * Tensor({count, 1, 1, 1}, coins));  // on top, or not
        targets = maximum(targets, one_hot(one.labels, 3) * Tensor({count, 1}, coins));
    }
    return data::flat(
        Examples{x, {}, targets, "synthetic: figures laid over one another"});
}

void several_names() {
    // The network is the usual one with three scores. What they mean is up to the loss. Were it the
    // cross-entropy, the three probabilities would sum to one: the names would compete, and a picture with two
    // figures could give neither of them more than a half. Instead every score $s$ is taken by itself, and the
    // sigmoid makes a probability of it, $\sigma(s) = 1 / (1 + e^{-s})$. The loss is the *binary
    // cross-entropy*.
    Generator random(book::seed() + 1);
    const Examples lessons = mixed(pictures(), random), test = mixed(2000, random);
    const nn::Mlp model({256, hidden, hidden, 3}, relu, random);
    train(model, lessons, random, [&](const Examples& batch) {
        return binary_cross_entropy(model(batch.x), batch.targets);
    });

    const Tensor scores = [&] {
        const NoGrad only_asking;
        return model(test.x);
    }();

    // There is nothing new in it. It is the negative log-likelihood of three separate answers, each yes with
    // probability $\sigma(s)$ and no otherwise, and independent given the picture. We compute that sum in the
    // plainest way and compare. The library takes the mean over pictures *and* names, hence the 3.
    const std::vector<Real> s = scores.values(), yes = test.targets.values();
    double plainly = 0, questions = 0, all_three = 0, sum_of_full = 0, full = 0;
    for (std::size_t i = 0; i < s.size(); i += 3) {
        double right = 0, total = 0, present = 0;
        for (std::size_t k = i; k < i + 3; ++k) {
            const double p = 1 / (1 + std::exp(-double(s[k])));
            plainly -= std::log(yes[k] > 0 ? p : 1 - p) / double(test.size());
            right += (p > 0.5) == (yes[k] > 0), total += p, present += double(yes[k]);
        }
        questions += right / double(s.size()),
            all_three += (right == 3) / double(test.size());
        if (present == 3) sum_of_full += total, ++full;
    }
    claim("sys-conditional-and-compound/b",
          "binary cross-entropy against the sum of binary negative log-likelihoods",
          std::abs(3 * double(binary_cross_entropy(scores, test.targets).item()) -
                   plainly),
          "<=", 1e-6);
    say("questions answered rightly: {:.3f}, all three of a picture: {:.3f}", questions,
        all_three);

    const double mean_sum = sum_of_full / full;
    ask("Some of the new pictures hold a disc, a ring and a cross, all three. What do "
        "the network's three probabilities sum to for them, on average?",
        {{"To one, as probabilities must.", std::abs(mean_sum - 1) < 0.2,
          "Probabilities of names that exclude each other must. These do not exclude "
          "each other: each belongs to a question of its own, whose *other* answer is "
          "no."},
         {"To somewhat less than three.", mean_sum > 2 && mean_sum < 3,
          "Each of the three should be close to one. They fall short of it because "
          "figures hide one another."},
         {"To about one and a half, as if it did not know.",
          mean_sum >= 1.2 && mean_sum <= 2,
          "That is near what the network would say if it had learned nothing."}});

    // {numref}`fig-several` shows some of the harder pictures.
    Figure figure("fig-several");
    figure.columns(3).height(170);
    figure.describe(
        "Six small pictures with two or three figures laid over one another. Above "
        "each stand the names that the network says yes to.");
    for (Index i = 0, shown = 0; i < test.size() && shown < 6; ++i) {
        if (yes[std::size_t(3 * i)] + yes[std::size_t(3 * i + 1)] +
                yes[std::size_t(3 * i + 2)] <
            Real(shown < 4 ? 2 : 3))
            continue;
        std::string words;
        for (std::size_t k = 0; k < 3; ++k)
            if (s[std::size_t(3 * i) + k] > 0)
                words += (words.empty() ? "" : ", ") + std::string(figure_names[k]);
        panel(figure, words.empty() ? "nothing" : words, select(test.x, 0, i)), ++shown;
    }
    figure.save(
        "New pictures with two figures or three, and above each all that the network "
        "says yes to. Where figures cover one another, you may doubt too.");
}

// ## A number, and how certain
//
// Last, a regression in which the noise depends on the input. The squared error fits the middle and is silent
// about the rest. But on [the page before](density.cpp) we saw what to do when we want to know how likely
// things are: fit a density. Here it is a density of $y$ *given* $x$, one bell for every $x$:
//
// $$ f(y \mid x; w) = \frac{1}{\sqrt{2\pi}\,\sigma(x; w)} \,
//    \exp\Big({-\frac{(y - \mu(x; w))^2}{2\,\sigma(x; w)^2}}\Big) . $$
//
// The network returns two numbers for each $x$; we call one of them $\mu$ and the other $\log \sigma$. The
// negative logarithm of the bell, less a constant, is the loss. To hold $\sigma$ large costs its logarithm; to
// hold it small costs the squared error, divided by something small. The balance of the two is the true
// deviation.
Tensor bell_loss(const Tensor& answer, const Tensor& y) {
    const Tensor mu = slice(answer, 1, 0, 1), log_sigma = slice(answer, 1, 1, 2);
    return mean(log_sigma + square((y - mu) * exp(-log_sigma)) / 2);
}

// What it believes of $y$ at many places is a middle and a width, and a band of two widths on both sides:
struct Belief {
    std::vector<double> mu, sigma, low, high;
};
Belief beliefs(const nn::Mlp& model, const std::vector<double>& at) {
    const NoGrad only_asking;
    const std::vector<Real> answer = model(linalg::column_of(at)).values();
    Belief b;
    for (std::size_t i = 0; i < answer.size(); i += 2) {
        const double mu = double(answer[i]), sigma = std::exp(double(answer[i + 1]));
        b.mu.push_back(mu), b.sigma.push_back(sigma);
        b.low.push_back(mu - 2 * sigma), b.high.push_back(mu + 2 * sigma);
    }
    return b;
}

// Training is as usual, with steps that get shorter. What it has learned of the noise is judged where it is worst:
void fit_bell(const nn::Mlp& model, const data::Samples& seen, const auto& after_step) {
    const Tensor x = linalg::column_of(seen.x), y = linalg::column_of(seen.y);
    optim::Adam adam(nn::parameters(model));
    const optim::FitOptions slower{
        .steps = noise_steps(), .lr = [](Index step) {
            return 0.01 * (1 - double(step) / double(noise_steps()));
        }};
    optim::fit(
        adam, [&] { return bell_loss(model(x), y); }, slower, after_step);
}
double farthest_sigma(const nn::Mlp& model) {
    const std::vector<double> grid = data::even_grid(101, 0, 1),
                              sigma = beliefs(model, grid).sigma;
    double worst = 0;
    for (std::size_t i = 0; i < grid.size(); ++i)
        worst = std::max(
            worst, std::abs(sigma[i] / data::heteroscedastic_deviation(grid[i]) - 1));
    return worst;
}

void number_and_certainty() {
    Generator random(book::seed() + 2);
    const data::Samples seen = data::heteroscedastic_samples(samples(), random);
    const nn::Mlp model({1, 32, 32, 2}, tanh, random);

    // While it trains we keep what it believes, about twenty times, so that we can look at it afterwards.
    const std::vector<double> grid = data::even_grid(101, 0, 1);
    std::vector<double> settings = {0};
    std::vector<Belief> course = {beliefs(model, grid)};
    const Index every = std::max<Index>(1, noise_steps() / 20);
    fit_bell(model, seen, [&](const optim::Progress& now) {
        book::progress(now.step, noise_steps(), "steps");
        if (now.step % every != 0) return;
        settings.push_back(double(now.step));
        course.push_back(beliefs(model, grid));
    });
    const double worst = farthest_sigma(model);

    // Two other samples, with other first weights:
    std::vector<double> largest = {worst};
    for (std::uint64_t draw = 1; draw <= 2; ++draw) {
        Generator other(1000 * draw + book::seed());
        const data::Samples theirs = data::heteroscedastic_samples(samples(), other);
        const nn::Mlp again({1, 32, 32, 2}, tanh, other);
        fit_bell(again, theirs, [](const optim::Progress&) {});
        largest.push_back(farthest_sigma(again));
    }
    claim("sys-conditional-and-compound/a",
          "learned against true deviation, largest relative error on a grid of x",
          over_seeds(largest), "<=", 0.15);

    // {numref}`fig-certainty` shows what it believed on its way, beside what is true. The samples are many; one in
    // ten is enough to see them.
    std::vector<double> middle, deviation;
    for (const double at : grid)
        middle.push_back(data::heteroscedastic_mean(at)),
            deviation.push_back(data::heteroscedastic_deviation(at));
    std::vector<double> some_x, some_y;
    for (std::size_t i = 0; i < seen.x.size();
         i += std::max<std::size_t>(1, seen.x.size() / 600))
        some_x.push_back(seen.x[i]), some_y.push_back(seen.y[i]);

    // On the left stands what it says of $y$, a line and a band, behind a slider. The samples and the true mean
    // stay.
    const figure::Style ours{
        .color = figure::blue, .dash = figure::solid, .points = false};
    const figure::Style theirs{
        .color = figure::ink, .dash = figure::dashed, .points = false};
    Figure figure("fig-certainty");
    figure.slider("step", settings, "steps", settings.back())
        .panel("what it says of y");
    for (std::size_t i = 0; i < course.size(); ++i)
        figure.at(settings[i])
            .band("two deviations", grid, course[i].low, course[i].high,
                  {.color = figure::blue, .opacity = 0.25})
            .line("learned", grid, course[i].mu, ours);
    figure.always()
        .dots("sample", some_x, some_y,
              {.color = figure::grey,
               .shape = figure::Shape::circle,
               .width = 1.5,
               .opacity = 0.6})
        .line("true", grid, middle, theirs)
        .x("x")
        .y("y")
        .ylim(-2.6, 2.6);

    // On the right stands the width of the band by itself.
    figure.panel("its deviation");
    for (std::size_t i = 0; i < course.size(); ++i)
        figure.at(settings[i]).line("learned", grid, course[i].sigma, ours);
    figure.always()
        .line("true", grid, deviation, theirs)
        .x("x")
        .y("standard deviation")
        .ylim(0, 1);
    figure
        .describe(
            "Left: dots around one wave of a sine, tight at the left and wide at the "
            "right; a line through their middle and a band that widens with them. "
            "Right: the learned deviation against x, close to the straight line from "
            "0.1 to 0.5 that is true. A slider counts training steps; at first the "
            "band is as wide everywhere.")
        .save(
            "A network that says how sure it is. Move the slider: first it finds the "
            "middle, with nearly one width for all; then the width learns to follow.");

    // Nobody ever showed it a $\sigma$. The targets are numbers $y$, and still the spread was learned, because
    // a likelihood asks for all that makes the data likely. Keep $\sigma$ fixed, and the loss is the squared
    // error, up to scale and a constant. That is what the squared error has meant since the first page: a bell
    // of the same width everywhere.
}

void page() {
    name_and_place();
    several_names();
    number_and_certainty();
}

// ## What is missing
//
// We have losses for most of what one can ask, and small networks that answer. Everything took seconds.
// Soon it will not, and then it matters what the machine is good at: [the next page](hardware.cpp) looks at
// it.
//
// ```{try}
// - Care little for the place: `--balance 0.01`. And little for the name: `--balance 100`. Who pays?
// - Give the last network few samples: `--samples 60`. Where is it sure, and why?
// - Stop it early: `--noise-steps 100`. What does it know by then?
// ```
