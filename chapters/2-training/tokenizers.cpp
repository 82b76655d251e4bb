// # What is a symbol?
//
// ```{rows} sys-tokenizer sys-bpe
// ```
//
// The models of the last pages read letters, and said which letter comes next. Who decided that a symbol is a
// letter? A model asks for two things only: that there are finitely many symbols, and that text becomes a
// sequence of them and can be had back. Whatever does that is a {term}`tokenizer`, its symbols are
// {term}`tokens <token>`, and all of them together are its {term}`vocabulary`. This page builds three, each
// because the one before it fails.
//- includes, names, options
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
//-

// Two numbers can be changed:
const book::Option<Index> size_wanted("size", 2048, "how many tokens the largest has",
                                      {.quick = 512, .least = 300, .most = 8000});
const book::Option<Index> strings("strings", 10'000, "how many random texts to try",
                                  {.quick = 500, .least = 1, .most = 1'000'000});

// ## Characters
//
// Take the characters that occur in some text and number them. Our text is the Constitution of the United
// States with its amendments, and their Declaration of Independence, both old enough to belong to everybody.
// {cpp:class}`~recto::text::Characters` does the numbering.
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

// That is all there is to it, and it lasts until somebody types a character that was not among them. One can keep a
// token *unknown* for such cases. But then a text comes back with holes, and the model has no way to tell one hole
// from another. Nor can one list all characters in advance: Unicode has room for more than a million, new ones
// appear every year, and most would never be seen in training.
//
// ## Bytes
//
// Beneath the characters lie bytes, and of those there are 256, for good. UTF-8 writes a letter of English as one
// byte and any other character as two to four {cite:p}`yergeau2003`. Let the bytes be the tokens, and every text
// there is, or will be, has an encoding; also one that is no proper text at all. Here is UTF-8 as a program,
// which makes random characters:
std::string random_text(Generator& random) {
    std::string text;
    for (Index left = random.next_integer(0, 40); left > 0; --left) {
        const Index size = random.next_integer(0, 4);  // bytes after the first
        constexpr Index ends[] = {0x80, 0x800, 0x10000, 0x110000};
        Index c = random.next_integer(size == 0 ? 0 : ends[size - 1], ends[size]);
        if (c >= 0xD800 && c < 0xE000) c -= 0x800;  // there are no characters
        if (size == 0)
            text += char(c);
        else
            text += char(0xFF00 >> (size + 1) | c >> 6 * size);
        for (Index tail = size - 1; tail >= 0; --tail)
            text += char(0x80 | (c >> 6 * tail & 0x3F));
    }
    return text;
}

// With it we try ten thousand random texts, of characters of every length:
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
    claim("sys-tokenizer/a", "random UTF-8 texts that did not come back as they were",
          lost, "==", 0);

    // Some tokens stand for no text: the mark at the end of a document, say, which tells a model that writes
    // when to stop. They are numbered after the others. What matters is that *no text is encoded to them*. If
    // the four letters `<end` and a bracket made the mark, then anybody who can write could end a document, or
    // pretend to be the next speaker.
    const text::WithMarks marked(text::Bytes(), {"end"});
    std::vector<Index> tokens = marked.encode("no <end>");
    claim_true("", "text that spells a mark is not the mark",
               std::ranges::find(tokens, marked.mark("end")) == tokens.end());
    tokens.push_back(marked.mark("end"));
    say("{} tokens; '{}' and the mark: {}", marked.size(), marked.decode(tokens),
        fmt::join(tokens, " "));
}

// What is wrong with bytes? Nothing but length. A page of text is thousands of symbols, a model must carry what it
// knows across all of them, and each costs as much to compute as any other.
//
// ## Pairs
//
// So we want longer tokens, but not words: words are like characters, there is always one more. The way out is
// an old trick for compressing files {cite:p}`gage1994`, found to be just right for models twenty years later
// {cite:p}`sennrich2016`. Start with bytes. Find the two tokens that stand side by side most often. Call that
// pair a new token, replace it everywhere, and repeat. This is {term}`byte-pair encoding`, and here is all of it:
using Piece =
    std::pair<std::vector<Index>, Index>;  // its tokens, and how often it occurs

