// # Cross-entropy: the loss of a classifier and its gradient
//
// ```{rows} eq-cross-entropy eq-softmax-gradient
// ```
//
// [The last page](softmax.cpp) turned the scores of a classifier into probabilities. Training needs a loss: a single
// number that is small when the right classes are probable. This page derives the **cross-entropy**, finds its gradient
// by hand, and shows where a squared error of the probabilities would hardly train at all. In {numref}`fig-three-scores`
// the first of three classes is right. Raise its score: the loss falls, and so does the force with which the loss pulls at
// the three scores.
//
// ```{opening} fig-three-scores
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/curves.hpp>
#include <recto/figure/figure.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/log_softmax.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/shapes/views.hpp>

#include <algorithm>
#include <cmath>

using namespace recto;
using book::ask_number, book::claim, book::say;
using data::even_grid;
using figure::Figure;

const book::Option<double> second("second", 1, "score of the second class",
                                  {.least = -8, .most = 8});
const book::Option<double> reach("reach", 8,
                                 "largest lead of the right score that is drawn",
                                 {.least = 1, .most = 1000});
//-

//- how the figure is drawn
void draw_three_scores() {
    const std::vector<double> first = even_grid(33, -8, 8);
    std::vector<double> loss;
    std::vector<std::vector<double>> pulls;
    for (const double z : first) {
        const Tensor scores = Tensor({1, 3}, {z, second(), 0}).requires_grad_();
        const Tensor one = cross_entropy(scores, Integers({1}, {0}));
        one.backward();
        loss.push_back(one.item()), pulls.push_back((-scores.grad()).values());
    }
    Figure drawn("fig-three-scores");
    drawn
        .describe(
            "First panel: the cross-entropy of one sample against the score of the "
            "right class; it falls, nearly straight at first, and levels off at 0. "
            "Second panel: three bars, the pull on each score at the chosen place: up "
            "for the right class, down for the two others. The bars shrink as the "
            "right score grows.")
        .slider("z", first, "score of the right class", 2)
        .panel("loss")
        .line("", first, loss, {.points = false});
    for (const double z : first) drawn.at(z).rule_x(z);
    drawn.always()
        .x("score of the right class")
        .y("cross-entropy in nats")
        .panel("pull (minus the derivative)");
    const figure::Names names = {"right", "second", "third"};
    for (std::size_t i = 0; i < first.size(); ++i)
        drawn.at(first[i]).bars("", names, pulls[i], {.color = figure::blue});
    drawn.always()
        .ylim(-1, 1)
        .x("class")
        .y("pull on its score")
        .save(
            "Choose the score of the right class; the second and the third class are "
            "wrong and have the scores 1 and 0. The pulls on the three scores always "
            "sum to zero. The pull on the right one is the probability that it lacks, "
            "at most 1.");
}
//-

// ## The loss
//
// Now that there are probabilities, [maximum likelihood](likelihood.cpp) applies: the right classes should be probable,
// for all samples together. A sample whose right class has the probability $p$ costs $-\log p$. Take the scores 2, 1
// and 0, with the probabilities 0.665, 0.245 and 0.090. If the first class is right, the sample costs
// $-\log 0.665 = 0.408$ {term}`nats <nat>`; if the second is, 1.408; if the third is, 2.408. Two samples with these
// scores, one of the first class and one of the second, cost $(0.408 + 1.408)/2 = 0.908$ nats on average. The
// **cross-entropy** loss is this mean, the negative logarithm of the probability of the right class:
//
// ```{equation} eq-cross-entropy
// :function: recto::cross_entropy
// :test: equations: cross-entropy
// \Loss_{\mathrm{ce}}(w) = - \frac1N \sum_{n=1}^{N} \log \frac{\exp f(x_n; w)_{y_n}}{\sum_k \exp f(x_n; w)_k}
// ```
//
// For each sample this is the cross-entropy of [the page on divergence](divergence.cpp), between the truth, all
// probability on class $y_n$, and the network's belief. The entropy of a certain event is zero, so here the cross-entropy
// is the divergence, too. As a program, word for word:
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

    // Where scores are far apart, softmax, logarithm and choice of the right class fail as three steps. Here is a sample
    // whose right class has a score of 0 and whose wrong class has 1000. The difference is 1000, and so should the loss be:
    const Tensor apart({1, 2}, {0, 1000});
    const Integers first({1}, {0});
    say("three steps: {}", in_three_steps(apart, first).item());
    say("library:     {}", cross_entropy(apart, first).item());

    // As on the last page, the probability of the right class underflows to zero. This is why libraries take *scores* for
    // this loss, and do all three steps as one: the loss of a sample is the [log-sum-exp](softmax.cpp) of its scores,
    // minus the score of the right class.
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

