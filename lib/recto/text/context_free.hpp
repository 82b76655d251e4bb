#pragma once
/// @file
/// Context-free grammars with weights: they draw texts together with their trees, decide whether a text belongs to the
/// language, and compute its probability.
#include <span>
#include <vector>

#include <recto/core/random.hpp>

namespace RECTO::text {

/// A rule of a grammar: a symbol may be replaced by these parts.
struct GrammarRule {
    Index symbol;              ///< the symbol that is replaced
    std::vector<Index> parts;  ///< tokens and symbols that take its place, in this order
    double weight = 1;         ///< rules of one symbol are drawn in proportion to their weights
};

/// A piece of a text that one symbol was replaced by.
struct Constituent {
    Index symbol;  ///< the symbol
    Index begin;   ///< position of its first token
    Index end;     ///< position after its last token
    Index depth;   ///< number of constituents around it: 0 for the whole text
};

/// A text with its tree.
struct ParsedText {
    std::vector<Index> tokens;              ///< the text
    std::vector<Constituent> constituents;  ///< each before those inside it, from left to right
};

/// Answer of the membership test.
struct Membership {
    bool belongs;      ///< whether the rules can make the text
    Index operations;  ///< how often a rule was tried at a place
};

/// The probability that a symbol becomes a piece of a text, for every symbol and every piece.
class InsideChart {
public:
    /// An empty chart for `length` tokens and numbers of symbols below `symbols`.
    InsideChart(Index length, Index symbols);

    /// Sum of the probabilities of all trees with which `symbol` becomes the tokens from `begin` up to and without
    /// `end`; a token becomes itself with probability 1.
    double at(Index symbol, Index begin, Index end) const { return table_[place(symbol, begin, end)]; }
    /// The same number, to be changed.
    double& at(Index symbol, Index begin, Index end) { return table_[place(symbol, begin, end)]; }

private:
    std::size_t place(Index symbol, Index begin, Index end) const {
        return std::size_t((begin * (length_ + 1) + end) * symbols_ + symbol);
    }

    Index length_, symbols_;
    std::vector<double> table_;
};

/// A context-free grammar with weights. Tokens are the numbers below `tokens`, symbols those above. A text begins as
/// the symbol of the first rule. One rule after another replaces a symbol by parts, until only tokens are left.
class ContextFreeGrammar {
public:
    /// @param tokens  number of tokens
    /// @param rules   the first one is a rule of the root
    /// @throws Error when a number is out of range, a symbol has no rule, a weight is not positive, or a rule has no
    /// parts or a symbol as its only part
    ContextFreeGrammar(Index tokens, std::vector<GrammarRule> rules);

    Index tokens() const { return tokens_; }                          ///< Number of tokens.
    Index symbols() const { return symbols_; }                        ///< Number of tokens and symbols together.
    Index root() const { return rules_[0].symbol; }                   ///< The symbol that a text begins as.
    const std::vector<GrammarRule>& rules() const { return rules_; }  ///< The rules as they were given.
    /// Number of rules with two parts that the membership test uses. A rule of three parts counts as two: its last two
    /// parts are joined first.
    Index pairs() const { return std::ssize(pairs_); }

    /// Draws a text. @throws Error when its tree is deeper than 1,000: such rules hardly ever end
    ParsedText sample(Generator& random) const;

    /// Whether the rules can make the text, by the algorithm of Cocke, Younger and Kasami: short pieces before long
    /// ones. @throws Error when a token is out of range
    Membership membership(std::span<const Index> text) const;

    /// The inside probabilities of all pieces (Baker, 1979). @throws Error when a token is out of range
    InsideChart inside(std::span<const Index> text) const;

    /// The probability of the text: the sum over all its trees; 0 if it has none. @throws Error as inside()
    double probability(std::span<const Index> text) const;

private:
    struct Pair {
        Index symbol, first, second;
        double probability;
    };
    struct Single {
        Index symbol, token;
        double probability;
    };
    void expand(Index symbol, Index depth, ParsedText& into, Generator& random) const;
    Index joined(const std::vector<Index>& parts);
    void check_text(const char* caller, std::span<const Index> text) const;

    Index tokens_, symbols_, all_;
    std::vector<GrammarRule> rules_;
    std::vector<std::vector<Index>> rules_of_;  // by symbol
    std::vector<double> total_weight_;          // by symbol
    std::vector<Pair> pairs_;
    std::vector<Single> singles_;
    std::vector<std::vector<Index>> joins_;  // parts of each number from symbols_ on
};

/// The grammar that the book's language models learn: three levels of symbols over the letters a, b and c, which are the
/// tokens 0 to 2. The root is 3, the symbols of the second level are 4 to 6, those of the third are 7 to 9. A text has
/// 24 to 36 letters.
ContextFreeGrammar three_levels();

/// For each token, the symbol of the constituent of this depth that ends with it; -1 if none does.
std::vector<Index> symbols_ending(const ParsedText& text, Index depth);

}  // namespace RECTO::text
