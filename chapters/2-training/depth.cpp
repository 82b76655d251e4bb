// # Depth: what more layers can do
//
// ```{rows} claim-depth-complexity claim-tens-of-layers claim-depth-easier-to-train claim-depth-challenges
// ```
//
// On [the last page](bending_the_plane.cpp) eight layers bent the plane until a line separated two arcs. But by the
// **universal approximation theorem** {cite:p}`cybenko1989,hornik1989` one hidden layer can
// approximate any continuous function on a closed, bounded region, if it is wide enough. So the question is what a
// network can do with the *same number of parameters*, and whether training finds it. This page keeps the number of
// parameters and changes the depth.
//
// The first panel shows one task, nested squares; the other is to classify images of clothes. Which of the two gains from
// depth?
//
// ```{opening} fig-nested-squares
// ```
//- includes, names, options
#include <recto/autograd/tape.hpp>
#include <recto/book/apart.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/curves.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/data/signals.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/clip.hpp>
#include <recto/optim/schedule.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::report,
    book::say;
using book::Study, data::Examples, figure::Figure, nn::Linear, nn::Mlp;
//-

// ## Folding
//
// Take a strip of paper from 0 to 1 and fold it in the middle. Two rectified linear units (ReLU) do the same:
//
// $$ \operatorname{fold}(x) = 2 \max(0, x) - 4 \max\big(0, x - \tfrac12\big) . $$
//
// From 0 to one half the function climbs to 1, then it falls back to 0: a tent. Now fold the folded strip again,
// and again. A network of $d$ layers with two units each can do this. The output weights of one fold, 2 and -4, are
// multiplied into the next layer:
Mlp folding(Index layers) {
    std::vector<Index> sizes(std::size_t(layers), 2);
    sizes.insert(sizes.begin(), 1), sizes.push_back(1);
    Generator unused(0);
    Mlp net(sizes, relu, unused);
    for (Linear& layer : net.layers) {
        layer.weight.copy_(layer.weight.shape()[1] == 1 ? ones({2, 1})
                           : layer.weight.shape()[0] == 1
                               ? Tensor({1, 2}, {2, -4})
                               : Tensor({2, 2}, {2, -4, 2, -4}));
        layer.bias.copy_(layer.bias.numel() == 1 ? zeros({1}) : Tensor({2}, {0, -0.5}));
    }
    return net;
}

// We measure complexity by counting {term}`linear piece`s, since the output of a ReLU network is made of straight
// lines. We choose networks whose corners all lie on a grid with whole numbers of steps, and whose values there
// have no rounding errors. Then the slope changes at a grid point exactly where there is a corner:
//- the output on a grid
std::vector<Real> on_grid(const Mlp& net, int steps) {
    const NoGrad only_looking;
    std::vector<Real> x;
    for (int i = 0; i <= steps; ++i) x.push_back(Real(i) / Real(steps));
    return net(Tensor({steps + 1, 1}, x)).values();
}
//-
int pieces(const Mlp& net, int steps) {
    const std::vector<Real> y = on_grid(net, steps);
    int found = 1;
    for (std::size_t i = 1; i + 1 < y.size(); ++i)
        found += y[i + 1] - y[i] != y[i] - y[i - 1];
    return found;
}

// One layer of $n$ units makes corners differently: each unit adds one, where its input crosses zero. So there are
// at most $n$ corners, and $n + 1$ pieces. We test this on random layers, with small whole numbers as weights and
// corners on the grid. The count does not use the number of units:
//- random layers of one kind, and a question about both
constexpr int fine = 1024;  // steps of the grid
Mlp one_layer(Index units, Generator& random) {
    Mlp net({1, units, 1}, relu, random);
    std::vector<Real> slope, bias, out;
    for (Index k = 0; k < units; ++k) {
        const auto sign = Real(2 * random.next_integer(0, 2) - 1);
        slope.push_back(sign * Real(random.next_integer(1, 4)));
        bias.push_back(-slope.back() * Real(random.next_integer(1, fine)) / fine);
        out.push_back(Real(random.next_integer(1, 4)));
    }
    net.layers[0].weight.copy_(Tensor({units, 1}, slope));
    net.layers[0].bias.copy_(Tensor({units}, bias));
    net.layers[1].weight.copy_(Tensor({1, units}, out));
    net.layers[1].bias.copy_(zeros({1}));
    return net;
}

