// # Skip connections: a way around
//
// ```{rows} sys-skip-concat sys-residual fig-4.10 claim-skip-preserves-gradient claim-skip-multiscale
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
#include <recto/data/examples.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/images.hpp>
#include <recto/figure/layers.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/nn/skip.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/schedule.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say, book::Study;
using data::Batches, data::Examples;
using figure::Figure;
//-

//- the images
const Index size = 32;  // pixels of a side
enum Label : Index { ground, disc, box };

struct Scene {
    std::vector<Real> pixels;
    std::vector<Index> labels;
};
// Two to four discs and squares of random sizes, brightnesses and angles, and noise. The last one covers the others.
Scene scene(Generator& random) {
    Scene made{std::vector<Real>(std::size_t(size * size), Real(0.2)),
               std::vector<Index>(std::size_t(size * size), ground)};
    for (Index left = random.next_integer(1, 4); left > 0; --left) {
        const Index kind = random.next_integer(disc, box + 1);
        const double row = 4 + 24 * random.next_uniform(),
                     column = 4 + 24 * random.next_uniform(),
                     half = 4 + 4 * random.next_uniform();
        const auto grey = Real(0.5 + 0.5 * random.next_uniform());
        for (Index i = 0; i < size * size; ++i) {
            const double down = double(i / size) - row, right = double(i % size) - column;
            // Arms of a plus sign
            const double side = half / 3;
            const bool inside = kind == disc
                                    ? std::hypot(down, right) < half
                                    : (std::min(std::abs(right), std::abs(down)) < side && std::max(std::abs(right), std::abs(down)) < half);
            if (inside) made.pixels[std::size_t(i)] = grey, made.labels[std::size_t(i)] = kind;
        }
    }
    for (Real& v : made.pixels) v += Real(0.15 * random.next_normal());
    return made;
}
Examples scenes(Index count, Generator& random) {
    std::vector<Real> pixels;
    std::vector<Index> labels;
    for (Index i = 0; i < count; ++i) {
        const Scene one = scene(random);
        pixels.insert(pixels.end(), one.pixels.begin(), one.pixels.end());
        labels.insert(labels.end(), one.labels.begin(), one.labels.end());
    }
    Examples made;
    made.x = Tensor({count, 1, size, size}, pixels);
    made.labels = Integers({count, size, size}, labels);
    return made;
}
//-

//- the layers
struct Hourglass {
    bool skips;
    std::vector<nn::Conv2d> down, join;
    std::vector<nn::ConvTranspose2d> up;
    nn::Conv2d bottom, leave;

    Hourglass(bool skips, Generator& random)
        : skips(skips),
          bottom(32, 32, 3, random, {.padding = 1, .weights = nn::he_init}),
          leave(8, 3, 1, random) {
        const nn::ConvLayerOptions three{.padding = 1, .weights = nn::he_init};
        Index in = 1;
        for (const Index out : {8, 16, 32}) {
            down.emplace_back(in, out, 3, random, three);
            in = out;
        }
        for (const Index out : {32, 16, 8}) {
            up.emplace_back(in, out, 2, random, nn::ConvLayerOptions{.stride = 2});
            join.emplace_back(2 * out, out, 3, random, three);
            in = out;
        }
    }
    void visit(auto&& part) {
        part("down", down), part("bottom", bottom), part("up", up), part("join", join);
        part("leave", leave);
    }
    Tensor operator()(const Tensor& image) const;
};
//-
Tensor Hourglass::operator()(const Tensor& image) const {
    std::vector<Tensor> seen;
    Tensor x = image;
    for (const nn::Conv2d& layer : down) {
        seen.push_back(relu(layer(x)));
        x = max_pool2d(seen.back(), 2);
    }
    x = relu(bottom(x));
    for (std::size_t k = 0; k < up.size(); ++k) {
        x = up[k](x);
        x = relu(join[k](concat({x, skips ? seen[2 - k] : x}, 1)));
    }
    return permute(leave(x), {0, 2, 3, 1});
}
//- boundary IoU
// The pixels of a label within two pixels of a pixel of another label.
std::vector<bool> rim(const std::vector<Index>& labels, Index label) {
    std::vector<bool> found(labels.size());
    const auto at = [&](Index r, Index c) { return labels[std::size_t(r * size + c)]; };
    for (Index r = 0; r < size; ++r)
        for (Index c = 0; c < size; ++c) {
            if (at(r, c) != label) continue;
            for (Index i = std::max<Index>(r - 2, 0); i <= std::min(r + 2, size - 1); ++i)
                for (Index j = std::max<Index>(c - 2, 0); j <= std::min(c + 2, size - 1); ++j)
                    if (at(i, j) != label && std::abs(i - r) + std::abs(j - c) <= 2)
                        found[std::size_t(r * size + c)] = true;
        }
    return found;
}
std::vector<Index> answers(const Tensor& scores) {
    std::vector<Index> found;
    const std::vector<Real> values = scores.values();
    for (auto at = values.begin(); at != values.end(); at += 3)
        found.push_back(std::max_element(at, at + 3) - at);
    return found;
}
struct Overlap {
    double whole, edge;
};
Overlap overlap(const Hourglass& net, const Examples& set) {
    const NoGrad only_looking;
    double both = 0, either = 0, rims = 0, rim_union = 0;
    const auto pixels = std::size_t(size * size);
    const std::vector<Index> answer = answers(net(set.x)), truth = set.labels.values();
    for (std::size_t n = 0; n < truth.size(); n += pixels) {
        const std::vector<Index> a(answer.begin() + std::ptrdiff_t(n), answer.begin() + std::ptrdiff_t(n + pixels)),
            t(truth.begin() + std::ptrdiff_t(n), truth.begin() + std::ptrdiff_t(n + pixels));
        for (const Index label : {disc, box}) {
            const std::vector<bool> mine = rim(a, label), right = rim(t, label);
            for (std::size_t i = 0; i < pixels; ++i) {
                both += a[i] == label && t[i] == label;
                either += a[i] == label || t[i] == label;
                rims += mine[i] && right[i];
                rim_union += mine[i] || right[i];
            }
        }
    }
    return {both / either, rims / rim_union};
}

