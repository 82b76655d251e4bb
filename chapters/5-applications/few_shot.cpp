// # Few-shot prompts: a task given by examples
//
// ```{rows} fig-7.1 sys-few-shot
// ```
//
// A language model only continues text. Yet you can give it a task without any training: write a few solved examples,
// then an unsolved one, and let the model continue. This is a **few-shot prompt**, and learning from the prompt alone is
// called **in-context learning**. {numref}`fig-7.1` shows four prompts for one small network. Its weights never change.
// Move the slider to give it more examples. From how many examples on can you tell what the colours mean, and from how
// many on can the network?
//
// ```{opening} fig-7.1
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/little_world.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/gpt.hpp>
#include <recto/nn/module.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say;
using book::Study;
using data::WorldFact, data::WorldTask, data::WorldWords;
using figure::Figure, figure::Names;

using Text = std::vector<Index>;  // numbers of words
//-

// ## A prompt as a sequence
//
// The words are those of a little world of 219 words ({cpp:func}`~recto::data::little_world`). It has 72 things, such
// as *rose*, *mould* and *thief*. Each is of one of six kinds, such as *plant* or *food*, and half of the things of each
// kind please while the others do not. A **task** chooses two kinds, two colours, and one of the two attributes. The
// colours then stand for both kinds, or for pleasing and displeasing. For example, let the kinds be plant and food, and
// let *red* stand for what pleases and *blue* for what does not:
//
// > rose red, mould blue, thistle blue, honey ?
//
// Honey pleases, so the answer is *red*. Now read the same things with other colours: *rose red, mould blue, thistle red,
// honey ?* Here *red* stands for plants, and the answer is *blue*. Nothing but the examples tells the two tasks apart.
// The colours are drawn anew for each prompt, so their meaning cannot be learned by heart.
//- sizes, and the words of a prompt
const Index window = 18, most_shots = 8, prompts = 1000;

nn::GptSize size_of_model() {
    return {.tokens = std::ssize(data::world_words()),
            .time = window,
            .layers = 2,
            .width = 64,
            .heads = 4};
}

Text things_of(const WorldTask& task, Index count, WorldWords words, Generator& random,
               Index except = -1) {
    Text things;
    for (Index n = 0; n < count; ++n)
        things.push_back(data::world_example(task, words, random, except));
    return things;
}
//-
// The network reads a prompt as a sequence: first a full stop, then a thing and a colour for each example, then the last
// thing. In code:
Text prompt_of(const Text& things, const Text& labels, Index query) {
    Text text = {0};  // a full stop
    for (std::size_t n = 0; n < things.size(); ++n)
        text.push_back(things[n]), text.push_back(labels[n]);
    text.push_back(query);
    return text;
}
//- the labels of things
Text labels_of(const WorldTask& task, const Text& things) {
    Text labels;
    for (const Index thing : things) labels.push_back(task.label(thing));
    return labels;
}
//-

// ## The best possible reader
//
// How well can a reader do at best? Take the example *rose red*. If the last thing is another pleasing plant, such as
// *tulip*, it is red, whichever attribute is meant. If it is a displeasing food, such as *mould*, it has the other
// colour, again for both attributes. But if it is *thistle*, which agrees with the rose in its kind alone, nobody can
// know. An example settles the answer if it agrees with the last thing in both attributes or in neither, and it tells
// nothing otherwise:
Index perfect_reader(const Text& things, const Text& labels,
                     const std::array<Index, 2>& colours, Index query) {
    for (std::size_t n = 0; n < things.size(); ++n) {
        const bool kind = data::kind_of(things[n]) == data::kind_of(query),
                   mood = data::pleases(things[n]) == data::pleases(query);
        if (kind && mood) return labels[n];
        if (!kind && !mood) return labels[n] == colours[0] ? colours[1] : colours[0];
    }
    return -1;  // not known: a guess
}
// Each example settles the answer with probability $\frac12$, so $n$ examples fail to do so with probability $2^{-n}$,
// and half of the guesses are wrong. The best possible accuracy is
//
// $$ 1 - 2^{-n} \cdot \tfrac12 = 1 - 2^{-n-1} , $$
//
// which is 0.75 for one example and 0.969 for four.
//- the reader's accuracy, and what is checked
double ideal(Index shots) { return 1 - std::exp2(-double(shots) - 1); }

