// # Few-shot prompts: a task given by examples
//
// ```{rows} fig-7.1 sys-few-shot
// ```
//
// A language model only continues text. Yet you can give it a task without any training: write a few solved examples,
// then an unsolved one, and let the model continue. This is a **few-shot prompt**, and to use such examples is called
// **in-context learning**. {numref}`fig-7.1` shows four prompts for one small [GPT](../architectures/mini_gpt.cpp). Its
// weights are the same in all of them. Move the slider to give it more examples. From how many examples on can you tell
// what the colours mean, and from how many on can the network?
//
// ```{opening} fig-7.1
// ```
//- includes, names and options
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/little_world.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/gpt.hpp>
#include <recto/nn/respond.hpp>
#include <recto/text/prompt_lessons.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say;
using data::WorldWords;
using figure::Figure, figure::Names;

using Text = std::vector<Index>;  // numbers of words

const book::Option<Index> passes("steps", 450, "steps of each training",
                                 {.quick = 12, .least = 10, .most = 100'000});
const book::Option<double> coloured("coloured", 0.5,
                                    "share of the catalogue's entries with a colour",
                                    {.quick = 0.5, .least = 0, .most = 1});
const book::Option<int> draws("draws", 3, "trainings",
                              {.quick = 1, .least = 1, .most = 20});
const Index full_stop = 0, window = 18, most_shots = 8, prompts = 500;
//-

// ## A prompt as a sequence
//
// The words are those of a little world ({cpp:func}`~recto::data::little_world`). Its 72 things, such as *rose*, *mould*
// and *thief*, are of six kinds, such as *plant*, *food* and *person*. A **task** draws two kinds and two colours, and
// each colour stands for one of the kinds:
//
// > rose red, honey blue, lily red, cherry ?
//
// > rose blue, honey red, lily blue, cherry ?
//
// In the first prompt blue means a food, so the answer is *blue*. In the second, the same things have other colours, and
// the answer is *red*. The colours are drawn for each prompt, so that their meaning cannot be learned by heart.
//- tasks and their things
struct Task {
    std::array<Index, 2> kinds, colours;
};
Task drawn_task(Generator& random) {
    const data::WorldTask any = data::world_task(random);
    return {any.kinds, any.labels};
}
// A thing of a kind: one of eight common ones, or of four that are held out.
Index drawn_thing(Index kind, WorldWords words, Generator& random, Index except = -1) {
    const auto& things = data::little_world().things[std::size_t(kind)];
    for (;;) {
        const Index half = random.next_integer(0, 2);
        const Index place = words == WorldWords::common ? random.next_integer(0, 4)
                                                        : random.next_integer(4, 6);
        const Index thing = things[std::size_t(6 * half + place)];
        if (thing != except) return thing;
    }
}
//-
// The network reads a prompt as a sequence ({cpp:func}`~recto::text::few_shot_prompt`): a full stop, then a thing and a
// colour for each example, then the last thing.
//
// Before you read on, a bet. Suppose that a network has learned this game as well as possible, and that its answer counts
// as right if the right one of eight colours is its most probable word.
//- the question, and the best possible accuracy
double ideal(Index shots) {
    return shots == 0 ? 1.0 / 8 : 1 - std::exp2(-double(shots)) * 6 / 7;
}
void bet() {
    const double one = ideal(1);
    ask("How often is the best possible answer right after a single example?",
        {{"Nearly always: one pair shows what a colour means, and the other kind has "
          "the other colour.",
          one > 0.9,
          "If the last thing is of the other kind, its colour is one that the prompt "
          "has not shown, and seven are left."},
         {"In a little more than half of the prompts.", one > 0.5 && one <= 0.9,
          "In half of the prompts the last thing is of the same kind as the example, "
          "and the answer is certain. In the other half, one of the seven other "
          "colours "
          "is right, and the best answer is a guess among them."},
         {"In one of eight prompts: one example tells nothing.", one <= 0.5,
          "It tells the colour of one kind, and half of all last things belong to "
          "it."}});
}
//-

// ## The best possible reader
//
// After $n$ examples, the kind of the last thing has been shown unless all $n$ are of the other kind, which happens with
// probability $2^{-n}$. Then seven colours are left, and six of seven guesses are wrong. So the best accuracy is
//
// $$ 1 - 2^{-n} \cdot \tfrac67 . $$
//
// This is 0.57 for one example and 0.95 for four. Without examples, it is a guess among eight colours. A network cannot
// do better, and the question is how near it comes.
//
// ## The training
//
// The network has two blocks of the width 48 and learns to predict the next word of two sorts of text. The first is a
// **catalogue**, which lists things with their kinds. About half of the entries also have a colour, which is random and
// means nothing:
Text catalogue(Generator& random) {
    const data::LittleWorld& world = data::little_world();
    Text text;
    while (std::ssize(text) < window + 5) {
        const Index kind = random.next_integer(0, 6),
                    place = random.next_integer(0, 12);
        text.push_back(world.things[std::size_t(kind)][std::size_t(place)]);
        if (random.next_uniform() < coloured())
            text.push_back(world.labels[std::size_t(random.next_integer(0, 8))]);
        text.push_back(world.kinds[std::size_t(kind)]), text.push_back(0);
    }
    const auto cut = text.begin() + random.next_integer(0, 4);
    return {cut, cut + window + 1};
}
// For example: *rose plant. mould red food. thief blue person.* The second sort are prompts with nine examples, each with
// its own task. Here the loss counts the colours only. The prompts of the training contain 48 **common** things. The
// other 24 are **held out**: they stand in the catalogue, but never in a prompt. In the tests, all things
// of a prompt are held out, unless a figure says otherwise.
//- the training
Text training_prompt(Generator& random) {
    const Task task = drawn_task(random);
    Text text = {0};
    for (Index n = 0; n <= most_shots; ++n) {
        const auto c = std::size_t(random.next_integer(0, 2));
        text.push_back(drawn_thing(task.kinds[c], WorldWords::common, random));
        text.push_back(task.colours[c]);
    }
    return text;
}
nn::Gpt trained(Generator& random) {
    return text::learn_prompts({catalogue, training_prompt, 16, passes()},
                               std::ssize(data::world_words()), window, random);
}
//-
// The colours in the catalogue are more than decoration. To write *food* after *mould red*, the network must look back
// from the colour to the word before it. This is one half of what it needs for a prompt. The other half is to compare the
// last thing with what each colour has found, and to copy the colour of the best match. A head of attention that finds an
// earlier match of the last word, and copies what followed it, is called an **induction head** {cite:p}`olsson2022`. It
// builds on a head of an earlier block that looks back by one word. Usually it compares the words themselves. Here no word
// of a test prompt has stood in a prompt of the training, and only the catalogue can tell which words belong together.
//- judging a network
enum class Colours { right, shuffled, swapped };
struct Answer {
    Index word, right, other;  // the most probable word, and both colours of the task
};
// The same prompts for all networks, and for all ways to colour them.
std::vector<Answer> answers(const nn::Gpt& net, Index shots, WorldWords words,
                            Colours how) {
    Generator random(book::seed() + 700), shuffling(book::seed() + 701);
    std::vector<Text> texts;
    std::vector<Answer> found;
    for (Index n = 0; n < prompts; ++n) {
        const Task task = drawn_task(random);
        const auto asked = std::size_t(random.next_integer(0, 2));
        const Index last = drawn_thing(task.kinds[asked], words, random);
        Text things, colours;
        for (Index k = 0; k < shots; ++k) {
            const auto c = std::size_t(random.next_integer(0, 2));
            things.push_back(drawn_thing(task.kinds[c], words, random, last));
            colours.push_back(task.colours[how == Colours::swapped ? 1 - c : c]);
        }
        if (how == Colours::shuffled) {
            const Text old = colours;
            const std::vector<Index> order = shuffling.permutation(std::ssize(old));
            for (std::size_t k = 0; k < old.size(); ++k)
                colours[k] = old[std::size_t(order[k])];
        }
        texts.push_back(text::few_shot_prompt(full_stop, things, colours, last));
        found.push_back({0, task.colours[asked], task.colours[1 - asked]});
    }
    const std::vector<nn::Response> written = nn::respond(net, texts, 1);
    for (std::size_t n = 0; n < found.size(); ++n) found[n].word = written[n].tokens[0];
    return found;
}
double accuracy(const std::vector<Answer>& all) {
    double right = 0;
    for (const Answer& one : all) right += one.word == one.right;
    return right / double(all.size());
}
//-
//- the prompts of the first figure, and how it is drawn
struct Shown {
    const char* things;  // the last one is asked for
    std::vector<const char*> colours;
};
const std::vector<Shown> shown = {
    {"melon tulip pudding lavender", {"blue", "red", "blue", "red"}},
    {"melon tulip pudding lavender", {"red", "blue", "red", "blue"}},
    {"pirate gale traitor sleet", {"pink", "green", "pink", "green"}},
    {"feast fawn exam rabbit", {"grey", "brown", "grey", "brown"}}};

void draw_prompts(const nn::Gpt& net) {
    const std::vector<double> stops = {0, 1, 2, 3};
    Figure figure("fig-7.1");
    figure
        .describe(
            "Four rows, each a prompt. A slider sets how many examples it has, from 0 "
            "to 3. An example is a thing with the name of a colour below it. At the "
            "end "
            "of each row stands the last thing, and below it in bold the word that the "
            "network writes, red where it is wrong.")
        .slider("examples", stops, "examples in the prompt", 3)
        .height(330);
    std::string whole;
    for (const double stop : stops) {
        const Index n = Index(stop);
        figure.at(stop);
        for (std::size_t p = 0; p < shown.size(); ++p) {
            const Text all = data::world_tokens(shown[p].things);
            const double y = 4 - double(p);
            std::vector<double> x, top, low;
            Names things, colours;
            Text first, labels;
            for (Index i = 0; i < n; ++i) {
                x.push_back(double(i)), top.push_back(y), low.push_back(y - 0.32);
                things.push_back(data::world_text({all[std::size_t(i)]}));
                colours.emplace_back(shown[p].colours[std::size_t(i)]);
                first.push_back(all[std::size_t(i)]);
                labels.push_back(data::world_word(colours.back()));
            }
            const std::vector<Text> asked = {
                text::few_shot_prompt(full_stop, first, labels, all.back())};
            const Index word = nn::respond(net, asked, 1)[0].tokens[0];
            const bool right = word == data::world_word(shown[p].colours.back());
            if (n > 0)
                figure.words("", x, top, things, {.color = figure::ink})
                    .words("", x, low, colours, {.color = figure::grey});
            figure
                .words("", {3}, {y}, {data::world_text({all.back()})},
                       {.color = figure::ink})
                .words("", {3}, {y - 0.32}, {data::world_text({word})},
                       {.color = right ? figure::blue : figure::red, .bold = true});
            if (n < 3) continue;
            whole += whole.empty() ? "" : "; ";
            for (std::size_t i = 0; i < things.size(); ++i)
                whole += fmt::format("{} {}, ", things[i], colours[i]);
            whole += fmt::format("{} **{}**", data::world_text({all.back()}),
                                 data::world_text({word}));
        }
    }
    figure.always().xlim(-0.5, 3.5).ylim(0.4, 4.3).bare().save(
        "Four prompts for a GPT of two blocks, after *The Little Book of Deep "
        "Learning* {cite:p}`fleuret2023`. The second has the things of the first with "
        "other colours. None of the things stood in a prompt of the training. "
        "**Bold**: "
        "the most probable word, blue if it is right. With three examples: " +
        whole + ".");
    book::shows("fig-7.1/a", "fig-7.1");
}
//-
//- three trainings
struct Results {
    std::vector<std::vector<double>> common, held, shuffled;  // draw, shots
    std::vector<double> flipped, kinds;  // kinds: written without examples
};
Results measure() {
    Results found;
    for (int draw = 1; draw <= draws(); ++draw) {
        Generator random(1000 * std::uint64_t(draw) + book::seed());
        const nn::Gpt net = trained(random);
        if (draw == 1) draw_prompts(net);
        const auto curve = [&](WorldWords words, Colours how) {
            std::vector<double> accuracies;
            for (Index n = 0; n <= most_shots; ++n)
                accuracies.push_back(accuracy(answers(net, n, words, how)));
            return accuracies;
        };
        found.common.push_back(curve(WorldWords::common, Colours::right));
        found.held.push_back(curve(WorldWords::rare, Colours::right));
        found.shuffled.push_back(curve(WorldWords::rare, Colours::shuffled));
        const std::vector<Index>& kinds = data::little_world().kinds;
        double written = 0;
        for (const Answer& one : answers(net, 0, WorldWords::rare, Colours::right))
            written += std::ranges::find(kinds, one.word) != kinds.end();
        found.kinds.push_back(written / double(prompts));
        const std::vector<Answer> told = answers(net, most_shots, WorldWords::rare,
                                                 Colours::right),
                                  swapped = answers(net, most_shots, WorldWords::rare,
                                                    Colours::swapped);
        double flips = 0;
        for (std::size_t n = 0; n < told.size(); ++n)
            flips +=
                (told[n].word == told[n].right && swapped[n].word == told[n].other) ||
                (told[n].word == told[n].other && swapped[n].word == told[n].right);
        found.flipped.push_back(flips / double(told.size()));
    }
    return found;
}
//-

// ## What the examples do
//
// {numref}`fig-shots` shows the accuracy of three networks against the number of examples. Two controls test that the
// networks read the prompt. In the first, the colours of all examples of a prompt are shuffled among them. In the second,
// the two colours are swapped in all examples.
//- the curves, and what is checked
std::vector<double> at(const std::vector<std::vector<double>>& curves, std::size_t n) {
    std::vector<double> found;
    for (const std::vector<double>& one : curves) found.push_back(one[n]);
    return found;
}
void results(const Results& found) {
    std::vector<double> shots, best;
    for (Index n = 0; n <= most_shots; ++n)
        shots.push_back(double(n)), best.push_back(ideal(n));
    Figure("fig-shots")
        .describe(
            "Accuracy against the number of examples, from 0 to 8. The curve of the "
            "best "
            "possible reader rises from an eighth to nearly 1. The lines of three "
            "networks follow it. With shuffled colours the accuracy stays near a half.")
        .line("best possible", shots, best,
              {.color = figure::ink, .dash = figure::dashed, .points = false})
        .lines("common things", shots, found.common)
        .lines("held-out things", shots, found.held)
        .lines("held out, shuffled colours", shots, found.shuffled)
        .x("examples in the prompt")
        .y("accuracy")
        .ylim(0, 1)
        .save(
            "Accuracy on 500 prompts: the share in which the most probable word is the "
            "right colour. Three trainings each. With one example, there is nothing to "
            "shuffle.");
    book::shows("sys-few-shot/a", "fig-shots");
    std::vector<double> few, rise, gap;
    for (const std::vector<double>& one : found.held) {
        few.push_back(std::min(one[3], one[4]));
        rise.push_back(one[8] - one[1]);
    }
    for (std::size_t k = 0; k < found.held.size(); ++k)
        gap.push_back(found.common[k][4] - found.held[k][4]);
    say("share of the prompts without examples after which a kind is written: {}",
        book::brief(over_seeds(found.kinds)));
    say("held-out things: accuracy {} after 1 example, {} after 8",
        book::brief(over_seeds(at(found.held, 1))),
        book::brief(over_seeds(at(found.held, 8))));
    claim("fig-7.1/b",
          "accuracy on held-out things with 3 and with 4 examples, the lower",
          over_seeds(few), ">=", 0.85);
    claim("fig-7.1/c",
          "accuracy on held-out things without examples, against a guess among eight "
          "colours",
          over_seeds(at(found.held, 0)), "<=", ideal(0));
    claim("sys-few-shot/b",
          "accuracy on held-out things with 8 examples less that with 1 example",
          over_seeds(rise), ">=", 0.2);
    claim("sys-few-shot/c",
          "share of the prompts of 8 examples in which swapped colours swap the answer",
          over_seeds(found.flipped), ">=", 0.8);
    claim("", "accuracy with 8 examples and shuffled colours",
          over_seeds(at(found.shuffled, 8)), "<=", 0.65);
    claim("", "4 examples: accuracy on common things less that on held-out things",
          over_seeds(gap), "<=", 0.1);
}
//-

// After one example, the networks do nearly as well as the best possible reader, and with more examples they stay close to
// it. With 500 prompts, a share can lie two points off by chance, so a line may even cross the best one. **They do so for
// things that never stood in a prompt.** All that they know of these comes from the catalogue. The task comes from the
// prompt: shuffled colours leave a coin toss, and swapped colours swap the answers. No weight changes from one prompt to the
// next. Without examples, a network that reads a held-out thing is right even less often than a guess among eight colours:
// it goes on as the catalogue does, and mostly writes the kind.
//
// ## Limits
//
// The answers need no training, but the ability to use examples does. Our networks have seen thousands of prompts of this
// form, each with new colours. If the colours had one fixed meaning, the networks would learn this meaning and could
// ignore the examples. Large language models are not trained on prompts of one form. {cite:t}`brown2020` found that GPT-3
// follows few-shot prompts after reading ordinary text. {cite:t}`chan2022` trained small Transformers and found that they
// learn in context if their data come in bursts: what occurs once soon occurs again, while its meaning changes from place
// to place. In our prompts both are pushed to the extreme.
//
// Ours is one family of tasks: two kinds, two colours. A prompt of another form, such as three colours, is outside what
// these networks have learned. For large models, labels in a prompt can matter less: {cite:t}`min2022` replaced them by
// random ones and the accuracy often fell only a little, since a large model recognises a usual task from its inputs
// alone. Our tasks cannot be recognised in this way, because the colours are drawn for each prompt. The figure
// in {cite:t}`fleuret2023` has a second task, the sentiment of a sentence. Our tasks are about the kind of a thing only:
// if the sentiment could count as well, one example of each colour would not tell which of the two matters.
//
// ## What to remember
//
// A few-shot prompt gives a task by solved examples, and the network continues the sequence. What a label means stands in
// the prompt alone, and so swapped labels swap the answers. What the words mean was learned before: things that were
// never part of a prompt are used as well as others. An induction head can do this: it compares the last thing with those
// before it, and copies the label of the best match.
//
// ## What is missing
//
// The network follows the pattern of its examples, and it cannot read a request. [The next page](alignment.cpp) trains a
// language model to answer questions, and then to write what a person likes.
//
// ```{try}
// - A catalogue without colours: `--coloured 0`. Do the networks still learn to use the examples in this time?
// - A longer training: `--steps 900`.
// ```

void page() {
    bet();
    results(measure());
}
