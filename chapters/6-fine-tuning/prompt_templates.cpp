// # Prompt templates: the same examples, written in nine ways
//
// ```{rows} sys-prompt-engineering
// ```
//
// [Examples in a prompt](../applications/few_shot.cpp) give a language model a task. Must they be separated by full stops
// or by commas? Should each begin with a word such as *the*? A **prompt template** fixes such choices. A reader hardly
// notices them. {numref}`fig-nine-templates` shows prompts for a small [GPT](../architectures/mini_gpt.cpp), each written in nine
// templates. The examples are the same in each, and so are the weights. Move the slider to other prompts. Why does the
// answer change?
//
// ```{opening} fig-nine-templates
// ```
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/little_world.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/gpt.hpp>
#include <recto/nn/module.hpp>
#include <recto/nn/respond.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/shapes/layout.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

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
using data::WorldTask, data::WorldWords;
using figure::Figure, figure::Names;

using Text = std::vector<Index>;  // numbers of words
const Index window = 24, examples = 4, prompts = 500, batch = 32;
//-

// ## Nine templates
//
// The words and the **tasks** are those of [few-shot prompts](../applications/few_shot.cpp). A prompt draws two kinds of
// things, such as weather and people, and a colour for each kind. It begins with the word *what*. Then it shows four
// things with their colours, two of each kind, and last a thing whose colour is asked for:
//
// > what gale green, saint pink, dawn green, pirate pink, sleet
//
// Sleet is weather, so the answer is *green*. All that a reader has to know stands in the prompt, and the best possible
// accuracy is 1. A template adds a mark before each thing, or none, and a mark after each colour, or none. Three choices
// for each make nine templates:
struct Template {
    const char *before, *after;
};
const std::array<Template, 9> templates = {{{"", ","},
                                            {"the", "."},
                                            {"a", ""},
                                            {"", ""},
                                            {"", "."},
                                            {"the", ""},
                                            {"the", ","},
                                            {"a", ","},
                                            {"a", "."}}};
const Index few = 3, all = 9;  // a training has the first few of these, or all
// The training has the first three. They hold every mark once: *gale green, saint pink,* and *the gale green. the saint
// pink.* and *a gale green a saint pink*. The other six combine the same marks in new ways.
//- names of templates, and a prompt in one of them
std::string example(const Template& form, const std::string& pair) {
    return fmt::format("{}{}{}{}", form.before, *form.before ? " " : "", pair,
                       form.after);
}
void add(Text& text, const char* mark) {
    if (*mark) text.push_back(data::world_word(mark));
}
void write(Text& text, const Template& form, Index thing, Index colour) {
    add(text, form.before);
    text.push_back(thing), text.push_back(colour);
    add(text, form.after);
}
Text prompt(const Template& form, const Text& things, const Text& colours, Index last) {
    Text text = {data::world_word("what")};
    for (std::size_t k = 0; k < things.size(); ++k)
        write(text, form, things[k], colours[k]);
    add(text, form.before);
    text.push_back(last);
    return text;
}
//-

