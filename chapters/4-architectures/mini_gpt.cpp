// # GPT: a stack of causal blocks that writes
//
// ```{rows} fig-5.8 claim-gpt-scales
// ```
//
// [Transformer blocks](transformer_blocks.cpp) keep the shape of a sequence. A **GPT**, a generative pre-trained
// Transformer {cite:p}`radford2018`, is hardly more than a stack of them: an embedding below, causal blocks, and scores for
// the next token above. With large numbers in place of small ones the same program becomes GPT-2 or GPT-3.
// {numref}`fig-gpt-size` counts its parameters. Move the sliders: which part of the network grows fastest with the width,
// and which part does not grow with the depth at all?
//
// ```{opening} fig-gpt-size
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/table.hpp>
#include <recto/core/random.hpp>
#include <recto/data/words.hpp>
#include <recto/figure/diagram.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/layers.hpp>
#include <recto/nn/gpt.hpp>
#include <recto/nn/influence.hpp>
#include <recto/nn/as_one.hpp>
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
#include <recto/text/generate.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::say;
using figure::Figure, figure::Names;

const book::Option<Index> layers("layers", 12, "number of layers L",
                                 {.least = 1, .most = 96});
const book::Option<Index> width("width", 768, "width D", {.least = 16, .most = 12'288});
const book::Option<Index> passes("steps", 400, "steps of the small training",
                                 {.quick = 20, .least = 5, .most = 100'000});
const book::Option<bool> build("build", true, "whether GPT-2 small is built, 498 MB",
                               {.quick = false});

// Defined further down:
struct Parameters {
    double tokens, places, attention, feed_forward, norms;
    double all() const { return tokens + places + attention + feed_forward + norms; }
};
Parameters parameters_of(double V, double T, double L, double D);
//-

//- how the figure is drawn
void sizes() {
    const Parameters n = parameters_of(50'257, 1024, double(layers()), double(width()));
    const std::vector<double> millions = {n.tokens / 1e6, n.places / 1e6,
                                          n.attention / 1e6, n.feed_forward / 1e6};
    const Names parts = {"token embedding", "position embedding", "attention",
                         "feed-forward"};
    Figure("fig-gpt-size")
        .describe(
            "Four bars, the millions of parameters of the token embedding, the "
            "position "
            "embedding, attention and the feed-forward blocks. Two sliders set the "
            "number of layers and the width.")
        .slider(layers, "layers L")
        .slider(width, "width D")
        .bars("", parts, millions, {.color = figure::blue})
        .y("millions of parameters")
        .save(
            "The parameters of a GPT with 50,257 tokens and 1,024 positions. At the "
            "first "
            "setting, GPT-2 small, the embeddings hold nearly a third of them. Drag "
            "$L$: the blocks grow in proportion, the embeddings stay. Drag $D$: the "
            "embeddings grow in proportion, the blocks with the square.");
}
//-

// ## From tokens to scores
//
// A text is a sequence of $T$ **tokens**, each one of $V$. Here tokens are letters, and $V = 27$ with the dot that stands
// before each word. The network knows a vector of $D$ numbers for each token and one for each position, and adds the two.
// This gives $T \times D$ numbers. Each of $L$ layers has a causal self-attention block and a feed-forward block, so the
// sequence keeps this shape. After the last layer the product with the vector of each token gives $V$ scores at each
// position. In the library, {cpp:class}`~recto::nn::Gpt` does all of this in a few lines:
//
// ```{excerpt} recto/nn/gpt.cpp Gpt::operator()
// ```
//
// Position $t$ has read the tokens up to $t$ and predicts the next one. Take the word *at*, with a dot before it and the
// dot of the next word after it. The network reads the three tokens dot, *a* and *t*, and answers three questions at
// once. What follows the dot? What follows the dot and *a*? What follows the dot, *a* and *t*? The right answers are *a*,
// *t* and a dot. A text of $T$ tokens is $T$ questions, and the mask keeps each from reading its own answer.
// {numref}`fig-5.8` draws the network from a run.
//- how the diagram is drawn, and what is checked
const nn::GptSize mini = {
    .tokens = 27, .time = 64, .layers = 4, .width = 64, .heads = 4};

// The two halves of a layer, each a block of the last page.
struct AttentionHalf {
    nn::LayerNorm norm;
    nn::MultiHeadAttention attention;
    Tensor operator()(const Tensor& x) const {
        return x + attention(norm(x), {.causal = true});
    }
    void visit(auto&& part) { part("norm", norm), part("attention", attention); }
};
struct FeedForwardHalf {
    nn::LayerNorm norm;
    nn::Linear widen, narrow;
    Tensor operator()(const Tensor& x) const {
        return x + narrow(widen(norm(x), gelu));
    }
    void visit(auto&& part) {
        part("norm", norm), part("widen", widen), part("narrow", narrow);
    }
};

// The network, with each half of a layer as one operation.
struct Outline {
    nn::Gpt net;
    Tensor operator()(const Integers& tokens) const {
        const Tensor words =
            net.words(tokens);  // first on the tape with every compiler
        Tensor x = words + slice(net.places.weight, 0, 0, tokens.size(1));
        for (const nn::GptBlock& b : net.blocks) {
            x = nn::as_one("causal self-attention block",
                           AttentionHalf{b.before_attention, b.attention}, x);
            x = nn::as_one("feed-forward block",
                           FeedForwardHalf{b.before_perceptron, b.widen, b.narrow}, x);
        }
        return linear(net.last(x), net.words.weight);
    }
    void visit(auto&& part) { part("net", net); }
};

void diagram() {
    Generator random(book::seed());
    const nn::Gpt net(mini, random);
    const Index T = 48;  // unlike all other sizes
    const Integers tokens = random.integers({1, T}, 0, mini.tokens);
    const Outline outline{net};
    {
        const NoGrad only_asking;
        claim("", "the drawn network against the library's, largest difference",
              max(abs(outline(tokens) - net(tokens))).item(), "<=", 1e-5);
    }
    const figure::LayerColumn column =
        figure::layer_column(nn::tape_of(outline, tokens));
    const auto letters = [&](const Shape& shape) {
        std::string found;
        for (int axis = 0; axis < shape.dim(); ++axis) {
            const Index n = shape[axis];
            found += found.empty() ? "" : " × ";
            found += n == T             ? "T"
                     : n == mini.width  ? "D"
                     : n == mini.tokens ? "V"
                                        : "?";
        }
        return found;
    };
    figure::Diagram drawn("fig-5.8");
    drawn.describe(
        "A column of boxes from the tokens to the scores: an embedding, a sum with the "
        "positions, a dashed frame with a causal self-attention block and a "
        "feed-forward "
        "block, which is repeated four times, a layer normalisation and a linear "
        "layer.");
    drawn.node("tokens", "tokens", figure::Box::plain);
    const auto id = [](Index box) { return std::to_string(box); };
    Names sizes = {
        letters(tokens.shape().without(0))};  // on the path, where they change
    for (std::size_t i = 0; i < column.boxes.size(); ++i) {
        const figure::LayerBox& box = column.boxes[i];
        const std::string name = box.words == "index_rows"   ? "embedding"
                                 : box.words == "slice"      ? "positions"
                                 : box.words == "add"        ? "+"
                                 : box.words == "layer_norm" ? "layer norm"
                                                             : box.words;
        drawn.node(id(Index(i)), name, figure::Box::round,
                   box.complex ? figure::blue : figure::grey);
        if (box.words == "index_rows") drawn.edge("tokens", id(Index(i)), sizes.back());
        for (const Index from : box.inputs) {
            const figure::LayerBox& before = column.boxes[std::size_t(from)];
            const bool table = before.words == "slice";  // it has no axis of samples
            const std::string size = table ? sizes.back() : letters(before.result);
            drawn.edge(id(from), id(Index(i)), size == sizes.back() ? "" : size);
            if (size != sizes.back()) sizes.push_back(size);
        }
    }
    const Index last = Index(column.boxes.size()) - 1;
    sizes.push_back(letters(column.boxes.back().result));
    drawn.node("scores", "scores", figure::Box::plain)
        .edge(id(last), "scores", sizes.back());
    for (const figure::LayerGroup& group : column.groups)
        drawn.group(fmt::format("× {}", group.times),
                    {id(group.first), id(group.first + 1)}, figure::dashed);
    drawn.save(
        "A GPT, after *The Little Book of Deep Learning* {cite:p}`fleuret2023`, drawn "
        "from a copy of the network in which each half of a layer is one operation. "
        "The copy ran and gave the same scores. A size stands where it changes. The "
        "dashed frame "
        "stands "
        "for equal layers, each with parameters of its own.");
    book::shows("fig-5.8/a", "fig-5.8");
    claim_true("fig-5.8/b", "the drawn sizes are T, T × D and T × V",
               sizes == Names{"T", "T × D", "T × V"});
    const bool one = column.groups.size() == 1;
    claim("fig-5.8/c", "copies of the group of two blocks in a network of four layers",
          one && column.groups[0].boxes == 2 ? column.groups[0].times : 0, "==", 4);
    claim("", "parameters that the boxes miss", nn::count(net) - column.parameters,
          "==", 0);
}
//-

// ## How many parameters?
//
// A layer of attention has four matrices of $D \times D$, and the feed-forward block has two of $4D \times D$. Together
// they are $12 D^2$ numbers. Biases and normalisations add $13 D$. At $D = 64$ this is $12 \cdot 4096 + 13 \cdot 64 =
// 49{,}984$. The tokens need $VD$ numbers, the positions $TD$, and the last normalisation $2D$:
//
// $$ 12\, L D^2 + 13\, L D + (V + T)\, D + 2D . $$
//
// The scores have no parameters of their own, since they are products with the vectors of the tokens. In code, part by
// part:
Parameters parameters_of(double V, double T, double L, double D) {
    return {.tokens = V * D,
            .places = T * D,
            .attention = L * (4 * D * D + 4 * D),
            .feed_forward = L * (8 * D * D + 5 * D),
            .norms = L * 4 * D + 2 * D};
}

// GPT-2 small has $V = 50{,}257$ tokens, $T = 1024$ positions, $L = 12$ layers and $D = 768$. We build it and count. At
// four bytes for each parameter, the object takes 498 megabytes. Training with Adam takes four times as much, for the
// gradient and for two running means.
//- the question, counts, and the table
void counts() {
    const Parameters small = parameters_of(50'257, 1024, 12, 768);
    if (build()) {
        Generator random(book::seed());
        const nn::Gpt gpt2(
            {.tokens = 50'257, .time = 1024, .layers = 12, .width = 768, .heads = 12},
            random);
        claim("sys-gpt/b", "parameters of GPT-2 small, counted in the object",
              nn::count(gpt2), "==", 124'439'808);
        claim("", "parameters that the formula misses",
              double(nn::count(gpt2)) - small.all(), "==", 0);
    }
    const double share = parameters_of(50'257, 2048, 96, 12'288).tokens /
                         parameters_of(50'257, 2048, 96, 12'288).all();
    ask("In GPT-2 small, the vectors of the tokens are 31 % of all parameters. What "
        "share "
        "are they in GPT-3, which has the same tokens?",
        {{"About 31 %: all parts grow with the network.", share > 0.2,
          "The number of tokens is the same, and their vectors grow with the width "
          "alone."},
         {"About 3 %.", share <= 0.2 && share > 0.01,
          "That would be right if the width alone grew. It is 16 times as large, but "
          "there are also eight times as many layers."},
         {"Less than 1 %.", share <= 0.01,
          "The width is 16 times as large. The vectors of the tokens grow by this "
          "factor, "
          "and each of the layers by its square. There are also eight times as many "
          "layers."}});
    struct Published {
        const char* name;
        double layers, width, millions;
    };
    // Brown et al., 2020, table 2.1
    const std::vector<Published> published = {
        {"GPT-3 Small", 12, 768, 125},   {"GPT-3 Medium", 24, 1024, 350},
        {"GPT-3 Large", 24, 1536, 760},  {"GPT-3 XL", 24, 2048, 1300},
        {"GPT-3 2.7B", 32, 2560, 2700},  {"GPT-3 6.7B", 32, 4096, 6700},
        {"GPT-3 13B", 40, 5140, 13'000}, {"GPT-3 175B", 96, 12'288, 175'000}};
    std::vector<std::vector<book::Cell>> rows;
    double last = 0;
    for (const Published& one : published) {
        const double millions =
            parameters_of(50'257, 2048, one.layers, one.width).all() / 1e6;
        last = std::abs(millions / one.millions - 1);
        rows.push_back({one.name, one.layers, one.width, std::round(millions),
                        one.millions,
                        std::round(1000 * (millions / one.millions - 1)) / 10});
    }
    book::table("fig-gpt-published",
                "The formula beside the sizes that Brown and others published, in "
                "millions of parameters; the last column in per cent.",
                {"network", "L", "D", "formula", "published", "difference, %"}, rows);
    book::shows("claim-gpt-scales/b", "fig-gpt-published");
    claim(
        "claim-gpt-scales/a",
        "the formula at L = 96 and D = 12,288 against 175 billion, relative difference",
        last, "<=", 0.01);
}
//-

// One formula describes all sizes, from 125 million to 175 billion parameters {cite:p}`brown2020`. No new kind of layer is
// needed. A larger network needs more data and more computing, and [Scaling](../training/scaling.cpp) measures what they
// buy.
//
// ## Does it look ahead?
//
// A network that reads its answer has a splendid training loss and writes nonsense. So measure:
// {cpp:func}`~recto::nn::influence` replaces each letter of a word in turn and notes which scores change. So that row $t$
// predicts letter $t$, the input begins with a dot and leaves out the last letter:
Tensor scores_of(const nn::Gpt& net, const Integers& word) {
    std::vector<Index> before = word.values();
    before.insert(before.begin(), 0), before.pop_back();
    return net(Integers({1, std::ssize(before)}, before));
}
//- what is checked
void dependencies() {
    const NoGrad only_asking;
    Generator random(book::seed());
    const nn::Gpt net(mini, random);
    const Index T = 8;
    const Tensor seen =
        nn::influence([&](const Integers& x) { return scores_of(net, x); }, T,
                      mini.tokens, random, 1);
    Index missing = 0;
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < t; ++s) missing += seen.at({t, s}) == 0;
    claim_true("sys-gpt/a", "the scores of a letter depend on earlier letters alone",
               nn::is_causal(seen));
    claim("sys-gpt/a", "earlier letters on which they do not depend", missing, "==", 0);
}
//-

// ## A short training
//
// We train a network of two layers of width 32. The text is the list of 196,185 English words that
// [other pages](../training/contexts.cpp) use, in a random order with a dot before each. We set 6,000 words aside. The
// learning rate rises for 50 steps and then falls to zero in a straight line. This is all of the training:
//- the words, as numbers
const Index held_words = 6000, batch = 32;
std::vector<Index> letters_of(Index begin, Index end) {
    const std::vector<std::string>& list = data::words();
    static const std::vector<Index> order = Generator(2).permutation(std::ssize(list));
    std::vector<Index> text;
    for (Index i = begin; i < std::min(end, std::ssize(list)); ++i) {
        text.push_back(0);
        for (const Index letter :
             data::symbols(list[std::size_t(order[std::size_t(i)])]))
            text.push_back(letter);
    }
    return text;
}
struct Letters {
    Integers before, next;  // (batch, time), and the letter after each
};
Letters windows(const std::vector<Index>& text, const std::vector<Index>& starts) {
    std::vector<Index> before, next;
    for (const Index start : starts)
        for (Index t = start; t < start + mini.time; ++t) {
            before.push_back(text[std::size_t(t)]);
            next.push_back(text[std::size_t(t + 1)]);
        }
    return {Integers({std::ssize(starts), mini.time}, before),
            Integers({std::ssize(next)}, next)};
}
//-
Tensor loss_of(const nn::Gpt& net, const Letters& seen) {
    const Tensor scores = net(seen.before);
    return cross_entropy(reshape(scores, {seen.next.numel(), mini.tokens}), seen.next);
}

double train(const nn::Gpt& net, Index steps, double rate, Generator& random) {
    const std::vector<Index> text = letters_of(held_words, std::ssize(data::words()));
    optim::AdamW adam(nn::parameters(net));
    double loss = 0;
    for (Index step = 0; step < steps; ++step) {
        adam.options.lr =
            rate * std::min(double(step + 1) / 50, 1 - double(step) / double(steps));
        std::vector<Index> starts;
        for (Index n = 0; n < batch; ++n)
            starts.push_back(random.next_integer(0, std::ssize(text) - mini.time));
        const Letters seen = windows(text, starts);
        loss =
            double(optim::train_step(adam, [&] { return loss_of(net, seen); }).item());
    }
    return loss;
}
//- the held-out losses
double held_out(const nn::Gpt& net) {
    const NoGrad only_asking;
    const std::vector<Index> text = letters_of(0, held_words);
    double total = 0;
    Index count = 0;
    for (Index start = 0; start + 32 * mini.time < std::ssize(text); ++count) {
        std::vector<Index> starts;
        for (int n = 0; n < 32; ++n, start += mini.time) starts.push_back(start);
        total += double(loss_of(net, windows(text, starts)).item());
    }
    return total / double(count);
}
// The loss of a table that counts which letter follows which, with one more of each pair than there are.
double held_out_of_pairs() {
    std::vector<double> pairs(27 * 27, 1), firsts(27, 27);
    const auto each = [](const std::vector<Index>& text, const auto& tell) {
        for (std::size_t t = 0; t + 1 < text.size(); ++t)
            tell(std::size_t(text[t]), std::size_t(text[t + 1]));
    };
    each(letters_of(held_words, std::ssize(data::words())),
         [&](std::size_t a, std::size_t b) { ++pairs[a * 27 + b], ++firsts[a]; });
    const std::vector<Index> held = letters_of(0, held_words);
    double total = 0;
    each(held, [&](std::size_t a, std::size_t b) {
        total -= std::log(pairs[a * 27 + b] / firsts[a]);
    });
    return total / double(held.size() - 1);
}
//-

// A trained network gives probabilities, and text needs letters. To **generate** text, draw a letter, append it and ask
// again. Suppose that after a dot the network gives *s* a probability of 0.1. Then about one word in ten begins with *s*.
// For the next letter, the network reads the dot and the *s*, and gives new probabilities. A dot that is drawn ends a word. If you always took the most probable letter instead, every text from the same start would be the same:
//- the training, and what the network writes
void writing() {
    Generator random(book::seed());
    const nn::Gpt net(
        {.tokens = 27, .time = mini.time, .layers = 2, .width = 32, .heads = 2},
        random);
    train(net, passes(), 0.008, random);
    const NoGrad only_asking;
    std::vector<double> share(27);
    const std::vector<Index> held = letters_of(0, held_words);
    for (const Index letter : held)
        share[std::size_t(letter)] += 1 / double(held.size());
    double entropy = 0;
    for (const double p : share) entropy -= p * std::log(p);
    say("parameters: {}", nn::count(net));
    say("the loss of a guess from the frequencies of letters: {:.2f} nats", entropy);
    const double pairs = held_out_of_pairs();
    say("the loss of a table that counts pairs of letters: {:.2f} nats", pairs);
    claim("", "the loss on words that were set aside, nats a letter", held_out(net),
          "<=", pairs);
    const auto next = [&](std::span<const Index> before) {
        const std::size_t all = before.size(), most = std::size_t(mini.time);
        const std::vector<Index> seen(
            before.end() - std::ptrdiff_t(std::min(all, most)), before.end());
        const Index T = std::ssize(seen);
        return select(net(Integers({1, T}, seen)), 1, T - 1).values();
    };
    std::string words;
    for (const Index letter : text::generate(next, {0}, random, {.most = 90}))
        words += letter == 0 ? ' ' : data::alphabet[std::size_t(letter)];
    say("it writes: {}", words);
}
//-
// Few of these are English words, and about half can be pronounced. No rule of spelling is in the program. All of it
// comes from predicting the next letter. Random guessing scores $\log 27 = 3.30$. A loss of 2.5 is the loss of a fair
// choice among $e^{2.5}$, or twelve, letters. This is only a little better than a table that counts which letter
// follows which. Our training reads less than half of the text, which is too short to show what the architecture can do.
// On the same list, the network with a window of five letters on [Contexts](../training/contexts.cpp) comes to 2.21. The
// windows of the test also begin in the middle of words, so the network predicts their first letters with hardly
// anything to read.
//
void page() {
    sizes();
    diagram();
    counts();
    dependencies();
    writing();
}

// ## Limits and origins
//
// A small GPT on single letters, trained for a few seconds, shows the architecture and little of what large ones can do.
// GPT-3 read tokens of several letters, 300 billion of them in training {cite:p}`brown2020`. The published sizes in the
// table are rounded to two or three digits. {cite:t}`radford2018` trained the first GPT, and {cite:t}`radford2019` put
// the normalisation first and added one after the last layer. Generating $T$ tokens with this program reads the whole
// text $T$ times. The library can keep keys and values instead.
//
// ## Summary
//
// A GPT is an embedding of tokens and positions, a stack of causal blocks and a product with the token vectors. Its size is
// $12 L D^2$ and smaller terms: 124,439,808 parameters for GPT-2 small, 175 billion for GPT-3. After a short
// training on letters, a small one predicts unseen words slightly better than a table of pairs, and writes new words.
//
// ## What is missing
//
// The small network was trained briefly. [The next page](letter_by_letter.cpp) writes words with one that was trained for
// longer, and shows where its heads look. The network also adds a vector to each position, and it has none for positions
// that the training never had. [Another page](rotary_positions.cpp) turns queries and keys by their positions and asks
// what happens to longer texts.
//
// ```{exercises}
// - [The mean of the past, in three ways](/exercises/architectures/past_average.md)
// - [Attention heads on the tape](/exercises/architectures/attention_heads.md)
// ```
//
// ```{try}
// - GPT-3: `--layers 96 --width 12288`. How large is the share of the embeddings?
// - A longer training of the small network: `--steps 2000`. Do its words become better?
// ```
