// # What is likely
//
// ```{rows} sys-cat-density claim-sequence-as-iterated-classification
// ```
//
// On the last two pages somebody had written the answer beside every picture. Most of the world comes without
// answers. What one can still ask is what the world is like: which signals are likely, and which are not. This
// is *density modelling*. Who can do it has two things {cite:p}`fleuret2023`: a number for how likely a signal
// is, and a way to draw new ones. This page does it twice, for points in the plane and for words.
//- includes and names
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
//-

// Six numbers can be changed, three for the points and three for the words:
const book::Option<Index> points("points", 4000, "how many points to learn from",
                                 {.quick = 1000, .least = 10, .most = 100'000});
const book::Option<Index> bells("bells", 4, "how many bells the model has",
                                {.least = 1, .most = 20});
const book::Option<Index> steps_made("steps", 400, "how many steps it makes",
                                     {.quick = 200, .least = 20, .most = 10'000});
const book::Option<Index> words("words", 500, "how many words to learn from",
                                {.least = 1, .most = 1000});
const book::Option<Index> lesson_steps("lesson-steps", 250,
                                       "how many steps the reader makes",
                                       {.least = 0, .most = 10'000});
const book::Option<Index> memory("memory", 8, "how many numbers the reader remembers",
                                 {.least = 1, .most = 500});

// ## Bells in the plane
//
// Points are strewn over the plane, and we ask how densely, everywhere. Our model is a sum of $K$ bells. A bell
// has a share $\pi_k$, a centre $c_k$, and a triangular matrix $A_k$ that says how narrow it is and which way
// it leans:
//
// $$ f(x; w) = \sum_{k=1}^K \pi_k \, \frac{|\det A_k|}{2\pi} \, e^{-\frac12 \| A_k (x - c_k) \|^2} . $$
//
// All of these are found by walking downhill, so they must be free to take any value and still make sense.
// Shares come from scores by a softmax, and the diagonal of $A_k$ is an exponential. We compute logarithms
// throughout, because the density far away from all bells is too small for a number, and its logarithm is not.
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
    void visit(auto&& part) {
        part("scores", scores), part("x", x), part("y", y);
        part("across", across), part("along", along), part("slant", slant);
    }
};

// What makes one choice of weights better than another? On the last page we asked for the right name to be
// probable. Now we ask for the *points* to be: the loss is the mean *negative log-likelihood*,
// $\Loss(w) = -\frac1N \sum_n \log f(x_n; w)$. No answers occur in it. The function that trains is handed
// points, and there is no place where it could be handed more.
double nll(const Bells& model, const Tensor& points) {
    const NoGrad only_asking;
    return -double(mean(model.log_density(points)).item());
}

using Look = std::function<void(Index step, const Bells& now)>;

Bells fit_bells(const Tensor& points, Generator& random, const Look& look) {
    const Index K = bells();
    Bells model{zeros({K}), empty({K}), empty({K}), zeros({K}), zeros({K}), zeros({K})};
    for (Index k = 0; k < K;
         ++k) {  // every bell starts round, around one of the points
        const Index n = random.next_integer(0, points.size(0));
        model.x.set({k}, points.at({n, 0})), model.y.set({k}, points.at({n, 1}));
    }
    model.visit([](const char*, Tensor& t) { t.requires_grad_(); });
    optim::Adam adam(nn::parameters(model), {.lr = 0.05});
    look(0, model);
    optim::fit(
        adam, [&] { return -mean(model.log_density(points)); }, {.steps = steps_made()},
        [&](const optim::Progress& now) { look(now.step, model); });
    return model;
}

// Drawing is easy: choose a bell by its share, draw a round cloud's point $z$, and undo the matrix,
// $x = c_k + A_k^{-1} z$.
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
//- outlines of bells, and columns of points, for the figures
struct Outline {
    std::vector<double> x, y;
};
Outline outline(const Bells& model,
                Index k) {  // where a bell has fallen to 1 / sqrt(e) of its height
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
    // Our points come from three bells whose parameters we know. The model has four, because in earnest one
    // never knows how many there are.
    Generator random(book::seed());
    const data::Mixture source = data::three_bells();
    const Tensor seen = source.draw(points(), random).x,
                 held_out = source.draw(20'000, random).x;
    std::vector<double> settings;
    std::vector<std::vector<Outline>> shapes;
    const Look keep = [&](Index step, const Bells& now) {
        if (step % (steps_made() / 20) != 0) return;
        settings.push_back(double(step));
        shapes.emplace_back();
        for (Index k = 0; k < bells(); ++k) shapes.back().push_back(outline(now, k));
    };
    const Bells model = fit_bells(seen, random, keep);

    // That nobody hands it answers is a statement about types, so the compiler can check it:
    claim_true("sys-cat-density/c",
               "the training function cannot be handed labels or targets",
               std::is_invocable_v<decltype(fit_bells), Tensor, Generator&, Look> &&
                   !std::is_invocable_v<decltype(fit_bells), Tensor, Integers,
                                        Generator&, Look> &&
                   !std::is_invocable_v<decltype(fit_bells), Tensor, Tensor, Generator&,
                                        Look>);

    // While it trained we kept the outlines of the bells. {numref}`fig-bells` shows them over some of the points.
    Figure training("fig-bells");
    training
        .describe(
            "A cloud of grey dots in three lumps, and four closed curves that outline "
            "bells. At first they are equal circles at random places; a slider counts "
            "steps, and by its end they have moved, stretched and turned to cover the "
            "lumps.")
        .slider("step", settings, "steps", settings.back())
        .height(380)
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
        "the slider: nobody tells the bells which points are theirs.");

    // Is it any good? Every point falls to some bell, but that proves little. We ask three things of it. The
    // first is that it *is* a density: nowhere negative, as it was built to be, and with an integral of one.
    // Otherwise it could make every point as likely as it pleased.
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

    // The second is that it knows *new* points, of the same source, nearly as well as the source itself does.
    // Nothing can know them better on average: the negative log-likelihood of the true density is its entropy.
    double entropy = 0;
    const std::vector<Real> at = held_out.values();
    for (std::size_t i = 0; i < at.size(); i += 2)
        entropy -= source.log_density(at[i], at[i + 1]) / double(held_out.size(0));
    const double ours = nll(model, held_out);
    say("negative log-likelihood of new points: ours {:.4f}, of the source {:.4f} nats",
        ours, entropy);

    // The same for two other samples, with bells that start elsewhere:
    std::vector<double> excess = {ours - entropy};
    for (std::uint64_t draw = 1; draw <= 2; ++draw) {
        Generator other(1000 * draw + book::seed());
        const Bells again = fit_bells(source.draw(points(), other).x, other,
                                      [](Index, const Bells&) {});
        excess.push_back(nll(again, held_out) - entropy);
    }
    claim("sys-cat-density/b", "ours is larger by so many nats", over_seeds(excess),
          "<=", 0.02);

    // The third is that what we draw from it looks like what it was made from. That is for the eye to judge, in
    // {numref}`fig-density`.
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
            "ground, with red dots on them. The left one is the fitted density with "
            "points drawn from it, the right one the true density with points it made. "
            "They look alike, and differ in the outer bands.")
        .height(290)
        .panel("fitted, and points drawn from it")
        .field(-4, 4, -4, 4, across * 2 / 3, bands)
        .dots("", column(drawn, 0, 300), column(drawn, 1, 300), dot)
        .panel("the source, and points it made")
        .field(-4, 4, -4, 4, across * 2 / 3, truth)
        .dots("", column(seen, 0, 300), column(seen, 1, 300), dot)
        .save(
            "Left the model, right what it was to find. From one band to the next the "
            "density falls by a factor $e$; below $e^{-8}$ all is dark.");
    book::shows("sys-cat-density/d", "fig-density");

    // So far the likelihood was on our side. One more thought about the first of the three:
    const double doubled = ours - std::log(2.0);
    ask("By mistake a model leaves out the factor 1/2 of its density: what it returns "
        "is twice too large everywhere. What does its negative log-likelihood do?",
        {{"Nothing: all points are still in the same proportion.", doubled == ours,
          "Proportions are not enough. The likelihood looks at the value itself, and "
          "that has doubled."},
         {"It falls, by about 0.69 nats, as if the model were better.",
          std::abs(ours - doubled - 0.693) < 0.001,
          "Every point seems twice as likely, and the logarithm of two is 0.69. So a "
          "lower loss means a better model only among those whose integral is one."},
         {"It rises, because the model has become wrong.", doubled > ours,
          "It has become wrong, and the loss rewards it. A likelihood cannot tell that "
          "the integral is two."}});
}

// ## Words, letter by letter
//
// The plane is small. What of sentences, of which there are more than of atoms? Take a tiny language: words of
// four letters, each a, b or c. There are $3^4 = 81$ of them, and a density is a table of 81 numbers. With a
// vocabulary of thousands and hundreds of words in a row no table will do. But any probability of a sequence
// can be cut into pieces, exactly:
//
// $$ p(x_1, x_2, x_3, x_4) = p(x_1) \; p(x_2 \mid x_1) \; p(x_3 \mid x_1, x_2) \; p(x_4 \mid x_1, x_2, x_3) . $$
//
// Each piece asks: given these letters, *which* is the next? That is classification, as on the last page. So a
// model of sequences is a classifier that is asked again and again.
using Word = std::array<Index, 4>;

std::vector<Word> all_words() {
    std::vector<Word> all;
    for (Index i = 0; i < 81; ++i) all.push_back({i / 27, i / 9 % 3, i / 3 % 3, i % 3});
    return all;
}

// The language has a rule. The first two letters like to be equal; after that the next letter is, mostly, the
// sum of the two before it, where a, b, c count 0, 1, 2 and 3 is 0 again.
double chance(const Word& word, int place) {  // of this letter, given those before it
    if (place == 0) return std::array{0.5, 0.3, 0.2}[std::size_t(word[0])];
    if (place == 1) return word[1] == word[0] ? 0.6 : 0.2;
    const Index sum = (word[std::size_t(place - 1)] + word[std::size_t(place - 2)]) % 3;
    return word[std::size_t(place)] == sum ? 0.7 : 0.15;
}
double chance(const Word& word) {
    return chance(word, 0) * chance(word, 1) * chance(word, 2) * chance(word, 3);
}

// A classifier for letters must read as many as there are. Ours reads one at a time, and keeps what it wants to
// know of the past in a row of numbers $h$. Before each letter it guesses from $h$; after it, it makes a new
// $h$ of the old one and the letter. It is *recurrent*: the same three layers at every place.
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
    void visit(auto&& part) {
        part("read", read), part("remember", remember), part("guess", guess);
    }
};

// It wants all first letters at once, then all second ones, and so on:
std::vector<Integers> columns(const std::vector<Word>& words) {
    std::vector<Integers> made;
    for (std::size_t place = 0; place < 4; ++place) {
        std::vector<Index> letters;
        for (const Word& word : words) letters.push_back(word[place]);
        made.push_back(Integers({Index(words.size())}, letters));
    }
    return made;
}

// And what it says of a whole word is the product of its answers:
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

// Instead of a network, a table can be the classifier: one row for each beginning.
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

void words_of_four_letters() {
    // Why should these products be a density of words? Because at each place the three answers sum to one: add
    // up all last letters, and the last factor is gone; then the one before. It holds for any weights, and we
    // try it before training and after.
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
          "the distance of the sum over all 81 words from one",
          std::max(std::abs(before - 1), std::abs(after - 1)), "<=", 1e-10);

    // ## Counting
    //
    // With so small a language one can also count. There are two ways to do it. Either count whole words:
    // $n / N$. Or fill a `Table`: a classifier with one row for each beginning, which holds how often each letter came
    // next. Multiply its answers:
    //
    // $$ \frac{n(x_1)}{N} \cdot \frac{n(x_1 x_2)}{n(x_1)} \cdot \frac{n(x_1 x_2 x_3)}{n(x_1 x_2)} \cdot
    //    \frac{n(x_1 x_2 x_3 x_4)}{n(x_1 x_2 x_3)} . $$
    //
    // All but the ends cancels. We compare the table's products with the shares of whole words, in whole numbers, so
    // that *equal* means equal.
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
          "words for which the table's product is not the share counted", unequal,
          "==", 0);

    // So repeated classification loses nothing; it says the same in another order. What it gains is that the
    // classifier need not be a table. A table knows nothing of a beginning it has not seen. The reader was
    // never told that there is a rule, but it treats all places alike, and so it must find one. How many nats
    // do both lose on new words, on average, against the language itself?
    const std::vector<Real> learned = chances(reader, all);
    double table = 0, ours = 0, unseen = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const double p = chance(all[i]);
        table += p * std::log(p / counted[i]);
        ours += p * std::log(p / learned[i]);
        unseen += counted[i] == 0 ? p : 0;
    }
    say("lost on new words: reader {:.3f} nats, table {:.3f} nats", ours, table);
    say("new words that the table holds to be impossible: {:.1f} %", 100 * unseen);
    claim("", "the mean loss of the reader against the language, in nats", ours,
          "<=", 0.15);

    // An infinite loss is no misprint. Whoever holds a word to be impossible, and then meets it, is infinitely
    // surprised. {numref}`fig-words` shows every word.
    std::vector<double> truth, floor;
    for (std::size_t i = 0; i < all.size(); ++i)
        truth.push_back(chance(all[i])), floor.push_back(std::max(counted[i], 5e-4));
    Figure both("fig-words");
    both.describe(
        "Two panels. For each of 81 words its probability as a model has it, against "
        "the true one, both axes logarithmic. Left, from counting: the dots scatter "
        "widely for rare words, and many lie on the lower edge, never seen. Right, "
        "from the reader: the dots lie near the diagonal.");

    // Each model gets a panel, with the line on which a right one would put all words:
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
    draw_words("the reader", {learned.begin(), learned.end()});
    both.save(
        "All 81 words; a model that is right puts them on the line. For frequent ones "
        "counting is fine. Rare ones come in steps of one lesson, and those that were "
        "not among the lessons (lower edge) are impossible to the table; the reader "
        "gives nearly all of them their chance.");
}

void page() {
    points_in_the_plane();
    words_of_four_letters();
}

// ## What is missing
//
// Number, name, density: three forms of question, and three losses, which were one all along. Each was the
// negative logarithm of the probability of what was seen; for numbers, the squared error is that of a bell
// of fixed width. In earnest questions come mixed: a name *and* a place, several names at once, or a
// density of numbers that depends on a signal. [The next page](compound.cpp) mixes them.
//
// ```{try}
// - Too few bells, and too many: `--bells 1`, `--bells 20`. Which costs more on new points?
//   And with `--points 100`?
// - Another start: `--bells 3 --seed 2`, and other seeds. Do the bells always find the lumps?
// - More words to count: `--words 1000`. Does the table catch up with the reader?
// ```