void folds() {
    //-
    ask("A network has 14 rectified units. How many straight pieces can its output "
        "have, at most, if the units form seven layers of two instead of one layer "
        "of fourteen?",
        {{"About the same, 15: a unit makes one corner.",
          pieces(folding(7), fine) <= 15,
          "This holds for one layer. In the next layer, each unit makes a corner "
          "wherever the *output of the layer before* passes its threshold, often "
          "more than once."},
         {"About fifty: seven layers of corners.",
          pieces(folding(7), fine) > 15 && pieces(folding(7), fine) < 100,
          "Corners do not add up over layers: each fold doubles the number of pieces."},
         {"More than a hundred: every layer doubles the pieces.",
          pieces(folding(7), fine) >= 100,
          "Folding a folded strip doubles its layers of paper: 128 pieces."}});

    // {numref}`fig-folds` shows up to seven folds.
    //- how the figure is drawn, and what is counted
    Figure sawtooth("fig-folds");
    sawtooth
        .describe(
            "A tent over the numbers from 0 to 1. With every step of the slider the "
            "number of teeth doubles, up to 64 teeth with 128 straight pieces.")
        .slider("d", {1, 2, 3, 4, 5, 6, 7}, "layers", 3);
    for (int d = 1; d <= 7; ++d) {
        sawtooth.at(d).line("", data::even_grid((1 << d) + 1, 0, 1),
                            on_grid(folding(d), 1 << d),
                            {.color = figure::blue, .points = false});
    }
    sawtooth.always().x("x").y("output").ylim(0, 1).height(200).save(
        "The output of a network of $d$ layers with two rectified units each, if "
        "every layer folds. Move the slider: each layer doubles the number of pieces.");
    book::shows("claim-depth-complexity/c", "fig-folds");

    int right = 0;
    for (int d = 1; d <= 7; ++d) right += pieces(folding(d), fine) == 1 << d;
    claim("claim-depth-complexity/a", "depths d from 1 to 7 with exactly 2^d pieces",
          right, "==", 7);
    Generator random(book::seed());
    int most_over = -fine;
    for (Index units = 1; units <= 200; ++units)
        most_over = std::max(most_over,
                             pieces(one_layer(units, random), fine) - int(units + 1));
    claim("claim-depth-complexity/b",
          "one layer of n units, n up to 200: the largest excess over n + 1 pieces",
          most_over, "<=", 0);
}
//-

// Fourteen units in seven layers make 128 pieces. One layer needs 127 units for as many. Each further fold adds two
// units to the deep network, and about doubles the number of units that the shallow one needs.
// {cite:t}`telgarsky2016` proved it as a theorem: there are functions that a deep network computes with a few units
// per layer, and that a shallow network approximates only with exponentially many.
//
// ## Can training find it?
//
// The theorem says that such functions *exist*. Useful functions may be different, and gradient descent may miss
// the weights. So we set a task that is made of parts within parts, and train. Cut a square into four, and call two
// opposite quarters black. Cut each quarter into four, and call two of its opposite quarters black; and again. For
// each point, count how many of the three squares around it are black. The class is whether this number is even.
Examples nested_squares(Index count, Generator& random) {
    std::vector<Real> x;
    std::vector<Index> labels;
    for (Index i = 0; i < count; ++i) {
        Index label = 0;
        for (int axis = 0; axis < 2; ++axis) {
            const double place = random.next_uniform();
            x.push_back(Real(2 * place - 1));
            for (int level = 2; level <= 8; level *= 2)
                label ^= Index(place * level) & 1;
        }
        labels.push_back(label);
    }
    Examples made;
    made.x = Tensor({count, 2}, x);
    made.labels = Integers({count}, labels);
    return made;
}

