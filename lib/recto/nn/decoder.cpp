#include <recto/nn/decoder.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include <recto/autograd/tape.hpp>
#include <recto/io/plain_text.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/quantize.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/norms/layer_norm.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/products/quantized_linear.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO::nn {
namespace {

/// Rows of blocks, copied.
QuantizedTensor rows_of(const QuantizedTensor& x, Index begin, Index end) {
    const std::vector<std::uint8_t> bytes = x.bytes();
    const Index row = x.nbytes() / std::max<Index>(x.size(0), 1);
    return {{end - begin, x.size(1)},
            x.format(),
            std::span(bytes).subspan(std::size_t(begin * row), std::size_t((end - begin) * row)),
            x.device()};
}

/// Matrices with the same number of columns, stored in the same way, as one.
std::variant<Tensor, QuantizedTensor> one_below_another(const std::vector<const StoredMatrix*>& parts) {
    std::vector<Tensor> plain;
    std::vector<std::uint8_t> bytes;
    Index rows = 0;
    const QuantizedTensor* first = std::get_if<QuantizedTensor>(&parts[0]->numbers());
    for (const StoredMatrix* part : parts) {
        rows += part->shape().size(0);
        if (!first) {
            plain.push_back(std::get<Tensor>(part->numbers()));
        } else {
            const std::vector<std::uint8_t> more = std::get<QuantizedTensor>(part->numbers()).bytes();
            bytes.insert(bytes.end(), more.begin(), more.end());
        }
    }
    if (!first) return concat(plain);
    return QuantizedTensor({rows, first->size(1)}, first->format(), bytes);
}

Tensor norm(const Decoder& model, const Tensor& x, const Tensor& weight, const Tensor& bias) {
    return model.size.kind == DecoderKind::llama ? rms_norm(x, 1, weight, model.size.epsilon)
                                                 : layer_norm(x, 1, weight, bias, model.size.epsilon);
}

/// Causal attention of new queries to all keys in the cache. (time, width) to the same shape.
Tensor attend(const DecoderSize& size, const Tensor& queries, const KeyValueCache& cache, Index time) {
    const Index d = size.width / size.heads, group = size.heads / size.key_heads, end = cache.length + time;
    const auto shared = [&](const Tensor& from) {
        return from.view({1, size.key_heads, end, d}, {from.strides()[0], d, size.key_heads * d, 1}, 0);
    };
    const Tensor keys = shared(cache.keys), values = shared(cache.values);
    std::vector<Tensor> read;  // (1, key heads, time, d) for each place in a group: views are read in place
    for (Index g = 0; g < group; ++g)
        read.push_back(attention(queries.view({1, size.key_heads, time, d}, {0, group * d, size.width, 1}, g * d), keys,
                                 values, {.causal = true, .first = cache.length}));
    const Tensor all = stack(read, 2);  // (1, key heads, group, time, d)
    return reshape(permute(all, {0, 3, 1, 2, 4}), {time, size.width});
}

Tensor feed_forward(const Decoder& model, const StoredBlock& block, const Tensor& x) {
    if (model.size.kind == DecoderKind::llama) return block.down(silu(block.gate(x)) * block.up(x));
    const Tensor hidden = block.up(x, block.up_bias);
    return block.down(model.exact_gelu ? gelu(hidden) : gelu_tanh(hidden), block.down_bias);
}

/// What `scores` multiplies: (time) to (time, width). Keys and values are appended to the caches.
Tensor read(const Decoder& model, const Integers& tokens, std::vector<KeyValueCache>& caches) {
    const DecoderSize& size = model.size;
    const std::vector<StoredBlock>& blocks = model.blocks;
    check(tokens.dim() == 1, "Decoder: wanted tokens of shape (time), got shape {}", tokens.shape());
    check(caches.size() == blocks.size(), "Decoder: wanted a cache for each of {} blocks, got {}", blocks.size(),
          caches.size());
    const Index time = tokens.size(0), first = caches.empty() ? 0 : caches[0].length;
    const Index capacity = caches.empty() ? size.time : caches[0].keys.size(1);
    check(time <= capacity - first, "Decoder: the caches hold {} tokens, wanted {} more than the {} in them", capacity,
          time, first);
    const bool llama = size.kind == DecoderKind::llama;
    Tensor x = model.words.rows(tokens);
    if (!llama) x = x + slice(model.places, 0, first, first + time);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const StoredBlock& block = blocks[i];
        KeyValueCache& cache = caches[i];
        const Tensor seen = norm(model, x, block.attention_norm, block.attention_norm_bias);
        Tensor q = block.queries(seen, block.query_bias), k = block.keys(seen, block.key_bias);
        if (llama) q = rotary(q, model.turns, first), k = rotary(k, model.turns, first);
        const auto append = [&](const Tensor& to, const Tensor& from) {
            slice(to, 1, first, first + time).copy_(reshape(from, {1, time, from.size(1)}));
        };
        append(cache.keys, k), append(cache.values, block.values(seen, block.value_bias));
        x = x + block.out(attend(size, q, cache, time), block.out_bias);
        cache.length = first + time;
        x = x + feed_forward(model, block, norm(model, x, block.hidden_norm, block.hidden_norm_bias));
    }
    return norm(model, x, model.last, model.last_bias);
}

