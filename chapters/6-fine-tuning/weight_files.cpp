// # Weight files: run a language model that was trained elsewhere
//
// ```{rows} ex-tp4-llm-on-cpu-star
// ```
//
// A language model is trained once, and then used by programs that share nothing with the trainer but a file. What must
// this **weight file** hold? How do you know that your program reads it as it was meant? And how fast does the model write
// on your processor? This page trains a small [GPT](../architectures/mini_gpt.cpp), writes it to files with 32 down to 4.5
// bits for each weight, and reads them back. Move the slider of {numref}`fig-weight-file`: the file shrinks, and the
// probabilities of the loaded model leave those of the trainer.
//
// ```{opening} fig-weight-file
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/base/block_formats.hpp>
#include <recto/book/page.hpp>
#include <recto/book/stopwatch.hpp>
#include <recto/core/random.hpp>
#include <recto/data/words.hpp>
#include <recto/figure/figure.hpp>
#include <recto/io/gguf.hpp>
#include <recto/nn/decoder.hpp>
#include <recto/nn/gpt.hpp>
#include <recto/nn/module.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>
#include <recto/text/generate.hpp>
#include <recto/text/perplexity.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::say, book::timing;
using figure::Figure, figure::Names;

using Text = std::vector<Index>;  // numbers of letters

