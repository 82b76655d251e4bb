// # Softmax and cross-entropy: a smooth stand-in
//
// ```{rows} eq-softargmax eq-cross-entropy eq-softmax-gradient claim-proxy-loss ex-loss-design-discussion
// ```
//
// [The last page](divergence.cpp) compared two distributions, and measured what it costs to believe the wrong one.
// A classifier has no distribution to offer. It has *scores* (**logits**): any numbers, positive or negative, one
// for each class. Earlier we turned them into probabilities [in passing](../foundations/classification.cpp), with a
// formula taken on trust. This page asks why this formula, what it does while a network learns, and why we train on
// it at all when we want few errors.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/curves.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/log_softmax.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

using namespace recto;
using book::ask, book::ask_number, book::claim, book::claim_true, book::over_seeds,
    book::say;
using data::Batches, data::even_grid, data::Examples, data::Part;
using figure::Figure;
//-

//
// Five numbers can be changed:
const book::Option<int> pictures("pictures", 1000, "how many images to learn from",
                                 {.quick = 300, .least = 50, .most = 10'000});
const book::Option<int> hidden("hidden", 32, "width of the hidden layer",
                               {.least = 1, .most = 1000});
const book::Option<int> epochs("epochs", 40,
                               "number of passes through the training set",
                               {.quick = 3, .least = 2, .most = 200});
const book::Option<int> pushes("pushes", 200, "number of random changes of the weights",
                               {.quick = 20, .least = 1, .most = 10'000});
const book::Option<int> draws("draws", 7, "number of networks that are trained",
                              {.quick = 2, .least = 1, .most = 50});

// ## Softmax
//
// Let $f(x; w)_y$ be the score of class $y$. Probabilities must be positive and sum to one. The exponential makes
// any number positive, and larger for a larger score. Dividing by the sum does the rest:
//
// ```{equation} eq-softargmax
// :function: recto::softmax
// :test: equations: softmax
// p(y \mid x) = \frac{\exp f(x; w)_y}{\sum_k \exp f(x; w)_k}
// ```
//
// The left side is a *posterior probability*: how likely the class is *after* the input was seen. The function is
// the **softmax**. A better name is *softargmax*, since it is a soft version of the arg max, the vector that has 1
// at the largest score and 0 elsewhere; but the shorter name has won. Other positive functions could replace the
// exponential. Its advantage is that only *differences* count: it turns a difference of scores into a ratio of
// probabilities,
//
// $$ \frac{p(y \mid x)}{p(k \mid x)} = \exp\big(f(x; w)_y - f(x; w)_k\big) , $$
//
// so one more point for a class multiplies its odds against any other class by $e$, whatever the scores are. As a
// program:
std::vector<double> word_for_word(const std::vector<double>& scores) {
    std::vector<double> p;
    for (const double s : scores) p.push_back(std::exp(s));
    const double total = std::accumulate(p.begin(), p.end(), 0.0);
    for (double& each : p) each = std::abs(each / total);  // a NaN prints without sign
    return p;
}
std::vector<double> probabilities(const std::vector<double>& scores) {
    return softmax(Tensor({Index(scores.size())}, scores)).values();
}

//- the program and the library, on two rows of scores
void scores_to_probabilities() {
    const auto say_both = [](const std::vector<double>& scores) {
        say("scores {:g}, {:g}, {:g}", scores[0], scores[1], scores[2]);
        const auto ours = word_for_word(scores), library = probabilities(scores);
        say("   word for word: {:.4f}  {:.4f}  {:.4f}", ours[0], ours[1], ours[2]);
        say("   library:       {:.4f}  {:.4f}  {:.4f}", library[0], library[1],
            library[2]);
    };
    say_both({3, 2, 1});
    say_both({1003, 1002, 1001});
    //-

    // The differences are the same, so the answers must be. But $e^{1003}$ overflows to infinity, and infinity
    // divided by infinity is not a number (NaN). The shift invariance itself is the cure: subtract the largest
    // score from all of them. The probabilities stay the same, no exponent is above zero, and the largest term of
    // the sum is exactly one. {cpp:func}`~recto::softmax` does this.
    //- a thousand rows of scores
    Generator random(book::seed());
    double off = 0, moved = 0;
    for (int draw = 0; draw < 1000; ++draw) {
        const Tensor scores = random.normal({10}) * std::numbers::pi,
                     p = softmax(scores);
        const double constant = 200 * random.next_uniform() - 100;
        off = std::max(off, double(std::abs(sum(p).item() - 1)));
        moved =
            std::max(moved, double(max(abs(softmax(scores + constant) - p)).item()));
    }
    claim("eq-softargmax/a",
          "of 1000 rows of scores, the sum of probabilities farthest from 1 is off by",
          off, "<=", 1e-6);
    claim("eq-softargmax/b",
          "adding a constant to all ten scores moves a probability by at most", moved,
          "<=", 1e-12);
    const std::vector<double> far = probabilities({10'000, -10'000, 0});
    claim_true("eq-softargmax/c", "at scores of ±10 000 all probabilities are finite",
               std::ranges::all_of(far, [](double p) { return std::isfinite(p); }));

    //-
    // So the softmax ignores a shift of all scores. A factor is different:
    const std::vector<double> once = probabilities({3, 2, 1}),
                              twice = probabilities({6, 4, 2});
    ask("The scores 3, 2, 1 give the probabilities above. All scores are doubled. What "
        "happens?",
        {{"Nothing: the scores are still in the same proportion.",
          std::abs(once[0] - twice[0]) < 0.01,
          "The softmax depends on differences of scores, and they have doubled."},
         {"The first class gains, the two others lose.",
          twice[0] > once[0] && twice[1] < once[1] && twice[2] < once[2],
          "Differences have doubled, so every ratio of probabilities is squared. The "
          "order stays, the confidence grows."},
         {"All three grow.", twice[1] > once[1] && twice[2] > once[2],
          "They cannot: they still sum to one."}});

    // Doubling all scores changes no answer, for the largest stays the largest. It changes the *confidence*. To set
    // the confidence by hand, divide the scores by a **temperature** $T$ before the softmax
    // ({numref}`fig-temperature`). At a low temperature all probability goes to the largest score; at a high one
    // all classes become alike.
    //- how the figure is drawn
    const std::vector<double> four = {2, 1, 0.5, -1};
    const figure::Names names = {"2", "1", "0.5", "-1"};
    const std::vector<double> temperatures = even_grid(32, 0.25, 8);
    std::vector<std::vector<double>> share(4);
    Figure drawn("fig-temperature");
    drawn
        .describe(
            "Left: four bars, the probabilities for scores 2, 1, 0.5 and -1, at a "
            "temperature that can be chosen. Right: the same four probabilities as "
            "lines against the temperature. At 0.25 the first is nearly 1; at 8 all "
            "are close to a quarter.")
        .slider("T", temperatures, "temperature", 1)
        .panel("at this temperature");
    for (const double T : temperatures) {
        std::vector<double> divided;
        for (const double s : four) divided.push_back(s / T);
        const std::vector<double> p = probabilities(divided);
        for (std::size_t k = 0; k < 4; ++k) share[k].push_back(p[k]);
        drawn.at(T).bars("", names, p, {.color = figure::blue});
    }
    drawn.always().x("score").y("probability").ylim(0, 1).panel("at all temperatures");
    for (std::size_t k = 0; k < 4; ++k)
        drawn.line("score " + names[k], temperatures, share[k], {.points = false});
    for (std::size_t i = 0; i < temperatures.size(); ++i)
        drawn.at(temperatures[i]).rule_x(temperatures[i]);
    drawn.always()
        .ylim(0, 1)
        .x("temperature T")
        .y("probability")
        .save(
            "Choose a temperature. A low one picks the largest score, a high one "
            "shares the probability evenly. $T=1$ is the plain softmax.");
    book::shows("eq-softargmax/d", "fig-temperature");
}
//-

// ## The loss
//
// Now that there are probabilities, [maximum likelihood](likelihood.cpp) applies: the right classes should be
// probable, for all samples together. The **cross-entropy** loss is the mean negative logarithm of the probability
// of the right class:
//
// ```{equation} eq-cross-entropy
// :function: recto::cross_entropy
// :test: equations: cross-entropy
// \Loss_{\mathrm{ce}}(w) = - \frac1N \sum_{n=1}^{N} \log \frac{\exp f(x_n; w)_{y_n}}{\sum_k \exp f(x_n; w)_k}
// ```
//
// This is the cross-entropy of the last page, between the truth, all probability on class $y_n$, and the network's
// belief. The entropy of a certain event is zero, so here the cross-entropy is the divergence, too. Word for word,
// from parts we have:
Tensor in_three_steps(const Tensor& scores, const Integers& labels) {
    const Tensor right = one_hot(labels, scores.size(-1));
    return -sum(log(softmax(scores)) * right) / double(labels.numel());
}

//- the library's loss beside the three steps
void the_loss() {
    Generator random(book::seed() + 1);
    const Tensor scores = random.normal({50, 7});
    const Integers labels = random.integers({50}, 0, 7);
    claim("eq-cross-entropy/a",
          "on random scores, the library's loss differs from the three steps by",
          std::abs(cross_entropy(scores, labels).item() -
                   in_three_steps(scores, labels).item()),
          "<=", 1e-6);
    //-

    // Where scores are far apart, the three steps fail again. Here is a sample whose right class has a score of 0
    // and whose wrong class has 1000. The difference is 1000, and so should the loss be:
    const Tensor apart({1, 2}, {0, 1000});
    const Integers first({1}, {0});
    say("three steps: {}", in_three_steps(apart, first).item());
    say("library:     {}", cross_entropy(apart, first).item());

    // The softmax of the right class underflows to zero, and its logarithm is infinite. But the logarithm of the
    // quotient is a difference, $f_y - \log \sum_k \exp f_k$, which needs no small number at all. Its second term is
    // called **log-sum-exp**; it does not overflow if the largest score is subtracted first. This is why libraries take
    // *scores* for this loss, and do all three steps as one.
    //
    // One value of the loss is worth knowing by heart.
    ask_number(
        "A network for ten classes has just been built. All of its scores are equal, "
        "for every input. What is its cross-entropy, in nats?",
        cross_entropy(zeros({3, 10}), Integers({3}, {0, 4, 9})).item(), 0.02,
        "Every class has the probability 1/10, and the natural logarithm of 10 is "
        "2.303. An untrained network whose loss is far above 2.3 is confident before "
        "it has seen any data: check its initialisation.");
}

// ## Its gradient
//
// The derivative of a probability with respect to a score is worth doing once by hand. Call the probabilities
// $p_k$ and the scores $z_k$. The logarithm is simpler: $\log p_k = z_k - \log \sum_i e^{z_i}$. With
// respect to $z_j$ its first term has the derivative 1 if $j$ is $k$ and 0 otherwise, which is written
// $\delta_{kj}$. The second term has the derivative $e^{z_j} / \sum_i e^{z_i}$, which is $p_j$ again. And the
// derivative of $p_k$ is $p_k$ times that of its logarithm:
//
// ```{equation} eq-softmax-gradient
// :function: recto::softmax
// :test: equations: the Jacobian of softmax
// \frac{\partial p_k}{\partial z_j} = p_k \, (\delta_{kj} - p_j)
// ```
//
// These derivatives form a square matrix, a **Jacobian**. Here it is from the formula:
using Table = std::vector<std::vector<double>>;

Table by_hand(const std::vector<double>& z) {
    const std::vector<double> p = probabilities(z);
    Table J(z.size(), std::vector<double>(z.size()));
    for (std::size_t k = 0; k < z.size(); ++k)
        for (std::size_t j = 0; j < z.size(); ++j) J[k][j] = p[k] * ((k == j) - p[j]);
    return J;
}

// And here it is from the tape, which differentiates our programs, one output at a time:
Table by_tape(const std::vector<double>& z) {
    Table J;
    for (std::size_t k = 0; k < z.size(); ++k) {
        const Tensor scores = Tensor({Index(z.size())}, z).requires_grad_();
        select(softmax(scores), 0, Index(k)).backward();
        J.push_back(scores.grad().values());
    }
    return J;
}

//- how the two matrices are compared
void the_gradient() {
    const std::vector<double> z = {2, 1, 0.5, -1};
    const Table hand = by_hand(z), tape = by_tape(z);
    double apart = 0, sums = 0;
    for (std::size_t k = 0; k < z.size(); ++k) {
        double row = 0, column = 0;
        for (std::size_t j = 0; j < z.size(); ++j) {
            apart = std::max(apart, std::abs(hand[k][j] - tape[k][j]));
            row += tape[k][j], column += tape[j][k];
        }
        sums = std::max({sums, std::abs(row), std::abs(column)});
        say("{:8.4f} {:8.4f} {:8.4f} {:8.4f}", tape[k][0], tape[k][1], tape[k][2],
            tape[k][3]);
    }
    claim("eq-softmax-gradient/a", "the largest difference between the two matrices",
          apart, "<=", 1e-7);
    claim("eq-softmax-gradient/b", "the largest sum of a row or a column", sums,
          "<=", 1e-7);
    //-

    // (A test of the library compares both with finite differences, too.) A class gains from its own score, on the
    // diagonal, and loses by any other. Columns sum to zero because the probabilities always sum to one. Rows sum
    // to zero because adding the same to all scores changes nothing.
    //
    // The loss of one sample is $-\log p_y$. Its derivative with respect to $z_j$ is that of the logarithm
    // above with its sign turned: $p_j - \delta_{yj}$. In words: *what the network believes, minus what is
    // true*. For all samples together, with the mean,
    //
    // $$ \frac{\partial \Loss_{\mathrm{ce}}}{\partial f(x_n; w)_j} = \frac1N \Big( p(j \mid x_n) - [\, j = y_n ]
    // \Big) . $$
    //- how the gradient is checked
    Generator random(book::seed() + 2);
    const Tensor scores = random.normal({50, 7}).requires_grad_();
    const Integers labels = random.integers({50}, 0, 7);
    cross_entropy(scores, labels).backward();
    const Tensor difference = (softmax(scores.detach()) - one_hot(labels, 7)) / 50.;
    claim("eq-cross-entropy/c",
          "the gradient differs from (softmax - one-hot) / N by at most",
          double(max(abs(scores.grad() - difference)).item()), "<=", 1e-7);
    //-

    // This is all that is left of the logarithm, the exponentials and the sum. The right score is pulled up with a
    // force equal to the probability that it still lacks, and each wrong score is pushed down by its own
    // probability. A sample that is learned pulls no more. A sample that is confidently wrong pulls with full
    // force, which is 1.
    //
    // Probabilities could also be compared by their squared distance, $(1 - p_1)^2 + p_2^2$ for two
    // classes of which the first is right. {numref}`fig-pulls` shows why cross-entropy is better: both losses
    // against the lead of the right score.
    //- how the pulls are computed
    const std::vector<double> lead = even_grid(81, -8, 8);
    Tensor pair = zeros({81, 2});
    for (Index i = 0; i < 81; ++i) pair.set({i, 0}, lead[std::size_t(i)]);
    const Integers always_first({81}, std::vector<Index>(81, 0));
    const auto pull = [&](const auto& loss) {  // on the right score of each sample
        const Tensor moved = clone(pair).requires_grad_();
        loss(moved).backward();
        return (-select(moved.grad(), 1, 0)).values();
    };
    const std::vector<double> pulls_ce =
        pull([&](const Tensor& s) { return cross_entropy(s, always_first) * 81.; });
    const std::vector<double> pulls_square = pull([&](const Tensor& s) {
        return sum(square(softmax(s) - one_hot(always_first, 2)));
    });
    //-
    //- how the figure is drawn
    const std::vector<double> ce = (-select(log_softmax(pair), 1, 0)).values();
    const std::vector<double> squared =
        sum(square(softmax(pair) - one_hot(always_first, 2)), {1}).values();
    Figure("fig-pulls")
        .describe(
            "Two panels against the lead of the right score, from -8 to 8. Left: the "
            "cross-entropy falls from 8 to 0, nearly straight for negative leads; the "
            "squared distance falls from 2 to 0 in an S. Right: the pull of the "
            "cross-entropy falls from 1 to 0; that of the squared distance is a hump "
            "around 0 and vanishes on both sides.")
        .panel("the loss of one sample")
        .line("cross-entropy", lead, ce, {.points = false})
        .line("squared distance", lead, squared, {.points = false})
        .x("lead of the right score")
        .y("loss")
        .panel("how hard it pulls")
        .line("cross-entropy", lead, pulls_ce, {.points = false})
        .line("squared distance", lead, pulls_square, {.points = false})
        .x("lead of the right score")
        .y("pull (minus the derivative)")
        .save(
            "Two classes, the first is right. At the far left the network is "
            "confident and wrong. There the cross-entropy pulls with full force, and "
            "the squared distance of the probabilities hardly at all.");
    //-
    say("confident and wrong, a lead of {}: cross-entropy pulls with {:.4f}, the "
        "square with {:.4f}",
        lead[0], pulls_ce[0], pulls_square[0]);
}

// The gradient of the squared distance contains the Jacobian of the softmax, and where the network is
// confident, all entries of the Jacobian are nearly zero. At a lead of $-8$ its pull is 0.0013, about 750 times
// weaker than that of the cross-entropy. In the cross-entropy the logarithm cancels this factor exactly.

// ## A surrogate loss
//
// Our goal is a low **error rate**: the share of samples whose largest score belongs to the wrong class. We train
// on cross-entropy in its place. To see why, look at both for images of clothes and two models, a linear one and
// one with a hidden layer.
//- both numbers of a model
struct Verdict {
    double error;             // error rate
    double bits;              // mean cross-entropy, in bits
    Index broken_bounds = 0;  // samples with fewer bits than errors
};

template <class Model>
Verdict judge(const Model& model, const Examples& set) {
    const NoGrad only_asking;
    const Tensor scores = model(set.x);
    const std::vector<Index> said = argmax(scores).values(),
                             right = set.labels.values();
    const std::vector<double> each =
        (-sum(log_softmax(scores) * one_hot(set.labels, 10), {1}) / std::numbers::ln2)
            .values();
    Verdict verdict{0, 0};
    for (std::size_t i = 0; i < each.size(); ++i) {
        const double wrong = said[i] != right[i];
        verdict.error += wrong / double(each.size());
        verdict.bits += each[i] / double(each.size());
        verdict.broken_bounds += !(each[i] >= wrong);
    }
    return verdict;
}
//-

//- a step from one model in the direction of another
// Two models give a third: the first, plus a step of any length in the direction of the second.
template <class Model>
Model step(const Model& from, const Model& direction, double length) {
    Model made = from;
    const NamedTensors a = nn::state(from), b = nn::state(direction);
    std::size_t i = 0;
    nn::walk("", made, [&](const std::string&, Tensor& t) {
        t = a[i].tensor.detach() + b[i].tensor.detach() * length;
        ++i;
    });
    return made;
}
template <class Model>
Model random_direction(Model like, Generator& random) {
    nn::walk("", like,
             [&](const std::string&, Tensor& t) { t = random.normal(t.shape()); });
    return like;
}
//-

// Training follows the cross-entropy, as before. After each epoch we measure both numbers, on the training set and
// on equally many new images.
//- how a training is recorded
struct Course {
    std::vector<double> error, bits, new_error, new_bits;
    Index broken_bounds = 0;
};

template <class Model>
Course train(const Model& model, const Examples& lessons, const Examples& fresh,
             Generator& random) {
    Course course;
    optim::Adam adam(nn::parameters(model));
    for (int epoch = 1; epoch <= epochs(); ++epoch) {
        optim::fit(adam, Batches(lessons, 50, random),
                   [&](const Examples& batch) {
                       return cross_entropy(model(batch.x), batch.labels);
                   },
                   {});
        const Verdict now = judge(model, lessons), then = judge(model, fresh);
        course.error.push_back(now.error), course.bits.push_back(now.bits);
        course.new_error.push_back(then.error), course.new_bits.push_back(then.bits);
        course.broken_bounds += now.broken_bounds + then.broken_bounds;
    }
    return course;
}
//-

// The **rank correlation** says whether two numbers rise and fall together: replace each value by its place in the
// order, and correlate the places {cite:p}`spearman1904`. It is 1 when both always agree on which epoch was better.
//- the rank correlation
std::vector<double> ranks(const std::vector<double>& x) {
    std::vector<double> rank;
    for (const double a : x) {  // smaller values, and half of the equal ones
        double place = -0.5;
        for (const double b : x) place += b < a ? 1 : b == a ? 0.5 : 0;
        rank.push_back(place);
    }
    return rank;
}

double rank_correlation(const std::vector<double>& x, const std::vector<double>& y) {
    const std::vector<double> a = ranks(x), b = ranks(y);
    const double middle = (double(x.size()) - 1) / 2;
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        ab += (a[i] - middle) * (b[i] - middle);
        aa += (a[i] - middle) * (a[i] - middle);
        bb += (b[i] - middle) * (b[i] - middle);
    }
    return ab / std::sqrt(aa * bb);
}
//-

//- the images, and both trainings
void a_stand_in() {
    Generator random(book::seed() + 3);
    const auto some = [](Part part) {
        Examples set =
            data::flat(data::slice(data::fashion_mnist(part), 0, pictures()));
        set.x = (set.x - 0.286) / 0.353;
        return set;
    };
    const Examples lessons = some(Part::train), fresh = some(Part::test);
    const nn::Linear line(784, 10, random);
    const nn::Mlp start({784, hidden(), 10}, relu, random), net = nn::clone(start);
    Index broken = train(line, lessons, fresh, random).broken_bounds;
    Course course = train(net, lessons, fresh, random);
    broken += course.broken_bounds;
    //-

    // First we change every weight by a random amount of about a millionth and look whether the error rate changes,
    // and whether the cross-entropy does.
    //- how random changes are tried
    const auto unmoved = [&](const auto& model) {
        const Verdict before = judge(model, lessons);
        int same_error = 0, same_bits = 0;
        for (int i = 0; i < pushes(); ++i) {
            const Verdict after =
                judge(step(model, random_direction(model, random), 1e-6), lessons);
            same_error += after.error == before.error;
            same_bits += after.bits == before.bits;
        }
        say("of {} random changes, {} left the error rate as it was, {} the "
            "cross-entropy",
            pushes(), same_error, same_bits);
        return 100.0 * same_error / pushes();
    };
    const double of_line = unmoved(line), of_net = unmoved(net);
    //-
    claim("claim-proxy-loss/a",
          "random changes that leave the error rate as it was, in per cent, for the "
          "model with fewer of them",
          std::min(of_line, of_net), ">=", 99);

    // The error rate is a count, and a count does not change by a little. Its landscape is made of terraces: level
    // almost everywhere, with steps between, and a gradient of zero wherever there is one. {numref}`fig-terraces`
    // follows a line from the initial weights, at 0, to the trained weights, at 1, and beyond.
    //- how the figure is drawn
    const nn::Mlp way = step(net, start, -1);
    const Examples few = data::slice(lessons, 0, std::min<Index>(500, lessons.size()));
    const auto along = [&](const std::vector<double>& places) {
        Course seen;
        for (const double t : places) {
            const Verdict there = judge(step(start, way, t), few);
            seen.error.push_back(there.error), seen.bits.push_back(there.bits);
        }
        return seen;
    };
    const std::vector<double> wide = even_grid(101, -0.5, 2),
                              narrow = even_grid(401, 0.30, 0.34);
    const Course far = along(wide), near = along(narrow);
    Figure("fig-terraces")
        .describe(
            "Left: along a straight line in weight space the cross-entropy in bits is "
            "a smooth bowl; the error rate lies below it everywhere and falls from "
            "about 0.9 to near 0. Right: a short piece of that line magnified; the "
            "error rate is a staircase of a few level steps.")
        .panel("from start (0) to trained (1)")
        .line("cross-entropy in bits", wide, far.bits, {.points = false})
        .line("error rate", wide, far.error, {.points = false})
        .x("place on the line")
        .y("loss, error rate")
        .panel("a short piece of it")
        .line("error rate", narrow, near.error,
              {.dash = figure::solid, .points = false})
        .x("place on the line")
        .y("error rate")
        .save(
            "Left: both numbers along one direction in weight space, for 500 images. "
            "The cross-entropy, in bits, is nowhere below the error rate. Right: a "
            "piece of the line, magnified. The error rate changes in steps of one "
            "image and is level in between.");
    book::shows("claim-proxy-loss/d", "fig-terraces");
    //-

    // On a terrace the gradient is zero, and gradient descent has nowhere to go. So we descend on another
    // landscape. Such a stand-in is called a **surrogate loss** or *proxy loss*, and three properties make
    // cross-entropy a good one.
    //
    // It has a useful gradient everywhere: the figure shows a smooth curve.
    //
    // It bounds the error rate from above. When the answer is wrong, another class has at least the probability of
    // the right one, so the right one has at most one half, and the base-2 logarithm of one half is $-1$. So a
    // wrong sample costs at least one *bit*, and no sample costs less than zero. If the mean cross-entropy is 0.1
    // bits, at most one sample in ten is wrong. We check each sample of both sets, after every epoch:
    claim("claim-proxy-loss/b",
          "samples whose cross-entropy in bits is below their error, 0 or 1", broken,
          "==", 0);

    // And cross-entropy falls when the error rate does. This can only be measured:
    //- a training for each draw
    std::vector<double> together, on_new;
    for (int draw = 0; draw < draws(); ++draw) {
        book::progress(draw + 1, draws(), "networks");
        const nn::Mlp other({784, hidden(), 10}, relu, random);
        const Course c = train(other, lessons, fresh, random);
        together.push_back(rank_correlation(c.error, c.bits));
        on_new.push_back(rank_correlation(c.new_error, c.new_bits));
    }
    //-
    claim("claim-proxy-loss/c",
          "rank correlation of cross-entropy and error rate over the epochs",
          over_seeds(together), ">", 0.9);
    say("rank correlation on new images: {}", book::brief(over_seeds(on_new)));

    // {numref}`fig-courses` shows the training whose landscape we have seen.
    std::vector<double> seen;
    for (int epoch = 1; epoch <= epochs(); ++epoch) seen.push_back(epoch);
    //- how the figure is drawn
    Figure("fig-courses")
        .describe(
            "Left: the cross-entropy falls steadily on the training set; on new "
            "images it falls, is lowest after some epochs and then rises slowly. "
            "Right: the error rate falls steadily on the training set; on new images "
            "it falls and then stays level.")
        .panel("cross-entropy")
        .line("training set", seen, course.bits, {.points = false})
        .line("new", seen, course.new_bits, {.points = false})
        .x("epoch")
        .y("bits")
        .panel("error rate")
        .line("training set", seen, course.error, {.points = false})
        .line("new", seen, course.new_error, {.points = false})
        .x("epoch")
        .y("error rate")
        .save(
            "The surrogate (left) and the error rate (right). On the training set "
            "both fall. On new images the network becomes overconfident in its "
            "mistakes: the cross-entropy rises again, the error rate does not.");
}
//-

// On the training set the two agree: the rank correlation is 0.99. On new images its median is only 0.16, and
// its lowest value $-0.06$. Late in training the network makes no more mistakes than before, but is more
// confident in them, which cross-entropy punishes. So stop training by the number that you care about.
// {row}`ex-loss-design-discussion` asks you for a surrogate loss of your own, and for what it guarantees.
//
// ```{exercises}
// - [How a smooth loss yields accuracy](/exercises/losses/loss_design.md)
// ```

void page() {
    scores_to_probabilities();
    the_loss();
    the_gradient();
    a_stand_in();
}

// ## What is missing
//
// Cross-entropy turned out well. But other losses have gradients and bounds, too. [The next
// page](choosing_a_loss.cpp) trains the same network on the same data with different losses, and looks at what it
// has learned.
//
// ```{try}
// - Fewer images, longer: `--pictures 300 --epochs 100`. How far does the cross-entropy of new images rise again?
// - A wider network: `--hidden 200`. Is the error rate less of a staircase?
// - Fewer samples make higher steps: `--pictures 100`. How many random changes leave the error rate as it was?
// ```
