// # From scores to probabilities
//
// ```{rows} eq-softargmax eq-cross-entropy eq-softmax-gradient claim-proxy-loss ex-loss-design-discussion
// ```
//
// [The last page](divergence.cpp) compared two distributions, and found what it costs to believe the wrong one. A
// network that chooses among names has no distribution to offer. It has *scores*: any numbers, positive or not, one
// for each name. Earlier we turned them into probabilities [in passing](../foundations/classification.cpp), with a
// formula taken on trust. It is time to take it apart: why this formula, what it does while a network learns, and
// why we train on it at all, when what we want is something else.
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

// Five numbers can be changed:
const book::Option<int> pictures("pictures", 1000, "how many pictures to learn from",
                                 {.quick = 300, .least = 50, .most = 10'000});
const book::Option<int> hidden("hidden", 32, "width of the hidden layer",
                               {.least = 1, .most = 1000});
const book::Option<int> epochs("epochs", 40, "how often each picture is seen",
                               {.quick = 3, .least = 2, .most = 200});
const book::Option<int> pushes("pushes", 200,
                               "how many random changes of the weights are tried",
                               {.quick = 20, .least = 1, .most = 10'000});
const book::Option<int> draws("draws", 7, "how many networks are trained",
                              {.quick = 2, .least = 1, .most = 50});

// ## Positive, and one in all
//
// Let $f(x; w)_y$ be the score of the name $y$. Probabilities must be positive and sum to one. The exponential
// makes any number positive, and larger for a larger score. Dividing by the sum does the rest:
//
// ```{equation} eq-softargmax
// :function: recto::softmax
// :test: equations: softmax
// \hat P(Y = y \mid X = x) = \frac{\exp f(x; w)_y}{\sum_z \exp f(x; w)_z}
// ```
//
// The left side is a *posterior probability*: how likely the name is, *after* the signal was seen. The function is
// the *softmax*. A better name is *softargmax*, since it is a soft version of the arg max, the vector that has 1 at
// the largest score and 0 elsewhere; but the shorter name has won. Nothing forced us to take the exponential. What
// speaks for it is that only *differences* count: it turns a difference of scores into a ratio of probabilities,
//
// $$ \frac{\hat P(y)}{\hat P(z)} = \exp\big(f(x; w)_y - f(x; w)_z\big) , $$
//
// so that one more point for a name always means the same, whatever the other scores are. As a program:
std::vector<double> word_for_word(const std::vector<double>& scores) {
    std::vector<double> p;
    for (const double s : scores) p.push_back(std::exp(s));
    const double total = std::accumulate(p.begin(), p.end(), 0.0);
    for (double& each : p) each = std::abs(each / total);  // a NaN without its sign
    return p;
}
std::vector<double> probabilities(const std::vector<double>& scores) {
    return softmax(Tensor({Index(scores.size())}, scores)).values();
}

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

    // The differences are the same, so the answers must be. But $e^{1003}$ is more than a number can hold, and
    // infinity divided by infinity is not a number. The cure is the property itself: subtract the largest score
    // from all of them. Nothing changes, no exponent is above zero, and the largest term of the sum is exactly one.
    // {cpp:func}`~recto::softmax` does that.
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
          "of 1000 rows of scores, the sum farthest from 1 is off by", off, "<=", 1e-6);
    claim("eq-softargmax/b",
          "adding a constant to all ten scores moves a probability by at most", moved,
          "<=", 1e-12);
    const std::vector<double> far = probabilities({10'000, -10'000, 0});
    claim_true("eq-softargmax/c", "at scores of ±10 000 all probabilities are finite",
               std::ranges::all_of(far, [](double p) { return std::isfinite(p); }));

    // So the softmax does not see where the scores lie. Does it see how far apart they are?
    const std::vector<double> once = probabilities({3, 2, 1}),
                              twice = probabilities({6, 4, 2});
    ask("The scores 3, 2, 1 give the probabilities above. All scores are doubled. What "
        "happens?",
        {{"Nothing: the scores are still in the same proportion.",
          std::abs(once[0] - twice[0]) < 0.01,
          "Proportions of scores mean nothing to it; differences do, and they have "
          "doubled."},
         {"The first name gains, the two others lose.",
          twice[0] > once[0] && twice[1] < once[1] && twice[2] < once[2],
          "Differences have doubled, so every ratio of probabilities is squared. The "
          "order stays, the certainty grows."},
         {"All three grow.", twice[1] > once[1] && twice[2] > once[2],
          "They cannot: they still sum to one."}});

    // Doubling all scores changes no answer, for the largest stays the largest. It changes how *sure* the answer
    // is. Whoever wants to set that by hand divides the scores by a *temperature* $T$ before the softmax
    // ({numref}`fig-temperature`). Cold, all goes to the largest score; hot, all names become alike.
    const std::vector<double> four = {2, 1, 0.5, -1};
    const figure::Names names = {"2", "1", "0.5", "-1"};
    const std::vector<double> temperatures = even_grid(32, 0.25, 8);
    std::vector<std::vector<double>> share(4);
    Figure drawn("fig-temperature");
    drawn
        .describe(
            "Left: four bars, the probabilities of scores 2, 1, 0.5 and -1, at a "
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
            "Choose a temperature. A low one chooses, a high one shares. At $T=1$ it "
            "is the softmax.");
    book::shows("eq-softargmax/d", "fig-temperature");
}

// ## The loss
//
// Now that there are probabilities, the [likelihood](likelihood.cpp) applies. The right name shall be probable, for
// all samples together. The *cross-entropy* loss is the mean negative logarithm of what the right names got:
//
// ```{equation} eq-cross-entropy
// :function: recto::cross_entropy
// :test: equations: cross-entropy
// \Loss_{\mathrm{ce}}(w) = - \frac1N \sum_{n=1}^{N} \log \frac{\exp f(x_n; w)_{y_n}}{\sum_z \exp f(x_n; w)_z}
// ```
//
// The name says what it is. It is the cross-entropy of the last page between what is true, all probability on the
// name $y_n$, and what the network believes. The entropy of a certain thing is zero, so here it is the divergence,
// too. Word for word, from parts we have:
Tensor in_three_steps(const Tensor& scores, const Integers& labels) {
    const Tensor right = one_hot(labels, scores.size(-1));
    return -sum(log(softmax(scores)) * right) / double(labels.numel());
}

void the_loss() {
    Generator random(book::seed() + 1);
    const Tensor scores = random.normal({50, 7});
    const Integers labels = random.integers({50}, 0, 7);
    claim("eq-cross-entropy/a",
          "on random scores the library's loss differs from the three steps by",
          std::abs(cross_entropy(scores, labels).item() -
                   in_three_steps(scores, labels).item()),
          "<=", 1e-6);

    // Where scores are far apart, the three steps fail once more. Here is a sample whose right name has a score of
    // 0 and whose wrong name has 1000. The difference is 1000, and so should the loss be:
    const Tensor apart({1, 2}, {0, 1000});
    const Integers first({1}, {0});
    say("three steps: {}", in_three_steps(apart, first).item());
    say("library:     {}", cross_entropy(apart, first).item());

    // The softmax of the right name is so small that it becomes zero, and its logarithm is infinite. But the
    // logarithm of the quotient is a difference, $f_y - \log \sum_z \exp f_z$, and needs no small number at all.
    // That is why libraries take *scores* for this loss, and why they do all three steps as one.
    //
    // One value of the loss is worth knowing by heart.
    ask_number(
        "A network for ten names has just been built. All of its scores are equal, "
        "whatever the picture. What is its cross-entropy, in nats?",
        cross_entropy(zeros({3, 10}), Integers({3}, {0, 4, 9})).item(), 0.02,
        "Every name has the probability 1/10, and the logarithm of 10 is 2.303. A "
        "network whose loss begins far above that is sure of something before it has "
        "seen anything: look at how it starts.");
}

// ## Its gradient
//
// How does a probability change with a score? That is worth doing once by hand. Call the probabilities $\lambda_k$
// and the scores $z_k$. The logarithm is simpler than the thing itself: $\log \lambda_k = z_k - \log \sum_i
// e^{z_i}$. By $z_j$ its first term has the derivative 1 if $j$ is $k$ and 0 otherwise, which is written
// $\delta_{kj}$. The second has $e^{z_j} / \sum_i e^{z_i}$, which is $\lambda_j$ again. And the derivative of
// $\lambda_k$ is $\lambda_k$ times that of its logarithm:
//
// ```{equation} eq-softmax-gradient
// :function: recto::softmax
// :test: equations: the Jacobian of softmax
// \frac{\partial \lambda_k}{\partial z_j} = \lambda_k \, (\delta_{kj} - \lambda_j)
// ```
//
// All of these together are a square table, a *Jacobian*. Here it is from the formula:
using Table = std::vector<std::vector<double>>;

Table by_hand(const std::vector<double>& z) {
    const std::vector<double> p = probabilities(z);
    Table J(z.size(), std::vector<double>(z.size()));
    for (std::size_t k = 0; k < z.size(); ++k)
        for (std::size_t j = 0; j < z.size(); ++j) J[k][j] = p[k] * ((k == j) - p[j]);
    return J;
}

// And here from the tape, which differentiates our programs, one result at a time:
Table by_tape(const std::vector<double>& z) {
    Table J;
    for (std::size_t k = 0; k < z.size(); ++k) {
        const Tensor scores = Tensor({Index(z.size())}, z).requires_grad_();
        select(softmax(scores), 0, Index(k)).backward();
        J.push_back(scores.grad().values());
    }
    return J;
}

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
    claim("eq-softmax-gradient/a", "the two tables differ nowhere by more than", apart,
          "<=", 1e-7);
    claim("eq-softmax-gradient/b", "the largest sum of a row or a column", sums,
          "<=", 1e-7);

    // (A test of the library compares both with finite differences, too.) A name gains from its own score, on the
    // diagonal, and loses by any other. Columns sum to zero because probability is only moved around. Rows do
    // because adding the same to all scores changes nothing.
    //
    // Now the loss of one sample, $-\log \lambda_y$. Its derivative by $z_j$ is the derivative of the logarithm
    // with its sign turned, and that we had on the way: $\lambda_j - \delta_{yj}$. In words: *what the network
    // believes, minus what is true*. For all samples together, with the mean,
    //
    // $$ \frac{\partial \Loss_{\mathrm{ce}}}{\partial f(x_n; w)_j} = \frac1N \Big( \hat P(j \mid x_n) - [\, j = y_n ]
    // \Big) . $$
    Generator random(book::seed() + 2);
    const Tensor scores = random.normal({50, 7}).requires_grad_();
    const Integers labels = random.integers({50}, 0, 7);
    cross_entropy(scores, labels).backward();
    const Tensor difference = (softmax(scores.detach()) - one_hot(labels, 7)) / 50.;
    claim("eq-cross-entropy/c",
          "the gradient differs from (softmax - one-hot) / N by at most",
          double(max(abs(scores.grad() - difference)).item()), "<=", 1e-7);

    // So little is left of the logarithm, the exponentials and the sum. The right name is pulled up with a force
    // that is the share still missing, and the wrong names are pushed down, each by the share that it has too much.
    // A sample that is learned pulls no more. One that is badly wrong pulls with all its force, which is one.
    //
    // Why does this matter? Probabilities could also be compared by their squared distance, $(1 - \lambda_1)^2 +
    // \lambda_2^2$ for two names of which the first is right. {numref}`fig-pulls` shows both losses against the
    // lead of the right score.
    const std::vector<double> lead = even_grid(81, -8, 8);
    Tensor pair = zeros({81, 2});
    for (Index i = 0; i < 81; ++i) pair.set({i, 0}, lead[std::size_t(i)]);
    const Integers always_first({81}, std::vector<Index>(81, 0));
    const auto pull = [&](const auto& loss) {  // on the right score, for every sample
        const Tensor moved = clone(pair).requires_grad_();
        loss(moved).backward();
        return (-select(moved.grad(), 1, 0)).values();
    };
    const std::vector<double> pulls_ce =
        pull([&](const Tensor& s) { return cross_entropy(s, always_first) * 81.; });
    const std::vector<double> pulls_square = pull([&](const Tensor& s) {
        return sum(square(softmax(s) - one_hot(always_first, 2)));
    });
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
        .y("slope")
        .save(
            "Two names, the first is right. Far to the left the network is sure and "
            "wrong. There the cross-entropy pulls with all its force, and the squared "
            "distance of the probabilities hardly at all.");
    //-
    say("sure and wrong, a lead of {}: cross-entropy pulls with {:.4f}, the square "
        "with {:.4f}",
        lead[0], pulls_ce[0], pulls_square[0]);

    // On the squared distance the Jacobian stays in the way, and where the network is sure, all of its entries are
    // nearly zero. A network that is sure of the wrong thing would take very long to learn that it is wrong. In the
    // cross-entropy the logarithm takes away just what the softmax had put in.
}

// ## A stand-in
//
// But nobody wants a small cross-entropy. We want few *errors*: the share of samples whose largest score belongs to
// the wrong name. Why not train on that? Let us look at both, for pictures of clothes and two models, one of them
// linear, the other with a hidden layer.
struct Verdict {
    double error;             // share of wrong names
    double bits;              // mean cross-entropy, in bits
    Index broken_bounds = 0;  // samples whose cross-entropy is below their error
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

// A step from one model in the direction of another, of any length, makes a third:
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

// Training follows the cross-entropy, as ever, and after each epoch both numbers are taken, on the pictures it
// learns from and on as many new ones.
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

// Whether two numbers rise and fall together is told by the *rank correlation*: replace each value by its place in
// the order, and correlate the places {cite:p}`spearman1904`. It is 1 when both always agree on which epoch was
// better.
std::vector<double> ranks(const std::vector<double>& x) {
    std::vector<double> rank;
    for (const double a : x) {  // those below, and half of those that are equal
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

    // First we push. Every weight changes at random, by about a millionth. Does the error rate change? Does the
    // cross-entropy?
    const auto unmoved = [&](const auto& model) {
        const Verdict before = judge(model, lessons);
        int same_error = 0, same_bits = 0;
        for (int i = 0; i < pushes(); ++i) {
            const Verdict after =
                judge(step(model, random_direction(model, random), 1e-6), lessons);
            same_error += after.error == before.error;
            same_bits += after.bits == before.bits;
        }
        say("of {} pushes the error rate stayed in {}, the cross-entropy in {}",
            pushes(), same_error, same_bits);
        return 100.0 * same_error / pushes();
    };
    const double of_line = unmoved(line), of_net = unmoved(net);
    claim("claim-proxy-loss/a",
          "pushes that leave the error rate as it was, in per cent, for the model "
          "where they are fewer",
          std::min(of_line, of_net), ">=", 99);

    // The error rate counts, and a count does not change by a little. It is a landscape of terraces: level almost
    // everywhere, with steps between. Its gradient is zero wherever it has one. {numref}`fig-terraces` walks from
    // the weights at the start, at 0, to those after training, at 1, and on in the same direction.
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
            "Left: both numbers along one direction in weight space, for 500 pictures. "
            "The cross-entropy, in bits, is nowhere below the error rate. Right: a "
            "piece of the line, magnified. The error rate goes in steps of one "
            "picture, level in between.");
    book::shows("claim-proxy-loss/d", "fig-terraces");

    // Whoever stands on a terrace and feels the ground finds it level, and has nowhere to go. So we walk on another
    // landscape. A stand-in is called a *surrogate* or *proxy loss*, and three things make this one good.
    //
    // It has a slope everywhere. That is the figure.
    //
    // It bounds what we want, from above. When the answer is wrong, another name has at least the probability of
    // the right one, so the right one has at most one half; and the logarithm to base 2 of one half is $-1$. So a
    // wrong sample costs at least one *bit*, and no sample costs less than nothing. If the cross-entropy is 0.1
    // bits, no more than one sample in ten can be wrong. We look at each sample of both sets, after every epoch:
    claim("claim-proxy-loss/b",
          "samples whose cross-entropy in bits is below their error, 0 or 1", broken,
          "==", 0);

    // And it goes down when the errors do. That cannot be proved, only watched.
    std::vector<double> together, on_new;
    for (int draw = 0; draw < draws(); ++draw) {
        book::progress(draw + 1, draws(), "networks");
        const nn::Mlp other({784, hidden(), 10}, relu, random);
        const Course c = train(other, lessons, fresh, random);
        together.push_back(rank_correlation(c.error, c.bits));
        on_new.push_back(rank_correlation(c.new_error, c.new_bits));
    }
    claim("claim-proxy-loss/c",
          "rank correlation of cross-entropy and error rate over the epochs",
          over_seeds(together), ">", 0.9);
    say("on pictures it does not learn from: {}", book::brief(over_seeds(on_new)));

    // {numref}`fig-courses` shows one of the trainings, the one whose landscape we have seen.
    std::vector<double> seen;
    for (int epoch = 1; epoch <= epochs(); ++epoch) seen.push_back(epoch);
    //- how the figure is drawn
    Figure("fig-courses")
        .describe(
            "Left: the cross-entropy falls steadily on the pictures learned from; on "
            "new pictures it falls, is lowest after some epochs and then rises slowly. "
            "Right: the error rate falls steadily on the pictures learned from; on new "
            "ones it falls and then stays level.")
        .panel("cross-entropy")
        .line("learned from", seen, course.bits, {.points = false})
        .line("new", seen, course.new_bits, {.points = false})
        .x("epoch")
        .y("bits")
        .panel("error rate")
        .line("learned from", seen, course.error, {.points = false})
        .line("new", seen, course.new_error, {.points = false})
        .x("epoch")
        .y("share of wrong names")
        .save(
            "The stand-in (left) and what it stands for (right). On the pictures it "
            "learns from both fall. On new ones the network becomes too sure of its "
            "mistakes: the cross-entropy turns, the error rate does not.");
    //-

    // The two agree on the pictures that are trained on. On new ones they part ways: late in training the network
    // makes no more mistakes than before, but it is surer of those it makes, and the cross-entropy minds. So choose
    // when to stop by the number you care about. {row}`ex-loss-design-discussion` asks you for a stand-in of your
    // own, and what it promises.
    //
    // ```{exercises}
    // - [How a smooth loss yields accuracy](/exercises/losses/loss_design.md)
    // ```
}

void page() {
    scores_to_probabilities();
    the_loss();
    the_gradient();
    a_stand_in();
}

// ## What is missing
//
// The stand-in was given, and it turned out well. But others have slopes and bounds, too. Does it make a difference
// which one is taken, as long as all of them are small when the answer is right? [The next
// page](choosing_a_loss.cpp) trains the same network on the same data with different losses, and looks at what it
// has learned.
//
// ```{try}
// - Fewer pictures, longer: `--pictures 300 --epochs 100`. How far does the cross-entropy of new pictures turn?
// - A wider network: `--hidden 200`. Is the error rate less of a staircase?
// - Fewer samples make higher steps: `--pictures 100`. What happens to the pushes?
// ```
