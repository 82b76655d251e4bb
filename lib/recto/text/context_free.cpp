#include <recto/text/context_free.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace RECTO::text {
namespace {

const Index deepest = 1000;

}  // namespace

InsideChart::InsideChart(Index length, Index symbols)
    : length_(length), symbols_(symbols), table_(std::size_t((length + 1) * (length + 1) * symbols)) {}

ContextFreeGrammar::ContextFreeGrammar(Index tokens, std::vector<GrammarRule> rules)
    : tokens_(tokens), symbols_(tokens), rules_(std::move(rules)) {
    check(tokens >= 1, "ContextFreeGrammar: wanted at least one token, got {}", tokens);
    check(!rules_.empty(), "ContextFreeGrammar: wanted at least one rule, got none");
    for (const GrammarRule& rule : rules_) {
        check(rule.symbol >= tokens, "ContextFreeGrammar: wanted rules for symbols from {} on, got one for {}", tokens,
              rule.symbol);
        check(std::isfinite(rule.weight) && rule.weight > 0,
              "ContextFreeGrammar: wanted weights above 0, got {} for a rule of symbol {}", rule.weight, rule.symbol);
        symbols_ = std::max(symbols_, rule.symbol + 1);
    }
    rules_of_.resize(std::size_t(symbols_)), total_weight_.resize(std::size_t(symbols_));
    for (std::size_t i = 0; i < rules_.size(); ++i) {
        rules_of_[std::size_t(rules_[i].symbol)].push_back(Index(i));
        total_weight_[std::size_t(rules_[i].symbol)] += rules_[i].weight;
    }
    for (Index symbol = tokens; symbol < symbols_; ++symbol)
        check(!rules_of_[std::size_t(symbol)].empty(),
              "ContextFreeGrammar: wanted a rule for each symbol, got none for {}", symbol);
    for (const GrammarRule& rule : rules_) {
        const double p = rule.weight / total_weight_[std::size_t(rule.symbol)];
        for (const Index part : rule.parts)
            check(part >= 0 && part < symbols_, "ContextFreeGrammar: wanted parts from 0 to {}, got {}", symbols_ - 1,
                  part);
        if (rule.parts.size() == 1) {
            check(rule.parts[0] < tokens,
                  "ContextFreeGrammar: wanted a token or at least two parts, got symbol {} as the only part of a rule "
                  "of {}",
                  rule.parts[0], rule.symbol);
            singles_.push_back({rule.symbol, rule.parts[0], p});
            continue;
        }
        check(!rule.parts.empty(), "ContextFreeGrammar: wanted a token or at least two parts, got a rule of {} without",
              rule.symbol);
        pairs_.push_back({rule.symbol, rule.parts[0], joined({rule.parts.begin() + 1, rule.parts.end()}), p});
    }
    all_ = symbols_ + std::ssize(joins_);
}

/// The number that stands for these parts one after another: a part itself, or a new number with a pair of its own.
Index ContextFreeGrammar::joined(const std::vector<Index>& parts) {
    if (parts.size() == 1) return parts[0];
    const auto found = std::ranges::find(joins_, parts);
    if (found != joins_.end()) return symbols_ + (found - joins_.begin());
    joins_.push_back(parts);
    const Index number = symbols_ + std::ssize(joins_) - 1;
    const Index rest = joined({parts.begin() + 1, parts.end()});
    pairs_.push_back({number, parts[0], rest, 1});
    return number;
}

void ContextFreeGrammar::expand(Index symbol, Index depth, ParsedText& into, Generator& random) const {
    if (symbol < tokens_) {
        into.tokens.push_back(symbol);
        return;
    }
    check(depth <= deepest, "ContextFreeGrammar: wanted a tree of depth at most {}, got a deeper one", deepest);
    const std::size_t own = into.constituents.size();
    into.constituents.push_back({symbol, std::ssize(into.tokens), 0, depth});
    const std::vector<Index>& rules = rules_of_[std::size_t(symbol)];
    double left = random.next_uniform() * total_weight_[std::size_t(symbol)];
    std::size_t chosen = 0;
    while (chosen + 1 < rules.size() && left >= rules_[std::size_t(rules[chosen])].weight)
        left -= rules_[std::size_t(rules[chosen++])].weight;
    for (const Index part : rules_[std::size_t(rules[chosen])].parts) expand(part, depth + 1, into, random);
    into.constituents[own].end = std::ssize(into.tokens);
}

