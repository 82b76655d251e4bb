#include <recto/nn/decoder.hpp>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <recto/autograd/tape.hpp>
#include <recto/ops/elementwise/quantize.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

namespace {
constexpr double tolerance = sizeof(Real) == 8 ? 1e-12 : 2e-5;

struct Scratch {
    std::string path = fmt::format("/tmp/recto-{}-{}.gguf", ::getpid(), reinterpret_cast<std::uintptr_t>(this));
    ~Scratch() { std::remove(path.c_str()); }
};

const nn::GptSize small{.tokens = 11, .time = 9, .layers = 2, .width = 32, .heads = 4};
const std::vector<Index> text{3, 0, 7, 7, 10, 1, 2, 3};

/// A llama with random weights: eight query heads share two heads of keys and values.
nn::Decoder llama(const BlockFormat* format = nullptr) {
    Generator random(4);
    nn::Decoder model;
    model.size = {.kind = nn::DecoderKind::llama,
                  .tokens = 11,
                  .time = 9,
                  .layers = 2,
                  .width = 64,
                  .heads = 8,
                  .key_heads = 2,
                  .hidden = 96,
                  .epsilon = 1e-6,
                  .rotary_base = 500};
    const auto matrix = [&](Index out, Index in) -> nn::StoredMatrix {
        const Tensor numbers = random.normal({out, in}, 0, Real(0.2));
        if (format) return quantize(numbers, *format);
        return numbers;
    };
    const auto scale = [&] { return random.normal({64}, 1, Real(0.1)); };
    model.words = matrix(11, 64), model.scores = matrix(11, 64);
    for (int i = 0; i < 2; ++i)
        model.blocks.push_back({.attention_norm = scale(),
                                .attention_norm_bias = {},
                                .queries = matrix(64, 64),
                                .keys = matrix(16, 64),
                                .values = matrix(16, 64),
                                .out = matrix(64, 64),
                                .query_bias = {},
                                .key_bias = {},
                                .value_bias = {},
                                .out_bias = {},
                                .hidden_norm = scale(),
                                .hidden_norm_bias = {},
                                .gate = matrix(96, 64),
                                .up = matrix(96, 64),
                                .down = matrix(64, 96),
                                .up_bias = {},
                                .down_bias = {}});
    model.last = scale();
    model.turns = rotary_table(9, 8, 500);
    return model;
}

/// Scores of all tokens, `step` new ones at a time.
std::vector<double> scores_of(const nn::Decoder& model, std::size_t step, std::size_t tokens = text.size()) {
    std::vector<nn::KeyValueCache> caches = model.caches(model.size.time);
    std::vector<double> all;
    for (std::size_t at = 0; at < tokens; at += step) {
        const std::vector<Index> some(text.begin() + std::ptrdiff_t(at),
                                      text.begin() + std::ptrdiff_t(std::min(at + step, tokens)));
        const Integers tokens({Index(some.size())}, some, model.last.device());
        const std::vector<double> more = doubles(model(tokens, caches));
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

// The definition of a llama in double, without a cache.
using Rows = std::vector<std::vector<double>>;
Rows rows_of(const nn::StoredMatrix& m) {
    const auto* blocks = std::get_if<QuantizedTensor>(&m.numbers());
    const std::vector<double> flat = doubles(blocks ? dequantize(*blocks) : std::get<Tensor>(m.numbers()));
    const std::size_t width = std::size_t(m.shape().size(1));
    Rows rows;
    for (std::size_t at = 0; at < flat.size(); at += width)
        rows.emplace_back(flat.begin() + std::ptrdiff_t(at), flat.begin() + std::ptrdiff_t(at + width));
    return rows;
}
std::vector<double> times(const nn::StoredMatrix& m, const std::vector<double>& x) {
    std::vector<double> y;
    for (const std::vector<double>& row : rows_of(m)) {
        y.push_back(0);
        for (std::size_t i = 0; i < x.size(); ++i) y.back() += row[i] * x[i];
    }
    return y;
}
std::vector<double> normalised(const std::vector<double>& x, const Tensor& weight, double epsilon) {
    double square = 0;
    for (const double v : x) square += v * v / double(x.size());
    std::vector<double> y = doubles(weight);
    for (std::size_t i = 0; i < x.size(); ++i) y[i] *= x[i] / std::sqrt(square + epsilon);
    return y;
}
void turn(std::vector<double>& x, std::size_t place, std::size_t d, double base) {
    for (std::size_t i = 0; i < x.size(); i += 2) {
        const double angle = double(place) * std::pow(base, -double(i % d) / double(d));
        const double a = x[i], b = x[i + 1];
        x[i] = a * std::cos(angle) - b * std::sin(angle), x[i + 1] = a * std::sin(angle) + b * std::cos(angle);
    }
}
std::vector<double> definition(const nn::Decoder& model) {
    const std::size_t d = 8, group = 4;
    Rows x;
    for (const Index token : text) x.push_back(rows_of(model.words)[std::size_t(token)]);
    for (const nn::StoredBlock& block : model.blocks) {
        Rows keys, values;
        for (std::size_t t = 0; t < x.size(); ++t) {
            const std::vector<double> read = normalised(x[t], block.attention_norm, model.size.epsilon);
            std::vector<double> query = times(block.queries, read);
            keys.push_back(times(block.keys, read)), values.push_back(times(block.values, read));
            turn(query, t, d, model.size.rotary_base), turn(keys[t], t, d, model.size.rotary_base);
            std::vector<double> seen(64, 0);
            for (std::size_t head = 0; head < 8; ++head) {
                std::vector<double> weights;
                double total = 0;
                for (std::size_t s = 0; s <= t; ++s) {
                    double score = 0;
                    for (std::size_t i = 0; i < d; ++i) score += query[head * d + i] * keys[s][head / group * d + i];
                    weights.push_back(std::exp(score / std::sqrt(double(d)))), total += weights.back();
                }
                for (std::size_t s = 0; s <= t; ++s)
                    for (std::size_t i = 0; i < d; ++i)
                        seen[head * d + i] += weights[s] / total * values[s][head / group * d + i];
            }
            const std::vector<double> more = times(block.out, seen);
            for (std::size_t i = 0; i < 64; ++i) x[t][i] += more[i];
        }
        for (std::vector<double>& row : x) {
            const std::vector<double> read = normalised(row, block.hidden_norm, model.size.epsilon);
            std::vector<double> gate = times(block.gate, read), hidden = times(block.up, read);
            for (std::size_t i = 0; i < gate.size(); ++i) hidden[i] *= gate[i] / (1 + std::exp(-gate[i]));
            const std::vector<double> more = times(block.down, hidden);
            for (std::size_t i = 0; i < 64; ++i) row[i] += more[i];
        }
    }
    std::vector<double> scores;
    for (const std::vector<double>& row : x)
        for (const double score : times(model.scores, normalised(row, model.last, model.size.epsilon)))
            scores.push_back(score);
    return scores;
}

bool near(const std::vector<double>& a, const std::vector<double>& b, double within) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!(std::abs(a[i] - b[i]) <= within * (1 + std::abs(b[i])))) return false;
    return true;
}
}  // namespace

