#pragma once
/// @file
/// English sentences from a small grammar, with the part of speech of every word.
#include <string>
#include <vector>

#include <recto/core/random.hpp>

namespace RECTO::data {

/// The parts of speech of grammar_words().
enum class Speech { stop, determiner, adjective, noun, verb, adverb, preposition, relative };

/// A sentence of the grammar; the full stop is its last word.
struct Sentence {
    std::vector<Index> words;    ///< numbers of grammar_words()
    std::vector<Speech> speech;  ///< part of speech of each word
    std::vector<Index> subject;  ///< for a verb the position of its subject's noun in the sentence; otherwise -1
};

/// The 48 words by number; 0 is the full stop. Eight of them are nouns in some sentences and verbs in others.
const std::vector<std::string>& grammar_words();

/// Whether a word is a noun in some sentences and a verb in others, such as *walks*. @throws Error for any other number
bool is_ambiguous(Index word);

/// A random sentence. A subject, an optional relative clause or prepositional phrase, and a verb that agrees with its
/// subject in number: `the small dogs that see a cat sleep often .` A sentence has 4 to 14 words with its full stop.
Sentence sentence(Generator& random);

/// Sentences one after another, cut off after `length` words. @throws Error when length is negative
std::vector<Index> grammar_text(Index length, Generator& random);

/// The sentence as text, with spaces. @throws Error for a number that is no word
std::string to_text(const std::vector<Index>& words);

}  // namespace RECTO::data