// ## Tasks that are held out
//
// Three pairs of kinds are **held out**. In the prompts of the training, people never stand together with foods, events or
// weather:
bool is_held_out(const WorldTask& task) {
    const auto [low, high] = std::minmax(task.kinds[0], task.kinds[1]);
    return high == 5 && low >= 2;  // 2 food, 3 event, 4 weather, 5 person
}
// All prompts below have such a task, and all of their things are held out as well: they stood in no prompt of the
// training. The network knows what a saint is from a **catalogue** alone, which lists things with their kinds and
// sometimes with a colour that means nothing: *rose plant. mould red food. saint person.*
//
// The training resembles that of [few-shot prompts](../applications/few_shot.cpp), with a network of two blocks of the width 48.
// In the first fifth of the steps it reads the catalogue alone and learns every next word. Then 20 of the 32 texts of a
// step are prompts, in which it learns the colours. Each prompt has one of the three templates.
//- tasks, texts and the training
WorldTask drawn_task(bool held_out, Generator& random) {
    for (;;) {
        WorldTask task = data::world_task(random);
        task.by_kind = true;
        if (is_held_out(task) == held_out) return task;
    }
}
Text catalogue(Generator& random) {
    const data::LittleWorld& world = data::little_world();
    Text text;
    while (std::ssize(text) < window + 5) {
        const Index kind = random.next_integer(0, 6),
                    place = random.next_integer(0, 12);
        text.push_back(world.things[std::size_t(kind)][std::size_t(place)]);
        if (random.next_uniform() < 0.5)
            text.push_back(world.labels[std::size_t(random.next_integer(0, 8))]);
        text.push_back(world.kinds[std::size_t(kind)]), text.push_back(0);
    }
    const auto cut = text.begin() + random.next_integer(0, 4);
    return {cut, cut + window + 1};
}
Text training_prompt(Index forms, Generator& random) {
    const WorldTask task = drawn_task(false, random);
    const Template& form = templates[std::size_t(random.next_integer(0, forms))];
    Text text = {data::world_word("what")};
    while (std::ssize(text) <= window) {
        const Index thing = data::world_example(task, WorldWords::common, random);
        write(text, form, thing, task.label(thing));
    }
    text.resize(window + 1);
    return text;
}
nn::Gpt trained(Index forms, Generator& random) {
    const Index words = std::ssize(data::world_words()), passes = 800;
    const Text& colours = data::little_world().labels;
    const nn::Gpt net(
        {.tokens = words, .time = window, .layers = 2, .width = 48, .heads = 4},
        random);
    {  // so small a network learns sooner with larger embeddings than the library's
        const NoGrad no_training;
        for (Tensor table : {net.words.weight, net.places.weight})
            table.copy_(clone(table) * 15);
    }
    optim::AdamW adam(nn::parameters(net), {.betas = {0.9, 0.98}, .weight_decay = 0.1});
    for (Index step = 0; step < passes; ++step) {
        adam.options.lr = 4e-3 * std::min({1.0, double(step + 1) / 50,
                                           2 * (1 - double(step) / double(passes))});
        Text seen, next;
        for (Index b = 0; b < batch; ++b) {
            // the first fifth of the training is about the catalogue alone
            const bool asks = step >= passes / 5 && b < 20;
            const Text text = asks ? training_prompt(forms, random) : catalogue(random);
            for (auto word = text.begin(); word + 1 != text.end(); ++word) {
                const bool learned =
                    !asks || std::ranges::find(colours, word[1]) != colours.end();
                seen.push_back(*word), next.push_back(learned ? word[1] : -1);
            }
        }
        const Integers inputs({batch, window}, seen), targets({batch * window}, next);
        optim::train_step(adam, [&] {
            return cross_entropy(reshape(net(inputs), {batch * window, words}), targets,
                                 {.ignored = -1});
        });
    }
    return net;
}
//-
//- the study: judging a network
// Shares of prompts: those whose right colour is written, and those after which no kind is.
struct Judged {
    double right, no_kind;
};
// The same prompts for all networks and all templates.
Judged judged(const nn::Gpt& net, const Template& form, bool held_out) {
    Generator random(book::seed() + 700);
    std::vector<Text> texts;
    Text right;
    while (std::ssize(texts) < prompts) {
        const WorldTask task = drawn_task(held_out, random);
        const Index last = data::world_example(task, WorldWords::rare, random);
        Text things, colours;
        for (Index k = 0; k < examples; ++k) {
            things.push_back(data::world_example(task, WorldWords::rare, random, last));
            colours.push_back(task.label(things.back()));
        }
        if (2 * std::ranges::count(colours, colours[0]) != examples) continue;
        texts.push_back(prompt(form, things, colours, last));
        right.push_back(task.label(last));
    }
    const std::vector<nn::Response> written = nn::respond(net, texts, 1);
    const Text& kinds = data::little_world().kinds;
    Judged found{0, 0};
    for (std::size_t n = 0; n < right.size(); ++n) {
        const Index word = written[n].tokens[0];
        found.right += double(word == right[n]) / double(prompts);
        found.no_kind +=
            double(std::ranges::find(kinds, word) == kinds.end()) / double(prompts);
    }
    return found;
}
// The prompts of the first figure.
struct Shown {
    const char *things, *colours;  // the last thing is asked for, the last colour right
};
const std::vector<Shown> shown = {
    {"gale saint dawn pirate sleet", "green pink green pink green"},
    {"melon nurse slop traitor saint", "blue red blue red red"},
    {"nurse exam pirate feast quarrel", "brown grey brown grey grey"},
    {"lard pirate pudding nurse melon", "black white black white black"}};