void perfect() {
    Generator random(book::seed());
    for (const Index shots : {1, 4}) {
        double right = 0;
        const Index times = 20'000;
        for (Index n = 0; n < times; ++n) {
            const WorldTask task = data::world_task(random);
            const Index query = data::world_example(task, WorldWords::rare, random);
            const Text things = things_of(task, shots, WorldWords::rare, random, query);
            const Index found =
                perfect_reader(things, labels_of(task, things), task.labels, query);
            right += found == -1 ? 0.5 : found == task.label(query);
        }
        say("the perfect reader with {} examples: {:.3f} measured, {:.3f} by the "
            "formula",
            shots, right / double(times), ideal(shots));
        claim("", "accuracy of the perfect reader, distance from the formula",
              std::abs(right / double(times) - ideal(shots)), "<=", 0.01);
    }
}
//-

// ## Training on prompts
//
// A network of two layers and a width of 64 ([Mini-GPT](../architectures/mini_gpt.cpp)) is trained to predict the next
// word. Its text is of two sorts. One third are sentences of the little world: *thistle is a plant. the home of thistle
// is garden. ann sees thistle, so ann is sad.* Two thirds are prompts with nine examples, each with a new task. Here
// the loss counts the colours only:
Tensor loss_of(const nn::Gpt& net, const Integers& before, const Integers& next) {
    const Tensor scores = net(before);  // (batch, window, words)
    const Index words = scores.size(2);
    return cross_entropy(reshape(scores, {next.numel(), words}), next, {.ignored = -1});
}

// The prompts of the training contain 48 **common** things. The other 24 things, two of each kind and sentiment, are
// **rare**. They stand in sentences, but never in a prompt of the training. All results below are for rare things.
//
// What should a network learn first? In a prompt with repeated things, copying the colour of the same thing is a good
// answer, and copying is easier to learn than comparing. So at first nearly every prompt draws its things from a pool of
// four, and from the middle of the training on none does.
//- the training
Text sample_prompt(double copies, Generator& random) {
    const WorldTask task = data::world_task(random);
    const Index examples = window / 2;
    Text things = things_of(task, examples, WorldWords::common, random);
    if (random.next_uniform() < copies)
        for (std::size_t n = 4; n < things.size(); ++n)
            things[n] = things[std::size_t(random.next_integer(0, 4))];
    Text text = prompt_of(things, labels_of(task, things), 0);
    text.pop_back();
    return text;
}

const Index reading = 600;  // steps with sentences alone, before the prompts

nn::Gpt trained(Index steps, bool fixed, Generator& random) {
    const nn::Gpt net(size_of_model(), random);
    const std::vector<WorldFact> rules = data::rule_instances();
    const std::vector<std::vector<Index>>& things = data::little_world().things;
    Tensor vectors = slice(net.words.weight.detach(), 0, things.front().front(),
                           things.back().back() + 1);
    Tensor kept;
    const Index batch = 64;
    optim::AdamW adam(nn::parameters(net));
    for (Index step = 0; step < steps; ++step) {
        const Index of_prompts = step < reading ? 0 : 44;
        const double done =
            double(std::max<Index>(0, step - reading)) / double(steps - reading);
        adam.options.lr =
            3e-3 * std::min(std::min(1.0, double(step + 1) / 50), 2 * (1 - done));
        Text before, next;
        for (Index b = 0; b < batch; ++b) {
            const bool prompt = b < of_prompts;
            Text text = prompt ? sample_prompt(1 - 2 * done, random)
                               : data::world_sentences(rules, window, random);
            if (!prompt) text.insert(text.begin(), 0);
            for (std::size_t t = 0; t + 1 < text.size(); ++t) {
                before.push_back(text[t]);
                next.push_back(prompt && t % 2 == 0 ? -1 : text[t + 1]);
            }
        }
        const Integers seen({batch, window}, before), told({batch * window}, next);
        if (step == reading) kept = clone(vectors);
        optim::train_step(adam, [&] { return loss_of(net, seen, told); });
        if (fixed && step >= reading) vectors.copy_(kept);
    }
    return net;
}
//-

