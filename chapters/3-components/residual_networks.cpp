// # Residual networks: hundreds of layers
//
// ```{rows} claim-residual-hundreds-of-layers claim-residual-variance-doubles fig-udl-11.5
// ```
//
// prose
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/book/apart.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/book/table.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/deep_mlp.hpp>
#include <recto/nn/init.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/nn/skip.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/norms/batch_norm.hpp>
#include <recto/optim/adam.hpp>

#include <algorithm>
#include <cmath>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::over_seeds, book::say, book::Study;
using data::Batches, data::Examples, data::Part;
using figure::Figure;
//-

//- the study
Tensor standard(const Tensor& x) { return (x - 0.286) / 0.353; }

Study::Row train(const Study::Row& setting) {
    Generator random(std::uint64_t(setting[4]) + 1000 * book::seed());
    const Examples all = data::flat(data::fashion_mnist(Part::train));
    const Examples lessons = data::slice(all, 0, 20'000),
                   seen = data::slice(all, 0, 5000),
                   test = data::flat(data::fashion_mnist(Part::test));
    const nn::DeepMlp net({784, 64, Index(setting[1]), 10}, setting[0] == 1, random);
    optim::Adam adam(nn::parameters(net), {.lr = setting[3]});
    const Index epochs = Index(setting[2]);
    const Index steps = epochs * Batches(lessons, 100).count();
    const auto right = [&](const Examples& set) {
        const NoGrad only_looking;
        return nn::accuracy(net(standard(set.x)), set.labels);
    };
    Study::Row found;
    for (Index step = 0; step < steps;)
        for (const Examples& batch : Batches(lessons, 100, random)) {
            adam.zero_grad();
            cross_entropy(net(standard(batch.x)), batch.labels).backward();
            adam.step();
            if (++step % (steps / 4) == 0) found.push_back(right(seen));
        }
    found.push_back(right(test));
    return found;
}
const std::vector<double> depths = {4, 20, 56, 200}, rates = {1e-4, 3e-4, 1e-3, 3e-3};
std::vector<Study::Row> cells() {
    std::vector<Study::Row> all;
    for (const double depth : {200, 56, 20, 4})
        for (const double residual : {1, 0})
            for (const double rate : rates)
                for (double seed = 1; seed <= 3; ++seed)
                    all.push_back({residual, depth, 2, rate, seed});
    for (const double residual : {1, 0})
        for (const double rate : rates)
            for (double seed = 1; seed <= 3; ++seed)
                all.push_back({residual, 56, 10, rate, seed});
    return all;
}
const Study study({"residual",
                   {"residual", "depth", "epochs", "rate", "seed"},
                   {"quarter", "half", "three quarters", "end", "test"},
                   {"claim-residual-hundreds-of-layers/b",
                    "claim-residual-hundreds-of-layers/c",
                    "claim-residual-hundreds-of-layers/d"},
                   0.03},
                  cells(), train);
//-
void page() {
    for (const double depth : {4.0, 56.0, 200.0})
        for (const double residual : {0.0, 1.0}) {
            const auto r = study.measure({residual, depth, 2, 1e-3, 1});
            say("{} {}: {:.3f} {:.3f} {:.3f} {:.3f}, {:.3f}", depth, residual, r[0], r[1], r[2], r[3], r[4]);
        }
}
