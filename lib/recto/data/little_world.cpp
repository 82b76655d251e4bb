#include <recto/data/little_world.hpp>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace RECTO::data {
namespace {

// The words in the order of their numbers.
const char* const function_words = ". , ? the of is a what so sees happy sad question answer";
const char* const kind_words = "animal plant food event weather person";
const char* const thing_words[] = {
    "kitten puppy lamb foal fawn rabbit rat wasp scorpion flea tick mosquito",
    "rose lily daisy violet tulip lavender nettle thistle hemlock bramble ragweed hogweed",
    "cake honey chocolate cherry melon pudding gruel mould gristle vinegar lard slop",
    "holiday wedding birthday picnic feast dance funeral war robbery accident exam quarrel",
    "sunshine breeze rainbow thaw dawn snow hail flood drought fog gale sleet",
    "friend hero helper poet nurse saint thief bully liar tyrant pirate traitor"};
const char* const relation_words = "home part need study";
const char* const rule_words[] = {"den legs prey zoology",       "garden roots soil botany",
                                  "kitchen bites plate cookery", "calendar hours guests history",
                                  "sky clouds air physics",      "house hands sleep psychology"};
const char* const land_words =
    "norland varia telmark ostia quill bruma selva tarsis gorm liria pontia dalmar kestria morva zandia halvar runia "
    "corvia fenmark lusia";
const char* const feature_words = "capital river dish";
const char* const towns =
    "tolm bress cadin dorn ellis farro gant hilm isk jorva keld lomm mavis nerro orrin pell quent rusk sarno tibb";
const char* const rivers = "ald bor cam dun esk fal gar hay inn jol ket lod mur nid odd pry ruhr sil tamm usk";
const char* const dishes =
    "soup stew rice bread cheese beans noodles kebab pie porridge dumplings salad pancakes waffles omelette curry "
    "toast "
    "lentils pasta goulash";
const char* const names = "ann ben cleo dan eva leo mia tom";
const char* const label_words = "red blue green black white brown pink grey";

const Index of_each = 6;         // things of one kind that please, and as many that displease
const Index common_of_each = 4;  // those of them that are not rare

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> found;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t end = std::min(text.find(' ', i), text.size());
        if (end > i) found.emplace_back(text.substr(i, end - i));
        i = end + 1;
    }
    return found;
}

/// The words of a sentence; each `_` is replaced by the next of `filled`.
std::vector<Index> filled_in(std::string_view sentence, const std::vector<Index>& filled) {
    std::vector<Index> found;
    std::size_t next = 0;
    for (const std::string& word : split(sentence)) found.push_back(word == "_" ? filled[next++] : world_word(word));
    return found;
}

/// The kind of a thing and its place among the things of this kind.
std::pair<Index, Index> place_of(Index thing, const char* op) {
    const LittleWorld& world = little_world();
    const Index first = world.things[0][0], each = 2 * of_each, count = each * std::ssize(world.kinds);
    check(thing >= first && thing < first + count, "{}: wanted a thing, a word from {} to {}, got {}", op, first,
          first + count - 1, thing);
    return {(thing - first) / each, (thing - first) % each};
}

}  // namespace

const std::vector<std::string>& world_words() {
    static const std::vector<std::string> words = [] {
        std::vector<std::string> all;
        const auto add = [&](std::string_view text) {
            for (std::string& word : split(text)) all.push_back(std::move(word));
        };
        add(function_words), add(kind_words);
        for (const char* some : thing_words) add(some);
        add(relation_words);
        for (const char* some : rule_words) add(some);
        add(land_words), add(feature_words), add(towns), add(rivers), add(dishes), add(names), add(label_words);
        return all;
    }();
    return words;
}

Index world_word(std::string_view word) {
    static const std::unordered_map<std::string, Index> numbers = [] {
        std::unordered_map<std::string, Index> by_word;
        for (const std::string& one : world_words()) by_word.emplace(one, Index(by_word.size()));
        return by_word;
    }();
    const auto found = numbers.find(std::string(word));
    check(found != numbers.end(), "world_word: wanted a word of the little world, got '{}'", word);
    return found->second;
}

std::vector<Index> world_tokens(std::string_view text) {
    std::vector<Index> found;
    for (const std::string& word : split(text)) found.push_back(world_word(word));
    return found;
}

std::string world_text(const std::vector<Index>& words) {
    const Index count = std::ssize(world_words()), signs = 3;
    std::string text;
    for (const Index word : words) {
        check(word >= 0 && word < count, "world_text: wanted words from 0 to {}, got {}", count - 1, word);
        text += (text.empty() || word < signs ? "" : " ") + world_words()[std::size_t(word)];
    }
    return text;
}

