// # Speech recognition: translate sound into text
//
// ```{rows} sys-speech-recognition claim-speech-multitask-tokens
// ```
//
// A translator reads one sequence and writes another. Why should the first one be text? A Transformer can read the
// [spectrogram](spectrograms.cpp) of a sound and write down what is said {cite:p}`radford2022`. Our speakers whistle:
// each letter of two invented languages is a tone. {numref}`fig-listening` shows one sound, and which parts of it the
// network needs for each piece of a word that it writes. It writes twice, once what it heard, and once the translation
// into the other language. Drag the slider through its training. In one of the maps the network listens backwards. Why?
//
// ```{opening} fig-listening
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/classic/fourier.hpp>
#include <recto/core/random.hpp>
#include <recto/data/tone_words.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/module.hpp>
#include <recto/nn/speech.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/log_softmax.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>
#include <recto/optim/schedule.hpp>
#include <recto/text/byte_pair_training.hpp>
#include <recto/text/word_errors.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say, book::Study;
using figure::Figure, figure::Names;

const book::Option<Index> passes("steps", 500, "steps of the training on this page",
                                 {.quick = 5, .least = 5, .most = 100'000});
const book::Option<double> decibels(
    "decibels", 30, "ratio of speech to noise in the sound that is drawn, in decibels",
    {.least = -20, .most = 60});
//-

// ## Two languages
//
// Northern and Southern have twelve words each, of four letters. A sentence has one to three words, and Southern puts
// them in reverse order. So the Northern *tosi bado*, word 4 and then word 1, is *gape dozi* in Southern, word 1 and then
// word 4.
//- the words, and sentences
const Names northern = {"bado", "kigu", "zepa", "tosi", "dube", "gika",
                        "pozu", "sate", "bisu", "dogo", "tepi", "kazo"};
const Names southern = {"gape", "subo", "tika", "dozi", "pubi", "kete",
                        "zagu", "besa", "gido", "topu", "zuke", "sidu"};
struct Sentence {
    bool south = false;        // whether Southern is spoken
    std::vector<Index> words;  // none if nothing is said
};
std::string in_language(const std::vector<Index>& words, bool south) {
    std::string text;
    for (const Index word : words)
        text += " " + (south ? southern : northern)[std::size_t(word)];
    return text;
}
std::string transcript(const Sentence& s) { return in_language(s.words, s.south); }
std::string translation(const Sentence& s) {
    return in_language({s.words.rbegin(), s.words.rend()}, !s.south);
}

// Every seventeenth sequence of words is kept for the test, in both languages.
bool held_out(const std::vector<Index>& words) {
    Index number = 0;
    for (const Index word : words) number = 12 * number + word;
    return words.size() > 1 && number % 17 == 0;
}
Sentence any_sentence(bool held, Generator& random) {
    while (true) {
        Sentence s{random.next_integer(0, 2) == 1, {}};
        const Index length = random.next_integer(held ? 2 : 1, 4);
        for (Index i = 0; i < length; ++i)
            s.words.push_back(random.next_integer(0, 12));
        if (held_out(s.words) == held) return s;
    }
}
std::vector<Sentence> any_sentences(Index count, bool held, Generator& random) {
    std::vector<Sentence> some;
    for (Index n = 0; n < count; ++n) some.push_back(any_sentence(held, random));
    return some;
}
//-

// A voice has a pitch, up to 0.15 octaves higher or lower than the standard, a speed from 0.8 to 1.25 and a loudness.
// Each sentence gets a new voice, and white noise. A ratio of speech to noise of 20 decibels means that the speech has
// 100 times the power of the noise, 10 decibels mean 10 times. When nothing is said, half of the sounds contain a long
// beep, so that silence alone is no proof of silence. Each sound is filled up with noise to 0.9 seconds and becomes 55
// frames of 32 bands:
//- the sounds
const Index samples = 7'168, frames = 55, bands = 32;
const classic::Spectrogram& ear() {
    static const classic::Spectrogram made(
        {.window = 256, .hop = 128, .bands = bands, .rate = data::tone_rate});
    return made;
}
std::vector<double> said(const Sentence& s, Generator& random) {
    data::ToneVoice voice = data::draw_voice(random);
    if (!s.words.empty()) return data::tone_speech(transcript(s).substr(1), voice);
    if (random.next_integer(0, 2) == 0) return {};
    voice.pitch = std::exp2(3 * random.next_uniform());  // a beep of 400 to 3,200 Hz
    voice.speed = 0.1;
    return data::tone_speech("a", voice);
}
//-
Tensor heard(const std::vector<Sentence>& sentences, double least, double most,
             Generator& random) {
    std::vector<std::vector<double>> sounds;
    std::vector<double> ratios;  // of speech to noise, in decibels
    for (const Sentence& s : sentences) {
        sounds.push_back(said(s, random));
        ratios.push_back(least + (most - least) * random.next_uniform());
    }
    const Tensor energy =
        log(ear()(data::with_noise(sounds, samples, ratios, random, 800)) + 1e-5);
    return (energy - mean(energy, {1, 2}, Keep::yes)) / 3;  // as loud as all others
}

// ## From frames to positions
//
// Frames are short, 16 milliseconds apart, and neighbours are alike. A first convolution looks at three frames at a time,
// 32 bands each, and makes 48 features. A second convolution does the same with stride 2, and 55 frames become 28
// positions. Attention compares all pairs of positions, so half as many cost a quarter. From there on it is the
// [encoder](../architectures/encoder_decoder.cpp) of a translator:
//
// ```{excerpt} recto/nn/speech.cpp SpeechTransformer::encode
// ```
//
// ## Pieces of words
//
// The decoder writes [tokens](../training/tokenizers.cpp) made by byte-pair encoding from the 24 words. Most are
// syllables, so the network can spell what it hears:
//- the vocabulary
const Index end_token = 0, transcribe = 1, translate = 2, detect = 3, speech = 4,
            no_speech = 5, specials = 6;
struct Vocabulary {
    text::BytePairs pairs;
    std::vector<Index> kept;        // the byte-pair token of each of ours
    std::map<Index, Index> number;  // and back

    Vocabulary() {
        std::string all;
        for (const Names& words : {northern, southern})
            for (const std::string& word : words) all += " " + word;
        pairs = text::train_byte_pairs(all, {.size = 256 + 40, .least = 1});
        for (const Index token : pairs.encode(all))
            if (number.try_emplace(token, specials + std::ssize(kept)).second)
                kept.push_back(token);
    }
    Index size() const { return specials + std::ssize(kept); }
    std::vector<Index> encode(const std::string& text) const {
        std::vector<Index> tokens;
        for (const Index token : pairs.encode(text)) tokens.push_back(number.at(token));
        return tokens;
    }
    std::string piece(Index token) const {
        static const Names names = {"end",    "transcribe", "translate",
                                    "detect", "speech",     "no speech"};
        if (token < specials) return names[std::size_t(token)];
        return std::string(pairs.bytes(kept[std::size_t(token - specials)]));
    }
    std::string decode(const std::vector<Index>& tokens) const {
        std::string text;
        for (const Index token : tokens)
            if (token >= specials) text += piece(token);
        return text;
    }
};
const Vocabulary& vocabulary() {
    static const Vocabulary made;
    return made;
}
const Index longest_text = 10;  // three words of three pieces, and the end
//-

// ## The task is a token
//
// A translator's decoder begins with a mark. Here the mark says what is wanted. The sound of *tosi bado* has three
// answers, which are printed below with a bar between tokens. Each begins with its task, and the network learns to
// continue it. Nothing else of the network knows about tasks. The encoder runs once for each sound, the decoder once for
// each task:
std::vector<Index> answer(const Sentence& s, Index task) {
    if (task == detect) return {s.words.empty() ? no_speech : speech};
    std::vector<Index> tokens =
        vocabulary().encode(task == transcribe ? transcript(s) : translation(s));
    tokens.push_back(end_token);
    return tokens;
}
//- what is printed, and batches of answers
std::string pieces(const std::vector<Index>& tokens) {
    Names names;
    for (const Index token : tokens) names.push_back(vocabulary().piece(token));
    return fmt::format("{}", fmt::join(names, "|"));
}
void three_answers() {
    const Sentence s{false, {3, 0}};
    for (const Index task : {transcribe, translate, detect})
        say("{}|{}", vocabulary().piece(task), pieces(answer(s, task)));
}
struct Texts {
    Integers before;  // (batch, S): the task, then the answer's tokens
    Integers target;  // (batch * S): the answer's tokens, -1 after the end
};
Texts texts_of(const std::vector<Sentence>& sentences, Index task) {
    const Index S = task == detect ? 1 : longest_text;
    std::vector<Index> before, target;
    for (const Sentence& s : sentences) {
        const std::vector<Index> y = answer(s, task);
        check(std::ssize(y) <= longest_text,
              "speech: wanted answers of at most {} tokens, got {}", longest_text,
              y.size());
        for (Index i = 0; i < S; ++i) {
            before.push_back(i == 0               ? task
                             : i <= std::ssize(y) ? y[std::size_t(i - 1)]
                                                  : end_token);
            target.push_back(i < std::ssize(y) ? y[std::size_t(i)] : -1);
        }
    }
    const Index n = std::ssize(sentences);
    return {Integers({n, S}, before), Integers({n * S}, target)};
}
//-
Tensor loss_of(const nn::SpeechTransformer& net, const Tensor& memory, const Texts& t) {
    const Tensor scores = net.decode(t.before, memory);
    return cross_entropy(reshape(scores, {t.target.numel(), scores.size(2)}), t.target,
                         {.ignored = -1});
}
//- the training
const Index batch = 32;
const double rate = 0.004;
nn::SpeechTransformer fresh(Generator& random) {
    return nn::SpeechTransformer({.bands = bands,
                                  .frames = frames,
                                  .tokens = vocabulary().size(),
                                  .time = longest_text,
                                  .layers = 2,
                                  .width = 48,
                                  .hidden = 144,
                                  .heads = 4},
                                 random);
}
//-
// In training an eighth of the sounds contain no speech, and the ratio of speech to noise is from 5 to 30 decibels:
void train(const nn::SpeechTransformer& net, Index steps, Generator& random,
           const std::function<void(Index step)>& look) {
    optim::Adam adam(nn::parameters(net));
    for (Index step = 0; step < steps; ++step) {
        look(step);
        adam.options.lr =
            optim::warmup_cosine(step, std::min<Index>(50, steps), steps, rate);
        std::vector<Sentence> some = any_sentences(batch, false, random);
        for (Index n = 0; n < batch; n += 8) some[std::size_t(n)] = {};
        const Tensor x = heard(some, 5, 30, random);
        optim::train_step(adam, [&] {
            const Tensor memory = net.encode(x);
            return loss_of(net, memory, texts_of(some, transcribe)) +
                   loss_of(net, memory, texts_of(some, translate)) +
                   0.2 * loss_of(net, memory, texts_of(some, detect));
        });
    }
    look(steps);
}

// When the network is used, it reads its own tokens: the most probable one is appended until it is the end.
//- writing, and how it is judged
std::vector<std::string> written(const nn::SpeechTransformer& net, const Tensor& memory,
                                 Index task) {
    const NoGrad only_asking;
    const Index n = memory.size(0);
    std::vector<std::vector<Index>> rows(std::size_t(n), {task});
    bool all_ended = false;
    for (Index S = 1; S <= longest_text && !all_ended; ++S) {
        std::vector<Index> before;
        for (const auto& row : rows)
            before.insert(before.end(), row.begin(), row.end());
        const std::vector<Index> next =
            argmax(select(net.decode(Integers({n, S}, before), memory), 1, S - 1))
                .values();
        all_ended = true;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const bool ended = S > 1 && rows[i].back() == end_token;
            rows[i].push_back(ended ? end_token : next[i]);
            all_ended = all_ended && rows[i].back() == end_token;
        }
    }
    std::vector<std::string> texts;
    for (const auto& row : rows) texts.push_back(vocabulary().decode(row));
    return texts;
}
std::vector<std::string> right_texts(const std::vector<Sentence>& sentences,
                                     Index task) {
    std::vector<std::string> texts;
    for (const Sentence& s : sentences)
        texts.push_back(task == transcribe ? transcript(s) : translation(s));
    return texts;
}
// The share of the tokens that are the most probable ones, given the right tokens before them.
double token_accuracy(const nn::SpeechTransformer& net, const Tensor& memory,
                      const Texts& t) {
    const NoGrad only_asking;
    const std::vector<Index> best = argmax(net.decode(t.before, memory)).values(),
                             right = t.target.values();
    double equal = 0, all = 0;
    for (std::size_t i = 0; i < right.size(); ++i)
        if (right[i] >= 0) equal += best[i] == right[i], ++all;
    return equal / all;
}
double share_equal(const std::vector<std::string>& a,
                   const std::vector<std::string>& b) {
    double equal = 0;
    for (std::size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i];
    return equal / double(a.size());
}
//-

//- the study
const std::vector<int> ratios = {30, 20, 10, 5, 0, -5, -10};
std::vector<std::string> result_names() {
    std::vector<std::string> names;
    for (const int ratio : ratios)
        for (const char* task : {"transcribe", "translate"})
            names.push_back(fmt::format("{} {}", task, ratio));
    names.insert(names.end(), {"tokens transcribe", "tokens translate", "tokens detect",
                               "switched to transcribe", "switched to translate"});
    return names;
}
Study::Row judged(const nn::SpeechTransformer& net, Index count) {
    const NoGrad only_asking;
    Generator random(13);
    const std::vector<Sentence> held = any_sentences(count, true, random);
    Study::Row row;
    for (const int ratio : ratios) {
        const Tensor memory = net.encode(heard(held, ratio, ratio, random));
        for (const Index task : {transcribe, translate})
            row.push_back(text::word_error_rate(written(net, memory, task),
                                                right_texts(held, task)));
    }
    // The tasks are judged with the noise of the training, and detection with as many sounds without speech.
    std::vector<Sentence> half = held;
    for (std::size_t n = 0; n < half.size(); n += 2) half[n] = {};
    const Tensor memory = net.encode(heard(held, 5, 30, random)),
                 other = net.encode(heard(half, 5, 30, random));
    for (const Index task : {transcribe, translate})
        row.push_back(token_accuracy(net, memory, texts_of(held, task)));
    row.push_back(token_accuracy(net, other, texts_of(half, detect)));
    for (const Index task : {transcribe, translate})
        row.push_back(share_equal(written(net, memory, task), right_texts(held, task)));
    return row;
}
const Index study_steps = 1000;
Study::Row train_one(const Study::Row& cell) {
    Generator random(book::seed() * 100 + std::uint64_t(cell[0]));
    const nn::SpeechTransformer net = fresh(random);
    train(net, study_steps, random, [](Index) {});
    return judged(net, 300);
}
const Study study({"speech",
                   {"draw"},
                   result_names(),
                   {"sys-speech-recognition/a", "sys-speech-recognition/b",
                    "sys-speech-recognition/c", "claim-speech-multitask-tokens/a",
                    "claim-speech-multitask-tokens/b"},
                   0.05},
                  {{1}, {2}, {3}, {4}, {5}}, train_one);
std::vector<double> column(const std::string& name) {
    return study.frozen().column(name);
}
//-

//- the training of this page, and how its figure is drawn
// How much less probable each right token becomes when a piece of the sound is replaced by noise: the logarithm of the
// ratio, for pieces of four frames around each position. (tokens, positions)
const Index positions = (frames + 1) / 2;
std::vector<double> needs(const nn::SpeechTransformer& net, const Tensor& x,
                          const std::vector<Index>& right, Index task) {
    const NoGrad only_looking;
    const std::vector<Real> sound = x.values();
    std::vector<Real> many = sound;  // the sound itself, then one for each position
    const auto frame = [](auto& of, Index t) { return of.begin() + t * bands; };
    for (Index p = 0; p < positions; ++p) {
        std::vector<Real> changed = sound;
        for (Index t = std::max<Index>(0, 2 * p - 1); t < std::min(frames, 2 * p + 3);
             ++t)
            std::copy_n(frame(sound, frames - 5 + t % 4), bands, frame(changed, t));
        many.insert(many.end(), changed.begin(), changed.end());
    }
    const Index n = positions + 1, S = std::ssize(right);
    std::vector<Index> before;
    for (Index i = 0; i < n; ++i) {
        before.push_back(task);
        before.insert(before.end(), right.begin(), right.end() - 1);
    }
    const Tensor log_p = log_softmax(net.decode(
        Integers({n, S}, before), net.encode(Tensor({n, frames, bands}, many))));
    std::vector<double> lost;
    for (Index s = 0; s < S; ++s)
        for (Index p = 0; p < positions; ++p)
            lost.push_back(double(log_p.at({0, s, right[std::size_t(s)]})) -
                           double(log_p.at({p + 1, s, right[std::size_t(s)]})));
    return lost;
}
Names told_apart(const std::vector<Index>& tokens) {
    Names names;
    for (const Index token : tokens) {
        std::string name = vocabulary().piece(token);
        if (name[0] == ' ') name = "·" + name.substr(1);
        while (std::ranges::find(names, name) != names.end()) name += "′";
        names.push_back(name);
    }
    return names;
}
// The mean time that the first piece of each word needs, in positions.
std::vector<double> times(const std::vector<double>& lost,
                          const std::vector<Index>& right) {
    std::vector<double> found;
    for (std::size_t s = 0; s < right.size(); ++s) {
        if (vocabulary().piece(right[s])[0] != ' ') continue;
        double sum = 0, all = 0;
        for (std::size_t p = 0; p < std::size_t(positions); ++p) {
            const double weight = std::max(0.0, lost[s * std::size_t(positions) + p]);
            sum += double(p) * weight, all += weight;
        }
        found.push_back(sum / all);
    }
    return found;
}

void listening() {
    Generator random(book::seed() * 100 + 1);
    const nn::SpeechTransformer net = fresh(random);
    say("{} parameters, {} tokens", nn::count(net), vocabulary().size());

    const Sentence shown{false, {1, 2, 3}};
    Generator noise(17);
    const auto spectrogram_of = [&](const Sentence& s) {
        const Tensor sound =
            log(ear()(data::with_noise({data::tone_speech(transcript(s).substr(1))},
                                       samples, {decibels()}, noise, 800)) +
                1e-5);
        return (sound - mean(sound, {1, 2}, Keep::yes)) / 3;
    };
    const Tensor x = spectrogram_of(shown);

    std::vector<double> stops;
    for (const double share : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0})
        stops.push_back(std::round(share * double(passes())));
    const std::vector<Index> tasks = {transcribe, translate};
    std::vector<std::vector<std::vector<double>>> maps;  // at each stop, for each task
    train(net, passes(), random, [&](Index step) {
        if (std::ranges::find(stops, double(step)) == stops.end()) return;
        maps.emplace_back();
        for (const Index task : tasks)
            maps.back().push_back(needs(net, x, answer(shown, task), task));
    });

    Names frame_names, place_names, band_names;
    const auto at = [](Index frame) { return fmt::format("{}", frame * 16 + 16); };
    for (Index t = 0; t < frames; ++t) frame_names.push_back(at(t));
    for (Index t = 0; t < frames; t += 2) place_names.push_back(at(t));
    for (const double f : ear().centres)
        band_names.insert(band_names.begin(), fmt::format("{:.0f}", f));
    std::vector<double> cells;
    const std::vector<Real> energy = x.values();
    for (Index d = bands - 1; d >= 0; --d)
        for (Index t = 0; t < frames; ++t)
            cells.push_back(
                std::round(20 * double(energy[std::size_t(t * bands + d)])) / 20);
    Figure figure("fig-listening");
    figure
        .describe(
            "Three matrices above each other with a common time axis. The first is a "
            "spectrogram of three words. In the second, the rows are the pieces of the "
            "transcript; after training the bright cells run from the first row at the "
            "beginning of the sound to the last row at its end. In the third, the rows "
            "are the pieces of the translation, and the bright cells run from the end "
            "of the sound to its beginning.")
        .slider("step", stops, "step of the training", stops.back())
        .columns(1)
        .panel("what is heard")
        .tall(150)
        .heatmap("", frame_names, band_names, cells)
        .x("time, ms")
        .y("frequency, Hz");
    for (const std::size_t task : {0, 1}) {
        figure.always().panel(task == 0 ? "transcribe" : "translate").tall(150);
        for (std::size_t i = 0; i < maps.size(); ++i) {
            std::vector<double> lost;
            for (const double v : maps[i][task])
                lost.push_back(std::round(20 * v) / 20);
            figure.at(stops[i]).heatmap(
                "", place_names, told_apart(answer(shown, tasks[task])), lost, 0, 3);
        }
        figure.always().x("replaced by noise, ms").y("writes");
    }
    figure.save(
        fmt::format("The Northern sentence{} as a spectrogram. Below, a piece of it is "
                    "replaced by noise, and each cell shows by how much the logarithm "
                    "of the probability of a right token falls, from 0 to 3. A dot "
                    "begins a word.",
                    transcript(shown)));

    const NoGrad only_asking;
    const Tensor memory = net.encode(x);
    for (const Index task : tasks)
        say("after {} steps, {}: wanted{}, written{}", passes(),
            vocabulary().piece(task), right_texts({shown}, task)[0],
            written(net, memory, task)[0]);
    const double seconds = 256 / data::tone_rate;  // of a position
    double least = 1, most = -1;
    for (const Sentence& s :
         {shown, Sentence{false, {7, 0, 5}}, Sentence{true, {4, 10, 8}}}) {
        const Tensor heard_once = s.words == shown.words ? x : spectrogram_of(s);
        const auto times_of = [&](Index task) {
            const std::vector<Index> right = answer(s, task);
            return times(needs(net, heard_once, right, task), right);
        };
        const std::vector<double> forwards = times_of(transcribe),
                                  backwards = times_of(translate);
        say("{}: the transcript's words need the sound around {:.2f}, {:.2f} and "
            "{:.2f} "
            "s, the translation's around {:.2f}, {:.2f} and {:.2f} s",
            transcript(s).substr(1), seconds * forwards[0], seconds * forwards[1],
            seconds * forwards[2], seconds * backwards[0], seconds * backwards[1],
            seconds * backwards[2]);
        least = std::min(least, seconds * (forwards[2] - forwards[0]));
        most = std::max(most, seconds * (backwards[2] - backwards[0]));
    }
    claim(
        "",
        "seconds from what the first word of a transcript needs to what the last word "
        "needs, the least of three sentences",
        least, ">", 0.1);
    claim("",
          "the same of translations, which run backwards, the most of three sentences",
          most, "<", -0.1);
}
//-

