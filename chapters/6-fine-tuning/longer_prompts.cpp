// # Longer prompts: more examples for a harder rule
//
// ```{rows} claim-few-shot-generalises
// ```
//
// Some [examples in the prompt](../applications/few_shot.cpp) give a language model a simple task. Is that still true of
// a harder one? {numref}`fig-longer` shows prompts for a small [GPT](../architectures/mini_gpt.cpp) in which the colour
// of a thing depends on two of its attributes at once, so that four rules have to be read from the examples. Move the
// slider to make the prompt longer. Only the prompt says what its colours mean. How long must the prompt be?
//
// ```{opening} fig-longer
// ```
//- includes, names and options
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
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
using book::Study;
using figure::Figure, figure::Names;

using Text = std::vector<Index>;  // numbers of words
const Index most_examples = 12, window = 2 * most_examples + 2, prompts = 300;
//-

// ## Two attributes and an instruction
//
// The words are those of the little world ({cpp:func}`~recto::data::little_world`). Each thing has a kind, such as
// *plant* or *food*, and it pleases or it does not. A prompt draws two kinds. The first word is an **instruction**. After
// *what*, the kind alone decides the colour. After *question*, both attributes do, and each of the four combinations has
// its own colour, which is drawn for this prompt:
//
// > what: rose red, mould blue, nettle red, honey ?
//
// > question: rose red, mould blue, nettle pink, honey ?
//
// In the first prompt red means a plant and blue a food, so the answer is *blue*. In the second, red means a pleasing
// plant, blue a displeasing food and pink a displeasing plant. Honey is a pleasing food, whose colour the prompt has not
// shown.
//- tasks and their things
const std::array<const char*, 2> instructions = {"what", "question"};

