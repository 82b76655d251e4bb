#include <recto/nn/gpt2_parameters.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <recto/autograd/tape.hpp>
#include <recto/io/plain_text.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO::nn {
namespace {

/// The tensors by name, each of which is to be taken.
class Published {
public:
    explicit Published(const NamedTensors& tensors) {
        for (const NamedTensor& one : tensors) {
            std::string name = one.name.starts_with("transformer.") ? one.name.substr(12) : one.name;
            if (name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias")) continue;
            check(left_.emplace(std::move(name), one.tensor).second, "gpt2_decoder: '{}' stands there twice",
                  io::escaped(one.name));
        }
    }
    bool has(const std::string& name) const { return left_.contains(name); }
    /// The shape of a tensor with two axes.
    Shape sizes(const std::string& name) const {
        const auto found = left_.find(name);
        check(found != left_.end(), "gpt2_decoder: wanted a tensor '{}', found none", name);
        check(found->second.dim() == 2, "gpt2_decoder: wanted two axes of '{}', got shape {}", name,
              found->second.shape());
        return found->second.shape();
    }
    Tensor take(const std::string& name, const Shape& shape) {
        const auto found = left_.find(name);
        check(found != left_.end(), "gpt2_decoder: wanted a tensor '{}', found none", name);
        const Tensor tensor = found->second;
        check(tensor.shape() == shape, "gpt2_decoder: wanted '{}' of shape {}, got {}", name, shape, tensor.shape());
        left_.erase(found);
        return tensor.detach();
    }
    /// A matrix that is stored as (in, out), as (out, in).
    Tensor turned(const std::string& name, Index in, Index out) { return dense(transpose(take(name, {in, out}))); }
    void want_none_left() const {
        check(left_.empty(), "gpt2_decoder: '{}' is no part of a GPT-2",
              left_.empty() ? "" : io::escaped(left_.begin()->first));
    }

private:
    std::map<std::string, Tensor> left_;
};

}  // namespace

Decoder gpt2_decoder(const NamedTensors& tensors, Index heads) {
    const NoGrad guard;
    Published from(tensors);
    Decoder made;
    const Shape words = from.sizes("wte.weight");
    const Index width = words.size(1);
    if (heads == 0) heads = width / 64;
    check(heads > 0 && heads <= width && width % heads == 0,
          "gpt2_decoder: wanted heads that divide the width {}, got {}", width, heads);
    made.size = {.kind = DecoderKind::gpt2,
                 .tokens = words.size(0),
                 .time = from.sizes("wpe.weight").size(0),
                 .width = width,
                 .heads = heads,
                 .key_heads = heads};
    made.words = from.take("wte.weight", words);
    made.places = from.take("wpe.weight", {made.size.time, width});
    while (from.has(fmt::format("h.{}.ln_1.weight", made.blocks.size()))) {
        const std::string h = fmt::format("h.{}.", made.blocks.size());
        const Index hidden = from.sizes(h + "mlp.c_fc.weight").size(1);
        if (made.blocks.empty()) made.size.hidden = hidden;
        const Tensor all = from.turned(h + "attn.c_attn.weight", width, 3 * width),
                     biases = from.take(h + "attn.c_attn.bias", {3 * width});
        const auto part = [&](const Tensor& x, Index n) { return slice(x, 0, n * width, (n + 1) * width); };
        StoredBlock block;
        block.attention_norm = from.take(h + "ln_1.weight", {width});
        block.attention_norm_bias = from.take(h + "ln_1.bias", {width});
        block.queries = part(all, 0), block.keys = part(all, 1), block.values = part(all, 2);
        block.query_bias = part(biases, 0), block.key_bias = part(biases, 1), block.value_bias = part(biases, 2);
        block.out = from.turned(h + "attn.c_proj.weight", width, width);
        block.out_bias = from.take(h + "attn.c_proj.bias", {width});
        block.hidden_norm = from.take(h + "ln_2.weight", {width});
        block.hidden_norm_bias = from.take(h + "ln_2.bias", {width});
        block.up = from.turned(h + "mlp.c_fc.weight", width, made.size.hidden);
        block.up_bias = from.take(h + "mlp.c_fc.bias", {made.size.hidden});
        block.down = from.turned(h + "mlp.c_proj.weight", made.size.hidden, width);
        block.down_bias = from.take(h + "mlp.c_proj.bias", {width});
        made.blocks.push_back(std::move(block));
    }
    made.size.layers = Index(made.blocks.size());
    made.last = from.take("ln_f.weight", {width});
    made.last_bias = from.take("ln_f.bias", {width});
    made.tied = !from.has("lm_head.weight");
    made.scores = made.tied ? made.words : StoredMatrix(from.take("lm_head.weight", words));
    from.want_none_left();
    return made;
}

}  // namespace RECTO::nn
