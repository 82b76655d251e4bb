// # Tokenizers: which symbols a model reads
//
// ```{rows} sys-tokenizer sys-bpe
// ```
//
// The models of the last pages read letters and predicted the next letter. Why letters? A model needs two things only:
// finitely many symbols, and a way from text to a sequence of symbols and back. Anything that provides this is a
// {term}`tokenizer`. Its symbols are {term}`tokens <token>`, and the set of all tokens is its {term}`vocabulary`. The
// choice matters: longer tokens make shorter sequences, which are cheaper to process, but a larger vocabulary. This page
// builds three tokenizers, from characters, from bytes and by **byte-pair encoding**; each solves a problem of the one
// before.
//
// Into which pieces does a tokenizer cut a sentence? Move the slider:
//
// ```{opening} fig-cut
// ```
//- includes, names and options
#include <recto/book/page.hpp>
#include <recto/book/stopwatch.hpp>
#include <recto/core/random.hpp>
#include <recto/data/papers.hpp>
#include <recto/figure/figure.hpp>
#include <recto/io/byte_source.hpp>
#include <recto/text/byte_pair_training.hpp>
#include <recto/text/pieces.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::say, book::timing;
using figure::Figure, figure::Names;
using text::Merge, text::BytePairs;

const book::Option<Index> size_wanted("size", 2048,
                                      "vocabulary size of the largest tokenizer",
                                      {.quick = 512, .least = 300, .most = 8000});
const book::Option<Index> strings("strings", 10'000, "number of random texts to test",
                                  {.quick = 500, .least = 1, .most = 1'000'000});
//-

// ## Characters
//
// Take the characters that occur in some text and number them. Our text is the Constitution of the United States with its
// amendments, and the Declaration of Independence, both in the public domain. {cpp:class}`~recto::text::Characters` does
// the numbering.
//- characters as tokens
std::string papers() { return data::constitution() + data::declaration(); }

void characters() {
    const text::Characters known(papers());
    const std::vector<Index> tokens = known.encode("We the People");
    say("{} characters; 'We the People' is {}", known.size(), fmt::join(tokens, " "));
    say("and back: '{}'", known.decode(tokens));
    try {
        known.encode("café");
    } catch (const Error& error) {
        say("{}", error.what());
    }
}
//-

// This works until a text contains a new character, such as the é of *café*. A special token *unknown* for such
// characters does not help much: the decoded text has gaps, and the model cannot tell one gap from another. Nor can you
// list all characters in advance: Unicode has 1,114,112 code points, new characters are added in most
// years, and most of them would never occur in the training text.
//
// ## Bytes
//
// Text is stored as bytes, and there are only 256 different bytes. UTF-8 writes an ASCII character, such as an English
// letter, as one byte and any other character as two to four {cite:p}`yergeau2003`. So use bytes as tokens. Then every
// text has an encoding, including text that is not valid UTF-8. We test this with random characters of one to four bytes:
//- random characters, written in UTF-8
std::string random_text(Generator& random) {
    std::string text;
    for (Index left = random.next_integer(0, 40); left > 0; --left) {
        const Index size = random.next_integer(0, 4);  // bytes after the first
        constexpr Index ends[] = {0x80, 0x800, 0x10000, 0x110000};
        Index c = random.next_integer(size == 0 ? 0 : ends[size - 1], ends[size]);
        if (c >= 0xD800 && c < 0xE000) c -= 0x800;  // these are no characters
        if (size == 0)
            text += char(c);
        else
            text += char(0xFF00 >> (size + 1) | c >> 6 * size);
        for (Index tail = size - 1; tail >= 0; --tail)
            text += char(0x80 | (c >> 6 * tail & 0x3F));
    }
    return text;
}
//-

//- ten thousand random texts
void bytes() {
    Generator random(book::seed());
    int lost = 0;
    for (Index i = 0; i < strings(); ++i) {
        const std::string text = random_text(random);
        const text::Bytes bytes;
        const text::Characters characters(text);
        lost += bytes.decode(bytes.encode(text)) != text ||
                characters.decode(characters.encode(text)) != text;
    }
    claim("sys-tokenizer/a", "random UTF-8 texts that did not come back unchanged",
          lost, "==", 0);
    //-

    // Some tokens stand for no text, for example a mark at the end of a document, which tells a writing model when to
    // stop. Such *special tokens* get numbers after the others. It is essential that *no text is encoded to them*. If the
    // five characters `<end>` produced the mark, any author could end a document by typing them, or pretend to be another
    // speaker in a conversation.
    //- a mark, and text that spells it
    const text::WithMarks marked(text::Bytes(), {"end"});
    std::vector<Index> tokens = marked.encode("no <end>");
    claim_true("", "text that spells a mark is not the mark",
               std::ranges::find(tokens, marked.mark("end")) == tokens.end());
    tokens.push_back(marked.mark("end"));
    say("{} tokens; '{}' and the mark: {}", marked.size(), marked.decode(tokens),
        fmt::join(tokens, " "));
}
//-

