// # Probing a language model: does it learn the grammar?
//
// ```{rows} claim-gpt-learns-cfg claim-linear-probe-cfg
// ```
//
// A network that predicts the next letter may learn which letters often stand together, or it may learn the rules behind
// the text. With the texts of [the last page](grammar.cpp) you can tell the two apart: the rules and the tree of every
// text are known. {numref}`fig-learning-grammar` shows how a GPT learns to complete texts. Move the slider: it compares
// the GPT with tables that count which letter follows the last one, two, three letters and so on. How many letters must
// such a table read to keep up?
//
// ```{opening} fig-learning-grammar
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/attention_weights.hpp>
#include <recto/nn/gpt.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/module.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>
#include <recto/text/context_free.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say, book::Study;
using figure::Figure, figure::Names;
using text::ContextFreeGrammar, text::ParsedText;

const book::Option<Index> repeated("repeated", 250,
                                   "steps of the training that is repeated",
                                   {.quick = 20, .least = 1, .most = 100'000});

using Text = std::vector<Index>;  // letters 0 to 2
//-

//- texts, batches, and completions
// The network reads tokens: 0 stands before and after each text, and the letters are 1 to 3.
const nn::GptSize size_of_net = {
    .tokens = 4, .time = 48, .layers = 4, .width = 48, .heads = 4};
const Index all_steps = 4000, batch = 16, given = 10;
const double rate = 4e-3;

const ContextFreeGrammar& grammar() {
    static const ContextFreeGrammar one = text::three_levels();
    return one;
}

std::vector<ParsedText> draw(Index count, Generator& random) {
    std::vector<ParsedText> texts;
    for (Index i = 0; i < count; ++i) texts.push_back(grammar().sample(random));
    return texts;
}

struct Tokens {
    Integers read, next;  // (texts, time), and the token after each; -1 behind the end
};
Tokens tokens_of(const std::vector<const ParsedText*>& texts) {
    std::size_t longest = 0;
    for (const ParsedText* text : texts)
        longest = std::max(longest, text->tokens.size());
    std::vector<Index> read, next;
    for (const ParsedText* text : texts) {
        read.push_back(0);
        for (const Index letter : text->tokens)
            read.push_back(letter + 1), next.push_back(letter + 1);
        next.push_back(0);
        for (std::size_t t = text->tokens.size(); t < longest; ++t)
            read.push_back(0), next.push_back(-1);
    }
    const Index time = Index(longest) + 1;
    return {Integers({std::ssize(texts), time}, read),
            Integers({std::ssize(next)}, next)};
}
std::vector<const ParsedText*> all_of(const std::vector<ParsedText>& texts) {
    std::vector<const ParsedText*> all;
    for (const ParsedText& text : texts) all.push_back(&text);
    return all;
}

Tensor loss_of(const nn::Gpt& net, const Tokens& seen) {
    const Tensor scores = net(seen.read);
    return cross_entropy(reshape(scores, {seen.next.numel(), size_of_net.tokens}),
                         seen.next, {.ignored = -1});
}

// An index drawn in proportion to the numbers; 0 if all are zero.
Index drawn(const std::vector<double>& numbers, Generator& random) {
    double sum = 0;
    for (const double number : numbers) sum += number;
    double left = random.next_uniform() * sum;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (left < numbers[i]) return Index(i);
        left -= numbers[i];
    }
    return 0;
}

// Continues all of these beginnings, which have one length, letter by letter, up to the end of the text. A text that does
// not end in time is returned empty.
std::vector<Text> complete(const nn::Gpt& net, const std::vector<Text>& beginnings,
                           Generator& random) {
    const NoGrad only_asking;
    const Index n = std::ssize(beginnings), first = std::ssize(beginnings[0]);
    std::vector<nn::KeyValueCache> caches = net.caches(n, size_of_net.time);
    std::vector<Index> read;
    for (const Text& text : beginnings) {
        read.push_back(0);
        for (const Index letter : text) read.push_back(letter + 1);
    }
    Tensor scores = select(net(Integers({n, first + 1}, read), caches), 1, first);
    std::vector<Text> texts = beginnings;
    std::vector<bool> ended(std::size_t(n), false);
    for (Index time = first + 1; time < size_of_net.time; ++time) {
        const std::vector<Real> now = scores.values();
        std::vector<Index> next;
        for (std::size_t i = 0; i < texts.size(); ++i) {
            std::vector<double> odds;
            for (std::size_t k = 0; k < 4; ++k)
                odds.push_back(std::exp(double(now[4 * i + k])));
            next.push_back(drawn(odds, random));
            if (next.back() == 0) ended[i] = true;
            if (!ended[i]) texts[i].push_back(next.back() - 1);
        }
        if (std::ranges::find(ended, false) == ended.end()) break;
        scores = select(net(Integers({n, 1}, next), caches), 1, 0);
    }
    for (std::size_t i = 0; i < texts.size(); ++i)
        if (!ended[i]) texts[i].clear();
    return texts;
}

std::vector<Text> beginnings_of(const std::vector<ParsedText>& texts, Index count) {
    std::vector<Text> found;
    for (Index i = 0; i < count; ++i) {
        const Text& all = texts[std::size_t(i)].tokens;
        found.emplace_back(all.begin(), all.begin() + given);
    }
    return found;
}
//-

//- the tables of counts
// How often each token followed each context of `order` tokens; a text begins after tokens 0.
class Counts {
public:
    Counts(Index order, const std::vector<ParsedText>& texts)
        : contexts_(Index(1) << (2 * order)), counts_(std::size_t(4 * contexts_)) {
        for (const ParsedText& text : texts) {
            Index context = 0;
            for (const Index letter : text.tokens) {
                counts_[std::size_t(4 * context + letter + 1)] += 1;
                context = after(context, letter + 1);
            }
            counts_[std::size_t(4 * context)] += 1;
        }
    }
    Text complete(const Text& beginning, Generator& random) const {
        Text text = beginning;
        Index context = 0;
        for (const Index letter : beginning) context = after(context, letter + 1);
        while (std::ssize(text) < size_of_net.time) {
            const auto row = counts_.begin() + 4 * context;
            const Index next = drawn({row, row + 4}, random);
            if (next == 0) return text;
            text.push_back(next - 1);
            context = after(context, next);
        }
        return {};
    }

private:
    Index after(Index context, Index token) const {
        return (4 * context + token) % contexts_;
    }

    Index contexts_;
    std::vector<double> counts_;
};
//-

// ## Learning from the texts alone
//
// The network is the [GPT](mini_gpt.cpp) of this chapter with four layers of width 48. It reads a text such as *abcbcc…*
// letter by letter, and predicts each next letter or the end. It sees no symbol and no tree. Every text is new, so
// nothing can be learned by heart.
//
// After *ab*, which is an X, the text may go on with an X, a Y or a Z. That depends on whether this X is part of an A, a
// B or a C, and on its place there, and neither is written anywhere in the text. To predict well, the network must find
// out which constituents have ended, and which symbols they were. The membership test keeps a table for that. What does
// the network have? It is trained with a cross-entropy loss:
std::vector<double> train(const nn::Gpt& net, Index steps, Generator& random,
                          const auto& look) {
    optim::AdamW adam(nn::parameters(net));
    std::vector<double> losses;
    std::vector<ParsedText> pool;
    std::vector<std::vector<const ParsedText*>> batches;
    for (Index step = 0; step < steps; ++step) {
        //- batches of texts of about one length, and the learning rate
        if (batches.empty()) {
            pool = draw(16 * batch, random);
            std::ranges::stable_sort(
                pool, {}, [](const ParsedText& text) { return text.tokens.size(); });
            for (const Index k : random.permutation(16)) {
                batches.emplace_back();
                for (Index i = k * batch; i < (k + 1) * batch; ++i)
                    batches.back().push_back(&pool[std::size_t(i)]);
            }
        }
        const double left = 1 - double(step) / double(all_steps);
        adam.options.lr = rate * std::min({1.0, double(step + 1) / 50, 2 * left});
        //-
        const Tokens seen = tokens_of(batches.back());
        batches.pop_back();
        const Tensor loss = optim::train_step(adam, [&] { return loss_of(net, seen); });
        losses.push_back(double(loss.item()));
        look(step + 1);
    }
    return losses;
}

// To judge it, give it the first ten letters of a new text, and let it draw the rest. The membership test then says
// whether the rules can make this text. A rival that sees little is a table of counts. The **bigram** table knows how
// often each letter follows each letter, and draws the rest in the same way. Larger tables count what follows the last
// two, three or more letters.
//- what a network is asked after its training
double share_valid(const std::vector<Text>& texts) {
    Index valid = 0;
    for (const Text& text : texts)
        valid += !text.empty() && grammar().membership(text).belongs;
    return double(valid) / double(texts.size());
}

// What each layer holds: the embedding, then the output of each block; (texts, time, width) each.
std::vector<Tensor> states_of(const nn::Gpt& net, const Integers& read) {
    std::vector<Tensor> states = {net.words(read) +
                                  slice(net.places.weight, 0, 0, read.size(1))};
    for (const nn::GptBlock& block : net.blocks)
        states.push_back(block(states.back(), {.causal = true}));
    return states;
}

// The attention of each head to the ends of constituents of this depth, over the share of these among the tokens that the
// query sees; a mean over all queries at ends, the first of each text excepted.
std::vector<double> attention_to_ends(const nn::Gpt& net,
                                      const std::vector<ParsedText>& texts,
                                      Index depth) {
    const NoGrad only_asking;
    const Tokens seen = tokens_of(all_of(texts));
    const std::vector<Tensor> states = states_of(net, seen.read);
    const Index time = seen.read.size(1), heads = size_of_net.heads;
    std::vector<double> ratios;
    for (std::size_t layer = 0; layer < net.blocks.size(); ++layer) {
        const nn::GptBlock& block = net.blocks[layer];
        const Tensor x = block.before_attention(states[layer]);
        const std::vector<Real> weight =
            nn::attention_weights(block.attention, x, x, {.causal = true}).values();
        for (Index head = 0; head < heads; ++head) {
            double mass = 0, uniform = 0;
            for (std::size_t i = 0; i < texts.size(); ++i) {
                const Text ends = text::symbols_ending(texts[i], depth);
                Index before = 0;  // ends before this query
                for (Index t = 0; t < std::ssize(ends); ++t) {
                    if (ends[std::size_t(t)] < 0) continue;
                    if (before++ == 0) continue;
                    const std::size_t row =
                        std::size_t(((Index(i) * heads + head) * time + t + 1) * time);
                    for (Index s = 0; s < t; ++s)
                        if (ends[std::size_t(s)] >= 0)
                            mass += double(weight[row + std::size_t(s) + 1]);
                    uniform += double(before - 1) / double(t + 2);
                }
            }
            ratios.push_back(mass / uniform);
        }
    }
    return ratios;
}

// States of one layer at the ends of constituents of this depth, and which symbol has ended.
struct Labelled {
    std::vector<Real> states;
    std::vector<Index> symbols;
};
Labelled labelled(const std::vector<Tensor>& states, std::size_t layer,
                  const std::vector<ParsedText>& texts, Index depth, Index most) {
    Labelled found;
    const Index width = size_of_net.width, time = states[layer].size(1);
    const std::vector<Real> all = states[layer].values();
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const Text ends = text::symbols_ending(texts[i], depth);
        for (Index t = 0; t < std::ssize(ends); ++t) {
            if (ends[std::size_t(t)] < 0 || std::ssize(found.symbols) == most) continue;
            const auto at = all.begin() + (Index(i) * time + t + 1) * width;
            found.states.insert(found.states.end(), at, at + width);
            found.symbols.push_back(ends[std::size_t(t)] - (depth == 1 ? 4 : 7));
        }
    }
    return found;
}