// Networks of all depths get the same number of parameters: the deeper, the narrower. `hidden_width` finds the
// largest width that fits.
//- how wide, and the network
Index parameters_of(Index in, Index width, Index depth, Index out) {
    return (in + 1) * width + (depth - 1) * (width + 1) * width + (width + 1) * out;
}
Index hidden_width(Index in, Index depth, Index out, Index parameters) {
    Index width = 1;
    while (parameters_of(in, width + 1, depth, out) <= parameters) ++width;
    return width;
}
Mlp network(Index in, Index depth, Index out, Index parameters, Generator& random) {
    std::vector<Index> sizes(std::size_t(depth),
                             hidden_width(in, depth, out, parameters));
    sizes.insert(sizes.begin(), in);
    sizes.push_back(out);
    return {sizes, relu, random, {.weights = nn::he_init}};
}
double share_right(const Mlp& model, const Examples& set) {
    const NoGrad only_looking;
    return nn::accuracy(model(set.x), set.labels);
}

//-

// Training uses the remedies of the last pages: initial weights that suit rectified units {cite:p}`he2015`, Adam on
// mini-batches of 100 with a falling learning rate, clipped gradients. The second task uses real data: ten thousand
// images of Fashion-MNIST.
//- the two tasks, and one training
struct Task {
    Examples train, test;
    Index parameters, epochs;
    double rate;
};
Task task_of(bool pictures, Generator& random) {
    if (!pictures) {
        Examples train = nested_squares(8000, random),
                 test = nested_squares(4000, random);
        return {train, test, 3000, 60, 3e-3};
    }
    return {data::slice(data::flat(data::fashion_mnist(data::Part::train)), 0, 10'000),
            data::flat(data::fashion_mnist(data::Part::test)), 60'000, 12, 1e-3};
}
Study::Row train(const Study::Row& setting) {
    Generator random(std::uint64_t(setting[2]) + 1000 * book::seed());
    const Task task = task_of(setting[0] == 1, random);
    const Mlp model = network(task.train.x.shape()[1], Index(setting[1]),
                              setting[0] == 1 ? 10 : 2, task.parameters, random);
    optim::Adam adam(nn::parameters(model), {.lr = task.rate});
    const Index steps = task.epochs * data::Batches(task.train, 100).count();
    for (Index step = 0; step < steps;)
        for (const Examples& batch : data::Batches(task.train, 100, random)) {
            adam.options.lr = optim::cosine(step++, steps, task.rate);
            adam.zero_grad();
            cross_entropy(model(batch.x), batch.labels).backward();
            optim::clip_norm(adam.parameters(), 1);
            adam.step();
        }
    return {share_right(model, task.train), share_right(model, task.test)};
}

//-

// Seven depths, two tasks, five draws each: a minute of training, done once and stored.
//- how the study is kept, and read
const std::vector<double> depths = {1, 2, 3, 4, 6, 8, 12};
std::vector<Study::Row> cells() {
    std::vector<Study::Row> all;
    for (const double pictures : {1.0, 0.0})
        for (const double depth : depths)
            for (double draw = 1; draw <= 5; ++draw)
                all.push_back({pictures, depth, draw});
    return all;
}
const Study study({"depth",
                   {"pictures", "depth", "draw"},
                   {"on what it trained", "on new data"},
                   {"claim-tens-of-layers/a", "claim-tens-of-layers/b"},
                   0.1},
                  cells(), train);

// The accuracy of one task on new data, as five draws for every depth:
std::vector<std::vector<double>> accuracy(bool pictures) {
    std::vector<std::vector<double>> found;
    for (const double depth : depths) {
        found.emplace_back();
        for (const Study::Row& row : study.frozen().rows)
            if (row[0] == double(pictures) && row[1] == depth)
                found.back().push_back(row[4]);
    }
    return found;
}

//-

// ## Speed of training
//
// Accuracy on new data is one measure, the number of training steps another. On short [signals](step_and_batch.cpp)
// in ten classes, we count the steps until the training loss is below 0.5, with full batches, Adam at a learning
// rate of 0.002, and the same number of parameters.
//- an option, and the number of steps
const book::Option<int> patience(
    "patience", 1500, "the largest number of steps of one training on signals",
    {.quick = 30, .least = 1, .most = 100'000});
double steps_until(double wanted, Index depth, std::uint64_t draw) {
    Generator random(draw + 1000 * book::seed());
    const Examples set = data::signals(500, random);
    const Mlp model =
        network(data::signal_length, depth, data::signal_classes, 12'000, random);
    optim::Adam adam(nn::parameters(model), {.lr = 2e-3});
    for (int step = 1; step <= patience(); ++step) {
        adam.zero_grad();
        const Tensor loss = cross_entropy(model(set.x), set.labels);
        loss.backward();
        if (double(loss.item()) < wanted) return step;
        adam.step();
    }
    return patience();
}

//-

// ## Fifty layers
//
// Deep networks depend on suitable initial weights. To see why, take fifty layers of one hundred rectified units, and follow
// the gradient from the last layer to the first. Three things can go wrong: the gradient vanishes, explodes or
// shatters. Each has a one-line diagnosis, and we can cause each in the same network: multiply all weights by one
// half, multiply them by two, or subtract the mean over the batch from every layer's outputs, as batch
// normalisation does.
struct Deep {
    std::vector<Tensor> weights;
    double gain = 1;  // what the weights are multiplied by
    bool centred = false;

    Tensor operator()(Tensor x) const {
        for (const Tensor& w : weights) {
            x = matmul(relu(x), w) * gain;
            if (centred) x = x - mean(x, {0}).detach();
        }
        return x;
    }
};
//- how they are drawn
Deep fifty_layers(Generator& random) {
    Deep deep;
    for (int layer = 0; layer < 50; ++layer)
        deep.weights.push_back(
            random.normal({100, 100}, 0, Real(std::sqrt(2 / 100.0))));
    return deep;
}

//-

// The first two diagnoses compare the length of the gradient at the input and at the output. Below a millionth of
// its length the gradient has vanished, above a million times it has exploded.
//- the gradient at the input
double left_at_the_input(const Deep& deep, Generator& random) {
    const Tensor x = random.normal({20, 100}).requires_grad_();
    sum(deep(x)).backward();
    return std::sqrt(double(mean(square(x.grad())).item()));
}

//-

// For the third, move the input in small steps along a line, and compute the gradient with respect to the input at
// each step. This gradient should change slowly. In a deep network it can look like noise: neighbouring inputs have
// unrelated gradients, and a step that helps one input does nothing for the next. {cite:t}`balduzzi2017` called
// such gradients *shattered*. We measure the correlation between neighbours.
//- the correlation of neighbouring gradients
using Flags = std::array<bool, 3>;  // vanishing, exploding, shattered
double neighbours_agree(const Deep& deep, Generator& random) {
    constexpr Index places = 256;
    const Tensor a = random.normal({1, 100}), b = random.normal({1, 100});
    std::vector<Real> along;
    for (Index i = 0; i < places; ++i)
        along.push_back(Real(-2 + 4 * double(i) / places));
    const Tensor x = (a + Tensor({places, 1}, along) * b).detach().requires_grad_();
    sum(slice(deep(x), 1, 0, 1)).backward();
    const Tensor g = x.grad() - mean(x.grad(), {0});
    const Tensor now = slice(g, 0, 0, places - 1), next = slice(g, 0, 1, places);
    return double(sum(now * next).item()) / double(sum(square(g)).item());
}

void page() {
    folds();
    study.frozen();
    //-

    // {numref}`fig-nested-squares` shows the task, and the effect of depth.
    //- how its numbers are gathered
    std::vector<double> cells;
    for (int row = 0; row < 64; ++row)
        for (int column = 0; column < 64; ++column) {
            int label = 0;
            for (int level = 2; level <= 8; level *= 2)
                label ^= (row * level / 64 & 1) ^ (column * level / 64 & 1);
            cells.push_back(label);
        }
    const auto nested = accuracy(false), pictures = accuracy(true);
    const auto medians = [](const std::vector<std::vector<double>>& of) {
        std::vector<double> found;
        for (const auto& draws : of) found.push_back(book::median(draws));
        return found;
    };
    std::vector<double> every_depth, every_nested, every_picture;
    for (std::size_t i = 0; i < depths.size(); ++i)
        for (std::size_t draw = 0; draw < nested[i].size(); ++draw) {
            every_depth.push_back(depths[i]);
            every_nested.push_back(nested[i][draw]);
            every_picture.push_back(pictures[i][draw]);
        }
    //-

    // Every draw is a dot, and the lines go through the medians:
    //- how the figure is drawn
    Figure("fig-nested-squares")
        .describe(
            "First panel: a square with an irregular pattern of two colours, made of "
            "squares within squares. Second panel: accuracy on new data against the "
            "number of hidden layers. On nested squares it rises from about three "
            "quarters to nearly one, and falls a little at twelve layers; on "
            "Fashion-MNIST it hardly changes.")
        .panel("the task")
        .field(-1, 1, -1, 1, 64, cells)
        .bare()
        .panel("accuracy on new data")
        .line("nested squares", depths, medians(nested), {.color = figure::red})
        .dots("", every_depth, every_nested,
              {.color = figure::red, .shape = figure::Shape::circle, .width = 2})
        .line("Fashion-MNIST", depths, medians(pictures), {.color = figure::blue})
        .dots("", every_depth, every_picture,
              {.color = figure::blue, .shape = figure::Shape::circle, .width = 2})
        .x("hidden layers")
        .y("accuracy")
        .ylim(0.6, 1)
        .height(285)  // as wide as high, so that squares are square
        .save(
            "First the two classes of the task, nested squares. Then networks with "
            "about equally many parameters and growing depth; the lines are medians "
            "of five draws, the dots the draws. Depth raises the accuracy on nested "
            "squares, and hardly that on images of clothes.");
    book::shows("claim-tens-of-layers/c", "fig-nested-squares");
    //-
    //- what depth gains
    std::vector<double> gains;
    for (std::size_t draw = 0; draw < nested[0].size(); ++draw) {
        double deep = 1;
        for (std::size_t i = 0; i < depths.size(); ++i)
            if (depths[i] >= 4) deep = std::min(deep, nested[i][draw]);
        gains.push_back(deep - nested[0][draw]);
    }
    claim("claim-tens-of-layers/a",
          "nested squares: the accuracy of the worst network of four layers or more, "
          "minus that of one layer",
          over_seeds(gains), ">=", 0.10);
    for (std::size_t i = 0; i < depths.size(); ++i)
        report("claim-tens-of-layers/b",
               fmt::format("Fashion-MNIST, hidden layers: {}, accuracy", depths[i]),
               over_seeds(pictures[i]));

    //-

    // The task that is made of parts needs depth: accuracy rises from 74 % with one layer to 97 % with eight. The
    // images hardly do: from 84.5 % with one layer to 85.2 % with six, and back to 84.5 % with eight. With twelve
    // layers both are lower, 94 % and 83.9 %, and so is the accuracy on the training set; we did not tune the
    // learning rate for each depth. Images have parts within parts, too, but here every layer sees the whole
    // image. The layers of the next chapters look at its parts.
    //
    // Two of the cells, one draw of each, computed now:
    //- two trainings
    std::vector<double> found(2);
    book::each_apart(
        2, 2,
        [&](Index i) {
            return study.measure({0, i == 0 ? 1.0 : 4.0, 1});
        },
        [&](Index i, const Study::Row& row) { found[std::size_t(i)] = row[1]; });
    say("nested squares: {:.3f} with one hidden layer, {:.3f} with four", found[0],
        found[1]);
    claim_true("", "four layers are better than one", found[1] > found[0]);

    //-

    // Now the number of steps:
    //- fifteen trainings on signals
    std::vector<std::vector<double>> steps(3);
    std::vector<Index> trained = {1, 3, 6};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::uint64_t draw = 1; draw <= 5; ++draw) {
            book::progress(Index(i) * 5 + Index(draw), 15, "networks on signals");
            steps[i].push_back(steps_until(0.5, trained[i], draw));
        }
    for (std::size_t i = 0; i < 3; ++i)
        report("claim-depth-easier-to-train/b",
               fmt::format("hidden layers: {}; steps until a loss of 0.5", trained[i]),
               over_seeds(steps[i]));
    std::vector<double> shares;
    for (std::size_t draw = 0; draw < 5; ++draw)
        shares.push_back(steps[1][draw] / steps[0][draw]);
    claim("claim-depth-easier-to-train/a",
          "steps with three hidden layers, as a multiple of the steps with one",
          over_seeds(shares), "<", 1);

    //-

    // With suitable initial weights, more layers can be *easier* to train: three hidden layers need 70 steps, one
    // needs 115. Six need 71, no fewer than three. This is evidence from one data set of synthetic signals and one
    // learning rate, which we did not tune for each depth; another rate may change the order.
    //
    // For the limits of depth we apply all three diagnoses to the same fifty layers, unchanged and with one thing
    // changed:
    //- three diagnoses of four states
    std::vector<double> right;
    for (std::uint64_t draw = 0; draw < 5; ++draw) {
        Generator random(book::seed() + draw);
        const Deep as_drawn = fifty_layers(random);
        Deep halved = as_drawn, doubled = as_drawn, centred = as_drawn;
        halved.gain = 0.5, doubled.gain = 2, centred.centred = true;
        right.push_back(0);
        for (const auto& [what, deep, expected] :
             {std::tuple{"as drawn", as_drawn, Flags{false, false, false}},
              std::tuple{"weights halved", halved, Flags{true, false, false}},
              std::tuple{"weights doubled", doubled, Flags{false, true, false}},
              std::tuple{"centred", centred, Flags{false, false, true}}}) {
            const double left = left_at_the_input(deep, random),
                         agree = neighbours_agree(deep, random);
            if (draw == 0)
                say("{:15} length of a gradient of 1 at the input: {:7.1e}; "
                    "correlation of neighbours: {:.2f}",
                    what, left, agree);
            const bool vanished = left < 1e-6;
            const bool exploded = left > 1e6;
            const Flags raised = {vanished, exploded, agree < 0.2};
            for (std::size_t i = 0; i < 3; ++i)
                right.back() += raised[i] == expected[i];
        }
    }
    claim("claim-depth-challenges/a",
          "of twelve diagnoses, three for each of four states of one network, the "
          "number that are right",
          over_seeds(right), "==", 12);

    //-

    // The first two are those of [the page on vanishing gradients](vanishing.cpp). With centring the correlation of
    // neighbouring gradients is about 0; without, about 0.9. The next chapter returns to this, with the remedy that
    // made hundreds of layers possible: every layer *adds* something to its input instead of replacing it.
}

// ## Summary
//
// Folding doubles the number of linear pieces in every layer, so 14 units in seven layers make 128
// pieces, where one layer needs 127 units. With equally many parameters, eight layers raise the accuracy on nested
// squares from 74 to 97 %, and change that on images of clothes by less than one point. If the weights are half or
// twice as large as they should be, the gradient of fifty layers vanishes or explodes.
//
// ## What is missing
//
// The accuracies of this page were measured on new data, which had no part in the training.
// [The next page](protocol.cpp) says what can go wrong there, and how to know when to stop.
//
// ```{try}
// - Limit the number of steps on the signals: `--patience 200`. Which depth reaches a loss of 0.5?
// - In `nested_squares` add one level, and run `./recto run depth --full`: does the best depth change?
// ```
