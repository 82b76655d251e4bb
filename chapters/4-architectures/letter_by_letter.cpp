// # Generation: a word, letter by letter
//
// ```{rows} sys-gpt
// ```
//
// A [GPT](mini_gpt.cpp) predicts the next letter as a list of probabilities. To write, it draws a letter from them, reads
// it, and predicts again. {numref}`fig-next-letter` shows a small GPT that continues the beginning of a word. Move the slider
// along the word. The bars are the probabilities of the next letter, and the squares show how much attention each letter so
// far gets from each head of the first layer. Type a beginning of your own under *Change and run*: `--prompt`. How much of
// English spelling does a network know that has only ever seen a list of words?
//
// ```{opening} fig-next-letter
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/model.hpp>
#include <recto/book/page.hpp>
#include <recto/book/table.hpp>
#include <recto/core/random.hpp>
#include <recto/data/words.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/attention_weights.hpp>
#include <recto/nn/gpt.hpp>
#include <recto/nn/module.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>
#include <recto/text/generate.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say;
using figure::Figure, figure::Names;

const book::Option<std::string> start("prompt", "un",
                                      "beginning of a word, at most 11 letters");
const book::Option<double> temperature("temperature", 0.5,
                                       "of the letters that are drawn",
                                       {.least = 0, .most = 10});
//-

// ## What the network has read
//
// The network was trained on a list of 196,185 English words, less 6,000 that were set aside. A word is a sequence that
// begins and ends with a dot. At each position, the network predicts the symbol that follows. For *at* these are three
// predictions: *a* after the dot, *t* after the dot and *a*, and a dot after all three.
//- words as sequences
constexpr Index length = 13, held_words = 6000, none = -1;
const nn::GptSize size{
    .tokens = 27, .time = length, .layers = 3, .width = 64, .heads = 4};
// All words, in a random order. The first ones are held out.
const std::vector<std::string>& shuffled() {
    static const std::vector<std::string> list = [] {
        Generator random(2);
        return data::sample(data::words(), std::ssize(data::words()), random);
    }();
    return list;
}
struct Words {
    Integers before, next;  // (words, length): dots, or none, behind the end
};
Words spelled(std::span<const std::string> some) {
    std::vector<Index> before, next;
    for (const std::string& word : some) {
        std::vector<Index> letters = data::symbols(word);
        letters.insert(letters.begin(), 0);
        letters.push_back(0);
        for (std::size_t t = 0; t < std::size_t(length); ++t) {
            before.push_back(t + 1 < letters.size() ? letters[t] : 0);
            next.push_back(t + 1 < letters.size() ? letters[t + 1] : none);
        }
    }
    return {Integers({std::ssize(some), length}, before),
            Integers({std::ssize(some) * length}, next)};
}
Tensor loss_of(const nn::Gpt& net, const Words& words) {
    const Tensor scores = net(words.before);
    return cross_entropy(reshape(scores, {words.next.numel(), size.tokens}), words.next,
                         {.ignored = none});
}
//-
//- the training, whose network is kept
struct Training {
    static constexpr Index last = 6000;  // steps
    Generator random{book::seed()};
    nn::Gpt net{size, random};
    optim::AdamW adam{nn::parameters(net)};
    Index steps = 0;
    void step() {
        adam.options.lr =
            0.004 * std::min(double(steps + 1) / 100, 1 - double(steps) / double(last));
        std::vector<std::string> batch;
        for (int i = 0; i < 64; ++i)
            batch.push_back(shuffled()[std::size_t(
                random.next_integer(held_words, std::ssize(shuffled())))]);
        const Words words = spelled(batch);
        optim::train_step(adam, [&] { return loss_of(net, words); });
        ++steps;
    }
    // The mean loss of a prediction in the words that were set aside.
    double judge() const {
        const NoGrad only_asking;
        const std::span<const std::string> held(shuffled().data(),
                                                std::size_t(held_words));
        double sum = 0, count = 0;
        for (std::size_t i = 0; i < held.size(); i += 500) {
            const Words words = spelled(held.subspan(i, 500));
            const auto valid = double(std::ranges::count_if(
                words.next.values(), [](Index n) { return n != none; }));
            sum += valid * double(loss_of(net, words).item());
            count += valid;
        }
        return sum / count;
    }
    void visit(auto&& part) {
        part("random", random), part("net", net), part("adam", adam);
        part("steps", steps);
    }
};
const book::Model<Training> frozen({"word_gpt", "loss on held-out words"});
//-