// Copying is what the literature calls an **induction head** {cite:p}`olsson2022`. One layer of attention writes into
// each colour which thing stands before it. The next layer compares the last thing with these, and copies the colour of
// the best match. A perfect reader of our prompts needs a little more: a thing that agrees in nothing speaks against its
// colour.
//- the study: judging a network
enum class Labels { right, shuffled, swapped };

struct Judged {
    double accuracy;
    std::vector<bool> first;  // for each prompt, whether the first colour is chosen
};
// A thousand prompts, the same for all networks and all ways to label.
Judged judge(const nn::Gpt& net, Index shots, WorldWords words, Labels how) {
    const NoGrad only_asking;
    Generator random(book::seed() + 700), shuffling(book::seed() + 701);
    Text all;
    std::vector<WorldTask> tasks;
    std::vector<Index> right;
    for (Index n = 0; n < prompts; ++n) {
        const WorldTask task = data::world_task(random);
        const Index query = data::world_example(task, words, random);
        const Text things = things_of(task, shots, words, random, query);
        Text labels = labels_of(task, things);
        if (how == Labels::swapped)
            for (Index& label : labels)
                label = label == task.labels[0] ? task.labels[1] : task.labels[0];
        if (how == Labels::shuffled) {
            const std::vector<Index> order = shuffling.permutation(shots);
            const Text old = labels;
            for (std::size_t i = 0; i < old.size(); ++i)
                labels[i] = old[std::size_t(order[i])];
        }
        const Text text = prompt_of(things, labels, query);
        all.insert(all.end(), text.begin(), text.end());
        tasks.push_back(task), right.push_back(task.label(query));
    }
    const Index length = 2 * shots + 2;
    const Tensor scores = select(net(Integers({prompts, length}, all)), 1, length - 1);
    Judged found{0, {}};
    for (Index n = 0; n < prompts; ++n) {
        const auto& labels = tasks[std::size_t(n)].labels;
        const bool first = scores.at({n, labels[0]}) > scores.at({n, labels[1]});
        found.first.push_back(first);
        found.accuracy += (right[std::size_t(n)] == labels[0]) == first;
    }
    found.accuracy /= double(prompts);
    return found;
}

// The prompts of the first figure, all of rare things: two times the same things, labelled by sentiment and by kind.
struct Shown {
    WorldTask task;
    Text things;  // examples, then the last thing
};
std::vector<Shown> shown_prompts() {
    const auto w = [](const char* word) { return data::world_word(word); };
    const Text one = data::world_tokens("tulip ragweed pudding slop hogweed"),
               two = data::world_tokens("sleet saint traitor snow nurse");
    return {{{false, {1, 2}, {w("green"), w("black")}}, one},
            {{true, {1, 2}, {w("green"), w("black")}}, one},
            {{false, {4, 5}, {w("pink"), w("white")}}, two},
            {{true, {4, 5}, {w("pink"), w("white")}}, two}};
}
// The most probable word after the first examples of a prompt.
Index completion(const nn::Gpt& net, const Shown& prompt, Index shots) {
    const NoGrad only_asking;
    const Text things(prompt.things.begin(), prompt.things.begin() + shots);
    const Text text =
        prompt_of(things, labels_of(prompt.task, things), prompt.things.back());
    const Index length = std::ssize(text);
    const std::vector<Real> scores =
        select(net(Integers({1, length}, text)), 1, length - 1).values();
    return std::ranges::max_element(scores) - scores.begin();
}

