// # Memorising: the capacity of a network
//
// ```{rows} claim-huge-capacity
// ```
//
// Can a network learn nonsense? Take 200 images, give each a label at random, and train. Nothing is left to understand:
// only learning by heart helps. {numref}`fig-nonsense` trains a small network and shows how many of its own training
// images it gets right. Move the share of random labels from 0 to 100 %. Then give the network fewer units. The
// set of functions that a network can express is its **capacity**. Does capacity explain why networks work?
//
// ```{opening} fig-nonsense
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/linalg/products.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::median, book::over_seeds, book::say;
using data::Examples, data::Part;
using figure::Figure;

const book::Option<Index> share("share", 100, "per cent of the labels that are random",
                                {.least = 0, .most = 100});
const book::Option<Index> units("units", 64, "hidden units of the small network",
                                {.least = 1, .most = 128});
const book::Option<int> seeds("seeds", 5, "draws of images, labels and weights",
                              {.quick = 1, .least = 1, .most = 50});
const book::Option<Index> width("width", 512, "hidden units",
                                {.quick = 64, .least = 1, .most = 2048});
const book::Option<Index> images("images", 500, "training images",
                                 {.quick = 200, .least = 100, .most = 5000});
const book::Option<Index> lasting("steps", 250, "training steps",
                                  {.quick = 40, .least = 10, .most = 5000});
//-

// ## Three tasks, one network
//
// The first task is honest: images of Fashion-MNIST with their labels. In the second, every label is drawn at random. In
// the third the labels are true, but the pixels are noise. The second and the third have nothing that could be
// understood:
enum class Task { honest, random_labels, random_pixels };

Examples make(Task task, Examples set, Generator& random) {
    if (task == Task::random_labels)
        set.labels = random.integers(set.labels.shape(), 0, 10);
    if (task == Task::random_pixels) set.x = random.normal(set.x.shape());
    return set;
}
//- the images, and a training run
Examples some_images(Part part, Index count, Generator& random) {
    const Examples& all = data::fashion_mnist(part);
    std::vector<Index> order = random.permutation(all.size());
    order.resize(std::size_t(count));
    Examples some = data::flat(data::select(all, order));
    some.x = some.x * 2.8 - 0.8;  // around zero, about as wide as one
    return some;
}

struct Run {
    std::vector<double> loss, right;  // of the training images, after every tenth step
    double test = 0;                  // accuracy
    double perfect = HUGE_VAL;        // steps until all training images were right
};

Run train(const Examples& set, const Examples& test, Index wide, Index last,
          Index batch, Generator& random) {
    const nn::Mlp net(
        wide == 0 ? std::vector<Index>{784, 10} : std::vector<Index>{784, wide, 10},
        relu, random);
    optim::Adam adam(nn::parameters(net), {.lr = 1e-3});
    data::Passes passes(set, batch, random);
    Run run;
    for (Index step = 0; step <= last; ++step) {
        if (step % 10 == 0) {
            const NoGrad only_looking;
            const Tensor scores = net(set.x);
            run.loss.push_back(double(cross_entropy(scores, set.labels).item()));
            run.right.push_back(nn::accuracy(scores, set.labels));
            if (run.right.back() == 1 && run.perfect == HUGE_VAL)
                run.perfect = double(step);
        }
        if (step == last) break;
        const Examples some = passes.next();
        optim::train_step(adam,
                          [&] { return cross_entropy(net(some.x), some.labels); });
    }
    const NoGrad only_looking;
    run.test = nn::accuracy(net(test.x), test.labels);
    return run;
}

std::vector<double> every_tenth(Index last) {
    std::vector<double> at;
    for (Index step = 0; step <= last; step += 10) at.push_back(double(step));
    return at;
}