Text shown_prompt(const Template& form, const Shown& one) {
    Text things = data::world_tokens(one.things),
         colours = data::world_tokens(one.colours);
    const Index last = things.back();
    things.pop_back(), colours.pop_back();
    return prompt(form, things, colours, last);
}
const std::vector<const char*> measures = {"held out", "no kind", "other tasks"};

std::vector<std::string> result_names() {
    std::vector<std::string> names;
    for (const char* measure : measures)
        for (std::size_t k = 0; k < templates.size(); ++k)
            names.push_back(fmt::format("{} {}", measure, k));
    for (std::size_t p = 0; p < shown.size(); ++p)
        for (std::size_t k = 0; k < templates.size(); ++k)
            names.push_back(fmt::format("word {} {}", p, k));
    return names;
}
Study::Row train_and_judge(const Study::Row& cell) {
    Generator random(1000 * std::uint64_t(cell[0]) + book::seed());
    const nn::Gpt net = trained(Index(cell[1]), random);
    Study::Row held_out, no_kind, other, word;
    for (const Template& form : templates) {
        const Judged found = judged(net, form, true);
        held_out.push_back(found.right), no_kind.push_back(found.no_kind);
        other.push_back(judged(net, form, false).right);
    }
    for (const Shown& one : shown)
        for (const Template& form : templates) {
            const std::vector<Text> asked = {shown_prompt(form, one)};
            word.push_back(double(nn::respond(net, asked, 1)[0].tokens[0]));
        }
    Study::Row row = held_out;
    for (const Study::Row& more : {no_kind, other, word})
        row.insert(row.end(), more.begin(), more.end());
    return row;
}
// The tolerances. In the bare template and in that with full stops alone, shares vary more from training to training. The
// words of the first figure are not compared, since another compiler may lead to other words.
std::vector<double> tolerances() {
    std::vector<double> each;
    for (std::size_t m = 0; m < measures.size(); ++m)
        for (std::size_t k = 0; k < templates.size(); ++k)
            each.push_back(k == 3 || k == 4 ? 0.25 : 0.1);
    each.resize(result_names().size(), 1000);
    return each;
}
const Study study({"prompt_templates",
                   {"draw", "templates"},
                   result_names(),
                   {"sys-prompt-engineering/a"},
                   0.25,
                   tolerances()},
                  {{1, few}, {2, few}, {3, few}, {1, all}, {2, all}, {3, all}},
                  train_and_judge);
//-

// Before you look at the results, place a bet:
//- the question, and what a file tells
// A result of the three trainings with this number of templates.
std::vector<double> column(const std::string& name, Index forms) {
    const std::vector<double> trained = study.frozen().column("templates"),
                              found = study.frozen().column(name);
    std::vector<double> kept;
    for (std::size_t n = 0; n < found.size(); ++n)
        if (trained[n] == double(forms)) kept.push_back(found[n]);
    return kept;
}
std::vector<double> right(std::size_t form, Index forms) {
    return column(fmt::format("held out {}", form), forms);
}
void bet() {
    double worst = 1;  // of the templates of the training
    Index lower = 0;   // others that are worse by more than 0.1
    for (std::size_t k = 0; k < templates.size(); ++k) {
        const double middle = book::median(right(k, few));
        if (Index(k) < few)
            worst = std::min(worst, middle);
        else
            lower += middle < worst - 0.1;
    }
    ask("In how many of the six new templates is the network clearly less often right, "
        "by more than 0.1, than in the templates of its training?",
        {{"In none. The examples are the same, and it knows all of the marks.",
          lower == 0,
          "Knowing each mark is enough in some templates. In others the network does "
          "not find out what kind of text it reads."},
         {"In some of them.", lower > 0 && lower < 6,
          "A new combination of known marks does no harm by itself. What harms is to "
          "look like another kind of text in the training."},
         {"In all of them. A network learns the form of its training texts by heart.",
          lower == 6,
          "Most of the new combinations work as well as the three of the training. The "
          "network has learned what each mark means, and not three whole forms."}});
}
//-

