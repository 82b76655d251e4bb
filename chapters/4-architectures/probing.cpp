// # Probing: what happens inside a language model
//
// ```{rows} claim-attention-selective-nlp claim-next-word-side-skills
// ```
//
// *The dogs that see a cat sleep.* Who sleeps? You know at once that it is not the cat, although *cat* stands right
// beside *sleep*. Does a network know, too? Its weights will not tell you, but two instruments look inside: a map of its
// attention, and a **probe**, a small classifier that reads its vectors. {numref}`fig-subject` shows the attention of a
// trained network. Move the slider from head to head: does one of them connect the verbs with their subject?
//
// ```{opening} fig-subject
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/grammar.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/attention_weights.hpp>
#include <recto/nn/gpt.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/module.hpp>
#include <recto/nn/norm.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::median, book::over_seeds, book::say;
using data::Sentence, data::Speech;
using figure::Figure, figure::Names;

const book::Option<Index> translator_steps("translator", 450,
                                           "training steps of the translator",
                                           {.quick = 20, .least = 5, .most = 100'000});
const book::Option<Index> gpt_steps("gpt", 1200, "training steps of the small GPT",
                                    {.quick = 20, .least = 5, .most = 100'000});
const book::Option<int> draws("draws", 5, "trainings of the small GPT",
                              {.quick = 1, .least = 1, .most = 20});

const Index words = 48, longest = 14, heads = 4;
//-

// ## A translation that needs the subject
//
// We need a task in which the verb has to know its subject. In Swahili, nouns belong to classes, and a verb carries a
// prefix for the class of its subject. Our invented language does the same. It translates the sentences of [our small
// grammar](masked_language_model.cpp) word by word and has four classes: animals, people, things and thoughts. A verb has
// a form for each class. In *the king near a robot dreams*, the verb gets the form for people. A robot would be a thing,
// but it does not dream here:
Index noun_class(Index noun) {  // 0 to 3; words 10 to 29 are nouns, each twice
    const Index kind = (noun - 10) / 2;
    if (kind >= 6) return 3;  // a walk, a dream, a plan, a watch
    return kind == 5                ? 2
           : kind == 2 || kind == 4 ? 1  // a robot; a child, a king
                                    : 0;
}
Index stem(Index verb) {  // 0 to 8
    return verb >= 30 ? (verb - 30) / 2 : 5 + (verb - 22) / 2;
}
Index translation(const Sentence& s, std::size_t t) {
    if (s.speech[t] != Speech::verb) return s.words[t];
    const Index subject = s.words[std::size_t(s.subject[t])];
    return words + 4 * stem(s.words[t]) + noun_class(subject);
}

// The words of the new language are numbered from 0 to 83: 48 as in English, and 36 forms of verbs. A network with one
// block of width 32 and four heads reads a sentence without a mask. Its scores at each place are those of the
// translation. Sentences that will test it are kept out of its training.
//- batches, and the training
struct Batch {
    std::vector<Sentence> sentences;
    Integers read, wanted, lengths;  // (sentences, longest), the same, (sentences)
};

using Kept = std::set<std::vector<Index>>;

Batch draw_sentences(Index count, Generator& random, const Kept& without = {}) {
    Batch batch;
    std::vector<Index> read, wanted, lengths;
    while (std::ssize(batch.sentences) < count) {
        const Sentence s = data::sentence(random);
        if (without.contains(s.words)) continue;
        for (std::size_t t = 0; t < std::size_t(longest); ++t) {
            const bool inside = t < s.words.size();
            read.push_back(inside ? s.words[t] : 0);
            wanted.push_back(inside ? translation(s, t) : -1);
        }
        lengths.push_back(std::ssize(s.words));
        batch.sentences.push_back(s);
    }
    batch.read = Integers({count, longest}, read);
    batch.wanted = Integers({count, longest}, wanted);
    batch.lengths = Integers({count}, lengths);
    return batch;
}
double scheduled(double rate, Index step, Index steps) {
    return rate * std::min(double(step + 1) / 50, 1 - double(step) / double(steps));
}
//-
nn::Gpt trained_translator(const Kept& kept, Generator& random) {
    const nn::Gpt net(
        {.tokens = 84, .time = longest, .layers = 1, .width = 32, .heads = heads},
        random);
    optim::AdamW adam(nn::parameters(net));
    for (Index step = 0; step < translator_steps(); ++step) {
        const Batch some = draw_sentences(32, random, kept);
        adam.options.lr = scheduled(0.01, step, translator_steps());
        optim::train_step(adam, [&] {
            return cross_entropy(net(some.read, {.lengths = some.lengths}), some.wanted,
                                 {.ignored = -1});
        });
    }
    return net;
}

// ## Where a verb looks
//
// In [attention](soft_switch.cpp) each word takes a mean of all values, with weights that sum to 1. Suppose that *sleep*
// gives the words of *the dogs sleep .* the weights 0.1, 0.7, 0.15 and 0.05. Then the largest weight is on *dogs*, the
// subject. We count for each head the sentences in which this happens for all verbs. Each head is judged on 1,000
// sentences, and the best one is judged again on 1,000 others, so that the choice of the head cannot flatter the result.
//- what is measured, and how the figure is drawn
Tensor weights_of(const nn::Gpt& net, const Batch& batch) {
    const NoGrad only_asking;
    const Tensor x = net.words(batch.read) + net.places.weight;
    const nn::GptBlock& block = net.blocks[0];
    const Tensor read = block.before_attention(x);
    return nn::attention_weights(block.attention, read, read,
                                 {.lengths = batch.lengths});
}

// For each head the share of sentences in which the largest weight of every verb is on its subject.
std::vector<double> on_subject(const nn::Gpt& net, const Batch& batch) {
    const std::vector<Real> weights = weights_of(net, batch).values();
    std::vector<double> hits(std::size_t(heads), 0.0);
    for (std::size_t n = 0; n < batch.sentences.size(); ++n) {
        const Sentence& s = batch.sentences[n];
        for (Index h = 0; h < heads; ++h) {
            bool all = true;
            for (std::size_t t = 0; t < s.words.size(); ++t) {
                const auto row =
                    weights.begin() +
                    ((Index(n) * heads + h) * longest + Index(t)) * longest;
                if (s.speech[t] == Speech::verb)
                    all = all &&
                          std::max_element(row, row + longest) - row == s.subject[t];
            }
            hits[std::size_t(h)] += all;
        }
    }
    for (double& hit : hits) hit /= double(batch.sentences.size());
    return hits;
}

double verbs_right(const nn::Gpt& net, const Batch& batch) {
    const NoGrad only_asking;
    const std::vector<Real> scores =
        net(batch.read, {.lengths = batch.lengths}).values();
    double right = 0, verbs = 0;
    for (std::size_t n = 0; n < batch.sentences.size(); ++n)
        for (std::size_t t = 0; t < batch.sentences[n].words.size(); ++t) {
            if (batch.sentences[n].speech[t] != Speech::verb) continue;
            const Index at = Index(n) * longest + Index(t);
            const auto row = scores.begin() + at * 84;
            right += std::max_element(row, row + 84) - row == batch.wanted.data()[at];
            ++verbs;
        }
    return right / verbs;
}

// The largest share of verbs whose subject stands at one place of the sentence.
double at_one_place(const Batch& batch) {
    std::vector<double> count(std::size_t(longest), 0.0);
    double verbs = 0;
    for (const Sentence& s : batch.sentences)
        for (const Index place : s.subject)
            if (place >= 0) ++count[std::size_t(place)], ++verbs;
    return std::ranges::max(count) / verbs;
}

// The small dogs that see a cat sleep often.
const Sentence shown{{3, 4, 11, 47, 35, 1, 12, 31, 40, 0},
                     {Speech::determiner, Speech::adjective, Speech::noun,
                      Speech::relative, Speech::verb, Speech::determiner, Speech::noun,
                      Speech::verb, Speech::adverb, Speech::stop},
                     {-1, -1, -1, -1, 2, -1, -1, 2, -1, -1}};

void draw_maps(const nn::Gpt& net, std::size_t best) {
    const Index T = std::ssize(shown.words);
    Batch one{{shown}, {}, {}, Integers({1}, {T})};
    std::vector<Index> read = shown.words;
    read.resize(std::size_t(longest), 0);
    one.read = Integers({1, longest}, read);
    const Tensor weights = weights_of(net, one);
    Names names;
    std::vector<double> stops;
    for (const Index word : shown.words)
        names.push_back(data::grammar_words()[std::size_t(word)]);
    for (Index h = 1; h <= heads; ++h) stops.push_back(double(h));
    Figure figure("fig-subject");
    figure
        .describe(
            "A heat map of attention weights for the sentence the small dogs that see "
            "a "
            "cat sleep often. A slider changes between four heads. In one of them the "
            "rows of both verbs are bright at dogs and nowhere else.")
        .slider("head", stops, "head", double(best + 1));
    for (Index h = 0; h < heads; ++h) {
        std::vector<double> cells;
        for (Index t = 0; t < T; ++t)
            for (Index s = 0; s < T; ++s)
                cells.push_back(std::round(100 * double(weights.at({0, h, t, s}))) /
                                100);
        figure.at(double(h + 1))
            .heatmap("weight", names, names, cells, 0, 1)
            .frame({"dogs", "dogs"}, {"see", "sleep"});
    }
    figure.always()
        .x("word that is read")
        .y("word that reads")
        .save(
            "The attention of the four heads of a small translator. Red frames mark "
            "where a verb reads its subject. One head has learned to look there, past "
            "a "
            "noun that stands nearer.");
    book::shows("claim-attention-selective-nlp/a", "fig-subject");
}

void attention_maps() {
    std::vector<double> found, untrained, fixed, right;
    for (int draw = 0; draw < std::min(3, draws()); ++draw) {
        Generator random(book::seed() * 100 + std::uint64_t(draw));
        const Batch to_choose = draw_sentences(1000, random),
                    held_out = draw_sentences(1000, random);
        Kept kept;
        for (const Batch* batch : {&to_choose, &held_out})
            for (const Sentence& s : batch->sentences) kept.insert(s.words);
        kept.insert(shown.words);
        const nn::Gpt net = trained_translator(kept, random);
        const std::vector<double> chosen = on_subject(net, to_choose);
        const std::size_t best =
            std::size_t(std::ranges::max_element(chosen) - chosen.begin());
        if (draw == 0) draw_maps(net, best);
        found.push_back(on_subject(net, held_out)[best]);
        right.push_back(verbs_right(net, held_out));
        const nn::Gpt fresh(
            {.tokens = 84, .time = longest, .layers = 1, .width = 32, .heads = heads},
            random);
        untrained.push_back(std::ranges::max(on_subject(fresh, held_out)));
        fixed.push_back(at_one_place(held_out));
    }
    say("verbs of held-out sentences that are translated right: {}",
        book::brief(over_seeds(right)));
    say("largest weight on the subject, the best head of an untrained network: {}",
        book::brief(over_seeds(untrained)));
    say("subjects that stand at the most frequent place: {}",
        book::brief(over_seeds(fixed)));
    claim("claim-attention-selective-nlp/b",
          "held-out sentences in which the largest weight of each verb is on its "
          "subject, in "
          "the best head",
          over_seeds(found), ">=", 0.8);
    claim("", "the same, less the share of subjects at the most frequent place",
          median(found) - median(fixed), ">", 0);
}
//-

// All four heads read the same sentence and look at different words. One of them has become an expert for subjects: in
// nearly every held-out sentence the verb's largest weight is on its subject. The network was never told what a subject
// is. The loss asked for the class of a noun at the place of a verb, and attention is the only way from one place to
// another. One fixed place would not do: about a third of the subjects do not stand at the most frequent place. Before
// training, no head prefers subjects.
//
// ## Next words, and a skill beside them
//
// The second network is a GPT of the same size. It learns one thing only: to predict the next word of a text. Eight of
// the 48 words have two parts of speech, as in *the **walks** tire a dog* and *the dog **walks***. To read *walks* right,
// you have to look at what stands before it. Has the GPT learned to do that, too?
//
// A **linear probe** finds out. The network is frozen. For each ambiguous word of a text we take the vector $h$ that the
// network has computed there. A linear classifier with a weight matrix $W$ and a bias $b$,
//
// $$ p = \mathrm{softmax}(W h + b) , $$
//
// is trained to tell nouns from verbs. It can only find what lies open in the vector: it has no hidden layer with which
// it could solve the task by itself. With $h = (2, -1)$, $b = 0$, and the rows $(0, 0)$ for nouns and $(1, 1)$ for verbs,
// the scores are 0 and 1, and the probability of a verb is $e / (1 + e) = 0.73$.
//- text with parts of speech, and the training of the GPT
const Index window = 24;
struct Text {
    Integers words, next;  // (windows, window): the words, and the word after each
    std::vector<Speech> speech;  // of the words
};
// Each window begins with a full stop, and then with a sentence.
Text draw_text(Index windows, Generator& random) {
    std::vector<Index> read, next;
    Text text;
    for (Index n = 0; n < windows; ++n) {
        std::vector<Index> all = {0};
        std::vector<Speech> speech = {Speech::stop};
        while (std::ssize(all) <= window) {
            const Sentence s = data::sentence(random);
            all.insert(all.end(), s.words.begin(), s.words.end());
            speech.insert(speech.end(), s.speech.begin(), s.speech.end());
        }
        read.insert(read.end(), all.begin(), all.begin() + window);
        next.insert(next.end(), all.begin() + 1, all.begin() + window + 1);
        text.speech.insert(text.speech.end(), speech.begin(), speech.begin() + window);
    }
    text.words = Integers({windows, window}, read);
    text.next = Integers({windows, window}, next);
    return text;
}

const nn::GptSize mini = {
    .tokens = words, .time = window, .layers = 1, .width = 32, .heads = heads};

double train(const nn::Gpt& net, Generator& random) {
    optim::AdamW adam(nn::parameters(net));
    double loss = 0;
    for (Index step = 0; step < gpt_steps(); ++step) {
        const Text text = draw_text(16, random);
        adam.options.lr = scheduled(0.01, step, gpt_steps());
        const Tensor now = optim::train_step(
            adam, [&] { return cross_entropy(net(text.words), text.next); });
        loss = double(now.item());
    }
    return loss;
}
//-

// We probe at three places: at the **input**, which is the sum of the word's and the position's embedding; after
// attention; and after the perceptron of the block. The vectors are normalised first, as the network's next layer would
// read them:
//- the vectors
enum class Depth { input, attention, block };

Tensor vectors(const nn::Gpt& net, const Integers& text, Depth depth) {
    const NoGrad only_asking;
    const Tensor x = net.words(text) + net.places.weight;
    const nn::GptBlock& block = net.blocks[0];
    const nn::LayerNorm norm({mini.width}, {.affine = false});
    if (depth == Depth::input) return norm(x);
    const AttentionOptions causal = {.causal = true};
    if (depth == Depth::attention)
        return norm(x + block.attention(block.before_attention(x), causal));
    return norm(block(x, causal));
}

struct Ambiguous {
    Tensor vectors;   // (words, width)
    Integers labels;  // (words): 1 for a verb
};
Ambiguous ambiguous(const nn::Gpt& net, const Text& text, Depth depth) {
    std::vector<Index> at, verb;
    const std::vector<Index> all = text.words.values();
    for (std::size_t i = 0; i < all.size(); ++i)
        if (data::is_ambiguous(all[i]))
            at.push_back(Index(i)), verb.push_back(text.speech[i] == Speech::verb);
    const Tensor flat =
        reshape(vectors(net, text.words, depth), {text.words.numel(), mini.width});
    return {index_rows(flat, Integers({std::ssize(at)}, at)),
            Integers({std::ssize(verb)}, verb)};
}
//-
double probe(const Ambiguous& to_learn, const Ambiguous& to_judge, Generator& random) {
    const nn::Linear classifier(mini.width, 2, random);
    optim::Adam adam(nn::parameters(classifier), {.lr = 0.05});
    for (int step = 0; step < 300; ++step)
        optim::train_step(adam, [&] {
            return cross_entropy(classifier(to_learn.vectors), to_learn.labels);
        });
    const NoGrad only_asking;
    return nn::accuracy(classifier(to_judge.vectors), to_judge.labels);
}

// The probe learns from the ambiguous words of 400 windows of text and is judged on those of 400 others. For comparison
// we probe the same network before its training. Place your bet:
//- the probes, the question, the figure, and what is checked
void probes() {
    const std::vector<std::pair<std::string, Depth>> depths = {
        {"input", Depth::input},
        {"after attention", Depth::attention},
        {"after the block", Depth::block}};
    std::vector<std::vector<double>> of[2];  // untrained, trained: depth, draw
    std::vector<double> losses;
    for (auto& found : of) found.resize(depths.size());
    for (int draw = 0; draw < draws(); ++draw) {
        Generator random(book::seed() * 100 + 50 + std::uint64_t(draw));
        const nn::Gpt net(mini, random), untrained = nn::clone(net);
        losses.push_back(train(net, random));
        const Text to_learn = draw_text(400, random), to_judge = draw_text(400, random);
        for (std::size_t d = 0; d < depths.size(); ++d)
            for (const bool trained : {false, true}) {
                const nn::Gpt& probed = trained ? net : untrained;
                of[trained][d].push_back(
                    probe(ambiguous(probed, to_learn, depths[d].second),
                          ambiguous(probed, to_judge, depths[d].second), random));
            }
    }
    const double fresh = median(of[0][2]), input = median(of[1][0]);
    const bool knows = fresh >= 0.9, little = fresh < input + 0.1;
    ask("The probe reads the vectors after the block of an untrained network. How much "
        "better is it than a probe that reads the trained network's input?",
        {{"It is right for more than 90 %: random attention mixes the neighbours in.",
          knows,
          "Random layers keep much of what they are given, and a larger network with "
          "wider vectors might do it. Here attention averages over all words so far, "
          "in "
          "which the one before hardly stands out."},
         {"By more than 0.1, but it is right for less than 90 %.", !knows && !little,
          "Attention mixes in the words before, at random weights."},
         {"By less than 0.1.", little,
          "Random attention averages over all words so far. The word right before, "
          "which decides the part of speech, hardly stands out."}});
    Figure figure("fig-probe");
    figure.describe(
        "Accuracy of the probe at the input, after attention and after the block, five "
        "lines for each network. Those of the trained networks rise from 0.6 to nearly "
        "one, those of the untrained ones stay near 0.6.");
    for (const bool trained : {true, false}) {
        std::vector<std::vector<double>> curves(of[1][0].size());
        for (const std::vector<double>& over : of[trained])
            for (std::size_t i = 0; i < curves.size(); ++i)
                curves[i].push_back(over[i]);
        figure.lines(trained ? "trained" : "untrained", std::vector<double>{0, 1, 2},
                     curves,
                     {.color = trained ? figure::blue : figure::ochre, .points = true});
    }
    figure.x("0 input, 1 after attention, 2 after the block")
        .y("accuracy of the probe")
        .ylim(0.5, 1)
        .save(
            "A linear probe tells nouns from verbs among ambiguous words of new text, "
            "before and after five trainings. Only the training on next words makes "
            "the "
            "part of speech readable.");
    say("the loss of the last batch of next words, nats: {}",
        book::brief(over_seeds(losses)));
    for (const bool trained : {false, true})
        for (std::size_t d = 0; d < depths.size(); ++d)
            say("{}, {}: {}", trained ? "trained" : "untrained", depths[d].first,
                book::brief(over_seeds(of[trained][d])));
    std::vector<double> ahead;
    for (std::size_t i = 0; i < of[1][2].size(); ++i)
        ahead.push_back(of[1][2][i] - of[1][0][i]);
    claim("claim-next-word-side-skills/a",
          "accuracy of a linear probe for the part of speech of ambiguous words",
          over_seeds(of[1][2]), ">=", 0.95);
    claim("claim-next-word-side-skills/b",
          "the same, less the accuracy of a probe on the embeddings", over_seeds(ahead),
          ">=", 0.15);
}
//-

// The trained network's vectors tell nouns from verbs nearly without an error, after attention already. At its input the
// probe knows little more than which of the words are nouns more often. No loss asked for parts of speech. But what
// comes next depends on them: after the noun *walks* a verb may follow, and after the verb *walks* a full stop or an
// adverb. A network that predicts the next word well has to tell them apart, and the probe finds the distinction.
//
// The untrained network is the fair comparison. It has the same shape and reads the same words, and the same probe finds
// hardly more than at the input. So it is the training that makes the part of speech readable, not the probe.
//
// ## Limits and history
//
// A probe shows that something can be read from a vector, and not that the network uses it. {cite:t}`hewitt2019`
// therefore compare each probe with one for random labels. The largest weight of a head is a hint of the same sort:
// {cite:t}`jain2019` changed the attention of trained networks without changing their answers. Our translator has one
// block and a task that no other path could solve. In a deep network, words have been mixed before attention reads them.
//
// Single probes vary: with other seeds one training in five reached only 0.92 to 0.93, while the medians of five stayed
// above 0.97. In our grammar, the subject is always the first noun of its sentence. A head that looks for the first noun
// is right in every sentence, so the map does not show that the network understands clauses. In *the cat sees that dogs
// sleep*, which our grammar cannot form, such a head would be wrong about *sleep*.
//
// {cite:t}`clark2019` found heads of BERT that look from objects to their verbs, and from determiners to their nouns,
// with no label for either in its training. Linear probes of hidden layers go back to {cite:t}`alain2017`. Our text comes
// from a grammar with 48 words, in which the word before decides the part of speech. English is harder.
//
// ## Summary
//
// In a translator whose verbs must agree with their subjects, one head of attention learns to look from verbs to
// subjects. A small GPT that only predicts the next word tells nouns from verbs in its vectors: a linear probe is right
// for more than 95 % of ambiguous words, and on the embeddings for about 60 %. A comparison with an untrained network
// shows that training has done this.
//
// ## What is missing
//
// These networks have learned rules. A language model also learns single facts that follow from no rule. [The next
// page](exposures.cpp) asks how many fit, and how often a network has to see them.
//
// ```{try}
// - A shorter training of the translator: `--translator 100`. Has a head found the subjects already?
// - A shorter training of the GPT: `--gpt 200`. How much does the probe find?
// ```

void page() {
    attention_maps();
    probes();
}