// The drawback of bytes is length. A page of text has about two thousand bytes. The model must carry information across
// all of them, and each costs as much computation as any other token.
//
// ## Byte-pair encoding
//
// So we want longer tokens. Words alone do not suffice, because there is always a new word, as there is always a new
// character. The solution is an old method for compressing files {cite:p}`gage1994`, applied to machine translation two
// decades later {cite:p}`sennrich2016`. Start with bytes. Find the pair of adjacent tokens that occurs most often, make it a new token,
// replace it everywhere, and repeat. This is {term}`byte-pair encoding`.
//
// Take the text *banana band*, cut into the pieces `banana` and `␣band`: 11 bytes. The most frequent pair is `an`, three
// times. With `an` as one token the pieces are `b·an·an·a` and `␣·b·an·d`: 8 tokens. Now `b·an` occurs twice and every
// other pair once. The next merge makes `ban·an·a` and `␣·ban·d`: 6 tokens.
//
// As a program, in three functions. The first counts the pairs in all pieces of the text:
using Piece =
    std::pair<std::vector<Index>, Index>;  // its tokens, and how often it occurs

std::map<std::pair<Index, Index>, Index> count_pairs(const std::vector<Piece>& pieces) {
    std::map<std::pair<Index, Index>, Index> counts;
    for (const auto& [tokens, times] : pieces)
        for (std::size_t i = 1; i < tokens.size(); ++i)
            counts[{tokens[i - 1], tokens[i]}] += times;
    return counts;
}
// The second replaces a pair in one piece by the new token:
void replace(std::vector<Index>& tokens, const Merge& pair, Index made) {
    std::size_t end = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const bool here = tokens[i] == pair.left && i + 1 < tokens.size() &&
                          tokens[i + 1] == pair.right;
        tokens[end++] = here ? made : tokens[i];
        i += here;
    }
    tokens.resize(end);
}
// And the third repeats both. It stops early when no pair occurs twice:
std::vector<Merge> train_naively(std::vector<Piece> pieces, Index merges) {
    std::vector<Merge> made;
    while (Index(made.size()) < merges) {
        Index most = 1;  // what occurs only once is not worth a token
        Merge best{-1, -1};
        for (const auto& [pair, times] : count_pairs(pieces))
            if (times > most) most = times, best = {pair.first, pair.second};
        if (best.left < 0) break;
        for (Piece& piece : pieces)
            replace(piece.first, best, 256 + Index(made.size()));
        made.push_back(best);
    }
    return made;
}

// Of two equally frequent pairs, the pair with the smaller numbers wins, because the map is sorted. Any rule would do, but
// the rule must be fixed: a model is useless with a tokenizer that gives different tokens on another machine.
//
// The pieces limit the merges to words. Without pieces, frequent sequences such as `, and the` would soon become tokens
// that cross the boundaries of words. So the text is first cut where letters, digits, punctuation and white space meet,
// and a word keeps the space before it:
std::vector<Piece> pieces_of(std::string_view text) {
    std::map<std::string_view, Index> counts;
    text::each_piece(text, [&](std::string_view piece) { ++counts[piece]; });
    std::vector<Piece> pieces;
    for (const auto& [piece, times] : counts)
        pieces.emplace_back(text::Bytes().encode(piece), times);
    return pieces;
}

