// # CLIP: images and texts in one space
//
// ```{rows} eq-clip-similarity eq-clip-loss sys-clip claim-clip-diagonal fig-6.4 sys-zero-shot claim-clip-richer-robust
// ```
//
// A classifier knows the classes that it was trained with. For a new class you need new labels and a new training. The web
// is full of images with captions, and a caption says more than a label. **CLIP** learns from such pairs: one network
// encodes the image, another encodes the text, and both codes of a pair must point in the same direction.
// {numref}`fig-similarities` compares sixteen new scenes with sixteen captions. Each scene belongs to the caption of the
// same number. Move the slider through the training. What happens to the diagonal?
//
// ```{opening} fig-similarities
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/stopwatch.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/examples.hpp>
#include <recto/data/scenes.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/images.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/contrastive.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/embedding.hpp>
#include <recto/nn/linear.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/schedule.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::claim_true, book::over_seeds,
    book::say;
using book::Study;
using data::Examples, data::Ground, data::Ink, data::Kind, data::Scene, data::SceneLaw;
using figure::Figure, figure::Names;

const book::Option<Index> rounds("rounds", 600, "steps of the training on this page",
                                 {.quick = 20, .least = 1, .most = 100'000});
const book::Option<Index> pairs("pairs", 4000, "scenes with captions to learn from",
                                {.quick = 200, .least = 64, .most = 100'000});

const Index width = 32, batch = 64, longest = 10;
const double rate = 4e-3;
//-

//- the scenes, their captions, and which pairs of colour and shape are held out
const std::array<Kind, 4> shapes = {Kind::disc, Kind::square, Kind::triangle,
                                    Kind::cross};
Index number(Kind kind) { return std::ranges::find(shapes, kind) - shapes.begin(); }

SceneLaw all_scenes() {
    SceneLaw law;
    law.size = 32;
    law.least = law.most = 1;
    law.kinds = {shapes.begin(), shapes.end()};
    law.small_from = 0.16, law.small_to = 0.2;
    law.large_from = 0.26, law.large_to = 0.32;
    return law;
}
bool held_out(Kind kind, Ink ink) { return number(kind) == Index(ink); }
SceneLaw usual_scenes() {
    SceneLaw law = all_scenes();
    law.allowed = [](Kind kind, Ink ink) { return !held_out(kind, ink); };
    return law;
}
SceneLaw unseen_scenes() {
    SceneLaw law = all_scenes();
    law.allowed = held_out;
    return law;
}
const data::Wording with_place{
    .size = true, .ink = true, .place = true, .ground = false};
const data::Wording with_ground{
    .size = false, .ink = true, .place = false, .ground = true};

struct Pairs {
    Tensor images;
    std::vector<std::string> captions;
    Integers tokens, kinds;
    std::vector<Scene> scenes;
};
Pairs captioned(std::vector<Scene> scenes, const data::Wording& wording = with_place) {
    Pairs found;
    std::vector<Index> kinds;
    for (const Scene& scene : scenes) {
        found.captions.push_back(data::caption(scene, wording));
        kinds.push_back(number(scene.objects[0].kind));
    }
    found.images = data::scene_images(scenes);
    found.tokens = data::caption_tokens(found.captions, longest);
    found.kinds = Integers({Index(kinds.size())}, kinds);
    found.scenes = std::move(scenes);
    return found;
}
// Scenes with different captions.
Pairs different(Index count, const SceneLaw& law, Generator& random) {
    std::vector<Scene> some;
    std::set<std::string> seen;
    while (Index(some.size()) < count) {
        Scene scene = data::draw_scene(law, random);
        if (seen.insert(data::caption(scene, with_place)).second)
            some.push_back(std::move(scene));
    }
    return captioned(std::move(some));
}
//-

// ## Directions that agree
//
// Suppose that both encoders return two numbers. The images have the codes $(3, 4)$ and $(0, 2)$, and their texts have
// $(6, 8)$ and $(-1, 1)$. Only the direction matters, so we divide each code by its length: $(0.6, 0.8)$ and $(0, 1)$ for
// the images, $(0.6, 0.8)$ and $(-0.71, 0.71)$ for the texts. The score of an image and a text is the product of their
// directions, which is the cosine of the angle between them:
//
// $$ \begin{pmatrix} 0.6 \cdot 0.6 + 0.8 \cdot 0.8 & -0.6 \cdot 0.71 + 0.8 \cdot 0.71 \cr
//    0 \cdot 0.6 + 1 \cdot 0.8 & 0 \cdot (-0.71) + 1 \cdot 0.71 \end{pmatrix}
//    = \begin{pmatrix} 1 & 0.14 \cr 0.8 & 0.71 \end{pmatrix} . $$
//
// The first image prefers its own text. The second image prefers the wrong one, 0.8 to 0.71. In general, with unit
// vectors $f(i_m)$ for image $m$ and $g(t_n)$ for text $n$ {cite:p}`radford2021`,
//
// ```{equation} eq-pair-scores
// :function: recto::nn::cosine_similarities; recto::nn::ContrastiveHead
// :test: cosine_similarities: equal a loop over the pairs, times the factor
// l_{m,n} = s\, f(i_m) \cdot g(t_n), \qquad s > 0
// ```
//
// Cosines stay between $-1$ and 1, and a softmax of such small numbers is nearly uniform. The trained factor $s$, the
// inverse of a **temperature**, stretches all scores alike.
//
// ## Each row and each column is a question
//
// Row $m$ asks: which of the $N$ texts belongs to image $m$? Column $n$ asks which image belongs to text $n$. Both are
// [classifications](../training/cross_entropy.cpp) with $N$ classes, and the right class is known without any label: it is
// on the diagonal. The loss is the mean of both cross-entropies:
Tensor contrastive_loss(const Tensor& scores) {
    std::vector<Index> own(std::size_t(scores.size(0)));
    std::iota(own.begin(), own.end(), Index(0));
    const Integers right({scores.size(0)}, own);
    return (cross_entropy(scores, right) + cross_entropy(transpose(scores), right)) / 2;
}

// If all scores are equal, every answer has the probability $1/N$, and the loss is $\log N$. If the loss is below
// $\log 2 / (2N)$, then every diagonal score beats its row and its column. A diagonal score that does not beat one of its
// rivals has a probability of at most one half there, and this alone costs $\log 2 / (2N)$.
//- what is checked
bool wins(const std::vector<Real>& m, Index n, Index i, bool column) {
    for (Index j = 0; j < n; ++j) {
        const Real rival =
            column ? m[std::size_t(j * n + i)] : m[std::size_t(i * n + j)];
        if (j != i && !(m[std::size_t(i * n + i)] > rival)) return false;
    }
    return true;
}
bool all_win(const std::vector<Real>& m, Index n) {
    for (Index i = 0; i < n; ++i)
        if (!wins(m, n, i, false) || !wins(m, n, i, true)) return false;
    return true;
}

void small_losses() {
    const NoGrad only_asking;
    Generator random(book::seed());
    Index wrong = 0, low = 0, high = 0;
    double apart = 0;
    for (int run = 0; run < 500; ++run) {
        const Index n = random.next_integer(2, 7);
        Tensor cosines = 0.3 * random.normal({n, n});
        Real* at = cosines.write();
        for (Index i = 0; i < n; ++i)  // half of all texts are much better off
            for (Index j = 0; j < n; ++j)
                at[i * n + j] +=
                    Real(i == j ? 0.8 * double(random.next_integer(0, 2) + 1) : 0);
        for (const double factor : {1.0, 10.0, 100.0, 1000.0}) {
            const Tensor scores = factor * cosines;
            const double loss = double(contrastive_loss(scores).item());
            const bool small = loss < std::log(2.0) / double(2 * n);
            (small ? low : high) += 1;
            wrong += small && !all_win(scores.values(), n);
            apart = std::max(
                apart,
                std::abs(loss - double(nn::symmetric_cross_entropy(scores).item())));
        }
    }
    say("score matrices with a loss below log 2 / (2N): {}; above: {}", low, high);
    claim("claim-clip-diagonal/b",
          "of these, matrices in which a diagonal score does not beat its row and its "
          "column",
          wrong, "==", 0);
    claim("", "our loss against the library's, largest difference", apart, "<=", 1e-12);
}
//-

// ## Two small encoders
//
// Our scenes show one object: one of four shapes in one of six colours, small or large, in one of four corners. Captions
// read *a large red disc in the top left*. There are 192 of them. The image encoder is a small convolutional network. The
// text encoder adds up a trained vector for each word, since the order of the words says nothing in these captions:
struct ImageEncoder {
    nn::Conv2d first, second, third;
    nn::Linear leave;

    Tensor operator()(const Tensor& images) const {
        Tensor x = relu(first(3 * (images - 0.3)));
        x = max_pool2d(relu(second(x)), 2);
        x = max_pool2d(relu(third(x)), 2);
        return leave(flatten(x));
    }
    //- how it is made
    ImageEncoder(Index out, Generator& random)
        : first(3, 16, 5, random, {.stride = 2, .padding = 2, .weights = nn::he_init}),
          second(16, 32, 3, random, {.padding = 1, .weights = nn::he_init}),
          third(32, 32, 3, random, {.padding = 1, .weights = nn::he_init}),
          leave(512, out, random) {}
    void visit(auto&& part) {
        part("first", first), part("second", second), part("third", third);
        part("leave", leave);
    }
    //-
};
struct TextEncoder {
    nn::Embedding words;
    nn::Linear leave;

    Tensor operator()(const Integers& tokens) const {
        return leave(sum(words(tokens), {1}));
    }
    //- how it is made
    explicit TextEncoder(Generator& random)
        : words(Index(data::caption_words().size()) + 1, width, random,
                {.deviation = 0.5}),
          leave(width, width, random) {}
    void visit(auto&& part) { part("words", words), part("leave", leave); }
    //-
};
struct Clip {
    ImageEncoder image;
    TextEncoder text;
    nn::ContrastiveHead head;

    Tensor loss(const Tensor& images, const Integers& tokens) const {
        return contrastive_loss(head.scores(image(images), text(tokens)));
    }
    //- how it is made
    explicit Clip(Generator& random)
        : image(width, random), text(random), head(10, 100) {}
    void visit(auto&& part) {
        part("image", image), part("text", text), part("head", head);
    }
    //-
};
//- training, judging, and the study
// Rows of the pairs, with any integers that belong to them as labels.
Examples drawn(const Pairs& set, const Integers& labels, Generator& random) {
    const Integers which = random.integers({batch}, 0, set.images.size(0));
    Examples some =
        data::select({set.images, {}, {}, ""}, {which.data(), std::size_t(batch)});
    const Index each = labels.numel() / set.images.size(0);
    std::vector<Index> rows;
    for (const Index i : which.values())
        for (Index j = 0; j < each; ++j) rows.push_back(labels.data()[i * each + j]);
    some.labels = Integers(each == 1 ? Shape{batch} : Shape{batch, each}, rows);
    return some;
}
using Loss = std::function<Tensor(const Examples& some)>;
void train(const NamedTensors& weights, const Pairs& set, const Integers& labels,
           Index steps, double lr, const Loss& loss, Generator& random,
           const std::function<void(Index)>& look = {}) {
    optim::Adam adam(weights, {.lr = lr});
    for (Index step = 0; step < steps; ++step) {
        if (look) look(step);
        const Examples some = drawn(set, labels, random);
        adam.options.lr = optim::cosine(step, steps, lr);
        adam.zero_grad();
        loss(some).backward();
        adam.step();
    }
}
void train_clip(const Clip& net, const Pairs& set, Index steps, double lr,
                Generator& random, const std::function<void(Index)>& look = {}) {
    train(
        nn::parameters(net), set, set.tokens, steps, lr,
        [&](const Examples& some) { return net.loss(some.x, some.labels); }, random,
        look);
}

struct Retrieval {
    double first, diagonal;  // shares of the pairs
};
Retrieval retrieval(const Clip& net, int batches, Generator& random) {
    const NoGrad only_asking;
    double first = 0, diagonal = 0;
    for (int b = 0; b < batches; ++b) {
        const Pairs some = different(32, usual_scenes(), random);
        const std::vector<Real> m =
            nn::cosine_similarities(net.image(some.images), net.text(some.tokens))
                .values();
        for (Index i = 0; i < 32; ++i) {
            const bool row = wins(m, 32, i, false);
            first += row, diagonal += row && wins(m, 32, i, true);
        }
    }
    return {first / (32.0 * batches), diagonal / (32.0 * batches)};
}

// The mean direction of descriptions.
Tensor direction_of(const Clip& net, const std::vector<std::string>& texts) {
    return mean(nn::unit_rows(net.text(data::caption_tokens(texts, longest))), {0});
}
std::vector<std::string> descriptions(Kind kind, Ink ink) {
    std::vector<std::string> all;
    for (const char* size : {"small", "large"})
        for (const char* place :
             {"top left", "top right", "bottom left", "bottom right"})
            all.push_back(fmt::format("a {} {} {} in the {}", size, data::name(ink),
                                      data::name(kind), place));
    return all;
}
std::vector<Index> best(const Tensor& scores) {
    const std::vector<Real> values = scores.values();
    std::vector<Index> found;
    for (auto at = values.begin(); at != values.end(); at += scores.size(1))
        found.push_back(std::max_element(at, at + scores.size(1)) - at);
    return found;
}
// The shares of scenes whose colour and shape are recognised among all 24, and whose colour is.
struct ZeroShot {
    double both, ink;
};
ZeroShot zero_shot(const Clip& net, const SceneLaw& law, Index count,
                   Generator& random) {
    const NoGrad only_asking;
    std::vector<Tensor> classes;
    for (const Kind kind : shapes)
        for (int ink = 0; ink < data::inks; ++ink)
            classes.push_back(direction_of(net, descriptions(kind, Ink(ink))));
    const Pairs some = captioned(data::draw_scenes(count, law, random));
    const std::vector<Index> answers =
        best(nn::cosine_similarities(net.image(some.images), stack(classes)));
    ZeroShot found{};
    for (std::size_t n = 0; n < answers.size(); ++n) {
        const data::SceneObject& object = some.scenes[n].objects[0];
        const Index ink = answers[n] % data::inks, kind = answers[n] / data::inks;
        found.ink += ink == Index(object.ink);
        found.both += ink == Index(object.ink) && kind == number(object.kind);
    }
    return {found.both / double(count), found.ink / double(count)};
}

Study::Row train_and_judge(const Study::Row& cell) {
    Generator random(1000 * std::uint64_t(cell[2]) + book::seed());
    const Pairs set =
        captioned(data::draw_scenes(Index(cell[0]), usual_scenes(), random));
    const Clip net(random);
    train_clip(net, set, Index(cell[1]), rate, random);
    const Retrieval found = retrieval(net, 20, random);
    const ZeroShot seen = zero_shot(net, usual_scenes(), 1000, random),
                   unseen = zero_shot(net, unseen_scenes(), 1000, random);
    return {found.first, found.diagonal, seen.both, unseen.both, unseen.ink};
}
const std::array<double, 2> set_sizes = {4000, 12'000}, lengths = {600, 2400};
std::vector<Study::Row> training_cells() {
    std::vector<Study::Row> all;
    for (const std::size_t kind : {1u, 0u})
        for (double draw = 1; draw <= 5; ++draw)
            all.push_back({set_sizes[kind], lengths[kind], draw});
    return all;
}
const Study study({"clip",
                   {"scenes", "steps", "draw"},
                   {"first", "diagonal", "seen", "unseen", "unseen ink"},
                   {"sys-clip/b", "claim-clip-diagonal/a", "sys-zero-shot/a"},
                   0.05},
                  training_cells(), train_and_judge);
std::vector<double> column(const std::string& name, std::size_t kind) {
    const io::Csv& table = study.frozen();
    const std::vector<double> steps = table.column("steps"), all = table.column(name);
    std::vector<double> found;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (steps[i] == lengths[kind]) found.push_back(all[i]);
    return found;
}
//-

// The library's `nn::ContrastiveHead` holds the logarithm of $s$, so that training cannot make $s$ negative. We train with
// batches of 64 pairs. Four of the 24 pairs of a colour and a shape never occur in training: red discs, green squares,
// blue triangles and yellow crosses. We need them later.
//- the training, the first figures, and what is checked
struct Trained {
    Clip net;
    Pairs scenes;
};
Trained one_training() {
    Generator random(book::seed());
    const Pairs set = captioned(data::draw_scenes(pairs(), usual_scenes(), random));
    const Clip net(random);
    Generator others(book::seed() + 77);
    const Pairs some = different(32, usual_scenes(), others);
    const auto matrix = [&] {
        const NoGrad only_asking;
        return nn::cosine_similarities(net.image(some.images), net.text(some.tokens));
    };
    {
        const NoGrad only_asking;
        say("before training: loss {:.3f} for {} pairs; log N is {:.3f}",
            double(net.loss(some.images, some.tokens).item()), 32, std::log(32.0));
        const Tensor codes = net.image(some.images);
        say("before training: mean cosine of two different scenes {:.2f}",
            double(sum(nn::cosine_similarities(codes, codes)).item() - 32) / (32 * 31));
    }
    Names names;
    for (int i = 1; i <= 16; ++i) names.push_back(std::to_string(i));
    std::vector<double> stops = {0};
    for (const Index part : {24, 8, 3, 1})
        stops.push_back(double(std::max<Index>(rounds() / part, 1)));
    stops.erase(std::ranges::unique(stops).begin(), stops.end());
    Figure figure("fig-similarities");
    figure
        .describe(
            "A square of sixteen by sixteen cells: cosines of scenes, one in each row, "
            "and captions, one in each column. Before training the cells form stripes. "
            "During training the diagonal becomes the brightest cell of its row and "
            "column.")
        .height(360)
        .slider("steps", stops, "steps of training", stops.back());
    const auto draw = [&](double step) {
        const Tensor corner = contiguous(slice(slice(matrix(), 0, 0, 16), 1, 0, 16));
        figure.at(step).heatmap("cosine", names, names, corner.values(), -0.5, 1);
    };
    const double start = book::now();
    train_clip(net, set, rounds(), rate, random, [&](Index step) {
        if (std::ranges::find(stops, double(step)) != stops.end()) draw(double(step));
    });
    const double minutes = (book::now() - start) / 60;
    draw(stops.back());
    figure.always().x("caption").y("scene").save(
        "Cosines of new scenes and captions during the training of a small CLIP. "
        "The caption of each scene has the number of the scene.");
    book::shows("sys-clip/a", "fig-similarities");
    book::timing_claim("sys-clip/c", "minutes of the training", minutes, "<=", 12);
    const NoGrad only_asking;
    const Tensor cosines = matrix();
    claim_in("eq-clip-similarity/a", "the smallest cosine of 32 × 32 pairs",
             double(min(cosines).item()), -1, 1);
    claim_in("eq-clip-similarity/a", "the largest cosine of 32 × 32 pairs",
             double(max(cosines).item()), -1, 1);
    say("the factor s after training: {:.1f}", double(net.head.factor().item()));
    claim("sys-clip/b",
          "share of new scenes that find their caption among 32 different ones",
          over_seeds(column("first", 0)), ">=", 0.9);
    claim("claim-clip-diagonal/a",
          "share of new pairs whose score beats its row and its column",
          over_seeds(column("diagonal", 0)), ">=", 0.9);
    Generator more(book::seed() + 78);
    return {net, captioned(data::draw_scenes(6, usual_scenes(), more))};
}
//-

// Nearly all new scenes find their caption among 32 different ones, and nearly all captions find their scene. Before the
// training the loss is near $\log N$. The rows of the matrix look alike, because the random network sends the scenes in
// similar directions: two of them have a large mean cosine.
//
// ## A classifier made of words
//
// Now you can ask about classes without any training. Describe each class in words, encode the descriptions, and take
// the class whose direction is nearest. This is **zero-shot** prediction. Our captions name a size and a place, which are
// of no interest here, so the direction of *red disc* is the mean over all eight captions of red discs
// {cite:p}`radford2021`. A softmax of the scores gives probabilities. {numref}`fig-6.4` shows them for the six scenes of
// {numref}`fig-clip-scenes`, with a slider for the factor:
//- the six scenes, and what is checked
void six_scenes(const Trained& trained) {
    const NoGrad only_asking;
    const auto& [net, some] = trained;
    figure::Images pictures("fig-clip-scenes", 6);
    pictures.describe(
        "Six scenes: on a dark ground one bright object each, in different colours, "
        "shapes, sizes and places.");
    const double own = double(net.head.factor().item());
    const std::vector<double> factors = {1, 3, 10, std::round(own), 50, 100};
    Figure figure("fig-6.4");
    figure
        .describe(
            "Six panels with five bars each: the probabilities of five descriptions "
            "for "
            "one scene. At a factor of 1 all bars are nearly equal. At a larger factor "
            "one bar grows and the others shrink.")
        .height(150)
        .columns(3)
        .slider("factor", factors, "factor s of the cosines", std::round(own));
    double off = 0;
    Index right = 0;
    for (std::size_t n = 0; n < 6; ++n) {
        const data::SceneObject& object = some.scenes[n].objects[0];
        std::vector<std::pair<Kind, Ink>> candidates = {{object.kind, object.ink}};
        for (const Kind kind : shapes)
            if (kind != object.kind) candidates.push_back({kind, object.ink});
        candidates.push_back({object.kind, Ink((int(object.ink) + 1) % data::inks)});
        std::rotate(candidates.begin(), candidates.begin() + std::ptrdiff_t(n % 5),
                    candidates.end());
        std::vector<Tensor> classes;
        Names names;
        for (const auto& [kind, ink] : candidates) {
            classes.push_back(direction_of(net, descriptions(kind, ink)));
            names.push_back(fmt::format("{} {}", data::name(ink), data::name(kind)));
        }
        const Tensor cosines = nn::cosine_similarities(
            net.image(slice(some.images, 0, Index(n), Index(n) + 1)), stack(classes));
        const auto [kind, ink] = candidates[std::size_t(best(cosines)[0])];
        right += kind == object.kind && ink == object.ink;
        figure.panel(fmt::format("scene {}", n + 1));
        for (const double factor : factors) {
            const Tensor p = softmax(factor * cosines);
            off = std::max(off, std::abs(double(sum(p).item()) - 1));
            figure.at(factor).bars("", names, p.values(), {.color = figure::blue});
        }
        figure.always().y("probability").ylim(0, 1);
        pictures.add(fmt::format("{}: {} {}", n + 1, data::name(object.ink),
                                 data::name(object.kind)),
                     32, 32, slice(some.images, 0, Index(n), Index(n) + 1).values());
    }
    pictures.save("Six new scenes, with the colour and the shape of their objects.");
    figure.save(
        "Zero-shot prediction: the probabilities of five descriptions for each of six "
        "scenes. The slider starts at the trained factor.");
    book::shows("fig-6.4/a", "fig-6.4");
    claim("fig-6.4/b", "scenes of the six whose most probable description is right",
          right, ">=", 5);
    claim("fig-6.4/c",
          "the probabilities of a scene sum to 1, largest deviation over all factors",
          off, "<=", 1e-6);
}
//-

// The order of the bars does not depend on the factor, only how sure the answer looks. Training has set the factor such
// that its probabilities fit batches of 64 captions.
//
// ## Red discs
//
// The descriptions may also be of things that training has never shown. Red discs, green squares, blue triangles and
// yellow crosses were held out. But the words *red* and *disc* are known, and so are red things and discs.
//- the question, and what is checked
void unseen() {
    const double found = book::median(column("unseen", 0)),
                 seen = book::median(column("seen", 0)),
                 ink = book::median(column("unseen ink", 0));
    ask("Scenes of the held-out combinations are classified among all 24 "
        "descriptions of a colour and a shape. Chance is 1 in 24. How many are right, "
        "after the short training?",
        {{"Hardly any: the network has never seen a red disc.", found < 0.25,
          "What it has seen of a colour and of a shape carries over to their "
          "combination."},
         {"Most, but fewer than of the combinations that it has seen.",
          found >= 0.25 && found < seen - 0.1,
          fmt::format(
              "The colour is right for {:.0f} % of the scenes. All errors are in "
              "the shape.",
              100 * ink)},
         {"As many as of the combinations that it has seen: red and disc are separate "
          "words.",
          found >= 0.25 && found >= seen - 0.1,
          "The words are separate, and the image encoder has learned to see colour and "
          "shape separately as well."}});
    for (const std::size_t kind : {0u, 1u})
        say("{} scenes, {} steps: seen combinations {}, held-out ones {}, their colour "
            "alone {}",
            set_sizes[kind], lengths[kind],
            book::brief(over_seeds(column("seen", kind))),
            book::brief(over_seeds(column("unseen", kind))),
            book::brief(over_seeds(column("unseen ink", kind))));
    claim("", "short training: accuracy on held-out combinations",
          over_seeds(column("unseen", 0)), ">=", 0.5);
    book::not_reproduced(
        "sys-zero-shot/a",
        "accuracy on held-out combinations among 24 descriptions, after the long "
        "training",
        over_seeds(column("unseen", 1)), ">=", 0.8,
        fmt::format("a third of the scenes with a quarter of the steps, whose median "
                    "is {:.3f}. Not tried, a limit of our budget: larger batches, and "
                    "fewer combinations held out",
                    found));
}
//-

// All colours are right, so chance for the shape is 1 in 4, and the result is far above it. A network that had learned
// that nothing red is a disc would be at 0. But the result is worse than for the combinations of the training, and spread
// over the draws. The long training has three times as many scenes and four times as many steps. It makes the seen
// combinations perfect and the held-out ones rather worse, in four of five draws. We judge the long training nevertheless,
// since a network that fails after few steps may only need more of them. A possible reason for the errors is in the
// training set: nothing red is ever a disc there, so red is some evidence against a disc, and a network that fits the
// training set better may use it more. Our program does not test this.
//
// ## Shortcuts
//
// A label says one thing about an image. If the background gives the label away, a classifier may learn the background
// and nothing else, a **shortcut** {cite:p}`geirhos2020`. A caption that names the background as well leaves the rest of
// the words to be explained by something else. Does this make the image encoder more robust?
//
// We give each shape a ground of its own: the training scenes show it on this ground with a certain probability, the
// strength of the cue, and else on one of the three other grounds. In the test the cue is reversed, and each shape stands
// on the ground of another one. One image encoder is trained with labels of the shape, and one with captions such as
// *a red disc on teal*. Both see the same number of scenes and steps. Each has the learning rate of two that is better on
// the reported scenes with the cue as in training.
//- the study, the figure, and what is checked
// The expected share of the scenes of a batch for which another scene of the batch has the same caption.
double twins(const Pairs& set) {
    std::map<std::string, double> counts;
    for (const std::string& caption : set.captions) counts[caption] += 1;
    const auto all = double(set.captions.size());
    double found = 0;
    for (const auto& [caption, count] : counts)
        found += count / all * (1 - std::pow(1 - count / all, double(batch - 1)));
    return found;
}
SceneLaw cued_scenes() {
    SceneLaw law = all_scenes();
    law.grounds = {Ground::brown, Ground::olive, Ground::teal, Ground::navy};
    return law;
}
Pairs cued(Index count, double cue, Index shift, Generator& random) {
    const SceneLaw law = cued_scenes();
    std::vector<Scene> all;
    for (Index i = 0; i < count; ++i) {
        data::SceneLayout layout = data::draw_layout(law, random);
        Index at = number(layout.objects[0].kind) + shift;
        if (random.next_uniform() >= cue) at += random.next_integer(1, 4);
        layout.ground = law.grounds[std::size_t(at % 4)];
        all.push_back(data::paint(layout, law, random));
    }
    return captioned(std::move(all), with_ground);
}
double share(const std::vector<Index>& answers, const Integers& truth) {
    double right = 0;
    for (std::size_t i = 0; i < answers.size(); ++i)
        right += answers[i] == truth.data()[i];
    return right / double(answers.size());
}
double by_words(const Clip& net, const Pairs& some) {
    std::vector<Tensor> classes;
    for (const Kind kind : shapes) {
        std::vector<std::string> texts;
        for (int ink = 0; ink < data::inks; ++ink)
            for (const Ground ground : cued_scenes().grounds)
                texts.push_back(fmt::format("a {} {} on {}", data::name(Ink(ink)),
                                            data::name(kind), data::name(ground)));
        classes.push_back(direction_of(net, texts));
    }
    return share(best(nn::cosine_similarities(net.image(some.images), stack(classes))),
                 some.kinds);
}
Study::Row labels_or_captions(const Study::Row& cell) {
    const auto& [cue, lr, draw] = std::tie(cell[0], cell[1], cell[2]);
    Generator random(1000 * std::uint64_t(draw) + book::seed());
    const Pairs set = cued(4000, cue, 0, random), usual = cued(1000, cue, 0, random),
                reversed = cued(1000, cue, 1, random);
    const ImageEncoder labelled(4, random);
    train(
        nn::parameters(labelled), set, set.kinds, 600, lr,
        [&](const Examples& some) {
            return cross_entropy(labelled(some.x), some.labels);
        },
        random);
    const Clip net(random);
    train_clip(net, set, 600, lr, random);
    const NoGrad only_asking;
    return {share(best(labelled(usual.images)), usual.kinds),
            share(best(labelled(reversed.images)), reversed.kinds),
            by_words(net, usual), by_words(net, reversed)};
}
const std::vector<double> cues = {0.9, 0.97, 1}, cue_rates = {2e-3, 4e-3};
const double judged_cue = 0.97;  // chosen before the study
std::vector<Study::Row> cue_cells() {
    std::vector<Study::Row> all;
    for (const double cue : cues)
        for (const double lr : cue_rates)
            for (double draw = 1; draw <= 5; ++draw) all.push_back({cue, lr, draw});
    return all;
}
const Study cue_study({"clip_cue",
                       {"cue", "rate", "draw"},
                       {"labels", "labels reversed", "captions", "captions reversed"},
                       {"claim-clip-richer-robust/a"},
                       0.07},
                      cue_cells(), labels_or_captions);

std::string range(const std::vector<double>& values) {
    const book::Measured all = over_seeds(values);
    return fmt::format("{:.3f} ({:.3f} to {:.3f})", all.value, all.low, all.high);
}

std::vector<double> cue_column(const std::string& name, double cue, double lr) {
    const io::Csv& table = cue_study.frozen();
    const std::vector<double> at = table.column("cue"), by = table.column("rate"),
                              all = table.column(name);
    std::vector<double> found;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (at[i] == cue && by[i] == lr) found.push_back(all[i]);
    return found;
}
double better_rate(const std::string& name, double cue) {
    return *std::ranges::max_element(cue_rates, {}, [&](double lr) {
        return book::median(cue_column(name, cue, lr));
    });
}
std::vector<double> drop(const std::string& name, double cue) {
    const double lr = better_rate(name, cue);
    std::vector<double> found = cue_column(name, cue, lr);
    const std::vector<double> after = cue_column(name + " reversed", cue, lr);
    for (std::size_t i = 0; i < found.size(); ++i) found[i] -= after[i];
    return found;
}

void shortcuts() {
    Generator random(book::seed());
    const Pairs usual_set = captioned(data::draw_scenes(4000, usual_scenes(), random));
    say("share of the scenes of a batch with a twin: {:.2f} in the first study, {:.2f} "
        "with a cue of {}",
        twins(usual_set), twins(cued(4000, judged_cue, 0, random)), judged_cue);
    std::vector<std::vector<book::Cell>> rows;
    Figure figure("fig-cue");
    figure.describe(
        "Accuracy against the strength of the cue, for an encoder trained with labels "
        "and one trained with captions. Solid lines: scenes like those of the "
        "training. Dashed lines: the cue is reversed. The dashed lines fall as "
        "the cue becomes stronger, to nearly zero.");
    for (const auto& [name, color] :
         {std::pair<const char*, figure::Color>{"labels", figure::red},
          {"captions", figure::blue}}) {
        std::vector<double> usual, reversed;
        for (const double cue : cues) {
            const double lr = better_rate(name, cue);
            const std::vector<double> before = cue_column(name, cue, lr),
                                      after = cue_column(
                                          fmt::format("{} reversed", name), cue, lr);
            usual.push_back(book::median(before)),
                reversed.push_back(book::median(after));
            for (const double each : cue_rates)
                rows.push_back(
                    {name, fmt::format("{}", cue),
                     fmt::format("{}{}", each, each == lr ? " *" : ""),
                     range(cue_column(name, cue, each)),
                     range(cue_column(fmt::format("{} reversed", name), cue, each))});
        }
        figure.line(name, cues, usual,
                    {.color = color, .dash = figure::solid, .points = true});
        figure.line(fmt::format("{}, reversed", name), cues, reversed,
                    {.color = color, .dash = figure::dashed, .points = true});
    }
    figure.x("strength of the cue in training")
        .y("accuracy of the shape")
        .ylim(0, 1.02)
        .save(
            "Accuracy of the shape on scenes like those of the training and on scenes "
            "with the cue reversed, medians of five trainings each. Chance is 1 in 4.");
    book::table("clip-cue",
                "Accuracy of the shape: medians and ranges of five trainings. *: the "
                "rate that is "
                "used.",
                {"trained with", "cue", "rate", "as in training", "cue reversed"},
                rows);
    std::vector<double> less = drop("labels", judged_cue);
    const std::vector<double> own = drop("captions", judged_cue);
    for (std::size_t i = 0; i < less.size(); ++i) less[i] -= own[i];
    for (const double cue : cues)
        say("cue {}: the accuracy falls by {} with labels, by {} with captions", cue,
            book::brief(over_seeds(drop("labels", cue))),
            book::brief(over_seeds(drop("captions", cue))));
    for (const double cue : {0.9, judged_cue}) {
        const auto used = [&](const std::string& name, const char* test) {
            return book::median(cue_column(name + test, cue, better_rate(name, cue)));
        };
        for (const char* test : {"", " reversed"})
            claim("",
                  fmt::format("cue {}{}: median with labels less median with captions",
                              cue, *test ? ", reversed in the test" : ""),
                  used("labels", test) - used("captions", test), ">", 0);
    }
    book::not_reproduced(
        "claim-clip-richer-robust/a",
        "fall of the accuracy when the cue is reversed: trained with labels less "
        "trained with captions, at a cue of 0.97",
        over_seeds(less), ">=", 0.15,
        "a weaker cue of 0.9, at which the encoder trained with labels falls less than "
        "the other, and a cue of 1, at which both fail; two learning rates, of which "
        "each side has its better one. Not tried, a limit of our budget: a longer "
        "training of the captions, and a loss that counts equal captions of a batch as "
        "right");
}
//-

// Captions do not rescue the encoder here. At cues of 0.9 and 0.97 labels are the better teacher in both tests, by the
// medians of the table. At 0.97 the accuracy falls a little less with captions in four of five draws, but only because it
// starts lower. With a perfect cue both encoders learn little but the ground. The learning rate counts as well. At a cue of
// 0.97 the lower rate costs the labels little on scenes like those of the training, but with the cue reversed it puts them
// behind the captions. The higher rate is the last that we tried.
//
// Why do captions not help? In a batch, most captions differ in the colour or in the ground. The shape decides only
// between captions that agree in both, and a strong cue makes those rare. A label asks for the shape in each sample.
// Also, the captions have 96 forms here, and a strong cue leaves a quarter of them for nearly all scenes. So most scenes
// of a batch have a **twin** with the same caption, and the loss counts a twin's caption as wrong. The encoder that
// learns from captions has more to learn in the same 600 steps, too. We have tried neither a loss that counts twins as
// right nor a longer training of the captions. This is a limit of our budget, and the row stays open.
//
// {cite:t}`radford2021` report that CLIP loses far less accuracy on test sets that are unlike ImageNet, one of them
// chosen to mislead, than classifiers that were trained on ImageNet. Its texts vary far more than ours.
//
// ## Limits and history
//
// {cite:t}`radford2021` trained CLIP on 400 million pairs from the web, with a vision Transformer and a Transformer for
// texts, and with batches of 32,768 pairs. Its zero-shot accuracy on ImageNet was that of a ResNet-50 that had been
// trained with all of its labels. One half of the loss, a softmax over the other members of the batch, had served to
// learn distances {cite:p}`sohn2016`, and {cite:t}`oord2018` used such a softmax to predict what comes next in a signal.
// {cite:t}`zhang2020` used both halves, for X-ray images and their reports.
//
// Our text encoder cannot tell *a red disc left of a blue square* from *a blue disc left of a red square*, since it only
// adds up words. Twins are in the first study as well, though fewer. For photographs and their captions they are rare.
//
// ## Summary
//
// CLIP trains an encoder of images and one of texts so that, in each batch, every image finds its text and every text its
// image. The scores are cosines times a trained factor. Descriptions of classes then make a classifier without any
// labelled example.
//
// ## What is missing
//
// CLIP chooses between descriptions that you write. It writes none itself, and it says nothing about where in the image
// a thing is, as [segmentation](segmentation.cpp) does. A text can also be paired with a sound.
// [The next page](spectrograms.cpp) turns sound into an image that a network can read.
//
// ```{try}
// - A longer training: `--rounds 2400 --pairs 12000`. Does the factor grow?
// - Fewer pairs: `--pairs 500`. Which of the six scenes are now wrong?
// ```

void page() {
    small_losses();
    const Trained trained = one_training();
    six_scenes(trained);
    unseen();
    shortcuts();
}
