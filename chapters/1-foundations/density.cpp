// # Density estimation: what is likely
//
// ```{rows} sys-cat-density claim-sequence-as-iterated-classification
// ```
//
// Most data come without answers: photographs, recordings, text. Learning from them which data are likely is **density
// estimation**, also called {term}`density modelling`. A model of the density says how likely a new example is, and it
// can draw new examples {cite:p}`fleuret2023`. This page does both, first for points in the plane with a **mixture of
// Gaussians**, then for words, where density estimation turns out to be repeated classification.
//
// How do four bell curves find where the points lie, from the points alone? Step through the training:
//
// ```{opening} fig-bells
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/clouds.hpp>
#include <recto/data/curves.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/linear.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/log_softmax.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <type_traits>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::claim_true, book::over_seeds,
    book::say;
using data::even_grid;
using figure::Figure, figure::Names;
using std::numbers::pi;

const book::Option<Index> points("points", 4000, "how many points to learn from",
                                 {.quick = 1000, .least = 10, .most = 100'000});
const book::Option<Index> bells("bells", 4,
                                "number of normal distributions in the mixture",
                                {.least = 1, .most = 20});
const book::Option<Index> steps_made("steps", 400, "training steps of the mixture",
                                     {.quick = 200, .least = 20, .most = 10'000});
const book::Option<Index> words("words", 500, "how many words to learn from",
                                {.least = 1, .most = 1000});
const book::Option<Index> lesson_steps("lesson-steps", 250,
                                       "training steps of the recurrent network",
                                       {.least = 0, .most = 10'000});
const book::Option<Index> memory("memory", 8, "width of the recurrent network's state",
                                 {.least = 1, .most = 500});
//-

// ## A mixture of Gaussians
//
// Points lie scattered over the plane. A {term}`density` $f(x)$ says what share of them to expect near $x$: the
// probability of a small area around $x$, divided by that area. The best-known density is the bell of the **normal
// distribution**, also called *Gaussian*. In the plane, a round bell of standard deviation 1 around a centre $c$ is
// $\frac{1}{2\pi} e^{-\frac12 \|x - c\|^2}$. One bell can describe only one lump of points, so our model is a weighted
// sum of several bells, a mixture.
//
// Take two round bells with the centres $(0, 0)$ and $(3, 0)$ and the shares $\frac12$ and $\frac12$. The point
// $(1, 0)$ lies at the distances 1 and 2 from the centres, so its density is
//
// $$ \tfrac12 \cdot \tfrac{1}{2\pi} \big( e^{-1/2} + e^{-2} \big) = 0.0796 \, (0.607 + 0.135) = 0.059 . $$
//
// In general a bell has a share $\pi_k$, a centre $c_k$, and a triangular matrix $A_k$ that sets how narrow it is and
// in which direction it leans:
//
// $$ f(x; w) = \sum_{k=1}^K \pi_k \, \frac{|\det A_k|}{2\pi} \, e^{-\frac12 \| A_k (x - c_k) \|^2} . $$
//
// The factor $|\det A_k|$ makes narrow bells higher, so that each integrates to one. Gradient descent may move every
// weight to any value, so every value must make sense. The shares are therefore the
// [softmax](classification.cpp) of scores, and the diagonal of $A_k$ is an exponential. The program computes
// logarithms throughout: far from all bells the density rounds to zero, and its logarithm is an ordinary number.
struct Bells {
    Tensor scores, x, y;          // shares before the softmax, and centres
    Tensor across, along, slant;  // A = (e^across, 0; slant, e^along)

    Tensor log_density(const Tensor& points) const {
        const Tensor dx = slice(points, 1, 0, 1) - x,
                     dy = slice(points, 1, 1, 2) - y;  // (N, K)
        const Tensor u = dx * exp(across), v = dx * slant + dy * exp(along);
        const Tensor each =
            log_softmax(scores) + across + along - (square(u) + square(v)) / 2;
        return logsumexp(each, {1}) - std::log(2 * pi);
    }
    //- the names of the weights
    void visit(auto&& part) {
        part("scores", scores), part("x", x), part("y", y);
        part("across", across), part("along", along), part("slant", slant);
    }
};
//-

// `logsumexp` adds the bells: the logarithm of the sum of their exponentials, computed without overflow.
//
// ## Training without answers
//
// On the last page we asked for the true class to be probable. Now we ask for the *points* to be probable. The loss is
// the mean **negative log-likelihood**,
//
// $$ \Loss(w) = -\frac1N \sum_{n=1}^N \log f(x_n; w) . $$
//
// The point of the example costs $-\log 0.059 = 2.83$ nats. The loss contains points and no answers:
//- the loss as a number, and the first weights: each bell starts round, at one of the points
double nll(const Bells& model, const Tensor& points) {
    const NoGrad only_asking;
    return -double(mean(model.log_density(points)).item());
}

using Look = std::function<void(Index step, const Bells& now)>;

Bells fit_bells(const Tensor& points, Generator& random, const Look& look) {
    const Index K = bells();
    Bells model{zeros({K}), empty({K}), empty({K}), zeros({K}), zeros({K}), zeros({K})};
    for (Index k = 0; k < K; ++k) {
        const Index n = random.next_integer(0, points.size(0));
        model.x.set({k}, points.at({n, 0})), model.y.set({k}, points.at({n, 1}));
    }
    model.visit([](const char*, Tensor& t) { t.requires_grad_(); });
    optim::Adam adam(nn::parameters(model), {.lr = 0.05});
    look(0, model);
    //-
    optim::fit(
        adam, [&] { return -mean(model.log_density(points)); }, {.steps = steps_made()},
        [&](const optim::Progress& now) { look(now.step, model); });
    return model;
}

// A mixture can also draw new points: choose a bell at random, with its share as the probability, draw a point $z$ from
// the round bell around the origin, and undo the matrix, $x = c_k + A_k^{-1} z$.
//- drawing points, and the outlines of bells for the figures
Tensor draw(const Bells& model, Index count, Generator& random) {
    std::vector<Real> drawn;
    for (const Index k :
         random.multinomial(softmax(model.scores.detach()).values(), count)) {
        const double dx = random.next_normal() * std::exp(-model.across.at({k}));
        const double dy = (random.next_normal() - model.slant.at({k}) * dx) *
                          std::exp(-model.along.at({k}));
        drawn.push_back(model.x.at({k}) + dx), drawn.push_back(model.y.at({k}) + dy);
    }
    return Tensor({count, 2}, drawn);
}
struct Outline {
    std::vector<double> x, y;
};
// where a bell has fallen to 1 / sqrt(e) of its height
Outline outline(const Bells& model, Index k) {
    Outline made;
    for (const double turn : even_grid(41, 0, 2 * pi)) {
        const double dx = std::cos(turn) * std::exp(-model.across.at({k}));
        made.x.push_back(model.x.at({k}) + dx);
        made.y.push_back(model.y.at({k}) + (std::sin(turn) - model.slant.at({k}) * dx) *
                                               std::exp(-model.along.at({k})));
    }
    return made;
}
std::vector<Real> column(const Tensor& points, int axis, Index count) {
    return slice(slice(points, 0, 0, std::min(count, points.size(0))), 1, axis,
                 axis + 1)
        .values();
}
//-

void points_in_the_plane() {
    // Our points come from a mixture of three bells with known weights. The model has four bells, because in practice
    // the number is unknown.
    Generator random(book::seed());
    const data::Mixture source = data::three_bells();
    const Tensor seen = source.draw(points(), random).x,
                 held_out = source.draw(20'000, random).x;
    //- training, with a record of the outlines
    std::vector<double> settings;
    std::vector<std::vector<Outline>> shapes;
    const Look keep = [&](Index step, const Bells& now) {
        if (step % (steps_made() / 20) != 0) return;
        settings.push_back(double(step));
        shapes.emplace_back();
        for (Index k = 0; k < bells(); ++k) shapes.back().push_back(outline(now, k));
    };
    const Bells model = fit_bells(seen, random, keep);

    // "without answers" is a statement about types, so the compiler checks it
    claim_true("sys-cat-density/c",
               "the training function accepts no labels and no targets",
               std::is_invocable_v<decltype(fit_bells), Tensor, Generator&, Look> &&
                   !std::is_invocable_v<decltype(fit_bells), Tensor, Integers,
                                        Generator&, Look> &&
                   !std::is_invocable_v<decltype(fit_bells), Tensor, Tensor, Generator&,
                                        Look>);

    //-
    // We draw the outlines of the bells during training.
    //- how the figure is drawn
    Figure training("fig-bells");
    training
        .describe(
            "A cloud of grey dots in three lumps, and four closed curves that outline "
            "bells. At first they are equal circles at random places; a slider counts "
            "steps, and by its end they have moved, stretched and turned to cover the "
            "lumps.")
        .slider("step", settings, "steps", settings.back())
        .height(640)  // as wide as high, so that circles are round
        .dots("points", column(seen, 0, 1000), column(seen, 1, 1000),
              {.color = figure::grey,
               .shape = figure::Shape::circle,
               .width = 2,
               .opacity = 0.6});
    for (std::size_t i = 0; i < settings.size(); ++i)
        for (std::size_t k = 0; k < shapes[i].size(); ++k)
            training.at(settings[i])
                .line(fmt::format("bell {}", k + 1), shapes[i][k].x, shapes[i][k].y,
                      {.dash = figure::solid, .points = false});
    training.xlim(-4, 4).ylim(-4, 4).x("x").y("y").save(
        "Some of the points, and each bell's ellipse of one standard deviation. Move "
        "the slider: two bells settle on lumps of their own within 40 steps, and the "
        "other two share the lump at the lower right.");
    //-

    // ## Is it a good density?
    //
    // We check three things. First, the model must *be* a density: nowhere negative, which its form guarantees, and
    // with an integral of one. We add up its values on a grid of cells.
    //- the integral over a square of side 12
    const int across = 240;
    const double low = -6, width = 12.0 / across;
    std::vector<Real> places;
    for (int i = 0; i < across; ++i)
        for (int j = 0; j < across; ++j)
            places.push_back(low + (j + 0.5) * width),
                places.push_back(-low - (i + 0.5) * width);
    const std::vector<Real> logs = [&] {
        const NoGrad only_asking;
        return model.log_density(Tensor({across * across, 2}, places)).values();
    }();
    double integral = 0;
    for (const double log : logs) integral += std::exp(log) * width * width;
    claim_in("sys-cat-density/a", "the integral of the fitted density over a grid",
             integral, 0.999, 1.001);
    //-

    // Second, *new* points from the same source must be nearly as likely under the model as under the true density. No
    // model can do better than the true density on average. Its mean negative log-likelihood is called the
    // **entropy** of the source.
    //- the loss on 20 000 new points, for three samples
    double entropy = 0;
    const std::vector<Real> at = held_out.values();
    for (std::size_t i = 0; i < at.size(); i += 2)
        entropy -= source.log_density(at[i], at[i + 1]) / double(held_out.size(0));
    const double ours = nll(model, held_out);
    say("negative log-likelihood of new points: model {:.4f}, source {:.4f} nats", ours,
        entropy);

    // two other samples, with bells that start elsewhere
    std::vector<double> excess = {ours - entropy};
    for (std::uint64_t draw = 1; draw <= 2; ++draw) {
        Generator other(1000 * draw + book::seed());
        const Bells again = fit_bells(source.draw(points(), other).x, other,
                                      [](Index, const Bells&) {});
        excess.push_back(nll(again, held_out) - entropy);
    }
    claim("sys-cat-density/b", "the model's loss minus that of the source, in nats",
          over_seeds(excess), "<=", 0.02);
    //-

    // Third, points drawn from the model should look like the points that it learned from. Your eye can judge this in
    // {numref}`fig-density`.
    //- how the figure is drawn
    std::vector<double> bands, truth;
    const auto band = [](double log) { return std::max(std::floor(log), -8.0); };
    for (std::size_t i = 0; i < logs.size(); ++i) {
        const double x = places[2 * i], y = places[2 * i + 1];
        if (std::abs(x) > 4 || std::abs(y) > 4) continue;
        bands.push_back(band(logs[i])), truth.push_back(band(source.log_density(x, y)));
    }
    const Tensor drawn = draw(model, 300, random);
    const figure::Style dot{
        .color = figure::red, .shape = figure::Shape::circle, .width = 2};
    Figure("fig-density")
        .describe(
            "Two maps of the plane in bands of colour, three bright lumps on a dark "
            "ground, with red dots on them. The first one is the fitted density with "
            "points drawn from it, the second one the true density with points it "
            "made. They look alike, and differ in the outer bands.")
        .height(290)
        .panel("fitted, and points drawn from it")
        .field(-4, 4, -4, 4, across * 2 / 3, bands)
        .dots("", column(drawn, 0, 300), column(drawn, 1, 300), dot)
        .panel("the source, and points it made")
        .field(-4, 4, -4, 4, across * 2 / 3, truth, "log density")
        .dots("", column(seen, 0, 300), column(seen, 1, 300), dot)
        .save(
            "First panel: the model; second panel: the true density. From one band to "
            "the next the density falls by a factor $e$; below $e^{-8}$ all is dark. "
            "The bands agree where there are points and differ far outside.");
    book::shows("sys-cat-density/d", "fig-density");
    //-

    // Why does the integral matter? A question:
    const double doubled = ours - std::log(2.0);
    ask("By mistake a model leaves out a factor 1/2, so its density is twice too large "
        "everywhere. What happens to its negative log-likelihood?",
        {{"Nothing: all points are still in the same proportion.", doubled == ours,
          "The likelihood depends on the value itself, and the value has doubled."},
         {"It falls by about 0.69 nats, as if the model were better.",
          std::abs(ours - doubled - 0.693) < 0.001,
          "Every point seems twice as likely, and the logarithm of two is 0.69. So a "
          "lower loss means a better model only among models whose integral is one."},
         {"It rises, because the model has become wrong.", doubled > ours,
          "The model has become wrong, and its loss falls all the same: the loss "
          "contains the density at the points and not its integral."}});
}

// ## Words, letter by letter
//
// Words and sentences have a density, too: a probability for each. Take a tiny language, words of four letters, each a,
// b or c. There are $3^4 = 81$ words, and a table of 81 numbers holds all probabilities. For sentences of twenty words
// out of a vocabulary of ten thousand, the table would have $10^{80}$ entries. But the probability of a sequence can be
// factored exactly, one symbol at a time (the {term}`chain rule of probability`):
//
// $$ p(x_1, x_2, x_3, x_4) = p(x_1) \; p(x_2 \mid x_1) \; p(x_3 \mid x_1, x_2) \; p(x_4 \mid x_1, x_2, x_3) . $$
//
// Each factor asks: given these letters, *which* letter is next? This is [classification](classification.cpp). A model
// of sequences is a classifier that is applied again and again.
//
// Our language has a rule. The first letter is a, b or c with probability 0.5, 0.3 and 0.2. The second letter equals
// the first with probability 0.6. After that the next letter is, with probability 0.7, the sum of the two before it,
// where a, b, c count 0, 1, 2 and the sum is taken modulo 3. All other letters are equally probable. So the word *abbc*
// has the probability $0.5 \cdot 0.2 \cdot 0.7 \cdot 0.7 = 0.049$.
//- the language
using Word = std::array<Index, 4>;

std::vector<Word> all_words() {
    std::vector<Word> all;
    for (Index i = 0; i < 81; ++i) all.push_back({i / 27, i / 9 % 3, i / 3 % 3, i % 3});
    return all;
}

double chance(const Word& word, int place) {  // of this letter, given those before it
    if (place == 0) return std::array{0.5, 0.3, 0.2}[std::size_t(word[0])];
    if (place == 1) return word[1] == word[0] ? 0.6 : 0.2;
    const Index sum = (word[std::size_t(place - 1)] + word[std::size_t(place - 2)]) % 3;
    return word[std::size_t(place)] == sum ? 0.7 : 0.15;
}
double chance(const Word& word) {
    return chance(word, 0) * chance(word, 1) * chance(word, 2) * chance(word, 3);
}
//-

// The classifier must accept beginnings of any length. A **recurrent network** reads one letter at a time and keeps a
// **state** $h$ of eight numbers. Before each letter it computes three scores from $h$; after the letter it computes a
// new $h$ from the old $h$ and the letter. The same three layers serve every place.
struct Reader {
    nn::Linear read, remember, guess;

    std::vector<Tensor> scores(const std::vector<Integers>& letters) const {
        std::vector<Tensor> made;
        Tensor h = zeros({letters[0].numel(), memory()});
        for (const Integers& letter : letters) {
            made.push_back(guess(h));
            h = tanh(remember(h) + read(one_hot(letter, 3)));
        }
        return made;
    }
    //- the names of the layers, and the letters of all words by place
    void visit(auto&& part) {
        part("read", read), part("remember", remember), part("guess", guess);
    }
};

std::vector<Integers> columns(const std::vector<Word>& words) {
    std::vector<Integers> made;
    for (std::size_t place = 0; place < 4; ++place) {
        std::vector<Index> letters;
        for (const Word& word : words) letters.push_back(word[place]);
        made.push_back(Integers({Index(words.size())}, letters));
    }
    return made;
}
//-

// The model's probability of a whole word is the product of its four answers:
std::vector<Real> chances(const Reader& reader, const std::vector<Word>& words) {
    const NoGrad only_asking;
    const std::vector<Integers> letters = columns(words);
    const std::vector<Tensor> scores = reader.scores(letters);
    Tensor product = ones({Index(words.size())});
    for (std::size_t place = 0; place < 4; ++place)
        product =
            product * sum(softmax(scores[place]) * one_hot(letters[place], 3), {1});
    return product.values();
}

//- a table as a classifier: one row for each beginning
struct Table {
    std::map<std::vector<Index>, std::array<Index, 3>> rows;

    void learn(const Word& word) {
        for (std::size_t place = 0; place < 4; ++place)
            ++rows[{word.begin(), word.begin() + place}][std::size_t(word[place])];
    }
    /// The product of its answers for a word, as a fraction; 0 / 0 after a beginning that it has not seen.
    std::pair<Index, Index> product(const Word& word) {
        Index above = 1, below = 1;
        for (std::size_t place = 0; place < 4; ++place) {
            const auto& row = rows[{word.begin(), word.begin() + place}];
            above *= row[std::size_t(word[place])], below *= row[0] + row[1] + row[2];
        }
        return {above, below};
    }
};
//-

// These products are a density of words, a **probability distribution**, for *any* weights, because the three
// probabilities at each place sum to one. Add up the words that differ in the last letter only, and the last factor disappears; then
// the factor before it, and so on. The program checks this sum before training and after.
void words_of_four_letters() {
    //- an untrained network, and 500 words to learn from
    Generator random(book::seed() + 1);
    const Reader reader{nn::Linear(3, memory(), random),
                        nn::Linear(memory(), memory(), random),
                        nn::Linear(memory(), 3, random)};
    const std::vector<Word> all = all_words();
    const auto total = [&] {
        double sum = 0;
        for (const double p : chances(reader, all)) sum += p;
        return sum;
    };
    const double before = total();

    std::vector<Real> probabilities;
    for (const Word& word : all) probabilities.push_back(chance(word));
    std::vector<Word> lessons;
    for (const Index which : random.multinomial(probabilities, words()))
        lessons.push_back(all[std::size_t(which)]);
    const std::vector<Integers> letters = columns(lessons);
    optim::Adam adam(nn::parameters(reader), {.lr = 0.01});
    //-
    // The loss of a word is the sum of four cross-entropies, one for each letter. By the chain rule this sum is the
    // negative log-likelihood of the word.
    optim::fit(adam,
               [&] {
                   const std::vector<Tensor> scores = reader.scores(letters);
                   Tensor loss = cross_entropy(scores[0], letters[0]);
                   for (std::size_t place = 1; place < 4; ++place)
                       loss = loss + cross_entropy(scores[place], letters[place]);
                   return loss;
               },
               {.steps = lesson_steps()});
    const double after = total();
    claim("claim-sequence-as-iterated-classification/a",
          "the distance from one of the sum over all 81 words, before and after "
          "training, the larger",
          std::max(std::abs(before - 1), std::abs(after - 1)), "<=", 1e-10);

    // ## Counting
    //
    // In such a small language you can also count. One way counts whole words: the probability of a word is its share
    // $n / N$ of the $N$ words seen. Another way is a table that works as a classifier: it has one row for each
    // beginning, and counts which letter came next. Multiply its four answers, and nearly everything cancels:
    //
    // $$ \frac{n(x_1)}{N} \cdot \frac{n(x_1 x_2)}{n(x_1)} \cdot \frac{n(x_1 x_2 x_3)}{n(x_1 x_2)} \cdot
    //    \frac{n(x_1 x_2 x_3 x_4)}{n(x_1 x_2 x_3)} = \frac{n(x_1 x_2 x_3 x_4)}{N} . $$
    //
    // So repeated classification by counting gives the same density as counting whole words. The program compares both
    // as fractions of whole numbers, without rounding.
    //- counting in both ways
    Table beginnings;
    for (const Word& word : lessons) beginnings.learn(word);
    std::vector<double> counted;
    int unequal = 0;
    for (const Word& word : all) {
        const Index seen = std::ranges::count(lessons, word);
        counted.push_back(double(seen) / double(words()));
        const auto [above, below] = beginnings.product(word);
        unequal += above * words() != seen * below;
    }
    claim("claim-sequence-as-iterated-classification/b",
          "words for which the table's product differs from the counted share", unequal,
          "==", 0);
    //-

    // Factoring loses nothing, and it gains freedom: the classifier need not be a table. A table gives probability zero
    // to every word that it has not seen. The recurrent network uses the same weights at every place, so what it learns
    // about one beginning also changes its answers for others. We compare how many nats each model loses on new words,
    // on average, against the true probabilities.
    //- the mean loss on new words
    const std::vector<Real> learned = chances(reader, all);
    double table = 0, ours = 0, unseen = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const double p = chance(all[i]);
        table += p * std::log(p / counted[i]);
        ours += p * std::log(p / learned[i]);
        unseen += counted[i] == 0 ? p : 0;
    }
    say("lost on new words: recurrent network {:.3f} nats, table {:.3f} nats", ours,
        table);
    say("new words to which the table gives probability zero: {:.1f} %", 100 * unseen);
    claim("", "the mean loss of the recurrent network on new words, in nats", ours,
          "<=", 0.15);
    //-

    // The table's loss is infinite because $-\log 0$ is: one new word with probability zero is enough, and 2.8 % of all
    // new words are such words. The network loses 0.048 nats. {numref}`fig-words` shows every word.
    //- how the figure is drawn
    std::vector<double> truth, floor;
    for (std::size_t i = 0; i < all.size(); ++i)
        truth.push_back(chance(all[i])), floor.push_back(std::max(counted[i], 5e-4));
    Figure both("fig-words");
    both.describe(
        "Two panels. For each of 81 words the model's probability against the true "
        "one, both axes logarithmic. First panel, from counting: the dots scatter "
        "widely for rare words, and thirteen lie on the lower edge, never seen. Second "
        "panel, from the recurrent network: the dots lie closer to the diagonal.");
    const auto draw_words = [&](const std::string& who,
                                const std::vector<double>& has) {
        both.panel(who)
            .line("", {5e-4, 0.2}, {5e-4, 0.2},
                  {.color = figure::ink,
                   .dash = figure::solid,
                   .width = 1,
                   .points = false})
            .dots(
                "", truth, has,
                {.color = figure::blue, .shape = figure::Shape::circle, .opacity = 0.7})
            .log_axes()
            .xlim(5e-4, 0.2)
            .ylim(5e-4, 0.2)
            .x("probability in the language")
            .y("in the model");
    };
    draw_words("counted", floor);
    draw_words("recurrent network", {learned.begin(), learned.end()});
    both.save(
        "All 81 words; a perfect model puts them on the line. For frequent words "
        "counting works. The counted probabilities of rare words are multiples of "
        "1/500, and 13 words that were not seen (lower edge) get zero. The network "
        "gives every word a probability within a factor of four of the true one.");
    //-
}

void page() {
    points_in_the_plane();
    words_of_four_letters();
}

// ## Summary
//
// A density model is trained on examples without answers, by minimising the mean negative log-likelihood; losses are
// comparable only between models whose integral is one. A mixture of Gaussians comes within 0.004 nats of the source
// here. The density of a sequence factors into one classification for each symbol, and a network that shares its
// weights between places gives unseen words a sensible probability where a table gives zero.
//
// ## What is missing
//
// Numbers, classes, densities: three forms of question, and one principle behind the losses. Each loss is the negative
// logarithm of the probability of what was seen; the squared error is that of a normal distribution of fixed width.
// Real questions come mixed: a class *and* a position, several labels at once, or a density that depends on an input.
// [The next page](compound.cpp) mixes them.
//
// ```{try}
// - Too few bells, and too many: `--bells 1`, `--bells 20`. Which costs more on new points? And with `--points 100`?
// - Another start: `--bells 3 --seed 2`, and other seeds. Do the bells always find the lumps?
// - More words to count: `--words 1000`. Does the table catch up with the network?
// ```