ParsedText ContextFreeGrammar::sample(Generator& random) const {
    ParsedText made;
    expand(root(), 0, made, random);
    return made;
}

void ContextFreeGrammar::check_text(const char* caller, std::span<const Index> text) const {
    for (const Index token : text)
        check(token >= 0 && token < tokens_, "{}: wanted tokens from 0 to {}, got {}", caller, tokens_ - 1, token);
}

Membership ContextFreeGrammar::membership(std::span<const Index> text) const {
    check_text("membership", text);
    const Index n = std::ssize(text);
    std::vector<char> can(std::size_t((n + 1) * (n + 1) * all_), 0);  // can this symbol become this piece?
    const auto at = [&](Index symbol, Index begin, Index end) -> char& {
        return can[std::size_t((begin * (n + 1) + end) * all_ + symbol)];
    };
    Membership found{false, 0};
    for (Index i = 0; i < n; ++i) {
        at(text[std::size_t(i)], i, i + 1) = 1;
        for (const Single& rule : singles_)
            if (rule.token == text[std::size_t(i)]) at(rule.symbol, i, i + 1) = 1;
    }
    for (Index length = 2; length <= n; ++length)
        for (Index begin = 0; begin + length <= n; ++begin)
            for (Index split = begin + 1; split < begin + length; ++split)
                for (const Pair& rule : pairs_) {
                    ++found.operations;
                    if (at(rule.first, begin, split) && at(rule.second, split, begin + length))
                        at(rule.symbol, begin, begin + length) = 1;
                }
    found.belongs = n > 0 && at(root(), 0, n);
    return found;
}

InsideChart ContextFreeGrammar::inside(std::span<const Index> text) const {
    check_text("inside", text);
    const Index n = std::ssize(text);
    InsideChart chart(n, all_);
    for (Index i = 0; i < n; ++i) {
        chart.at(text[std::size_t(i)], i, i + 1) = 1;
        for (const Single& rule : singles_)
            if (rule.token == text[std::size_t(i)]) chart.at(rule.symbol, i, i + 1) += rule.probability;
    }
    for (Index length = 2; length <= n; ++length)
        for (Index begin = 0; begin + length <= n; ++begin)
            for (Index split = begin + 1; split < begin + length; ++split)
                for (const Pair& rule : pairs_)
                    chart.at(rule.symbol, begin, begin + length) += rule.probability *
                                                                    chart.at(rule.first, begin, split) *
                                                                    chart.at(rule.second, split, begin + length);
    return chart;
}

double ContextFreeGrammar::probability(std::span<const Index> text) const {
    return text.empty() ? 0 : inside(text).at(root(), 0, std::ssize(text));
}

ContextFreeGrammar three_levels() {
    return ContextFreeGrammar(3, {{3, {4, 5, 6, 4}},
                                  {3, {4, 6, 5, 4}},
                                  {3, {5, 6, 4, 5}},
                                  {3, {5, 4, 6, 5}},
                                  {3, {6, 4, 5, 6}},
                                  {3, {6, 5, 4, 6}},
                                  {4, {7, 7, 9}},
                                  {5, {7, 8, 9}},
                                  {6, {8, 7, 9}},
                                  {6, {8, 8, 9}},
                                  {7, {0, 1}},
                                  {7, {1, 0, 0}},
                                  {8, {2, 1}},
                                  {8, {0, 2, 0}},
                                  {9, {2, 2}},
                                  {9, {1, 2, 0}}});
}

std::vector<Index> symbols_ending(const ParsedText& text, Index depth) {
    std::vector<Index> found(text.tokens.size(), -1);
    for (const Constituent& c : text.constituents)
        if (c.depth == depth) found[std::size_t(c.end - 1)] = c.symbol;
    return found;
}

}  // namespace RECTO::text