TEST_CASE("Decoder: a Gpt gives the same scores, at once and token by token",
          "[nn][decoder][row:sys-kv-cache/a][row:ex-tp4-llm-on-cpu-star/a]") {
    Generator random(2);
    const nn::Gpt model(small, random);
    const NoGrad guard;
    const std::vector<double> want = doubles(model(Integers({1, Index(text.size())}, text)));
    for (const std::size_t step : {1, 3, 8}) CHECK(near(scores_of(nn::decoder_of(model), step), want, tolerance));
}

TEST_CASE("Decoder: blocks stand for the numbers that they restore", "[nn][decoder]") {
    Generator random(2);
    nn::Gpt model(small, random);
    const NoGrad guard;
    for (const BlockFormat& format : block_formats) {
        CAPTURE(format.name);
        const nn::Decoder stored = nn::decoder_of(model, &format);
        nn::Gpt restored = model;
        const auto round = [&](Tensor& weight) { weight = dequantize(quantize(weight, format)); };
        round(restored.words.weight);
        for (nn::GptBlock& block : restored.blocks)
            round(block.attention.in_proj_weight), round(block.attention.out_proj.weight), round(block.widen.weight),
                round(block.narrow.weight);
        const std::vector<double> want = doubles(restored(Integers({1, Index(text.size())}, text)));
        for (const std::size_t step : {1, 8}) CHECK(near(scores_of(stored, step), want, 4 * tolerance));
        CHECK(stored.nbytes() < nn::decoder_of(model).nbytes());
    }
}