void nonsense() {
    Generator random(book::seed());
    Examples set = some_images(Part::train, 200, random);
    const Examples test = some_images(Part::test, 1000, random);
    std::vector<Index> labels = set.labels.values();
    for (Index& label : labels) {
        const Index drawn = random.next_integer(0, 10);
        if (random.next_uniform() * 100 < double(share())) label = drawn;
    }
    set.labels = Integers(set.labels.shape(), labels);
    const Run run = train(set, test, units(), 300, 50, random);
    Figure("fig-nonsense")
        .describe(
            "The accuracy on the training images against the training steps. With "
            "random "
            "labels and 64 hidden units it rises from one tenth to one. A dashed line "
            "marks the accuracy on test images at the end, near one tenth. Sliders set "
            "the "
            "share of random labels and the number of units.")
        .slider(share, "random labels, %")
        .slider(units, "hidden units")
        .line("training images", every_tenth(300), run.right,
              {.color = figure::blue, .dash = figure::solid, .points = false})
        .rule_y(run.test, "test images, at the end", {.color = figure::red})
        .ylim(0, 1)
        .x("training steps")
        .y("accuracy")
        .save(
            "A small network learns 200 images with random labels by heart. The test "
            "images, with "
            "their true labels, show that it has understood nothing.");
    std::vector<double> narrow;
    for (int start = 0; start < 5; ++start)
        narrow.push_back(train(set, test, 2, 300, 50, random).right.back());
    say("two hidden units, {} % random labels, five starts: training accuracy {}",
        share(), book::brief(over_seeds(narrow)));
}
//-

// ## A network that fits anything
//
// First an argument without training. Three images must get the answers 2, 5 and 3. Multiply each image by the same
// random direction; this gives three numbers, say 1, 2 and 4. Now draw a line through the points $(1, 2)$, $(2, 5)$ and
// $(4, 3)$, piece by piece. A ReLU that begins at a point bends the line there. The first unit begins at 0 and has to
// reach 2 at 1: weight 2. At 2 it alone would give 4. The second unit begins at 1 and must add 1 at 2: weight 1. At 4
// both give $8 + 3 = 11$. The third begins at 2 and must add $-8$ at 4: weight $-4$.
//
// Each new unit is zero at all earlier points, so it repairs the next point and spoils nothing. In this way a network
// with $N$ hidden units gives $N$ different images any answers at all {cite:p}`zhang2017`. The code does what the
// example does:
struct Interpolator {
    std::vector<double> starts, weights;  // one of each for a hidden unit
    double operator()(double z) const {
        double sum = 0;
        for (std::size_t k = 0; k < starts.size(); ++k)
            sum += weights[k] * std::max(0.0, z - starts[k]);
        return sum;
    }
};

Interpolator fit(const std::vector<double>& z,
                 const std::vector<double>& y) {  // z ascending
    Interpolator net;
    for (std::size_t k = 0; k < z.size(); ++k) {
        const double start = k == 0 ? z[0] - 1 : z[k - 1], missing = y[k] - net(z[k]);
        net.starts.push_back(start);
        net.weights.push_back(missing / (z[k] - start));
    }
    return net;
}
//- on images with random labels
void without_training() {
    const Interpolator example = fit({1, 2, 4}, {2, 5, 3});
    say("the example has the weights {}, {} and {}", example.weights[0],
        example.weights[1], example.weights[2]);
    Generator random(book::seed());
    const Examples set = some_images(Part::train, images(), random);
    const linalg::Matrix x = linalg::matrix_of(set.x);
    std::vector<double> direction;
    for (Index i = 0; i < x.cols; ++i) direction.push_back(random.next_normal());
    const std::vector<double> z = linalg::matvec(x, direction);
    std::vector<std::size_t> order(z.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return z[a] < z[b]; });
    std::vector<double> ascending, labels;
    for (const std::size_t i : order) {
        ascending.push_back(z[i]);
        labels.push_back(double(random.next_integer(0, 10)));
    }
    const Interpolator net = fit(ascending, labels);
    double worst = 0;
    for (std::size_t i = 0; i < labels.size(); ++i)
        worst = std::max(worst, std::abs(net(ascending[i]) - labels[i]));
    claim("",
          fmt::format("largest error of a network with {} units on {} images with "
                      "random labels, labels from 0 to 9",
                      images(), images()),
          worst, "<=", 1e-3);
    say("its largest weight: {}", book::brief(linalg::largest(net.weights)));
}
//-