// A linear classifier on standardised states, and its accuracy on other texts.
double probe(Labelled learned, Labelled unseen, Generator& random) {
    const Index width = size_of_net.width;
    for (Index k = 0; k < width; ++k) {
        double mean = 0, square = 0;
        const double count = double(learned.symbols.size());
        for (std::size_t i = std::size_t(k); i < learned.states.size();
             i += std::size_t(width))
            mean += double(learned.states[i]) / count,
                square += double(learned.states[i]) * double(learned.states[i]) / count;
        const double deviation = std::sqrt(std::max(square - mean * mean, 1e-12));
        for (Labelled* one : {&learned, &unseen})
            for (std::size_t i = std::size_t(k); i < one->states.size();
                 i += std::size_t(width))
                one->states[i] = Real((double(one->states[i]) - mean) / deviation);
    }
    const auto tensor = [&](const Labelled& one) {
        return Tensor({std::ssize(one.symbols), width}, one.states);
    };
    const nn::Linear classifier(width, 3, random);
    optim::Adam adam(nn::parameters(classifier), {.lr = 0.05});
    const Tensor x = tensor(learned);
    const Integers labels({std::ssize(learned.symbols)}, learned.symbols);
    for (int step = 0; step < 400; ++step)
        optim::train_step(adam, [&] { return cross_entropy(classifier(x), labels); });
    const NoGrad only_asking;
    const std::vector<Real> scores = classifier(tensor(unseen)).values();
    Index right = 0;
    for (std::size_t i = 0; i < unseen.symbols.size(); ++i) {
        const auto row = scores.begin() + long(3 * i);
        right += std::max_element(row, row + 3) - row == unseen.symbols[i];
    }
    return double(right) / double(unseen.symbols.size());
}
//-
//- the study
const std::vector<double> looks = {250, 500, 1000, 1500, 2000, 2500, 3000, 3500, 4000};

