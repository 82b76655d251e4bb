// # Image classification: three networks, one training loop
//
// ```{rows} sys-image-classification ex-tp5-convnets-fmnist sys-resnet
// ```
//
// **Image classification** asks one question about a whole image: which of these classes is it? Take ten classes of
// clothes. A network that is right nine times in ten sounds finished. {numref}`fig-clothes-confusion` shows where the tenth
// answer goes. Each row is a class, each column an answer. Move the slider to another network. Does a network that is built
// differently make different mistakes?
//
// ```{opening} fig-clothes-confusion
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/apart.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/book/table.hpp>
#include <recto/core/random.hpp>
#include <recto/data/augment.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/images.hpp>
#include <recto/figure/layers.hpp>
#include <recto/nn/as_one.hpp>
#include <recto/nn/lenet.hpp>
#include <recto/nn/small_resnet.hpp>
#include <recto/nn/summary.hpp>
#include <recto/nn/vision_transformer.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>
#include <recto/optim/schedule.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say, book::Study;
using data::Batches, data::Examples, data::Part;
using figure::Figure, figure::Names;

const book::Option<Index> pictures("pictures", 55'000,
                                   "training images of the networks of this page",
                                   {.quick = 1000, .least = 100, .most = 60'000});
const book::Option<Index> judges("judges", 10'000, "test images of these networks",
                                 {.quick = 1000, .least = 100, .most = 10'000});
//-

// ## The data
//
// Fashion-MNIST {cite:p}`xiao2017` has 60,000 training images and 10,000 test images of 28 × 28 grey pixels. The ten classes
// are equally frequent, so a constant answer is right for a tenth of the test images. We train on the first 55,000 images,
// choose with the next 5,000, and look at the test images last. All pixels are first moved to about mean 0 and deviation 1:
Tensor standard(const Tensor& x) { return (x - 0.286) / 0.353; }

// ## Three models
//
// All three are objects of the library that map a batch of images to ten scores each. [LeNet](../architectures/lenet.cpp)
// has two convolutions, pooling, and two dense layers:
//
// ```{excerpt} recto/nn/lenet.cpp LeNet::operator()
// ```
//
// The **mini-ResNet** is a [residual network](../components/residual_networks.cpp): a convolution, then three blocks of two
// convolutions, each with a shortcut around it. The second and the third block halve the map and double the channels. The
// **mini-ViT** is a [vision transformer](../architectures/vision_transformer.cpp). It cuts an image into 16 patches of
// 7 × 7 pixels and lets them exchange what they found. The convolutional networks know from the start which pixels are
// neighbours, the mini-ViT only which pixels share a patch. {numref}`fig-three-classifiers` shows all three.
//- the three models, and their diagram
enum Model { lenet, resnet, vit };
const std::array<const char*, 3> names = {"LeNet", "mini-ResNet", "mini-ViT"};

// Calls `then` with a new network of this kind.
template <class Then>
auto with_model(Model model, Generator& random, const Then& then) {
    if (model == lenet) return then(nn::LeNet(random));
    if (model == resnet)
        return then(nn::SmallResNet(
            {.blocks = 1, .widths = {16, 32, 64}, .stride = 2, .channels = 1}, random));
    return then(nn::VisionTransformer({.side = 28,
                                       .patch = 7,
                                       .channels = 1,
                                       .layers = 2,
                                       .width = 64,
                                       .heads = 4,
                                       .classes = 10},
                                      random));
}

// The models with each block as one operation, for the diagram.
struct Unmasked {
    nn::GptBlock block;
    Tensor operator()(const Tensor& x) const { return block(x, {}); }
    void visit(auto&& part) { part("block", block); }
};
struct Embedded {
    nn::VisionTransformer net;
    Tensor operator()(const Tensor& x) const { return net.tokens(x); }
    void visit(auto&& part) {
        part("embed", net.embed), part("token", net.class_token);
        part("places", net.places);
    }
};
Tensor in_blocks(const nn::LeNet& net, const Tensor& x) { return net(x); }
Tensor in_blocks(const nn::SmallResNet& net, const Tensor& x) {
    Tensor h = net.stem(x);
    for (const nn::ConvBlock& block : net.blocks)
        h = nn::as_one("residual block", block, h);
    return net.scores(h);
}
Tensor in_blocks(const nn::VisionTransformer& net, const Tensor& x) {
    Tensor z = nn::as_one("embedded patches", Embedded{net}, x);
    for (const nn::GptBlock& block : net.blocks)
        z = nn::as_one("transformer block", Unmasked{block}, z);
    return net.head(select(net.last(z), 1, 0));
}
template <class Net>
struct Drawn {
    Net net;
    Tensor operator()(const Tensor& x) const { return in_blocks(net, x); }
    void visit(auto&& part) { part("net", net); }
};

void diagram() {
    figure::Diagram drawn("fig-three-classifiers");
    drawn.describe(
        "Three columns of boxes with arrows from top to bottom, one for each network. "
        "LeNet: convolution, pooling, ReLU, the same again, then two dense layers. The "
        "mini-ResNet: a convolution with normalisation, three residual blocks, a mean, "
        "a dense layer. The mini-ViT: embedded patches, two transformer blocks, a "
        "normalisation, a dense layer. The sizes stand beside the arrows.");
    for (const Model model : {lenet, resnet, vit}) {
        Generator random(book::seed());
        with_model(model, random, [&](const auto& net) {
            const figure::LayerColumn column =
                figure::layer_column(nn::tape_of(Drawn{net}, zeros({1, 1, 28, 28})));
            const auto id = [&](Index box) {
                return fmt::format("{} {}", int(model), box);
            };
            const auto size = [&](Index box) {
                const Shape shape = box < 0 ? column.boxes[0].input
                                            : column.boxes[std::size_t(box)].result;
                return fmt::format("{}", shape);
            };
            drawn.node(id(-1), names[model], figure::Box::plain);
            for (Index i = 0; i < Index(column.boxes.size()); ++i) {
                const figure::LayerBox& box = column.boxes[std::size_t(i)];
                drawn.node(id(i), box.words, figure::Box::round,
                           box.complex ? figure::blue : figure::grey);
                if (box.complex) drawn.tall(id(i));
                for (const Index from : box.inputs)
                    drawn.edge(id(from), id(i),
                               from < 0 || column.boxes[std::size_t(from)].result !=
                                               column.boxes[std::size_t(from)].input
                                   ? size(from)
                                   : "");
            }
            for (const figure::LayerGroup& group : column.groups) {
                std::vector<std::string> ids;
                for (Index i = 0; i < group.boxes; ++i)
                    ids.push_back(id(group.first + i));
                drawn.group(fmt::format("×{}", group.times), ids, figure::dashed);
            }
            const Index last = Index(column.boxes.size()) - 1;
            drawn.node(id(last + 1), "scores", figure::Box::plain)
                .edge(id(last), id(last + 1), size(last));
        });
    }
    drawn.save(
        "The three networks, drawn from their objects. A size stands beside an arrow "
        "where it has changed. Boxes with parameters are blue, and a dashed frame "
        "stands "
        "for repeated boxes.");
}
//-

// ## One loop
//
// A model is an argument of the loop, like the data. [Adam](../training/optimisers.cpp) takes batches of 100 images, and the
// learning rate rises for a twentieth of the steps and then falls to zero along a cosine. Every second training image is
// [mirrored](../training/augmentation.cpp), drawn again in each epoch:
struct Plan {
    double epochs, rate;
    bool mirror = true;
};
const std::array<Plan, 3> plans = {{{8, 2e-3}, {6, 1e-2}, {3, 4e-3}}};

template <class Net>
void train(Net& net, const Examples& set, const Plan& plan, Generator& random,
           const optim::Callback& look = {}) {
    optim::Adam adam(nn::parameters(net), {.lr = plan.rate});
    const auto epochs = Index(plan.epochs), steps = epochs * Batches(set, 100).count();
    const auto batches = [&] { return Batches(set, 100, random); };
    const auto loss = [&](const Examples& batch) {
        const Tensor x = plan.mirror ? data::flipped(batch.x, random) : batch.x;
        return cross_entropy(net(standard(x)), batch.labels);
    };
    const auto rate = [&](Index step) {
        return optim::warmup_cosine(step, steps / 20, steps, plan.rate);
    };
    optim::fit(adam, batches, loss, {.epochs = epochs, .lr = rate}, look);
    nn::set_training(net, false);  // batch normalisation with running statistics
}

//- answers, accuracies, and the study
template <class Net>
Tensor averaged(const Net& net, const Tensor& images);

// The answers to all images: to each alone, or averaged with its mirror image.
template <class Net>
std::vector<Index> answers(const Net& net, const Examples& set, bool both) {
    const NoGrad only_asking;
    std::vector<Index> found;
    for (const Examples& some : Batches(set, 500)) {
        const Tensor scores = both ? averaged(net, some.x) : net(standard(some.x));
        const std::vector<Index> best = argmax(scores).values();
        found.insert(found.end(), best.begin(), best.end());
    }
    return found;
}
double accuracy(const std::vector<Index>& answers, const Examples& set) {
    const std::vector<Index> labels = set.labels.values();
    double right = 0;
    for (std::size_t n = 0; n < labels.size(); ++n) right += answers[n] == labels[n];
    return right / double(labels.size());
}

Study::Row measure(const Study::Row& cell) {
    const auto model = Model(int(cell[0]));
    Generator random(100 * book::seed() + std::uint64_t(cell[1]));
    const Examples& all = data::fashion_mnist(Part::train);
    const Examples& test = data::fashion_mnist(Part::test);
    return with_model(model, random, [&](auto net) {
        Study::Row found;
        train(net, data::slice(all, 0, 55'000), plans[model], random,
              [&](const optim::Progress& now) {
                  if (!now.epoch_ends || now.epoch != 1) return;
                  nn::set_training(net, false);
                  found.push_back(accuracy(answers(net, test, false), test));
                  nn::set_training(net, true);
              });
        const Examples others = data::slice(all, 55'000, 60'000);
        const std::vector<Index> alone = answers(net, test, false);
        found.push_back(accuracy(answers(net, others, false), others));
        found.push_back(accuracy(alone, test));
        found.push_back(accuracy(answers(net, test, true), test));
        // From 1, because a repetition is compared by ratio.
        std::vector<double> counts(100, 1);
        const std::vector<Index> labels = test.labels.values();
        for (std::size_t n = 0; n < labels.size(); ++n)
            ++counts[std::size_t(10 * labels[n] + alone[n])];
        found.insert(found.end(), counts.begin(), counts.end());
        return found;
    });
}
enum Column : std::size_t { first_epoch = 2, validation, single, both, first_count };
Study::About about() {
    Study::About study{
        .name = "image_classification",
        .settings = {"model", "seed"},
        .results = {"epoch 1", "validation", "test", "averaged"},
        .parts = {"sys-image-classification/b", "sys-image-classification/c",
                  "sys-image-classification/e", "ex-tp5-convnets-fmnist/b",
                  "ex-tp5-convnets-fmnist/c", "sys-resnet/b"}};
    study.tolerances = {0.004, 0.002, 0.002, 0.002};
    for (int label = 0; label < 10; ++label)
        for (int answer = 0; answer < 10; ++answer) {
            study.results.push_back(fmt::format("{} as {}", label, answer));
            study.tolerances.push_back(3);  // a few images may change sides
        }
    return study;
}
std::vector<Study::Row> cells() {
    std::vector<Study::Row> all;
    for (double seed = 1; seed <= 3; ++seed)
        for (const Model model : {resnet, vit, lenet})
            all.push_back({double(model), seed});
    return all;
}
const Study study(about(), cells(), measure);

// A column of the study, one number for each seed.
std::vector<double> of(Model model, std::size_t column) {
    std::vector<double> found;
    for (const Study::Row& row : study.frozen().rows)
        if (row[0] == double(model)) found.push_back(row[column]);
    return found;
}
//-

// The networks train for 8, 6 and 3 epochs, one to two minutes each on one core. LeNet's learning rate of 0.002 is the better
// of two on the page on [deeper networks](../architectures/deeper_convnets.cpp), the mini-ViT's 0.004 is the best of three on
// its own page, and the mini-ResNet's 0.01 was the better of two in a short trial on the 5,000 images. Longer trainings and a
// finer search would improve each of them, so {numref}`fig-classifiers` is no race of architectures. We only check that the
// mini-ResNet is at least as accurate as LeNet, each with the better of two rates:
//- the table, and what is checked
void accuracies() {
    std::vector<std::vector<book::Cell>> rows;
    double longest = 0;
    for (const Model model : {lenet, resnet, vit}) {
        Generator random(book::seed());
        const auto range = [&](std::size_t column) {
            const book::Measured m = over_seeds(of(model, column));
            return fmt::format("{:.3f} ({:.3f} to {:.3f})", m.value, m.low, m.high);
        };
        const std::vector<double> seconds = of(model, first_count + 100);
        if (model != vit) longest = std::max(longest, std::ranges::max(seconds) / 60);
        with_model(model, random, [&](const auto& net) {
            const nn::Summary cost = nn::summary(net, zeros({1, 1, 28, 28}));
            rows.push_back({names[model], nn::count(net),
                            fmt::format("{:.1f}", double(cost.total.macs) / 1e6),
                            fmt::format("{:.0f}", plans[model].epochs),
                            range(validation), range(single)});
        });
    }
    book::table(
        "fig-classifiers",
        "Parameters, millions of multiplications for one image, epochs, and "
        "the median accuracy of three seeds, with the lowest and the highest.",
        {"network", "parameters", "multiplications", "epochs", "validation", "test"},
        rows);
    claim("sys-image-classification/b", "test accuracy of LeNet",
          over_seeds(of(lenet, single)), ">=", 0.90);
    claim("sys-image-classification/c", "test accuracy of the mini-ResNet",
          over_seeds(of(resnet, single)), ">=", 0.90);
    book::timing_claim("sys-image-classification/d",
                       "minutes of the longest training of the two, on a single core",
                       longest, "<=", 10);
    claim("ex-tp5-convnets-fmnist/b", "test accuracy of LeNet after its first epoch",
          over_seeds(of(lenet, first_epoch)), ">=", 0.84);
    claim("ex-tp5-convnets-fmnist/c", "test accuracy of LeNet after its last epoch",
          over_seeds(of(lenet, single)), ">=", 0.89);
    std::vector<double> lead = of(resnet, single);
    for (std::size_t i = 0; i < lead.size(); ++i) lead[i] -= of(lenet, single)[i];
    claim("sys-resnet/b", "test accuracy of the mini-ResNet less that of LeNet",
          over_seeds(lead), ">=", 0);
}
//-

// ## What is confused with what
//
// A **confusion matrix** counts the answers to the test images of each class. With two classes it may read
//
// | | answer: coat | answer: shirt |
// |---|---|---|
// | coat | 8 | 2 |
// | shirt | 3 | 7 |
//
// The diagonal holds the right answers, so the accuracy is $(8 + 7) / 20 = 0.75$. A row divided by its sum says what becomes of
// a class: 80 % of the coats are found. {numref}`fig-clothes-confusion` shows such rows, over three trainings of each
// network.
//- how the figure is drawn, and what is checked
std::vector<double> confusion(Model model) {  // counts over all seeds
    std::vector<double> counts(100, 0);
    for (const Study::Row& row : study.frozen().rows)
        if (row[0] == double(model))
            for (std::size_t i = 0; i < 100; ++i) counts[i] += row[first_count + i] - 1;
    return counts;
}
double diagonal(const std::vector<double>& counts) {
    double right = 0, all = 0;
    for (std::size_t i = 0; i < 100; ++i)
        all += counts[i], right += i % 11 == 0 ? counts[i] : 0;
    return right / all;
}
double correlation(const std::vector<double>& a, const std::vector<double>& b) {
    double ab = 0, aa = 0, bb = 0, ma = 0, mb = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        ma += a[i] / double(a.size()), mb += b[i] / double(b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        ab += (a[i] - ma) * (b[i] - mb);
        aa += (a[i] - ma) * (a[i] - ma), bb += (b[i] - mb) * (b[i] - mb);
    }
    return ab / std::sqrt(aa * bb);
}
std::vector<double> mistakes(const std::vector<double>& counts) {
    std::vector<double> found;
    for (std::size_t i = 0; i < 100; ++i)
        if (i % 11 != 0) found.push_back(counts[i]);
    return found;
}

void confusions() {
    const Names classes(data::fashion_names.begin(), data::fashion_names.end());
    Figure figure("fig-clothes-confusion");
    figure
        .describe(
            "A matrix of ten classes and ten answers, in per cent, with a slider for "
            "one of three networks. The diagonal is bright for trousers, sandals, bags "
            "and boots. Shirts have the darkest place of the diagonal: they are taken "
            "for T-shirts, pullovers and coats. The three matrices look alike.")
        .height(330)
        .slider("model", std::vector<double>{1, 2, 3},
                "1 LeNet, 2 mini-ResNet, 3 mini-ViT", 1);
    double off = 0;
    for (const Model model : {lenet, resnet, vit}) {
        std::vector<double> counts = confusion(model);
        double mean = 0;
        for (const double one : of(model, single)) mean += one / 3;
        off = std::max(off, std::abs(diagonal(counts) - mean));
        double upper = 0, wrong = 0;
        for (const std::size_t a : {0u, 2u, 4u, 6u})
            for (const std::size_t b : {0u, 2u, 4u, 6u})
                if (a != b) upper += counts[10 * a + b];
        for (const double one : mistakes(counts)) wrong += one;
        for (std::size_t row = 0; row < 10; ++row) {
            double sum = 0;
            for (std::size_t i = 0; i < 10; ++i) sum += counts[10 * row + i];
            for (std::size_t i = 0; i < 10; ++i)
                counts[10 * row + i] = std::round(100 * counts[10 * row + i] / sum);
        }
        say("{}: {:.0f} % of the shirts are found; {:.0f} % of all wrong answers are "
            "among T-shirts, pullovers, coats and shirts",
            names[model], counts[66], 100 * upper / wrong);
        figure.at(model + 1).heatmap("%", classes, classes, counts, 0, 100);
    }
    figure.always().x("answer").y("class").save(
        "Confusion matrices on 10,000 test images, in per cent of each class, three "
        "trainings of each network together. Compare the row of the shirts from "
        "network to network.");
    book::shows("sys-image-classification/a", "fig-clothes-confusion");
    claim("sys-image-classification/a",
          "share on the diagonal of each matrix against the accuracy of its network, "
          "largest difference",
          off, "<=", 1e-9);
    const std::vector<double> base = mistakes(confusion(lenet));
    const double with_resnet = correlation(base, mistakes(confusion(resnet))),
                 with_vit = correlation(base, mistakes(confusion(vit)));
    claim("",
          "correlation of the counts off the diagonal, LeNet with each of the others, "
          "the lower one",
          std::min(with_resnet, with_vit), ">=", 0.8);
}
//-

// The matrices are alike. Their counts off the diagonal are strongly correlated, although one network reads kernels of 5 × 5
// pixels and another one reads patches without knowing their order. Most wrong answers are among four classes of garments for
// the upper body. At 28 × 28 grey pixels a shirt and a coat can look the same. Three architectures that fail alike suggest that
// this limit lies in the images.
//
// ## Asking twice
//
// **Test-time augmentation** asks the same network about changed copies of an image and averages the probabilities. We take
// the image $x$ and its mirror image $\tilde x$:
//
// $$ \bar p(y \mid x) = \tfrac12\, \bigl( p(y \mid x) + p(y \mid \tilde x) \bigr) $$
//
// Suppose that the network gives an image the probabilities 0.45 for shirt and 0.55 for coat, and its mirror image 0.75 and
// 0.25. The averages are 0.60 and 0.40, and the answer changes from coat to shirt. In code:
template <class Net>
Tensor averaged(const Net& net, const Tensor& images) {
    Generator unused(1);
    const Tensor mirrored = data::flipped(images, unused, 1);  // each of them
    return (softmax(net(standard(images))) + softmax(net(standard(mirrored)))) / 2;
}

// This is an [ensemble](../training/augmentation.cpp) of one network. The program now trains two LeNets for one epoch each: the
// first with mirror images among its training images, the second with the images as they are. Place your bet:
//- two trainings, the question, and what is checked
struct Live {
    std::vector<Index> alone, both;
};
Live trained_now(bool mirror) {
    Generator random(100 * book::seed() + 1);
    nn::LeNet net(random);
    train(net, data::slice(data::fashion_mnist(Part::train), 0, pictures()),
          {1, 2e-3, mirror}, random);
    const Examples test = data::slice(data::fashion_mnist(Part::test), 0, judges());
    return {answers(net, test, false), answers(net, test, true)};
}

void twice() {
    std::array<Live, 2> live;
    book::each_apart(
        2, 2,
        [](Index mirror) {
            const Live now = trained_now(mirror == 1);
            std::vector<double> found(now.alone.begin(), now.alone.end());
            found.insert(found.end(), now.both.begin(), now.both.end());
            return found;
        },
        [&](Index mirror, const std::vector<double>& found) {
            const auto half = found.begin() + std::ssize(found) / 2;
            live[std::size_t(mirror)] = {{found.begin(), half}, {half, found.end()}};
        });
    const Examples test = data::slice(data::fashion_mnist(Part::test), 0, judges());
    std::array<double, 2> gains;
    for (const std::size_t mirror : {1u, 0u}) {
        const double alone = accuracy(live[mirror].alone, test),
                     both = accuracy(live[mirror].both, test);
        gains[mirror] = both - alone;
        say("trained {} mirrored images: {:.4f} alone, {:.4f} averaged",
            mirror ? "with" : "without", alone, both);
    }
    ask("A mirrored shirt is a shirt. The second network has never seen mirror images. "
        "What does averaging over an image and its mirror image do to its accuracy?",
        {{"It rises by a hundredth or more: two views are better than one.",
          gains[0] >= 0.01,
          "They would be if both were equally good. To this network a mirrored shoe is "
          "an unknown thing."},
         {"It changes by less than a hundredth.", std::abs(gains[0]) < 0.01,
          "The mirror images are worse than the originals, and half of the average."},
         {"It falls by a hundredth or more.", gains[0] <= -0.01,
          "Nearly all shoes of the training images point to the same side. The "
          "network's answers to mirrored shoes are bad, and the average inherits "
          "them."}});
    claim("", "a network trained with mirrored images: gain by averaging", gains[1],
          ">=", -0.002);
    Generator random(book::seed());
    const std::vector<Index> labels = test.labels.values();
    figure::Images sheet("fig-clothes-failures", 4);
    sheet.describe(
        "Three rows of four small images of clothes with the true class and the wrong "
        "answer below each. Most are shirts, coats, pullovers and T-shirts.");
    Index wrong = 0, shown = 0;
    for (std::size_t n = 0; n < labels.size(); ++n)
        wrong += live[1].both[n] != labels[n];
    for (const Index n : random.permutation(test.size())) {
        const Index answer = live[1].both[std::size_t(n)],
                    label = labels[std::size_t(n)];
        if (answer == label || shown == 12) continue;
        ++shown;
        sheet.add(fmt::format("{} → {}", data::fashion_names[std::size_t(label)],
                              data::fashion_names[std::size_t(answer)]),
                  28, 28, data::slice(test, n, n + 1).x.values());
    }
    say("{} of {} test images have a wrong answer; {} of them are shown", wrong,
        test.size(), shown);
    sheet.negative().zoom(4).save(
        "Wrong answers of the network that was trained with mirrored images, drawn at "
        "random from all of its wrong answers on test images. Below each image stands "
        "its class, and behind the arrow the answer.");
}
//-

// Averaging helps only with copies that the network knows from its training. The networks of the study know mirror images:
//- what is checked
void gained() {
    for (const Model model : {lenet, resnet, vit}) {
        std::vector<double> gain = of(model, both);
        const std::vector<double> alone = of(model, single);
        for (std::size_t i = 0; i < gain.size(); ++i) gain[i] -= alone[i];
        claim(
            "sys-image-classification/e",
            fmt::format("{}: accuracy gained by averaging, seed by seed", names[model]),
            over_seeds(gain), ">=", -0.002);
    }
}
//-

// {numref}`fig-clothes-failures` shows what remains wrong. The images are drawn at random from all failures: a hand-picked
// selection would show what we want to see.

void page() {
    confusions();
    diagram();
    accuracies();
    gained();
    twice();
}

// ## At real scale
//
// For photographs the loop stays the same and its parts grow. ImageNet has 1.28 million training images of 1,000 classes.
// [AlexNet](../architectures/deeper_convnets.cpp) was trained on random crops and mirror images, and at test time it averaged
// the probabilities of ten copies: four corners, the centre, and the mirror image of each {cite:p}`krizhevsky2012`.
// [ResNet-50](../architectures/resnet_50.cpp) has 25.6 million parameters {cite:p}`he2016`. A vision transformer learns from
// ImageNet alone less well than a ResNet of similar size, and better after a training on 300 million other images
// {cite:p}`dosovitskiy2021`. Where labelled images are few, a network that was
// [trained for something else](../training/few_data.cpp) is trained a little further.
//
// ## Limits
//
// Three seeds show the spread of the training, and not of the choices: each network has one learning rate and one number of
// epochs. All accuracies are those of one test set, in which an accuracy of 0.9 has a standard error of
// $\sqrt{0.9 \cdot 0.1 / 10{,}000} = 0.003$. A mirror image keeps the class of clothes. It does not keep that of a letter.
//
// ## Summary
//
// A classifier maps an image to one score for each class, and one training loop serves networks of any kind. A confusion matrix
// shows which classes are mixed up, and three different networks mix up the same ones. Averaging over an image and its mirror
// image costs twice the computation and helps a network that was trained with mirror images.
//
// ## What is missing
//
// One class for a whole image says neither where a thing is nor how many there are. [The next page](boxes.cpp) begins with the
// boxes that say where.
//
// ```{exercises}
// - [The gradients of a convolution](/exercises/components/convolution_backward.md)
// ```
//
// ```{try}
// - Fewer images: `--pictures 5000`. Which of the two networks suffers more?
// - Another seed: `--seed 2`. Are the failures other images, or other classes?
// ```