// The words need their own parts of the sound, one after the other in the transcript, and in reverse order in the
// translation. Most last pieces of words have dark rows: the pieces before them leave only one word, so the decoder knows
// how it is spelled and need not listen. The network found both orders by itself. Training showed it whole sounds and
// whole texts, and never said which part belongs to which word. After so short a training it still writes some words
// wrong; the networks that are judged below train for twice as many steps.
//
// ## Words that are wrong
//
// A transcript may lose a word, and then all later words stand one place too early. Counting equal places would call them
// all wrong. So the **word error rate** counts the fewest changes that turn the words written into those said: replace a
// word, insert one or delete one. Suppose that *bado kigu zepa* is said and *kigu zepa tosi* is written. Deleting *tosi*
// and inserting *bado* are two changes, though no word stands in its place. With $E$ changes in all texts, and $M$ words
// said, the rate is
//
// $$ \mathrm{WER} = E / M . $$
//
// Here it is $2/3$. It can exceed 1, if the network writes more than was said. Before you see ours, place a bet:
//- the question, the figure and what is checked
void errors() {
    const double loud = book::median(column("transcribe 0"));
    ask("Training had noise of at least 5 decibels below the speech. Now the noise is "
        "as loud as the speech itself, 0 decibels. "
        "What happens to the word error rate on new sentences?",
        {{"It stays below 0.05.", loud < 0.05,
          "White noise spreads its power over all bands, and a letter has its own in "
          "one or two of them. So a letter still stands out. But some letters "
          "disappear: about one word in seven is wrong."},
         {"It is between 0.05 and 0.5.", loud >= 0.05 && loud < 0.5,
          "White noise spreads its power over all bands, and a letter has its own in "
          "one or two of them. Most letters still stand out, but about one word in "
          "seven is wrong."},
         {"It exceeds 0.5: the speech drowns.", loud >= 0.5,
          "It drowns in the sound wave. But white noise spreads over all bands, and a "
          "letter stands in one or two, so about six of seven words are still "
          "right."}});
    std::vector<double> x;
    std::vector<std::vector<double>> lines[2];
    for (const int ratio : ratios) x.push_back(double(ratio));
    for (std::size_t draw = 0; draw < study.cells().size(); ++draw)
        for (const std::size_t task : {0, 1}) {
            std::vector<double> rates;
            for (const int ratio : ratios)
                rates.push_back(column(fmt::format(
                    "{} {}", task == 0 ? "transcribe" : "translate", ratio))[draw]);
            lines[task].push_back(rates);
        }
    Figure("fig-noise")
        .describe(
            "The word error rate against the ratio of speech to noise, five lines for "
            "transcripts and five for translations. All are low on the side of little "
            "noise and rise steeply where the noise is louder than the speech.")
        .lines("transcribe", x, lines[0], {.color = figure::blue})
        .lines("translate", x, lines[1], {.color = figure::red})
        .rule_x(5, "most noise in training")
        .x("speech to noise, dB")
        .y("word error rate")
        .ylim(0, 1.2)
        .save(
            "The word error rates of five trainings on 300 sentences that were held "
            "out, against the ratio of speech to noise.");
    claim("sys-speech-recognition/a",
          "word error rate on sentences held out, at 30 decibels",
          over_seeds(column("transcribe 30")), "<=", 0.05);
    claim("sys-speech-recognition/b",
          "word error rate on the same sentences at 10 decibels",
          over_seeds(column("transcribe 10")), "<=", 0.15);
    std::vector<double> minutes;
    for (const Study::Row& row : study.frozen().rows)
        minutes.push_back(row.back() / 60);
    book::timing_claim(
        "sys-speech-recognition/c",
        "minutes of a training and its test on one core, which two cores do not exceed",
        over_seeds(minutes), "<=", 15);
    for (const int ratio : ratios)
        say("{:3} decibels: word error rate {:.3f}, of translations {:.3f}", ratio,
            book::median(column(fmt::format("transcribe {}", ratio))),
            book::median(column(fmt::format("translate {}", ratio))));
}
//-