std::vector<std::string> result_names() {
    std::vector<std::string> names;
    for (const double look : looks)
        names.push_back(fmt::format("loss {}", look)),
            names.push_back(fmt::format("valid {}", look));
    names.insert(names.end(), {"valid", "valid from nothing"});
    for (const char* net : {"trained", "random"})
        for (int depth = 1; depth <= 2; ++depth) {
            for (const char* half : {"first", "second"})
                for (int head = 0; head < 16; ++head)
                    names.push_back(
                        fmt::format("{} attention {} {} {}", net, depth, half, head));
            for (int layer = 0; layer <= 4; ++layer)
                names.push_back(fmt::format("{} probe {} {}", net, depth, layer));
        }
    return names;
}

Study::Row train_and_probe(const Study::Row& cell) {
    Generator random(1000 * std::uint64_t(cell[0]) + book::seed());
    const std::vector<ParsedText> held = draw(1000, random);
    const nn::Gpt net(size_of_net, random), untrained(size_of_net, random);
    Study::Row row;
    const std::vector<ParsedText> some(held.begin(), held.begin() + 200);
    train(net, all_steps, random, [&](Index step) {
        if (std::ranges::find(looks, double(step)) == looks.end()) return;
        const NoGrad only_asking;
        Generator own(book::seed() + 7);  // a look does not change the training
        row.push_back(double(loss_of(net, tokens_of(all_of(some))).item()));
        row.push_back(share_valid(complete(net, beginnings_of(some, 200), own)));
    });
    row.push_back(share_valid(complete(net, beginnings_of(held, 1000), random)));
    row.push_back(share_valid(complete(net, std::vector<Text>(500), random)));
    const std::vector<ParsedText> first(held.begin(), held.begin() + 150),
        second(held.begin() + 150, held.begin() + 300),
        learned(held.begin(), held.begin() + 700),
        unseen(held.begin() + 700, held.end());
    for (const nn::Gpt* one : {&net, &untrained}) {
        std::vector<Tensor> of_learned, of_unseen;
        {
            const NoGrad only_asking;
            of_learned = states_of(*one, tokens_of(all_of(learned)).read);
            of_unseen = states_of(*one, tokens_of(all_of(unseen)).read);
        }
        for (Index depth = 1; depth <= 2; ++depth) {
            for (const auto* half : {&first, &second}) {
                const std::vector<double> ratios =
                    attention_to_ends(*one, *half, depth);
                row.insert(row.end(), ratios.begin(), ratios.end());
            }
            for (std::size_t layer = 0; layer <= 4; ++layer)
                row.push_back(probe(labelled(of_learned, layer, learned, depth, 2000),
                                    labelled(of_unseen, layer, unseen, depth, 1000),
                                    random));
        }
    }
    return row;
}