struct Task {
    std::array<Index, 2> kinds;
    std::array<Index, 4>
        colours;  // of kind 0 that pleases and does not, then of kind 1
    bool both;    // whether both attributes decide
    Index colour(Index which) const {
        return colours[std::size_t(both ? which : which / 2 * 2)];
    }
};
Task drawn_task(bool both, Generator& random) {
    const data::WorldTask any = data::world_task(random);
    const std::vector<Index> order = random.permutation(8);
    Task task{any.kinds, {}, both};
    for (std::size_t i = 0; i < 4; ++i)
        task.colours[i] = data::little_world().labels[std::size_t(order[i])];
    return task;
}
// A thing of one of the four combinations: one of four common ones, or of two that are held out.
Index drawn_thing(const Task& task, Index which, bool held_out, Generator& random,
                  Index except = -1) {
    const auto& things =
        data::little_world().things[std::size_t(task.kinds[std::size_t(which / 2)])];
    for (;;) {
        const Index place =
            held_out ? random.next_integer(4, 6) : random.next_integer(0, 4);
        const Index thing = things[std::size_t(6 * (which % 2) + place)];
        if (thing != except) return thing;
    }
}
//-
// The network reads a prompt as a sequence ({cpp:func}`~recto::text::few_shot_prompt`): the instruction, then a thing and a
// colour for each example, and then the last thing.
//
// ## The training
//
// The training is that of [few-shot prompts](../applications/few_shot.cpp). A network of two blocks of the width 48 reads
// a catalogue, such as *rose plant. mould red sad.* In it, each thing stands with its kind or with what it makes people
// feel, and the colours mean nothing. Then prompts are added, half of them with each instruction, and with new colours in
// each. Two things of each combination are held out: they stand in the catalogue and never in a prompt of the training.
// All prompts below consist of such things.
//- the training
Text catalogue(Generator& random) {
    const data::LittleWorld& world = data::little_world();
    Text text;
    while (std::ssize(text) < window + 5) {
        const Index kind = random.next_integer(0, 6),
                    place = random.next_integer(0, 12);
        text.push_back(world.things[std::size_t(kind)][std::size_t(place)]);
        if (random.next_uniform() < 0.5)
            text.push_back(world.labels[std::size_t(random.next_integer(0, 8))]);
        text.push_back(random.next_uniform() < 0.5 ? world.kinds[std::size_t(kind)]
                       : place < 6                 ? data::world_word("happy")
                                                   : data::world_word("sad"));
        text.push_back(0);
    }
    const auto cut = text.begin() + random.next_integer(0, 4);
    return {cut, cut + window + 1};
}
Text training_prompt(Generator& random) {
    const bool both = random.next_uniform() < 0.5;
    const Task task = drawn_task(both, random);
    Text text = {data::world_word(instructions[both])};
    for (Index n = 0; n <= most_examples; ++n) {
        const Index which = random.next_integer(0, 4);
        text.push_back(drawn_thing(task, which, false, random));
        text.push_back(task.colour(which));
    }
    return text;
}
nn::Gpt trained(Index steps, Generator& random) {
    return text::learn_prompts({catalogue, training_prompt, 20, steps},
                               std::ssize(data::world_words()), window, random);
}
//-
//- the study: judging a network
// The same prompts for all networks and both instructions.
double accuracy(const nn::Gpt& net, Index examples, bool both, bool instruction) {
    Generator random(book::seed() + 700);
    std::vector<Text> texts;
    Text right;
    for (Index n = 0; n < prompts; ++n) {
        const Task task = drawn_task(both, random);
        const Index asked = random.next_integer(0, 4),
                    last = drawn_thing(task, asked, true, random);
        Text things, colours;
        for (Index k = 0; k < examples; ++k) {
            const Index which = random.next_integer(0, 4);
            things.push_back(drawn_thing(task, which, true, random, last));
            colours.push_back(task.colour(which));
        }
        texts.push_back(text::few_shot_prompt(
            data::world_word(instructions[instruction]), things, colours, last));
        right.push_back(task.colour(asked));
    }
    const std::vector<nn::Response> written = nn::respond(net, texts, 1);
    double share = 0;
    for (std::size_t n = 0; n < right.size(); ++n)
        share += double(written[n].tokens[0] == right[n]) / double(prompts);
    return share;
}
// The prompts of the first figure, of things that are held out: three with the instruction "question".
struct Shown {
    const char* things;  // the last one is asked for
    std::vector<const char*> colours;
};
const std::vector<Shown> shown = {
    {"melon ragweed tulip slop melon hogweed lavender",
     {"blue", "pink", "red", "grey", "blue", "pink", "red"}},
    {"pirate gale nurse dawn traitor saint sleet",
     {"pink", "green", "brown", "black", "pink", "brown", "green"}},
    {"feast fawn exam tick quarrel dance mosquito",
     {"grey", "brown", "white", "blue", "white", "grey", "blue"}}};

const std::vector<const char*> curves = {"right", "other", "kind"};

std::vector<std::string> result_names() {
    std::vector<std::string> names;
    for (const char* curve : curves)
        for (Index n = 0; n <= most_examples; ++n)
            names.push_back(fmt::format("{} {}", curve, n));
    for (std::size_t p = 1; p <= shown.size(); ++p)
        for (Index n = 0; n <= 6; ++n) names.push_back(fmt::format("word {} {}", p, n));
    return names;
}
Study::Row train_and_judge(const Study::Row& cell) {
    Generator random(1000 * std::uint64_t(cell[0]) + book::seed());
    const nn::Gpt net = trained(Index(cell[1]), random);
    Study::Row row;
    for (const auto& [both, instruction] : std::vector<std::pair<bool, bool>>{
             {true, true}, {true, false}, {false, false}})
        for (Index n = 0; n <= most_examples; ++n)
            row.push_back(accuracy(net, n, both, instruction));
    for (const Shown& prompt : shown) {
        const Text all = data::world_tokens(prompt.things);
        for (Index n = 0; n <= 6; ++n) {
            const Text things(all.begin(), all.begin() + n);
            Text colours;
            for (Index k = 0; k < n; ++k)
                colours.push_back(data::world_word(prompt.colours[std::size_t(k)]));
            const std::vector<Text> asked = {text::few_shot_prompt(
                data::world_word("question"), things, colours, all.back())};
            row.push_back(double(nn::respond(net, asked, 1)[0].tokens[0]));
        }
    }
    return row;
}
// The tolerances. Near chance and after the wrong instruction, a share of 300 prompts varies from training to training.
// The words of the first figure are not compared, since another compiler may lead to other words.
std::vector<double> tolerances() {
    const std::size_t each = std::size_t(most_examples + 1);
    std::vector<double> all(3 * each, 0.25);
    for (std::size_t n = 4; n < each; ++n) all[n] = all[2 * each + n] = 0.1;
    all.resize(result_names().size(), 1000);
    return all;
}
const Study study({"longer_prompts",
                   {"draw", "steps"},
                   result_names(),
                   {"claim-few-shot-generalises/a"},
                   0.25,
                   tolerances()},
                  {{1, 800}, {2, 800}, {3, 800}}, train_and_judge);
