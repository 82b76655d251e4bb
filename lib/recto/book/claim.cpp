#include <algorithm>

#include <recto/book/claim.hpp>
#include <recto/book/trace.hpp>

namespace RECTO::book {
namespace {

/// A claim of any kind, with all fields of its record.
struct Claim {
    std::string_view part, sentence;
    Measured measured;
    std::string_view relation;
    double bound, high = 0;  // `in` has both
    bool timing = false, exact = false, expected = true;
    std::string_view tried = "";
};

/// Whether a number satisfies the claim; written so that NaN on either side never does.
bool holds_of(double m, const Claim& c) {
    if (c.relation == "<") return m < c.bound;
    if (c.relation == "<=") return m <= c.bound;
    if (c.relation == ">") return m > c.bound;
    if (c.relation == ">=") return m >= c.bound;
    if (c.relation == "in") return c.bound <= m && m <= c.high;
    return m == c.bound;
}

/// Whether the claim holds: for the median, and for every seed if there are too few seeds for a meaningful median.
bool holds(const Claim& c) {
    const Measured& m = c.measured;
    return holds_of(m.value, c) && (m.seeds >= 5 || (holds_of(m.low, c) && holds_of(m.high, c)));
}

std::string asked(const Claim& c) {
    if (c.relation == "in") return fmt::format("in [{}, {}]", brief(c.bound), brief(c.high));
    return fmt::format("{} {}", c.relation, brief(c.bound));
}

/// The number in short form; in full if four digits would contradict the verdict.
std::string got(const Claim& c) {
    const std::string text = brief(c.measured);
    const bool same = brief(c.measured.value) == brief(c.bound) || brief(c.measured.value) == brief(c.high);
    return same && c.measured.value != c.bound ? fmt::format("{}", c.measured.value) : text;
}

std::string line(const Claim& c, bool held, bool judged) {
    if (c.timing) return fmt::format("{} here: {}: {}, asked {}", held ? "so" : "not so", c.sentence, got(c), asked(c));
    const char* verdict = !judged ? "not judged" : held != c.expected ? "BROKEN" : held ? "holds" : "not reproduced";
    if (c.exact) return fmt::format("{}: {}{}", verdict, c.sentence, judged ? "" : held ? ": yes" : ": no");
    if (held && c.relation != "in") return fmt::format("{}: {}: {} {}", verdict, c.sentence, got(c), asked(c));
    return fmt::format("{}: {}: {}, asked {}", verdict, c.sentence, got(c), asked(c));
}

void judge(const Claim& c, Place where) {
    const auto slash = c.part.find('/');
    check(c.part.empty() || (slash != 0 && slash + 1 < c.part.size() && c.part.find(' ') == c.part.npos),
          "claim: wanted a part such as fig-1.1/a, got '{}'", c.part);
    check(!c.sentence.empty(), "claim {}: wanted a sentence, got none", c.part);
    const bool held = holds(c), judged = standard();
    Json bound(c.bound);
    if (c.relation == "in") bound = Json::array({c.bound, c.high});
    keep(record("claim", where)
             .add("part", c.part)
             .add("text", c.sentence)
             .add("measured", c.measured.value)
             .add("relation", c.relation)
             .add("bound", bound)
             .add("holds", held)
             .add("judged", judged)
             .add("expect", c.expected ? "holds" : "fails")
             .add("timing", c.timing)
             .add("seeds", c.measured.seeds)
             .add("low", c.measured.low)
             .add("high", c.measured.high)
             .add("tried", c.tried));
    print(line(c, held, judged));
    if (!judged || c.timing || held == c.expected) return;
    if (c.expected)
        broken(where, c.exact ? fmt::format("broken claim: {}: it is not so", c.sentence)
                              : fmt::format("broken claim: {}: wanted {}, got {}", c.sentence, asked(c), got(c)));
    else
        broken(where, fmt::format("broken claim: {}: published as not reproduced, yet it holds: {} {}", c.sentence,
                                  got(c), asked(c)));
}

}  // namespace

void claim(std::string_view part, std::string_view sentence, Measured measured, Relation relation, Bound bound,
           Place where) {
    judge({.part = part, .sentence = sentence, .measured = measured, .relation = relation.word, .bound = bound.value},
          where);
}

void claim_in(std::string_view part, std::string_view sentence, Measured measured, Bound low, Bound high, Place where) {
    check(low.value <= high.value, "claim_in: wanted low <= high, got {} and {}", low.value, high.value);
    judge({.part = part,
           .sentence = sentence,
           .measured = measured,
           .relation = "in",
           .bound = low.value,
           .high = high.value},
          where);
}

void claim_yes(std::string_view part, std::string_view sentence, bool holds, Place where) {
    judge({.part = part, .sentence = sentence, .measured = holds ? 1 : 0, .relation = "==", .bound = 1, .exact = true},
          where);
}

void timing_claim(std::string_view part, std::string_view sentence, Measured measured, Relation relation, Bound bound,
                  Place where) {
    judge({.part = part,
           .sentence = sentence,
           .measured = measured,
           .relation = relation.word,
           .bound = bound.value,
           .timing = true},
          where);
}

void not_reproduced(std::string_view part, std::string_view sentence, Measured measured, Relation relation, Bound bound,
                    std::string_view tried, Place where) {
    check(!part.empty(), "not_reproduced: wanted the part of the register that it is about, got none");
    check(!tried.empty(), "not_reproduced {}: wanted what was tried, got nothing", part);
    check(!standard() || measured.seeds >= 5, "not_reproduced {}: wanted at least 5 seeds, got {}", part,
          measured.seeds);
    judge({.part = part,
           .sentence = sentence,
           .measured = measured,
           .relation = relation.word,
           .bound = bound.value,
           .expected = false,
           .tried = tried},
          where);
}

}  // namespace RECTO::book
