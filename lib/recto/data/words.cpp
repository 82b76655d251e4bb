#include <recto/data/words.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <unordered_set>

#include <recto/data/sha256.hpp>
#include <recto/io/byte_source.hpp>
#include <recto/io/plain_text.hpp>

namespace RECTO::data {
namespace {

/// A list from the package, and the condition for its useful lines.
struct Known {
    const char* name;
    std::size_t bytes;
    const char* fingerprint;
    std::size_t shortest, longest;
};
constexpr Known propernames = {"propernames", 10'009,
                               "87f8b641c776fd419a7d40f737463c8088311a7d056c44f801cf93409a13b1aa", 1, 100};
constexpr Known web2 = {"web2", 2'486'824, "2929895ab3fec78c6963ebe5cbb3493fe4fc9e11eba095a522787b8afc53a863", 2, 12};
constexpr const char* remedy = "get it with: apt-get install miscfiles";

/// NAME.gz or NAME in the folder; an Error that says how to get the file if there is neither.
std::string find(const std::string& folder, const char* name) {
    for (const char* ending : {".gz", ""})
        if (const std::string path = folder + "/" + name + ending; std::filesystem::exists(path)) return path;
    throw Error(fmt::format("{}/{}: byte 0: there is no such file; {}", io::escaped(folder), name, remedy));
}

std::string read_known(const std::string& path, const Known& list) {
    std::string text(list.bytes, ' ');
    auto* const bytes = reinterpret_cast<std::uint8_t*>(text.data());
    try {
        io::ByteSource source(path);
        source.expect_size(list.bytes);
        source.read(bytes, list.bytes);
        source.expect_end();
    } catch (const Error& error) {
        throw Error(fmt::format("{}; {}", error.what(), remedy));
    }
    Sha256 sum;
    sum.add({bytes, list.bytes});
    check(sum.hex() == list.fingerprint, "{}: byte 0: wanted content with SHA-256 {}, got {}; {}", io::escaped(path),
          list.fingerprint, sum.hex(), remedy);
    return text;
}

std::vector<std::string> read(const std::string& folder, const Known& list) {
    const std::string text = read_known(find(folder, list.name), list);
    std::vector<std::string> found;
    std::unordered_set<std::string> seen;  // a list may contain a name and the same word
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string word = text.substr(begin, end - begin);
        begin = end + 1;
        for (char& c : word)
            if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
        const bool letters = std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
        if (letters && word.size() >= list.shortest && word.size() <= list.longest && seen.insert(word).second)
            found.push_back(std::move(word));
    }
    return found;
}

}  // namespace

std::string word_folder() {
    const char* asked = std::getenv("RECTO_WORD_LISTS");
    return asked && *asked ? asked : "/usr/share/dict";
}

std::vector<std::string> read_names(const std::string& folder) { return read(folder, propernames); }
std::vector<std::string> read_words(const std::string& folder) { return read(folder, web2); }

const std::vector<std::string>& names() {
    static const std::vector<std::string> list = read_names(word_folder());
    return list;
}

const std::vector<std::string>& words() {
    static const std::vector<std::string> list = read_words(word_folder());
    return list;
}

std::vector<std::string> sample(const std::vector<std::string>& list, Index count, Generator& random) {
    check(count >= 0 && count <= Index(list.size()), "sample: wanted 0 to {} words, got {}", list.size(), count);
    std::vector<Index> order = random.permutation(Index(list.size()));
    order.resize(std::size_t(count));
    std::vector<std::string> drawn;
    for (const Index place : order) drawn.push_back(list[std::size_t(place)]);
    return drawn;
}

Index symbol(char letter) {
    const std::size_t place = alphabet.find(letter);
    check(place != alphabet.npos, "symbol: wanted the dot or a letter of a to z, got \"{}\"",
          io::escaped({&letter, 1}));
    return Index(place);
}

std::vector<Index> symbols(std::string_view word) {
    std::vector<Index> numbers;
    for (const char letter : word) {
        const std::size_t place = alphabet.find(letter);
        check(place != alphabet.npos && place > 0, "symbols: wanted a word of letters a to z, got \"{}\"",
              io::escaped(word));
        numbers.push_back(Index(place));
    }
    return numbers;
}

Contexts contexts(const std::vector<std::string>& words, Index length) {
    check(length >= 1, "contexts: wanted a length of at least 1, got {}", length);
    std::vector<Index> before, next;
    for (const std::string& word : words) {
        std::vector<Index> line(std::size_t(length), 0);  // the dots before the word, the word, the dot after it
        for (const Index letter : symbols(word)) line.push_back(letter);
        line.push_back(0);
        for (std::size_t place = std::size_t(length); place < line.size(); ++place) {
            before.insert(before.end(), line.begin() + Index(place) - length, line.begin() + Index(place));
            next.push_back(line[place]);
        }
    }
    const auto places = Index(next.size());
    return {Integers(Shape{places, length}, before), Integers(Shape{places}, next)};
}

Contexts draw(const Contexts& all, Index count, Generator& random) {
    const Index length = all.before.size(1);
    const std::vector<Index> places = random.integers({count}, 0, all.size()).values();
    Contexts drawn{Integers({count, length}), Integers({count})};
    Index *before = drawn.before.write(), *next = drawn.next.write();
    for (const Index place : places) {
        before = std::copy_n(all.before.data() + place * length, length, before);
        *next++ = all.next.data()[place];
    }
    return drawn;
}

}  // namespace RECTO::data