//- shows tokens, with signs for spaces and ends of lines
std::string shown(std::string_view bytes) {
    std::string words = "[";
    for (const char c : bytes)
        words += c == ' ' ? "␣" : c == '\n' ? "⏎" : std::string(1, c);
    return words + "]";
}
//-
//- a sentence in pieces
BytePairs trained() {
    const std::string paper = papers();
    std::vector<std::string> cut;
    text::each_piece("We the People, 1787",
                     [&](std::string_view piece) { cut.push_back(shown(piece)); });
    say("{}", fmt::join(cut, ""));
    //-

    // Which pair is merged first? Guess, and remember that a word keeps the space before it.
    //- the first eight merges
    const std::vector<Merge> first = train_naively(pieces_of(paper), 8);
    const auto is_first = [&](char a, char b) { return first[0] == Merge{a, b}; };
    //-
    ask("Which two bytes of the papers are merged first?",
        {{"e and the space: many words end in e", is_first('e', ' '),
          "They are frequent neighbours in the text itself. But the space belongs to "
          "the piece of the next word, and no merge crosses pieces."},
         {"the space and t: many words begin with t", is_first(' ', 't'),
          "The, to, that, this, their: each has a space before it. A frequent pair "
          "need not have a meaning."},
         {"q and u: after q there is always u", is_first('q', 'u'),
          "Always, but q is rare. Merging goes by frequency, not by certainty."}});
    Names names;
    for (std::size_t i = 0; i < first.size(); ++i)
        names.push_back(shown(BytePairs(first).bytes(256 + Index(i))));
    say("the first merges: {}", fmt::join(names, " "));

    // Our program counts the whole text again for every merge. That is fast enough for a few pages, and far too slow
    // for a library of books. But a merge changes only the counts of the pairs beside it. So
    // {cpp:func}`~recto::text::train_byte_pairs` keeps all counts, the positions of each pair, and a queue with the
    // most frequent pair on top. We check that it makes the same merges:
    //- both ways of training, compared
    const double start = book::now();
    const std::vector<Merge> naive =
        train_naively(pieces_of(paper), size_wanted() - 256);
    const double middle = book::now();
    const BytePairs fast = text::train_byte_pairs(paper, {.size = size_wanted()});
    const double end = book::now();
    Index differ = std::abs(Index(naive.size()) - Index(fast.merges().size()));
    for (std::size_t i = 0; i < std::min(naive.size(), fast.merges().size()); ++i)
        differ += naive[i] != fast.merges()[i];
    say("merges: {}", fast.merges().size());
    claim("sys-bpe/b", "merges that differ from those of the naive recount", differ,
          "==", 0);
    timing("naively {:.2f} s, with counts kept {:.3f} s", middle - start, end - middle);
    return fast;
}
//-

// ## What it learned
//
// The method knows nothing about words beyond the cuts. These are its longest tokens, and the last ones, made from pairs
// that occur only twice:
//- how they are found
void show_tokens(const BytePairs& tokenizer) {
    std::vector<Index> tokens;
    for (Index token = 256; token < tokenizer.size(); ++token) tokens.push_back(token);
    std::ranges::stable_sort(tokens, std::greater(), [&](Index token) {
        return tokenizer.bytes(token).size();
    });
    const auto list = [&](std::span<const Index> some) {
        Names names;
        for (const Index token : some) names.push_back(shown(tokenizer.bytes(token)));
        return fmt::format("{}", fmt::join(names, " "));
    };
    say("the longest: {}", list(std::span(tokens).first(8)));
    std::ranges::sort(tokens, std::greater());
    say("the last: {}", list(std::span(tokens).first(8)));
}
//-

// Encoding a new text means making the merges in the order in which they were found. Any text can be encoded: whatever
// no merge applies to stays bytes.
//- any text, and a long word
void encode_anything(const BytePairs& tokenizer) {
    Generator random(book::seed() + 1);
    int lost = 0;
    const auto look = [&](const std::string& text) {
        lost += tokenizer.decode(tokenizer.encode(text)) != text;
    };
    for (Index i = 0; i < strings(); ++i) look(random_text(random));
    look(papers());
    look(std::string(1000, '\0').append("\xFF\xFE").append(1'000'000, ' '));
    claim("sys-bpe/a", "texts that did not come back unchanged", lost, "==", 0);
    const std::string long_word(1'000'000, 'e');
    timing("a word of a million letters: {:.2f} s",
           book::median_seconds([&] { tokenizer.encode(long_word); }, 1));
}
//-
// The time for a very long word matters for safety. An encoder that scans the whole piece for every pair that it joins
// takes time proportional to the square of the length: up to $10^{12}$ comparisons for a piece of a million characters, and
// a user may submit such a piece. Ours keeps the possible merges in a heap.
//
// ## Choosing the vocabulary size
//
// The number of merges is a choice. Each merge shortens the text that it was learned from. And each adds a token, which
// is rarer than the tokens before, so that the model sees fewer and fewer examples of it. {numref}`fig-bpe` counts
// tokens per character after every merge, for the two papers, from which the merges come, and for a text that the
// tokenizer has never seen: the GNU General Public License, legal English that every Debian system has. (All three are
// pure ASCII, so a character is a byte.)
//- how the tokens are counted
std::vector<double> tokens_per_character(const BytePairs& tokenizer,
                                         const std::string& text) {
    std::vector<Piece> pieces = pieces_of(text);
    std::vector<double> made;
    for (Index size = 256; size <= tokenizer.size(); ++size) {
        if (size > 256)
            for (Piece& piece : pieces)
                replace(piece.first, tokenizer.merges()[std::size_t(size - 257)],
                        size - 1);
        Index total = 0;
        for (const auto& [tokens, times] : pieces)
            total += times * Index(tokens.size());
        made.push_back(double(total) / double(text.size()));
    }
    return made;
}
//-