// White noise spreads its power over all bands, and a letter has its own in one or two. So there are hardly any errors
// down to 5 decibels, the most noise that training had. Below, letters begin to disappear in the noise, and with ten
// times the power of the speech it hides nearly all words. Down to 5 decibels translations are as good as transcripts,
// although they run backwards. With more noise they are worse, in four of five trainings at 0 decibels and in all at −5.
// The sounds of the test are new sentences. Their texts can occur in training, as translations of sentences in the other
// language.
//
// ## The same sound, another task
//
// Only the first token of the decoder tells the network what to do. The memory of the encoder is the same for all tasks,
// and so it must hold what any of them needs. We ask for both texts of 300 sounds, with the noise of the training. An
// output counts only if all of its words are right. In detection, half of the sounds contain no speech.
//- what is checked
void several_tasks() {
    std::vector<double> least, switched;
    const std::vector<double> t = column("tokens transcribe"),
                              u = column("tokens translate"),
                              v = column("tokens detect"),
                              a = column("switched to transcribe"),
                              b = column("switched to translate");
    for (std::size_t i = 0; i < t.size(); ++i) {
        least.push_back(std::min({t[i], u[i], v[i]}));
        switched.push_back(std::min(a[i], b[i]));
    }
    say("medians of the token accuracy: transcribe {:.4f}, translate {:.4f}, detect "
        "{:.4f}",
        book::median(t), book::median(u), book::median(v));
    claim("claim-speech-multitask-tokens/a",
          "token accuracy of the worst of the three tasks", over_seeds(least),
          ">=", 0.95);
    claim("claim-speech-multitask-tokens/b",
          "the smaller of the two shares of sounds whose output is exactly that of the "
          "task asked for",
          over_seeds(switched), ">=", 0.95);
}
//-