const Study study({"learning_a_grammar",
                   {"draw"},
                   result_names(),
                   {"claim-gpt-learns-cfg/a", "claim-gpt-learns-cfg/b",
                    "claim-gpt-learns-cfg/d", "claim-linear-probe-cfg/a",
                    "claim-linear-probe-cfg/b", "claim-linear-probe-cfg/c"},
                   0.05},
                  {{1}, {2}, {3}, {4}, {5}}, train_and_probe);
//-

//- results of the study, the tables' shares, and how the first figure is drawn
std::vector<double> column(const std::string& name) {
    return study.frozen().column(name);
}
double middle(const std::string& name) { return book::median(column(name)); }

const Index longest_context = 10;

// The share of completions that the rules can make, for tables that read one letter, two letters and so on.
std::vector<double> shares_of_tables(std::uint64_t draw_number, Index most) {
    Generator random(1000 * draw_number + book::seed() + 17);
    const std::vector<ParsedText>&texts =
              draw(book::quick() ? 2000 : all_steps * batch, random),
          held = draw(1000, random);
    std::vector<double> shares;
    for (Index order = 1; order <= most; ++order) {
        const Counts counts(order, texts);
        std::vector<Text> completed;
        for (const Text& beginning : beginnings_of(held, 1000))
            completed.push_back(counts.complete(beginning, random));
        shares.push_back(share_valid(completed));
    }
    return shares;
}