TEST_CASE("Decoder: a file read on every device gives the scores of the CPU",
          "[nn][decoder][devices][row:ex-tp4-llm-on-cpu-star/e]") {
    const Device device = GENERATE(from_range(devices()));
    const BlockFormat* const format = GENERATE(static_cast<const BlockFormat*>(nullptr), &q8_0, &q4_0);
    Generator random(5);
    const nn::Gpt gpt(small, random);
    for (const nn::Decoder& model : {nn::decoder_of(gpt, format), llama(format)}) {
        const Scratch file;
        nn::write_decoder(file.path, model);
        const io::GgufFile source(file.path);
        const nn::Decoder there = nn::read_decoder(source, device);
        CHECK(there.last.device() == device);
        const std::vector<double> want = scores_of(nn::read_decoder(source), 3);
        CHECK(near(scores_of(there, 3), want, sizeof(Real) == 8 ? 1e-10 : 1e-4));
    }
}

TEST_CASE("Decoder: a llama by its definition", "[nn][decoder]") {
    const BlockFormat* const format = GENERATE(static_cast<const BlockFormat*>(nullptr), &q8_0, &q4_0);
    const nn::Decoder model = llama(format);
    const std::vector<double> want = definition(model);
    for (const std::size_t step : {1, 5, 8}) CHECK(near(scores_of(model, step), want, 4 * tolerance));
}

TEST_CASE("Decoder: a file gives the same model", "[nn][decoder]") {
    const BlockFormat* const format = GENERATE(static_cast<const BlockFormat*>(nullptr), &q8_0, &q5_1);
    Generator random(3);
    const nn::Gpt gpt(small, random);
    for (nn::Decoder model : {nn::decoder_of(gpt, format), llama(format)}) {
        model.exact_gelu = false;  // as files mean it
        const Scratch file;
        nn::write_decoder(file.path, model, {{"general.name", std::string("tiny")}});
        const io::GgufFile source(file.path);
        CHECK(source.note<std::string>("general.name") == "tiny");
        const nn::Decoder back = nn::read_decoder(source);
        CHECK(back.size.kind == model.size.kind);
        CHECK(back.tied == model.tied);
        CHECK(back.size.hidden == model.size.hidden);
        const double within = sizeof(Real) == 8 ? 1e-5 : 0;  // files hold floats
        CHECK(near(scores_of(back, 3), scores_of(model, 3), within));
    }
}

TEST_CASE("Decoder: the scores after the last token alone", "[nn][decoder]") {
    const nn::Decoder model = llama(&q8_0);
    const std::vector<double> all = scores_of(model, 8);
    std::vector<nn::KeyValueCache> caches = model.caches(8);
    CHECK(near(doubles(model.next(Integers({8}, text), caches)), {all.end() - 11, all.end()}, tolerance));
    CHECK(caches[1].length == 8);
    CHECK_THROWS_WITH(model.next(Integers({0}, {}), caches), "Decoder: wanted at least one token, got none");
}

TEST_CASE("Decoder: a file with a part that is unknown here", "[nn][decoder]") {
    const Scratch file;
    nn::write_decoder(file.path, llama());
    const auto [notes, tensors] = [&] {
        const io::GgufFile whole(file.path);
        std::vector<io::GgufWritten> read;
        for (const io::GgufTensor& t : whole.tensors) read.push_back({t.name, io::read_gguf(whole, t)});
        read.push_back({"rope_freqs.weight", ones({4})});
        return std::pair(whole.notes, read);
    }();
    io::write_gguf(file.path, notes, tensors);
    CHECK_THROWS_WITH(nn::read_decoder(io::GgufFile(file.path)),
                      Catch::Matchers::EndsWith("'rope_freqs.weight' is no part of a llama as it is known here"));
}