//-

// ## How many examples does it take?
//
// After *question*, the answer is known if one of the examples has both attributes of the last thing. Each example does
// with probability $\frac14$, so $n$ examples show the answer with probability
//
// $$ 1 - \left(\tfrac34\right)^n . $$
//
// After four examples $(\frac34)^4 = 0.32$ of the prompts still leave the answer open, and after twelve 0.03. In these
// prompts the best answer is a guess among the colours that the prompt has not shown. It is right in one of seven cases
// after one example, and in one of five when the colours of all other combinations have been shown.
//
// After *what*, one of two kinds has to be seen, and $1 - (\frac12)^n$ approaches 1 faster: **a harder rule needs a
// longer prompt.** Before you look at the curves, place a bet on the instruction:
//- the question, and what a file tells
std::vector<double> column(const std::string& name) {
    return study.frozen().column(name);
}
double middle(const std::string& name) { return book::median(column(name)); }
void bet() {
    const double right = middle("right 12"), other = middle("other 12");
    ask("A network gets twelve examples for the rule of two attributes, and the wrong "
        "instruction, *what* in place of *question*. What does it do?",
        {{"It is right as often as with the right instruction: the examples show that "
          "both attributes matter.",
          other > right - 0.1,
          "The examples do show it. But in the training the instruction never "
          "contradicted the examples, so nothing taught the network to doubt it."},
         {"It is right clearly less often: it follows the instruction, too.",
          other <= right - 0.1 && other > 0.25,
          "After *what*, all examples of the same kind should count, and half of "
          "those have another colour here. But the examples still show more colours "
          "than two, which never follows *what* in the training. The network lets both "
          "count."},
         {"It is lost, and no better than a guess among the four colours.",
          other <= 0.25,
          "The instruction changes which examples count, and half of those that still "
          "count have the right colour."}});
}
//-

