// # Which of ten
//
// ```{rows} sys-cat-classification claim-classification-as-regression
// ```
//
// The second form of answer is a *name*: one of a finite set, and the set is known beforehand. Which letter,
// which sickness, which word comes next. This is *classification*. It looks harder than regression, because
// names cannot be added or averaged. The way out is short: do not predict the name, predict one *score* for
// each name, and take the largest.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/stopwatch.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/images.hpp>
#include <recto/linalg/products.hpp>
#include <recto/linalg/solve.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::over_seeds, book::report, book::say,
    book::timing, book::timing_claim;
using data::Batches, data::Examples, data::fashion_names, data::Part;
using figure::Figure, figure::Images, figure::Names;
using linalg::Matrix;
//-

// Five numbers can be changed:
const book::Option<Index> pictures("pictures", 60'000,
                                   "how many pictures to learn from",
                                   {.quick = 4000, .least = 100, .most = 60'000});
const book::Option<Index> epochs("epochs", 5, "how often each of them is seen",
                                 {.quick = 2, .least = 1, .most = 100});
const book::Option<Index> hidden("hidden", 100, "width of the hidden layer",
                                 {.least = 1, .most = 2000});
const book::Option<Index> batch_size("batch", 128, "pictures in a batch",
                                     {.least = 1, .most = 60'000});
const book::Option<double> rate("rate", 1e-3, "length of the first step",
                                {.least = 0.0});

// The clothes again: ten names, numbered from 0 to 9. Two of the names are long.
std::string name_of(Index label) {
    return std::string(fashion_names[std::size_t(label)]);
}
std::string short_name(Index label) {
    return label == 0 ? "T-shirt" : label == 9 ? "boot" : name_of(label);
}

// What counts in the end is how often the name is right.
double accuracy(const std::vector<Index>& said, const std::vector<Index>& right) {
    Index hits = 0;
    for (std::size_t i = 0; i < said.size(); ++i) hits += said[i] == right[i];
    return double(hits) / double(said.size());
}

// ## Scores by least squares
//
// How should a picture be turned into ten scores? We know one method well, so let us first see how far it goes.
// Ask for the score 1 where the name is right and 0 where it is wrong, a *one-hot* target, and solve ten
// regressions at once by the normal equations of the [first page](fit_curve.cpp). A picture is 784 pixels and a
// constant, so the matrix has 785 rows; it is summed up over batches, because the sum needs little memory
// however many pictures there are.
struct Sums {
    Matrix gram = Matrix(785, 785), products = Matrix(785, 11);  // Phi' Phi and Phi' Y
};
Matrix with_constant(const Examples& part) {
    const std::vector<Real> pixels = part.x.values();
    Matrix phi(part.size(), 785, 1);
    for (Index i = 0; i < phi.rows; ++i)
        std::copy_n(&pixels[std::size_t(i * 784)], 784, phi.row(i));
    return phi;
}
Sums sum_up(const Examples& train) {
    Sums sums;
    for (const Examples& part : Batches(train, 2000)) {
        const Matrix phi = with_constant(part);
        const std::vector<Index> labels = part.labels.values();
        Matrix y(phi.rows, 11);
        for (Index i = 0; i < phi.rows; ++i) {
            const Index label = labels[std::size_t(i)];
            y(i, label) = 1;           // ten scores ...
            y(i, 10) = double(label);  // ... and, for later, the number of the name
        }
        linalg::add_scaled(sums.gram.values, 1, linalg::gram(phi).values);
        linalg::add_scaled(sums.products.values, 1,
                           linalg::transpose_matmul(phi, y).values);
    }
    return sums;
}

// ## Scores by likelihood
//
// Least squares wants a score of exactly 1. A picture that is so clearly a boot that its score is 2 costs as
// much as one that is scored 0. That is silly, and it follows from treating scores as amounts. What we really
// want of scores is that the right one is the largest, by a good margin. So we make probabilities of them and
// ask for the right name to be *probable*. The softmax turns any ten numbers $s_1, \dots, s_{10}$ into ten
// positive ones that sum to one, and the loss is the negative logarithm of the one that belongs to the true
// name $y$:
//
// $$ p_k = \frac{e^{s_k}}{\sum_j e^{s_j}}, \qquad \Loss(w) = - \frac1N \sum_{n=1}^N \log p_{y_n}(x_n; w) . $$
//
// It is called the *cross-entropy*; {cpp:func}`~recto::cross_entropy` takes scores and labels. Its unit, since the
// logarithm is the natural one, is the *nat*. It is zero only for complete certainty, and it punishes certainty
// in the wrong name without bound. Its minimum has no closed form. But any model that returns ten numbers can
// be trained with it. To ask it for names afterwards takes no loss at all, only the largest score:
template <class Model>
std::vector<Index> names_for(const Model& model, const Tensor& x) {
    const NoGrad only_asking;
    return argmax(model(x)).values();
}

// The training loop is the one we have. It also writes down how training went: the loss, and how often the
// model is right, on pictures it learns from and on new ones.
struct Course {
    std::vector<double> loss, train, test;  // after every epoch
    double seconds = 0;                     // spent on training alone
};

template <class Model>
Course train(const Model& model, const Examples& lessons, const Examples& test,
             Generator& random) {
    Course course;
    optim::Adam adam(nn::parameters(model));
    const double last =
        double(epochs() * ((lessons.size() + batch_size() - 1) / batch_size()));
    Index step = 0;
    const auto shorter = [&](Index) { return rate() * (1 - double(step++) / last); };
    const Examples sample =
        data::slice(lessons, 0, std::min<Index>(10'000, lessons.size()));

    // The steps get shorter evenly, down to nothing. After every epoch the model is asked twice.
    for (Index epoch = 1; epoch <= epochs(); ++epoch) {
        book::progress(epoch, epochs(), "epochs");
        const double start = book::now();
        const auto fitted =
            optim::fit(adam, Batches(lessons, batch_size(), random),
                       [&](const Examples& batch) {
                           return cross_entropy(model(batch.x), batch.labels);
                       },
                       {.lr = shorter});
        course.seconds += book::seconds_since(start);
        course.loss.push_back(fitted.loss);
        course.train.push_back(
            accuracy(names_for(model, sample.x), sample.labels.values()));
        course.test.push_back(accuracy(names_for(model, test.x), test.labels.values()));
    }
    return course;
}

void page() {
    // First the pixels are brought to numbers around zero, of size one, with the two numbers that we found on
    // [another page](tensors.cpp).
    const auto standardised = [](Examples set) {
        set.x = (set.x - 0.286) / 0.353;
        return data::flat(set);
    };
    const Examples lessons =
        standardised(data::slice(data::fashion_mnist(Part::train), 0, pictures()));
    const Examples test = standardised(data::fashion_mnist(Part::test));
    const std::vector<Index> truth = test.labels.values();
    say("pictures {}, labels {}", lessons.x.shape(), lessons.labels.shape());

    // ## Ten regressions
    //
    // Least squares. A few pixels at the border are dark in nearly every picture, which makes the matrix nearly
    // singular; a millionth of its mean diagonal, added to the diagonal, cures that and changes nothing else.
    Sums sums = sum_up(lessons);
    double trace = 0;
    for (Index i = 0; i < 785; ++i) trace += sums.gram(i, i);
    for (Index i = 0; i < 785; ++i) sums.gram(i, i) += 1e-6 * trace / 785;
    const Matrix scores = linalg::matmul(
        with_constant(test), linalg::cholesky_solve(sums.gram, sums.products));

    std::vector<Index> largest, rounded;
    for (Index i = 0; i < scores.rows; ++i) {
        const double* s = scores.row(i);
        largest.push_back(std::max_element(s, s + 10) - s);
        rounded.push_back(std::clamp<Index>(std::lround(s[10]), 0, 9));
    }
    const double squares = accuracy(largest, truth), numbers = accuracy(rounded, truth);
    claim_in("claim-classification-as-regression/a",
             "the test accuracy of least squares on one-hot targets", squares, 0.808,
             0.814);

    // Most new pictures get the right name, by a method of 1805 {cite:p}`legendre1805`. So classification can
    // indeed be treated as regression of scores {cite:p}`fleuret2023`. The score is a number, the largest wins,
    // done.
    //
    // Did it need ten scores? The names have numbers. One regression on that number, rounded to the nearest
    // name, would need a tenth of the weights.
    ask("One linear model predicts the number of the name, from 0 (T-shirt/top) to 9 "
        "(ankle boot), and we round. How many of the test pictures get the right name?",
        {{"About as many as with ten scores: the numbers say the same.",
          numbers >= squares - 0.1,
          "To the regression a trouser (1) lies between a T-shirt (0) and a pullover "
          "(2), and ten mistakes by one are better than one mistake by four. Nothing "
          "in the clothes is like that."},
         {"Far fewer, but more than by guessing.",
          numbers < squares - 0.1 && numbers > 0.2,
          "The order of the names is an accident, and the model must serve it: "
          "whatever is uncertain is put in the middle, where other names live."},
         {"One in ten: the numbers are arbitrary, so nothing can be learned.",
          numbers <= 0.2,
          "They are arbitrary, but each still goes with its pictures. Part of that a "
          "linear function can follow, for the last names are nearly all shoes."}});

    // ## One loss for names
    //
    // Now the same linear model, ten scores from 784 pixels, with the cross-entropy. This is *softmax
    // regression*. It starts from zero and sees each picture five times, in batches of 128.
    Generator random(book::seed());
    const nn::Linear line(784, 10, random, {.weights = nn::zeros_init});
    const Course linear = train(line, lessons, test, random);

    // The order of the batches is drawn by chance, so we train it in two other orders as well:
    std::vector<double> lines = {linear.test.back()}, gains = {lines[0] - squares};
    for (std::uint64_t draw = 1; draw <= 2; ++draw) {
        Generator other(1000 * draw + book::seed());
        const nn::Linear again(784, 10, other, {.weights = nn::zeros_init});
        lines.push_back(train(again, lessons, test, other).test.back());
        gains.push_back(lines.back() - squares);
    }
    report("sys-cat-classification/b", "the test accuracy of softmax regression",
           over_seeds(lines));
    claim("claim-classification-as-regression/b",
          "its test accuracy is higher than that of least squares by",
          over_seeds(gains), ">=", 0.02);

    // Same form, same pictures, another loss. It spends its weights on the pictures that are hard to tell
    // apart, where least squares spent them on making easy ones exactly 1. What it has learned can be looked
    // at: ten rows of weights, one for each pixel, are ten pictures ({numref}`fig-templates`). Zero is a middle
    // grey, and the largest weight of each picture is black or white.
    Images templates("fig-templates", 5);
    for (Index k = 0; k < 10; ++k) {
        const std::vector<Real> weights = select(line.weight.detach(), 0, k).values();
        const Real most = std::abs(
            *std::ranges::max_element(weights, {}, [](Real w) { return std::abs(w); }));
        std::vector<double> shades;
        for (const Real w : weights) shades.push_back(0.5 + double(w / most) / 2);
        templates.add(name_of(k), 28, 28, shades);
    }
    templates
        .describe(
            "Ten grey pictures, one for each name. In most of them the outline of the "
            "garment can be made out, with bright spots where ink speaks for the name "
            "and dark ones where it speaks against it.")
        .save(
            "What the linear model looks for. Ink on a bright spot speaks for the "
            "name, on a dark spot against it; grey says nothing. The whole model is "
            "these ten pictures and ten constants.");

    // A linear model has one template for each name. A sandal may be flat or have a heel, may point left or
    // right, and the template has to serve them all. A hidden layer helps: the network first asks a hundred
    // questions of the picture, and then scores the names by the answers.
    const nn::Mlp network({784, hidden(), 10}, relu, random);
    const Course deep = train(network, lessons, test, random);
    say("weights: linear {}, network {}", nn::count(line), nn::count(network));
    std::vector<double> networks = {deep.test.back()};
    for (std::uint64_t draw = 1; draw <= 2; ++draw) {
        Generator other(1000 * draw + book::seed());
        const nn::Mlp again({784, hidden(), 10}, relu, other);
        networks.push_back(train(again, lessons, test, other).test.back());
    }
    claim("sys-cat-classification/a", "the test accuracy of the network",
          over_seeds(networks), ">=", 0.86);
    timing_claim("", "training the network, in seconds", deep.seconds, "<=", 5);

    // {numref}`fig-learning` follows both models through their epochs.
    std::vector<double> seen;
    for (Index epoch = 1; epoch <= epochs(); ++epoch) seen.push_back(double(epoch));
    Figure("fig-learning")
        .describe(
            "Left: the mean loss of each epoch falls for both models, lower for the "
            "network. Right: accuracy on the test pictures after each epoch; the "
            "network is above softmax regression all the way, and both are above a "
            "horizontal line, least squares.")
        .panel("loss while training")
        .line("softmax regression", seen, linear.loss)
        .line("network", seen, deep.loss)
        .x("epoch")
        .y("cross-entropy in nats")
        .panel("accuracy on test pictures")
        .line("softmax regression", seen, linear.test)
        .line("network", seen, deep.test)
        .rule_y(squares, "least squares")
        .x("epoch")
        .y("share of right names")
        .save(
            "Five times through sixty thousand pictures. We look at the test pictures "
            "after every epoch, but choose nothing by them: everything was fixed "
            "before.");
    say("on pictures it was trained on: {:.3f}, on new ones: {:.3f}", deep.train.back(),
        deep.test.back());

    // ## Where it errs
    //
    // One number for ten thousand answers hides a lot. {numref}`fig-confusions` counts who is taken for whom.
    const std::vector<Index> said = names_for(network, test.x);
    Matrix counts(10, 10);
    for (std::size_t i = 0; i < said.size(); ++i) ++counts(truth[i], said[i]);
    Index from = 0, to = 1;
    for (Index i = 0; i < 10; ++i)
        for (Index j = 0; j < 10; ++j)
            if (i != j && counts(i, j) > counts(from, to)) from = i, to = j;
    say("most often, a {} is taken for a {}: {} of 1000", name_of(from), name_of(to),
        counts(from, to));

    // As shares of each true name, in per cent, the counts are easier to read.
    Names names;
    std::vector<double> shares;
    for (Index i = 0; i < 10; ++i) names.push_back(short_name(i));
    for (const double count : counts.values) shares.push_back(std::round(count / 10));
    Figure("fig-confusions")
        .describe(
            "A table of ten by ten cells: rows are the true names, columns the "
            "network's. Nearly everything lies on the diagonal. The largest numbers "
            "off it join shirt, T-shirt, pullover and coat.")
        .heatmap("%", names, names, shares)
        .height(420)
        .x("what the network says")
        .y("what it is")
        .save(
            "A thousand test pictures of each name, and what the network calls them, "
            "in per cent. What is off the diagonal is a mistake.");

    // Shoes are hardly ever taken for trousers. The mistakes are among the things that go over the shoulders,
    // where pictures are small and names a matter of taste. The softmax gives a probability for each answer; so
    // we can look at the mistakes of which the network was surest ({numref}`fig-mistakes`).
    const Tensor probabilities = [&] {
        const NoGrad only_asking;
        return max(softmax(network(test.x)), {1});
    }();
    say("on average it is sure to {:.3f}, and right to {:.3f}",
        mean(probabilities).item(), deep.test.back());
    std::vector<Index> wrong;
    for (Index i = 0; i < test.size(); ++i)
        if (said[std::size_t(i)] != truth[std::size_t(i)]) wrong.push_back(i);
    std::ranges::stable_sort(wrong, std::greater(),
                             [&](Index i) { return probabilities.at({i}); });

    Images mistakes("fig-mistakes", 4);
    for (std::size_t n = 0; n < 8 && n < wrong.size(); ++n) {
        const std::size_t i = std::size_t(wrong[n]);
        mistakes.add(short_name(said[i]) + " → " + short_name(truth[i]), 28, 28,
                     select(data::fashion_mnist(Part::test).x, 0, wrong[n]).values());
    }
    mistakes.negative()
        .zoom(4)
        .describe(
            "Eight pictures of clothes, under each what the network said and what it "
            "is. Several could be either.")
        .save(
            "The eight mistakes of which the network was surest: what it said → what "
            "the label says.");
}

// On average it is about as often right as it says it will be, because the cross-entropy asks for just
// that. Trained longer it becomes a little better, but much surer: more than it has a right to be.
//
// ## What is missing
//
// On both pages a teacher told us the answer for every picture. Most data have no teacher. Then all one can
// ask is what data there are: which pictures, which points, which sentences are likely, and which are not.
// That is the third form of question: [what is likely](density.cpp).
//
// ```{try}
// - Take away most of the questions: `--hidden 5`. Is it worse than no hidden layer at all?
// - Learn from a thousand pictures: `--pictures 1000 --epochs 50`. How far apart are old pictures and new ones?
// - Go on: `--epochs 20`. When does the accuracy on new pictures stop rising, and what does the network
//   think of itself then?
// ```