//- what is checked
void how_many(const BytePairs& tokenizer) {
    const std::string license = io::read_text("/usr/share/common-licenses/GPL-3");
    const std::vector<double> seen = tokens_per_character(tokenizer, papers()),
                              unseen = tokens_per_character(tokenizer, license);
    int rises = 0;
    for (std::size_t i = 1; i < seen.size(); ++i)
        rises += seen[i] > seen[i - 1] || unseen[i] > unseen[i - 1];
    say("bytes per token, with {} tokens: {:.2f} seen, {:.2f} unseen", tokenizer.size(),
        1 / seen.back(), 1 / unseen.back());
    claim("sys-bpe/c",
          "sizes of the vocabulary at which tokens per character rose, in either text",
          rises, "==", 0);
    int differ = 0;
    for (const Index size : {Index(256), Index(300), tokenizer.size()})
        differ += double(tokenizer.first(size).encode(license).size()) !=
                  unseen[std::size_t(size - 256)] * double(license.size());
    claim("", "sizes at which the encoder makes a different number of tokens", differ,
          "==", 0);
    //-
    //- how the figure is drawn
    std::vector<double> sizes, lengths, counts;
    for (Index size = 256; size <= tokenizer.size(); ++size)
        sizes.push_back(double(size));
    for (Index token = 0; token < tokenizer.size(); ++token) {
        const std::size_t length = tokenizer.bytes(token).size();
        while (lengths.size() < length)
            lengths.push_back(double(lengths.size() + 1)), counts.push_back(0);
        counts[length - 1] += 1;
    }
    Figure("fig-bpe")
        .describe(
            "First panel: tokens per character against the vocabulary size. Both lines "
            "start at one and fall, steeply at first and then ever more slowly; the "
            "line of the unseen text lies above the other. Second panel: bars of how "
            "many tokens have one, two, three bytes and so on: 256 of one, many of two "
            "to six, few longer than ten.")
        .panel("tokens per character")
        .line("the papers", sizes, seen, {.points = false})
        .line("the license, not seen", sizes, unseen, {.points = false})
        .x("size of the vocabulary")
        .ylim(0, 1)
        .panel("how long the tokens are")
        .bars("", lengths, counts, {.color = figure::blue})
        .x("bytes in the token")
        .y("tokens")
        .save(
            "First panel: the first hundred merges save more than all later ones "
            "together. The text that the merges come from gains more than the unseen "
            "text, because the late merges are peculiar to it. Second panel: the "
            "vocabulary holds everything from single bytes to long words.");
    book::shows("sys-bpe/d", "fig-bpe");
}
//-

// That tokens per character never rise can be proved: the first merges do not depend on the later ones, and a later merge
// only joins tokens that the first ones left. The program may still be wrong, so we checked every size.
//
// ## A sentence in tokens
//
// {numref}`fig-cut` encodes one sentence with the first merges only, as many as you like. The sentence was written for
// this page, so the tokenizer has not seen it.
//- how the figure is drawn
const std::string sentence =
    "The President of the café shall have Power to make coffee, provided two thirds of "
    "the Members present concur.";
constexpr Index across = 24;

void letters(Figure& figure) {
    std::vector<double> x, y;
    Names names;
    for (std::size_t i = 0, size; i < sentence.size(); i += size) {
        size = text::character_length(std::string_view(sentence).substr(i));
        x.push_back(double(i % across) + double(size) / 2);
        y.push_back(-double(i / across));
        names.push_back(sentence.substr(i, size));
    }
    figure.words("", x, y, names, {.color = figure::ink, .width = 18});
}

