#include <recto/data/little_world.hpp>

#include <algorithm>
#include <map>
#include <set>

#include <recto/testing/testing.hpp>

using namespace recto;
using data::LittleWorld, data::WorldFact, data::WorldTask, data::WorldWords;

namespace {

std::set<Index> drawn(const WorldTask& task, WorldWords words, Index except = -1) {
    Generator random(3);
    std::set<Index> seen;
    for (int n = 0; n < 2000; ++n) seen.insert(data::world_example(task, words, random, except));
    return seen;
}

}  // namespace

TEST_CASE("little world: every word has one number", "[data][little_world]") {
    const std::vector<std::string>& words = data::world_words();
    CHECK(words.size() == 219);
    CHECK(std::set<std::string>(words.begin(), words.end()).size() == words.size());
    for (std::size_t i = 0; i < words.size(); ++i) CHECK(data::world_word(words[i]) == Index(i));
    CHECK_THROWS_WITH(data::world_word("unicorn"), "world_word: wanted a word of the little world, got 'unicorn'");
    const std::vector<Index> some = data::world_tokens(" what  is the home of nettle ?");
    CHECK(data::world_text(some) == "what is the home of nettle?");
    CHECK(data::world_tokens("").empty());
    CHECK_THROWS_WITH(data::world_text({219}), "world_text: wanted words from 0 to 218, got 219");
    CHECK_THROWS_WITH(data::world_text({-1}), "world_text: wanted words from 0 to 218, got -1");
}

TEST_CASE("little world: sizes, and no word in two lists", "[data][little_world]") {
    const LittleWorld& world = data::little_world();
    CHECK((world.kinds.size() == 6 && world.things.size() == 6 && world.rules.size() == 6));
    CHECK((world.lands.size() == 20 && world.facts.size() == 20 && world.features.size() == 3));
    CHECK((world.relations.size() == 4 && world.people.size() == 8 && world.labels.size() == 8));
    std::multiset<Index> all(world.kinds.begin(), world.kinds.end());
    const auto add = [&](const std::vector<Index>& list) { all.insert(list.begin(), list.end()); };
    for (const auto& some : world.things) {
        CHECK(some.size() == 12);
        add(some);
    }
    for (const auto& some : world.rules) {
        CHECK(some.size() == 4);
        add(some);
    }
    for (const auto& some : world.facts) {
        CHECK(some.size() == 3);
        add(some);
    }
    for (const auto* some : {&world.relations, &world.lands, &world.features, &world.people, &world.labels}) add(*some);
    CHECK(std::set<Index>(all.begin(), all.end()).size() == all.size());
}

TEST_CASE("little world: facts and instances of rules", "[data][little_world]") {
    const std::vector<WorldFact> facts = data::land_facts(), rules = data::rule_instances();
    CHECK(facts.size() == 60);
    CHECK(rules.size() == 288);
    std::set<Index> answers;
    for (const WorldFact& fact : facts) answers.insert(fact.answer);
    CHECK(answers.size() == 60);  // no fact follows from another
    std::map<std::pair<Index, Index>, std::set<Index>> of_kind;
    for (const WorldFact& fact : rules) of_kind[{data::kind_of(fact.subject), fact.relation}].insert(fact.answer);
    CHECK(of_kind.size() == 24);
    for (const auto& [which, found] : of_kind) CHECK(found.size() == 1);  // the kind decides
    CHECK(data::world_text(data::statement(facts[0])) == "the capital of norland is tolm.");
    CHECK(data::world_text(data::question(facts[1])) == "what is the river of norland?");
    const auto of = [](const char* thing, const char* relation) {
        for (const WorldFact& fact : data::rule_instances())
            if (fact.subject == data::world_word(thing) && fact.relation == data::world_word(relation))
                return data::world_text(data::statement(fact));
        return std::string();
    };
    CHECK(of("nettle", "home") == "the home of nettle is garden.");
    CHECK(of("fog", "part") == "the part of fog is clouds.");
}

