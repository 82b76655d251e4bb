#pragma once
/// @file
/// A little world in English words: things of six kinds that please or displease, rules that hold for all things of a
/// kind, and facts about twenty lands. Statements, questions, and prompts with labelled examples are made of it.
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <recto/core/random.hpp>

namespace RECTO::data {

/// The words of the little world by number; 0 is the full stop. The names of lands, towns and rivers are invented.
const std::vector<std::string>& world_words();

/// The number of a word. @throws Error for a word that the world does not have
Index world_word(std::string_view word);

/// The numbers of words with spaces between them. @throws Error for a word that the world does not have
std::vector<Index> world_tokens(std::string_view text);

/// The words as text, with spaces, but without one before a full stop, a comma or a question mark.
/// @throws Error for a number that is no word
std::string world_text(const std::vector<Index>& words);

/// The contents of the little world, as numbers of words.
struct LittleWorld {
    std::vector<Index> kinds;                ///< six kinds, such as `plant`
    std::vector<std::vector<Index>> things;  ///< twelve things of each kind; six that please, then six that displease
    std::vector<Index> relations;            ///< four relations of a thing, such as `home`
    std::vector<std::vector<Index>> rules;   ///< for each kind one word for each relation
    std::vector<Index> lands;                ///< twenty lands
    std::vector<Index> features;             ///< three features of a land, such as `capital`
    std::vector<std::vector<Index>> facts;   ///< for each land one word for each feature
    std::vector<Index> people;               ///< eight names of people
    std::vector<Index> labels;               ///< eight colours, which label examples
};

/// The one little world.
const LittleWorld& little_world();

/// What can be said of a thing or of a land: the relation of the subject is the answer.
struct WorldFact {
    Index relation;  ///< a relation of a thing, or a feature of a land
    Index subject;   ///< a thing or a land
    Index answer;    ///< the word that completes the statement

    bool operator==(const WorldFact&) const = default;  ///< Whether all three words are equal.
};

/// The 60 facts about lands, three for each land. No rule tells them.
std::vector<WorldFact> land_facts();

/// The 288 instances of rules, four for each of the 72 things. The kind of the thing decides the answer.
std::vector<WorldFact> rule_instances();

/// `the home of nettle is garden .`
std::vector<Index> statement(const WorldFact& fact);

/// `what is the home of nettle ?`
std::vector<Index> question(const WorldFact& fact);

/// `nettle is a plant .` @throws Error unless it is a thing
std::vector<Index> kind_statement(Index thing);

/// A sentence such as: ann sees nettle, so ann is sad. What pleases makes people happy, what displeases makes them sad.
/// @throws Error unless it is a thing
std::vector<Index> opinion(Index person, Index thing);

/// A random sentence: in one of eight cases the kind of a thing, in two an opinion, in two a fact about a land, and in
/// three a statement from a list.
/// @param rules  the list, such as those rule_instances() that the text may tell; not empty
std::vector<Index> world_sentence(const std::vector<WorldFact>& rules, Generator& random);

/// Random sentences one after another, cut off after `length` words. @throws Error when `length` is negative or there
/// are no rules
std::vector<Index> world_sentences(const std::vector<WorldFact>& rules, Index length, Generator& random);

/// The words of which examples are made.
enum class WorldWords {
    common,  ///< the first four of the six things of each kind and sentiment
    rare,    ///< the last two of each
};

/// A task that examples can tell: two kinds of things, which of two attributes decides, and the labels of both classes.
struct WorldTask {
    bool by_kind;                 ///< whether the kind of a thing decides; otherwise its sentiment does
    std::array<Index, 2> kinds;   ///< two different kinds, as numbers from 0
    std::array<Index, 2> labels;  ///< two different labels: of things of the first kind, or of things that please;
                                  ///< and of all others

    /// The label of a thing. @throws Error unless it is of one of both kinds
    Index label(Index thing) const;
};

/// A random task: both attributes, all pairs of kinds and all pairs of labels are equally likely.
WorldTask world_task(Generator& random);

/// A random thing for a task: both of its kinds and both sentiments are equally likely.
/// @param except  a thing that is not drawn; -1 for none
Index world_example(const WorldTask& task, WorldWords words, Generator& random, Index except = -1);

/// The number of the kind of a thing, from 0. @throws Error unless it is a thing
Index kind_of(Index thing);

/// Whether a thing pleases. @throws Error unless it is a thing
bool pleases(Index thing);

}  // namespace RECTO::data