void learning() {
    const std::vector<double> tables = shares_of_tables(1, longest_context);
    std::vector<double> orders;
    for (Index order = 1; order <= longest_context; ++order)
        orders.push_back(double(order));
    std::vector<std::vector<double>> runs(column("valid").size());
    for (const double look : looks) {
        const std::vector<double> valid = column(fmt::format("valid {}", look));
        for (std::size_t i = 0; i < runs.size(); ++i) runs[i].push_back(100 * valid[i]);
    }
    Figure figure("fig-learning-grammar");
    figure
        .describe(
            "The share of valid completions against the training steps, for five "
            "trainings. The curves stay near zero at first, then rise steeply to more "
            "than nine tenths. A horizontal line shows the share of a table of counts. "
            "A slider sets how many letters the table reads.")
        .slider("letters", orders, "letters that the table of counts reads", 1)
        .lines("GPT", looks, runs, {.color = figure::blue});
    for (std::size_t i = 0; i < orders.size(); ++i)
        figure.at(orders[i]).rule_y(
            100 * tables[i],
            fmt::format("table, letters read: {}; valid: {:.1f} %", orders[i],
                        100 * tables[i]),
            {.color = figure::red});
    figure.always()
        .x("training step")
        .y("valid completions, %")
        .ylim(0, 105)
        .save(
            "New texts are continued after their first ten letters; the share that the "
            "rules can make. Curves: five trainings of a GPT with four layers, 200 "
            "texts at each point. Line: a table that counts which letter follows the "
            "letters before it, from as many texts as the GPT reads, on 1,000 texts. "
            "Drag the slider: each letter more makes the table larger by a factor of "
            "three.");
    book::shows("claim-gpt-learns-cfg/a", "fig-learning-grammar");
    claim("claim-gpt-learns-cfg/b", "share of valid completions of the GPT",
          over_seeds(column("valid")), ">=", 0.9);
    std::vector<double> bigram;
    for (std::uint64_t number = 1; number <= 5; ++number)
        bigram.push_back(shares_of_tables(number, 1)[0]);
    claim("claim-gpt-learns-cfg/c", "share of valid completions of the bigram table",
          over_seeds(bigram), "<=", 0.05);
    say("share of valid texts that the GPT writes from nothing: {}",
        book::brief(over_seeds(column("valid from nothing"))));
}

