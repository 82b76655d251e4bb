// # Shattered gradients: can you trust a step?
//
// ```{rows} fig-udl-11.3 claim-loss-less-smooth-with-depth fig-udl-11.13
// ```
//
// prose
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/book/apart.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/curves.hpp>
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
#include <recto/ops/products/linear.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/optim/adam.hpp>

#include <algorithm>
#include <cmath>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::over_seeds, book::say, book::Study;
using data::Batches, data::Examples, data::Part;
using figure::Figure;
//-
Tensor standard(const Tensor& x) { return (x - 0.286) / 0.353; }

enum class Kind { shallow, plain, centred, centred_h, residual, residual_coupled };
const Index points = 401;
std::vector<double> derivative(Kind kind, Generator& random) {
    const Index width = 200;
    std::vector<Real> grid;
    for (Index i = 0; i < points; ++i) grid.push_back(Real(-2 + 0.01 * double(i)));
    const Tensor x = Tensor({points, 1}, grid).requires_grad_();
    const auto layer = [&](const Tensor& h, Index in) {
        const Tensor w = nn::glorot_init({width, in}, random);
        const Tensor b = random.normal({width}, 0, Real(std::sqrt(2.0 / double(in + width))));
        return linear(h, w, b);
    };
    Tensor z = layer(x, 1);
    const Index depth = kind == Kind::shallow ? 1 : 24;
    for (Index k = 1; k < depth; ++k) {
        if (kind == Kind::centred) z = z - mean(z, {0}, Keep::yes).detach();
        if (kind == Kind::residual || kind == Kind::residual_coupled) {
            Tensor n;
            if (kind == Kind::residual) {
                const Tensor m = mean(z, {0}, Keep::yes).detach();
                const Tensor v = mean(square(z - m), {0}, Keep::yes).detach();
                n = (z - m) / sqrt(v + 1e-5);
            } else n = batch_norm(z, Tensor(), Tensor(), Tensor(), Tensor());
            z = z + layer(relu(n), width);
        } else {
            Tensor h = relu(z);
            if (kind == Kind::centred_h) h = h - mean(h, {0}, Keep::yes).detach();
            z = layer(h, width);
        }
    }
    if (kind == Kind::centred) z = z - mean(z, {0}, Keep::yes).detach();
    const Tensor y = linear(relu(z), nn::glorot_init({1, width}, random));
    sum(y).backward();
    const auto g = x.grad().values();
    return {g.begin(), g.end()};
}
double agreement(const std::vector<double>& g, std::size_t lag) {
    double m = 0, top = 0, bottom = 0;
    for (const double v : g) m += v / double(g.size());
    for (std::size_t i = 0; i < g.size(); ++i) {
        bottom += (g[i] - m) * (g[i] - m);
        if (i + lag < g.size()) top += (g[i] - m) * (g[i + lag] - m);
    }
    return bottom > 0 ? top / bottom : 0;
}
double cosine_along(bool residual, Index depth, double length, Index width, Generator& random) {
    const nn::DeepMlp net({784, width, depth, 10}, residual, random);
    const Examples some = data::slice(data::flat(data::fashion_mnist(Part::train)), 0, 500);
    const NamedTensors parameters = nn::parameters(net);
    std::vector<std::vector<Real>> before;
    double squares = 0, dot = 0, after = 0;
    cross_entropy(net(standard(some.x)), some.labels).backward();
    for (const auto& p : parameters) {
        before.push_back(p.tensor.grad().values());
        for (const Real v : before.back()) squares += double(v) * double(v);
    }
    for (const auto& p : parameters) {
        Tensor t = p.tensor;
        const Tensor g = t.grad();
        t.zero_grad();
        t.copy_(t.detach() - g * (length / std::sqrt(squares)));
    }
    cross_entropy(net(standard(some.x)), some.labels).backward();
    std::size_t k = 0;
    for (const auto& p : parameters) {
        const auto g = p.tensor.grad().values();
        for (std::size_t i = 0; i < g.size(); ++i)
            dot += double(g[i]) * double(before[k][i]), after += double(g[i]) * double(g[i]);
        ++k;
    }
    return dot / std::sqrt(squares * after);
}