const std::vector<double> all_shots = {0, 1, 2, 3, 4, 5, 6, 7, 8};

std::vector<std::string> result_names() {
    std::vector<std::string> names;
    for (const char* what : {"common", "rare", "shuffled"})
        for (const double n : all_shots) names.push_back(fmt::format("{} {}", what, n));
    names.push_back("flipped");
    for (int prompt = 1; prompt <= 4; ++prompt)
        for (int n = 0; n <= 4; ++n)
            names.push_back(fmt::format("word {} {}", prompt, n));
    return names;
}

Study::Row train_and_judge(const Study::Row& cell) {
    Generator random(1000 * std::uint64_t(cell[0]) + book::seed());
    const nn::Gpt net = trained(Index(cell[1]), cell[2] == 1, random);
    Study::Row row;
    const auto add = [&](WorldWords words, Labels how) {
        for (const double n : all_shots)
            row.push_back(judge(net, Index(n), words, how).accuracy);
    };
    add(WorldWords::common, Labels::right);
    add(WorldWords::rare, Labels::right);
    add(WorldWords::rare, Labels::shuffled);
    const std::vector<bool>
        as_told = judge(net, most_shots, WorldWords::rare, Labels::right).first,
        swapped = judge(net, most_shots, WorldWords::rare, Labels::swapped).first;
    double flipped = 0;
    for (std::size_t n = 0; n < as_told.size(); ++n)
        flipped += as_told[n] != swapped[n];
    row.push_back(flipped / double(prompts));
    for (const Shown& prompt : shown_prompts())
        for (Index n = 0; n <= 4; ++n)
            row.push_back(double(completion(net, prompt, n)));
    return row;
}

const Study study({"few_shot",
                   {"draw", "steps", "fixed"},
                   result_names(),
                   {"fig-7.1/b", "fig-7.1/c", "sys-few-shot/b", "sys-few-shot/c"},
                   0.05},
                  {{1, 4000, 0},
                   {2, 4000, 0},
                   {3, 4000, 0},
                   {4, 4000, 0},
                   {5, 4000, 0},
                   {1, 4000, 1},
                   {2, 4000, 1},
                   {3, 4000, 1},
                   {4, 4000, 1},
                   {5, 4000, 1}},
                  train_and_judge);
//-

//- results of the study, and how the first figure is drawn
std::vector<double> column(const std::string& name, double fixed = 0) {
    const std::vector<double> all = study.frozen().column(name),
                              which = study.frozen().column("fixed");
    std::vector<double> found;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (which[i] == fixed) found.push_back(all[i]);
    return found;
}
double middle(const std::string& name) { return book::median(column(name)); }