// The mean of -log p of new texts, in nats a token: no model can have a smaller loss.
double entropy() {
    Generator random(book::seed() + 3);
    double nats = 0, tokens = 0;
    for (const ParsedText& text : draw(book::quick() ? 50 : 1000, random)) {
        nats -= std::log(grammar().probability(text.tokens));
        tokens += double(text.tokens.size()) + 1;
    }
    return nats / tokens;
}

void beginning_again() {
    const double least = entropy();
    say("entropy of the language: {:.3f} nats a letter; loss of the GPT on new texts: "
        "{}",
        least, book::brief(over_seeds(column(fmt::format("loss {}", looks.back())))));
    Generator random(1000 + book::seed());
    const std::vector<ParsedText> held = draw(1000, random);
    const nn::Gpt net(size_of_net, random), untrained(size_of_net, random);
    train(net, repeated(), random, [](Index) {});
    const NoGrad only_asking;
    const std::vector<ParsedText> some(held.begin(), held.begin() + 200);
    const double loss = double(loss_of(net, tokens_of(all_of(some))).item());
    say("parameters: {}; loss after the first {} steps: {:.2f} nats a letter",
        nn::count(net), repeated(), loss);
    const double kept = column(fmt::format("loss {}", looks[0]))[0];
    claim("",
          "the first steps of the first training, run again: loss against that of the "
          "full run, relative difference",
          std::abs(loss / kept - 1), "<=", 0.05);
}
//-

// The table of bigrams fails almost always. It knows which pairs of letters are allowed, but a text of 30 letters has
// twelve constituents of the third level and four of the second, and all of them must fit. Larger tables hardly help: the
// fourth symbol of the second level must repeat the first, which has ended about twenty letters before. The GPT begins
// like a table. At first it makes no valid text, although its loss falls. Then the share rises, and in the end more than
// nine completions in ten obey all rules. On new texts its loss comes close to the entropy of the language, which no
// model can beat.
//
// ## Where does it look?
//
// The rules say which symbol may come next, and which one did come is decided by whole constituents. If the network works
// with constituents, it should look at them. A natural place is the *end* of each one, since a causal network can know
// the symbol only there. Suppose that 16 tokens are visible and two of them are ends of constituents. A head that looks
// everywhere alike gives them $\frac{2}{16} = 12.5\ \%$ of its attention. If it gives them 50 %, the ratio is 4. In
// general, for queries $t$ at the ends of constituents, compare the attention $a_{ts}$ to the earlier ends $E_t$ with
// their share among the $n_t$ visible tokens:
//
// $$ r = \frac{\sum_t \sum_{s \in E_t} a_{ts}}{\sum_t |E_t| / n_t} . $$
//
// The sums run over 150 texts. {numref}`fig-attention-ends` shows the ratio of each head.
//- the figure of the heads, and what is checked
std::vector<double> per_head(const std::string& net, int depth,
                             const std::string& half) {
    std::vector<double> found;
    for (int head = 0; head < 16; ++head)
        found.push_back(
            middle(fmt::format("{} attention {} {} {}", net, depth, half, head)));
    return found;
}

// For each training, the mean ratio of the heads of one layer: the layer is chosen on other texts.
std::vector<double> chosen_layer(const std::string& net, int depth) {
    const auto mean_of = [&](const std::string& half, std::size_t run, int layer) {
        double sum = 0;
        for (int head = 4 * layer; head < 4 * layer + 4; ++head)
            sum += column(
                fmt::format("{} attention {} {} {}", net, depth, half, head))[run];
        return sum / 4;
    };
    std::vector<double> found;
    for (std::size_t run = 0; run < column("valid").size(); ++run) {
        int best = 0;
        for (int layer = 1; layer < 4; ++layer)
            if (mean_of("first", run, layer) > mean_of("first", run, best))
                best = layer;
        found.push_back(mean_of("second", run, best));
    }
    return found;
}