//- the first figure
void draw_prompts() {
    const std::vector<double> stops = {0, 1, 2, 3, 4, 5, 6};
    Figure figure("fig-longer");
    figure
        .describe(
            "Three rows, each a prompt. A slider sets how many examples it has, from 0 "
            "to 6. An example is a thing with the name of a colour below it. At the "
            "end "
            "of each row stands the last thing, and below it in bold the word that the "
            "network writes, red where it is wrong.")
        .slider("examples", stops, "examples in the prompt", 6)
        .height(270);
    for (const double stop : stops) {
        const Index n = Index(stop);
        figure.at(stop);
        for (std::size_t p = 0; p < shown.size(); ++p) {
            const Text all = data::world_tokens(shown[p].things);
            const double y = 3 - double(p);
            std::vector<double> x, top, low;
            Names things, colours;
            for (Index i = 0; i < n; ++i) {
                x.push_back(double(i)), top.push_back(y), low.push_back(y - 0.32);
                things.push_back(data::world_text({all[std::size_t(i)]}));
                colours.emplace_back(shown[p].colours[std::size_t(i)]);
            }
            const Index word = Index(column(fmt::format("word {} {}", p + 1, n))[0]);
            const bool right = word == data::world_word(shown[p].colours.back());
            if (n > 0)
                figure.words("", x, top, things, {.color = figure::ink, .width = 12})
                    .words("", x, low, colours, {.color = figure::grey, .width = 12});
            figure
                .words("", {6}, {y}, {data::world_text({all.back()})},
                       {.color = figure::ink, .width = 12})
                .words("", {6}, {y - 0.32}, {data::world_text({word})},
                       {.color = right ? figure::blue : figure::red,
                        .width = 12,
                        .bold = true});
        }
    }
    figure.always().xlim(-0.5, 6.5).ylim(0.4, 3.3).bare().save(
        "Three prompts of the rule of two attributes for a GPT of two blocks. In the "
        "first, for example, red is the colour of pleasing plants, pink that of "
        "displeasing plants, and blue that of pleasing foods. None of the things stood "
        "in a prompt of the training. **Bold**: the most probable word, blue if it is "
        "right.");
}
//-

