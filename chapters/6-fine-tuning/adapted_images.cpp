// # Adapting a diffusion model: LoRA for convolutions
//
// ```{rows} claim-lora-diffusion
// ```
//
// PROSE
//
// ```{opening} fig-adapter-strength
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/classic/frechet.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/images.hpp>
#include <recto/linalg/matrix.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/denoising_unet.hpp>
#include <recto/nn/diffusion.hpp>
#include <recto/nn/layer.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using book::Study;
using data::Examples, data::Part;
using figure::Figure, figure::Names;
using nn::NoiseSchedule;
using Numbers = std::vector<double>;

const book::Option<Index> base_steps("steps", 900,
                                     "steps of the training of the base on this page",
                                     {.quick = 5, .least = 1, .most = 100'000});
const book::Option<Index> tuning_steps("tuning", 250,
                                       "steps of the training of each correction",
                                       {.quick = 5, .least = 1, .most = 100'000});
const book::Option<Index> live_rank("rank", 4, "rank of the corrections on this page",
                                    {.least = 1, .most = 16});

const Index side = 14, all_steps = 50, trouser = 1;
//-

struct Painter {
    nn::Linear read;
    nn::DenoisingUnet net;

    Tensor operator()(const Tensor& x, const Integers& t) const {
        return net(x, silu(read(nn::time_features(t, all_steps, 16))));
    }
    //- how it is made
    Painter(Index width, Generator& random)
        : read(16, 32, random),
          net({.width = width, .levels = 1, .conditions = 32}, random) {}
    void visit(auto&& part) { part("read", read), part("net", net); }
    //-
};

struct Correction {
    Tensor b, a;

    Correction(const Tensor& w, Index rank, Generator& random) {
        const Index out = w.size(0), in = w.numel() / out;
        rank = std::min(rank, std::min(out, in));
        b = zeros({out, rank}).requires_grad_();
        a = nn::lecun_init({rank, in}, random).requires_grad_();
    }
    Tensor beside(const Tensor& w, double strength) const {
        return w.detach() + strength * reshape(matmul(b, a), w.shape());
    }
    //- names
    void visit(auto&& part) { part("b", b), part("a", a); }
    //-
};

struct Corrections {
    std::vector<Correction> each;

    Corrections(const Painter& base, Index rank, Generator& random) {
        for (const NamedTensor& w : nn::state(base))
            if (w.tensor.dim() > 1) each.emplace_back(w.tensor, rank, random);
    }
    Painter applied(const Painter& base, double strength = 1) const {
        Painter net = base;  // shares all numbers
        auto next = each.begin();
        nn::walk("", net, [&](const std::string&, Tensor& t) {
            t = t.dim() > 1 ? (next++)->beside(t, strength) : t.detach();
        });
        return net;
    }
    //- names
    void visit(auto&& part) { part("each", each); }
    //-
};

//- images, trainings and samples
const double pixel_mean = 0.286, pixel_deviation = 0.33;
Tensor scaled(const Tensor& pixels) {
    return (pixels - pixel_mean) * (1 / pixel_deviation);
}
Tensor pixels_of(const Tensor& x) {
    return minimum(maximum(x * pixel_deviation + pixel_mean, 0), 1);
}
// Images of rows begin to end of a part, as 14 x 14 pixels.
Examples small_images(Part part, Index begin, Index end) {
    Examples set = data::slice(data::fashion_mnist(part), begin, end);
    set.x = avg_pool2d(set.x, 2);
    return set;
}
// The pixels of the images of one class.
Tensor only(const Examples& set, Index label) {
    std::vector<Index> rows;
    for (Index i = 0; i < set.size(); ++i)
        if (set.labels.data()[i] == label) rows.push_back(i);
    return data::select(set, rows).x;
}

// `net` gives the network of this step; the rate falls to zero.
template <class Net>
void train(const Net& net, const NamedTensors& trained, const Tensor& x, Index steps,
           double rate, Generator& random) {
    const NoiseSchedule schedule = NoiseSchedule::linear(all_steps);
    optim::Adam adam(trained, {.lr = rate, .betas = {0.9, 0.99}});
    const auto loss = [&] {
        const Tensor batch = index_rows(x, random.integers({16}, 0, x.size(0)));
        return nn::noise_prediction_loss(net(), schedule, batch, random);
    };
    const auto falling = [&](Index step) {
        return rate * std::min(1.0, double(step + 1) / 20) *
               (1 - double(step) / double(steps));
    };
    optim::fit(adam, loss, {.steps = steps, .lr = falling});
}

Painter trained_base(Index width, const Tensor& x, Index steps, Generator& random) {
    const Painter base(width, random);
    train([&] { return base; }, nn::parameters(base), x, steps, 4e-3, random);
    return base;
}

Tensor painted(const Painter& net, Index count, Generator& random) {
    const NoiseSchedule schedule = NoiseSchedule::linear(all_steps);
    return pixels_of(schedule.sample(net, {count, 1, side, side}, random));
}
//-

//- the judge, and the study
struct Judge {
    std::vector<nn::Layer> layers;

    Tensor run(Tensor x, std::size_t until) const {
        for (std::size_t i = 0; i < until; ++i) x = layers[i](x);
        return x;
    }
    Tensor features(const Tensor& x) const { return run(x, layers.size() - 1); }
    Tensor scores(const Tensor& x) const { return run(x, layers.size()); }
};
// Labels 0 to 9 are the classes, and 10 to 19 the same in inverted colours.
Judge make_judge(const Examples& set, Generator& random) {
    const nn::ConvLayerOptions he{.padding = 1, .weights = nn::he_init};
    Judge judge;
    judge.layers.emplace_back(nn::Conv2d(1, 16, 3, random, he));
    judge.layers.emplace_back(nn::Relu());
    judge.layers.emplace_back(nn::MaxPool2d{2});
    judge.layers.emplace_back(nn::Conv2d(16, 32, 3, random, he));
    judge.layers.emplace_back(nn::Relu());
    judge.layers.emplace_back(nn::MaxPool2d{2});
    judge.layers.emplace_back(nn::Flatten());
    judge.layers.emplace_back(nn::Linear(288, 64, random, {.weights = nn::he_init}));
    judge.layers.emplace_back(nn::Relu());
    judge.layers.emplace_back(nn::Linear(64, 20, random, {.weights = nn::he_init}));
    optim::Adam adam(nn::parameters(judge.layers), {.lr = 2e-3});
    const Index passes = 3;
    const double all = double(passes * ((set.size() + 99) / 100));
    optim::fit(
        adam, [&] { return data::Batches(set, 100, random); },
        [&](const Examples& some) {
            std::vector<Index> labels = some.labels.values();
            std::vector<Real> flip(labels.size());
            for (std::size_t i = 0; i < labels.size(); ++i)
                if (random.next_uniform() < 0.5) flip[i] = 1, labels[i] += 10;
            const Index n = some.size();
            const Tensor f({n, 1, 1, 1}, flip);
            return cross_entropy(judge.scores(f + (1 - 2 * f) * some.x),
                                 Integers({n}, labels));
        },
        {.epochs = passes,
         .lr = [&](Index step) { return 2e-3 * (1 - double(step) / all); }});
    return judge;
}

// Two wishes: only trousers, or everything in inverted colours.
struct Wish {
    const char* name;
    Tensor training, validation, real;  // pixels
    Index first, last;                  // labels of the judge that fulfil it
};
std::vector<Wish> wishes(const Examples& set, const Examples& held,
                         const Examples& test) {
    const Tensor trousers = only(set, trouser);
    return {{"trousers", slice(trousers, 0, 0, 1000), only(held, trouser),
             only(test, trouser), trouser, trouser},
            {"inverted", 1 - slice(set.x, 0, 0, 1000), 1 - held.x,
             1 - slice(test.x, 0, 0, 1000), 10, 19}};
}
double share_of(const Judge& judge, const Tensor& x, const Wish& wish) {
    const Integers labels = argmax(judge.scores(x), 1);
    double count = 0;
    for (const Index label : labels.values())
        count += label >= wish.first && label <= wish.last;
    return count / double(labels.numel());
}

std::vector<std::string> result_names() {
    std::vector<std::string> names = {"judge"};
    for (const char* wish : {"trousers", "inverted"}) {
        for (const char* of : {"real", "base"})
            names.push_back(fmt::format("{} {} share", wish, of));
        names.push_back(fmt::format("{} base distance", wish));
        for (const char* way : {"rank 1", "rank 4", "full"})
            for (const char* what : {"rate", "loss", "share", "distance"})
                names.push_back(fmt::format("{} {} {}", wish, way, what));
    }
    return names;
}

// The same noise for all.
double loss_on(const Painter& net, const Tensor& x) {
    const NoGrad only_asking;
    Generator same(7);
    const NoiseSchedule schedule = NoiseSchedule::linear(all_steps);
    return double(nn::noise_prediction_loss(net, schedule, x, same).item());
}

Study::Row adapt(const Study::Row& cell) {
    Generator random(book::seed() * 1000 + std::uint64_t(cell[0]));
    const Examples set = small_images(Part::train, 0, 20'000),
                   held = small_images(Part::train, 50'000, 52'000),
                   test = small_images(Part::test, 0, 5000);
    const Judge judge = make_judge(set, random);
    const Painter base = trained_base(16, scaled(set.x), 2000, random);
    Study::Row row;
    {
        const NoGrad only_judging;
        row = {nn::accuracy(judge.scores(test.x), test.labels)};
    }
    const Index count = 300;
    const Tensor before = painted(base, count, random);
    for (const Wish& wish : wishes(set, held, test)) {
        const auto features = [&](const Tensor& x) {
            const NoGrad only_judging;
            return linalg::matrix_of(judge.features(x));
        };
        const linalg::Matrix real = features(wish.real);
        row.push_back(share_of(judge, wish.real, wish));
        row.push_back(share_of(judge, before, wish));
        row.push_back(classic::frechet_distance(features(before), real));
        const Tensor x = scaled(wish.training), validation = scaled(wish.validation);
        for (const Index rank : {1, 4, 0}) {
            double best = 1e9, chosen = 0;
            Painter kept = base;
            for (const double rate : {3e-3, 1e-2}) {
                Painter net = nn::clone(base);
                if (rank > 0) {
                    const Corrections c(base, rank, random);
                    train([&] { return c.applied(base); }, nn::parameters(c), x, 250,
                          rate, random);
                    const NoGrad only_merging;
                    net = c.applied(base);
                } else {
                    train([&] { return net; }, nn::parameters(net), x, 250, rate / 3,
                          random);
                }
                const double loss = loss_on(net, validation);
                if (loss < best) best = loss, chosen = rate, kept = net;
            }
            const Tensor after = painted(kept, count, random);
            row.push_back(rank > 0 ? chosen : chosen / 3);
            row.push_back(best);
            row.push_back(share_of(judge, after, wish));
            row.push_back(classic::frechet_distance(features(after), real));
        }
    }
    return row;
}
const Study study(
    {"adapted_images", {"draw"}, result_names(), {"claim-lora-diffusion/a"}, 0.05},
    {{1}, {2}, {3}, {4}, {5}}, adapt);
//-

void page() {
    Generator random(book::seed());
    Examples set = small_images(Part::train, 0, 20'000);
    const Painter base = trained_base(16, scaled(set.x), base_steps(), random);
    const Corrections c(base, live_rank(), random);
    say("numbers {} of {}", nn::count(c), nn::count(base));
    train([&] { return c.applied(base); }, nn::parameters(c),
          scaled(only(set, trouser)), tuning_steps(), 1e-2, random);
    const Corrections i(base, live_rank(), random);
    train([&] { return i.applied(base); }, nn::parameters(i), scaled(1 - set.x),
          tuning_steps(), 1e-2, random);
    figure::Images sheet("fig-adapter-strength", 9);
    for (int k = 0; k < 7; ++k) {
        Generator same(book::seed() + 3);
        const double s[] = {0, 0.5, 1, 1.5, 0.5, 1, 1.5};
        const Tensor x =
            painted(k < 4 ? c.applied(base, s[k]) : i.applied(base, s[k]), 9, same);
        for (Index j = 0; j < 9; ++j)
            sheet.add(j == 0 ? fmt::format("{}", s[k]) : "", 14, 14,
                      select(x, 0, j).values());
    }
    sheet.describe("x").negative().save("x");
}