//- the measures are checked on what is known
void known_measures() {
    std::vector<double> rate_off, noise_off, own, said_there;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        Generator random(seed);
        // Three words of which the first is lost, and another one follows the last.
        std::string wanted, got;
        const Index first = random.next_integer(0, 9);
        for (Index i = 0; i < 3; ++i) wanted += in_language({first + i}, false);
        for (Index i = 1; i < 4; ++i) got += in_language({first + i}, false);
        rate_off.push_back(std::abs(
            text::word_error_rate(std::vector{got}, std::vector{wanted}) - 2.0 / 3));

        const std::vector<double> sound = data::tone_speech(wanted.substr(1));
        const std::vector<Real> noisy =
            data::with_noise({sound}, std::ssize(sound), {10.0}, random).values();
        double power = 0, noise = 0;
        for (std::size_t n = 0; n < sound.size(); ++n) {
            power += sound[n] * sound[n];
            noise += std::pow(double(noisy[n]) - sound[n], 2);
        }
        noise_off.push_back(std::abs(noise / power - 0.1));

        // A network without training is right by its own judgement.
        const NoGrad only_asking;
        const nn::SpeechTransformer net = fresh(random);
        const std::vector<Sentence> some = any_sentences(4, true, random);
        const Tensor memory = net.encode(heard(some, 10, 10, random));
        Texts texts = texts_of(some, transcribe);
        std::vector<Index> target = texts.target.values();
        const std::vector<Index> best =
            argmax(net.decode(texts.before, memory)).values();
        for (std::size_t i = 0; i < target.size(); ++i)
            if (target[i] >= 0) target[i] = best[i];
        texts.target = Integers({std::ssize(target)}, target);
        own.push_back(token_accuracy(net, memory, texts));

        // A translation is what would be said in the other language.
        std::vector<Sentence> other;
        for (const Sentence& s : some)
            other.push_back({!s.south, {s.words.rbegin(), s.words.rend()}});
        said_there.push_back(
            share_equal(right_texts(some, translate), right_texts(other, transcribe)));
    }
    claim(
        "sys-speech-recognition/a",
        "distance from 2/3 of the word error rate of three words when one is lost and "
        "one is added",
        over_seeds(rate_off), "<=", 1e-9);
    claim(
        "sys-speech-recognition/b",
        "distance from 0.1 of the power of the noise at 10 decibels, in powers of the "
        "speech",
        over_seeds(noise_off), "<=", 0.02);
    claim("claim-speech-multitask-tokens/a",
          "token accuracy if the most probable tokens are the right ones",
          over_seeds(own), ">=", 1);
    claim("claim-speech-multitask-tokens/b",
          "share of right translations that are right transcripts of the same words in "
          "the other language",
          over_seeds(said_there), ">=", 1);
}
//-

void page() {
    three_answers();
    known_measures();
    listening();
    errors();
    several_tasks();
}

// ## Limits and origins
//
// {cite:t}`radford2022` trained *Whisper*, a network of this shape, on 680,000 hours of recordings with their texts. It
// hears 30 seconds at a time, in 80 mel bands. Its first tokens name the language and the task: transcribe, or translate
// into English. A token says that there is no speech, and others say when a piece of text was spoken. Before, a
// recogniser was a chain of models for sounds, for words and for sentences, each trained for itself.
//
// ## Summary
//
// Speech recognition is translation with another source. Convolutions turn a spectrogram into positions, an encoder reads
// them, and a decoder writes pieces of words. One network does several tasks if its first token names the task.
//
// ## What is missing
//
// Our noise is white, our voices differ by three numbers, and there are 24 words. Recordings have echoes, music, and
// speakers who interrupt each other. A network that writes fluently can also write what was never said, and a word error
// rate on clean sentences does not show this. [The next page](text_generation.cpp) is about a network that does nothing but
// write, and about what it learns from its texts.
//
// ```{try}
// - More noise in the sound that is drawn: `--decibels 0`. Which pieces get lost first?
// - A shorter training: `--steps 350`. What does the network write before it has found out how to listen?
// ```
