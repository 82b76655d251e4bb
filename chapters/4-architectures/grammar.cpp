// # Context-free grammars: text with known trees
//
// ```{rows} sys-cfg-corpus
// ```
//
// What does a language model learn from text besides which words often stand together? Real text does not answer, since
// the rules behind it are not known. So we write the rules ourselves. A **context-free grammar** replaces symbols by
// parts until only words are left, and the replacements form a tree. {numref}`fig-tree` grows such trees. Move the
// sliders: draw another sentence, and apply one rule after another. This page draws texts, decides which texts obey the
// rules, and computes how probable they are.
//
// ```{opening} fig-tree
// ```
//- includes, names and options
#include <recto/book/page.hpp>
#include <recto/book/table.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/text/context_free.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::say;
using figure::Figure, figure::Names;
using text::Constituent, text::ContextFreeGrammar, text::GrammarRule, text::InsideChart,
    text::ParsedText;

const book::Option<Index> which("sentence", 2, "number of the drawn sentence",
                                {.least = 1, .most = 12});
const book::Option<Index> applied("rules", 30, "rules that are applied in the figure",
                                  {.least = 0, .most = 30});
const book::Option<Index> samples("samples", 2000, "texts that are drawn and tested",
                                  {.quick = 200, .least = 1, .most = 100'000});

using Text = std::vector<Index>;

// Defined further down:
ContextFreeGrammar english();
//-

//- names, and how trees are drawn
// The first nine are words, the others symbols.
const Names english_names = {"the", "a",  "dog", "cat", "bell", "sees", "hears", "with",
                             "S",   "NP", "VP",  "PP",  "D",    "N",    "V"};
const Names letter_names = {"a", "b", "c", "S", "A", "B", "C", "X", "Y", "Z"};

std::string written(const Text& text, const Names& names, const char* space = " ") {
    std::string words;
    for (const Index token : text)
        words += (words.empty() ? "" : space) + names[std::size_t(token)];
    return words;
}

// The tree after this many rules, always the leftmost symbol first. A symbol stands over the middle of its words.
void draw_tree(Figure& figure, const ParsedText& text, const Names& names,
               Index rules) {
    const std::vector<Constituent>& all = text.constituents;
    const Index expanded = std::min(rules, std::ssize(all));
    std::vector<double> x, y, line_x = {NAN}, line_y = {NAN};
    Names labels;
    std::vector<double> word_x, word_y;
    Names words;
    const auto middle = [](const Constituent& c) {
        return double(c.begin + c.end - 1) / 2;
    };
    const auto edge = [&](const Constituent& from, double to_x, double to_y) {
        line_x.insert(line_x.end(), {middle(from), to_x, NAN});
        line_y.insert(line_y.end(), {-double(from.depth) - 0.28, to_y + 0.28, NAN});
    };
    // The innermost constituent before `before` around this piece; constituents stand before those inside them.
    const auto around = [&](Index begin, Index end, Index before) {
        Index found = -1;
        for (Index k = 0; k < before; ++k)
            if (all[std::size_t(k)].begin <= begin && all[std::size_t(k)].end >= end)
                found = k;
        return found;
    };
    for (Index k = 0; k < std::ssize(all); ++k) {
        const Constituent& c = all[std::size_t(k)];
        const Index parent = around(c.begin, c.end, k);
        if (parent >= expanded) continue;
        x.push_back(middle(c)), y.push_back(-double(c.depth));
        labels.push_back(names[std::size_t(c.symbol)]);
        if (parent >= 0) edge(all[std::size_t(parent)], x.back(), y.back());
    }
    for (Index t = 0; t < std::ssize(text.tokens); ++t) {
        const Index parent = around(t, t + 1, std::ssize(all));
        if (parent >= expanded) continue;
        word_x.push_back(double(t));
        word_y.push_back(-double(all[std::size_t(parent)].depth) - 1);
        words.push_back(names[std::size_t(text.tokens[std::size_t(t)])]);
        edge(all[std::size_t(parent)], word_x.back(), word_y.back());
    }
    if (words.empty()) word_x = {0}, word_y = {NAN}, words = {""};
    figure
        .line(
            "", line_x, line_y,
            {.color = figure::grey, .dash = figure::solid, .width = 1, .points = false})
        .words("", x, y, labels, {.color = figure::blue, .bold = true})
        .words("", word_x, word_y, words, {.color = figure::ink})
        .xlim(-0.6, double(text.tokens.size()) - 0.4);
}

void first_trees() {
    const ContextFreeGrammar grammar = english();
    Generator random(book::seed());
    ParsedText shown;
    for (Index found = 0; found < which();) {
        shown = grammar.sample(random);
        found += shown.tokens.size() <= 11 && shown.tokens.size() >= 5;
    }
    Figure figure("fig-tree");
    figure
        .describe(
            "A tree that grows downwards from the symbol S. Symbols are joined by "
            "lines with the parts that replaced them, and the lowest nodes are words. "
            "One slider chooses the sentence, another the number of rules that have "
            "been applied.")
        .slider(which, "sentence")
        .slider(applied, "rules applied");
    draw_tree(figure, shown, english_names, applied());
    figure.height(380).ylim(-8.4, 0.4).bare().save(
        "A sentence of a small grammar with its tree. The symbols stand for sentence "
        "(S), noun phrase (NP), verb phrase (VP), prepositional phrase (PP), "
        "determiner (D), noun (N) and verb (V). The first slider draws another "
        "sentence of 5 to 11 words, the second one says how many rules have been "
        "applied, always to the leftmost symbol that is left.");
}
//-

// ## Rules and weights
//
// Here is a rule: a sentence S may become a noun phrase NP and a verb phrase VP. A noun phrase may become a determiner
// and a noun, or a noun phrase and a prepositional phrase. So S can become NP VP, then D N VP, then *the* N VP, then *the
// dog* VP, and so on. A noun phrase can contain a noun phrase, so the number of sentences is infinite.
// **Context-free** means that a rule may be used wherever its symbol stands, whatever stands around it
// {cite:p}`chomsky1956`.
//
// The rules of one symbol compete, and weights decide. If NP → D N has the weight 4 and NP → NP PP the weight 1, then
// four noun phrases in five take the first rule. In the library, words are the first numbers, and symbols follow:
enum Word : Index { the, a, dog, cat, bell, sees, hears, with };
enum Symbol : Index { S = 8, NP, VP, PP, D, N, V };

ContextFreeGrammar english() {
    return ContextFreeGrammar(8, {{S, {NP, VP}},
                                  {NP, {D, N}, 4},
                                  {NP, {NP, PP}, 1},
                                  {VP, {V, NP}, 3},
                                  {VP, {VP, PP}, 2},
                                  {PP, {with, NP}},
                                  {D, {the}},
                                  {D, {a}},
                                  {N, {dog}},
                                  {N, {cat}},
                                  {N, {bell}},
                                  {V, {sees}},
                                  {V, {hears}}});
}
// The sampler begins with S and draws a rule for each symbol, and it keeps the tree. Each symbol of the tree covers a
// piece of the text, called a **constituent**. A **sample** is the text with its constituents. The symbol, the first and
// the last word of each one are known exactly. No corpus of natural language offers that.
//
// ## Does a text belong?
//
// The opposite direction is harder: a text is given, and you want to know whether the rules can make it. Take *the dog
// sees a cat*. Start with single words. *The* can be a D, and *dog* an N. Then look at pairs: *the dog* can be an NP,
// because it is a D followed by an N. *Sees a cat* is a V and an NP, so it can be a VP. At last, *the dog sees a cat* is
// an NP followed by a VP, and that is an S. So the text belongs to the language.
//
// In general, take short pieces before long ones. For each piece, try each place at which it can be cut in two, and each
// rule. A symbol becomes the piece if its first part becomes the piece before the cut and its second part the piece
// behind it. Both are shorter, so their answers stand in a table already. A rule with three parts is used as two
// rules. This is the algorithm of Cocke, Younger and Kasami, **CYK** {cite:p}`younger1967`. {numref}`fig-cyk` fills
// the table for a sentence with an addition: *the dog sees a cat with a bell*.
//- how the table is drawn
const Text with_a_bell = {the, dog, sees, a, cat, with, a, bell};

void draw_chart() {
    const ContextFreeGrammar grammar = english();
    const InsideChart chart = grammar.inside(with_a_bell);
    const Index n = std::ssize(with_a_bell);
    std::vector<double> lengths;
    for (Index length = 1; length <= n; ++length) lengths.push_back(double(length));
    std::vector<double> word_x, zeros;
    Names words;
    for (Index t = 0; t < n; ++t) {
        word_x.push_back(double(t + 1)), zeros.push_back(0);
        words.push_back(english_names[std::size_t(with_a_bell[std::size_t(t)])]);
    }
    Figure figure("fig-cyk");
    figure
        .describe(
            "A triangle of symbols over the eight words of a sentence. A symbol stands "
            "over the middle of the piece that it can become, the higher the longer "
            "the piece. A slider sets the length up to which the table is filled. At "
            "length eight the symbol S appears at the top.")
        .slider("length", lengths, "pieces of up to this many words", double(n));
    for (const double most : lengths) {
        std::vector<double> x, y;
        Names symbols;
        for (Index length = 1; length <= Index(most); ++length)
            for (Index begin = 0; begin + length <= n; ++begin) {
                std::string all;
                for (Index symbol = grammar.tokens(); symbol < grammar.symbols();
                     ++symbol)
                    if (chart.at(symbol, begin, begin + length) > 0)
                        all += (all.empty() ? "" : ", ") +
                               english_names[std::size_t(symbol)];
                x.push_back(double(begin) + double(length + 1) / 2);
                y.push_back(double(length));
                symbols.push_back(all.empty() ? "·" : all);
            }
        figure.at(most).words("", x, y, symbols, {.color = figure::blue});
    }
    figure.always()
        .words("", word_x, zeros, words, {.color = figure::ink})
        .xlim(0.4, double(n) + 0.6)
        .ylim(-0.5, double(n) + 0.5)
        .y("number of words in the piece")
        .x("middle of the piece, counted in words")
        .save(
            "The table of the membership test for one sentence. A symbol stands where "
            "it can become the piece, a dot where none can. Drag the slider from 1 to "
            "8: each row needs only the rows of shorter pieces. The last row has an S, "
            "so the sentence belongs to the language. The VP of six words can be made "
            "in two ways.");
}
//-

// ## How probable is it?
//
// The last sentence has two trees. In the first, the dog uses the bell to see the cat: the phrase belongs to the verb. In
// the second, the dog sees a cat that has a bell: the phrase belongs to the noun. The first tree uses the rule VP → VP
// PP, with a probability of $\frac25$, and the second NP → NP PP, with $\frac15$. All other rules are the same. So the
// first tree is twice as probable as the second, and the probability of the sentence is the sum of both.
//
// Such sums need no list of trees. In the table, write down a probability in place of yes or no: the sum
// over all trees. For a symbol $A$ and the piece from word $i$ to word $j$ it is called the **inside probability**
// {cite:p}`baker1979`:
//
// ```{equation} eq-inside
// :function: recto::text::ContextFreeGrammar::inside
// :test: context_free: inside probabilities against the recursion
// \alpha_A(i, j) = \sum_{A \to B\,C} p(A \to B\,C) \sum_{k=i}^{j-1} \alpha_B(i, k)\, \alpha_C(k + 1, j) .
// ```
//
// The first sum runs over the rules of $A$, the second over the places of the cut. *Or* has become a sum, and *and* has
// become a product. The probability of a text of $n$ words is $\alpha_S(1, n)$. The code is four loops:
//
// ```{excerpt} recto/text/context_free.cpp ContextFreeGrammar::inside
// ```
//- probabilities of sentences, and a language that can be listed
// 0 and 1 are letters; a text has three to six of them, and some texts have two trees.
ContextFreeGrammar small_grammar() {
    return ContextFreeGrammar(2, {{2, {3, 4}, 3},
                                  {2, {4, 3, 3}, 1},
                                  {3, {0}, 1},
                                  {3, {0, 1}, 2},
                                  {3, {1, 0}, 1},
                                  {4, {0, 0}, 1},
                                  {4, {1, 1}, 3}});
}

void probabilities() {
    const ContextFreeGrammar grammar = english();
    const Text plain = {the, dog, sees, a, cat}, upside_down = {dog, the, sees, a, cat};
    for (const Text& text : {plain, with_a_bell, upside_down})
        say("{}: {:.2g}", written(text, english_names), grammar.probability(text));
    const InsideChart chart = grammar.inside(with_a_bell);
    const double whole = chart.at(VP, 2, 8);
    const double by_verb = 0.4 * chart.at(VP, 2, 5) * chart.at(PP, 5, 8);
    claim("", "share of the tree in which the phrase belongs to the verb",
          by_verb / whole, ">=", 0.66);

    const ContextFreeGrammar small = small_grammar();
    double sum = 0, possible = 0, texts = 0;
    for (Index length = 1; length <= 6; ++length)
        for (Index number = 0; number < Index(1) << length; ++number) {
            Text text;
            for (Index i = 0; i < length; ++i) text.push_back(number >> i & 1);
            const double p = small.probability(text);
            sum += p, possible += p > 0, ++texts;
        }
    say("texts of up to six letters: {}, of which the rules can make {}", texts,
        possible);
    claim("sys-cfg-corpus/b",
          "the probabilities of all texts of a small grammar: their sum less 1",
          std::abs(sum - 1), "<=", 1e-9);
}
//-

// A grammar whose texts can be listed tests this. It has two letters and texts of three to six letters, some of which
// have two trees. The probabilities of all texts sum to 1. If one tree were left out, the sum would be smaller.
//
// ## What does it cost?
//
// A sentence that ends in several phrases *with a bell* has many trees, because each phrase may belong to the verb or to
// any noun before it. Place your bet before you look at {numref}`fig-parse-cost`:
//- the question, the count of trees, and the figure
Text with_bells(Index phrases) {
    Text text = {the, dog, sees, a, cat};
    for (Index i = 0; i < phrases; ++i) text.insert(text.end(), {with, a, bell});
    return text;
}

// The same table with numbers of trees in place of probabilities; each rule has one or two parts.
double trees_of(const ContextFreeGrammar& grammar, const Text& text) {
    const Index n = std::ssize(text);
    InsideChart chart(n, grammar.symbols());
    for (Index i = 0; i < n; ++i) {
        chart.at(text[std::size_t(i)], i, i + 1) = 1;
        for (const GrammarRule& rule : grammar.rules())
            if (rule.parts == Text{text[std::size_t(i)]})
                chart.at(rule.symbol, i, i + 1) += 1;
    }
    for (Index length = 2; length <= n; ++length)
        for (Index begin = 0; begin + length <= n; ++begin)
            for (Index cut = begin + 1; cut < begin + length; ++cut)
                for (const GrammarRule& rule : grammar.rules())
                    if (rule.parts.size() == 2)
                        chart.at(rule.symbol, begin, begin + length) +=
                            chart.at(rule.parts[0], begin, cut) *
                            chart.at(rule.parts[1], cut, begin + length);
    return chart.at(grammar.root(), 0, n);
}

void costs() {
    const ContextFreeGrammar grammar = english();
    std::vector<double> lengths, trees, operations;
    for (Index phrases = 1; phrases <= 20; ++phrases) {
        const Text text = with_bells(phrases);
        lengths.push_back(double(text.size()));
        trees.push_back(trees_of(grammar, text));
        operations.push_back(double(grammar.membership(text).operations));
    }
    const double last = operations.back();
    ask(fmt::format(
            "With 20 phrases the sentence has {:.0f} words and {:.0f} billion trees. "
            "How often does the membership test try a rule?",
            lengths.back(), trees.back() / 1e9),
        {{"A few thousand times: a small number for each word.", last < 1e4,
          "Each piece of the text is tested, not each word. A text of n words has "
          "about "
          "n²/2 pieces, and most of them can be cut at many places."},
         {"A few hundred thousand times.", last >= 1e4 && last < 1e7,
          "All trees share their pieces. The table has one entry for each piece, "
          "however many trees use it. The number of pieces times the number of cuts "
          "grows as the cube of the length."},
         {"At least once for each tree.", last >= 1e7,
          "The trees are never listed. Trees share pieces, and a piece is tested "
          "once."}});
    Figure("fig-parse-cost")
        .describe(
            "Two curves against the number of words, on logarithmic axes. The number "
            "of "
            "operations is a straight line. The number of trees starts far below it, "
            "crosses it at about 35 words, and then rises steeply.")
        .line("operations of the test", lengths, operations, {.color = figure::blue})
        .line("trees", lengths, trees, {.color = figure::red})
        .x("words of the sentence")
        .y("number")
        .log_axes()
        .save(
            "*The dog sees a cat* with 1 to 20 phrases *with a bell*: the number of "
            "its trees, and how often the membership test tries a rule at a place. On "
            "logarithmic axes a power of the length is a straight line.");
    double gap = 0;
    std::vector<double> counted;
    for (Index n = 1; n <= 128; n *= 2) {
        const Index found = grammar.membership(Text(std::size_t(n), dog)).operations;
        counted.push_back(double(found));
        gap = std::max(gap, std::abs(double(found) -
                                     double(grammar.pairs() * (n * n * n - n) / 6)));
    }
    claim_in("sys-cfg-corpus/c",
             "exponent of the length with which the counted operations grow, from 64 "
             "to 128 words",
             std::log2(counted.back() / counted[counted.size() - 2]), 2.99, 3.01);
    claim("sys-cfg-corpus/c",
          "operations counted for 1 to 128 words against the formula, largest "
          "difference",
          gap, "==", 0);
}
//-

// A text of $n$ words has $\frac12 n (n + 1)$ pieces, and a piece of $l$ words has $l - 1$ cuts. With $R$ rules of two
// parts, the test tries
//
// $$ R \sum_{l=2}^n (n - l + 1)(l - 1) = R\, \frac{n^3 - n}{6} $$
//
// rules at places. A text of three words has two pieces of two words with one cut each, and one piece of three words with
// two cuts. That makes $4 = \frac{27 - 3}{6}$. The test itself counted while it ran, and its counts agree
// with the formula exactly. This is **dynamic programming**: solve small problems first, and look up their answers.
//
// ## A language for small networks
//
// A network that learns in minutes needs a smaller language than English, but one with a deep structure. Ours has three
// letters and three levels. S becomes four of A, B and C: all three in any order, and then the first of them again. Each
// of them becomes three of X, Y and Z, and ends with a Z. X, Y and Z become two or three letters:
//- the texts, their tree, and what is checked
void corpus() {
    const ContextFreeGrammar grammar = text::three_levels();
    std::vector<std::vector<book::Cell>> rows;
    std::string rules;
    for (std::size_t i = 0; i < grammar.rules().size(); ++i) {
        const GrammarRule& rule = grammar.rules()[i];
        rules += (rules.empty() ? "" : " or ") + written(rule.parts, letter_names);
        if (i + 1 < grammar.rules().size() &&
            grammar.rules()[i + 1].symbol == rule.symbol)
            continue;
        rows.push_back({letter_names[std::size_t(rule.symbol)], rules});
        rules.clear();
    }
    book::table("grammar-rules", "All rules; the alternatives have equal weights.",
                {"symbol", "becomes"}, rows);
    Generator random(book::seed());
    std::vector<ParsedText> all;
    for (Index i = 0; i < samples(); ++i) all.push_back(grammar.sample(random));
    Figure figure("fig-letter-tree");
    figure.describe(
        "A tree of three levels over a text of letters a, b and c. The root S has four "
        "parts, each of these has three, and each of those two or three "
        "letters.");
    const auto shortest = std::ranges::min_element(
        all, {}, [](const ParsedText& text) { return text.tokens.size(); });
    draw_tree(figure, *shortest, letter_names, 100);
    figure.height(260).ylim(-3.4, 0.4).bare().save(
        "The shortest of the texts drawn here, and its tree. A letter does not tell to "
        "which symbol it belongs.");
    Index lost = 0, still = 0;
    double nats = 0, letters = 0;
    for (const ParsedText& text : all) {
        lost += !grammar.membership(text.tokens).belongs;
        Text other = text.tokens;
        Index& letter = other[std::size_t(random.next_integer(0, std::ssize(other)))];
        letter = (letter + random.next_integer(1, 3)) % 3;
        still += grammar.membership(other).belongs;
        nats -= std::log(grammar.probability(text.tokens));
        letters += double(text.tokens.size()) + 1;  // and the end of the text
    }
    say("a text: {}", written(all[0].tokens, letter_names, ""));
    claim("sys-cfg-corpus/a",
          fmt::format("of {} drawn texts, those that the test rejects", samples()),
          lost, "==", 0);
    claim("", "share of texts that still belong when one letter is changed",
          double(still) / double(samples()), "<=", 0.05);
    // One rule in six for S, one in two for each of twelve X, Y and Z, and one in two for
    // each C: a text has one or two, four thirds on average.
    const double exact = std::log(6.0) + (12 + 4.0 / 3) * std::log(2.0);
    claim("",
          fmt::format("nats of a text, the mean less {:.3f}, the sum over its rules",
                      exact),
          std::abs(nats / double(samples()) - exact),
          "<=", 1.5 / std::sqrt(double(samples())));
    say("letters of a text, with its end: {:.1f}; nats a letter: {:.3f}",
        letters / double(samples()), nats / letters);
}
//-

// Every drawn text passes the test, and about one in a hundred passes it after one letter has been changed. The last line
// is $-\log p$ of the texts, divided by the number of letters. It estimates the **entropy** of the language, and no model
// has a smaller loss on average over all texts. For natural language this bound is unknown. Here it can even be computed
// by hand. Each text has one tree, and each rule of the tree was one of equally likely ones: one of six for S, one of two
// for each of the twelve X, Y and Z and for each C, of which a text has $\frac43$ on average. This makes
// $\log 6 + \bigl(12 + \frac43\bigr) \log 2 = 11.03$ nats for a text of 31 letters with its end, 0.356 nats a letter.
//

void page() {
    first_trees();
    draw_chart();
    probabilities();
    costs();
    corpus();
}

// ## Limits and history
//
// {cite:t}`chomsky1956` compared grammars of several kinds, and context-free ones are the simplest that can nest without
// end. Agreement, as of a verb with its subject, needs a copy of the rules for each number and person, and Swiss German
// has sentences that no context-free grammar can make {cite:p}`shieber1985`. {cite:t}`younger1967` proved the bound of
// $n^3$. {cite:t}`baker1979` found the inside probabilities, with which the weights of a grammar can be learned from
// text. {cite:t}`allenzhu2023` made grammars of seven levels the texts of an experiment on language models. Our grammar
// is a small version of theirs. None of its spellings begins with another one, so its texts can be read without going
// back.
//
// ## Summary
//
// A context-free grammar draws texts together with their trees. The membership test fills a table of pieces, short ones
// first, with a number of operations that grows as the cube of the length, however many trees there are. With sums of
// probabilities in the table, it gives the probability of a text.
//
// ## What is missing
//
// The program knows the rules. Does a network that sees the texts alone find them, and where in the network are they?
// Letters in a row, however deeply nested, are still a sequence. [The next page](graph_networks.cpp) is about data whose
// parts are connected in any way.
//
// ```{try}
// - Other sentences: `--sentence 7`, and `--rules 4` for the beginning of its tree.
// - More texts for the entropy: `--samples 20000`. Which digit changes?
// ```