void draw_prompts() {
    const std::vector<Shown> shown = shown_prompts();
    const std::vector<double> stops = {0, 1, 2, 3, 4};
    Figure figure("fig-7.1");
    figure
        .describe(
            "Four rows, each a prompt. A slider sets how many examples it has, from 0 "
            "to 4. An example is a thing with a colour's name below it. At the end of "
            "each row stands the last thing, and below it, in large letters, the word "
            "that the network writes: red where it is wrong.")
        .slider("examples", stops, "examples in the prompt", 4)
        .height(380);
    std::string whole;
    for (const double stop : stops) {
        const Index n = Index(stop);
        figure.at(stop);
        for (std::size_t p = 0; p < shown.size(); ++p) {
            const Shown& prompt = shown[p];
            const double y = 4 - double(p);
            std::vector<double> x, top, low;
            Names things, labels;
            for (Index i = 0; i < n; ++i) {
                x.push_back(double(i)), top.push_back(y), low.push_back(y - 0.32);
                const Index thing = prompt.things[std::size_t(i)];
                things.push_back(data::world_text({thing}));
                labels.push_back(data::world_text({prompt.task.label(thing)}));
            }
            const Index last = prompt.things.back(),
                        word = Index(column(fmt::format("word {} {}", p + 1, n))[0]);
            const bool right = word == prompt.task.label(last);
            if (n > 0)
                figure.words("", x, top, things, {.color = figure::ink, .width = 12})
                    .words("", x, low, labels, {.color = figure::grey, .width = 12});
            figure.words("", {4}, {y}, {data::world_text({last})},
                         {.color = figure::ink, .width = 12});
            figure.words("", {4}, {y - 0.32}, {data::world_text({word})},
                         {.color = right ? figure::blue : figure::red, .width = 17});
            if (n < 4) continue;
            whole += whole.empty() ? "" : "; ";
            for (std::size_t i = 0; i < things.size(); ++i)
                whole += fmt::format("{} {}, ", things[i], labels[i]);
            whole += fmt::format("{} **{}**", data::world_text({last}),
                                 data::world_text({word}));
        }
    }
    figure.always().xlim(-0.5, 4.5).ylim(0.4, 4.4).bare().save(
        "Four prompts for a GPT of two layers, after *The Little Book of Deep "
        "Learning* {cite:p}`fleuret2023`. In the first and the third the colours stand "
        "for pleasing and displeasing, in the others for the kinds of the same things. "
        "Large letters: the word that the network finds most probable, blue if it is "
        "right. With four examples: " +
        whole + ".");
    book::shows("fig-7.1/a", "fig-7.1");
}
//-

// ## What the examples do
//
// Before you look: the network has learned thousands of tasks with 48 things. What is its accuracy for a thing that no
// prompt ever contained?
//- the question
void bet() {
    const double held = middle("rare 8"), seen = middle("common 8");
    ask("With eight examples the network chooses the right one of two colours for "
        "common things nearly as often as a perfect reader. How often does it for rare "
        "things, which stood in no prompt of its training?",
        {{"In half of all cases: it cannot know what they mean in a prompt.",
          held < 0.6,
          "That would be true if nothing but prompts had been trained. The sentences "
          "tell of rare things too, and the same vector of numbers stands for a thing "
          "in a sentence and in a prompt."},
         {"In about three of four cases: it can compare kinds, but not sentiments.",
          held >= 0.6 && held < seen - 0.1,
          "Both attributes can be read from the sentences: the kind from *is a plant*, "
          "the sentiment from *so ann is sad*."},
         {"Nearly as often as for common things.", held >= seen - 0.1,
          "The sentences tell of rare things as well, so their vectors resemble those "
          "of common things of the same kind and sentiment. What a prompt needs is "
          "only this resemblance."}});
}
//-

// {numref}`fig-shots` shows the accuracy of five networks against the number of examples. Without examples, the network
// does not know the colours of the task, and the two colours of the task are equally probable on average.
//- the curves, and what is checked
std::vector<double> sum_of(const std::vector<double>& a, const std::vector<double>& b,
                           double of_a, double of_b) {
    std::vector<double> found;
    for (std::size_t i = 0; i < a.size(); ++i)
        found.push_back(of_a * a[i] + of_b * b[i]);
    return found;
}

