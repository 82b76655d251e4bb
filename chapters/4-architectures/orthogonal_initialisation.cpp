// # Orthogonal initialisation: random rotations
//
// ```{rows} sys-orthogonal-init claim-depth-saturates
// ```
//
// Random weights of the right variance keep a signal's size [on average](jacobian_moments.cpp). The average is over
// all directions of the input, and single directions fare very differently: a layer stretches some and shrinks others.
// {numref}`fig-singular-values` shows what remains of each direction after a stack of linear layers. With normal
// weights nearly all directions vanish. With **orthogonal** weights, which are random rotations and reflections, every direction keeps
// its length, for any number of layers. Such weights make a plain network of 500 layers trainable. Does it pay to have 500 layers?
//
// ```{opening} fig-singular-values
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/data/split.hpp>
#include <recto/figure/figure.hpp>
#include <recto/linalg/products.hpp>
#include <recto/linalg/solve.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/variance.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say, book::Study;
using data::Examples, data::Part;
using figure::Figure;

const book::Option<Index> width("width", 16, "units of a layer, in the first figure",
                                {.least = 2, .most = 64});
const book::Option<int> seeds("seeds", 5, "number of products",
                              {.quick = 2, .least = 1, .most = 100});

// Defined further down:
std::vector<linalg::Matrix> products(nn::Init init, Index n, Index layers,
                                     Generator& random);
//-

//- how a network is trained, and the study
const Index pictures = 5'000, epochs = 20, batch = 100;

Study::Row learn(const nn::Mlp& net, double rate, Generator& random) {
    const Examples& train = data::fashion_mnist(Part::train);
    const auto flat = [](Examples set) {
        set.x = flatten(set.x);
        return set;
    };
    const Examples to_learn = flat(data::slice(train, 0, pictures)),
                   to_choose = flat(data::slice(train, 50'000, 55'000)),
                   to_judge = flat(data::fashion_mnist(Part::test));
    optim::Adam adam(nn::parameters(net), {.lr = rate});
    const double steps = double(epochs * pictures / batch);
    optim::fit(
        adam, [&] { return data::Batches(to_learn, batch, random); },
        [&](const Examples& some) { return cross_entropy(net(some.x), some.labels); },
        {.epochs = epochs,
         .lr = [&](Index step) { return rate * (1 - double(step) / steps); }});
    const NoGrad only_asking;
    Study::Row accuracies;
    for (const Examples& set : {to_choose, to_learn, to_judge})
        accuracies.push_back(nn::accuracy(net(set.x), set.labels));
    return accuracies;
}

nn::Mlp deep(Index depth, nn::Init init, Generator& random);

const std::vector<double> depths = {10, 30, 100, 200, 500},
                          rates = {0.005, 0.015, 0.05};  // times the depth
std::vector<Study::Row> all_cells() {
    std::vector<Study::Row> cells;
    for (std::size_t k = depths.size(); k-- > 0;)
        for (const double orthogonal : {1.0, 0.0})
            for (const double rate : rates)
                for (const double draw : {1.0, 2.0, 3.0})
                    cells.push_back({depths[k], orthogonal, rate, draw});
    return cells;
}
Study::Row train_one(const Study::Row& cell) {
    Generator random(book::seed() * 100 + std::uint64_t(cell[3]));
    const nn::Init init =
        cell[1] == 1 ? nn::Init(nn::orthogonal_init) : nn::Init(nn::lecun_init);
    return learn(deep(Index(cell[0]), init, random), cell[2] / cell[0], random);
}
const Study study({"orthogonal_depth",
                   {"depth", "orthogonal", "rate", "draw"},
                   {"validation", "train", "test"},
                   {"claim-depth-saturates/a", "claim-depth-saturates/b",
                    "claim-depth-saturates/c", "claim-depth-saturates/d"},
                   0.01},
                  all_cells(), train_one);
//-

nn::Mlp deep(Index depth, nn::Init init, Generator& random) {
    std::vector<Index> sizes(std::size_t(depth + 1), 32);
    sizes.front() = 784, sizes.back() = 10;
    return nn::Mlp(sizes, tanh, random, {.weights = init});
}

void page() { study.frozen(); }