/// One tensor of a model, and how it is called in a file.
struct Part {
    std::string name;
    StoredMatrix* matrix;  // one of these two
    Tensor* vector;
    Shape shape;
};

/// All parts of a model but the queries, keys and values of a gpt2; its size and its blocks must be there.
std::vector<Part> parts(Decoder& model) {
    const DecoderSize& s = model.size;
    const bool llama = s.kind == DecoderKind::llama;
    std::vector<Part> all;
    const auto matrix = [&](const std::string& name, StoredMatrix& m, Index out, Index in) {
        all.push_back({name + ".weight", &m, nullptr, {out, in}});
    };
    const auto vector = [&](const std::string& name, Tensor& v, Index n) { all.push_back({name, nullptr, &v, {n}}); };
    matrix("token_embd", model.words, s.tokens, s.width);
    if (!llama) all.push_back({"position_embd.weight", nullptr, &model.places, {s.time, s.width}});
    const Index keys = s.width / s.heads * s.key_heads;
    for (std::size_t i = 0; i < model.blocks.size(); ++i) {
        StoredBlock& b = model.blocks[i];
        const std::string at = fmt::format("blk.{}.", i);
        const auto with_bias = [&](const std::string& name, Tensor& weight, Tensor& bias) {
            vector(at + name + ".weight", weight, s.width);
            if (!llama) vector(at + name + ".bias", bias, s.width);
        };
        with_bias("attn_norm", b.attention_norm, b.attention_norm_bias);
        with_bias("ffn_norm", b.hidden_norm, b.hidden_norm_bias);
        if (llama) {  // the three matrices of a gpt2 are one in a file: name_of_qkv()
            matrix(at + "attn_q", b.queries, s.width, s.width);
            matrix(at + "attn_k", b.keys, keys, s.width);
            matrix(at + "attn_v", b.values, keys, s.width);
        }
        matrix(at + "attn_output", b.out, s.width, s.width);
        if (llama) matrix(at + "ffn_gate", b.gate, s.hidden, s.width);
        matrix(at + "ffn_up", b.up, s.hidden, s.width);
        matrix(at + "ffn_down", b.down, s.width, s.hidden);
        if (llama) continue;
        vector(at + "attn_output.bias", b.out_bias, s.width);
        vector(at + "ffn_up.bias", b.up_bias, s.hidden), vector(at + "ffn_down.bias", b.down_bias, s.width);
    }
    vector("output_norm.weight", model.last, s.width);
    if (!llama) vector("output_norm.bias", model.last_bias, s.width);
    matrix("output", model.scores, s.tokens, s.width);
    return all;
}

std::string name_of_qkv(std::size_t block) { return fmt::format("blk.{}.attn_qkv", block); }

const char* name_of(DecoderKind kind) { return kind == DecoderKind::llama ? "llama" : "gpt2"; }

/// Reads one tensor and checks its shape.
StoredMatrix read_matrix(const io::GgufFile& source, const std::string& name, const Shape& shape, Device device) {
    const io::GgufTensor& found = source.tensor(name);
    if (found.shape != shape) source.fail(found, fmt::format("has shape {}, wanted {}", found.shape, shape));
    if (io::is_blocks(found)) return io::read_gguf_blocks(source, found, device);
    return io::read_gguf(source, found, device);
}
Tensor read_plain(const io::GgufFile& source, const std::string& name, const Shape& shape, Device device) {
    const io::GgufTensor& found = source.tensor(name);
    if (found.shape != shape) source.fail(found, fmt::format("has shape {}, wanted {}", found.shape, shape));
    return io::read_gguf(source, found, device);
}

