// # Classification: which of ten
//
// ```{rows} sys-cat-classification claim-classification-as-regression
// ```
//
// The second form of answer is a *name* out of a finite set that is known beforehand. Which garment is in the image,
// which disease fits the symptoms, which letter comes next? Predicting it is **classification**. The possible names are
// the **classes**, and the right class of an example is its **label**. Classification looks harder than
// [regression](regression.cpp), because names cannot be added or averaged. The solution is simple: the model predicts a
// **score** for each class, a number, and the class with the largest score is the answer. This page learns such scores
// for images of clothes in two ways, by least squares and by **logistic regression**, and finds out why the second is
// better.
//
// A linear model for ten classes holds ten images of weights, one for each class. Which garments can you recognise in
// them? Move the slider:
//
// ```{opening} fig-templates
// ```
//- includes, names and options
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

const book::Option<Index> pictures("pictures", 60'000, "how many images to learn from",
                                   {.quick = 4000, .least = 100, .most = 60'000});
const book::Option<Index> epochs("epochs", 5, "how often each image is seen",
                                 {.quick = 2, .least = 1, .most = 100});
const book::Option<Index> hidden("hidden", 100, "width of the hidden layer",
                                 {.least = 1, .most = 2000});
const book::Option<Index> batch_size("batch", 128, "images in a mini-batch",
                                     {.least = 1, .most = 60'000});
const book::Option<double> rate("rate", 1e-3, "learning rate of the first step",
                                {.least = 0.0});
//-

// ## The task
//
// Fashion-MNIST {cite:p}`xiao2017` has 60,000 training images and 10,000 test images of clothes. Each image has
// $28 \times 28 = 784$ pixels and shows one of ten kinds, from T-shirt (class 0) to ankle boot (class 9). Random
// guessing is right for one image in ten. The measure of this page is the **accuracy**, the
// share of images whose largest score belongs to the true class.
//- the names of the classes, and the accuracy
std::string name_of(Index label) {
    return std::string(fashion_names[std::size_t(label)]);
}
std::string short_name(Index label) {
    return label == 0 ? "T-shirt" : label == 9 ? "boot" : name_of(label);
}

double accuracy(const std::vector<Index>& said, const std::vector<Index>& right) {
    Index hits = 0;
    for (std::size_t i = 0; i < said.size(); ++i) hits += said[i] == right[i];
    return double(hits) / double(said.size());
}
//-

// ## Scores by least squares
//
// How do we turn an image into ten scores? We know one method well, so we first see how far it goes. Ask for the score
// 1 at the true class and 0 at the nine others. A coat, class 4, gets the target
//
// $$ (0, 0, 0, 0, 1, 0, 0, 0, 0, 0) , $$
//
// which is called {term}`one-hot`. Each of the ten scores is a number, so predicting it is a linear regression, and the
// normal equations $\Phi^\top \Phi \, w = \Phi^\top Y$ of the [first page](fit_curve.cpp) solve all ten at once. A row
// of $\Phi$ holds the 784 pixels of an image and the constant 1, and the same row of $Y$ holds its one-hot target. The
// two products have 785 rows however many images there are. The program adds them up over batches, so $\Phi$ itself
// never has to fit into memory.
//- one-hot targets, and the two products summed over batches
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
//-

// ## Scores by likelihood
//
// Least squares wants a score of exactly 1. An image that is so clearly a boot that its score is 2 costs as much as an
// image whose score is 0. But a score is not an amount. We only want the score of the true class to be the largest, by
// a clear margin. So we turn scores into probabilities, and ask for the true class to be *probable*.
//
// Take three classes with the scores 2, 1 and 0. The exponential makes them positive: 7.39, 2.72 and 1. Divided by
// their sum, 11.11, they become the probabilities 0.665, 0.245 and 0.090. If the first class is the true one, we
// charge $-\log 0.665 = 0.41$; if the third is, $-\log 0.090 = 2.41$. For any number of scores this map is the
// **softmax**, and the mean charge over $N$ examples is the **cross-entropy** loss:
//
// $$ p_k = \frac{e^{z_k}}{\sum_j e^{z_j}}, \qquad \Loss(w) = - \frac1N \sum_{n=1}^N \log p_{y_n}(x_n; w) . $$
//
// Here $y_n$ is the label of the image $x_n$. The logarithm is the natural one, so the unit of the loss is the
// {term}`nat`. Complete certainty of the true class costs 0 nats, and ten equal probabilities cost
// $\log 10 \approx 2.30$ nats. As a wrong class becomes certain, the cost grows without bound.
//
// The derivative explains what the loss does. For one image, the derivative with respect to the score $z_k$ is
// $p_k - 1$ at the true class and $p_k$ at the others. An image that already has $p_{y} = 0.99$ hardly pulls on the
// weights any more; least squares would still pull if its score were 2. The pages on the
// [softmax](../training/softmax.cpp) and the [cross-entropy](../training/cross_entropy.cpp) take both apart.
//
// The minimum has no closed form, so we descend to it by steps, as [the page on models](models.cpp) did. The loss needs
// only ten numbers and a label, so it can train any model that returns ten numbers. After training, the answer is the
// class with the largest score, without any loss:
template <class Model>
std::vector<Index> names_for(const Model& model, const Tensor& x) {
    const NoGrad only_asking;
    return argmax(model(x)).values();
}

// Training goes through the images in **mini-batches** of 128, in a new random order in each of five **epochs** (passes
// over all images). The optimiser is [Adam](models.cpp), with a learning rate that falls evenly to zero.
//- the optimiser, its learning rate, and what is recorded
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

    for (Index epoch = 1; epoch <= epochs(); ++epoch) {
        book::progress(epoch, epochs(), "epochs");
        const double start = book::now();
        //-
        // One epoch is one call of {cpp:func}`~recto::optim::fit`, with the cross-entropy of the model's scores:
        const auto fitted =
            optim::fit(adam, Batches(lessons, batch_size(), random),
                       [&](const Examples& batch) {
                           return cross_entropy(model(batch.x), batch.labels);
                       },
                       {.lr = shorter});
        //- the accuracies after the epoch
        course.seconds += book::seconds_since(start);
        course.loss.push_back(fitted.loss);
        course.train.push_back(
            accuracy(names_for(model, sample.x), sample.labels.values()));
        course.test.push_back(accuracy(names_for(model, test.x), test.labels.values()));
    }
    return course;
}
//-

// The call does not say which model it trains. The same loop trains both models of this page.
void page() {
    // ## Ten regressions
    //
    // For both methods we shift and scale the pixels to mean 0 and standard deviation 1, with the two numbers that
    // [Tensors](tensors.cpp) measured.
    //- reading and standardising the images
    const auto standardised = [](Examples set) {
        set.x = (set.x - 0.286) / 0.353;
        return data::flat(set);
    };
    const Examples lessons =
        standardised(data::slice(data::fashion_mnist(Part::train), 0, pictures()));
    const Examples test = standardised(data::fashion_mnist(Part::test));
    const std::vector<Index> truth = test.labels.values();
    say("images {}, labels {}", lessons.x.shape(), lessons.labels.shape());
    //-

    // A few pixels at the border have the same value in nearly every image, which makes
    // $\Phi^\top \Phi$ nearly singular. Adding a millionth of its mean diagonal to the diagonal (a tiny **ridge**
    // penalty) makes the solution stable.
    Sums sums = sum_up(lessons);
    double trace = 0;
    for (Index i = 0; i < 785; ++i) trace += sums.gram(i, i);
    for (Index i = 0; i < 785; ++i) sums.gram(i, i) += 1e-6 * trace / 785;
    const Matrix scores = linalg::matmul(
        with_constant(test), linalg::cholesky_solve(sums.gram, sums.products));

    // A row of `scores` holds the ten scores of a test image. The eleventh column belongs to the question below.
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

    // So 81 % of the test images get the right class, by a method of 1805 {cite:p}`legendre1805`. Classification can be
    // treated as regression of scores {cite:p}`fleuret2023`.
    //
    // Are ten scores necessary? The classes have numbers. One regression on the class number, rounded to the nearest
    // class, would need a tenth of the weights.
    ask("One linear model predicts the class number, from 0 (T-shirt/top) to 9 "
        "(ankle boot), and we round. How many of the test images get the right class?",
        {{"About as many as with ten scores: the numbers say the same.",
          numbers >= squares - 0.1,
          "To the regression a trouser (1) lies between a T-shirt (0) and a pullover "
          "(2), and ten mistakes by one cost less than one mistake by four. Clothes "
          "have no such order."},
         {"Far fewer, but more than by guessing.",
          numbers < squares - 0.1 && numbers > 0.2,
          "The order of the classes is arbitrary, and the model has to follow it: an "
          "image between two classes gets a number between theirs, which belongs to "
          "other classes."},
         {"One in ten: the numbers are arbitrary, so nothing can be learned.",
          numbers <= 0.2,
          "They are arbitrary, but the same number always goes with the same kind of "
          "image. A linear function can follow part of that: three of the five largest "
          "numbers are shoes."}});

    // ## Logistic regression
    //
    // Now the same linear model, ten scores from 784 pixels, learns with the cross-entropy. This is **logistic
    // regression** with ten classes, also called *softmax regression*. Its weights start at zero.
    Generator random(book::seed());
    const nn::Linear line(784, 10, random, {.weights = nn::zeros_init});
    const Course linear = train(line, lessons, test, random);

    // The order of the mini-batches is random, so we train the model in two other orders as well:
    //- two more orders, and what is checked
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
          "softmax regression's test accuracy minus that of least squares",
          over_seeds(gains), ">=", 0.02);
    //-

    // The model has the same form and sees the same images. The loss differs, and with it the path to the minimum; the
    // accuracy rises from 0.8115 to 0.842. The derivative above suggests the mechanism: the cross-entropy spends the
    // weights on images that are hard to tell apart, and least squares also spends them on moving easy scores to exactly 1.
    //
    // The boundary between two classes is where their scores are equal: $(w_j - w_k) \cdot x + b_j - b_k = 0$. A linear
    // model's **decision boundary** between two classes is therefore part of a plane (a hyperplane, of dimension 783) in the
    // space of images, and every class is cut out by at most nine such planes.
    //
    // We can look at the weights. Each class has a weight for every pixel, so its weights form an image, a
    // {term}`template` ({numref}`fig-templates`).
    //- how the figure is drawn
    const std::vector<Real> line_scores = [&] {
        const NoGrad only_asking;
        return line(test.x).values();
    }();
    Matrix mean_scores(10, 10);  // of each class, for the images of each true class
    for (Index i = 0; i < test.size(); ++i)
        for (Index k = 0; k < 10; ++k)
            mean_scores(k, truth[std::size_t(i)]) +=
                double(line_scores[std::size_t(10 * i + k)]) / 1000;
    Names pixels, classes;
    std::vector<double> stops;
    for (Index i = 0; i < 28; ++i) pixels.push_back(std::to_string(i));
    for (Index k = 0; k < 10; ++k)
        classes.push_back(short_name(k)), stops.push_back(double(k));
    Figure templates("fig-templates");
    templates
        .describe(
            "First panel: an image of weights in blue and orange, in which the outline "
            "of a garment is visible for most classes. Second panel: ten bars, the "
            "mean score of the class for the test images of each true class; the bar "
            "of the class itself is the highest. A slider chooses the class.")
        .slider("k", stops, "class", 1)
        .panel("its weights")
        .bare();
    for (Index k = 0; k < 10; ++k) {
        std::vector<Real> weights = select(line.weight.detach(), 0, k).values();
        const Real most = std::abs(
            *std::ranges::max_element(weights, {}, [](Real w) { return std::abs(w); }));
        for (Real& w : weights) w /= most;
        templates.at(double(k)).heatmap("", pixels, pixels, weights, -1, 1);
    }
    templates.always().panel("its mean score").x("true class").y("mean score");
    for (Index k = 0; k < 10; ++k)
        templates.at(double(k)).bars(
            "", classes, std::vector(mean_scores.row(k), mean_scores.row(k) + 10),
            {.color = figure::blue});
    templates.always().save(
        "The weights of the linear model for one class; the slider chooses the class. "
        "Ink on an orange pixel raises the score of the class, ink on a blue pixel "
        "lowers it, pale is a weight near zero, and the strongest colour is the "
        "largest weight. Which garment is it? The highest bar of the second panel "
        "answers, and the next ones show which garments resemble it. The whole model "
        "is ten such images and ten constants.");
    //-

    // ## A hidden layer
    //
    // A linear model has one template for each class. A sandal may be flat or have a heel, and the same template has to
    // fit both. A network with a hidden layer computes a hundred features of the image first, each with a template of
    // its own, and then scores the classes by these features. The loss and the training loop stay the same.
    const nn::Mlp network({784, hidden(), 10}, relu, random);
    const Course deep = train(network, lessons, test, random);
    //- two more networks, and what is checked
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
    //-

    // The network's accuracy is 0.875. {numref}`fig-learning` follows both models through the epochs.
    //- how the figure is drawn
    std::vector<double> seen;
    for (Index epoch = 1; epoch <= epochs(); ++epoch) seen.push_back(double(epoch));
    Figure("fig-learning")
        .describe(
            "First panel: the mean loss of each epoch falls for both models, lower for "
            "the network. Second panel: accuracy on the test images after each epoch; "
            "the network is above softmax regression at every epoch, and both are "
            "above a horizontal line, least squares.")
        .panel("loss while training")
        .line("softmax regression", seen, linear.loss)
        .line("network", seen, deep.loss)
        .x("epoch")
        .y("cross-entropy in nats")
        .panel("accuracy on test images")
        .line("softmax regression", seen, linear.test)
        .line("network", seen, deep.test)
        .rule_y(squares, "least squares")
        .x("epoch")
        .y("accuracy")
        .save(
            "Five epochs over sixty thousand images. Both models pass least squares "
            "in the first epoch, and the hidden layer adds three points. We read the "
            "test accuracy after every epoch, but choose nothing by it.");
    say("accuracy of the network on 10000 training images: {:.3f}, on test images: "
        "{:.3f}",
        deep.train.back(), deep.test.back());
    //-

    // The last two numbers differ by two points: the network fits its training images slightly better than new ones, a
    // mild form of [overfitting](overfitting.cpp).
    //
    // ## Which classes are confused
    //
    // One number for ten thousand answers hides a lot. A **confusion matrix** counts, for each true class, how often
    // the network answers each class.
    const std::vector<Index> said = names_for(network, test.x);
    Matrix counts(10, 10);
    for (std::size_t i = 0; i < said.size(); ++i) ++counts(truth[i], said[i]);
    //- the most frequent mistake, and how the figure is drawn
    Index from = 0, to = 1;
    for (Index i = 0; i < 10; ++i)
        for (Index j = 0; j < 10; ++j)
            if (i != j && counts(i, j) > counts(from, to)) from = i, to = j;
    say("most often, a {} is taken for a {}: {} of 1000", name_of(from), name_of(to),
        counts(from, to));

    Names names;
    std::vector<double> shares;
    for (Index i = 0; i < 10; ++i) names.push_back(short_name(i));
    for (const double count : counts.values) shares.push_back(std::round(count / 10));
    Figure("fig-confusions")
        .describe(
            "A table of ten by ten cells: rows are the true classes, columns the "
            "network's answers. Most of each row lies on the diagonal. The largest "
            "numbers off it are among shirt, T-shirt, pullover and coat.")
        .heatmap("%", names, names, shares)
        .height(420)
        .x("what the network says")
        .y("what it is")
        .save(
            "A thousand test images of each class, and the network's answers, in per "
            "cent. Everything off the diagonal is a mistake. Shirts, T-shirts, "
            "pullovers and coats are confused with each other, shoes with other "
            "shoes.");
    //-

    // In {numref}`fig-confusions` the network recognises 97 % of the trousers and 64 % of the shirts. The mistakes have
    // a pattern: garments that cover the shoulders are confused with each other, and shoes with shoes.
    //
    // The softmax also gives a probability for each answer. If the network says 0.9, is it right in nine cases out of
    // ten? We compare the averages over all answers: the mean probability is 0.873, the accuracy 0.875. A model for
    // which the two agree at every level of probability is called **calibrated**. The cross-entropy rewards
    // calibration, because among all forecasts the true frequencies have the lowest mean loss. {numref}`fig-mistakes`
    // shows the mistakes with the highest probabilities.
    //- how sure the network is, and its surest mistakes
    const Tensor probabilities = [&] {
        const NoGrad only_asking;
        return max(softmax(network(test.x)), {1});
    }();
    say("mean probability of the answers: {:.3f}, accuracy: {:.3f}",
        mean(probabilities).item(), deep.test.back());
    std::vector<Index> wrong;
    for (Index i = 0; i < test.size(); ++i)
        if (said[std::size_t(i)] != truth[std::size_t(i)]) wrong.push_back(i);
    std::ranges::stable_sort(wrong, std::greater(),
                             [&](Index i) { return probabilities.at({i}); });

    Images mistakes("fig-mistakes", 3);
    for (std::size_t n = 0; n < 8 && n < wrong.size(); ++n) {
        const std::size_t i = std::size_t(wrong[n]);
        mistakes.add(short_name(said[i]) + " → " + short_name(truth[i]), 28, 28,
                     select(data::fashion_mnist(Part::test).x, 0, wrong[n]).values());
    }
    mistakes.negative()
        .zoom(4)
        .describe(
            "Eight images of clothes, under each what the network said and what the "
            "label says.")
        .save(
            "The eight mistakes with the highest probability: what the network said → "
            "what the label says. Judge for yourself which of the two is right.");
    //-
}

// ## Summary
//
// A classifier computes a score for each class and answers with the class of the largest score. Least squares on
// one-hot targets gives usable scores; the cross-entropy of a softmax gives better scores, 0.842 against 0.8115. A
// likely reason is that images which are already right stop pulling on the weights. A hidden layer raises the accuracy to 0.875, and the
// remaining mistakes are mostly between classes that look alike.
//
// ## What is missing
//
// On this page and the last, every example came with its answer. Most data have no answers. Then we can still ask which data
// are likely: which images, which points, which sentences. This is the third form of question, [density
// estimation](density.cpp).
//
// ```{exercises}
// - [A softmax that does not overflow](/exercises/foundations/softmax.md)
// ```
//
// ```{try}
// - Remove most of the features: `--hidden 5`. Is the network worse than no hidden layer at all?
// - Learn from a thousand images: `--pictures 1000 --epochs 50`. How far apart are training and test accuracy?
// - Train longer: `--epochs 20`. When does the test accuracy stop rising, and does the mean probability
//   still match the accuracy then?
// ```