//- the first figure
void draw_prompts() {
    const std::vector<double> stops = {1, 2, 3, 4};
    Figure figure("fig-nine-templates");
    figure
        .describe(
            "Nine rows, one for each template. Each shows the first example, the last "
            "thing, and in bold the word that the network writes, red where it is "
            "wrong. A slider changes the prompt.")
        .slider("prompt", stops, "prompt", 1)
        .height(330);
    for (std::size_t p = 0; p < shown.size(); ++p) {
        figure.at(stops[p]);
        const Text things = data::world_tokens(shown[p].things),
                   colours = data::world_tokens(shown[p].colours);
        for (std::size_t k = 0; k < templates.size(); ++k) {
            const double y = 9 - double(k);
            const std::string begin = data::world_text({things[0], colours[0]}),
                              end = data::world_text({things.back()});
            const Index word = Index(column(fmt::format("word {} {}", p, k), few)[0]);
            figure
                .words("", {0}, {y},
                       {fmt::format("what {} … {}", example(templates[k], begin),
                                    example({templates[k].before, ""}, end))},
                       {.color = figure::ink, .width = 12})
                .words("", {0.65}, {y}, {data::world_text({word})},
                       {.color = word == colours.back() ? figure::blue : figure::red,
                        .width = 12,
                        .bold = true});
        }
    }
    figure.always().xlim(-0.6, 1).ylim(0.4, 9.6).bare().save(
        "Prompts of four examples, of which the first is shown, in nine templates. "
        "**Bold**: the most probable word of a GPT of two blocks, blue if it is right. "
        "Its training had the three templates at the top.");
}
//-

