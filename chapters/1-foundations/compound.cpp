// # Multi-task learning: several outputs
//
// ```{rows} sys-conditional-and-compound
// ```
//
// A number, a name, a density: three forms of question, each with its loss. Real questions mix them
// {cite:p}`fleuret2023`. A camera should say what is in the image *and* where; an image may show several things at
// once; or the answer is a number, and we also want to know how certain it is. One idea covers all of this: the network
// has **several outputs**, each with a meaning of its own, and where there are several losses, they are added. This page
// does it three times: **multi-task learning** with two heads, several labels for one image, and a regression that predicts its own
// uncertainty.
//
// The last of the three predicts a curve together with the width of its own errors. From which
// step on can you believe the width? Move the slider:
//
// ```{opening} fig-certainty
// ```
//- includes, names and options
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

const book::Option<Index> pictures("pictures", 6000, "how many images to learn from",
                                   {.quick = 1500, .least = 100, .most = 100'000});
const book::Option<Index> epochs("epochs", 12, "how often each image is seen",
                                 {.quick = 4, .least = 1, .most = 500});
const book::Option<double> balance(
    "balance", 1, "weight of the position's loss relative to the class's",
    {.least = 0.0});
const book::Option<Index> samples("samples", 6000,
                                  "number of samples of the regression",
                                  {.quick = 1000, .least = 10, .most = 100'000});
const book::Option<Index> noise_steps("noise-steps", 1000,
                                      "training steps of the regression",
                                      {.quick = 300, .least = 1, .most = 100'000});
//-

//- the training loop of the last pages, and how images are drawn
const Index hidden = 64;  // width of the hidden layers

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
//-

// ## Two heads: a class and a position
//
// An image of $16 \times 16$ pixels shows a disc, a ring or a cross, somewhere. We want to know which figure it is, and
// where its centre lies: a [classification](classification.cpp) and a [regression](regression.cpp) of the same image.
// Two networks could do it. But both tasks need the same features: the edges of a ring tell what it is and where it is.
// So both answers share the first layers, the **trunk**, and each task has a last layer of its own, a {term}`head`:
// three scores for the class, two numbers for the position.
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
    //- the names of the layers
    void visit(auto&& part) {
        part("low", low), part("high", high), part("name", name), part("place", place);
    }
};
//-

// Both heads read the same `h`, so the gradients of both losses meet there and train the trunk together.
//
// The two losses are added:
//
// $$ \Loss(w) = \Loss_{\text{class}}(w) + \beta \, \Loss_{\text{position}}(w) . $$
//
// The number $\beta$ sets an exchange rate: how many nats of cross-entropy are worth as much as one unit of squared
// error. The choice is ours. A useful start is losses of similar size. An untrained network pays about
// $\log 3 = 1.10$ nats for the class. The centres spread over seven pixels in each direction, a variance of
// $7^2/12 = 4.1$. We measure positions in units of two pixels, which divides their squared error by four, and take
// $\beta = 1$.
//- what a trained network says of the test images
struct Lesson {
    Examples test;
    std::vector<Index> names;   // the predicted classes of the test images
    Tensor places;              // the predicted positions
    double right = 0, off = 0;  // accuracy; distance in pixels
};
Lesson learn_both(Generator& random) {
    const Examples lessons = data::flat(data::figures(pictures(), random));
    Lesson lesson{data::flat(data::figures(2000, random)), {}, {}};
    const TwoHeads model{{256, hidden, random},
                         {hidden, hidden, random},
                         {hidden, 3, random},
                         {hidden, 2, random}};
    //-
    train(model, lessons, random, [&](const Examples& batch) {
        const auto [scores, place] = model(batch.x);
        return cross_entropy(scores, batch.labels) +
               balance() * mse_loss(place, (batch.targets - 7.5) / 2);
    });

    // After training, one forward pass answers both questions, and each head is judged by its own measure.
    //- the accuracy, and the distance in pixels
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
    // three times, each with new images and new initial weights
    Generator random(book::seed());
    const Lesson lesson = learn_both(random);
    std::vector<double> right = {lesson.right}, off = {lesson.off};
    for (std::uint64_t draw = 1; draw <= 2; ++draw) {
        Generator other(1000 * draw + book::seed());
        const Lesson again = learn_both(other);
        right.push_back(again.right), off.push_back(again.off);
    }
    report("sys-conditional-and-compound/c",
           "two heads: accuracy of the class on new images", over_seeds(right));
    report("sys-conditional-and-compound/c",
           "two heads: root mean squared distance of the position, in pixels",
           over_seeds(off));
    //-

    // In three runs, with new images and new initial weights each, all 2000 test images get the right class, and the
    // root mean squared distance of the position is below a tenth of a pixel ({numref}`fig-two-heads`).
    //- how the figure is drawn
    Figure figure("fig-two-heads");
    figure.columns(3).height(170);
    figure.describe(
        "Six small images of discs, rings and crosses. Above each stands the class "
        "that the network predicts, and a dot lies at the predicted centre, which "
        "is the centre of the figure.");
    for (Index i = 0; i < 6; ++i)
        panel(figure,
              std::string(figure_names[std::size_t(lesson.names[std::size_t(i)])]),
              select(lesson.test.x, 0, i))
            .dots("", {double(lesson.places.at({i, 0}))},
                  {15 - double(lesson.places.at({i, 1}))},
                  {.color = figure::ochre, .shape = figure::Shape::circle, .width = 7})
            .dots("centre", {double(lesson.places.at({i, 0}))},
                  {15 - double(lesson.places.at({i, 1}))},
                  {.color = figure::red, .shape = figure::Shape::circle, .width = 4});
    figure.save(
        "Two answers of one network about six new images: what (the words above) and "
        "where (the dot). Both are right in every image.");
}
//-

// ## Several labels at once
//
// Now an image may hold any of the three figures: none, one, two, or all. This is **multi-label classification**. There
// are $2^3 = 8$ possible answers; with a hundred labels there would be $2^{100}$. So we do not give each combination a
// score. We ask three questions, each with the answer yes or no.
//- images with several figures
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
//-

void several_names() {
    // The network is a multilayer perceptron with three scores. The loss decides what they mean. With a softmax the
    // three probabilities would sum to one, so the labels would compete: in an image with two figures, at most one of
    // them could get more than one half. Instead each score $z$ is turned into a probability by itself, with the
    // **sigmoid** $\sigma(z) = 1 / (1 + e^{-z})$. Scores of $-2$, $0$ and $2$ give 0.12, 0.5 and 0.88.
    //
    // Each answer then costs the negative logarithm of its probability. With $\sigma(z) = 0.881$, a *yes* costs
    // $-\log 0.881 = 0.13$ nats and a *no* costs $-\log 0.119 = 2.13$ nats. The mean over images and labels is the
    // {term}`binary cross-entropy`. With $y = 1$ for *yes* and $y = 0$ for *no*, one answer costs
    //
    // $$ -\, y \log \sigma(z) - (1 - y) \log (1 - \sigma(z)) . $$
    Generator random(book::seed() + 1);
    const Examples lessons = mixed(pictures(), random), test = mixed(2000, random);
    const nn::Mlp model({256, hidden, hidden, 3}, relu, random);
    train(model, lessons, random, [&](const Examples& batch) {
        return binary_cross_entropy(model(batch.x), batch.targets);
    });

    // To check the library's loss, the program computes the same sum from the definition, one answer at a time: the
    // negative log-likelihood of three answers that are independent given the image.
    //- the sum from the definition, and the accuracies
    const Tensor scores = [&] {
        const NoGrad only_asking;
        return model(test.x);
    }();
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
          "three times the binary cross-entropy minus the sum of the negative "
          "log-likelihoods",
          std::abs(3 * double(binary_cross_entropy(scores, test.targets).item()) -
                   plainly),
          "<=", 1e-6);
    say("accuracy of single answers: {:.3f}, of all three of an image: {:.3f}",
        questions, all_three);

    const double mean_sum = sum_of_full / full;
    //-
    ask("Some of the new images hold a disc, a ring and a cross, all three. What is "
        "the "
        "sum of the network's three probabilities for these images, on average?",
        {{"One, as probabilities must.", std::abs(mean_sum - 1) < 0.2,
          "Probabilities of classes that exclude each other sum to one. These labels "
          "do not exclude each other: each belongs to its own question, whose *other* "
          "answer is no."},
         {"Somewhat less than three.", mean_sum > 2 && mean_sum < 3,
          "Each of the three should be close to one. They fall short of one where a "
          "figure covers parts of another."},
         {"About one and a half, as if it did not know.",
          mean_sum >= 1.2 && mean_sum <= 2,
          "An untrained network says about one half to every question. This network is "
          "trained."}});

    // The network answers 96.5 % of the questions correctly, and all three of an image in 90.4 % of the images. If
    // mistakes were independent, we would expect $0.965^3 = 89.9$ %, so mistakes hardly cluster in the same images.
    // {numref}`fig-several` shows some of the harder images.
    //- how the figure is drawn
    Figure figure("fig-several");
    figure.columns(3).height(170);
    figure.describe(
        "Six small images with two or three figures laid over one another. Above each "
        "stand the labels to which the network says yes.");
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
        "New images with two or three figures, and above each all labels to which the "
        "network says yes. Cover the words and answer yourself: overlapping figures "
        "are hard for you, too.");
}
//-

// ## A number and its uncertainty
//
// The last case is a regression whose noise depends on the input, called {term}`heteroscedastic` noise. Here it grows
// from 0.1 at $x = 0$ to 0.5 at $x = 1$. The squared error finds the mean of $y$ and does not say how far the samples
// lie from it. [The page before](density.cpp) fitted a density to points. Here we fit a density of $y$ *given* $x$: a
// {term}`normal distribution` with one mean and one standard deviation for every $x$,
//
// $$ f(y \mid x; w) = \frac{1}{\sqrt{2\pi}\,\sigma(x; w)} \,
//    \exp\Big({-\frac{(y - \mu(x; w))^2}{2\,\sigma(x; w)^2}}\Big) . $$
//
// The network has two outputs for each $x$. We read one as $\mu$ and the other as $\log \sigma$; the logarithm may be any
// number, and its exponential is always positive. The loss is the negative logarithm of the density, without the
// constant $\log \sqrt{2\pi}$:
//
// $$ \log \sigma(x) + \frac{(y - \mu(x))^2}{2\,\sigma(x)^2} . $$
//
// Suppose that the samples miss $\mu$ by 0.3. With $\sigma = 0.1$ the loss is $-2.30 + 4.50 = 2.20$: too sure. With
// $\sigma = 1$ it is $0 + 0.045$: too cautious. With $\sigma = 0.3$ it is $-1.20 + 0.50 = -0.70$, the smallest value.
// In general the loss is smallest where $\sigma^2$ is the mean squared distance, so a network that minimises it reports
// the spread of the samples.
Tensor bell_loss(const Tensor& answer, const Tensor& y) {
    const Tensor mu = slice(answer, 1, 0, 1), log_sigma = slice(answer, 1, 1, 2);
    return mean(log_sigma + square((y - mu) * exp(-log_sigma)) / 2);
}

// Nothing else changes: the same kind of network, the same optimiser.
//- the predicted means and deviations, training, and the largest error
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
//-

void number_and_certainty() {
    Generator random(book::seed() + 2);
    const data::Samples seen = data::heteroscedastic_samples(samples(), random);
    const nn::Mlp model({1, 32, 32, 2}, tanh, random);

    // We record the network's outputs about twenty times during training. Afterwards we compare $\sigma(x)$ with the
    // true deviation on a grid and take the largest relative error, for three samples and networks.
    //- training, two more networks, and what is checked
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
    //-

    // The largest error of the learned deviation is 5 % in the median run and 8 % in the worst of the three. We draw
    // the worst run: its deviation is too large at $x = 1$, where the samples end. The figure shows what was recorded
    // during training.
    //- how the figure is drawn
    std::vector<double> middle, deviation;
    for (const double at : grid)
        middle.push_back(data::heteroscedastic_mean(at)),
            deviation.push_back(data::heteroscedastic_deviation(at));
    std::vector<double> some_x, some_y;
    for (std::size_t i = 0; i < seen.x.size();
         i += std::max<std::size_t>(1, seen.x.size() / 600))
        some_x.push_back(seen.x[i]), some_y.push_back(seen.y[i]);

    const figure::Style ours{
        .color = figure::blue, .dash = figure::solid, .points = false};
    const figure::Style theirs{
        .color = figure::ink, .dash = figure::dashed, .points = false};
    Figure figure("fig-certainty");
    figure.slider("step", settings, "steps", settings.back())
        .panel("mean and two deviations");
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

    figure.panel("the deviation");
    for (std::size_t i = 0; i < course.size(); ++i)
        figure.at(settings[i]).line("learned", grid, course[i].sigma, ours);
    figure.always()
        .line("true", grid, deviation, theirs)
        .x("x")
        .y("standard deviation")
        .ylim(0, 1);
    figure
        .describe(
            "First panel: dots around one wave of a sine, tight at the left and wide "
            "at the right; a line through their middle and a band that widens with "
            "them. Second panel: the learned deviation against x, close to the "
            "straight line from 0.1 to 0.5 that is true. A slider counts training "
            "steps; at first the band is nearly as wide everywhere.")
        .save(
            "A network that predicts its own uncertainty. Move the slider: after 50 "
            "steps the band is still wide where the mean is wrong, because an error "
            "of the mean looks like noise; after 200 steps mean and deviation lie "
            "close to "
            "the truth.");
    //-

    // No training example contained a $\sigma$. The targets are numbers $y$, and their scatter around $\mu(x)$ was
    // enough. If we keep $\sigma$ fixed, the loss is the squared error up to a factor and a constant. So least squares
    // and the likelihood of a normal distribution of constant width are the same problem. (Least squares also makes
    // sense without a normal distribution: for any noise it finds the mean of $y$ at each $x$.)
}

void page() {
    name_and_place();
    several_names();
    number_and_certainty();
}

// ## Summary
//
// One network can answer several questions if each has its own outputs and the losses are added; the weights of the sum
// are our choice. Labels that exclude each other share one softmax; labels that do not exclude each other get one
// sigmoid each. A network with outputs for mean and deviation learns both from the samples, because the likelihood is
// largest where the deviation matches the scatter.
//
// ## What is missing
//
// We have losses for numbers, classes, densities and mixtures of them, and small networks that train in seconds. But
// nothing so far says that training *must* find good weights. [The next page](hard_and_rich.cpp) has two arguments
// why deep learning should fail.
//
// ```{try}
// - Give the position little weight: `--balance 0.01`. Then the class: `--balance 100`. Which of the two answers suffers?
// - Give the regression few samples: `--samples 60`. Where is the network too sure, and why?
// - Stop early: `--noise-steps 100`. Which is closer to the truth by then, the mean or the deviation?
// ```