const LittleWorld& little_world() {
    static const LittleWorld world = [] {
        LittleWorld made;
        made.kinds = world_tokens(kind_words);
        for (const char* some : thing_words) made.things.push_back(world_tokens(some));
        made.relations = world_tokens(relation_words);
        for (const char* some : rule_words) made.rules.push_back(world_tokens(some));
        made.lands = world_tokens(land_words);
        made.features = world_tokens(feature_words);
        const std::vector<Index> town = world_tokens(towns), river = world_tokens(rivers), dish = world_tokens(dishes);
        for (std::size_t i = 0; i < made.lands.size(); ++i) made.facts.push_back({town[i], river[i], dish[i]});
        made.people = world_tokens(names);
        made.labels = world_tokens(label_words);
        return made;
    }();
    return world;
}

std::vector<WorldFact> land_facts() {
    const LittleWorld& world = little_world();
    std::vector<WorldFact> found;
    for (std::size_t i = 0; i < world.lands.size(); ++i)
        for (std::size_t f = 0; f < world.features.size(); ++f)
            found.push_back({world.features[f], world.lands[i], world.facts[i][f]});
    return found;
}

std::vector<WorldFact> rule_instances() {
    const LittleWorld& world = little_world();
    std::vector<WorldFact> found;
    for (std::size_t k = 0; k < world.kinds.size(); ++k)
        for (const Index thing : world.things[k])
            for (std::size_t r = 0; r < world.relations.size(); ++r)
                found.push_back({world.relations[r], thing, world.rules[k][r]});
    return found;
}

std::vector<Index> statement(const WorldFact& fact) {
    return filled_in("the _ of _ is _ .", {fact.relation, fact.subject, fact.answer});
}

std::vector<Index> question(const WorldFact& fact) {
    return filled_in("what is the _ of _ ?", {fact.relation, fact.subject});
}

std::vector<Index> kind_statement(Index thing) {
    const Index kind = place_of(thing, "kind_statement").first;
    return filled_in("_ is a _ .", {thing, little_world().kinds[std::size_t(kind)]});
}

std::vector<Index> opinion(Index person, Index thing) {
    const bool happy = place_of(thing, "opinion").second < of_each;
    return filled_in("_ sees _ , so _ is _ .", {person, thing, person, world_word(happy ? "happy" : "sad")});
}

std::vector<Index> world_sentence(const std::vector<WorldFact>& rules, Generator& random) {
    check(!rules.empty(), "world_sentence: wanted at least one instance of a rule, got none");
    static const std::vector<WorldFact> lands = land_facts();
    const LittleWorld& world = little_world();
    const auto any = [&](const auto& list) -> const auto& {
        return list[std::size_t(random.next_integer(0, std::ssize(list)))];
    };
    const Index eighth = random.next_integer(0, 8);
    if (eighth < 3) return statement(any(rules));
    if (eighth < 5) return statement(any(lands));
    const Index thing = any(any(world.things));
    return eighth < 6 ? kind_statement(thing) : opinion(any(world.people), thing);
}

std::vector<Index> world_sentences(const std::vector<WorldFact>& rules, Index length, Generator& random) {
    check(length >= 0, "world_sentences: wanted a length of at least 0, got {}", length);
    std::vector<Index> text;
    while (std::ssize(text) < length) {
        const std::vector<Index> next = world_sentence(rules, random);
        text.insert(text.end(), next.begin(), next.end());
    }
    text.resize(std::size_t(length));
    return text;
}

Index WorldTask::label(Index thing) const {
    const auto [kind, place] = place_of(thing, "label");
    check(kind == kinds[0] || kind == kinds[1], "label: wanted a thing of kind {} or {}, got one of kind {}", kinds[0],
          kinds[1], kind);
    return labels[by_kind ? (kind == kinds[0] ? 0 : 1) : (place < of_each ? 0 : 1)];
}

WorldTask world_task(Generator& random) {
    const LittleWorld& world = little_world();
    const auto two = [&](Index count) {
        const Index first = random.next_integer(0, count), other = random.next_integer(0, count - 1);
        return std::array<Index, 2>{first, other + (other >= first ? 1 : 0)};
    };
    const bool by_kind = random.next_integer(0, 2) == 1;
    const std::array<Index, 2> kinds = two(std::ssize(world.kinds)), labels = two(std::ssize(world.labels));
    return {by_kind, kinds, {world.labels[std::size_t(labels[0])], world.labels[std::size_t(labels[1])]}};
}

Index world_example(const WorldTask& task, WorldWords words, Generator& random, Index except) {
    const Index kind = task.kinds[std::size_t(random.next_integer(0, 2))], sentiment = random.next_integer(0, 2),
                first = words == WorldWords::rare ? common_of_each : 0,
                count = words == WorldWords::rare ? of_each - common_of_each : common_of_each;
    const std::vector<Index>& things = little_world().things[std::size_t(kind)];
    std::vector<Index> from;
    for (Index i = first; i < first + count; ++i) {
        const Index thing = things[std::size_t(sentiment * of_each + i)];
        if (thing != except) from.push_back(thing);
    }
    return from[std::size_t(random.next_integer(0, std::ssize(from)))];
}

Index kind_of(Index thing) { return place_of(thing, "kind_of").first; }

bool pleases(Index thing) { return place_of(thing, "pleases").second < of_each; }

}  // namespace RECTO::data