TEST_CASE("Decoder: messages", "[nn][decoder]") {
    Generator random(3);
    const nn::Decoder model = nn::decoder_of(nn::Gpt(small, random));
    std::vector<nn::KeyValueCache> caches = model.caches(2), none;
    CHECK_THROWS_WITH(model(Integers({3}, {1, 2, 3}), caches),
                      "Decoder: the caches hold 2 tokens, wanted 3 more than the 0 in them");
    CHECK_THROWS_WITH(model(Integers({1, 1}, {1}), caches), "Decoder: wanted tokens of shape (time), got shape (1, 1)");
    CHECK_THROWS_WITH(model(Integers({1}, {1}), none), "Decoder: wanted a cache for each of 2 blocks, got 0");
    CHECK_THROWS_WITH(model.caches(10), "Decoder: wanted caches for 0 to 9 tokens, got 10");

    const Scratch file;
    const auto complaint = [&](const io::GgufNotes& notes, const std::vector<io::GgufWritten>& tensors) {
        io::write_gguf(file.path, notes, tensors);
        try {
            (void)nn::read_decoder(io::GgufFile(file.path));
        } catch (const Error& error) {
            return std::string(error.what()).substr(file.path.size() + 2);
        }
        return std::string();
    };
    io::GgufNotes notes = {{"general.architecture", std::string("bert\33")}};
    CHECK(complaint(notes, {}) == "byte 0: wanted the architecture gpt2 or llama, got 'bert\\u001b'");
    notes = {{"general.architecture", std::string("llama")},
             {"llama.context_length", Index(8)},
             {"llama.block_count", Index(1)},
             {"llama.embedding_length", Index(32)},
             {"llama.feed_forward_length", Index(64)},
             {"llama.attention.head_count", Index(3)}};
    CHECK(complaint(notes, {}) == "byte 0: 3 heads, of which 3 have keys, do not divide a width of 32");
    notes["llama.attention.head_count"] = Index(4);
    CHECK(complaint(notes, {}) == "byte 0: wants a tensor 'token_embd.weight'");
    notes["llama.rope.dimension_count"] = Index(4);
    CHECK(complaint(notes, {{"token_embd.weight", zeros({5, 32})}}) ==
          "byte 0: wanted rotary positions in all 8 numbers of a head, got 4 with base 10000");
    notes["llama.rope.dimension_count"] = Index(8), notes["llama.rope.scaling.type"] = std::string("yarn");
    CHECK(complaint(notes, {}) == "byte 0: wanted rotary positions as they are, got scaled ones");
    notes["llama.rope.scaling.type"] = std::string("none"), notes["llama.rope.scaling.factor"] = 4.0;
    CHECK(complaint(notes, {}) == "byte 0: wanted rotary positions as they are, got scaled ones");
    notes["llama.rope.scaling.factor"] = 1.0, notes["llama.rope.freq_base"] = INFINITY;
    CHECK(complaint(notes, {}) == "byte 0: wanted rotary positions in all 8 numbers of a head, got 8 with base inf");
    notes["llama.rope.freq_base"] = 10000.0, notes["llama.attention.layer_norm_rms_epsilon"] = double(NAN);
    CHECK(complaint(notes, {}) == "byte 0: the norms' epsilon is nan, wanted at least 0");
    notes["llama.attention.layer_norm_rms_epsilon"] = 1e-5;
    CHECK_THAT(complaint(notes, {{"token_embd.weight", zeros({5, 31})}}),
               Catch::Matchers::EndsWith("'token_embd.weight' has shape (5, 31), wanted (5, 32)"));
    notes["llama.context_length"] = Index(1) << 20, notes["llama.attention.head_count"] = Index(1);
    notes["llama.rope.dimension_count"] = Index(32);
    CHECK_THAT(complaint(notes, {{"token_embd.weight", zeros({5, 32})}}),
               Catch::Matchers::StartsWith("byte 0: a context of 1048576 tokens with heads of 32 numbers is too long"));
    notes["llama.block_count"] = Index(0);
    CHECK(complaint(notes, {}) == "byte 0: llama.block_count is 0, wanted 1 to 1024");
}