// Rows of a picture's labels as numbers to the base of three, so that a study can keep them.
std::vector<double> packed(const std::vector<Index>& labels) {
    std::vector<double> found;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (i % std::size_t(size) == 0) found.push_back(0);
        found.back() = 3 * found.back() + double(labels[i]);
    }
    return found;
}
std::vector<Index> unpacked(const std::vector<double>& rows) {
    std::vector<Index> found;
    for (double row : rows) {
        found.resize(found.size() + std::size_t(size));
        for (auto at = found.rbegin(); at != found.rbegin() + size; ++at) {
            *at = Index(std::fmod(row, 3));
            row = std::floor(row / 3);
        }
    }
    return found;
}

const Index shown = 4;  // test images that the page shows
Examples tests(Index count) {
    Generator random(12345);
    return scenes(count, random);
}
Study::Row train(const Study::Row& setting) {
    Generator random(std::uint64_t(setting[2]) + 1000 * book::seed());
    const Hourglass net(setting[0] == 1, random);
    optim::Adam adam(nn::parameters(net), {.lr = setting[1]});
    const Index steps = 1200;
    const Examples test = tests(300);
    Study::Row found;
    for (Index step = 0; step < steps;) {
        const Examples batch = scenes(20, random);
        adam.options.lr = optim::cosine(step++, steps, setting[1]);
        adam.zero_grad();
        cross_entropy(net(batch.x), batch.labels).backward();
        adam.step();
        if (step % (steps / 4) == 0) found.push_back(overlap(net, test).edge);
    }
    found.push_back(overlap(net, test).whole);
    const NoGrad only_looking;
    for (const double row : packed(answers(net(tests(shown).x)))) found.push_back(row);
    return found;
}
const std::vector<double> rates = {0.001, 0.003, 0.006};
std::vector<Study::Row> cells() {
    std::vector<Study::Row> all;
    for (const double skips : {1, 0})
        for (const double rate : rates)
            for (double seed = 1; seed <= 3; ++seed) all.push_back({skips, rate, seed});
    return all;
}
std::vector<std::string> results() {
    std::vector<std::string> names = {"edge 300", "edge 600", "edge 900", "edge", "whole"};
    for (Index row = 1; row <= shown * size; ++row)
        names.push_back(fmt::format("row {}", row));
    return names;
}
std::vector<double> tolerances() {  // rows of pictures are not compared
    std::vector<double> found(5, 0.05);
    found.resize(std::size_t(5 + shown * size), 1e30);
    return found;
}
const Study study({"skips",
                   {"skips", "rate", "seed"},
                   results(),
                   {"claim-skip-multiscale/a"},
                   0.05,
                   tolerances()},
                  cells(), train);
//-
void page() {}