// So before you train, compare the first loss with the logarithm of the number of classes. The loss of a sample has no
// upper limit. It is never negative, and approaches zero as the probability of the right class approaches one.
//
// ## Its gradient
//
// How does a probability change with a score? Take the probabilities 0.665, 0.245 and 0.090 again, and raise the first
// score by 0.01. Then the first probability grows by $0.01 \cdot 0.665 \cdot (1 - 0.665) = 0.0022$. The second falls by
// $0.01 \cdot 0.245 \cdot 0.665 = 0.0016$ and the third by $0.01 \cdot 0.090 \cdot 0.665 = 0.0006$: what the first
// gains, the others lose.
//
// The general derivative is worth doing once by hand. Call the probabilities $p_k$ and the scores $z_k$. The logarithm
// is simpler: $\log p_k = z_k - \log \sum_i e^{z_i}$. With respect to $z_j$ its first term has the derivative 1 if $j$
// is $k$ and 0 otherwise, which is written $\delta_{kj}$. The second term, log-sum-exp, has the derivative
// $e^{z_j} / \sum_i e^{z_i}$, which is $p_j$ again. And the derivative of $p_k$ is $p_k$ times that of its logarithm:
//
// ```{equation} eq-softmax-gradient
// :function: recto::softmax
// :test: equations: the Jacobian of softmax
// \frac{\partial p_k}{\partial z_j} = p_k \, (\delta_{kj} - p_j)
// ```
//
// These derivatives form a square matrix, a **Jacobian**. Here it is from the formula:
using Table = std::vector<std::vector<double>>;

std::vector<double> probabilities(const std::vector<double>& scores) {
    return softmax(Tensor({Index(scores.size())}, scores)).values();
}
Table by_hand(const std::vector<double>& z) {
    const std::vector<double> p = probabilities(z);
    Table J(z.size(), std::vector<double>(z.size()));
    for (std::size_t k = 0; k < z.size(); ++k)
        for (std::size_t j = 0; j < z.size(); ++j) J[k][j] = p[k] * ((k == j) - p[j]);
    return J;
}

// And here it is from the *tape*, which records our programs and differentiates them ([a later page](chain_rule.cpp)
// explains how), one output at a time:
Table by_tape(const std::vector<double>& z) {
    Table J;
    for (std::size_t k = 0; k < z.size(); ++k) {
        const Tensor scores = Tensor({Index(z.size())}, z).requires_grad_();
        select(softmax(scores), 0, Index(k)).backward();
        J.push_back(scores.grad().values());
    }
    return J;
}

