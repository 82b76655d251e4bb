// # Surrogate loss: training on a smooth stand-in
//
// ```{rows} claim-proxy-loss ex-loss-design-discussion
// ```
//
// A classifier should make few errors. Why not train it on its **error rate**, the share of samples whose largest score
// belongs to the wrong class? [The last page](cross_entropy.cpp) built another loss, and this page says why it is needed.
// It shows what the error rate looks like to gradient descent, what makes another number a good stand-in, a **surrogate
// loss** (also *proxy loss*), and when the stand-in misleads you. {numref}`fig-one-weight` shows a model with a single
// weight. Move the weight: how do the error rate and its stand-in respond?
//
// ```{opening} fig-one-weight
// ```
//- includes, names and options
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
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say;
using data::Batches, data::even_grid, data::Examples, data::Part;
using figure::Figure;

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
//-

//- how the figure is drawn
const std::vector<double> all_no = {-3, -1, 1}, all_yes = {0, 2, 4};

struct Height {
    double error, bits, slope;  // error rate; cross-entropy in bits, its derivative
};
Height at_weight(double b);  // see below

void draw_one_weight() {
    const std::vector<double> stops = even_grid(41, -5, 5),
                              fine = even_grid(401, -5, 5);
    std::vector<double> error, bits;
    for (const double b : fine) {
        const Height there = at_weight(b);
        error.push_back(there.error), bits.push_back(there.bits);
    }
    Figure drawn("fig-one-weight");
    drawn
        .describe(
            "First panel: six samples on a line, three of class no at -3, -1 and 1, "
            "three of class yes at 0, 2 and 4, and a vertical line where the model "
            "changes its answer from no to yes. Second panel: against the weight b, "
            "the cross-entropy in bits, a smooth bowl, and below it the error rate, a "
            "staircase. A slider moves b.")
        .slider("b", stops, "weight b", 0.5)
        .panel("six samples")
        .dots("no", all_no, std::vector<double>(3, 0.0))
        .dots("yes", all_yes, std::vector<double>(3, 1.0));
    for (const double b : stops) drawn.at(b).rule_x(-b);
    drawn.always()
        .xlim(-5, 5)
        .ylim(-0.5, 1.5)
        .x("x (the model says yes to the right of the line)")
        .y("class: no 0, yes 1")
        .panel("two landscapes")
        .line("cross-entropy in bits", fine, bits, {.points = false})
        .line("error rate", fine, error, {.points = false});
    for (const double b : stops) drawn.at(b).rule_x(b);
    drawn.always()
        .x("weight b")
        .y("loss, error rate")
        .save(
            "Choose $b$. The model says *yes* where $x + b$ is positive, to the right "
            "of the dashed line among the six samples. The error rate changes only "
            "when the line passes a sample; the cross-entropy changes with every "
            "move, and is above the error rate everywhere.");
}
//-

// ## A staircase
//
// The model decides between *no* and *yes* by one number $x$. The score of *yes* is $x + b$, that of *no* is 0. There
// are six samples: at $-3$, $-1$ and 1 the answer is *no*, at 0, 2 and 4 it is *yes*. With $b = 0.5$ the scores of
// *yes* are $-2.5$, $-0.5$ and 1.5 for the first three samples, and 0.5, 2.5 and 4.5 for the others. One of them, 1.5,
// is on the wrong side: the error rate is $\frac16$. We measure the cross-entropy in **bits** (nats divided by
// $\log 2$), for a reason given below. The six samples cost 0.11, 0.68, 2.45, 0.68, 0.11 and 0.02 bits, 0.68 on
// average. The program computes both numbers, and the derivative of the cross-entropy:
Height at_weight(double b) {
    const Tensor weight = Tensor({1}, {b}).requires_grad_();
    const Tensor x({6, 1}, {-3, -1, 1, 0, 2, 4});
    const Integers labels({6}, {0, 0, 0, 1, 1, 1});
    const Tensor scores = concat({zeros({6, 1}), x + weight}, 1);
    const Tensor bits = cross_entropy(scores, labels) / std::numbers::ln2;
    bits.backward();
    const std::vector<Index> said = argmax(scores).values(), right = labels.values();
    double errors = 0;
    for (std::size_t i = 0; i < 6; ++i) errors += said[i] != right[i];
    return {errors / 6, bits.item(), weight.grad().item()};
}
//- three values of the weight
void one_weight() {
    for (const double b : {0.5, 0.6, -0.5}) {
        const Height there = at_weight(b);
        say("b = {:4.1f}: error rate {:.4f}, cross-entropy {:.4f} bits, derivative "
            "{:7.4f}",
            b, there.error, there.bits, there.slope);
    }
}
//-