/// The sizes that the notes of a file declare.
DecoderSize size_of(const io::GgufFile& source) {
    const std::string& kind = source.note<std::string>("general.architecture");
    if (kind != "gpt2" && kind != "llama")
        source.file().fail(0, fmt::format("wanted the architecture gpt2 or llama, got '{}'", io::escaped(kind)));
    DecoderSize size;
    size.kind = kind == "llama" ? DecoderKind::llama : DecoderKind::gpt2;
    const auto whole = [&](const std::string& key, Index most) {
        const Index value = source.note<Index>(kind + "." + key);
        if (value < 1 || value > most)
            source.file().fail(0, fmt::format("{}.{} is {}, wanted 1 to {}", kind, key, value, most));
        return value;
    };
    size.time = whole("context_length", Index(1) << 20);
    size.layers = whole("block_count", 1024);
    size.width = whole("embedding_length", Index(1) << 20);
    size.hidden = whole("feed_forward_length", Index(1) << 22);
    size.heads = whole("attention.head_count", size.width);
    const bool llama = size.kind == DecoderKind::llama;
    const std::string groups = kind + ".attention.head_count_kv";
    size.key_heads = llama && source.notes.contains(groups) ? whole("attention.head_count_kv", size.heads) : size.heads;
    if (size.width % size.heads != 0 || size.heads % size.key_heads != 0)
        source.file().fail(0, fmt::format("{} heads, of which {} have keys, do not divide a width of {}", size.heads,
                                          size.key_heads, size.width));
    size.epsilon =
        source.note_or(kind + (llama ? ".attention.layer_norm_rms_epsilon" : ".attention.layer_norm_epsilon"), 1e-5);
    if (!(size.epsilon >= 0 && std::isfinite(size.epsilon)))
        source.file().fail(0, fmt::format("the norms' epsilon is {}, wanted at least 0", size.epsilon));
    size.rotary_base = source.note_or(kind + ".rope.freq_base", 10000.0);
    if (source.note_or(kind + ".rope.scaling.type", std::string("none")) != "none" ||
        source.note_or(kind + ".rope.scaling.factor", 1.0) != 1)
        source.file().fail(0, "wanted rotary positions as they are, got scaled ones");
    const Index d = size.width / size.heads, turned = source.note_or(kind + ".rope.dimension_count", d);
    if (llama && (turned != d || d % 2 != 0 || !(size.rotary_base > 0 && std::isfinite(size.rotary_base))))
        source.file().fail(0, fmt::format("wanted rotary positions in all {} numbers of a head, got {} with base {}", d,
                                          turned, size.rotary_base));
    if (llama && size.time * d > source.file().size() + (Index(1) << 24))  // what the angles take must not surprise
        source.file().fail(
            0, fmt::format("a context of {} tokens with heads of {} numbers is too long for a file of {} bytes",
                           size.time, d, source.file().size()));
    const io::GgufTensor& words = source.tensor("token_embd.weight");
    if (words.shape.dim() != 2) source.fail(words, fmt::format("has shape {}, wanted (tokens, width)", words.shape));
    size.tokens = words.shape.size(0);
    return size;
}

}  // namespace

Tensor StoredMatrix::operator()(const Tensor& x, const Tensor& bias) const {
    if (const auto* blocks = std::get_if<QuantizedTensor>(&numbers_)) return quantized_linear(x, *blocks, bias);
    return linear(x, std::get<Tensor>(numbers_), bias);
}

Tensor StoredMatrix::rows(const Integers& places) const {
    const auto* blocks = std::get_if<QuantizedTensor>(&numbers_);
    if (!blocks) return index_rows(std::get<Tensor>(numbers_), places);
    const Index row = blocks->nbytes() / std::max<Index>(blocks->size(0), 1);
    const QuantizedTensor here = blocks->to(Device::cpu);
    std::vector<std::uint8_t> bytes;
    for (const Index place : places.values()) {
        check(place >= 0 && place < here.size(0), "StoredMatrix: wanted rows from 0 to {}, got {}", here.size(0) - 1,
              place);
        bytes.insert(bytes.end(), here.data() + place * row, here.data() + (place + 1) * row);
    }
    return dequantize({{places.numel(), here.size(1)}, here.format(), bytes, blocks->device()});
}