// ## A word has a probability
//
// A word is as probable as all its letters together. Suppose the network gives *a* a probability of 0.06 at the beginning
// of a word, *t* one of 0.05 after *a*, and the end one of 0.02 after *at*. Then it gives the word *at* the probability
// $0.06 \cdot 0.05 \cdot 0.02 = 0.00006$, or one word in 17,000. For a word with the letters $w_1, \dots, w_L$ and the dot
// $w_{L+1}$ behind them,
//
// $$ p(w) = \prod_{t=1}^{L+1} p(w_t \mid w_1, \dots, w_{t-1}) . $$
//
// The training makes the probabilities of the words in the list large, which is the same as making the mean of
// $-\log p(w_t \mid w_1, \dots, w_{t-1})$ small. This mean is the loss.
std::vector<Real> scores_after(const nn::Gpt& net, std::span<const Index> before) {
    const NoGrad only_asking;
    const Index T = std::ssize(before);
    const Integers tokens({1, T}, std::vector<Index>(before.begin(), before.end()));
    return select(net(tokens), 1, T - 1).values();
}
//- the probability of each letter, and of a word
std::vector<Real> after(const nn::Gpt& net, const std::string& beginning) {
    std::vector<Index> before = data::symbols(beginning);
    before.insert(before.begin(), 0);
    return text::chances(scores_after(net, before));
}
double probability(const nn::Gpt& net, const std::string& word) {
    double p = 1;
    for (std::size_t t = 0; t <= word.size(); ++t) {
        const Index next = t < word.size() ? data::symbol(word[t]) : 0;
        p *= double(after(net, word.substr(0, t))[std::size_t(next)]);
    }
    return p;
}
void words_and_letters(const nn::Gpt& net) {
    const std::string word = *std::ranges::find_if(
        shuffled(), [](const std::string& one) { return one.size() == 6; });
    std::string reversed(word.rbegin(), word.rend()), sorted = word;
    std::ranges::sort(sorted);
    std::vector<std::vector<book::Cell>> rows;
    for (const std::string& one : {word, reversed, sorted})
        rows.push_back({one, fmt::format("{:.1e}", probability(net, one))});
    book::table("word-probabilities",
                "A word that was set aside, the same letters backwards, and in the "
                "order of the alphabet.",
                {"letters", "probability"}, rows);
    claim("", "probability of the word over that of its letters backwards",
          probability(net, word) / probability(net, reversed), ">=", 10);
    const double u = double(after(net, "q")[std::size_t(data::symbol('u'))]);
    ask("After *q* at the beginning of a word, how probable is *u* for the network?",
        {{"About 1/27: it knows no rules.", u < 0.2,
          "No rule was written down, but almost every word with *q* in the list shows "
          "it."},
         {"About one half.", u >= 0.2 && u < 0.9,
          "Almost every word of the list that begins with *q* goes on with *u*."},
         {"More than 0.9.", u >= 0.9,
          "Almost every word of the list that begins with *q* goes on with *u*, and "
          "the network has learned it without a rule."}});
    say("u after q: {:.3f}", u);
}
//-