// From 0.5 to 0.6 no sample changes sides. The error rate is the same, and its derivative is zero, as it is for every
// $b$ at which it has a derivative. [Gradient descent](descent.cpp) changes a weight by the derivative times a small
// number, the learning rate, so it would not move at all. The cross-entropy has a derivative of 0.19 bits per unit of $b$
// at 0.5, and says: make $b$ smaller.
//
// But the cross-entropy misses our goal here. Its minimum is at $b = -0.5$, where two samples are wrong; on the
// neighbouring steps of the staircase, to the left and to the right, only one is. The mistake at $x = 1$ costs much, so
// the cross-entropy lowers the score there, and accepts a second mistake, at $x = 0$. A surrogate has its own minimum.
// What it guarantees comes below.
//
// ## Images, and a millionth of a weight
//
// Does the same hold for models with thousands of weights? We classify a thousand images of clothes, with a linear model
// and with a network that has a hidden layer of 32 units.
//- both numbers of a model
struct Verdict {
    std::vector<Index> said;  // the class predicted for each sample
    double error;             // error rate
    double bits;              // mean cross-entropy, in bits
    double bits_if_wrong;     // the same over the wrong samples alone
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
    Verdict verdict{said, 0, 0, 0};
    for (std::size_t i = 0; i < each.size(); ++i) {
        const double wrong = said[i] != right[i];
        verdict.error += wrong / double(each.size());
        verdict.bits += each[i] / double(each.size());
        verdict.bits_if_wrong += wrong * each[i];
        verdict.broken_bounds += !(each[i] >= wrong);
    }
    verdict.bits_if_wrong /= verdict.error * double(each.size());
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

// Training follows the cross-entropy, in mini-batches of 50 images. After each epoch we measure both numbers, on the
// training set and on equally many new images.
//- how a training is recorded
struct Course {
    std::vector<double> error, bits, new_error, new_bits, new_bits_if_wrong;
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
        course.new_bits_if_wrong.push_back(then.bits_if_wrong);
        course.broken_bounds += now.broken_bounds + then.broken_bounds;
    }
    return course;
}
//-