// ## The length of the prompt
//
// {numref}`fig-lengths` shows the accuracy of three networks up to the twelve examples that fit the context. Does the
// accuracy rise with the length? A number for this is the **rank correlation** {cite:p}`spearman1904`: each accuracy is
// replaced by its rank, and the correlation of the ranks with those of the lengths is computed. Suppose that the accuracy
// is 0.2 without examples, 0.5 with one and 0.4 with two. The ranks are 0, 2 and 1, and less their mean they are $-1$,
// $1$ and $0$. The lengths have $-1$, $0$ and $1$. The products sum to 1 and the squares of each to 2, so the rank
// correlation is $\frac12$. It is 1 if the accuracy rises with every example, however much or little.
//- the curves, and what is checked
double rank_correlation(const std::vector<double>& y) {
    // Spearman: the correlation of the ranks; equal numbers share the mean of theirs.
    const std::size_t count = y.size();
    std::vector<double> ranks;
    for (const double one : y) {
        double below = 0, equal = 0;
        for (const double other : y) below += other < one, equal += other == one;
        ranks.push_back(below + (equal - 1) / 2);
    }
    const double mean = double(count - 1) / 2;
    double xy = 0, xx = 0, yy = 0;
    for (std::size_t n = 0; n < count; ++n) {
        const double x = double(n) - mean, r = ranks[n] - mean;
        xy += x * r, xx += x * x, yy += r * r;
    }
    return xy / std::sqrt(xx * yy);
}
void lengths() {
    const std::size_t draws = study.cells().size();
    std::vector<double> examples, best;
    double missed = 1;                   // share of prompts without a matching example
    std::array<double, 4> others = {1};  // of these, those with 0 to 3 other colours
    std::vector<std::vector<std::vector<double>>> found(
        curves.size(), std::vector<std::vector<double>>(draws));
    for (Index n = 0; n <= most_examples; ++n) {
        examples.push_back(double(n));
        best.push_back(1 - missed);
        for (std::size_t k = 0; k < 4; ++k)
            best.back() += missed * others[k] / double(8 - k);
        missed *= 0.75;
        for (std::size_t k = 3; k > 0; --k)
            others[k] = (others[k] * double(k) + others[k - 1] * double(4 - k)) / 3;
        others[0] = 0;
        for (std::size_t c = 0; c < curves.size(); ++c) {
            const std::vector<double> all = column(fmt::format("{} {}", curves[c], n));
            for (std::size_t d = 0; d < draws; ++d) found[c][d].push_back(all[d]);
        }
    }
    Figure("fig-lengths")
        .describe(
            "Accuracy against the number of examples, from 0 to 12. For the rule of "
            "two "
            "attributes it rises along the curve of the best possible reader. For the "
            "kind "
            "alone it rises faster. With the wrong instruction it stays lower.")
        .line("best possible", examples, best,
              {.color = figure::ink, .dash = figure::dashed, .points = false})
        .lines("two attributes", examples, found[0])
        .lines("wrong instruction", examples, found[1])
        .lines("kind alone", examples, found[2])
        .x("examples in the prompt")
        .y("accuracy")
        .ylim(0, 1)
        .save(
            "Accuracy on 300 prompts: the share in which the most probable word is the "
            "right colour. Three trainings each. *Wrong instruction*: two attributes, "
            "after *what*. Dashed: the best possible accuracy for two attributes.");
    std::vector<double> correlation, gain, lost;
    for (std::size_t d = 0; d < draws; ++d) {
        correlation.push_back(rank_correlation(found[0][d]));
        gain.push_back(found[0][d][12] - found[0][d][4]);
        lost.push_back(found[0][d][12] - found[1][d][12]);
    }
    for (const auto& [name, words] : std::vector<std::pair<const char*, const char*>>{
             {"right", "two attributes"}, {"kind", "kind alone"}})
        say("{}: accuracy {} after 4 examples, {} after 12", words,
            book::brief(over_seeds(column(fmt::format("{} 4", name)))),
            book::brief(over_seeds(column(fmt::format("{} 12", name)))));
    for (const char* name : {"right", "kind"}) {
        Index enough = 0;
        while (enough < most_examples &&
               middle(fmt::format("{} {}", name, enough)) < 0.9)
            ++enough;
        say("{}: the median network is right in nine of ten prompts from {} examples "
            "on",
            name == std::string("right") ? "two attributes" : "kind alone", enough);
    }
    claim("claim-few-shot-generalises/a",
          "two attributes: rank correlation of the accuracy with the number of "
          "examples, 0 to 12, after the instruction",
          over_seeds(correlation), ">=", 0.9);
    claim("", "accuracy with 12 examples less that with 4", over_seeds(gain),
          ">=", 0.1);
    claim("", "12 examples: accuracy less that with the wrong instruction",
          over_seeds(lost), ">", 0);
}
//-
// With each example the prompt tells more, and the networks use it: their accuracy stays close to the best possible one.
// All three networks read the same prompts, 300 others for each length, and so all dip at six examples. After *what*, the
// same networks are right in nine of ten prompts after three examples, and for two attributes after eight. **One network
// solves both kinds of tasks with the same weights, because the prompt says which.** With the wrong instruction it is
// right less often, and how much less differs from training to training. It goes by the examples more than by the
// instruction.
//
// ## Limits
//
// The accuracy may rise with the length for two reasons: more examples tell more, and a network may use a longer prompt
// better. The dashed curve shows the first alone, and it is enough to explain the rise. The networks were trained on
// prompts of this length and this form, with tasks of the same two kinds. GPT-3 was not, and {cite:t}`brown2020` found
// the same direction: its accuracy in many tasks rose with the number of examples, up to the dozens that fit its context.
// The context is the limit. Beyond twelve examples, our networks have no vector for a position, and a longer prompt must
// be cut, as [the page on prompts](prompting.cpp) shows. Examples also cost: each is read again with every question.
//
// Our rule of two attributes is a table with four entries, and each entry must be shown. A rule that combines attributes
// in a way that the network knows would need fewer examples. The results stand in a file and come from three trainings,
// which differ in their initial weights and in their text.
//
// ## What to remember
//
// A prompt of examples and an instruction makes a trained network solve a task that only the prompt describes, with
// things that stood in no prompt of its training and without a change of its weights. A rule of two attributes needs more
// examples than a rule of one, and the accuracy rises with the length of the prompt, up to the limit of the context. The
// instruction says how the examples are to be read.
//
// ## What is missing
//
// Examples show questions and answers. [The next page](chain_of_thought.cpp) lets the network write what lies between.
//
// ```{try}
// - Train the three networks again: `./recto run longer_prompts --full`, about a minute.
// ```

void page() {
    draw_prompts();
    bet();
    lengths();
}