StoredMatrix StoredMatrix::between(Index begin, Index end) const {
    if (const auto* blocks = std::get_if<QuantizedTensor>(&numbers_)) return rows_of(*blocks, begin, end);
    return slice(std::get<Tensor>(numbers_), 0, begin, end);
}

const Shape& StoredMatrix::shape() const {
    return std::visit([](const auto& numbers) -> const Shape& { return numbers.shape(); }, numbers_);
}
Index StoredMatrix::nbytes() const {
    if (const auto* blocks = std::get_if<QuantizedTensor>(&numbers_)) return blocks->defined() ? blocks->nbytes() : 0;
    const Tensor& plain = std::get<Tensor>(numbers_);
    return plain.defined() ? plain.numel() * Index(sizeof(Real)) : 0;
}
bool StoredMatrix::defined() const {
    return std::visit([](const auto& numbers) { return numbers.defined(); }, numbers_);
}

Tensor Decoder::operator()(const Integers& tokens, std::vector<KeyValueCache>& caches) const {
    const NoGrad guard;
    return scores(read(*this, tokens, caches));
}

Tensor Decoder::next(const Integers& tokens, std::vector<KeyValueCache>& caches) const {
    const NoGrad guard;
    check(tokens.numel() > 0, "Decoder: wanted at least one token, got none");
    return scores(slice(read(*this, tokens, caches), 0, tokens.numel() - 1, tokens.numel()));
}

std::vector<KeyValueCache> Decoder::caches(Index capacity) const {
    check(capacity >= 0 && capacity <= size.time, "Decoder: wanted caches for 0 to {} tokens, got {}", size.time,
          capacity);
    const Index keys = size.width / size.heads * size.key_heads;
    std::vector<KeyValueCache> made;
    for (std::size_t i = 0; i < blocks.size(); ++i)
        made.push_back({zeros({1, capacity, keys}, last.device()), zeros({1, capacity, keys}, last.device())});
    return made;
}

Index Decoder::nbytes() const {
    Decoder copy = *this;  // handles only
    Index total = 0;
    for (const Part& part : parts(copy))
        if (part.name != "output.weight" || !tied)
            total += part.matrix ? part.matrix->nbytes() : part.vector->numel() * Index(sizeof(Real));
    if (size.kind == DecoderKind::gpt2)
        for (const StoredBlock& block : blocks)
            total += block.queries.nbytes() + block.keys.nbytes() + block.values.nbytes() +
                     3 * size.width * Index(sizeof(Real));
    return total;
}

Decoder decoder_of(const Gpt& model, const BlockFormat* format) {
    const NoGrad guard;
    Decoder made;
    made.exact_gelu = true;
    const auto stored = [&](const Tensor& x) -> StoredMatrix {
        if (format) return quantize(x.detach(), *format);
        return x.detach();
    };
    const Shape words = model.words.weight.shape();
    made.size = {.kind = DecoderKind::gpt2,
                 .tokens = words.size(0),
                 .time = model.places.weight.size(0),
                 .layers = Index(model.blocks.size()),
                 .width = words.size(1),
                 .heads = model.blocks.empty() ? 1 : model.blocks[0].attention.heads,
                 .key_heads = model.blocks.empty() ? 1 : model.blocks[0].attention.heads,
                 .hidden = model.blocks.empty() ? 0 : model.blocks[0].widen.weight.size(0)};
    made.words = stored(model.words.weight), made.scores = made.words, made.tied = true;
    made.places = model.places.weight.detach();
    const Index width = made.size.width;
    for (const GptBlock& from : model.blocks) {
        StoredBlock block;
        const Tensor qkv = from.attention.in_proj_weight.detach(), bias = from.attention.in_proj_bias.detach();
        const auto rows = [&](Index part) { return slice(qkv, 0, part * width, (part + 1) * width); };
        const auto biases = [&](Index part) { return slice(bias, 0, part * width, (part + 1) * width); };
        block.attention_norm = from.before_attention.weight.detach();
        block.attention_norm_bias = from.before_attention.bias.detach();
        block.queries = stored(rows(0)), block.keys = stored(rows(1)), block.values = stored(rows(2));
        block.query_bias = biases(0), block.key_bias = biases(1), block.value_bias = biases(2);
        block.out = stored(from.attention.out_proj.weight), block.out_bias = from.attention.out_proj.bias.detach();
        block.hidden_norm = from.before_perceptron.weight.detach();
        block.hidden_norm_bias = from.before_perceptron.bias.detach();
        block.up = stored(from.widen.weight), block.up_bias = from.widen.bias.detach();
        block.down = stored(from.narrow.weight), block.down_bias = from.narrow.bias.detach();
        made.blocks.push_back(std::move(block));
    }
    made.last = model.last.weight.detach(), made.last_bias = model.last.bias.detach();
    return made;
}