const book::Option<Index> passes("steps", 400, "steps of the training",
                                 {.quick = 20, .least = 1, .most = 100'000});
const book::Option<Index> width("width", 384,
                                "width of the larger model, whose speed is measured",
                                {.quick = 64, .least = 32, .most = 4096});
const book::Option<std::string> prompt("prompt", "un",
                                       "letters that the loaded model continues");
const book::Option<std::string> keep("keep", "",
                                     "a path at which the file in Q8_0 is kept");

const nn::GptSize mini = {
    .tokens = 27, .time = 64, .layers = 2, .width = 64, .heads = 4};
//-

//- the training, on words one after another with a dot before each
Text letters_of(Index begin, Index end) {
    const std::vector<std::string>& list = data::words();
    static const std::vector<Index> order = Generator(2).permutation(std::ssize(list));
    Text text;
    for (Index i = begin; i < std::min(end, std::ssize(list)); ++i) {
        text.push_back(0);
        for (const Index letter :
             data::symbols(list[std::size_t(order[std::size_t(i)])]))
            text.push_back(letter);
    }
    return text;
}
struct Letters {
    Integers before, next;  // (batch, time), and the letter after each
};
Letters windows(const Text& text, const std::vector<Index>& starts) {
    Text before, next;
    for (const Index start : starts)
        for (Index t = start; t < start + mini.time; ++t) {
            before.push_back(text[std::size_t(t)]);
            next.push_back(text[std::size_t(t + 1)]);
        }
    return {Integers({std::ssize(starts), mini.time}, before),
            Integers({std::ssize(next)}, next)};
}
nn::Gpt trained() {
    Generator random(book::seed());
    const nn::Gpt net(mini, random);
    const Text text = letters_of(1000, std::ssize(data::words()));
    optim::AdamW adam(nn::parameters(net));
    for (Index step = 0; step < passes(); ++step) {
        adam.options.lr =
            4e-3 * std::min(double(step + 1) / 50, 1 - double(step) / double(passes()));
        std::vector<Index> starts;
        for (int n = 0; n < 32; ++n)
            starts.push_back(random.next_integer(0, std::ssize(text) - mini.time));
        const Letters seen = windows(text, starts);
        optim::train_step(adam, [&] {
            return cross_entropy(reshape(net(seen.before), {seen.next.numel(), 27}),
                                 seen.next);
        });
    }
    return net;
}
// Letters of words that were set aside: 64 windows.
const std::vector<Letters>& held_out() {
    static const std::vector<Letters> all = [] {
        const Text text = letters_of(0, 1000);
        std::vector<Letters> made;
        for (Index n = 0; n < 64; ++n) made.push_back(windows(text, {n * mini.time}));
        return made;
    }();
    return all;
}
//-

//- the files
struct Scratch {
    std::string path = fmt::format("/tmp/recto-weights-{}-{}.gguf", ::getpid(),
                                   reinterpret_cast<std::uintptr_t>(this));
    ~Scratch() { std::remove(path.c_str()); }
};
struct Form {
    std::string name;
    double bits;
    const BlockFormat* blocks;  // null for plain numbers
};
const std::vector<Form> forms = {{"F32", 32, nullptr}, {"Q8_0", 8.5, &q8_0},
                                 {"Q5_1", 6, &q5_1},   {"Q5_0", 5.5, &q5_0},
                                 {"Q4_1", 5, &q4_1},   {"Q4_0", 4.5, &q4_0}};

// The notes with which `recto generate` turns text into this model's numbers.
io::GgufNotes notes() {
    std::vector<std::string> letters;
    for (const char letter : data::alphabet) letters.emplace_back(1, letter);
    return {{"general.name", std::string("letters of English words")},
            {"tokenizer.ggml.model", std::string("gpt2")},
            {"tokenizer.ggml.tokens", letters},
            {"tokenizer.ggml.merges", std::vector<std::string>{}}};
}
//-

// ## What a file holds
//
// A weight matrix alone is a list of numbers. A program that runs it must also know the **architecture**, its sizes, the
// name and the shape of every matrix, the format of its numbers, and the **tokeniser**, which says for which piece of text
// each token stands. The format [GGUF](block_formats.cpp) puts all of it into one file: first the magic letters, then notes
// such as `gpt2.block_count = 2`, then a table of the tensors with their places in the file, and at the end the numbers.
// In the library, {cpp:func}`~recto::nn::write_decoder` writes such a file, and {cpp:func}`~recto::nn::read_decoder` makes
// a model of it. Only the path connects the two:
nn::Decoder through_a_file(const nn::Gpt& net, const BlockFormat* blocks,
                           const std::string& path) {
    nn::write_decoder(path, nn::decoder_of(net, blocks), notes());
    return nn::read_decoder(io::GgufFile(path));
}
// Take one matrix of the model, with 64 rows and 64 columns. Its 4,096 numbers take 16,384 bytes in single precision. In
// Q4_0 they are 128 blocks of 32 weights, 18 bytes each, which makes 2,304 bytes. Vectors such as the scales of the norms
// stay in single precision. They are few.
//- how the bytes are counted, and how the figure is drawn
const Names parts = {"tokens", "positions", "attention", "feed-forward", "the rest"};
std::vector<double> kilobytes(const std::string& path) {
    const io::GgufFile file(path);
    std::vector<double> sums(5);
    double all = 0;
    for (const io::GgufTensor& t : file.tensors) {
        const auto has = [&](const char* word) {
            return t.name.find(word) != t.name.npos;
        };
        const std::size_t which = has("norm")       ? 4
                                  : has("token_")   ? 0
                                  : has("position") ? 1
                                  : has("attn")     ? 2
                                                    : 3;
        sums[which] += double(t.end - t.begin) / 1000;
        all += which == 4 ? 0 : double(t.end - t.begin) / 1000;
    }
    sums[4] = double(file.file().size()) / 1000 - all;
    return sums;
}

// The probabilities of the letters that stand in the text, at 64 places.
std::vector<double> of_the_text(const Tensor& scores, const Integers& next) {
    const std::vector<Real> all = softmax(scores).values();
    std::vector<double> some;
    for (Index t = 0; t < mini.time; ++t)
        some.push_back(
            double(all[std::size_t(t * 27 + next.values()[std::size_t(t)])]));
    return some;
}
std::vector<double> by_trainer(const nn::Gpt& net, const Letters& seen) {
    const NoGrad only_asking;
    return of_the_text(reshape(net(seen.before), {mini.time, 27}), seen.next);
}
std::vector<double> by_decoder(const nn::Decoder& model, const Letters& seen) {
    std::vector<nn::KeyValueCache> caches = model.caches(mini.time);
    const Integers tokens = Integers({mini.time}, seen.before.values());
    return of_the_text(model(tokens, caches), seen.next);
}

void draw_files(const nn::Gpt& net) {
    const auto bytes = [&](const BlockFormat* blocks) {
        return nn::decoder_of(net, blocks).blocks[0].out.nbytes();
    };
    say("a matrix with 64 rows and 64 columns: {} bytes in F32, {} in Q4_0",
        bytes(nullptr), bytes(&q4_0));
    claim("", "bytes of this matrix in Q4_0", double(bytes(&q4_0)), "==", 2304);
    Figure figure("fig-weight-file");
    std::vector<double> bits;
    for (const Form& form : forms) bits.push_back(form.bits);
    std::ranges::reverse(bits);
    std::vector<double> trainer;
    for (int n = 0; n < 3; ++n)
        for (const double p : by_trainer(net, held_out()[std::size_t(n)]))
            trainer.push_back(p);
    figure
        .describe(
            "Two panels with a slider for the bits of a weight. Left, five bars: the "
            "kilobytes of the parts of a file, of which the feed-forward blocks take "
            "most. Right, dots: the probability of the next letter by the loaded model "
            "over that by the trainer. At 32 and 8.5 bits the dots lie on the "
            "diagonal; at 4.5 bits they scatter around it.")
        .slider("bits", bits, "bits for each weight", 4.5);
    for (const bool right : {false, true}) {
        figure.always().panel(right ? "probabilities" : "the file");
        if (right)
            figure
                .line("", {1e-3, 1}, {1e-3, 1},
                      {.color = figure::grey, .width = 1, .points = false})
                .log_axes()
                .xlim(1e-3, 1)
                .ylim(1e-3, 1)
                .x("probability by the trainer")
                .y("probability by the loaded model");
        else
            figure.y("kilobytes").ylim(0, 300);
        for (const Form& form : forms) {
            const Scratch file;
            const nn::Decoder model = through_a_file(net, form.blocks, file.path);
            figure.at(form.bits);
            if (!right) {
                figure.bars("", parts, kilobytes(file.path), {.color = figure::blue});
                continue;
            }
            std::vector<double> loaded;
            for (int n = 0; n < 3; ++n)
                for (const double p : by_decoder(model, held_out()[std::size_t(n)]))
                    loaded.push_back(p);
            figure.dots("", trainer, loaded,
                        {.color = figure::blue, .width = 3, .opacity = 0.6});
        }
    }
    figure.always();
    figure.save(
        "Left: what takes the space in the weight file of a GPT with two layers of "
        "width 64. Right: the probability of the letter that follows, at 192 places of "
        "held-out words. On the line, both models agree.");
}
//-

// ## Is it the same model?
//
// The reader checks names and shapes. Two matrices of the same shape may still be exchanged, and no check of shapes sees
// it: the program runs without an error. The test that remains compares what the two programs compute. We take the
// **{term}`perplexity`** of text that the training has not seen, $e^\Loss$ with the mean loss $\Loss$ for a letter. Say that the trainer has a loss of 2.300 and the loaded model one of 2.310. Their perplexities are 9.97 and
// 10.07, and $e^{0.01} = 1.01$: a difference of 0.01 in the loss is 1 %. The loaded model reads the text with its own code,
// and with [a cache](decoding.cpp):
double perplexity_of(const nn::Decoder& model) {
    double loss = 0;
    for (const Letters& seen : held_out()) {
        std::vector<nn::KeyValueCache> caches = model.caches(mini.time);
        const Integers tokens({mini.time}, seen.before.values());
        loss += std::log(text::perplexity(model(tokens, caches), seen.next));
    }
    return std::exp(loss / double(held_out().size()));
}
//- the perplexity of the trainer, and the mistakes
double perplexity_of(const nn::Gpt& net) {
    const NoGrad only_asking;
    double loss = 0;
    for (const Letters& seen : held_out())
        loss += std::log(text::perplexity(
            reshape(net(seen.before), {mini.time, mini.tokens}), seen.next));
    return std::exp(loss / double(held_out().size()));
}

struct Mistake {
    std::string name;
    std::function<void(nn::Decoder&)> make;
};
const std::vector<Mistake> mistakes = {
    {"none", [](nn::Decoder&) {}},
    {"the exact gelu", [](nn::Decoder& m) { m.exact_gelu = true; }},
    {"epsilon 100 times as large", [](nn::Decoder& m) { m.size.epsilon *= 100; }},
    {"positions from 1",
     [](nn::Decoder& m) {
         m.places =
             concat({slice(m.places, 0, 1, mini.time), slice(m.places, 0, 0, 1)});
     }},
    {"queries and keys exchanged",
     [](nn::Decoder& m) {
         for (nn::StoredBlock& b : m.blocks)
             std::swap(b.queries, b.keys), std::swap(b.query_bias, b.key_bias);
     }},
    {"eight heads of half the size",
     [](nn::Decoder& m) { m.size.heads = m.size.key_heads = 8; }},
    {"the layers in reverse order",
     [](nn::Decoder& m) { std::ranges::reverse(m.blocks); }}};
//-

// Before you look at the numbers:
//- the question, the claims, and how the figure is drawn
void compare(const nn::Gpt& net) {
    const double trainer = perplexity_of(net);
    say("perplexities of the losses 2.300 and 2.310: {:.2f} and {:.2f}", std::exp(2.3),
        std::exp(2.31));
    std::vector<double> loaded, wrong;
    for (const Form& form : forms) {
        const Scratch file;
        loaded.push_back(perplexity_of(through_a_file(net, form.blocks, file.path)));
    }
    Names names;
    const Scratch file;
    for (const Mistake& mistake : mistakes) {
        nn::Decoder model = through_a_file(net, nullptr, file.path);
        mistake.make(model);
        names.push_back(mistake.name), wrong.push_back(perplexity_of(model));
    }
    const double swapped = wrong[4] / trainer;
    ask("A program reads the file in single precision, but exchanges the queries and "
        "the "
        "keys of every layer. Both have the same shape. What happens to the "
        "perplexity?",
        {{"Nothing: a score is the product of a query and a key, and a product doesn't "
          "depend on the order.",
          swapped <= 1.01,
          "The score of place 3 for place 1 is the product of query 3 and key 1. With "
          "the two exchanged it is the product of key 3 and query 1, which is the "
          "score of place 1 for place 3."},
         {"It rises by a few per cent: the residual connections carry each letter past "
          "the attention.",
          swapped > 1.01 && swapped <= 1.5,
          "They do, and without attention the model would be a table of pairs of "
          "letters. "
          "But attention to the wrong places adds numbers that the layers above have "
          "never seen."},
         {"It rises by more than half.", swapped > 1.5,
          "Each place takes scores from the wrong side: those that other places have "
          "for it. "
          "Attention then adds numbers that the layers above have never seen, and the "
          "model is sure of wrong letters."}});
    say("perplexity of the trainer: {:.4f}", trainer);
    for (std::size_t i = 0; i < forms.size(); ++i)
        say("loaded from {}: {:.4f}, {:+.3f} %", forms[i].name, loaded[i],
            100 * (loaded[i] / trainer - 1));
    Figure("fig-misread")
        .describe(
            "Seven bars: the perplexity of a model that was read without a mistake, "
            "and "
            "with six mistakes. The exact gelu, the larger epsilon and shifted "
            "positions "
            "change little, exchanged matrices and layers much.")
        .bars("", names, wrong, {.color = figure::red})
        .rule_y(trainer)
        .y("perplexity")
        .save(
            "The perplexity of held-out words if a reader of the file makes one "
            "mistake. "
            "None of them causes an error: all shapes fit.");
    for (std::size_t i = 0; i < names.size(); ++i)
        say("{}: {:.4f}, {:+.3f} %", names[i], wrong[i],
            100 * (wrong[i] / trainer - 1));
    claim("ex-tp4-llm-on-cpu-star/c",
          "perplexity of the model loaded in single precision, distance from the "
          "trainer's, in parts of it",
          std::abs(loaded[0] / trainer - 1), "<=", 0.01);
    claim(
        "ex-tp4-llm-on-cpu-star/c",
        "perplexity of the model loaded in Q8_0, distance from the trainer's, in parts "
        "of it",
        std::abs(loaded[1] / trainer - 1), "<=", 0.01);
    claim("", "rise of the perplexity with queries and keys exchanged, in parts of it",
          swapped - 1, ">", 0.01);
}
//-

// In single precision a tiny difference is left: a file of the architecture `gpt2` means the gelu in its approximation by
// a tanh, and our trainer uses the exact one. The six mistakes of {numref}`fig-misread` pass every check of names and
// shapes. Some are cheap here, and a bound of 1 % does not see them. Only a comparison of the scores, number by number,
// does; a test of the library makes it. The formats of four and five bits cost up to about 1 %, and which of two costs
// more depends on the seed. Larger models are [the subject of another page](bit_budgets.cpp).
//
// ## Writing
//
// The loaded model now writes. It reads the beginning, draws a letter from its probabilities, reads that letter, and so on;
// the caches hold everything before. {cpp:func}`~recto::text::generate` draws, and asks this function for scores:
Text continued(const nn::Decoder& model, const Text& beginning,
               const text::Sampling& sampling, Generator& random) {
    std::vector<nn::KeyValueCache> caches = model.caches(model.size.time);
    std::size_t read = 0;
    const auto next = [&](std::span<const Index> before) {
        const std::span<const Index> fresh = before.subspan(read);
        read = before.size();
        return model.next(Integers({std::ssize(fresh)}, fresh), caches).values();
    };
    return text::generate(next, beginning, random, sampling);
}
//- words, and tokens per second
void write_words(const nn::Gpt& net) {
    const Scratch file;
    const nn::Decoder model = through_a_file(net, &q8_0, file.path);
    Generator random(book::seed());
    std::string words;
    for (int n = 0; n < 8; ++n) {
        for (const Index letter :
             continued(model, {0}, {.temperature = 0.8, .stop = 0, .most = 12}, random))
            if (letter != 0) words += data::alphabet[std::size_t(letter)];
        words += n < 7 ? ", " : "";
    }
    say("{}", words);
    check(std::ssize(prompt()) <= mini.time / 2,
          "weight_files: wanted at most {} letters in --prompt, got {}", mini.time / 2,
          prompt().size());
    Text typed = data::symbols(prompt());
    typed.insert(typed.begin(), 0);
    std::string more = prompt();
    for (const Index letter :
         continued(model, typed, {.temperature = 0.8, .stop = 0, .most = 12}, random))
        if (letter != 0) more += data::alphabet[std::size_t(letter)];
    say("after the prompt \"{}\": {}", prompt(), more);
    if (!keep().empty()) {
        nn::write_decoder(keep(), nn::decoder_of(net, &q8_0), notes());
        say("the file is {}", keep());
    }
}

// Seconds of one token, the median of five texts.
double seconds_of_a_token(const nn::Decoder& model) {
    Generator random(book::seed());
    const Index most = 32;
    return book::median_seconds([&] { continued(model, {0}, {.most = most}, random); },
                                5) /
           double(most);
}
void measure_speed(const nn::Gpt& net) {
    const Scratch file;
    Generator random(book::seed());
    const Index across = width() / 32 * 32;
    const nn::Gpt larger({.tokens = 4096,
                          .time = 64,
                          .layers = 6,
                          .width = across,
                          .heads = across / 32},
                         random);
    Names names;
    std::vector<double> rates;
    for (const std::size_t i : {0, 1, 5}) {
        const nn::Decoder small = through_a_file(net, forms[i].blocks, file.path),
                          large = nn::decoder_of(larger, forms[i].blocks);
        const double a = 1 / seconds_of_a_token(small),
                     b = 1 / seconds_of_a_token(large);
        timing(
            "{}: {:.0f} tokens a second by the trained model ({:.2f} MB), {:.0f} by "
            "the larger one ({:.1f} MB)",
            forms[i].name, a, double(small.nbytes()) / 1e6, b,
            double(large.nbytes()) / 1e6);
        names.push_back(forms[i].name), rates.push_back(b);
        if (i == 1)
            book::timing_claim(
                "ex-tp4-llm-on-cpu-star/b",
                "tokens that the trained model, loaded in Q8_0, writes in "
                "a second",
                a, ">", 0);
    }
    Figure("fig-token-rate")
        .describe(
            "Three bars: the tokens a second of the larger model in F32, Q8_0 and "
            "Q4_0.")
        .bars("", names, rates, {.color = figure::blue})
        .y("tokens a second")
        .save(
            "How fast the larger model, six layers of random weights, writes on this "
            "machine, by the format of its file.");
}
//-

// The trained model is so small that its weights stay in the processor's caches, and the time goes into many small steps
// rather than into bytes. The larger model of {numref}`fig-token-rate` has random weights, since speed does not depend on
// their values. There, both formats of blocks write more tokens than single precision. But a code must become a number before
// it is multiplied. So the gain is [smaller than that of the bytes](decoding.cpp), and Q4_0 need not be faster than Q8_0.
//
// ## A model of yours
//
// The same code runs behind `./recto generate`. Keep the file of this page, and let the command write:
//
// ```sh
// ./recto run weight_files --keep words.gguf
// ./recto generate words.gguf --prompt .un --tokens 40
// ```
//
// The command also reads other GGUF files: those of a GPT-2, and of a Llama with plain rotary positions, with a tokeniser
// that it knows, and GPT-2 as it is published, in a safetensors file with `vocab.json` and `merges.txt` beside it. Such a
// file is **optional**: no page and no test of this book needs it. It is never downloaded. The command opens a file on your
// disk, and takes the address of a web server for the name of a file that does not exist. A test gives it the address of a
// server that has a model, and checks that the server receives no request.
//
// ## Summary
//
// A weight file holds the numbers, and what a program must know to use them: architecture, sizes, names, formats and the
// tokeniser. Shapes that fit show little. The perplexity of held-out text shows a mistake of the reader as soon as it
// costs 1 %; in single precision and in Q8_0 the loaded model stays within this bound. The number of tokens a second
// depends on the machine, the format and the size of the model.
//
// ## What is missing
//
// The page reads one public format, GGUF. It has no format of its own, and it trains its model instead of shipping one.
// The model knows single letters, and its file has no merges of letters to longer tokens.
// [Byte-pair encoding](../training/tokenizers.cpp) makes them. [The next page](low_rank.cpp) changes a model with few
// numbers beside such a file.
//
// ```{exercises}
// - [Weights in blocks of four and eight bits](/exercises/running/weight_blocks.md)
// - [Attention with a cache of keys and values](/exercises/running/token_cache.md)
// - [Drawing the next token](/exercises/running/token_sampling.md)
// - [A product with quantised weights](/exercises/running/block_product.md)
// ```
//
// ```{try}
// - Let the model complete a word that you begin: `--prompt str`.
// - Does Q4_0 cost more after a longer training? `--steps 50`, then `--steps 1600`.
// - Is a wider model still slower in Q4_0 than in Q8_0? `--width 1024`.
// ```

void page() {
    const nn::Gpt net = trained();
    draw_files(net);
    compare(net);
    write_words(net);
    measure_speed(net);
}
