// # Embeddings: a vector for each symbol
//
// ```{rows} eq-embedding sys-embedding
// ```
//
// A letter is not a number. You could count *a* as 1 and *z* as 26, but then *y* and *z* would be close and *a* and *e*
// farther apart, and a network would have to unlearn that. A {term}`one-hot` vector has a 1 at the place of its symbol
// and 0 elsewhere, so all symbols are equally far apart. An **embedding** gives each symbol a vector of its own and
// lets training decide where it lies. Do symbols that are used alike end up near each other? {numref}`fig-letters`
// shows 26 letters in a plane, while a network learns from 196,185 English words which letter follows which. Answer the
// question below it, then move the slider.
//- includes and names
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/words.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/embedding.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/module.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say;
using figure::Figure;

const book::Option<Index> passes("steps", 100, "steps of the training",
                                 {.least = 50, .most = 100'000});
const book::Option<int> draws("draws", 5, "trainings, each from other weights",
                              {.quick = 1, .least = 1, .most = 100});

const Index symbols = Index(data::alphabet.size());

// Defined further down:
Tensor look_up(const Tensor& table, const std::vector<Index>& tokens);
//-

//- the counts, the training, and how the figure is drawn
// How often each symbol follows each other one; the dot stands before and behind a word.
Tensor pairs() {
    std::vector<Real> count(std::size_t(symbols * symbols), 0);
    for (const std::string& word : data::words()) {
        Index before = 0;
        for (const Index now : data::symbols(word)) {
            ++count[std::size_t(before * symbols + now)];
            before = now;
        }
        ++count[std::size_t(before * symbols)];
    }
    return Tensor({symbols, symbols}, count);
}

struct Letters {
    nn::Embedding table;
    nn::Linear next;
    Letters(Index width, Generator& random)
        : table(symbols, width, random), next(width, symbols, random) {}
    void visit(auto&& part) { part("table", table), part("next", next); }
};

bool vowel(char letter) {
    return std::string("aeiou").find(letter) != std::string::npos;
}

double distance(const Tensor& table, char a, char b) {
    const Index i = data::symbol(a), j = data::symbol(b);
    return std::hypot(double(table.at({i, 0}) - table.at({j, 0})),
                      double(table.at({i, 1}) - table.at({j, 1})));
}

// Trains on the share of each pair; `seen` is told each step, the table and the loss so far. Returns the trained table.
Tensor train(const Tensor& share, std::uint64_t seed, Index width, Index steps,
             const auto& seen) {
    Generator random(seed);
    const Letters net(width, random);
    std::vector<Index> all;
    for (Index i = 0; i < symbols; ++i) all.push_back(i);
    const Integers every({symbols}, all);
    optim::Adam adam(nn::parameters(net), {.lr = 0.05});
    const auto loss = [&] {
        return -sum(share * log(softmax(net.next(net.table(every)))));
    };
    for (Index step = 0; step <= steps; ++step) {
        seen(step, net.table.weight, loss().item());
        optim::train_step(adam, loss);
    }
    return net.table.weight.detach();
}

// The mean distance of two of a, e, i, o, u, and that of one of them and another letter.
std::pair<double, double> distances(const Tensor& table) {
    double within = 0, between = 0;
    for (const char a : std::string("aeiou"))
        for (char b = 'a'; b <= 'z'; ++b)
            if (b != a) (vowel(b) ? within : between) += distance(table, a, b);
    return {within / (5 * 4), between / (5 * 21)};
}

void a_map() {
    std::vector<double> stops = {0, 5, 10, 20, 40, double(passes())};
    Figure figure("fig-letters");
    figure
        .describe(
            "26 letters in a plane, vowels in red and consonants in blue. Before "
            "training "
            "they lie at random. At the end of the training the vowels a, e, i, o and "
            "u "
            "lie together on one side, and the consonants on the other.")
        .slider("steps", stops, "steps of training", 0);
    const Tensor count = pairs(), share = count / sum(count).item();
    const auto draw_letters = [&](Index step, const Tensor& now, Real) {
        if (std::ranges::count(stops, double(step)) == 0) return;
        std::vector<double> x[2], y[2];
        std::vector<std::string> name[2];
        for (Index i = 1; i < symbols; ++i) {
            const char letter = data::alphabet[std::size_t(i)];
            const int kind = vowel(letter);
            x[kind].push_back(double(now.at({i, 0})));
            y[kind].push_back(double(now.at({i, 1})));
            name[kind].emplace_back(1, letter);
        }
        figure.at(double(step))
            .words("vowels", x[1], y[1], name[1], {.color = figure::red})
            .words("consonants", x[0], y[0], name[0], {.color = figure::blue});
    };
    const Tensor table = train(share, book::seed(), 2, passes(), draw_letters);
    figure.always()
        .x("first component")
        .y("second component")
        .height(420)
        .save(
            "The embedding of the letters, with two components, during training on the "
            "pairs "
            "of letters of English words. The training data do not say which letters "
            "are vowels.");
    book::shows("sys-embedding/a", "fig-letters");
    std::vector<double> ratios;
    for (int draw = 0; draw < draws(); ++draw) {
        const auto [within, between] = distances(train(
            share, book::seed() + std::uint64_t(draw), 2, passes(), [](auto...) {}));
        ratios.push_back(within / between);
    }
    const auto nearest = [&](char a) {
        char best = a == 'a' ? 'b' : 'a';
        for (char b = 'a'; b <= 'z'; ++b)
            if (b != a && distance(table, a, b) < distance(table, a, best)) best = b;
        return best;
    };
    const char of_y = nearest('y');
    //-
    ask("Before you move the slider: beside which letter does y end?",
        {{"z, its neighbour in the alphabet.", of_y == 'z',
          "The network never sees the alphabet."},
         {"A consonant, such as r or l.", !vowel(of_y) && of_y != 'z',
          "What counts is which letters follow."},
         {"A vowel.", vowel(of_y),
          "Mostly y stands for a vowel, and a consonant or the end of the word follows "
          "it."}});
    //- what is printed and checked
    for (const char a : std::string("ahqy"))
        say("the nearest letter to {} is {}", a, nearest(a));
    claim("", "the mean distance of two vowels over that of a vowel and another letter",
          over_seeds(ratios), "<", 0.5);
}
//-

// At the end of the training the five vowels *a*, *e*, *i*, *o* and *u* are close together. The network does not know
// what a vowel is: it predicts the next letter, and much the same letters follow *a* and *e*, so one place in the plane
// serves both.

// ## How many components?
//
// Behind the embedding stands a single dense layer. So the score of letter $j$ after letter $i$ is
// $M_i \cdot w_j + b_j$, where $M_i$ is the vector of letter $i$.
//
// Two letters with equal vectors get equal predictions, whatever follows. A table of all pairs of 27 symbols has 729
// entries; with two components the network has $27 \cdot 2$ numbers in the embedding, $27 \cdot 2$ weights and 27 biases,
// 135 in all. It can only learn a table that two numbers a letter describe. What is lost? We train with more and more
// components, and compare with the shares that were counted. No model that sees a single letter can have a lower
// loss than these:
//- trainings with one to sixteen components
void components() {
    const Tensor count = pairs(), share = count / sum(count).item();
    const std::vector<Real> pair = count.values(), of_all = share.values(),
                            before = sum(count, {1}).values();
    double least = 0, last = HUGE_VAL, gain = HUGE_VAL;
    for (std::size_t i = 0; i < pair.size(); ++i)
        if (pair[i] > 0)
            least -= double(of_all[i]) *
                     std::log(double(pair[i] / before[i / std::size_t(symbols)]));
    for (const Index width : {1, 2, 4, 8, 16}) {
        double loss = 0;
        train(share, book::seed(), width, 10 * passes(),
              [&](Index, const Tensor&, Real now) { loss = double(now); });
        say("{:2} components, {:3} numbers: a loss of {:.3f} nats", width,
            symbols * (2 * width + 1), loss);
        gain = std::min(gain, last - loss), last = loss;
    }
    say("the counts,    729 numbers: a loss of {:.3f} nats", least);
    claim("", "the smallest fall of the loss when the components double", gain, ">", 0);
    claim("", "the loss of 16 components minus that of the counts", last - least, "<",
          0.02);
}
//-

// Each doubling lowers the loss, and each gains less. Two components lose 0.13 nats against the counts. Sixteen lose
// 0.001, but they are more numbers than the table of pairs has: for 27 symbols you could simply keep the table. The
// saving comes with many symbols. A table of all pairs of GPT-2's 50,257 symbols would have 2.5 billion entries, and
// pairs are a context of a single symbol. An embedding grows with the number of symbols, not with its square, and
// symbols that rarely occur share what the network has learned from others nearby.

// ## A row of a table
//
// The vectors are the rows of a matrix $M$, and an embedding reads the row of each symbol. Take a table of three
// symbols with two components, $(1, 2)$, $(3, 4)$ and $(5, 6)$. The sequence 2, 0, 2 becomes $(5, 6)$, $(1, 2)$,
// $(5, 6)$. If the sequence has more axes, such as sentences in a batch, the result has one axis more:
//
// ```{equation} eq-embedding
// :function: recto::nn::Embedding; recto::index_rows
// :test: Embedding: a vector for every token
// Y[d_1, \dots, d_K] = M[X[d_1, \dots, d_K]], \qquad M \in \mathbb{R}^{N \times D}
// ```
Tensor look_up(const Tensor& table, const std::vector<Index>& tokens) {
    Tensor rows = zeros({Index(tokens.size()), table.size(1)});
    for (std::size_t n = 0; n < tokens.size(); ++n)
        for (Index c = 0; c < table.size(1); ++c)
            rows.set({Index(n), c}, table.at({tokens[n], c}));
    return rows;
}
//- compared with the library and with a product
void table() {
    Generator random(book::seed());
    const Tensor weights = random.normal({7, 3});
    const std::vector<Index> tokens = {2, 0, 6, 2, 2, 5};
    const Integers places({6}, tokens);
    const Tensor rows = look_up(weights, tokens);
    claim("", "loops against the library: the sum of all differences",
          sum(abs(rows - index_rows(weights, places))).item(), "==", 0);
    claim("", "the product with vectors of a single one: the sum of all differences",
          sum(abs(rows - matmul(one_hot(places, 7), weights))).item(), "==", 0);
    Tensor trained = weights.detach().requires_grad_();
    sum(index_rows(trained, places)).backward();
    std::string counts;
    for (Index i = 0; i < 7; ++i)
        counts += fmt::format(" {:g}", trained.grad().at({i, 0}));
    say("symbols 2 0 6 2 2 5; gradient of the sum, for each row:{}", counts);
}
//-

// The same result comes from a [dense layer](layers.cpp) without bias, if each symbol enters as a one-hot vector: a row
// of zeros and a 1, times $M$, selects a row of $M$. But the product multiplies all the zeros. The smallest GPT-2 has
// 50,257 symbols and 768 components, 38.6 million weights; a look-up reads 768 of them and multiplies none.
//
// **Backward.** A row receives the sum of the gradients of all its uses. In the sequence 2, 0, 6, 2, 2, 5 symbol 2
// occurs three times, so its row gets three gradients. Rows that were not looked up get zero. Rare symbols therefore
// learn slowly: most mini-batches of 64 letters contain no *q* ({numref}`fig-looked-up`).
//- how the figure is drawn
void rare() {
    Generator random(book::seed());
    const Tensor count = pairs();
    std::vector<double> share, none;
    std::vector<std::string> name;
    const double all = double(sum(count).item());
    for (Index i = 1; i < symbols; ++i) {
        name.emplace_back(1, data::alphabet[std::size_t(i)]);
        share.push_back(double(sum(select(count, 0, i)).item()) / all);
        none.push_back(std::pow(1 - share.back(), 64));
    }
    Figure("fig-looked-up")
        .describe(
            "Bars for the 26 letters: the share of mini-batches without them. For e, i "
            "and "
            "a hardly any; for j and q about nine in ten.")
        .bars("share", name, none)
        .ylim(0, 1)
        .x("letter")
        .y("mini-batches without it")
        .save(
            "The share of mini-batches of 64 random letters in which a letter does not "
            "occur, so that its row gets no gradient.");
    say("mini-batches without e: {:.2f}, without q: {:.2f}",
        none[std::size_t(data::symbol('e') - 1)],
        none[std::size_t(data::symbol('q') - 1)]);
}
//-

// ## Limits and history
//
// An embedding knows only what the task needs. Here it is the next letter, and *h* and *t* are near each other because
// vowels follow both. An embedding has one vector for each symbol, whatever its meaning in the sentence: *bank* has one
// vector, and later layers must tell a river bank from a money bank. And symbols that the training never saw keep their
// random rows.
//
// {cite:t}`hinton1986` learned such vectors for the members of two families. {cite:t}`bengio2003` made them the first
// layer of a [language model](../training/contexts.cpp). {cite:t}`mikolov2013` trained them alone, on 1.6 billion
// words, and found that differences of vectors carry meaning.
//
// ## Summary
//
// An embedding is a table with a trained vector for each symbol. It equals a dense layer on one-hot vectors, without
// the product. Its gradient adds up over the uses of a symbol, and in our run symbols that are used alike end up near
// each other.
//
// ## What is missing
//
// Now each symbol has a vector, but a place has none. [The next page](positions.cpp) gives it one.
//
// ```{try}
// - More steps: `--steps 1000`. Which letter runs away, and which letter nearly always follows it?
// ```
void page() {
    a_map();
    components();
    table();
    rare();
}
