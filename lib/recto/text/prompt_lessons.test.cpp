#include <recto/text/prompt_lessons.hpp>

#include <recto/nn/respond.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;
using text::few_shot_prompt, text::learn_prompts, text::PromptLessons;

namespace {

using Text = std::vector<Index>;

// Things 1 to 4, and the labels 5 and 6. A prompt gives each thing the same label in all of its examples.
const Text things = {1, 2, 3, 4};

Text catalogue(Generator& random) {
    Text text;
    for (int n = 0; n < 7; ++n) text.push_back(random.next_integer(1, 5));
    return text;
}

Text prompt(Generator& random) {
    const Index label = random.next_integer(5, 7);
    Text text = {0};
    for (int n = 0; n < 3; ++n) text.push_back(random.next_integer(1, 5)), text.push_back(label);
    return text;
}

}  // namespace

TEST_CASE("prompt_lessons: a prompt is a word, pairs, and the last thing", "[text][prompt_lessons]") {
    CHECK(few_shot_prompt(0, things, Text{5, 6, 5, 6}, 2) == Text{0, 1, 5, 2, 6, 3, 5, 4, 6, 2});
    CHECK(few_shot_prompt(7, Text{}, Text{}, 3) == Text{7, 3});
}

TEST_CASE("prompt_lessons: the network continues prompts, and two trainings are the same", "[text][prompt_lessons]") {
    const PromptLessons lessons{catalogue, prompt, 16, 150};
    Generator random(3), again(3);
    const nn::Gpt net = learn_prompts(lessons, 7, 6, random), twin = learn_prompts(lessons, 7, 6, again);
    for (const Index label : {5, 6}) {
        const std::vector<Text> asked = {few_shot_prompt(0, Text{1, 4}, Text{label, label}, 2)};
        CHECK(nn::respond(net, asked, 1)[0].tokens == Text{label});
    }
    CHECK(net.words.weight.values() == twin.words.weight.values());
}

TEST_CASE("prompt_lessons: of a catalogue each token is learned, of a prompt the labels", "[text][prompt_lessons]") {
    const auto always = [](Index thing) { return [thing](Generator&) { return Text{0, thing, 5, thing, 5}; }; };
    Generator random(4);
    const nn::Gpt net = learn_prompts({always(1), always(2), 32, 60}, 7, 4, random);
    CHECK(nn::respond(net, std::vector<Text>{{0}}, 1)[0].tokens == Text{1});  // from the first 12 steps
    CHECK(nn::respond(net, std::vector<Text>{{0, 2}}, 1)[0].tokens == Text{5});
}

TEST_CASE("prompt_lessons: messages", "[text][prompt_lessons]") {
    CHECK_THROWS_WITH(few_shot_prompt(0, things, Text{5}, 2),
                      "few_shot_prompt: wanted a label for each of 4 things, got 1 labels");
    Generator random(1);
    CHECK_THROWS_WITH(learn_prompts({catalogue, prompt, 16, 1}, 7, 5, random),
                      "learn_prompts: wanted a context of an even number of tokens, got 5");
    CHECK_THROWS_WITH(learn_prompts({catalogue, prompt, 33, 1}, 7, 6, random),
                      "learn_prompts: wanted 0 to 32 prompts in a batch, got 33");
    CHECK_THROWS_WITH(learn_prompts({catalogue, prompt, 16, 1}, 7, 8, random),
                      "learn_prompts: wanted texts of 9 tokens, got 7");
}