// One direction for each tensor: each row of a weight as long as the row of the trained weight; biases stay.
std::vector<Tensor> direction(const NamedTensors& parameters, Generator& random) {
    std::vector<Tensor> found;
    for (const auto& p : parameters) {
        const Tensor d = random.normal(p.tensor.shape());
        if (p.tensor.dim() < 2)
            found.push_back(d * 0);
        else
            found.push_back(d * sqrt(sum(square(p.tensor.detach()), {1}, Keep::yes) /
                                     sum(square(d), {1}, Keep::yes)));
    }
    return found;
}
const Index side = 25;
double four_digits(double v) { return std::stod(fmt::format("{:.3e}", v)); }
Study::Row surface(const Study::Row& setting) {
    Generator random(std::uint64_t(setting[2]) + 1000 * book::seed());
    const Examples lessons = data::slice(data::flat(data::fashion_mnist(Part::train)), 0, 2000);
    const Tensor x = standard(lessons.x);
    const nn::DeepMlp net({784, 32, 56, 10}, setting[0] == 1, random);
    optim::Adam adam(nn::parameters(net), {.lr = setting[1]});
    for (Index epoch = 0; epoch < 30; ++epoch)
        for (const Examples& batch : Batches(lessons, 100, random)) {
            adam.zero_grad();
            cross_entropy(net(standard(batch.x)), batch.labels).backward();
            adam.step();
        }
    const NoGrad only_looking;
    const NamedTensors parameters = nn::parameters(net);
    const std::vector<Tensor> one = direction(parameters, random), other = direction(parameters, random);
    std::vector<Tensor> centre;
    for (const auto& p : parameters) centre.push_back(clone(p.tensor.detach()));
    Study::Row found = {nn::accuracy(net(x), lessons.labels)};
    for (Index i = 0; i < side; ++i)
        for (Index j = 0; j < side; ++j) {
            const double a = -1 + 2 * double(i) / double(side - 1), b = -1 + 2 * double(j) / double(side - 1);
            for (std::size_t k = 0; k < parameters.size(); ++k) {
                Tensor t = parameters[k].tensor;
                t.copy_(centre[k] + one[k] * a + other[k] * b);
            }
            found.push_back(four_digits(double(cross_entropy(net(x), lessons.labels).item())));
        }
    return found;
}

const std::vector<double> rates = {1e-4, 3e-4, 1e-3, 3e-3, 1e-2};
std::vector<Study::Row> cells() {
    std::vector<Study::Row> all;
    for (const double skips : {0, 1})
        for (const double rate : rates)
            for (double seed = 1; seed <= 3; ++seed) all.push_back({skips, rate, seed});
    return all;
}
std::vector<std::string> results() {
    std::vector<std::string> names = {"accuracy"};
    for (Index i = 1; i <= side * side; ++i) names.push_back(fmt::format("loss {}", i));
    return names;
}
const Study study({"surface",
                   {"residual", "rate", "seed"},
                   results(),
                   {"fig-udl-11.13/b", "fig-udl-11.13/c"},
                   0.1},
                  cells(), surface);
void page() {
    for (const Index width : {32, 64})
        for (const double length : {0.02, 0.03, 0.05, 0.1}) {
            std::vector<double> ratio, plain, residual;
            for (int draw = 0; draw < 21; ++draw) {
                Generator one(book::seed() + std::uint64_t(draw)), other(book::seed() + std::uint64_t(draw));
                plain.push_back(cosine_along(false, 32, length, width, one));
                residual.push_back(cosine_along(true, 32, length, width, other));
                ratio.push_back(plain.back() / residual.back());
            }
            say("width {} length {} plain {}, residual {}, ratio {}", width, length, book::brief(over_seeds(plain)),  book::brief(over_seeds(residual)),  book::brief(over_seeds(ratio)));
        }
}