Decoder read_decoder(const io::GgufFile& source, Device device) {
    const NoGrad guard;
    Decoder model;
    model.size = size_of(source);
    const DecoderSize& s = model.size;
    model.blocks.resize(std::size_t(s.layers));
    model.tied = !source.has("output.weight");
    std::set<std::string> known;
    for (const Part& part : parts(model)) {
        if (part.name == "output.weight" && model.tied) continue;
        known.insert(part.name);
        if (part.matrix)
            *part.matrix = read_matrix(source, part.name, part.shape, device);
        else
            *part.vector = read_plain(source, part.name, part.shape, device);
    }
    if (model.tied) model.scores = model.words;
    if (s.kind == DecoderKind::llama) {
        model.turns = rotary_table(s.time, s.width / s.heads, s.rotary_base, device);
    } else {
        for (std::size_t i = 0; i < model.blocks.size(); ++i) {
            const StoredMatrix all = read_matrix(source, name_of_qkv(i) + ".weight", {3 * s.width, s.width}, device);
            const Tensor biases = read_plain(source, name_of_qkv(i) + ".bias", {3 * s.width}, device);
            known.insert(name_of_qkv(i) + ".weight"), known.insert(name_of_qkv(i) + ".bias");
            StoredBlock& block = model.blocks[i];
            StoredMatrix* const matrices[] = {&block.queries, &block.keys, &block.values};
            Tensor* const vectors[] = {&block.query_bias, &block.key_bias, &block.value_bias};
            for (Index part = 0; part < 3; ++part) {
                *matrices[part] = all.between(part * s.width, (part + 1) * s.width);
                *vectors[part] = slice(biases, 0, part * s.width, (part + 1) * s.width);
            }
        }
    }
    for (const io::GgufTensor& t : source.tensors)
        if (!known.contains(t.name))
            source.fail(t, fmt::format("is no part of a {} as it is known here", name_of(s.kind)));
    source.file().expect_unchanged();
    return model;
}

void write_decoder(const std::string& path, const Decoder& model, io::GgufNotes notes) {
    const NoGrad guard;
    const DecoderSize& s = model.size;
    const bool llama = s.kind == DecoderKind::llama;
    const std::string kind = name_of(s.kind);
    notes["general.architecture"] = kind;
    notes[kind + ".context_length"] = s.time, notes[kind + ".block_count"] = s.layers;
    notes[kind + ".embedding_length"] = s.width, notes[kind + ".feed_forward_length"] = s.hidden;
    notes[kind + ".attention.head_count"] = s.heads;
    notes[kind + (llama ? ".attention.layer_norm_rms_epsilon" : ".attention.layer_norm_epsilon")] = s.epsilon;
    if (llama) {
        notes["llama.attention.head_count_kv"] = s.key_heads;
        notes["llama.rope.dimension_count"] = s.width / s.heads, notes["llama.rope.freq_base"] = s.rotary_base;
    }
    std::vector<io::GgufWritten> tensors;
    Decoder copy = model;  // handles only
    for (const Part& part : parts(copy)) {
        if (part.name == "output.weight" && model.tied) continue;
        if (part.vector)
            tensors.push_back({part.name, *part.vector});
        else
            tensors.push_back({part.name, part.matrix->numbers()});
    }
    if (!llama)
        for (std::size_t i = 0; i < model.blocks.size(); ++i) {
            const StoredBlock& b = model.blocks[i];
            tensors.push_back({name_of_qkv(i) + ".weight", one_below_another({&b.queries, &b.keys, &b.values})});
            tensors.push_back({name_of_qkv(i) + ".bias", concat({b.query_bias, b.key_bias, b.value_bias})});
        }
    io::write_gguf(path, notes, tensors);
}

}  // namespace RECTO::nn