void attention() {
    Names layers, heads;
    for (int i = 1; i <= 4; ++i)
        layers.push_back(fmt::format("layer {}", i)),
            heads.push_back(std::to_string(i));
    std::vector<std::vector<double>> cells;
    double most = 0;
    for (const char* net : {"trained", "random"}) {
        cells.push_back(per_head(net, 1, "second"));
        for (std::size_t layer = 0; layer < 4; ++layer)  // heads have no order
            std::sort(cells.back().begin() + long(4 * layer),
                      cells.back().begin() + long(4 * layer + 4), std::greater<>());
        most = std::max(most, *std::ranges::max_element(cells.back()));
    }
    Figure figure("fig-attention-ends");
    figure
        .describe(
            "Two heat maps of four layers by four heads. That of the trained network "
            "has large ratios in some heads of the second to fourth layer, that of the "
            "untrained network has ratios near one everywhere.")
        .columns(2);
    for (std::size_t k = 0; k < 2; ++k)
        figure.panel(k == 0 ? "trained" : "random weights")
            .heatmap("ratio", heads, layers, cells[k], 0, most)
            .x("heads, the largest ratio first");
    figure.save(
        "Attention from the end of an A, B or C to the ends of earlier ones, over what "
        "a head that looks everywhere alike would give them: medians of five "
        "trainings.");
    book::shows("claim-gpt-learns-cfg/a", "fig-attention-ends");
    claim(
        "claim-gpt-learns-cfg/d",
        "attention to the ends of constituents over the uniform one, mean of the heads "
        "of a layer that was chosen on other texts",
        over_seeds(chosen_layer("trained", 1)), ">=", 2);
    say("the same with random weights: {}",
        book::brief(over_seeds(chosen_layer("random", 1))));
}
//-

// The trained network looks at the ends several times as often as an even look would, and most of all in LAYERS. With
// random weights no head prefers them. The layer for the claim was chosen on one half of the texts and measured on the
// other half. Otherwise the largest of several noisy numbers would look better than it is.
//
// ## Can the symbols be read off?
//
// Attention says where the network looks, not what it knows. So ask the states. A **probe** is a classifier that reads
// the state of one layer at one position and says which symbol has just ended there {cite:p}`alain2016`. The network is
// frozen, and only the probe is trained. Ours is a [linear classifier](../foundations/classification.cpp) for three
// symbols: with a state $h$ of 48 numbers it computes the scores $W h + b$. It can only read what is plainly there, since
// it has no layer of its own to compute anything.
//
// Place your bet. An A is spelled X X Z, a B is X Y Z, and a C is Y X Z or Y Y Z. All three end with a Z, so the last
// letters tell nothing. The symbols before the Z have several spellings, and all of them use the same three letters:
//- the question, the figure of the probes, and what is checked
std::vector<double> best_of_layers(const std::string& net, int depth) {
    std::vector<double> best;
    for (int layer = 0; layer <= 4; ++layer) {
        const std::vector<double> found =
            column(fmt::format("{} probe {} {}", net, depth, layer));
        best.resize(found.size());
        for (std::size_t i = 0; i < found.size(); ++i)
            best[i] = std::max(best[i], found[i]);
    }
    return best;
}

