#include <recto/data/grammar.hpp>

namespace RECTO::data {
namespace {

// Word numbers. Nouns and verbs stand in pairs: singular, then plural; for verbs the form of a singular subject comes
// first. The eight ambiguous words are both.
const Index stop = 0, a = 1, some = 2, the = 3, adjectives = 4, nouns = 10, ambiguous = 22, intransitive = 30,
            transitive = 34, adverbs = 40, prepositions = 44, that = 47, vocabulary = 48;

/// Writes one sentence.
class Writer {
public:
    Writer(Sentence& into, Generator& random) : to_(into), random_(random) {}

    void sentence() {
        const bool plural = chance(0.5);
        const Index subject = noun_phrase(plural);
        if (chance(0.25)) {
            add(that, Speech::relative);
            verb_phrase(plural, subject);
        } else if (chance(0.25)) {
            add(prepositions + any(3), Speech::preposition);
            const bool many = chance(0.5);
            noun_phrase(many);
        }
        verb_phrase(plural, subject);
        if (chance(0.25)) add(adverbs + any(4), Speech::adverb);
        add(stop, Speech::stop);
    }

private:
    Index any(Index count) { return random_.next_integer(0, count); }
    bool chance(double p) { return random_.next_uniform() < p; }
    Index add(Index word, Speech speech, Index subject = -1) {
        to_.words.push_back(word), to_.speech.push_back(speech), to_.subject.push_back(subject);
        return Index(to_.words.size()) - 1;
    }
    /// Returns the position of the noun.
    Index noun_phrase(bool plural) {
        const bool definite = chance(0.5);
        add(definite ? the : plural ? some : a, Speech::determiner);
        if (chance(0.35)) add(adjectives + any(6), Speech::adjective);
        const Index which = any(10);  // six nouns, then four ambiguous words
        return add(nouns + 2 * which + (plural ? 1 : 0), Speech::noun);
    }
    /// A verb, with an object if it is transitive. The ambiguous words `walk` and `dream` have no object, `plan` and
    /// `watch` have one.
    void verb_phrase(bool plural, Index subject) {
        const bool object = chance(0.5);
        // With a singular subject a verb ends in s, and so does an ambiguous word, whose second form that is.
        Index word;
        if (object) {
            const Index which = any(5);
            word =
                which < 3 ? transitive + 2 * which + (plural ? 1 : 0) : ambiguous + 2 * (which - 1) + (plural ? 0 : 1);
        } else {
            const Index which = any(4);
            word = which < 2 ? intransitive + 2 * which + (plural ? 1 : 0)
                             : ambiguous + 2 * (which - 2) + (plural ? 0 : 1);
        }
        add(word, Speech::verb, subject);
        if (!object) return;
        const bool many = chance(0.5);
        noun_phrase(many);
    }

    Sentence& to_;
    Generator& random_;
};

}  // namespace

const std::vector<std::string>& grammar_words() {
    static const std::vector<std::string> words = {
        ".",      "a",      "some",  "the",    "small", "old",      "red",   "happy", "tall",   "quiet",
        "dog",    "dogs",   "cat",   "cats",   "child", "children", "bird",  "birds", "king",   "kings",
        "robot",  "robots", "walk",  "walks",  "dream", "dreams",   "plan",  "plans", "watch",  "watches",
        "sleeps", "sleep",  "sings", "sing",   "sees",  "see",      "likes", "like",  "chases", "chase",
        "often",  "slowly", "today", "rarely", "near",  "behind",   "with",  "that"};
    return words;
}

bool is_ambiguous(Index word) {
    check(word >= 0 && word < vocabulary, "is_ambiguous: wanted a word from 0 to {}, got {}", vocabulary - 1, word);
    return word >= ambiguous && word < intransitive;
}

Sentence sentence(Generator& random) {
    Sentence found;
    Writer(found, random).sentence();
    return found;
}

std::vector<Index> grammar_text(Index length, Generator& random) {
    check(length >= 0, "grammar_text: wanted a length of at least 0, got {}", length);
    std::vector<Index> text;
    while (std::ssize(text) < length) {
        const Sentence next = sentence(random);
        text.insert(text.end(), next.words.begin(), next.words.end());
    }
    text.resize(std::size_t(length));
    return text;
}

std::string to_text(const std::vector<Index>& words) {
    std::string text;
    for (const Index word : words) {
        check(word >= 0 && word < vocabulary, "to_text: wanted words from 0 to {}, got {}", vocabulary - 1, word);
        text += (text.empty() ? "" : " ") + grammar_words()[std::size_t(word)];
    }
    return text;
}

}  // namespace RECTO::data