//- the rank correlation of two lists
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

    // First we change every weight of a trained model by a random amount of about a millionth. Does the prediction for any
    // image change, and does the cross-entropy? (We compare image by image, since equal error rates can hide one mistake
    // more and one less.)
    //- how random changes are tried, and what is checked
    const auto unmoved = [&](const char* name, const auto& model) {
        const Verdict before = judge(model, lessons);
        int level = 0, same_said = 0, same_bits = 0;
        for (int i = 0; i < pushes(); ++i) {
            const Verdict after =
                judge(step(model, random_direction(model, random), 1e-6), lessons);
            same_said += after.said == before.said;
            same_bits += after.bits == before.bits;
            level += after.said == before.said && after.bits != before.bits;
        }
        say("{}: of {} random changes, {} left all predictions as they were, and {} "
            "the cross-entropy",
            name, pushes(), same_said, same_bits);
        return 100.0 * level / pushes();
    };
    const double of_line = unmoved("linear model", line),
                 of_net = unmoved("network", net);
    claim("claim-proxy-loss/a",
          "random changes that change no prediction and do change the cross-entropy, "
          "in percent, for the model with fewer of them",
          std::min(of_line, of_net), ">=", 99);
    //-

    // In both models all 200 changes left every prediction as it was, and each changed the cross-entropy. The error rate is
    // a count divided by the number of images, and a count changes by whole images or not at all. Its landscape is made
    // of terraces: level almost everywhere, with steps between, and the gradient is zero wherever it exists.
    // {numref}`fig-terraces` follows a line through the weights of the network, from the initial ones, at 0, to the
    // trained ones, at 1, and beyond.
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
            "First panel: along a straight line in weight space the cross-entropy in "
            "bits falls smoothly from 3.4 at 0 to less than 0.1 at 1; the error rate "
            "lies below it everywhere and falls from about 0.9 to near 0. Second "
            "panel: a short piece of that line magnified; the error rate is a "
            "staircase of a few level steps.")
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
            "First panel: both numbers along one direction in weight space, for 500 "
            "images. The cross-entropy, in bits, is nowhere below the error rate. "
            "Second panel: a piece of the line, magnified. The error rate changes in "
            "steps of one image and is level in between.");
    book::shows("claim-proxy-loss/d", "fig-terraces");
    say("wrong images on the line, of {}: at the best place {:.0f}, at the trained "
        "weights {:.0f}",
        few.size(), std::ranges::min(far.error) * double(few.size()),
        far.error[60] * double(few.size()));
    //-

    // As in the example, the best place for the errors and that for the cross-entropy differ: between 0.6 and 0.8 no
    // image is wrong, at the trained weights two are, and yet the cross-entropy is lower at the trained weights.
    //
    // ## Three properties of a good stand-in
    //
    // On a terrace gradient descent has nowhere to go. So we descend on another landscape, that of a surrogate loss, and
    // three properties make cross-entropy a good one.
    //
    // **It has a gradient.** The derivative with respect to the scores is the predicted probability minus the truth.
    // It is not zero for any sample, as long as the network is not entirely certain.
    //
    // **It bounds the error rate from above.** When the answer is wrong, another class has at least the probability of
    // the right one, so the right one has at most one half, and the base-2 logarithm of one half is $-1$. So a
    // wrong sample costs at least one *bit*, and no sample costs less than zero. If the mean cross-entropy is 0.1
    // bits, at most one sample in ten is wrong. We check each sample of both sets after every epoch, for the linear model,
    // the network and seven more networks, which the third property needs, too:
    //- a training for each draw
    std::vector<double> together, by_epoch, steps_together, steps_by_epoch, lead,
        on_new, rise, change;
    const auto steps = [](const std::vector<double>& x) {  // from epoch to epoch
        std::vector<double> made;
        for (std::size_t i = 1; i < x.size(); ++i) made.push_back(x[i] - x[i - 1]);
        return made;
    };
    const auto with_epoch = [](const std::vector<double>& x) {
        std::vector<double> number;
        for (std::size_t i = 0; i < x.size(); ++i) number.push_back(double(i));
        return std::abs(rank_correlation(x, number));
    };
    const auto lowest = [](const Course& c) {  // the epoch, counted from 0
        return std::size_t(std::ranges::min_element(c.new_bits) - c.new_bits.begin());
    };
    for (int draw = 0; draw < draws(); ++draw) {
        book::progress(draw + 1, draws(), "networks");
        const nn::Mlp other({784, hidden(), 10}, relu, random);
        const Course c = train(other, lessons, fresh, random);
        broken += c.broken_bounds;
        together.push_back(rank_correlation(c.error, c.bits));
        by_epoch.push_back(with_epoch(c.error));
        steps_together.push_back(rank_correlation(steps(c.error), steps(c.bits)));
        steps_by_epoch.push_back(with_epoch(steps(c.error)));
        lead.push_back(steps_together.back() - steps_by_epoch.back());
        on_new.push_back(rank_correlation(c.new_error, c.new_bits));
        rise.push_back(100 * (c.new_bits.back() / c.new_bits[lowest(c)] - 1));
        change.push_back(100 * (c.new_error.back() - c.new_error[lowest(c)]));
    }
    //-
    claim("claim-proxy-loss/b",
          "samples whose cross-entropy in bits is below their error, 0 or 1", broken,
          "==", 0);

    // **The error rate falls with it.** No theorem guarantees this, so we measure it. We compare both numbers over the
    // epochs of each of the seven networks. The **rank correlation** says whether two numbers rise and fall together:
    // replace each value by its place in the order, and correlate the places {cite:p}`spearman1904`. It is 1 when both
    // always agree on which epoch was better.
    //
    // But on the training set both numbers mostly fall, and any two falling numbers agree, related or not. So we also
    // correlate the *changes* from each epoch to the next. For comparison we correlate them with the number of the
    // epoch, which says only how far training has got:
    //- both correlations, and what is checked
    say("size of the rank correlation with the error rate on the training set:");
    say("   cross-entropy {}, epoch {}", book::brief(over_seeds(together)),
        book::brief(over_seeds(by_epoch)));
    say("   the change of one with that of the other {}, with the epoch {}",
        book::brief(over_seeds(steps_together)),
        book::brief(over_seeds(steps_by_epoch)));
    claim("claim-proxy-loss/c",
          "rank correlation of cross-entropy and error rate over the epochs",
          over_seeds(together), ">", 0.9);
    claim("claim-proxy-loss/c",
          "rank correlation of their changes, minus that of the error rate's changes "
          "with the epoch",
          over_seeds(lead), ">", 0);
    //-

    // The correlation of 0.99 alone says little: the epoch scores 0.99, too. That of the changes says more. In the median
    // network it is 0.86, and the epoch scores about 0.55 (the changes get smaller over time). So an epoch that lowers the
    // cross-entropy more than others mostly lowers the error rate more, too.
    //
    // ## When to stop
    //
    // New images are another matter. Take the network whose landscape we have seen:
    const std::size_t best = lowest(course);
    const double worse = course.new_error.back() - course.new_error[best];
    ask(fmt::format("On new images the cross-entropy is lowest after epoch {}, with "
                    "{:.2f} bits, "
                    "and rises to {:.2f} bits after epoch {}. What does the error rate "
                    "on these "
                    "images do meanwhile?",
                    best + 1, course.new_bits[best], course.new_bits.back(), epochs()),
        {{"It rises by more than two percentage points: the network overfits.",
          worse > 0.02,
          "A mistake counts once, however sure the network is of it. The cross-entropy "
          "can rise without a single new mistake."},
         {"It stays where it is, within two percentage points.",
          std::abs(worse) <= 0.02,
          "The network makes about as many mistakes as before, and is more confident "
          "in "
          "them: this raises the cross-entropy and not the error rate."},
         {"It falls by more than two percentage points: training goes on.",
          worse < -0.02,
          "On the training set it does. What is learned in these epochs no longer "
          "carries over to new images."}});

    // {numref}`fig-courses` shows this training.
    //- how the figure is drawn
    std::vector<double> seen;
    for (int epoch = 1; epoch <= epochs(); ++epoch) seen.push_back(epoch);
    Figure("fig-courses")
        .describe(
            "First panel: the cross-entropy falls on the training set; on new images "
            "it falls, is lowest after some epochs and then rises slowly. Second "
            "panel: the error rate falls on the training set, with small jumps; on new "
            "images it falls and then stays level.")
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
            "The surrogate (first panel) and the error rate (second panel). On the "
            "training set both fall. On new images the network becomes overconfident "
            "in its mistakes: the cross-entropy rises again, the error rate does not.");
    say("a wrong new image costs {:.2f} bits after epoch {}, and {:.2f} after epoch {}",
        course.new_bits_if_wrong[best], best + 1, course.new_bits_if_wrong.back(),
        epochs());
    say("from the lowest cross-entropy on new images to the last epoch:");
    say("   it rises by {} %", book::brief(over_seeds(rise)));
    say("   the error rate changes by {} percentage points",
        book::brief(over_seeds(change)));
    say("rank correlation on new images: {}", book::brief(over_seeds(on_new)));
}
//-