void results() {
    std::vector<double> best, at;
    Figure figure("fig-shots");
    figure.describe(
        "Accuracy against the number of examples, from 0 to 8. The curve of a perfect "
        "reader rises from a half to nearly 1. The curves for common and rare things "
        "follow below it. With shuffled labels the accuracy stays close to a half for "
        "many examples.");
    for (const double n : all_shots)
        if (n > 0) at.push_back(n), best.push_back(ideal(Index(n)));
    figure.line("perfect reader", at, best, {.color = figure::ink, .points = false});
    const std::vector<std::pair<const char*, const char*>> curves = {
        {"common", "common things"},
        {"rare", "rare things"},
        {"shuffled", "shuffled labels"}};
    for (const auto& [name, words] : curves) {
        std::vector<double> mid, low, high;
        for (const double n : all_shots) {
            const auto found = over_seeds(column(fmt::format("{} {}", name, n)));
            mid.push_back(found.value), low.push_back(found.low);
            high.push_back(found.high);
        }
        figure.band(words, all_shots, low, high, {.opacity = 0.2});
        figure.line(words, all_shots, mid);
    }
    figure.x("examples in the prompt")
        .y("accuracy")
        .ylim(0.4, 1)
        .save(
            "Accuracy on 1,000 prompts: the share in which the right one of the two "
            "colours of the task is the more probable one. Medians of five trainings; "
            "the bands reach from the worst to the best. For the last curve, the "
            "labels "
            "of the examples were shuffled among them.");
    book::shows("sys-few-shot/a", "fig-shots");
    for (const char* name : {"common", "rare", "shuffled"})
        say("{} things: accuracy {} after 1 example, {} after 4, {} after 8", name,
            book::brief(over_seeds(column(fmt::format("{} 1", name)))),
            book::brief(over_seeds(column(fmt::format("{} 4", name)))),
            book::brief(over_seeds(column(fmt::format("{} 8", name)))));
    claim("fig-7.1/b", "accuracy on rare things, mean of 3 and 4 examples",
          over_seeds(sum_of(column("rare 3"), column("rare 4"), 0.5, 0.5)), ">=", 0.85);
    claim("fig-7.1/c", "accuracy on rare things without examples",
          over_seeds(column("rare 0")), "<=", 0.55);
    claim("sys-few-shot/b", "accuracy with 8 examples less that with 1 example",
          over_seeds(sum_of(column("rare 8"), column("rare 1"), 1, -1)), ">=", 0.2);
    claim("sys-few-shot/c",
          "share of the prompts of 8 examples in which swapped colours change the "
          "answer",
          over_seeds(column("flipped")), ">=", 0.8);
    claim("", "accuracy on rare things with 8 examples and shuffled labels",
          over_seeds(column("shuffled 8")), "<=", 0.6);
}
//-

// Two controls show that the prompt is what the network uses. If the labels of the examples are shuffled among them, the
// accuracy falls to about a half. With one example there is nothing to shuffle. And if both colours are swapped in all
// examples, the network's answer changes nearly always.
//
// ## Limits and history
//
// {cite:t}`brown2020` showed few-shot prompts with GPT-3, which had never been trained on prompts. Web text contains
// lists, tables and dialogues whose pattern repeats, and such repetition is what makes a Transformer learn in context
// {cite:p}`chan2022`. Our text has such prompts in abundance, since the training is short. The answers of the network
// need no change of its weights, but the ability to use examples is itself the result of a training. Our tasks all have
// one form. A prompt with another form, such as three classes, is outside of what this network has learned.
//
// A result for five trainings of two minutes each stands in a file, and the page reads it. All trainings see the same
// rules; they differ in their initial weights and in the order of the text.
//
// ## Summary
//
// A few-shot prompt specifies a task by solved examples, and the network continues the sequence. The weights stay
// fixed, and all the information about the task is in the prompt: with shuffled labels the accuracy falls to chance,
// and with swapped labels the answers are swapped. A perfect reader of $n$ examples with two possible attributes
// reaches $1 - 2^{-n-1}$. Things that stood in no training prompt can be classified as well, because the sentences have
// given them similar vectors.
//
// ## What is missing
//
// The network obeys a pattern, not a wish. [The next page](alignment.cpp) trains a language model to answer questions,
// and then to write what a person likes.
//
// ```{try}
// - A training of one network, about two minutes: `--full` runs all five.
// ```

void page() {
    draw_prompts();
    perfect();
    bet();
    results();
}
