// # Rotary positions (RoPE): turn the query and the key
//
// ```{rows} eq-rope claim-rope-better
// ```
//
// Attention sees a set, so a network needs to know the order of its words. [Positional
// encoding](../components/positions.cpp) adds a vector to each word. But in "the old dog sleeps" the verb looks for a
// noun *one word back*, wherever the sentence begins. Only the distance matters to it, and the sum of word and position
// mixes it with products that depend on the absolute place. **Rotary positions** (RoPE, {cite:p}`su2021`) add nothing.
// They turn each query and each key by an angle that grows with its position. {numref}`fig-rope-dials` shows a query
// and a key of four numbers, as two pairs of hands. Move one slider, and the score changes. Move both by the same
// amount: what happens to the score?
//
// ```{opening} fig-rope-dials
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/book/table.hpp>
#include <recto/core/random.hpp>
#include <recto/data/grammar.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/gpt.hpp>
#include <recto/nn/module.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/sequences/positions.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>
#include <recto/optim/schedule.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say, book::Study;
using figure::Figure, figure::Names;

const book::Option<Index> query_at("query", 9, "position of the query",
                                   {.least = 0, .most = 40});
const book::Option<Index> key_at("key", 4, "position of the key",
                                 {.least = 0, .most = 40});
const book::Option<Index> passes("steps", 500, "steps of a training",
                                 {.quick = 10, .least = 5, .most = 100'000});

// Defined further down:
double score(const std::vector<double>& q, Index m, const std::vector<double>& k,
             Index n);
std::vector<double> turned(const std::vector<double>& x, Index position);
//-

//- how the figure is drawn
const double base =
    100;  // of the angles in the figures: the second pair is 10 times slower
const std::vector<double> a_query = {0.9, 0.3, 1, 0}, a_key = {0.8, -0.5, 0.9, 0.4};

void dials() {
    const std::vector<double> q = turned(a_query, query_at()),
                              k = turned(a_key, key_at());
    Figure figure("fig-rope-dials");
    figure
        .describe(
            "Two dials and a curve. On each dial a blue hand, a pair of numbers of the "
            "query, and a red hand, the same pair of the key. On the first dial the "
            "hands "
            "turn fast, on the second slowly. The curve is the score against the "
            "distance, "
            "with a dot at the present distance. It waves quickly, on a slow wave.")
        .columns(3)
        .slider(query_at, "position m of the query")
        .slider(key_at, "position n of the key");
    for (const std::size_t pair : {0, 1}) {
        const std::size_t a = 2 * pair, b = a + 1;
        figure.panel(pair == 0 ? "fast pair" : "slow pair")
            .tall(166)  // as wide as one of three panels, so the angles are true
            .xlim(-1.3, 1.3)
            .ylim(-1.3, 1.3)
            .line("query", {0, q[a]}, {0, q[b]}, {.color = figure::blue, .width = 3})
            .line("key", {0, k[a]}, {0, k[b]}, {.color = figure::red, .width = 3})
            .x(pair == 0 ? "number 1" : "number 3")
            .y(pair == 0 ? "number 2" : "number 4");
    }
    std::vector<double> distances, scores;
    for (double distance = -40; distance <= 40; distance += 0.5) {
        distances.push_back(distance);
        double total = 0;
        for (const std::size_t a : {std::size_t(0), std::size_t(2)}) {
            const double turn = distance * std::pow(base, -double(a) / 4);
            const double c = std::cos(turn), s = std::sin(turn);
            total += (a_query[a] * c - a_query[a + 1] * s) * a_key[a] +
                     (a_query[a] * s + a_query[a + 1] * c) * a_key[a + 1];
        }
        scores.push_back(total);
    }
    figure.panel("score")
        .tall(166)
        .xlim(-40, 40)
        .ylim(-2.5, 2.5)
        .line("score", distances, scores,
              {.color = figure::grey, .dash = figure::solid, .points = false})
        .dots("now", {double(query_at() - key_at())},
              {score(a_query, query_at(), a_key, key_at())},
              {.color = figure::ink, .width = 4})
        .x("distance m − n, positions")
        .y("score")
        .save(
            "A query at position $m$ and a key at position $n$, both of four numbers, "
            "turned by their positions. The score is the product of the two blue with "
            "the two red hands. It "
            "depends on the distance $m - n$ alone: move both sliders by the same "
            "amount, and the hands turn together.");
}
//-

// ## An angle for each position
//
// Take one pair of numbers, and turn it by 30° for each position. Let query and key both be $(1, 0)$, the query at
// position 3 and the key at position 1. The query turns by 90° to $(0, 1)$, and the key by 30° to $(0.87, 0.5)$. Their
// score is the product $0 \cdot 0.87 + 1 \cdot 0.5 = 0.5$, the cosine of 60°. Now move both four positions further.
// They turn by 210° and 150°, to $(-0.87, -0.5)$ and $(-0.87, 0.5)$, and the score is $0.75 - 0.25 = 0.5$ again. Both
// hands turned by the same angle, so the angle between them stayed.
//
// A head has more than two numbers. Each pair of them is a hand with its own speed, as in a sinusoidal encoding. For a
// head of $D$ numbers, pair $i$ turns by $\theta_i = 10000^{-2i/D}$ radians for each position. The first pair turns by
// one radian, and the last hardly at all. Write $R_m$ for turning all pairs to position $m$:
//
// ```{equation} eq-rope
// :function: recto::rotary
// :test: rotary: products depend on the distance alone, and lengths stay
// R_m \binom{x_a}{x_b} = \binom{x_a \cos m\theta_i - x_b \sin m\theta_i}{x_a \sin m\theta_i + x_b \cos m\theta_i}, \qquad
// \langle R_m q, R_n k \rangle = \langle R_{m+s}\, q, R_{n+s}\, k \rangle
// ```
//
// In code, pair by pair:
std::vector<double> turned(const std::vector<double>& x, Index position) {
    std::vector<double> y(x.size());
    for (std::size_t a = 0; a < x.size(); a += 2) {
        const double speed = std::pow(base, -double(a) / double(x.size()));
        const double c = std::cos(double(position) * speed),
                     s = std::sin(double(position) * speed);
        y[a] = x[a] * c - x[a + 1] * s;
        y[a + 1] = x[a] * s + x[a + 1] * c;
    }
    return y;
}
//- the score, and what is checked
double score(const std::vector<double>& q, Index m, const std::vector<double>& k,
             Index n) {
    const std::vector<double> a = turned(q, m), b = turned(k, n);
    double total = 0;
    for (std::size_t i = 0; i < a.size(); ++i) total += a[i] * b[i];
    return total;
}

void by_hand() {
    Generator random(book::seed());
    const Index D = 16, far = 500;
    const Tensor table = rotary_table(far, D);
    const Tensor q = random.normal({1, D}), k = random.normal({1, D});
    double apart = 0, longer = 0;
    for (const Index m : {0, 3, 40, 200})
        for (const Index n : {1, 17, 190})
            for (const Index s : {1, 10, 250}) {
                const auto product = [&](Index at_q, Index at_k) {
                    return double(
                        sum(rotary(q, table, at_q) * rotary(k, table, at_k)).item());
                };
                apart =
                    std::max(apart, std::abs(product(m, n) - product(m + s, n + s)));
            }
    // Sixty random vectors at sixty positions.
    const Tensor x = random.normal({60, D});
    const std::vector<Real> before = sum(square(x), {1}).values(),
                            after = sum(square(rotary(x, table, 100)), {1}).values();
    for (std::size_t i = 0; i < before.size(); ++i)
        longer = std::max(
            longer,
            std::abs(std::sqrt(double(after[i])) / std::sqrt(double(before[i])) - 1));
    claim("eq-rope/a", "both positions moved: the largest change of the score", apart,
          "<=", 1e-5);
    claim("eq-rope/b", "the largest relative change of a length", longer, "<=", 1e-6);
    const Tensor small_table = rotary_table(50, 4, base);
    double differ = 0;
    for (const Index m : {0, 1, 9, 40}) {
        const Tensor row({1, 4}, std::vector<Real>(a_query.begin(), a_query.end()));
        const std::vector<Real> library = rotary(row, small_table, m).values();
        const std::vector<double> here = turned(a_query, m);
        for (std::size_t i = 0; i < 4; ++i)
            differ = std::max(differ, std::abs(double(library[i]) - here[i]));
    }
    claim("", "the loop above against the library, largest difference", differ,
          "<=", 1e-5);
}
//-

// Turning is the whole method. It has no parameters, keeps the length of every vector, and costs four multiplications
// for each pair. The values are not turned: where a word stands should steer who reads it, not what they read.
//
// ## Four networks that differ in one thing
//
// We train a small [GPT](mini_gpt.cpp) in four versions. **Learned** positions are vectors that are added to the words,
// one for each of 64 positions. **Sinusoidal** positions are added too, but fixed. **Rotary** positions turn the
// queries and keys of each layer. A **relative bias** adds a learned number to each score, which depends on the
// distance and on the head; distances of 16 and more share one number, similar to T5 {cite:p}`raffel2020`, which groups
// distances in buckets. The first two are **absolute**, the last two are **relative**. Rotary positions go between the
// projection and the attention:
Tensor rotated(const Tensor& qkv, const Tensor& table) {
    const Index D = qkv.size(2) / 3;
    const Tensor q = rotary(slice(qkv, 2, 0, D), table),
                 k = rotary(slice(qkv, 2, D, 2 * D), table);
    return concat({q, k, slice(qkv, 2, 2 * D, 3 * D)}, 2);
}
// and a relative bias is a mask that is added to the scores, looked up by distance:
Tensor bias_mask(const Tensor& by_distance, Index T) {
    const Index most = by_distance.size(0) - 1, heads = by_distance.size(1);
    std::vector<Index> distance;
    for (Index i = 0; i < T; ++i)
        for (Index j = 0; j < T; ++j)
            distance.push_back(std::clamp<Index>(i - j, 0, most));
    const Tensor rows = index_rows(by_distance, Integers({T * T}, distance));
    return reshape(transpose(rows), {1, heads, T, T});
}
//- the four networks
enum class Way { learned, sinusoidal, rotary, relative };
const Names way_names = {"learned", "sinusoidal", "rotary", "relative bias"};
const Index width = 32, heads = 2, layers = 2, tokens = 48, longest = 64, trained = 32,
            far = 16;

struct Network {
    Way way;
    nn::Embedding words;
    Tensor places;                    // (64, width): learned positions
    std::vector<Tensor> by_distance;  // (17, heads) for each layer: relative bias
    std::vector<nn::GptBlock> blocks;
    nn::LayerNorm last;

    Network(Way way, Generator& random)
        : way(way),
          words(tokens, width, random, {.deviation = 1 / std::sqrt(double(width))}),
          last({width}) {
        for (Index i = 0; i < layers; ++i)
            blocks.emplace_back(nn::GptSize{.tokens = tokens,
                                            .time = longest,
                                            .layers = layers,
                                            .width = width,
                                            .heads = heads},
                                random);
        if (way == Way::learned)
            places = random.normal({longest, width}, 0, Real(0.02)).requires_grad_();
        if (way == Way::relative)
            for (Index i = 0; i < layers; ++i)
                by_distance.push_back(zeros({far + 1, heads}).requires_grad_());
    }
    // (batch, time) to scores of the next word, (batch, time, tokens).
    Tensor operator()(const Integers& text) const {
        const Index T = text.size(1);
        Tensor x = words(text) * std::sqrt(double(width));
        if (way == Way::learned) x = x + slice(places, 0, 0, T);
        if (way == Way::sinusoidal) x = x + sinusoidal_positions(T, width);
        const Tensor table = rotary_table(T, width / heads);
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            const nn::GptBlock& b = blocks[i];
            const nn::MultiHeadAttention& layer = b.attention;
            Tensor qkv =
                linear(b.before_attention(x), layer.in_proj_weight, layer.in_proj_bias);
            AttentionOptions how;
            how.causal = true;
            if (way == Way::rotary) qkv = rotated(qkv, table);
            if (way == Way::relative) how.mask = bias_mask(by_distance[i], T);
            const Tensor seen = x + layer.out_proj(self_attention(qkv, heads, how));
            x = seen + b.narrow(b.widen(b.before_perceptron(seen), gelu));
        }
        return linear(last(x), words.weight);
    }
    void visit(auto&& part) {
        part("words", words), part("places", places), part("by_distance", by_distance);
        part("blocks", blocks), part("last", last);
    }
};
//-

// The text consists of made-up English sentences, such as *the old dogs that watch a robot sleep often*. The verb
// agrees with its subject, so a good prediction needs a noun that stands some words back. The networks train on pieces
// of 32 words. Then they read pieces of 64 words, twice as many as ever before. For each version we try three learning
// rates with three draws, and keep the rate with the lowest loss on other pieces of 32 words.
//- the training and the study
const Index batch = 32, looks = 16;
// A piece of the text for each sample; each begins in the middle of a sentence.
std::vector<Index> pieces(Index count, Index length, Generator& random) {
    std::vector<Index> all;
    for (Index n = 0; n < count; ++n) {
        const Index skipped = random.next_integer(0, 12);
        const std::vector<Index> text =
            data::grammar_text(skipped + length + 1, random);
        all.insert(all.end(), text.begin() + skipped, text.end());
    }
    return all;
}
struct Text {
    Integers before, next;  // (batch, time), and the word after each
};
Text text_of(const std::vector<Index>& all, Index length) {
    std::vector<Index> before, next;
    const Index count = std::ssize(all) / (length + 1);
    for (Index n = 0; n < count; ++n)
        for (Index t = 0; t < length; ++t) {
            before.push_back(all[std::size_t(n * (length + 1) + t)]);
            next.push_back(all[std::size_t(n * (length + 1) + t + 1)]);
        }
    return {Integers({count, length}, before), Integers({count * length}, next)};
}
Tensor loss_of(const Network& net, const Text& seen, Reduction how) {
    const Tensor scores = net(seen.before);
    return cross_entropy(reshape(scores, {seen.next.numel(), tokens}), seen.next,
                         {.reduction = how});
}
// The mean loss at each of `length` positions, over the same 400 pieces for all networks.
std::vector<double> by_position(const Network& net, Index length, std::uint64_t seed) {
    const NoGrad only_asking;
    Generator random(seed);
    const Index count = 400;
    const Text held = text_of(pieces(count, length, random), length);
    const std::vector<Real> losses = loss_of(net, held, Reduction::none).values();
    std::vector<double> found(std::size_t(length), 0.0);
    for (Index i = 0; i < std::ssize(losses); ++i)
        found[std::size_t(i % length)] +=
            double(losses[std::size_t(i)]) / double(count);
    return found;
}
double mean_of(const std::vector<double>& numbers) {
    double total = 0;
    for (const double one : numbers) total += one;
    return total / double(numbers.size());
}

// The losses of a trained network: validation at 32, test at 32, test at 64, and the latter in groups of four
// positions.
Study::Row learn(Way way, double rate, Index steps, std::uint64_t draw) {
    Generator random(book::seed() * 100 + draw);
    Generator text = random.split();
    const Network net(way, random);
    optim::Adam adam(nn::parameters(net));
    for (Index step = 0; step < steps; ++step) {
        adam.options.lr =
            optim::warmup_cosine(step, std::min<Index>(30, steps), steps, rate);
        const Text seen = text_of(pieces(batch, trained, text), trained);
        optim::train_step(adam, [&] { return loss_of(net, seen, Reduction::mean); });
    }
    const std::vector<double> chosen = by_position(net, trained, 1001),
                              near = by_position(net, trained, 1002),
                              all = by_position(net, longest, 1002);
    Study::Row found = {mean_of(chosen), mean_of(near), mean_of(all)};
    for (Index look = 0; look < looks; ++look)
        found.push_back(mean_of({all.begin() + 4 * look, all.begin() + 4 * look + 4}));
    return found;
}
const std::vector<double> rates = {0.005, 0.01, 0.02};
const Index study_steps = 500;
std::vector<Study::Row> all_cells() {
    std::vector<Study::Row> cells;
    for (const double way : {0.0, 1.0, 2.0, 3.0})
        for (const double rate : rates)
            for (const double draw : {1.0, 2.0, 3.0})
                cells.push_back({way, rate, draw});
    return cells;
}
Names results() {
    Names names = {"validation", "at 32", "at 64"};
    for (Index look = 0; look < looks; ++look)
        names.push_back(fmt::format("from {}", 4 * look));
    return names;
}
const Study study({"rotary_positions",
                   {"way", "rate", "draw"},
                   results(),
                   {"claim-rope-better/a", "claim-rope-better/b",
                    "claim-rope-better/c"},
                   0.02},
                  all_cells(), [](const Study::Row& cell) {
                      return learn(Way(int(cell[0])), cell[1], study_steps,
                                   std::uint64_t(cell[2]));
                  });
//-

//- what is checked, and how the figure is drawn
// The rows of a version at its best rate, that of the lowest mean validation loss; one row for each draw.
struct Best {
    double rate = 0, validation = HUGE_VAL;
    std::vector<Study::Row> rows;
};
Best best_of(Way way) {
    Best best;
    for (const double rate : rates) {
        std::vector<Study::Row> rows;
        double total = 0;
        for (const Study::Row& row : study.frozen().rows)
            if (row[0] == double(int(way)) && row[1] == rate)
                rows.push_back(row), total += row[3] / 3;
        if (total < best.validation) best = {rate, total, rows};
    }
    return best;
}

void compared() {
    const std::array<Way, 4> ways = {Way::learned, Way::sinusoidal, Way::rotary,
                                     Way::relative};
    std::array<std::vector<double>, 4> near, rise;
    std::array<std::vector<std::vector<double>>, 4> curves;
    std::vector<std::vector<book::Cell>> rows;
    for (std::size_t w = 0; w < 4; ++w) {
        std::vector<double> all;
        const Best best = best_of(ways[w]);
        for (const Study::Row& row : best.rows) {
            near[w].push_back(row[4]), all.push_back(row[5]);
            rise[w].push_back(row[5] - row[4]);
            curves[w].emplace_back(row.begin() + 6, row.begin() + 6 + looks);
        }
        rows.push_back({way_names[w], best.rate,
                        std::round(1e4 * book::median(near[w])) / 1e4,
                        std::round(1e4 * book::median(all)) / 1e4,
                        std::round(1e4 * book::median(rise[w])) / 1e4});
    }
    const double rise_of_rotary = book::median(rise[2]),
                 rise_of_learned = book::median(rise[0]);
    ask("Rotary positions have no table that could end, and their scores depend on "
        "distances alone. The network has trained on pieces of 32 words. What happens "
        "to "
        "its mean loss on pieces of 64 words?",
        {{"It falls: the later words have more text before them.", rise_of_rotary < 0,
          "More text would help, if the network could read it. But distances from 32 "
          "on "
          "never occurred in training."},
         {"It rises, but less than with learned positions.",
          rise_of_rotary >= 0 && rise_of_rotary < rise_of_learned,
          "Each distance from 32 on is an angle that the slow pairs never had in "
          "training. Near words keep their distances, though, and they matter most."},
         {"It rises as much as with learned positions.",
          rise_of_rotary >= rise_of_learned,
          "Learned positions meet vectors that were never trained, at every word from "
          "33 "
          "on. With rotary positions near words keep the distances of the training."}});
    book::table(
        "rope-losses",
        "Loss in nats for each word, at the length of the training and at twice that "
        "length: medians of three draws, each version at its best learning rate. The "
        "relative "
        "bias does not rise, so its ratio to learned positions is taken to the floor "
        "of "
        "0.01.",
        {"positions", "rate", "32 words", "64 words", "rise"}, rows);
    book::shows("claim-rope-better/c", "rope-losses");
    std::vector<double> at;
    for (Index look = 0; look < looks; ++look) at.push_back(4 * double(look) + 2.5);
    Figure figure("fig-rope-lengths");
    figure.describe(
        "The loss against the position in a piece of 64 words, three lines for each of "
        "four kinds of positions. Up to word 32 all are close together. Beyond it, "
        "those "
        "of learned and sinusoidal positions jump, those of rotary positions climb, "
        "and "
        "those of the relative bias stay.");
    const figure::Color colors[] = {figure::red, figure::ochre, figure::blue,
                                    figure::green};
    for (std::size_t w = 0; w < 4; ++w)
        figure.lines(way_names[w], at, curves[w], {.color = colors[w]});
    figure.rule_x(32.5, "end of the training pieces")
        .x("position of the word")
        .y("loss, nats")
        .save(
            "The loss of the next word against the position of the word that was read "
            "last, in means of four positions, for three trainings of each kind. Left "
            "of the rule "
            "are positions that the training had.");
    std::vector<double> lead, ratio;
    for (std::size_t draw = 0; draw < near[0].size(); ++draw) {
        lead.push_back(near[2][draw] - near[0][draw]);
        ratio.push_back(rise[0][draw] / std::max(rise[3][draw], 0.01));
    }
    claim("claim-rope-better/a",
          "loss at 32 words, rotary less learned positions, in nats", over_seeds(lead),
          "<=", 0);
    claim("claim-rope-better/b",
          "rise of the loss with learned positions over that with a relative bias, "
          "where a rise below 0.01 counts as 0.01, as in all draws here",
          over_seeds(ratio), ">=", 2);
}

void again() {
    const Best best = best_of(Way::rotary);
    const Study::Row found = learn(Way::rotary, best.rate, passes(), 1);
    say("one training again: loss {:.3f} at 32 words, {:.3f} at 64", found[1],
        found[2]);
    claim("", "rotary, first draw, against the stored training: difference of the loss",
          std::abs(found[1] - best.rows[0][4]), "<=", 0.01);
}
//-

// ## What the lengths show
//
// At 32 words the versions are close. Rotary positions have a loss between 1.957 and 1.963 nats in three draws, learned
// positions between 1.973 and 1.993, and the relative bias is as good as the rotation. So both relative encodings win
// at the length of the training, by about 0.02 nats. A loss of 1.96 is that of a fair choice among $e^{1.96} = 7.1$
// words.
//
// At 64 words the versions part, and {numref}`fig-rope-lengths` shows where. With learned positions the loss jumps at
// word 33, from 2.0 to more than 3 nats: the vectors from there on were never trained. Sinusoidal positions fail almost
// as suddenly. They exist for every position, but the network has never seen those combinations of hands. With rotary
// positions the loss rises too, and this is the surprise. It stays low for a few words, since near words still stand at
// known distances. Then words at distances beyond 32 join in with angles that no training step has corrected, and at
// word 64 the network is as bad as with learned positions. Only the relative bias loses nothing. All distances from 16
// on share one number, so a longer text brings no new distance, and the mean loss even falls by 0.014 because the
// costly first words are a smaller share. So the ratio of about 60 in the check is that of the floor: the rise with
// learned positions, divided by 0.01.
//
void page() {
    dials();
    by_hand();
    compared();
    again();
}

// ## Limits and origins
//
// These are small networks that trained for 500 steps on a made-up grammar, and the differences at 32 words are small.
// The best rate is 0.01 for the absolute versions and 0.02, the largest that we tried, for the relative ones.
// {cite:t}`shaw2018` were the first to put relative positions into the scores of a Transformer. {cite:t}`su2021`
// proposed rotary positions. {cite:t}`press2022` showed that sinusoidal and rotary positions lose at lengths beyond the
// training and that a fixed bias by distance does not. Networks with rotary positions can be extended afterwards:
// {cite:t}`chen2023positions` slow all pairs down, so that the new distances turn by angles that the training had, and
// train a little further.
//
// ## Summary
//
// Rotary positions turn each pair of numbers of queries and keys by an angle in proportion to the position, so a score
// depends on the distance alone. In our comparison both relative encodings predict better than learned positions at the
// length of the training, and lose less at twice that length. A rotation can be computed for any position, but a
// network has learned only the distances of its training.
//
// ## What is missing
//
// A longer text also costs more: attention compares all pairs of words. [The next page](efficient_attention.cpp) leaves
// most pairs out.
//
// ```{try}
// - Distance 0 and distance 1: `--query 9 --key 9` and `--query 9 --key 8`. Which of the two pairs changes the score more?
// - A longer training of the rotary network: `--steps 2000`. Does its loss at 64 words fall below that at 32 words?
// ```