TEST_CASE("little world: kinds, sentiments and opinions", "[data][little_world]") {
    const Index nettle = data::world_word("nettle"), rose = data::world_word("rose"), ann = data::world_word("ann");
    CHECK(data::world_text(data::kind_statement(nettle)) == "nettle is a plant.");
    CHECK(data::world_text(data::opinion(ann, nettle)) == "ann sees nettle, so ann is sad.");
    CHECK(data::world_text(data::opinion(ann, rose)) == "ann sees rose, so ann is happy.");
    CHECK((data::kind_of(rose) == 1 && data::kind_of(data::world_word("traitor")) == 5));
    Index pleasing = 0;
    for (const std::vector<Index>& some : data::little_world().things)
        pleasing += std::ranges::count_if(some, data::pleases);
    CHECK(pleasing == 36);
    const Index kitten = data::world_word("kitten"), traitor = data::world_word("traitor");
    CHECK_THROWS_WITH(data::kind_of(traitor + 1), fmt::format("kind_of: wanted a thing, a word from {} to {}, got {}",
                                                              kitten, traitor, traitor + 1));
    CHECK_THROWS_AS(data::kind_statement(ann), Error);
    CHECK_THROWS_AS(data::opinion(ann, ann), Error);
    CHECK_THROWS_AS(data::pleases(kitten - 1), Error);
}

TEST_CASE("little world: tasks and their examples", "[data][little_world]") {
    const auto word = data::world_word;
    const WorldTask kinds{true, {1, 2}, {word("red"), word("blue")}}, mood{false, {1, 2}, {word("red"), word("blue")}};
    CHECK((kinds.label(word("nettle")) == word("red") && mood.label(word("nettle")) == word("blue")));
    CHECK((kinds.label(word("honey")) == word("blue") && mood.label(word("honey")) == word("red")));
    CHECK_THROWS_WITH(mood.label(word("fog")), "label: wanted a thing of kind 1 or 2, got one of kind 4");
    const std::set<Index> common = drawn(kinds, WorldWords::common), rare = drawn(kinds, WorldWords::rare);
    CHECK((common.size() == 16 && rare.size() == 8));
    for (const Index thing : rare) CHECK(common.count(thing) == 0);
    const Index lavender = word("lavender");
    CHECK(rare.count(lavender) == 1);
    const std::set<Index> others = drawn(kinds, WorldWords::rare, lavender);
    CHECK((others.size() == 7 && others.count(lavender) == 0));
    Generator random(4), again(4);
    std::map<Index, int> labels;
    int by_kind = 0, first = 0, pleasing = 0;
    for (int n = 0; n < 4000; ++n) {
        const WorldTask task = data::world_task(random);
        CHECK((task.kinds[0] != task.kinds[1] && task.labels[0] != task.labels[1]));
        ++labels[task.labels[0]], ++labels[task.labels[1]];
        by_kind += task.by_kind;
        const Index thing = data::world_example(task, WorldWords::common, random);
        first += data::kind_of(thing) == task.kinds[0], pleasing += data::pleases(thing);
        const WorldTask same = data::world_task(again);
        CHECK((same.kinds == task.kinds && same.labels == task.labels && same.by_kind == task.by_kind));
        CHECK(data::world_example(same, WorldWords::common, again) == thing);
    }
    CHECK(labels.size() == 8);
    for (const auto& [label, times] : labels) CHECK((times > 900 && times < 1100));  // 1000 expected, deviation 30
    for (const int half : {by_kind, first, pleasing}) CHECK((half > 1850 && half < 2150));  // 2000, deviation 32
}

TEST_CASE("little world: random sentences", "[data][little_world]") {
    const std::vector<WorldFact> rules = {data::rule_instances()[5]};
    Generator random(5);
    int told = 0, kinds = 0, opinions = 0, facts = 0;
    for (int n = 0; n < 4000; ++n) {
        const std::vector<Index> s = data::world_sentence(rules, random);
        CHECK((s.back() == 0 && std::ranges::count(s, 0) == 1));
        told += s == data::statement(rules[0]);
        kinds += s.size() == 5, opinions += s.size() == 9;
        facts += s.size() == 7 && s != data::statement(rules[0]);
    }
    CHECK(told + kinds + opinions + facts == 4000);
    CHECK((told > 1380 && told < 1620));  // 1500, deviation 31
    CHECK((kinds > 420 && kinds < 580));  // 500, deviation 21
    CHECK((opinions > 890 && opinions < 1110));
    CHECK((facts > 890 && facts < 1110));  // 1000, deviation 27
    Generator one(6), two(6);
    const std::vector<Index> text = data::world_sentences(rules, 50, one), first = data::world_sentence(rules, two);
    CHECK(text.size() == 50);
    CHECK(std::equal(first.begin(), first.end(), text.begin()));
    CHECK(data::world_sentences(rules, 0, one).empty());
    CHECK_THROWS_WITH(data::world_sentences(rules, -1, one), "world_sentences: wanted a length of at least 0, got -1");
    CHECK_THROWS_WITH(data::world_sentence({}, one),
                      "world_sentence: wanted at least one instance of a rule, got none");
}