// ## Where do the heads look?
//
// The network has three layers with four heads each. {numref}`fig-next-letter` shows those of the first layer. Single words say
// little, so {numref}`fig-looks` takes the mean over words that were set aside: how much of its attention does each head
// give to the last letter so far, to the one before, and so on?
//- the weights of attention, and the two figures about them
// Of each layer, (batch, heads, time, time).
std::vector<Tensor> looks(const nn::Gpt& net, const Integers& tokens) {
    const NoGrad only_asking;
    const Index T = tokens.size(1);
    Tensor x = net.words(tokens) + slice(net.places.weight, 0, 0, T);
    std::vector<Tensor> all;
    for (const nn::GptBlock& block : net.blocks) {
        const Tensor normal = block.before_attention(x);
        all.push_back(
            nn::attention_weights(block.attention, normal, normal, {.causal = true}));
        x = block(x, {.causal = true});
    }
    return all;
}
std::string shown(std::span<const Index> symbols) {
    std::string word;
    for (const Index one : symbols) word += data::alphabet[std::size_t(one)];
    return word;
}
void draw_word(const nn::Gpt& net) {
    check(start().size() < std::size_t(length - 1),
          "--prompt: wanted at most {} letters, got {}", length - 2, start().size());
    std::vector<Index> word = data::symbols(start());
    word.insert(word.begin(), 0);
    const std::size_t given = word.size();
    Generator random(book::seed());
    for (const Index letter : text::generate(
             [&](std::span<const Index> before) { return scores_after(net, before); },
             word, random,
             {.temperature = temperature(),
             .stop = 0,
             .most = length + 1 - std::ssize(word)}))
        word.push_back(letter);
    say("{} + {}", shown({word.data() + 1, given - 1}),
        shown({word.data() + given, word.size() - given}));
    Names letters, heads;
    for (const char one : data::alphabet) letters.emplace_back(1, one);
    for (Index head = 1; head <= size.heads; ++head)
        heads.push_back(fmt::format("head {}", head));
    std::vector<double> stops;
    for (std::size_t t = 1; t < word.size(); ++t) stops.push_back(double(t));
    Figure figure("fig-next-letter");
    figure
        .describe(
            "Left, bars for the probabilities of the 27 symbols that may follow the "
            "word "
            "so far, which stands above them. The one that was drawn is red. Right, a "
            "row "
            "of squares for each of four heads, brighter where a letter gets more "
            "attention. A slider moves along the word.")
        .slider("letters", stops, "symbols read", double(given));
    figure.panel("probability of the next symbol, %");
    const Index read = std::ssize(word) - 1;  // the last symbol is not read
    const Tensor weights =
        looks(net, Integers({1, read}, {word.begin(), word.end() - 1})).front();
    for (std::size_t t = 1; t < word.size(); ++t) {
        const std::vector<Real> p = text::chances(scores_after(net, {word.data(), t}),
                                                  {.temperature = temperature()});
        std::vector<double> others, drawn(p.size(), 0);
        for (const Real one : p) others.push_back(100 * double(one));
        std::swap(others[std::size_t(word[t])], drawn[std::size_t(word[t])]);
        figure.at(double(t))
            .bars("not drawn", letters, others, {.color = figure::blue})
            .bars("drawn", letters, drawn, {.color = figure::red})
            .rule_y(100, shown({word.data() + 1, t - 1}) + "…");
    }
    figure.always().ylim(0, 110).panel("attention of the first layer");
    for (std::size_t t = 1; t < word.size(); ++t) {
        Names places;
        for (std::size_t i = 0; i < t; ++i)
            places.push_back(
                fmt::format("{} {}", i + 1, data::alphabet[std::size_t(word[i])]));
        const std::vector<Real> row =
            slice(select(weights, 2, std::int64_t(t) - 1), 2, 0, Index(t)).values();
        figure.at(double(t)).heatmap("", places, heads,
                                     std::vector<double>(row.begin(), row.end()), 0, 1);
    }
    figure.always().save(fmt::format(
        "A GPT continues *{}* at the temperature {}. The red symbol is the one that "
        "was "
        "drawn; a dot ends the word. Brighter squares: more attention to this symbol.",
        start(), temperature()));
}
void draw_looks(const nn::Gpt& net) {
    constexpr Index back = 6;
    // Words of at least six letters, so that there is something at every distance.
    std::vector<Index> text;
    for (const std::string& word :
         std::span(shuffled()).first(std::size_t(held_words))) {
        if (std::ssize(word) < back) continue;
        text.push_back(0);
        const std::vector<Index> letters =
            data::symbols(word.substr(0, std::size_t(back)));
        text.insert(text.end(), letters.begin(), letters.end());
    }
    const Index T = back + 1, count = std::ssize(text) / T;
    const std::vector<Tensor> all = looks(net, Integers({count, T}, text));
    Names distances = {"itself"}, rows;
    for (Index d = 1; d < back; ++d) distances.push_back(fmt::format("{} before", d));
    distances.emplace_back("the dot");
    std::vector<double> shares;
    std::vector<double> near;  // itself, the letter before, and the dot
    for (std::size_t layer = 0; layer < all.size(); ++layer)
        for (Index head = 0; head < size.heads; ++head) {
            rows.push_back(fmt::format("layer {}, head {}", layer + 1, head + 1));
            const std::vector<Real> row =
                mean(select(select(all[layer], 2, T - 1), 1, head), {0}).values();
            for (Index d = 0; d < T; ++d)
                shares.push_back(double(row[std::size_t(T - 1 - d)]));
            near.push_back(
                double(row[std::size_t(T - 1)] + row[std::size_t(T - 2)] + row[0]));
        }
    Figure("fig-looks")
        .describe(
            "A table of squares, a row for each of twelve heads. Some heads look "
            "mostly "
            "at one distance, others at several.")
        .heatmap("attention", distances, rows, shares, 0, 1)
        .height(360)
        .save(fmt::format("Attention of the sixth letter of {} words that were set "
                          "aside, by the distance "
                          "of what it looks at: the mean of each head.",
                          count));
    const auto first = near.begin() + size.heads;
    claim("",
          "attention to the letter itself, the one before and the dot, together: the "
          "least of a head in the first layer",
          *std::min_element(near.begin(), first), ">=", 0.8);
    say("the most of a head in the other layers: {:.2f}",
        *std::max_element(first, near.end()));
}
//-
// In the first layer each head has a place where it looks most: the letter itself, the one before, or the dot at the
// beginning. Together these three get nearly all of the attention, so this layer puts pairs of neighbours together. The
// heads of the other two layers give less to these three. Perhaps they need not look for a neighbour any more, since what
// they read at each position is already a mixture with its neighbours; this page does not test it.
//
// ## Which words does it write?
//
// The temperature decides how bold the writing is. At 0 the most probable letter is always taken, at 1 the probabilities
// are used as they are, and above 1 they become more equal ({cpp:func}`~recto::text::chances`). Place a bet before you
// read the table:
//- words at three temperatures
struct Written {
    double real = 0, cut = 0, letters = 0;  // shares, and letters of a word
    std::set<std::string> beginnings;       // three letters
    std::string first;                      // a few words
};
Written written(const nn::Gpt& net, double heat, std::uint64_t seed) {
    static const std::set<std::string> list(data::words().begin(), data::words().end());
    Generator random(seed);
    constexpr int count = 500;
    Written all;
    for (int i = 0; i < count; ++i) {
        std::vector<Index> letters = text::generate(
            [&](std::span<const Index> before) { return scores_after(net, before); },
            {0}, random, {.temperature = heat, .stop = 0, .most = length});
        const bool ended = letters.back() == 0;
        if (ended) letters.pop_back();
        const std::string word = shown(letters);
        all.real += double(ended && list.contains(word)) / count;
        all.cut += double(!ended) / count;
        all.letters += double(word.size()) / count;
        all.beginnings.insert(word.substr(0, 3));
        if (i < 5) all.first += (i == 0 ? "" : ", ") + word + (ended ? "" : "…");
    }
    return all;
}
void write_words(const nn::Gpt& net) {
    const std::vector<double> heats = {0.5, 1, 2};
    std::vector<std::vector<double>> real(heats.size());
    std::vector<double> variety;
    std::vector<std::vector<book::Cell>> rows;
    for (std::size_t h = 0; h < heats.size(); ++h)
        for (const std::uint64_t draw : {1, 2, 3}) {
            const Written all = written(net, heats[h], 1000 * draw + book::seed());
            real[h].push_back(all.real);
            if (draw > 1) continue;
            rows.push_back({fmt::format("{}", heats[h]),
                            fmt::format("{:.1f} %", 100 * all.real),
                            fmt::format("{:.1f} %", 100 * all.cut),
                            fmt::format("{:.1f}", all.letters),
                            double(all.beginnings.size()), all.first});
            variety.push_back(double(all.beginnings.size()));
        }
    const double usual = book::median(real[1]);
    ask("How many of the words that it writes at the temperature 1 stand in the list?",
        {{"Nearly all: it has learned the list by heart.", usual >= 0.8,
          "It has fewer parameters than there are words, and has seen each word about "
          "twice."},
         {"About one half.", usual >= 0.1 && usual < 0.8,
          "It has learned how words are built. But a word has eight or nine letters, "
          "and each of them may be another one."},
         {"Less than one in ten.", usual < 0.1,
          "It has learned how words are built, and builds others. Most of them could "
          "be "
          "English, and are not."}});
    book::table("temperatures", "500 words at each of three temperatures.",
                {"temperature", "in the list", "without an end", "letters",
                 "different beginnings of three letters", "the first words"},
                rows);
    std::vector<double> gain;
    for (std::size_t d = 0; d < 3; ++d) gain.push_back(real[0][d] - real[2][d]);
    claim("", "share of words that stand in the list: temperature 0.5 less 2",
          over_seeds(gain), ">=", 0.05);
    claim("", "different beginnings of three letters: temperature 2 over 0.5",
          variety[2] / variety[0], ">=", 1.5);
}
//-
// At a low temperature more of the words are real, and more of them begin alike. At a high one the beginnings vary, and the
// letters fit together less well. None of the three gives both. A word of more than twelve letters has no room for its
// end.
//
// ## Limits and history
//
// The network sees letters and nothing else. It does not know what a word means, and it has no way to look a word up. What
// its heads look at is an observation and not an explanation. Later layers read a mixture of letters, and a letter may
// count without attention to it; {cite:t}`jain2019` found quite different attention with the same predictions. One training
// is shown, with one seed.
//
// To predict text letter by letter, and to draw from the prediction, is as old as information theory.
// {cite:t}`shannon1948` made sentences with the frequencies of pairs and triples of letters, by hand and with a book for a
// table. {cite:t}`bengio2003` trained the first large networks for words. Today's models draw tokens that are longer than
// letters, and they often leave out the least probable ones: at every step many improbable tokens together have a
// considerable probability, and one of them can spoil the text {cite:p}`holtzman2020`.
//
// The weights are a [frozen model](../applications/detector.cpp), trained once and kept, and the page loads them. So your
// browser can continue a word without a training.
//
// ## What to remember
//
// A language model gives a probability to each next symbol, and the product of these is the probability of a text. To
// write is to draw from them, symbol by symbol. The temperature decides between usual and varied. What the network knows
// of spelling it has learned by predicting the next letter.
//
// ## What is missing
//
// Letters are short steps. Larger models read [pieces of words](../foundations/vocabulary.cpp), and with longer contexts
// they [write texts](../applications/text_generation.cpp). The network also knows each position by a vector of its own, and
// [the next page](rotary_positions.cpp) asks what happens beyond them.
//
// ```{try}
// - Another beginning: `--prompt micro`, or `--prompt zz`, which begins no English word.
// - Always the most probable letter: `--temperature 0`. Which word do you get from an empty `--prompt ""`?
// ```

void page() {
    Training training;
    frozen.load(training.net);
    const nn::Gpt& net = training.net;
    draw_word(net);
    const double loss = training.judge();
    say("parameters: {}", nn::count(net));
    say("the loss on words that were set aside: {:.2f} nats a symbol", loss);
    claim("",
          "the loss on words that were set aside, less that at the end of the training",
          std::abs(loss - frozen.kept()), "<=", 1e-3);
    words_and_letters(net);
    draw_looks(net);
    write_words(net);
}