//- by finite differences, and how the three matrices are compared
Table by_differences(const std::vector<double>& z) {
    const double h = 1e-5;
    Table J(z.size(), std::vector<double>(z.size()));
    for (std::size_t j = 0; j < z.size(); ++j) {
        std::vector<double> less = z, more = z;
        less[j] -= h, more[j] += h;
        const std::vector<double> before = probabilities(less),
                                  after = probabilities(more);
        for (std::size_t k = 0; k < z.size(); ++k)
            J[k][j] = (after[k] - before[k]) / (2 * h);
    }
    return J;
}
void the_gradient() {
    const std::vector<double> z = {2, 1, 0.5, -1};
    const Table hand = by_hand(z), tape = by_tape(z), differences = by_differences(z);
    double apart = 0, sums = 0;
    for (std::size_t k = 0; k < z.size(); ++k) {
        double row = 0, column = 0;
        for (std::size_t j = 0; j < z.size(); ++j) {
            apart = std::max({apart, std::abs(hand[k][j] - differences[k][j]),
                              std::abs(tape[k][j] - differences[k][j])});
            row += tape[k][j], column += tape[j][k];
        }
        sums = std::max({sums, std::abs(row), std::abs(column)});
        say("{:8.4f} {:8.4f} {:8.4f} {:8.4f}", tape[k][0], tape[k][1], tape[k][2],
            tape[k][3]);
    }
    claim("eq-softmax-gradient/a",
          "by hand and by the tape: the largest gap to finite differences", apart,
          "<=", 1e-7);
    claim("eq-softmax-gradient/b", "the largest sum of a row or a column", sums,
          "<=", 1e-7);
    //-

    // This is the Jacobian for the scores 2, 1, 0.5 and $-1$. The formula and the tape multiply the same numbers, so we
    // compared both with finite differences of the probabilities, which use no derivative. A class gains from its own
    // score, on the diagonal, and loses by any other. Columns sum to zero because the probabilities always sum to one.
    // Rows sum to zero because adding the same to all scores changes nothing.
    //
    // The loss of one sample is $-\log p_y$. Its derivative with respect to $z_j$ is that of the logarithm
    // above with its sign turned: $p_j - \delta_{yj}$. In words: *what the network believes, minus what is
    // true*. For the scores 2, 1 and 0, if the first class is right, the three derivatives are $0.665 - 1 = -0.335$,
    // 0.245 and 0.090. In the mean over all samples each sample has the share $1/N$:
    //
    // $$ \frac{\partial \Loss_{\mathrm{ce}}}{\partial f(x_n; w)_j} = \frac1N \Big( p(j \mid x_n) - \delta_{y_n j}
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

    // This is all that is left of the logarithm, the exponentials and the sum. Descent moves scores against the
    // derivative. So the loss of one sample pulls the right score up with a force equal to the probability that it still
    // lacks, and pushes each wrong score down by its own probability: these are the bars of {numref}`fig-three-scores`. A
    // sample that is learned hardly pulls any more. A sample that is confidently wrong pulls with nearly full force,
    // which is 1.
    //
    // ## Why not the squared error?
    //
    // Probabilities could also be compared with the truth by their squared distance. (The
    // [least squares](../foundations/classification.cpp) of chapter 1 compared the *scores*, without a softmax.) For two
    // classes of which the first is right, the distance is $(1 - p_1)^2 + p_2^2 = 2 p_2^2$. By the Jacobian its pull on
    // the right score is $4 p_1 p_2^2$, while the cross-entropy pulls with $1 - p_1 = p_2$. At $p_1 = \frac12$ both pull
    // with one half. At $p_1 = 0.01$ the network is confident and wrong: the cross-entropy pulls with 0.99, the squared
    // distance with $4 \cdot 0.01 \cdot 0.99^2 = 0.039$. {numref}`fig-pulls` shows both losses against the lead of the
    // right score.
    //- how the pulls are computed
    const std::vector<double> lead = even_grid(81, -reach(), reach());
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
            "Two panels against the lead of the right score, from -8 to 8. First "
            "panel: the cross-entropy falls from 8 to 0, nearly straight for negative "
            "leads; the squared distance falls from 2 to 0 in an S. Second panel: the "
            "pull of the cross-entropy falls from 1 to 0; that of the squared distance "
            "is a hump around 0 and vanishes on both sides.")
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
        "square with {:.5f}, {:.0f} times weaker",
        lead[0], pulls_ce[0], pulls_square[0], pulls_ce[0] / pulls_square[0]);
}

// The gradient of the squared distance contains the Jacobian of the softmax, and where the network is
// confident, all entries of the Jacobian are nearly zero. At a lead of $-8$ its pull is 0.00134, 746 times weaker than
// that of the cross-entropy. So a mistake that the network is sure of can last: its loss is a plateau, on which gradient
// descent hardly moves. The cross-entropy has no such plateau, because the derivative of its logarithm, $1/p_1$, cancels
// the factor $p_1$ of the Jacobian.

void page() {
    draw_three_scores();
    the_loss();
    the_gradient();
}

//
// ## Summary
//
// The cross-entropy of a classifier is the mean negative logarithm of the probability of the right class. For equal
// scores it is the logarithm of the number of classes. Its gradient with respect to the scores is the predicted
// probability minus the truth, so it pulls hardest at the samples that are confidently wrong, where a squared distance
// of probabilities hardly pulls.
//
// ## What is missing
//
// This loss comes from likelihood. But when you use a classifier, you count its errors, and no sample costs
// more than another. Why not train on the number of errors? [The next page](surrogate.cpp) tries.
//
// ```{try}
// - Let a wrong class have a high score: `--second 4`. Where on the slider does the pull on the right score reach one
//   half, and why there?
// - Draw larger leads: `--reach 20`. How many times weaker than the cross-entropy does the squared distance pull now?
// ```