// ## Most new templates work, and two do not
//
// {numref}`fig-template-accuracy` shows the accuracy of each template on 500 prompts with held-out tasks. The prompts are
// the same for all templates and for all networks, and the answer is the most probable word, so that a second evaluation
// gives the same numbers.
//- the second figure, and what is checked
void compare() {
    Names names;
    for (const Template& form : templates) names.push_back(example(form, "gale green"));
    Figure figure("fig-template-accuracy");
    figure.describe(
        "Two panels of bars, three for each of nine templates. With three templates in "
        "the training, seven templates are about equal, the bare one is lower, and the "
        "one "
        "with full stops alone is mostly the lowest. With all nine in the training, "
        "all "
        "templates are about equal.");
    std::vector<double> spread, chosen, gain;
    for (const Index forms : {few, all}) {
        figure.panel(fmt::format("{} templates in the training", forms));
        std::vector<double> spreads;
        for (std::size_t d = 0; d < 3; ++d) {
            std::vector<double> held_out, other;
            for (std::size_t k = 0; k < templates.size(); ++k) {
                held_out.push_back(right(k, forms)[d]);
                other.push_back(column(fmt::format("other tasks {}", k), forms)[d]);
            }
            figure.bars(fmt::format("training {}", d + 1), names, held_out);
            const auto [worst, best] = std::ranges::minmax_element(held_out);
            spreads.push_back(*best - *worst);
            const auto [low, high] = std::ranges::minmax_element(other);
            if (forms == few)
                chosen.push_back(held_out[std::size_t(high - other.begin())] -
                                 held_out[std::size_t(low - other.begin())]);
        }
        figure.x("template").y("accuracy on held-out tasks").ylim(0, 1);
        if (forms == few)
            spread = spreads;
        else
            for (std::size_t d = 0; d < 3; ++d) gain.push_back(spread[d] - spreads[d]);
    }
    figure.columns(1).save(
        "Accuracy on 500 prompts with held-out tasks, in nine "
        "templates. Above: the training has the first three. Below: it has all nine. "
        "The best possible accuracy is 1.");
    for (const std::size_t k : {std::size_t(3), std::size_t(4)}) {
        std::vector<double> kinds;
        for (const double none : column(fmt::format("no kind {}", k), few))
            kinds.push_back(1 - none);
        say("{}: accuracy {}; a kind is written after {} of the prompts", names[k],
            book::brief(over_seeds(right(k, few))), book::brief(over_seeds(kinds)));
    }
    claim("sys-prompt-engineering/a",
          "held-out tasks: accuracy of the best template less that of the worst",
          over_seeds(spread), ">=", 0.1);
    claim("",
          "the same for the best and the worst template on other tasks, chosen before",
          over_seeds(chosen), ">=", 0.1);
    claim("", "best less worst, less the same with all templates in the training",
          over_seeds(gain), ">=", 0.1);
}
//-
//
// The new combinations work as well as the three of the training, except two: the bare template, *gale green saint pink*,
// and the one with full stops alone, *gale green. saint pink.* These two have no mark that the catalogue lacks. A
// catalogue has things, colours and full stops, too, but never *the*, *a* or a comma. So after such a prompt the network
// often goes on as the catalogue does, and writes the kind. **It does not see that it is asked.** This is not all that goes
// wrong: in one training even most of the colours that it does write are not the right ones.
//
// The word *what* at the beginning would tell it, since no catalogue has this word. But in the training a mark stood closer
// to every thing, and nothing forced the network to look back to the first word. The lower panel agrees.
// If the training has all nine templates, the bare one among them, only *what*, the repeated colours and the missing
// kinds tell a bare prompt from a catalogue. Then the networks use them, and each is about equally good in all templates.
// **How much a template matters depends on the training as well as on the template.**
//
// ## Choosing a template
//
// To find a good template is part of [prompt engineering](prompting.cpp). The best of nine looks better than it is. An
// accuracy $p$ that is measured on $n$ prompts has a standard error of
//
// $$ \sqrt{\frac{p\,(1 - p)}{n}} , $$
//
// for example $\sqrt{0.9 \cdot 0.1 / 25} = 0.06$ on 25 prompts. So if nine templates were equally good, each judged on
// 25 prompts of its own, the luckiest would often be ahead of the unluckiest by more than 0.1. On our 500 prompts the standard error is at most
// $\sqrt{0.5 \cdot 0.5 / 500} = 0.022$. To be safe from luck, [choose on some tasks and report others](../training/protocol.cpp).
// The second check does this: the best and the worst template are chosen on 500 prompts with pairs of kinds that the
// training has, and compared on the held-out tasks.
//
// ## Limits
//
// The marks, the catalogue and the three templates of the training are our choice. Templates that resemble the catalogue
// fail here because its texts are half of what the networks have learned, and without marks. Another choice would make
// other templates fail. Held-out tasks are harder than other tasks, in which the networks make hardly an error in the
// templates of their training: in no prompt did they have to tell people from foods, events or weather. How well they do it
// and how far the two templates fall differ between the three trainings, which have other initial weights and other texts.
// The order of the examples is random in all prompts.
//
// Large models have read texts of many forms, and still depend on the form. {cite:t}`zhao2021` found that the accuracy of
// GPT-3 varies strongly with the template, with the choice of the examples and with their order. {cite:t}`lu2022` ordered the
// same examples in all possible ways: some orders were nearly as good as the best known results, others near guessing.
// {cite:t}`sclar2024` changed only separators, spaces and capitals, and the accuracy of a model of 13 billion parameters
// differed by up to 76 points. They recommend to report a range over several templates and not one number.
//
// ## What to remember
//
// A template fixes how a prompt is written, and not what it says. The same examples in two templates can lead to very
// different accuracies, because the form tells a model which texts it is to continue. A template may be new if it does not
// look like another kind of text in the training. Choose a template on some tasks, and report its accuracy on others.
//
// ## What is missing
//
// Four examples are enough for this task. [The next page](longer_prompts.cpp) is about a rule that needs more.
//
// ```{try}
// - Train the six networks again: `./recto run prompt_templates --full`, about a minute.
// ```

void page() {
    draw_prompts();
    bet();
    compare();
}
