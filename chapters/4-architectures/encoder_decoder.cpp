// # Encoder and decoder: a Transformer that translates
//
// ```{rows} sys-transformer fig-5.7 claim-decoder-depends-on-all-source
// ```
//
// German says *siebenundneunzig*, "seven and ninety", for the English *ninety seven*: three words become two, and they
// change places. How can a network write one sequence while it reads another of another length? The first Transformer
// {cite:p}`vaswani2017` has two halves. An **encoder** reads the source. A **decoder** writes the target, word by word,
// and looks back at the source by **cross-attention**. {numref}`fig-cross-map` shows a small translator of numbers:
// each row is an English word that it is about to write, and bright cells are the German words that it looks at. Drag
// the slider through its training. When do the words change places?
//
// ```{opening} fig-cross-map
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/diagram.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/layers.hpp>
#include <recto/nn/as_one.hpp>
#include <recto/nn/attention_weights.hpp>
#include <recto/nn/encoder_decoder.hpp>
#include <recto/nn/influence.hpp>
#include <recto/nn/model_tape.hpp>
#include <recto/nn/module.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>
#include <recto/optim/schedule.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say,
    book::Study;
using figure::Figure, figure::Names;

const book::Option<Index> number("number", 40'297, "the number whose map is drawn",
                                 {.least = 1, .most = 999'999});
const book::Option<Index> changed_source("german", 8, "the German word that is changed",
                                         {.least = 1, .most = 8});
const book::Option<Index> changed_target("english", 4,
                                         "the English word that is changed",
                                         {.least = 1, .most = 8});
const book::Option<Index> passes("steps", 600, "steps of the training",
                                 {.quick = 20, .least = 5, .most = 100'000});
const book::Option<bool> build("build", true, "whether the base model is built, 328 MB",
                               {.quick = false});
//-

//- the two languages, in which token 0 is the end
const Names german = {
    "",         "ein",      "zwei",     "drei",     "vier",     "fünf",     "sechs",
    "sieben",   "acht",     "neun",     "zehn",     "elf",      "zwölf",    "dreizehn",
    "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn", "zwanzig",
    "dreißig",  "vierzig",  "fünfzig",  "sechzig",  "siebzig",  "achtzig",  "neunzig",
    "hundert",  "tausend",  "und",      "eins"};
const Names english = {"end",     "one",     "two",       "three",    "four",
                       "five",    "six",     "seven",     "eight",    "nine",
                       "ten",     "eleven",  "twelve",    "thirteen", "fourteen",
                       "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
                       "twenty",  "thirty",  "forty",     "fifty",    "sixty",
                       "seventy", "eighty",  "ninety",    "hundred",  "thousand"};
const Index longest_source = 11, longest_target = 10, end_token = 0;
const Index hundred = 28, thousand = 29, und = 30, eins = 31;  // 1 to 19 are themselves
const auto tens = [](Index digit) { return 18 + digit; };      // 20, 30, ...

void german_below_thousand(Index n, bool last, std::vector<Index>& words) {
    if (n >= 100) words.push_back(n / 100), words.push_back(hundred);
    const Index rest = n % 100, one = rest % 10;
    if (rest >= 20) {
        if (one > 0) words.push_back(one), words.push_back(und);
        words.push_back(tens(rest / 10));
    } else if (rest > 0) {
        words.push_back(rest == 1 && last ? eins : rest);
    }
}
std::vector<Index> german_of(Index n) {
    std::vector<Index> words;
    if (n >= 1000)
        german_below_thousand(n / 1000, false, words), words.push_back(thousand);
    german_below_thousand(n % 1000, true, words);
    return words;
}
void english_below_thousand(Index n, std::vector<Index>& words) {
    if (n >= 100) words.push_back(n / 100), words.push_back(hundred);
    const Index rest = n % 100, one = rest % 10;
    if (rest >= 20) words.push_back(tens(rest / 10));
    if (rest >= 20 ? one > 0 : rest > 0) words.push_back(rest >= 20 ? one : rest);
}
std::vector<Index> english_of(Index n) {
    std::vector<Index> words;
    if (n >= 1000) english_below_thousand(n / 1000, words), words.push_back(thousand);
    english_below_thousand(n % 1000, words);
    words.push_back(end_token);
    return words;
}
std::string text_of(const std::vector<Index>& words, const Names& language) {
    std::string text;
    for (const Index word : words)
        if (word != end_token)
            text += (text.empty() ? "" : " ") + language[std::size_t(word)];
    return text;
}
//-

// ## Read everything, then write
//
// A word is a token here, and *siebenundneunzig* is the source *sieben*, *und*, *neunzig*, so $T = 3$. The target is
// *ninety*, *seven* and a mark for the end, so $S = 3$. The encoder is a stack of self-attention and feed-forward
// [blocks](transformer_blocks.cpp) without a mask. It returns a vector for each German word, the **memory**
// $Z_1, \dots, Z_T$. The decoder is a stack too. Its self-attention is causal: it reads what has been written so far.
// Then a cross-attention block reads the memory: its queries come from the decoder, its keys and values from $Z$.
// Suppose that the query for the first English word meets the keys of *sieben*, *und* and *neunzig* with the scores 1,
// 0 and 4.
// The softmax makes them the weights 0.05, 0.02 and 0.94. So the decoder receives little else than the value of
// *neunzig*, and writes *ninety*. The next query may ask for the word before *und*.
//
// A layer of the decoder reads the memory between its two other blocks:
//
// ```{excerpt} recto/nn/encoder_decoder.cpp DecoderBlock::operator()
// ```
//
// The encoder runs once and the decoder once for each word that is written. {numref}`fig-5.7` draws a network of two
// layers from a run. All cross-attention blocks read the same $Z$.
//- how the diagram is drawn, and what is checked
nn::EncoderDecoderSize small() {
    return {.source_tokens = std::ssize(german),
            .target_tokens = std::ssize(english),
            .source_time = longest_source,
            .target_time = longest_target,
            .layers = 2,
            .width = 32,
            .hidden = 128,
            .heads = 4};
}

// Blocks as functions of one sequence, so that the tape shows each as one operation.
struct Masked {
    nn::SelfAttentionBlock block;
    Tensor operator()(const Tensor& y) const { return block(y, {.causal = true}); }
    void visit(auto&& part) { part("block", block); }
};
struct Asking {
    nn::CrossAttentionBlock block;
    Tensor memory;
    Tensor operator()(const Tensor& y) const { return block(y, memory); }
    void visit(auto&& part) { part("block", block), part("memory", memory); }
};

// The network, with each block as one operation of its own name.
struct Outline {
    nn::EncoderDecoder net;
    Integers before;
    Tensor operator()(const Integers& source) const {
        const char* const names[2][5] = {
            {"self-attention 1", "feed-forward 1", "causal self-attention 1",
             "cross-attention 1", "feed-forward 3"},
            {"self-attention 2", "feed-forward 2", "causal self-attention 2",
             "cross-attention 2", "feed-forward 4"}};
        Tensor z = net.source_places(net.source_words(source));
        for (std::size_t i = 0; i < 2; ++i) {
            z = nn::as_one(names[i][0], net.encoder[i].mix, z);
            z = nn::as_one(names[i][1], net.encoder[i].think, z);
        }
        Tensor y = net.target_places(net.target_words(before));
        for (std::size_t i = 0; i < 2; ++i) {
            y = nn::as_one(names[i][2], Masked{net.decoder[i].mix}, y);
            y = nn::as_one(names[i][3], Asking{net.decoder[i].read, z}, y);
            y = nn::as_one(names[i][4], net.decoder[i].think, y);
        }
        return linear(net.last(y), net.target_words.weight);
    }
    void visit(auto&& part) { part("net", net); }
};

void diagram() {
    Generator random(book::seed());
    const nn::EncoderDecoder net(small(), random);
    const Index T = 7, S = 9;  // unlike all other sizes
    const Integers source = random.integers({1, T}, 1, std::ssize(german)),
                   before = random.integers({1, S}, 0, std::ssize(english));
    const Outline outline{net, before};
    {
        const NoGrad only_asking;
        claim("", "the drawn network against the library's, largest difference",
              max(abs(outline(source) - net(source, before))).item(), "<=", 1e-5);
    }
    const figure::LayerColumn column =
        figure::layer_column(nn::tape_of(outline, source));
    const auto letters = [&](const Shape& shape) {
        return fmt::format("{} × {}", shape[0] == T ? "T" : "S",
                           shape[1] == std::ssize(english) ? "V" : "D");
    };
    figure::Diagram drawn("fig-5.7");
    drawn.describe(
        "Two columns of boxes. The encoder leads from the source through an embedding, "
        "positions and twice self-attention and feed-forward to Z. The decoder leads "
        "from the target through an embedding, positions and twice causal "
        "self-attention, cross-attention and feed-forward to scores. Z has arrows to "
        "both cross-attention blocks.");
    drawn.node("source", "source X, T words", figure::Box::plain)
        .node("target", "target Y, S − 1 words\nafter a mark", figure::Box::plain)
        .node("Z", "Z", figure::Box::plain);
    std::vector<std::string> reading, writing;
    const auto id = [](Index box) { return std::to_string(box); };
    Index encoded = -1, asking = 0;  // the encoder's last box; blocks that read it
    bool decoding = false;
    for (std::size_t i = 0; i < column.boxes.size(); ++i) {
        const figure::LayerBox& box = column.boxes[i];
        const bool numbered = box.words.back() >= '1' && box.words.back() <= '9';
        const std::string name = box.words == "index_rows"   ? "embedding"
                                 : box.words == "slice"      ? "positions"
                                 : box.words == "add"        ? "+"
                                 : box.words == "layer_norm" ? "layer norm"
                                 : numbered ? box.words.substr(0, box.words.size() - 2)
                                            : box.words;
        if (box.words == "index_rows" && i > 0) decoding = true;
        drawn.node(id(Index(i)), name, figure::Box::round,
                   name == "cross-attention" ? figure::red
                   : box.complex             ? figure::blue
                                             : figure::grey);
        (decoding ? writing : reading).push_back(id(Index(i)));
        if (box.words == "index_rows")
            drawn.edge(decoding ? "target" : "source", id(Index(i)));
        std::vector<Index> from = box.inputs;
        std::ranges::sort(from);
        for (const Index one : from) {
            const bool from_encoder = decoding && one == encoded;
            asking += from_encoder && name == "cross-attention";
            drawn.edge(from_encoder ? "Z" : id(one), id(Index(i)));
        }
        if (box.words == "feed-forward 2") {
            encoded = Index(i);
            drawn.edge(id(encoded), "Z", letters(box.result));
        }
    }
    const Index last = Index(column.boxes.size()) - 1;
    drawn.node("scores", "scores", figure::Box::plain)
        .edge(id(last), "scores", letters(column.boxes.back().result))
        .group("encoder", reading)
        .group("decoder", writing)
        .save(
            "The first Transformer, after *The Little Book of Deep Learning* "
            "{cite:p}`fleuret2023`, drawn from a copy of the network in which each "
            "block "
            "is one operation. The copy ran and gave the same scores. The scores are "
            "products with the embeddings of the $V$ target words.");
    book::shows("fig-5.7/a", "fig-5.7");
    claim("fig-5.7/b", "cross-attention blocks of two that read the encoder's output",
          asking, "==", 2);
    claim("", "parameters that the boxes miss", nn::count(net) - column.parameters,
          "==", 0);
}
//-

// ## What a score may depend on
//
// The network predicts all $S$ target words at once. For the prediction of word $s$ the decoder must not read word $s$
// itself, so it reads the target moved by one place: a mark for the beginning, which is token 0 here, and then the
// words $Y_1$ to $Y_{S-1}$. A batch has a target in each row, and every row is moved by itself:
Integers moved(const Integers& target) {
    const std::size_t S = std::size_t(target.size(1));
    const std::vector<Index> y = target.values();
    std::vector<Index> words(y.size(), end_token);
    for (std::size_t i = 0; i < y.size(); ++i)
        if (i % S > 0) words[i] = y[i - 1];
    return Integers(target.shape(), words);
}
// The mask keeps each row of the decoder from the words after it. What does it do to the source? Place your bet:
//- the question, how the figure is drawn, and what is checked
const Index eight = 8;

// How far each output changes at most when one input word is replaced by any other.
void reach() {
    Generator random(book::seed());
    const nn::EncoderDecoder net(small(), random);
    const Index Vs = std::ssize(german), Vt = std::ssize(english);
    const Integers source = random.integers({1, eight}, 0, Vs),
                   target = random.integers({1, eight}, 0, Vt);
    const Tensor by_source = nn::influence(
        [&](const Integers& x) { return net(x, moved(target)); }, eight, Vs, random, 1);
    const Tensor by_target = nn::influence(
        [&](const Integers& y) { return net(source, moved(y)); }, eight, Vt, random, 1);
    Index unseen = 0, wrong = 0, last_changes = 0;
    std::vector<Index> silent;  // target words that change no score
    for (Index in = 0; in < eight; ++in) {
        Index touched = 0;
        for (Index s = 0; s < eight; ++s) {
            unseen += by_source.at({s, in}) == 0;
            wrong += (by_target.at({s, in}) != 0) != (in < s);
            touched += by_target.at({s, in}) != 0;
            last_changes += in == eight - 1 && by_source.at({s, in}) != 0;
        }
        if (touched == 0) silent.push_back(in + 1);
    }
    ask("A fresh network translates eight German words into eight English ones. The "
        "last German word is replaced by another. The scores of how many English words "
        "change?",
        {{"Of the last English word alone.", last_changes == 1,
          "This would be so if each English word read one German word, at its own "
          "place, and the encoder mixed none of them. The decoder reads the whole "
          "memory for every word."},
         {"None: the mask hides later words.", last_changes == 0,
          "The mask hides later words of the target. The source is complete before the "
          "first English word is written, so nothing of it needs hiding."},
         {"Of all eight.", last_changes == eight,
          "Each query meets the keys of all German words. And the memory of each "
          "German word has already read all others in the encoder."}});
    std::vector<double> places;
    for (Index t = 1; t <= eight; ++t) places.push_back(double(t));
    const auto column = [&](const Tensor& changes, Index at) {
        std::vector<double> found;
        for (Index s = 0; s < eight; ++s) {
            const double change = double(changes.at({s, at - 1}));
            found.push_back(change > 0 ? change
                                       : std::numeric_limits<double>::quiet_NaN());
        }
        return found;
    };
    Figure figure("fig-decoder-reach");
    figure
        .describe(
            "Two panels of up to eight dots, how much the scores of each English word "
            "change. Left, one German word is changed: all eight scores change. Right, "
            "one English word is changed: only the scores of later words change.")
        .slider(changed_source, "German word")
        .slider(changed_target, "English word")
        .panel("a German word is changed")
        .tall(200)
        .xlim(0.5, 8.5)
        .log_y()
        .ylim(1e-4, 10)
        .dots("", places, column(by_source, changed_source()), {.color = figure::blue})
        .x("English word")
        .y("change of its scores")
        .panel("an English word is changed")
        .tall(200)
        .xlim(0.5, 8.5)
        .log_y()
        .ylim(1e-4, 10)
        .dots("", places, column(by_target, changed_target()), {.color = figure::red})
        .x("English word")
        .y("change of its scores")
        .save(
            "The largest change of the scores of each English word when one word is "
            "replaced by any other; no dot means no change at all. A German word "
            "reaches all scores. An English word reaches the scores of later words, "
            "and "
            "the last one reaches none.");
    claim("claim-decoder-depends-on-all-source/a",
          "pairs of a German word and a step whose scores it does not change", unseen,
          "==", 0);
    claim("claim-decoder-depends-on-all-source/b",
          "pairs of a target word r and a step s where the scores change although r ≥ "
          "s, or stay although r < s",
          wrong, "==", 0);
    claim_true(
        "fig-5.7/c",
        "the decoder reads all target words but the last, which changes no score",
        silent == std::vector<Index>{eight});
}
//-

// Every score depends on the whole source and on the target words before it. This is what a translation from left to
// right needs. The probability of a whole target is a product, as on [Sequences](../training/sequences.cpp), in which
// each factor knows the source $X$:
//
// $$ p(Y_1, \dots, Y_S \mid X) = \prod_{s=1}^{S} p(Y_s \mid Y_1, \dots, Y_{s-1}, X) . $$
//
// If the network gives *ninety* the probability 0.9, then *seven* 0.8 and the end 0.9, the target has the probability
// $0.9 \cdot 0.8 \cdot 0.9 = 0.648$.
//
// ## Training and translating
//
// In training the target is known. So the decoder reads the right words, moved by one place, even where it would have
// written others. This is called **teacher forcing**, and it makes all $S$ predictions one pass. Sources and targets of
// a batch have different lengths. They are filled up with a padding, which `lengths` hides in the memory and the label
// $-1$ hides in the loss:
//- pairs of sentences
struct Pairs {
    Integers source, lengths;  // (batch, 11), and the number of words in each
    Integers before;           // (batch, 10): the mark, then the target's words
    Integers target;           // (batch * 10): the target's words, -1 after the end
};
Pairs pairs_of(const std::vector<Index>& numbers) {
    std::vector<Index> source, lengths, words, target;
    for (const Index n : numbers) {
        std::vector<Index> x = german_of(n), y = english_of(n);
        lengths.push_back(std::ssize(x));
        x.resize(longest_source, 0);
        source.insert(source.end(), x.begin(), x.end());
        for (Index s = 0; s < longest_target; ++s) {
            const bool inside = s < std::ssize(y);
            words.push_back(inside ? y[std::size_t(s)] : end_token);
            target.push_back(inside ? y[std::size_t(s)] : -1);
        }
    }
    const Index batch = std::ssize(numbers);
    return {Integers({batch, longest_source}, source), Integers({batch}, lengths),
            moved(Integers({batch, longest_target}, words)),
            Integers({batch * longest_target}, target)};
}

// A number of one to six digits, each length equally likely, that is a multiple of 13 or not.
Index any_number(bool held_out, Generator& random) {
    while (true) {
        const Index digits = random.next_integer(0, 6);
        Index low = 1;
        for (Index i = 0; i < digits; ++i) low *= 10;
        const Index n = random.next_integer(low, 10 * low);
        if ((n % 13 == 0) == held_out) return n;
    }
}
// All 76 multiples of 13 below 1000, and 424 larger ones.
std::vector<Index> held_out_numbers() {
    std::vector<Index> numbers;
    for (Index n = 13; n < 1000; n += 13) numbers.push_back(n);
    Generator random(13);
    while (numbers.size() < 500) {
        const Index n = any_number(true, random);
        if (n > 1000 && std::ranges::find(numbers, n) == numbers.end())
            numbers.push_back(n);
    }
    return numbers;
}

// The scores; without `whole`, the decoder may read the first vector of the memory alone.
Tensor scores_of(const nn::EncoderDecoder& net, const Pairs& seen, bool whole) {
    if (whole) return net(seen.source, seen.before, seen.lengths);
    return net.decode(seen.before,
                      slice(net.encode(seen.source, seen.lengths), 1, 0, 1));
}
//-
Tensor loss_of(const nn::EncoderDecoder& net, const Pairs& seen, bool whole) {
    const Tensor scores = scores_of(net, seen, whole);
    return cross_entropy(reshape(scores, {seen.target.numel(), scores.size(2)}),
                         seen.target, {.ignored = -1});
}

// A trained decoder has no target. It reads its own words instead: the encoder runs once, and the most probable word is
// appended until it is the end.
std::vector<Index> translate(const nn::EncoderDecoder& net, const Integers& source) {
    const NoGrad only_asking;
    const Tensor memory = net.encode(source);
    std::vector<Index> said = {end_token};  // the mark of the beginning
    do {
        const Index S = std::ssize(said);
        const Tensor scores = net.decode(Integers({1, S}, said), memory);
        said.push_back(argmax(select(scores, 1, S - 1)).values()[0]);
    } while (said.back() != end_token && std::ssize(said) <= longest_target);
    said.erase(said.begin());
    return said;
}

// Where does the decoder look? The weights of its cross-attention, as a matrix of $S$ rows and $T$ columns, are the map
// at the top of this page:
std::vector<Tensor> cross_maps(const nn::EncoderDecoder& net, const Integers& source,
                               const Integers& before) {
    const Tensor memory = net.encode(source);
    Tensor y = net.target_places(net.target_words(before));
    std::vector<Tensor> maps;  // one for each layer, the mean of its heads
    for (const nn::DecoderBlock& block : net.decoder) {
        const nn::CrossAttentionBlock& read = block.read;
        const Tensor mixed = block.mix(y, {.causal = true});
        const Tensor weights =
            nn::attention_weights(read.attention, read.norm(mixed), read.norm(memory));
        maps.push_back(mean(weights, {0, 1}));
        y = block.think(read(mixed, memory));
    }
    return maps;
}
//- the training and the study
const Index batch = 64;
const double rate = 0.005;

// Trains a network, and calls `look` before each step and after the last.
void train(const nn::EncoderDecoder& net, Index steps, bool whole, Generator& random,
           const std::function<void(Index step)>& look) {
    optim::Adam adam(nn::parameters(net));
    for (Index step = 0; step < steps; ++step) {
        look(step);
        adam.options.lr =
            optim::warmup_cosine(step, std::min<Index>(50, steps), steps, rate);
        std::vector<Index> numbers;
        for (Index n = 0; n < batch; ++n) numbers.push_back(any_number(false, random));
        const Pairs seen = pairs_of(numbers);
        optim::train_step(adam, [&] { return loss_of(net, seen, whole); });
    }
    look(steps);
}

// The share of targets of which every word is the most probable one, given the right words before it. The translation
// of such a source is the target, because each word that is appended is the right one.
double exact(const nn::EncoderDecoder& net, const Pairs& held, bool whole) {
    const NoGrad only_asking;
    const std::vector<Index> said = argmax(scores_of(net, held, whole)).values(),
                             want = held.target.values();
    Index right = 0;
    const Index all = held.lengths.numel();
    for (Index n = 0; n < all; ++n) {
        bool same = true;
        for (Index s = n * longest_target; s < (n + 1) * longest_target; ++s)
            same = same && (want[std::size_t(s)] < 0 ||
                            want[std::size_t(s)] == said[std::size_t(s)]);
        right += same;
    }
    return double(right) / double(all);
}

const Index looks = 10, study_steps = 1000;
Names names_of_looks() {
    Names names;
    for (Index look = 1; look <= looks; ++look)
        names.push_back(fmt::format("step {}", look * study_steps / looks));
    return names;
}
Study::Row train_one(const Study::Row& cell) {
    Generator random(book::seed() * 100 + std::uint64_t(cell[1]));
    const nn::EncoderDecoder net(small(), random);
    const bool whole = cell[0] == 1;
    const Pairs held = pairs_of(held_out_numbers());
    Study::Row found;
    train(net, study_steps, whole, random, [&](Index step) {
        if (step > 0 && step % (study_steps / looks) == 0)
            found.push_back(exact(net, held, whole));
    });
    return found;
}
std::vector<Study::Row> all_cells() {
    std::vector<Study::Row> cells;
    for (const double whole : {1.0, 0.0})
        for (const double draw : {1.0, 2.0, 3.0}) cells.push_back({whole, draw});
    return cells;
}
const Study study({"translation",
                   {"whole_memory", "draw"},
                   names_of_looks(),
                   {"sys-transformer/a"},
                   0.01},
                  all_cells(), train_one);
//-

//- the translator is trained, and its maps are drawn
// Names of words, told apart where a word occurs twice.
Names told_apart(const std::vector<Index>& words, const Names& language) {
    Names names;
    for (const Index word : words) {
        std::string name = language[std::size_t(word)];
        while (std::ranges::find(names, name) != names.end()) name += "′";
        names.push_back(name);
    }
    return names;
}

void translator() {
    Generator random(book::seed() * 100 + 1);
    const nn::EncoderDecoder net(small(), random);
    const std::vector<Index> german_words = german_of(number()),
                             english_words = english_of(number());
    const Integers source({1, std::ssize(german_words)}, german_words),
        target({1, std::ssize(english_words)}, english_words);
    std::vector<double> stops;
    for (const double share : {0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0})
        stops.push_back(std::round(share * double(passes())));
    stops.erase(std::unique(stops.begin(), stops.end()), stops.end());
    std::vector<std::vector<Tensor>> maps;  // at each stop, one for each layer
    train(net, passes(), true, random, [&](Index step) {
        if (std::ranges::find(stops, double(step)) == stops.end()) return;
        const NoGrad only_looking;
        maps.push_back(cross_maps(net, source, moved(target)));
    });
    const Names across = told_apart(german_words, german),
                down = told_apart(english_words, english);
    Figure figure("fig-cross-map");
    figure
        .describe(fmt::format(
            "Two matrices of English rows and German columns for {}, one for each "
            "layer of "
            "the decoder. Before training all cells are alike. After training most "
            "rows "
            "have one or two bright cells. In the second layer, ninety is bright at "
            "neunzig and seven at sieben, which stands further left.",
            number()))
        .slider("step", stops, "step of the training", stops.back());
    for (const std::size_t layer : {0, 1}) {
        figure.always().panel(layer == 0 ? "first layer" : "second layer");
        for (std::size_t i = 0; i < maps.size(); ++i) {
            std::vector<double> cells;
            for (const Real w : maps[i][layer].values())
                cells.push_back(std::round(100 * double(w)) / 100);
            figure.at(stops[i]).heatmap("", across, down, cells, 0, 1);
        }
        figure.always().x("read: German").y("written next: English");
    }
    figure.save(
        fmt::format("The weights of cross-attention for {} in the two layers of the "
                    "decoder, in the "
                    "mean of four heads. Each row is the search for one English word, "
                    "and its weights "
                    "sum to 1.",
                    number()));

    say("parameters: {}", nn::count(net));
    const std::vector<Index> numbers = held_out_numbers();
    Index right = 0;
    for (const Index n : numbers) {
        const std::vector<Index> x = german_of(n),
                                 said = translate(net, Integers({1, std::ssize(x)}, x));
        if (n == 91)
            say("{} is translated as {}", text_of(x, german), text_of(said, english));
        right += said == english_of(n);
    }
    claim("", "this training: share of the held-out numbers translated exactly",
          double(right) / double(numbers.size()),
          "==", exact(net, pairs_of(numbers), true));
}
//-

// In the second layer the rows of *ninety* and *seven* cross: *ninety* looks at *neunzig*, and *seven* at *sieben*,
// which stands further left. Not every row looks at its own translation. For *two* the network looks at *tausend*, the
// neighbour of *zwei*. In the memory every word has read all others, so the vector at *tausend* can say what follows
// it. A map shows where a network looks. It does not show what the network finds there.
//
// ## What it learned
//
// The networks train on numbers below a million whose number of digits is drawn first, so that short numbers are not
// rare. Multiples of 13 are held out, because divisibility by 13 leaves no trace in the words. They are below a million
// too, so nothing longer than in training is tested. A translation counts only if every word of it is right.
//- how the figure is drawn, and what is checked
void learned() {
    std::vector<std::vector<double>> curves[2];
    std::vector<double> ends[2], minutes, steps;
    for (const Study::Row& row : study.frozen().rows) {
        const bool whole = row[0] == 1;
        curves[whole].emplace_back(row.begin() + 2, row.begin() + 2 + looks);
        ends[whole].push_back(curves[whole].back().back());
        if (whole) minutes.push_back(row.back() / 60);
    }
    for (Index look = 1; look <= looks; ++look)
        steps.push_back(double(look * study_steps / looks));
    Figure("fig-translation-curves")
        .describe(
            "The share of held-out numbers that are translated exactly against the "
            "step of the training, three lines for the whole memory and three for a "
            "memory of one vector.")
        .lines("whole memory", steps, curves[1], {.color = figure::blue})
        .lines("one vector", steps, curves[0], {.color = figure::red})
        .x("step")
        .y("share of exact translations")
        .ylim(0, 1)
        .save(
            "Exact translations of 500 held-out numbers, three trainings each. The red "
            "networks have the same parameters, but their decoder may read the first "
            "vector of the memory alone.");
    claim("sys-transformer/a", "share of held-out numbers translated exactly",
          over_seeds(ends[1]), ">=", 0.98);
    book::timing_claim(
        "sys-transformer/b",
        "minutes of a training on one core, which two cores do not exceed",
        over_seeds(minutes), "<=", 10);
    say("with a memory of one vector: {}", book::brief(over_seeds(ends[0])));
}
//-

// After 1,000 steps all three networks with the whole memory translate all 500 held-out numbers exactly. A tenth of the
// steps is enough for one number in seven. A memory of one vector is slower: it ends between 0.94 and 0.98, and still
// rises in the last 200 steps. The encoder must squeeze up to eleven words into 32 numbers there. With the whole memory
// it keeps a vector for each word, and the decoder fetches what it needs when it needs it.
//
// ## The base model
//
// With a width of $D$ and $4D$ numbers inside the feed-forward block, a layer of the encoder has $12 D^2 + 13 D$
// parameters, as in a GPT. A layer of the decoder has another attention block with $4 D^2 + 6 D$ more. At $D = 512$
// these are 3,152,384 and 4,204,032. With $L$ layers on each side, the last normalisation, $V$ words and the positions
// the network has
//
// $$ L\,(28 D^2 + 32 D) + 2D + (V + T + S)\, D $$
//
// parameters, if both languages share one table of words. We build the base model of {cite:t}`vaswani2017`, with
// $L = 6$ and 37,000 pieces of words, and count:
//- the base model, counted
void base_model() {
    const Index V = 37'000, T = 256, S = 200, L = 6, D = 512;
    const Index formula = L * (28 * D * D + 32 * D) + 2 * D + (V + T + S) * D;
    if (!build()) return;
    Generator random(book::seed());
    nn::EncoderDecoder base(
        {.source_tokens = V, .target_tokens = V, .source_time = T, .target_time = S},
        random);
    base.target_words = base.source_words;  // one table for both languages
    claim("sys-transformer/c", "parameters of the base model that the formula misses",
          nn::count(base) - formula, "==", 0);
    Index embedded = nn::count(base.source_words) + nn::count(base.source_places) +
                     nn::count(base.target_places);
    book::claim_in("sys-transformer/d",
                   "millions of parameters without words and positions",
                   double(nn::count(base) - embedded) / 1e6, 44.05, 44.15);
    const Index positions =
        nn::count(base.source_places) + nn::count(base.target_places);
    say("with words and positions: {:.1f} million; the positions alone: {}",
        double(nn::count(base)) / 1e6, positions);
}
//-

// The paper gives 65 million. It says *about* 37,000 pieces. It has sines and cosines for positions, which need no
// parameters, and normalises after each branch. These two differences change the count by less than 0.3 million, and
// both make it smaller. The text of the paper does not explain the rest.
//
void page() {
    diagram();
    reach();
    translator();
    learned();
    base_model();
}

// ## Limits and origins
//
// Numbers are an easy language: each word has one translation, and the grammar fits on half a page. Real sentences
// leave choices open, and the most probable next word is then not always part of the most probable sentence.
// {cite:t}`sutskever2014` translated with two recurrent networks and a single vector between them.
// {cite:t}`bahdanau2015` let the decoder look back at all states of the encoder, which is where attention in
// translation began. {cite:t}`vaswani2017` removed the recurrence. Their training adds dropout and label smoothing, and
// their translation keeps several beginnings at once (**beam search**).
//
// ## Summary
//
// An encoder turns the source into a memory of one vector for each word, and a decoder writes the target word by word.
// Cross-attention lets every score depend on the whole source, and the causal mask keeps the target from its future. So
// training is one pass over the moved target, and translating is one pass of the decoder for each word.
//
// ## What is missing
//
// Without its encoder, the decoder continues a text. [The next page](mini_gpt.cpp) builds a language model from it.
//
// ```{try}
// - Your own number: `--number 777777`. Which German word does each *seven* come from?
// - A shorter training: `--steps 200`. Which mistakes are left?
// ```