// The mistakes become more expensive, not more frequent: a wrong new image costs 3.06 bits after epoch 15 and 4.29 after
// epoch 40. In the seven other networks the cross-entropy of new images rises by 17 to 21 % from its minimum, and the
// error rate changes by at most 0.7 percentage points meanwhile. So the two numbers part: on the training set their rank
// correlation is 0.99, but on new images it lies between $-0.06$ and 0.60, with a median of 0.16.
//
// Stop training by the number that you care about, measured on samples that the network does not learn from. If you
// want probabilities, that is the cross-entropy, and its minimum says when to stop. If you want answers, it is the error
// rate, and here more epochs do little harm. A [later page](protocol.cpp) is about this **early stopping**.

void page() {
    draw_one_weight();
    one_weight();
    a_stand_in();
}

// ## Summary
//
// The error rate is a staircase, whose gradient is zero wherever it exists. Cross-entropy stands in for it: it has a
// gradient, in bits it is never below the error rate, and on the training set both fall together. On new images the
// cross-entropy can rise while the error rate stays, so stop by the number that you care about.
//
// ## What is missing
//
// [An exercise](/exercises/losses/loss_design.md) asks you for a surrogate loss of your own, and for what it guarantees.
// Cross-entropy turned out well, but other losses have gradients and bounds, too. [The next page](choosing_a_loss.cpp)
// trains equal networks on the same data with different losses, and looks at what they have learned.
//
// ```{exercises}
// - [How a smooth loss yields accuracy](/exercises/losses/loss_design.md)
// ```
//
// ```{try}
// - Fewer images, longer: `--pictures 300 --epochs 100`. How far does the cross-entropy of new images rise again?
// - A wider network: `--hidden 200`. Is the error rate less of a staircase?
// - Fewer samples make higher steps: `--pictures 100`. How many random changes leave the error rate as it was?
// ```
