// # Alignment: from demonstrations and ratings to an assistant
//
// ```{rows} sys-instruction-fine-tuning sys-reward-model sys-rlhf sys-rl-post-training-note
// ```
//
// A language model continues text as its training text would go on. You ask a question, and it may continue with
// anything that could follow. **Alignment** trains such a **base model** further, so that it does what people want:
// first on demonstrations, then on ratings. {numref}`fig-drift` shows the second step: a small model is rewarded for
// pleasant texts, once with a price on its distance from the base model, and once without. Move the slider to follow
// both trainings. The model without the price earns the higher reward. Is it the better writer?
//
// ```{opening} fig-drift
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/book/table.hpp>
#include <recto/core/random.hpp>
#include <recto/data/little_world.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/gpt.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/module.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say;
using book::Study;
using data::WorldFact;
using figure::Figure;

using Text = std::vector<Index>;  // numbers of words

const book::Option<Index> base_steps("steps", 350, "steps of the base model shown here",
                                     {.quick = 20, .least = 1, .most = 100'000});
const book::Option<Index> demonstrations("demonstrations", 400,
                                         "steps of its fine-tuning",
                                         {.quick = 10, .least = 1, .most = 100'000});
//-

//- the base model
const Index window = 18, written = window - 1;

Tensor mean_loss(const Tensor& scores, const Integers& next) {
    return cross_entropy(reshape(scores, {next.numel(), scores.size(2)}), next,
                         {.ignored = -1});
}

double rate_at(Index step, Index steps, double rate) {
    const double left = 1 - double(step) / double(steps);
    return rate * std::min(std::min(1.0, double(step + 1) / 30), 2 * left);
}

nn::Gpt base_model(Index steps, Generator& random) {
    const nn::Gpt net({.tokens = std::ssize(data::world_words()),
                       .time = window,
                       .layers = 2,
                       .width = 64,
                       .heads = 4},
                      random);
    const std::vector<WorldFact> rules = data::rule_instances();
    const Index batch = 32;
    optim::AdamW adam(nn::parameters(net));
    for (Index step = 0; step < steps; ++step) {
        adam.options.lr = rate_at(step, steps, 4e-3);
        Text before, next;
        for (Index b = 0; b < batch; ++b) {
            Text text = data::world_sentences(rules, window, random);
            text.insert(text.begin(), 0);
            before.insert(before.end(), text.begin(), text.end() - 1);
            next.insert(next.end(), text.begin() + 1, text.end());
        }
        const Integers seen({batch, window}, before), told({batch * window}, next);
        optim::train_step(adam, [&] { return mean_loss(net(seen), told); });
    }
    return net;
}
//-

// ## Demonstrations
//
// The base model of this page is a GPT of two layers that has read sentences of a little world
// ({cpp:func}`~recto::data::little_world`): *the capital of norland is tolm. nettle is a plant. ann sees nettle, so ann
// is sad.* It knows the answer to *what is the capital of norland?*, but it has never seen a question. **Instruction
// fine-tuning** shows it dialogues that a person has written, the **demonstrations**:
Text dialogue(const WorldFact& fact) {
    Text text = data::world_tokens(". question");
    for (const Index word : data::question(fact)) text.push_back(word);
    text.push_back(data::world_word("answer"));
    text.push_back(fact.answer), text.push_back(0);  // the answer, and a full stop
    return text;
}
// The training goes on with these texts and the loss of a language model, on the words of the answer alone. Two thirds of
// all facts become dialogues. The questions about the other third are held out. The base model has read these facts in
// sentences. What it lacks is the form: after *answer* comes the word, and then a full stop.
//- the fine-tuning, and how answers are judged
struct Facts {
    std::vector<WorldFact> shown, held;
};
Facts split_facts(Generator& random) {
    Facts found;
    for (const auto& all : {data::rule_instances(), data::land_facts()}) {
        std::size_t n = 0;
        for (const Index i : random.permutation(std::ssize(all)))
            (n++ % 3 == 0 ? found.held : found.shown).push_back(all[std::size_t(i)]);
    }
    return found;
}

void fine_tune(const nn::Gpt& net, const std::vector<WorldFact>& shown, Index steps,
               Generator& random) {
    const Index batch = 32;
    optim::AdamW adam(nn::parameters(net));
    for (Index step = 0; step < steps; ++step) {
        adam.options.lr = rate_at(step, steps, 2e-3);
        Text before, next;
        Index length = 0;
        for (Index b = 0; b < batch; ++b) {
            const Text text =
                dialogue(shown[std::size_t(random.next_integer(0, std::ssize(shown)))]);
            length = std::ssize(text) - 1;
            for (Index t = 0; t < length; ++t) {
                before.push_back(text[std::size_t(t)]);
                next.push_back(t < length - 2 ? -1 : text[std::size_t(t + 1)]);
            }
        }
        const Integers seen({batch, length}, before), told({batch * length}, next);
        optim::train_step(adam, [&] { return mean_loss(net(seen), told); });
    }
}

Text most_probable(const nn::Gpt& net, const std::vector<Text>& texts) {
    const NoGrad only_asking;
    const Index count = std::ssize(texts), length = std::ssize(texts[0]);
    Text all, found;
    for (const Text& text : texts) all.insert(all.end(), text.begin(), text.end());
    const std::vector<Real> scores =
        select(net(Integers({count, length}, all)), 1, length - 1).values();
    const std::size_t words = scores.size() / texts.size();
    for (std::size_t n = 0; n < texts.size(); ++n) {
        const auto row = scores.begin() + std::ptrdiff_t(n * words);
        found.push_back(std::max_element(row, row + std::ptrdiff_t(words)) - row);
    }
    return found;
}

// The share of questions that are answered by the right word and a full stop.
double exact_answers(const nn::Gpt& net, const std::vector<WorldFact>& facts) {
    std::vector<Text> texts;
    for (const WorldFact& fact : facts) {
        texts.push_back(dialogue(fact));
        texts.back().pop_back(), texts.back().pop_back();
    }
    const Text first = most_probable(net, texts);
    for (std::size_t n = 0; n < texts.size(); ++n) texts[n].push_back(first[n]);
    const Text second = most_probable(net, texts);
    double right = 0;
    for (std::size_t n = 0; n < texts.size(); ++n)
        right += first[n] == facts[n].answer && second[n] == 0;
    return right / double(facts.size());
}
// The share of statements that are completed by the right word.
double right_statements(const nn::Gpt& net, const std::vector<WorldFact>& facts) {
    std::vector<Text> texts;
    for (const WorldFact& fact : facts) {
        texts.push_back(data::statement(fact));
        texts.back().insert(texts.back().begin(), 0);
        texts.back().pop_back(), texts.back().pop_back();
    }
    const Text words = most_probable(net, texts);
    double right = 0;
    for (std::size_t n = 0; n < texts.size(); ++n) right += words[n] == facts[n].answer;
    return right / double(facts.size());
}
//-

//- the fine-tuning of one model, and what is checked
std::string answer_of(const nn::Gpt& net, const WorldFact& fact) {
    Text text = dialogue(fact), found;
    text.pop_back(), text.pop_back();
    for (int n = 0; n < 4 && (found.empty() || found.back() != 0); ++n) {
        found.push_back(most_probable(net, {text})[0]);
        text.push_back(found.back());
    }
    return data::world_text(found);
}

std::vector<double> column(const std::string& name);

void demonstrate() {
    Generator random(book::seed());
    const nn::Gpt base = base_model(base_steps(), random);
    const nn::Gpt assistant = nn::clone(base);
    const Facts facts = split_facts(random);
    fine_tune(assistant, facts.shown, demonstrations(), random);
    std::vector<std::vector<book::Cell>> rows;
    for (const std::size_t n :
         {std::size_t(0), std::size_t(1), std::size_t(2), facts.held.size() - 1}) {
        const WorldFact& fact = facts.held[n];
        rows.push_back({data::world_text(data::question(fact)), answer_of(base, fact),
                        answer_of(assistant, fact), data::world_text({fact.answer})});
    }
    book::table("dialogues", "Questions that no demonstration contained.",
                {"question", "base model", "after fine-tuning", "right"}, rows);
    say("exact answers of this model to held-out questions: {:.3f}",
        exact_answers(assistant, facts.held));
    say("five models: the base completes {} of the held-out statements",
        book::brief(over_seeds(column("known"))));
    say("exact answers to held-out questions: {} before the fine-tuning, {} after it",
        book::brief(over_seeds(column("before"))),
        book::brief(over_seeds(column("after"))));
    say("exact answers after it: {} to questions about things, {} about lands",
        book::brief(over_seeds(column("after rules"))),
        book::brief(over_seeds(column("after lands"))));
    claim("sys-instruction-fine-tuning/a",
          "rate of exact answers to held-out questions before the fine-tuning",
          over_seeds(column("before")), "<=", 0.1);
    claim("sys-instruction-fine-tuning/b", "rate after it", over_seeds(column("after")),
          ">=", 0.8);
}
//-

// Before the fine-tuning the base model answers no question, although in four of five draws it completes at least 97 per
// cent of the held-out statements. After it, the model answers questions about things, and hardly any about lands. The
// answer about a thing follows from its kind, and the dialogues about other things of this kind show the rule again.
// So the demonstrations can teach it themselves. In one draw the base model completes only 28 per cent of the
// statements: its words are of the right sort, but often belong to another kind of thing. After the fine-tuning it
// answers as well as the others. The capital of a land stands in one kind of sentence only, and these demonstrations do
// not show a way from there to an answer.

// ## Ratings
//
// What if you cannot demonstrate what you want, but you know it when you see it? Then you can rate. Our rater is a
// script in place of a person. It loves texts about pleasing things, and animals more than persons, and it hates broken
// sentences:
//- forms of sentences
bool in(const Text& list, Index word) {
    return std::ranges::find(list, word) != list.end();
}

// Whether words are the beginning of a sentence of the world.
bool well_formed(std::span<const Index> words) {
    static const std::vector<std::vector<Text>> forms = [] {
        const data::LittleWorld& world = data::little_world();
        const auto w = [](const char* text) { return data::world_tokens(text); };
        Text things, subjects, relations = world.relations,
                               any(data::world_words().size());
        for (const Text& some : world.things)
            things.insert(things.end(), some.begin(), some.end());
        subjects = things;
        subjects.insert(subjects.end(), world.lands.begin(), world.lands.end());
        relations.insert(relations.end(), world.features.begin(), world.features.end());
        std::iota(any.begin(), any.end(), 0);
        return std::vector<std::vector<Text>>{
            {things, w("is"), w("a"), world.kinds, w(".")},
            {w("the"), relations, w("of"), subjects, w("is"), any, w(".")},
            {world.people, w("sees"), things, w(","), w("so"), world.people, w("is"),
             w("happy sad"), w(".")}};
    }();
    return std::ranges::any_of(forms, [&](const std::vector<Text>& form) {
        if (words.size() > form.size()) return false;
        for (std::size_t t = 0; t < words.size(); ++t)
            if (!in(form[t], words[t])) return false;
        return true;
    });
}
bool is_thing(Index word) {
    return word >= data::little_world().things.front().front() &&
           word <= data::little_world().things.back().back();
}
//-
double rating(std::span<const Index> words) {
    double found = 0;
    std::size_t begin = 0;
    for (std::size_t t = 0; t < words.size(); ++t) {
        if (is_thing(words[t]))  // from animals, number 0, to persons, number 5
            found += (data::pleases(words[t]) ? 1 : -1) +
                     0.1 * (2.5 - double(data::kind_of(words[t])));
        if (words[t] != 0 && t + 1 < words.size()) continue;
        const auto sentence = words.subspan(begin, t + 1 - begin);
        begin = t + 1;
        if (!well_formed(sentence)) found -= 2;
    }
    return found;
}
// For example, *ann sees rose, so ann is happy.* scores $1 + 0.1 \cdot 1.5 = 1.15$, since plants are kind number 1.
// People do not give such numbers consistently, but they can say which of two texts they prefer. A **reward model**
// learns a number $r$ for each text from such pairs. It assumes that the text $a$ is preferred to $b$ with the
// probability
//
// $$ \Pr(a \succ b) = \sigma(r_a - r_b) , $$
//
// the model of {cite:t}`bradley1952`. With $r_a = 2$ and $r_b = 1$ this is $\sigma(1) = 0.73$. The loss is the negative
// logarithm of the probability of what the rater preferred, $\log(1 + e^{r_b - r_a})$, a softplus:
Tensor preference_loss(const Tensor& preferred, const Tensor& other) {
    return mean(softplus(other - preferred));
}
//- samples, and the reward model
Integers sample(const nn::Gpt& net, Index count, Generator& random) {
    const NoGrad only_asking;
    std::vector<nn::KeyValueCache> caches = net.caches(count, window);
    Text all(std::size_t(count * window), 0), last(std::size_t(count), 0);
    for (Index t = 1; t < window; ++t) {
        const std::vector<Real> chances =
            softmax(net(Integers({count, 1}, last), caches)).values();
        const std::size_t words = chances.size() / last.size();
        for (std::size_t n = 0; n < last.size(); ++n) {
            last[n] = random.multinomial({chances.data() + n * words, words}, 1)[0];
            all[n * std::size_t(window) + std::size_t(t)] = last[n];
        }
    }
    return {{count, window}, all};
}

std::vector<double> ratings(const Integers& texts) {
    std::vector<double> found;
    for (Index n = 0; n < texts.size(0); ++n)
        found.push_back(rating({texts.data() + n * window + 1, std::size_t(written)}));
    return found;
}

// The body of the base model, and a linear layer from the mean over all words to a number.
struct RewardModel {
    nn::Gpt body;
    nn::Linear head;
    Tensor operator()(const Integers& texts) const {
        Tensor x = body.words(texts) + slice(body.places.weight, 0, 0, texts.size(1));
        for (const nn::GptBlock& block : body.blocks) x = block(x, {.causal = true});
        return reshape(head(mean(body.last(x), {1})), {texts.size(0)});
    }
    void visit(auto&& part) { part("body", body), part("head", head); }
};

// Pairs of texts that the rater does not find equally good; the preferred one first.
struct Pairs {
    Text preferred, other;  // one text after another
    Index count = 0;
};
Pairs preferences(const nn::Gpt& base, Index count, Generator& random) {
    Pairs found;
    while (found.count < count) {
        const Integers texts = sample(base, 256, random);
        const std::vector<double> rated = ratings(texts);
        for (Index n = 0; n + 1 < 256 && found.count < count; n += 2) {
            const double first = rated[std::size_t(n)],
                         second = rated[std::size_t(n + 1)];
            if (std::abs(first - second) < 1e-9) continue;
            const Index *a = texts.data() + n * window, *b = a + window;
            if (first < second) std::swap(a, b);
            found.preferred.insert(found.preferred.end(), a, a + window);
            found.other.insert(found.other.end(), b, b + window);
            ++found.count;
        }
    }
    return found;
}
Integers some_texts(const Text& texts, const std::vector<Index>& which) {
    Text found;
    for (const Index n : which)
        found.insert(found.end(), texts.begin() + n * window,
                     texts.begin() + (n + 1) * window);
    return {{std::ssize(which), window}, found};
}

RewardModel reward_model(const nn::Gpt& base, const Pairs& pairs, Index steps,
                         Generator& random) {
    const RewardModel net{nn::clone(base), nn::Linear(64, 1, random)};
    optim::AdamW adam(nn::parameters(net));
    for (Index step = 0; step < steps; ++step) {
        adam.options.lr = rate_at(step, steps, 2e-3);
        std::vector<Index> which;
        for (int b = 0; b < 32; ++b)
            which.push_back(random.next_integer(0, pairs.count));
        const Integers a = some_texts(pairs.preferred, which),
                       b = some_texts(pairs.other, which);
        optim::train_step(adam, [&] { return preference_loss(net(a), net(b)); });
    }
    return net;
}

double pair_accuracy(const RewardModel& net, const Pairs& pairs) {
    const NoGrad only_asking;
    std::vector<Index> all(std::size_t(pairs.count));
    std::iota(all.begin(), all.end(), 0);
    const std::vector<Real> a = net(some_texts(pairs.preferred, all)).values(),
                            b = net(some_texts(pairs.other, all)).values();
    double right = 0;
    for (std::size_t n = 0; n < a.size(); ++n) right += a[n] > b[n];
    return right / double(pairs.count);
}

// Spearman's rank correlation; equal numbers share the mean of their ranks.
std::vector<double> ranks(const std::vector<double>& numbers) {
    std::vector<std::size_t> order(numbers.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::ranges::sort(order, {}, [&](std::size_t i) { return numbers[i]; });
    std::vector<double> found(numbers.size());
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
        while (end < order.size() &&
               std::abs(numbers[order[end]] - numbers[order[begin]]) < 1e-9)
            ++end;
        for (std::size_t i = begin; i < end; ++i)
            found[order[i]] = double(begin + end - 1) / 2;
    }
    return found;
}
double mean_of(const std::vector<double>& numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), 0.0) /
           double(numbers.size());
}
double correlation(const std::vector<double>& a, const std::vector<double>& b) {
    const double mean_a = mean_of(a), mean_b = mean_of(b);
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ab += (a[i] - mean_a) * (b[i] - mean_b);
        aa += (a[i] - mean_a) * (a[i] - mean_a);
        bb += (b[i] - mean_b) * (b[i] - mean_b);
    }
    return ab / std::sqrt(aa * bb);
}
double deviation_of(const std::vector<double>& numbers) {
    const double middle = mean_of(numbers);
    double sum = 0;
    for (const double v : numbers) sum += (v - middle) * (v - middle);
    return std::sqrt(sum / double(numbers.size() - 1));
}
//-

// ## Reward and divergence
//
// Now the model can be trained to please. It writes texts, the reward model scores them, and texts with a high score
// become more probable. This is **reinforcement learning from human feedback**, RLHF
// {cite:p}`christiano2017,ouyang2022`. A text $x$ is a sequence of words, and the model $\pi$ gives it the probability
// $\pi(x)$, the product over its words. We want a large mean reward. Its gradient is
//
// $$ \nabla\, \mathbb E[R(x)] = \mathbb E[(R(x) - \bar R)\, \nabla \log \pi(x)] , $$
//
// with a mean over the texts that the model writes and a **baseline** $\bar R$, here the mean reward of a batch
// {cite:p}`williams1992`. A text that is better than the mean of its batch becomes more probable. Suppose three texts
// score 1, 2 and 6. The mean is 3, and the factors are $-2$, $-1$ and $3$.
//
// The reward has a second part. Each text pays for its distance from the base model $\pi_0$:
//
// $$ R(x) = r(x) - \beta \log \frac{\pi(x)}{\pi_0(x)} . $$
//
// The mean of the logarithm is the [divergence](../training/divergence.cpp) of $\pi$ from $\pi_0$, in nats. Why pay for
// it? The reward model has seen texts of the base model only, and it knows nothing of others. One step of the training:
Tensor log_probability(const nn::Gpt& net, const Integers& texts);
double step_with(const nn::Gpt& policy, const nn::Gpt& base, const auto& reward,
                 double beta, optim::AdamW& adam, Generator& random) {
    const Integers texts = sample(policy, 64, random);
    double drift = 0;
    const auto loss = [&] {
        const Tensor log_p = log_probability(policy, texts);  // (batch)
        const Tensor ratio = log_p.detach() - log_probability(base, texts).detach();
        const Tensor total = reward(texts) - beta * ratio;
        drift = double(mean(ratio).item());
        return -mean((total - mean(total)) * log_p);
    };
    optim::train_step(adam, loss);
    return drift;
}
//- probabilities of texts, a whole training, and its judgement
const Index stops = 8, rounds = 80;  // judged before, and at 8 stops, every 10 steps
const double beta = 0.15;

Tensor log_probability(const nn::Gpt& net, const Integers& texts) {
    const Index count = texts.size(0);
    Text before, next;
    for (Index n = 0; n < count; ++n)
        for (Index t = 0; t < written; ++t) {
            before.push_back(texts.data()[n * window + t]);
            next.push_back(texts.data()[n * window + t + 1]);
        }
    const Tensor scores = net(Integers({count, written}, before));
    const Tensor losses = cross_entropy(
        reshape(scores, {count * written, scores.size(2)}),
        Integers({count * written}, next), {.reduction = Reduction::none});
    return -sum(reshape(losses, {count, written}), {1});
}

struct Mood {  // of the texts that a model writes
    double rating, reward, drift, loss;
};
Mood mood_of(const nn::Gpt& policy, const nn::Gpt& base, const auto& reward,
             Index count, Generator& random) {
    const NoGrad only_asking;
    const Integers texts = sample(policy, count, random);
    const Tensor under_base = log_probability(base, texts);
    return {mean_of(ratings(texts)), double(mean(reward(texts)).item()),
            double(mean(log_probability(policy, texts) - under_base).item()),
            -double(mean(under_base).item()) / double(written)};
}

struct Course {
    nn::Gpt policy;
    std::vector<Mood> moods;
};
Course reinforced(const nn::Gpt& base, const auto& reward, double beta, Index steps,
                  Generator& random) {
    Course course{nn::clone(base), {}};
    optim::AdamW adam(nn::parameters(course.policy), {.lr = 1e-3, .weight_decay = 0});
    for (Index step = 0; step <= steps; ++step) {
        if (step % (steps / stops) == 0) {
            course.moods.push_back(mood_of(course.policy, base, reward,
                                           step == steps ? 1000 : 250, random));
        }
        if (step < steps) step_with(course.policy, base, reward, beta, adam, random);
    }
    return course;
}
//-

//- the study
std::vector<std::string> result_names() {
    std::vector<std::string> names = {"known",       "before", "after", "after rules",
                                      "after lands", "pairs",  "ranks", "deviation"};
    for (const char* how : {"with", "without"})
        for (Index stop = 0; stop <= stops; ++stop)
            for (const char* what : {"rating", "reward", "drift", "loss"})
                names.push_back(fmt::format("{} {} {}", how, what, stop));
    for (const char* which : {"base", "with", "without"})
        for (Index n = 0; n < 2; ++n)
            for (Index t = 1; t < window; ++t)
                names.push_back(fmt::format("{} text {} {}", which, n, t));
    return names;
}
// Words cannot be compared as numbers, and without a price small differences grow.
std::vector<double> tolerances() {
    std::vector<double> found;
    for (const std::string& name : result_names())
        found.push_back(name.find("text") != std::string::npos ? 1e6
                        : name.starts_with("without")          ? 0.5
                                                               : 0.1);
    return found;
}

Study::Row train_everything(const Study::Row& cell) {
    Generator random(1000 * std::uint64_t(cell[0]) + book::seed());
    const nn::Gpt base = base_model(500, random);
    const Facts facts = split_facts(random);
    Study::Row row = {right_statements(base, facts.held),
                      exact_answers(base, facts.held)};
    const nn::Gpt assistant = nn::clone(base);
    fine_tune(assistant, facts.shown, 400, random);
    row.push_back(exact_answers(assistant, facts.held));
    for (const bool of_things : {true, false}) {
        std::vector<WorldFact> some;
        for (const WorldFact& fact : facts.held)
            if (is_thing(fact.subject) == of_things) some.push_back(fact);
        row.push_back(exact_answers(assistant, some));
    }
    const RewardModel net =
        reward_model(base, preferences(base, 8000, random), 600, random);
    row.push_back(pair_accuracy(net, preferences(base, 1000, random)));
    // The scores of texts of the base model get a mean of 0 and a deviation of 1.
    std::vector<double> scores, rated;
    {
        const NoGrad only_asking;
        const Integers texts = sample(base, 1000, random);
        for (const Real r : net(texts).values()) scores.push_back(double(r));
        rated = ratings(texts);
    }
    const double middle = mean_of(scores), spread = deviation_of(scores);
    const auto reward = [&](const Integers& texts) {
        const NoGrad only_asking;
        return (net(texts) - middle) / spread;
    };
    row.push_back(correlation(ranks(scores), ranks(rated)));
    row.push_back(deviation_of(rated));
    const Course with = reinforced(base, reward, beta, rounds, random),
                 without = reinforced(base, reward, 0, rounds, random);
    for (const Course& course : {with, without})
        for (const Mood& mood : course.moods)
            row.insert(row.end(), {mood.rating, mood.reward, mood.drift, mood.loss});
    for (const nn::Gpt& policy : {base, with.policy, without.policy}) {
        const Integers texts = sample(policy, 2, random);
        for (Index n = 0; n < 2; ++n)
            for (Index t = 1; t < window; ++t)
                row.push_back(double(texts.data()[n * window + t]));
    }
    return row;
}

const Study study({"alignment",
                   {"draw"},
                   result_names(),
                   {"sys-instruction-fine-tuning/a", "sys-instruction-fine-tuning/b",
                    "sys-reward-model/a", "sys-reward-model/b", "sys-rlhf/b",
                    "sys-rlhf/c", "sys-rlhf/d", "sys-rl-post-training-note/a"},
                   0.1,
                   tolerances()},
                  {{1}, {2}, {3}, {4}, {5}}, train_everything);
//-

//- results of the study, and how the first figure is drawn
std::vector<double> column(const std::string& name) {
    return study.frozen().column(name);
}
std::vector<double> combined(const std::string& a, const std::string& b,
                             const auto& how) {
    std::vector<double> found;
    const std::vector<double> first = column(a), second = column(b);
    for (std::size_t i = 0; i < first.size(); ++i)
        found.push_back(how(first[i], second[i]));
    return found;
}

const std::vector<std::pair<const char*, const char*>> runs = {
    {"with", "with a price"}, {"without", "without a price"}};

// One line for each training.
std::vector<std::vector<double>> courses(const char* run, const char* what) {
    std::vector<std::vector<double>> found(5);
    for (Index stop = 0; stop <= stops; ++stop) {
        const auto now = column(fmt::format("{} {} {}", run, what, stop));
        for (std::size_t i = 0; i < found.size(); ++i) found[i].push_back(now[i]);
    }
    return found;
}
std::vector<double> steps_of_stops() {
    std::vector<double> found;
    for (Index stop = 0; stop <= stops; ++stop)
        found.push_back(double(stop * (rounds / stops)));
    return found;
}

void draw_drift() {
    const std::vector<double> at = steps_of_stops();
    Figure figure("fig-drift");
    figure
        .describe(
            "Two panels over the steps of a training, five lines for each run. The "
            "reward rises in all trainings, in each of the five higher without a "
            "price. The divergence ends between 3 and 11 nats with a price, and far "
            "above 50 without it. A slider moves a line through both panels.")
        .slider("step", at, "step of the training", at.back())
        .columns(2);
    const std::vector<std::pair<const char*, const char*>> panels = {
        {"reward", "mean reward, standard deviations"},
        {"drift", "divergence from the base model, nats"}};
    for (const auto& [what, words] : panels) {
        figure.always().panel(std::string(what) == "reward" ? "reward" : "divergence");
        for (const auto& [run, label] : runs)
            figure.lines(label, at, courses(run, what));
        for (const double step : at) figure.at(step).rule_x(step, "");
        figure.always().x("step of the training").y(words);
    }
    figure.save(fmt::format(
        "The mean reward of the texts that a model writes, in standard deviations of "
        "the base model's texts, and the divergence of the model from the base model: "
        "five trainings of each run. The price is {} standard deviations for each nat.",
        beta));
    book::shows("sys-rlhf/a", "fig-drift");
    for (const auto& [run, label] : runs)
        say("{}: reward {}, divergence {} nats after {} steps", label,
            book::brief(over_seeds(column(fmt::format("{} reward {}", run, stops)))),
            book::brief(over_seeds(column(fmt::format("{} drift {}", run, stops)))),
            rounds);
}
//-

// The same pairs serve to judge the reward model: how often does it prefer what the rater prefers, on pairs that it has
// not seen? And are the texts in the same order by its scores as by the ratings?
//- what is checked
void judge_rewards() {
    say("right on held-out pairs: {}; rank correlation with the ratings: {}",
        book::brief(over_seeds(column("pairs"))),
        book::brief(over_seeds(column("ranks"))));
    claim("sys-reward-model/a", "accuracy on held-out pairs rated by the script",
          over_seeds(column("pairs")), ">=", 0.9);
    claim("sys-reward-model/b",
          "rank correlation of the predicted with the hidden score",
          over_seeds(column("ranks")), ">=", 0.9);
}
//-

// ## What the price buys
//
// {numref}`fig-drift` shows what the reward model thinks of both runs. What does the rater say, who reads the texts
// again?
//- the question, ratings, samples, and what is checked
void judge_policies() {
    const std::string end = std::to_string(stops);
    const std::vector<double> deviation = column("deviation");
    const auto rise = [&](const std::string& run) {
        std::vector<double> found =
            combined(run + " rating " + end, run + " rating 0", std::minus<double>());
        for (std::size_t i = 0; i < found.size(); ++i) found[i] /= deviation[i];
        return found;
    };
    const std::vector<double> with = rise("with"), without = rise("without");
    const auto worse = std::ranges::count_if(without, [](double by) { return by < 0; });
    ask("Without a price the model earns the higher reward, in all of five trainings. "
        "What does the rater say of its texts?",
        {{"They are better than those of the base model each time: the reward model "
          "predicts ratings.",
          worse == 0,
          "It predicts ratings of texts like those that it has learned from. The model "
          "without a price writes other texts."},
         {"They are worse each time, since they are no sentences any more.", worse == 5,
          "They are no sentences. But the rater takes two points for a broken sentence "
          "and adds a point for each pleasing thing, and a list of nothing but "
          "pleasing things has a high rating."},
         {"Better in some trainings, and worse in others.", worse > 0 && worse < 5,
          "The texts have left the region in which the reward model was trained. "
          "There its scores say little, and it is a matter of chance where the texts "
          "end."}});
    const std::vector<double> at = steps_of_stops();
    Figure figure("fig-hacking");
    figure.describe(
        "The mean rating against the step of the training, five lines for each run. "
        "With a price all lines rise to similar heights. Without a price they part: "
        "three end far higher, and two fall below the start.");
    for (const auto& [run, label] : runs)
        figure.lines(label, at, courses(run, "rating"));
    figure.x("step of the training")
        .y("mean rating by the rater")
        .save(
            "The mean rating of 250 texts, 1,000 at the end, in five trainings of each "
            "run. The reward model is not asked here.");
    const auto text_of = [](const std::string& which, int n) {
        Text words;
        for (Index t = 1; t < window; ++t)
            words.push_back(
                Index(column(fmt::format("{} text {} {}", which, n, t))[0]));
        return data::world_text(words);
    };
    std::vector<std::vector<book::Cell>> rows;
    for (int n = 0; n < 2; ++n)
        rows.push_back({fmt::format("{}", n + 1), text_of("base", n),
                        text_of("with", n), text_of("without", n)});
    book::table("rlhf-samples",
                "Texts of the first of the five trainings; each breaks off after 17 "
                "words.",
                {"text", "base model", "tuned, with a price", "tuned, without a price"},
                rows);
    book::shows("sys-rl-post-training-note/b", "rlhf-samples");
    say("rise of the mean rating in standard deviations: {} with a price, {} without",
        book::brief(over_seeds(with)), book::brief(over_seeds(without)));
    claim("sys-rlhf/b",
          "rise of the mean rating by the rater, in standard deviations of the base",
          over_seeds(with), ">=", 1);
    claim("sys-rlhf/c", "divergence from the base model at that point, nats",
          over_seeds(column("with drift " + end)), "<=", 10);
    claim("sys-rlhf/d",
          "negative log-likelihood under the base model without a price, divided by "
          "that with it",
          over_seeds(combined("without loss " + end, "with loss " + end,
                              std::divides<double>())),
          ">", 1);
    claim("", "rise of the reward without a price, standard deviations",
          over_seeds(combined("without reward " + end, "without reward 0",
                              std::minus<double>())),
          ">", 0);
    claim("sys-rl-post-training-note/a",
          "rise of the mean rating of a mini-GPT over the base model, in standard "
          "deviations",
          over_seeds(with), ">=", 1);
}
//-

// With the price the rating rises in all five trainings, and the divergence ends between 3 and 11 nats. The model mostly
// writes sentences of the world, and it chooses their things with more taste. Without the price the texts stop being
// sentences. This is **reward hacking**, also called over-optimisation {cite:p}`gao2023`: the model finds what scores,
// not what was meant. The reward model was right on nine of ten pairs of the base model's texts, and it was never asked
// about others. In two of the trainings the rater finds the result far worse than the base model. In the other three
// the rater's own script is fooled: it punishes a broken sentence once, however many pleasing things it holds.
//
// ## From base models to assistants
//
// The products that you know were made in such steps. The table lists two of them.
//- the table of lineages
void lineages() {
    book::table("lineages", "Two base models, and what further training made of them.",
                {"base model", "demonstrations", "reinforcement learning", "result"},
                {{"GPT-3, 2020", "answers written by people",
                  "reward model of rankings by people, price on the divergence",
                  "InstructGPT, 2022; ChatGPT, 2022, from GPT-3.5"},
                 {"DeepSeek-V3, 2024", "thousands of long solutions",
                  "rules that check the answers of mathematics and programs",
                  "DeepSeek-R1, 2025"}});
    book::shows("sys-rl-post-training-note/c", "lineages");
}
//-

// InstructGPT is described by {cite:t}`ouyang2022`, and ChatGPT was trained by the same method. DeepSeek-R1
// {cite:p}`deepseek2025` began from DeepSeek-V3 {cite:p}`deepseek2024`. Much of its reward comes from rules, so there
// is less to hack: the answer to a sum is right or wrong.
//
// ## Limits
//
// Our rater is a script with a fixed taste. People disagree with each other and with themselves. The products use
// variants of the policy gradient with smaller variance and more than one step for each batch, such as PPO
// {cite:p}`schulman2017`. We tried one price only. The lengths of the trainings were chosen after a look: in a first
// single training, with fewer steps and pairs, the exact answers were 0.793 and the right pairs 0.883, both below what
// this page asks for. We then lengthened all three stages, and ran the five trainings of the checks once. Their results
// are read from a file; the dialogues are made here.
//
// ## Summary
//
// Demonstrations teach a base model the form of a dialogue and answers that follow from rules, but here not the single
// facts that it has read. A reward model learns from pairs which of two texts a person prefers, and a policy gradient
// makes texts with a high reward more probable. The reward model is reliable only near the texts that it has seen, so the
// divergence from the base model has a price. Without this price the reward rises while the texts stop being sentences.
//
// ## What is missing
//
// You can talk to a model that was trained so far, if it fits into your machine. Such models are trained on many machines
// at once: [the next page](several_machines.cpp) does so with a small network.
//
// ```{try}
// - More demonstrations: `--demonstrations 2000`. Does the model learn to answer questions about lands?
// ```

void page() {
    draw_drift();
    demonstrate();
    judge_rewards();
    judge_policies();
    lineages();
}