// Every token is underlined; where a row ends the line breaks, and NaN interrupts the line:
void underline(Figure& figure, const std::vector<Index>& tokens,
               const BytePairs& tokenizer) {
    std::vector<double> x, y;
    Index place = 0;
    for (const Index token : tokens)
        for (const Index end = place + Index(tokenizer.bytes(token).size());
             place < end;) {
            const Index row = place / across, stop = std::min(end, (row + 1) * across);
            x.insert(x.end(), {double(place % across) + 0.12,
                               double(stop - row * across) - 0.12, double(NAN)});
            y.insert(y.end(), 3, -double(row) - 0.38);
            place = stop;
        }
    figure.line(
        "", x, y,
        {.color = figure::blue, .dash = figure::solid, .width = 2.5, .points = false});
    figure.words("", {double(across) / 2}, {0.8},
                 {fmt::format("{} tokens", tokens.size())}, {.color = figure::blue});
}

// The slider takes the first merges only:
void cut_a_sentence(const BytePairs& tokenizer) {
    std::vector<double> sizes;
    for (Index size = 256; size <= tokenizer.size(); size += 128)
        sizes.push_back(double(size));
    Figure cut("fig-cut");
    cut.describe(
           "A sentence in rows of letters, each token underlined. With 256 tokens each "
           "byte has a line of its own, and the e with an accent has two. As the "
           "slider raises the number of tokens the lines join under parts of words, "
           "then under whole frequent words; the word for a place that sells coffee "
           "stays in pieces.")
        .slider("V", sizes, "tokens in the vocabulary", sizes[sizes.size() / 4])
        .height(240);
    letters(cut);
    for (const double size : sizes) {
        const BytePairs first = tokenizer.first(Index(size));
        underline(cut.at(size), first.encode(sentence), first);
    }
    cut.xlim(0, across).ylim(-4.7, 1.2).bare().save(
        "Every line is a token. Move the slider. With 256 tokens each byte is a token, "
        "and é, two bytes, is two. Endings and small words are merged first, then the "
        "words of the papers. Words from elsewhere stay in pieces, and every text can "
        "be encoded.");
}
//-

// A frequent word becomes one token, and the model never sees its spelling. This is one reason why language models
// miscount the letters of a word. A rare word is several tokens. And a word at the beginning of a line, with no space
// before it, has other tokens than the same word within a line.
//
// ## Other languages
//
// The merges were chosen for one text. What do they do for other languages? Here are the same few words in four of them:
//- how the table is made
void other_languages(const BytePairs& tokenizer) {
    std::vector<std::vector<book::Cell>> rows;
    std::vector<double> per_character;
    for (const char* words :
         {"We the people", "Nous, le peuple", "Εμείς ο λαός", "Мы, народ"}) {
        const Index bytes = Index(std::string_view(words).size()),
                    tokens = Index(tokenizer.encode(words).size()),
                    characters = Index(text::Characters(words).encode(words).size());
        per_character.push_back(double(tokens) / double(characters));
        rows.push_back({words, characters, bytes, tokens, per_character.back()});
    }
    book::table("languages",
                "What a tokenizer trained on English makes of other languages. A "
                "script without merges costs one token per byte.",
                {"text", "characters", "bytes", "tokens", "tokens per character"},
                rows);
    claim("", "tokens per character in Russian, as a multiple of those in English",
          per_character.back() / per_character.front(), ">", 5);
}
//-

void page() {
    characters();
    bytes();
    const BytePairs tokenizer = trained();
    show_tokens(tokenizer);
    encode_anything(tokenizer);
    how_many(tokenizer);
    cut_a_sentence(tokenizer);
    other_languages(tokenizer);
}
//
// A script without merges is cut into bytes. The same content takes more tokens, so it costs more computation, and less
// content fits into a context of fixed length. Tokenizers of large models are therefore trained on many languages, and
// a language that is rare in their mixture pays more. And since tokens differ, losses differ, too: a loss *per token*
// cannot compare two models with different tokenizers. Divide by characters or bytes, which are the same for all.
//
// ## Summary
//
// A tokenizer turns text into a sequence of numbers and back. Bytes can encode every text, and byte-pair encoding shortens
// the sequence by merging the most frequent pair again and again. The vocabulary size is a compromise, and the training
// text decides which languages get short sequences.
//
// ## What is missing
//
// You now have losses, and sequences to use them on. How do you find weights that make a loss small?
// [The next page](descent.cpp) begins with gradient descent.
//
// ```{try}
// - Fewer tokens: `--size 300`. Which ones are left?
// - As many as the text yields: `--size 3000`. How many merges are there, and how large is the gap in {numref}`fig-bpe`
//   now?
// ```