// So 500 units suffice for 500 images, whatever the labels are. But the weights of this network are huge, and a
// training run does not know the construction. Does gradient descent find a solution of this kind? We train an MLP with
// 512 hidden units on 500 images, with Adam and batches of 100, for 250 steps. Place your bet:
//- the question, the runs, and how the figure is drawn
// The mean size of the cosine of the angle between two neighbours in the list.
double cosine(const Tensor& x) {
    const Index n = x.size(0) - 1;
    const Tensor a = slice(x, 0, 0, n), b = slice(x, 0, 1, n + 1);
    return mean(abs(sum(a * b, {1}) / sqrt(sum(square(a), {1}) * sum(square(b), {1}))))
        .item();
}

struct Results {
    std::vector<std::vector<double>> loss;
    std::vector<double> right, test, perfect;
};

void three_tasks() {
    const std::vector<std::pair<std::string, Task>> tasks = {
        {"true labels", Task::honest},
        {"random labels", Task::random_labels},
        {"random pixels", Task::random_pixels}};
    std::vector<Results> all(tasks.size());
    for (int seed = 0; seed < seeds(); ++seed)
        for (std::size_t k = 0; k < tasks.size(); ++k) {
            Generator random(book::seed() + 100 * std::uint64_t(seed));
            const Examples set = some_images(Part::train, images(), random),
                           test = some_images(Part::test, 2000, random);
            const Run run = train(make(tasks[k].second, set, random), test, width(),
                                  lasting(), 100, random);
            all[k].loss.push_back(run.loss);
            all[k].right.push_back(run.right.back()), all[k].test.push_back(run.test);
            all[k].perfect.push_back(run.perfect);
        }
    const double learned = median(all[1].right);
    ask("Which accuracy does the network reach on its own training images when all "
        "labels are random?",
        {{"About 0.1: there is nothing to learn.", learned < 0.3,
          "There is nothing to understand. But 500 labels are few for a network with "
          "407,050 parameters."},
         {"About one half: it learns the easy ones.", learned >= 0.3 && learned < 0.9,
          "No random label is easier than another. While the loss falls, all of them "
          "are learned."},
         {"1, all of them.", learned >= 0.9,
          "The network has 814 parameters for each label, and gradient descent finds a "
          "setting that fits them all."}});
    Figure figure("fig-three-tasks");
    figure.describe(
        "The training loss against the training steps, on a logarithmic axis, five "
        "thin lines for each of three tasks. All fall from 2.3 to below 0.1, with "
        "random pixels fastest and with random labels slowest.");
    const figure::Color colors[] = {figure::blue, figure::red, figure::ochre};
    for (std::size_t k = 0; k < tasks.size(); ++k) {
        const Results& of = all[k];
        figure.lines(tasks[k].first, every_tenth(lasting()), of.loss,
                     {.color = colors[k]});
        say("{}: training accuracy {:.3f}, test accuracy {:.3f}, all training images "
            "right after {:.0f} steps (medians)",
            tasks[k].first, median(of.right), median(of.test), median(of.perfect));
    }
    figure.log_y()
        .x("training steps")
        .y("training loss")
        .save(
            "The training loss of an MLP with 512 hidden units on 500 images, five "
            "draws of each task. The network fits them all. "
            "Random labels take it less than twice as long as true ones, and noise is "
            "learned first.");
    book::shows("claim-huge-capacity/a", "fig-three-tasks");
    claim("claim-huge-capacity/b",
          "training accuracy on random labels after 250 steps of batches of 100",
          over_seeds(all[1].right), "==", 1);
    book::claim_in("claim-huge-capacity/c",
                   "test accuracy after training on random labels",
                   over_seeds(all[1].test), 0.06, 0.14);
    claim("claim-huge-capacity/d", "test accuracy after training on true labels",
          over_seeds(all[0].test), ">=", 0.75);
    Generator random(book::seed());
    say("parameters: {}", nn::count(nn::Mlp({784, width(), 10}, relu, random)));
    const Examples set = some_images(Part::train, images(), random);
    for (const Task task : {Task::honest, Task::random_labels, Task::random_pixels}) {
        const Examples some = make(task, set, random);
        const Run run = train(some, some, 0, lasting(), 100, random);
        say("{}: mean size of the cosine of two images {:.3f}, training accuracy of a "
            "linear classifier {:.2f}",
            tasks[std::size_t(task)].first, cosine(some.x), run.right.back());
    }
}
//-