std::map<std::pair<Index, Index>, Index> count_pairs(const std::vector<Piece>& pieces) {
    std::map<std::pair<Index, Index>, Index> counts;
    for (const auto& [tokens, times] : pieces)
        for (std::size_t i = 1; i < tokens.size(); ++i)
            counts[{tokens[i - 1], tokens[i]}] += times;
    return counts;
}
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

// Of two pairs that are equally frequent the one with the smaller numbers wins, since the map is sorted. It does
// not matter who wins, but it must always be the same one: a tokenizer that differs from one machine to the
// next is worthless.
//
// The pieces are about words. Without them the most frequent pairs would soon be things like `, and the`, and
// tokens would end in the middle of what belongs together. So text is first cut where letters, digits, signs and
// white space meet, and a word takes the space before it along:
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
BytePairs trained() {
    const std::string paper = papers();
    std::vector<std::string> cut;
    text::each_piece("We the People, 1787",
                     [&](std::string_view piece) { cut.push_back(shown(piece)); });
    say("{}", fmt::join(cut, ""));

    // Which pair will be the first? Guess, knowing that a word brings its space along.
    const std::vector<Merge> first = train_naively(pieces_of(paper), 8);
    const auto is_first = [&](char a, char b) { return first[0] == Merge{a, b}; };
    ask("Which two bytes of the papers are merged first?",
        {{"e and the space: so many words end in e", is_first('e', ' '),
          "They stand side by side most often in the text as it is. But the space "
          "belongs to the next word's piece, and no merge reaches across."},
         {"the space and t: so many words begin with t", is_first(' ', 't'),
          "The, to, that, this, their: and each brings its space. Frequent neighbours "
          "need not mean anything yet."},
         {"q and u: after q there is always u", is_first('q', 'u'),
          "Always, but q is rare. Merging counts how often, not how surely."}});
    Names names;
    for (std::size_t i = 0; i < first.size(); ++i)
        names.push_back(shown(BytePairs(first).bytes(256 + Index(i))));
    say("the first merges: {}", fmt::join(names, " "));

    // Each merge counts the whole text again. For our few pages that is bearable, for a library it is not. A
    // merge changes only the counts of pairs beside it, so {cpp:func}`~recto::text::train_byte_pairs` keeps all
    // counts, the places of each pair, and a queue with the most frequent pair on top. It must choose as we do
    // at every step, and we let it prove that:
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
    claim("sys-bpe/b", "merges that are not the most frequent pair by a naive recount",
          differ, "==", 0);
    timing("naively {:.2f} s, with counts kept {:.3f} s", middle - start, end - middle);
    return fast;
}

// ## What it found
//
// Nobody told it what a word is. These are the longest tokens, and the last ones, which were merged because they
// occur twice or a few times more:
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

// Now the other direction. A new text is encoded by making the merges in the order in which they were found. Any
// text: whatever was never merged stays bytes.
void encode_anything(const BytePairs& tokenizer) {
    Generator random(book::seed() + 1);
    int lost = 0;
    const auto look = [&](const std::string& text) {
        lost += tokenizer.decode(tokenizer.encode(text)) != text;
    };
    for (Index i = 0; i < strings(); ++i) look(random_text(random));
    look(papers());
    look(std::string(1000, '\0') + "\xFF\xFE" + std::string(1'000'000, ' '));
    claim("sys-bpe/a", "texts that did not come back as they were", lost, "==", 0);
    const std::string long_word(1'000'000, 'e');
    timing("a word of a million letters: {:.2f} s",
           book::median_seconds([&] { tokenizer.encode(long_word); }, 1));
}
// The last line is no joke. An encoder that looks through the whole piece for every merge takes the square of its
// length, and a long line of spaces from a stranger keeps it busy for hours. Ours keeps the possible merges in a
// heap.
//
// ## How many?
//
// The number of merges is ours to choose. Each one shortens the text, and each adds a token that the model must
// learn from ever fewer examples. {numref}`fig-bpe` weighs one against the other, for the two papers, from
// which the merges come, and for another text in the English of lawyers that comes with every Debian and that the
// tokenizer has never seen, the GNU General Public License.
// A merge after the other, and a count after each:
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

