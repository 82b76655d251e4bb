#pragma once
/// @file
/// Two lists of words, and words as numbers: the dot is 0 and marks both ends of a word, the letters are 1 to 26.
#include <string>
#include <string_view>
#include <vector>

#include <recto/core/integers.hpp>
#include <recto/core/random.hpp>

namespace RECTO::data {

/// The symbols, by number: the boundary of words and the lower-case letters.
inline constexpr std::string_view alphabet = ".abcdefghijklmnopqrstuvwxyz";

/// 1513 first names in lower case, each once, in the order of the list `propernames`.
///
/// The lists are those of Debian's package miscfiles in /usr/share/dict, or in the folder that RECTO_WORD_LISTS names,
/// compressed or not; the SHA-256 of their content must be the known one. A list is read once per program. @throws
/// Error with one line that says what is wrong with which file and how to get it
const std::vector<std::string>& names();

/// 196,185 words of two to twelve letters from Webster's second edition of 1934, in lower case, each once, in the order
/// of the list `web2`. Read, cached and checked as names(). @throws Error as names()
const std::vector<std::string>& words();

/// Reads names() from another folder, without caching. @throws Error as names()
std::vector<std::string> read_names(const std::string& folder);
/// Reads words() from another folder, without caching. @throws Error as names()
std::vector<std::string> read_words(const std::string& folder);
/// The folder of the lists: RECTO_WORD_LISTS if it is set, otherwise /usr/share/dict.
std::string word_folder();

/// `count` different entries of a list, drawn at random, in random order. @throws Error unless 0 <= count <= its length
std::vector<std::string> sample(const std::vector<std::string>& list, Index count, Generator& random);

/// The number of a symbol of the alphabet. @throws Error for any other character
Index symbol(char letter);
/// The numbers of a word's letters, without dots. @throws Error when it contains anything but letters from a to z
std::vector<Index> symbols(std::string_view word);

/// Every position of some words, with the symbols before it.
struct Contexts {
    Integers before;  ///< (places, length): the symbols before each position, the nearest last
    Integers next;    ///< (places): the symbol at each position

    Index size() const { return next.numel(); }  ///< Number of positions.
};

/// Moves a window of fixed length over words. A word of L letters has L + 1 positions, the dot after it included; dots
/// fill up contexts with too few letters. Contexts of length 1 are the pairs of neighbours. @throws Error unless length
/// >= 1 and the words contain only letters from a to z
Contexts contexts(const std::vector<std::string>& words, Index length);

/// A batch: random positions, drawn independently. @throws Error unless there are positions, or count is 0
Contexts draw(const Contexts& all, Index count, Generator& random);

}  // namespace RECTO::data