// {numref}`fig-three-tasks` gives the answer. With random labels all 500 images are right after about 180 steps, with
// true labels after about 110. On test images the network with true labels is right for 0.78, and the one with random
// labels for 0.10, which is guessing. Same network, same optimiser, same number of steps: capacity is not what tells the
// two apart.
//
// Noise is learned fastest, after about 20 steps. This looks odd. Take two images of 784 independent pixels with mean 0
// and variance 1. Each has a squared length of about 784. Their product is a sum of 784 numbers with random signs, so it
// is about $\sqrt{784} = 28$ in size. The cosine of the angle between them is $28/784 = 0.04$ in size. Such images are
// nearly perpendicular: in a linear layer, a step that corrects one hardly moves the answers for the others. Two images
// of Fashion-MNIST have a cosine of 0.34 in size, on average. If they share a label, this helps, since one step serves
// both. If their labels are random, it hurts: the network has to enlarge a small difference until the answers differ. A
// test: a linear classifier without hidden units learns the noise perfectly in the same 250 steps, but only 0.76 of the
// images with random labels.
//
// This was the point of {cite:t}`zhang2017`, who trained large convolutional networks on random labels of ImageNet. If
// a network can fit every labelling, then "it can only express sensible functions" is no explanation of its success.
// What differs is which of the many fitting functions training finds. With true labels, images that look alike share a
// label, and what is learned from one helps with the next. To use this is an [inductive
// bias](../foundations/preferences.cpp): of the architecture, which makes some [functions
// likely](random_functions.cpp), and of the optimiser. With random labels each image must be learned on its own.
//
// Does capacity then never matter? Count what there is to learn. A random label of ten classes is $\log_2 10 = 3.3$
// bits, so 500 of them are 1661 bits, or 208 bytes. The network has 407,050 numbers. The slider of
// {numref}`fig-nonsense` shows the other end: with two hidden units, 300 steps bring the accuracy on 200 random labels
// only to 0.29 (0.22 to 0.35 in five starts). Capacity is a condition. Too little of it makes learning impossible, and
// more than enough decides nothing.

void page() {
    nonsense();
    without_training();
    three_tasks();
}

// ## Limits
//
// A few hundred images are a small set, and 250 steps are few. With more images or stronger
// [augmentation](../training/augmentation.cpp), learning by heart takes longer. And the argument with the broken line is
// about existence: training does not build that network.
//
// ## Summary
//
// A hidden layer with as many units as there are images can give them any answers, by a construction without training.
// Gradient descent finds such fits, too: an MLP with 512 hidden units learns 500 random labels perfectly in less than
// twice the steps that true labels take, and guesses on test images. So capacity alone does not explain why networks
// generalise.
//
// ## What is missing
//
// Capacity is there in plenty. Must all of it be trained? [The next page](train_few_weights.cpp) freezes most weights at
// their random values.
//
// ```{try}
// - Half nonsense: `--share 50`. Which accuracy do training and test images have?
// - More images: `--images 2000`. Are 250 steps enough to learn their random labels?
// ```