void how_many(const BytePairs& tokenizer) {
    const std::string license = io::read_text("/usr/share/common-licenses/GPL-3");
    const std::vector<double> seen = tokens_per_character(tokenizer, papers()),
                              unseen = tokens_per_character(tokenizer, license);
    int rises = 0;
    for (std::size_t i = 1; i < seen.size(); ++i)
        rises += seen[i] > seen[i - 1] || unseen[i] > unseen[i - 1];
    say("bytes in a token, with {} tokens: {:.2f} seen, {:.2f} unseen",
        tokenizer.size(), 1 / seen.back(), 1 / unseen.back());
    claim("sys-bpe/c",
          "sizes of the vocabulary at which tokens per character rose, in either text",
          rises, "==", 0);
    int differ = 0;
    for (const Index size : {Index(256), Index(300), tokenizer.size()})
        differ += double(tokenizer.first(size).encode(license).size()) !=
                  unseen[std::size_t(size - 256)] * double(license.size());
    claim("", "sizes at which the encoder makes other numbers of tokens", differ,
          "==", 0);
    //- the figure
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
            "Left: tokens per character against the size of the vocabulary. Both lines "
            "start at one and fall, steeply at first and then ever more slowly; that "
            "of the text never seen lies above the other. Right: bars of how many "
            "tokens have one, two, three bytes and so on: 256 of one, many of two to "
            "six, few longer than ten.")
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
            "Left: the first hundred merges save most. The text that the merges come "
            "from gains more than another, for what is merged last is peculiar to it. "
            "Right: the vocabulary holds everything between single bytes and long "
            "words.");
    book::shows("sys-bpe/d", "fig-bpe");
    //-
}

// That tokens per character never rise needs no measuring: the first merges are made as if the later ones did not
// exist, and a later one can only join what they left. But a proof about a program is worth more when the program
// was asked, so we asked at every size.
//
// ## A sentence, cut
//
// {numref}`fig-cut` cuts one sentence with the first merges only, as many as you like. It was written for this
// page, so nobody has seen it. Every byte gets a cell, in rows of 28:
const std::string sentence =
    "The President of the café shall have Power to make coffee, provided two thirds of "
    "the Members present concur.";
constexpr Index across = 28;

void letters(Figure& figure) {
    std::vector<double> x, y;
    Names names;
    for (std::size_t i = 0, size; i < sentence.size(); i += size) {
        size = text::character_length(std::string_view(sentence).substr(i));
        x.push_back(double(i % across) + double(size) / 2);
        y.push_back(-double(i / across));
        names.push_back(sentence.substr(i, size));
    }
    figure.words("", x, y, names, {.color = figure::ink, .width = 15});
}

// Under every token goes a line; where a row ends the line breaks, and not a number lifts the pen:
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
        .height(180);
    letters(cut);
    for (const double size : sizes) {
        const BytePairs first = tokenizer.first(Index(size));
        underline(cut.at(size), first.encode(sentence), first);
    }
    cut.xlim(0, across).ylim(-3.7, 1.2).bare().save(
        "Every line is a token. Move the slider. With 256 tokens each byte is one, and "
        "é, two bytes, is two. Endings and small words come first, then the words of "
        "the papers. Words from elsewhere stay in pieces, and nothing is ever "
        "unknown.");
}

// A frequent word becomes one symbol, whose spelling the model never sees. A rare one is a handful of symbols, and
// another handful where it stands at the beginning of a line, without its space. Who wonders why a language model
// miscounts the letters of a word may look here first.
//
// ## Who pays
//
// The merges were chosen for one text. What do they do for other languages? The same few words in four of them:
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
    book::table(
        "languages", "What a tokenizer trained on English makes of other languages.",
        {"text", "characters", "bytes", "tokens", "tokens per character"}, rows);
    claim("", "tokens per character of the last, as a multiple of those of the first",
          per_character.back() / per_character.front(), ">", 5);
}

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
// ## What is missing
//
// A script that gets no merges is cut into bytes: more symbols for the same thought, so more computing, and a
// shorter memory. Tokenizers of large models are therefore trained on many languages, and are as fair as that
// mixture. And since tokens differ, losses do too: a loss *per token* does not compare two models with two
// tokenizers. Divide by characters, or by bytes, which are the same for all.
//
// So far we have losses, and sequences to use them on. What we took for granted is how a model's weights are
// found that make a loss small. [The next page](descent.cpp) begins with that.
//
// ```{try}
// - Fewer tokens: `--size 300`. Which ones are left?
// - As many as the text can give: `--size 3000`. How many merges are there, and how large is the gap in
//   {numref}`fig-bpe` now?
// ```