void probes() {
    const double trained = middle("trained probe 1 4");
    ask("At the end of an A, B or C, a linear classifier reads the last layer of the "
        "trained GPT, which was only ever asked for the next letter. How often does it "
        "name the right symbol of the three?",
        {{"About a third of the time: nothing in the text names the symbol.",
          trained < 0.5,
          "The GPT has to know the symbol to predict what may follow it. What it must "
          "know for its scores, which are linear in the last layer, tends to be linear "
          "there."},
         {"About two thirds of the time.", trained >= 0.5 && trained < 0.85,
          "Part of the answer is not enough to predict the next constituent."},
         {"Nearly always.", trained >= 0.85,
          "The symbol decides which constituent may follow. The scores of the next "
          "letter are a linear function of the last state, so whatever decides them "
          "is easy to read there."}});
    const std::vector<double> layers = {0, 1, 2, 3, 4};
    Figure figure("fig-probes");
    figure
        .describe(
            "Accuracy of the probe against the layer, from the embedding to the fourth "
            "block, in two panels for two levels of the grammar. The curves of the "
            "trained network rise to nearly all. Those of random weights stay far "
            "below on the second level.")
        .columns(2);
    for (int depth = 1; depth <= 2; ++depth) {
        figure.panel(depth == 1 ? "second level: A, B or C" : "third level: X, Y or Z");
        for (const char* net : {"trained", "random"}) {
            std::vector<std::vector<double>> runs(column("valid").size());
            for (const double layer : layers) {
                const std::vector<double> found =
                    column(fmt::format("{} probe {} {}", net, depth, layer));
                for (std::size_t i = 0; i < runs.size(); ++i)
                    runs[i].push_back(100 * found[i]);
            }
            const bool learned = std::string(net) == "trained";
            figure.lines(learned ? "trained" : "random weights", layers, runs,
                         {.color = learned ? figure::blue : figure::red});
        }
        figure.x("layer; 0 is the embedding")
            .y("accuracy of the probe, %")
            .ylim(0, 105);
    }
    figure.save(
        "A linear probe at the ends of constituents: how often it names the symbol "
        "that "
        "has ended, on texts that it has not seen. Five networks each. The "
        "probe learns from 2,000 states and is tested on 1,000.");
    book::shows("claim-linear-probe-cfg/a", "fig-probes");
    claim("claim-linear-probe-cfg/b",
          "accuracy of the probe on A, B and C, last layer of the trained GPT",
          over_seeds(column("trained probe 1 4")), ">=", 0.9);
    claim("claim-linear-probe-cfg/c",
          "the same for a GPT with random weights, at its best layer",
          over_seeds(best_of_layers("random", 1)), "<=", 0.7);
}
//-

// The control matters. A network with random weights also mixes the letters before, and a probe can do something with
// such a mixture: on the third level a good deal, since X, Y and Z differ in their letters, on the second level much
// less, where the order of symbols decides. What the trained network adds to this, it has learned.
//
// ## Is this dynamic programming?
//
// The membership test keeps a table of symbols for pieces of the text, and looks up shorter pieces to decide about longer
// ones. The trained network has, at the end of each constituent, a state from which the symbol can be read, and heads
// that look at such ends. That is what a table would look like in a network. It is evidence, not proof. The probe shows
// that the symbol is *there*, and the heads show where the network *looks*. Neither shows that the one is used for the
// other.
//
void page() {
    learning();
    beginning_again();
    attention();
    probes();
}

// ## Limits and origins
//
// {cite:t}`allenzhu2023` trained GPTs of twelve layers on grammars of seven levels with texts of hundreds of letters, and
// found all of this there: valid completions, symbols that a probe can read, and heads that look at the ends. Our network
// has four narrow layers, and our grammar has three levels. Each A, B and C ends with a Z, as a sentence ends with a full
// stop. This makes the ends easy to find, and a head that looks for the letters of a Z looks at ends. In their grammars
// no symbol marks an end.
//
// ## Summary
//
// A GPT that sees only texts learns to write texts that obey a grammar of three levels, which no table of counts does.
// Its heads look at the ends of constituents, and a linear probe reads the symbols from its states, although no letter
// names them. With random weights, neither is so.
//
// ## What is missing
//
// Letters in a row, however deeply nested, are still a sequence. [The next page](graph_networks.cpp) is about data
// whose parts are connected in any way.
//
// ```{try}
// - A longer beginning of the training: `--repeated 1000`. How far does the loss fall?
// ```
