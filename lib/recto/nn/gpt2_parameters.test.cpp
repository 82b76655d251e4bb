#include <recto/nn/gpt2_parameters.hpp>

#include <string>
#include <vector>

#include <recto/autograd/tape.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

/// A Gpt with random weights and biases, and the same numbers under the published names.
struct Twin {
    nn::Gpt model;
    NamedTensors published;
};
Twin twin(Index heads, Index width) {
    Generator random(3);
    Twin made{{{.tokens = 11, .time = 9, .layers = 2, .width = width, .heads = heads}, random}, {}};
    const NoGrad guard;
    const auto add = [&](const std::string& name, const Tensor& x) { made.published.push_back({name, x.detach()}); };
    const auto vary = [&](const Tensor& x) {
        Tensor numbers = x.detach();
        numbers.copy_(random.normal(x.shape(), Real(0.5), Real(0.3)));
        return numbers;
    };
    const auto norm = [&](const std::string& name, const nn::LayerNorm& x) {
        add(name + ".weight", vary(x.weight)), add(name + ".bias", vary(x.bias));
    };
    const auto linear = [&](const std::string& name, const Tensor& weight, const Tensor& bias) {
        add(name + ".weight", transpose(vary(weight))), add(name + ".bias", vary(bias));
    };
    add("wte.weight", vary(made.model.words.weight)), add("wpe.weight", vary(made.model.places.weight));
    for (std::size_t i = 0; i < made.model.blocks.size(); ++i) {
        const nn::GptBlock& block = made.model.blocks[i];
        const std::string h = fmt::format("h.{}.", i);
        norm(h + "ln_1", block.before_attention), norm(h + "ln_2", block.before_perceptron);
        linear(h + "attn.c_attn", block.attention.in_proj_weight, block.attention.in_proj_bias);
        linear(h + "attn.c_proj", block.attention.out_proj.weight, block.attention.out_proj.bias);
        linear(h + "mlp.c_fc", block.widen.weight, block.widen.bias);
        linear(h + "mlp.c_proj", block.narrow.weight, block.narrow.bias);
    }
    norm("ln_f", made.model.last);
    return made;
}

std::vector<double> scores_of(const nn::Decoder& model) {
    std::vector<nn::KeyValueCache> caches = model.caches(model.size.time);
    const std::vector<Index> text{3, 0, 7, 7, 10, 1};
    return doubles(model(Integers({Index(text.size())}, text), caches));
}

NamedTensors without(NamedTensors tensors, const std::string& name) {
    std::erase_if(tensors, [&](const NamedTensor& one) { return one.name == name; });
    return tensors;
}
NamedTensors with(NamedTensors tensors, const std::string& name, const Shape& shape) {
    tensors.push_back({name, zeros(shape)});
    return tensors;
}

}  // namespace

TEST_CASE("gpt2_decoder: a Gpt under the published names gives the same scores", "[nn][gpt2_parameters]") {
    for (const Index heads : {1, 2, 4}) {
        const Twin both = twin(heads, 32);
        nn::Decoder wanted = nn::decoder_of(both.model);
        wanted.exact_gelu = false;  // GPT-2 has the other one
        const nn::Decoder found = nn::gpt2_decoder(both.published, heads);
        CHECK(scores_of(found) == scores_of(wanted));
        CHECK(found.nbytes() == wanted.nbytes());
        CHECK((found.tied && found.size.layers == 2 && found.size.hidden == 128 && found.size.time == 9));
    }
    const Twin wide = twin(2, 128);  // heads of 64 numbers need not be said
    CHECK(scores_of(nn::gpt2_decoder(wide.published)) == scores_of(nn::gpt2_decoder(wide.published, 2)));
    CHECK(scores_of(nn::gpt2_decoder(wide.published)) != scores_of(nn::gpt2_decoder(wide.published, 4)));
}

TEST_CASE("gpt2_decoder: longer names, masks, and scores of their own", "[nn][gpt2_parameters]") {
    const Twin both = twin(4, 32);
    const std::vector<double> wanted = scores_of(nn::gpt2_decoder(both.published, 4));
    NamedTensors longer;
    for (const NamedTensor& one : both.published) longer.push_back({"transformer." + one.name, one.tensor});
    longer = with(with(longer, "transformer.h.0.attn.bias", {1, 1, 9, 9}), "transformer.h.0.attn.masked_bias", {});
    CHECK(scores_of(nn::gpt2_decoder(longer, 4)) == wanted);
    const nn::Decoder other = nn::gpt2_decoder(with(both.published, "lm_head.weight", {11, 32}), 4);
    CHECK(!other.tied);
    CHECK(scores_of(other) == std::vector<double>(wanted.size(), 0));
}

TEST_CASE("gpt2_decoder: messages", "[nn][gpt2_parameters]") {
    const NamedTensors all = twin(4, 32).published;
    CHECK_THROWS_WITH(nn::gpt2_decoder({}), "gpt2_decoder: wanted a tensor 'wte.weight', found none");
    CHECK_THROWS_WITH(nn::gpt2_decoder(without(all, "h.1.mlp.c_proj.bias"), 4),
                      "gpt2_decoder: wanted a tensor 'h.1.mlp.c_proj.bias', found none");
    CHECK_THROWS_WITH(nn::gpt2_decoder(without(all, "h.0.ln_1.weight"), 4),
                      "gpt2_decoder: 'h.0.attn.c_attn.bias' is no part of a GPT-2");
    CHECK_THROWS_WITH(nn::gpt2_decoder(with(all, "h.2.ln\x1b", {3}), 4),
                      "gpt2_decoder: 'h.2.ln\\u001b' is no part of a GPT-2");
    CHECK_THROWS_WITH(nn::gpt2_decoder(with(all, "transformer.ln_f.bias", {32}), 4),
                      "gpt2_decoder: 'transformer.ln_f.bias' stands there twice");
    CHECK_THROWS_WITH(
        nn::gpt2_decoder(with(without(all, "h.0.attn.c_attn.weight"), "h.0.attn.c_attn.weight", {96, 32}), 4),
        "gpt2_decoder: wanted 'h.0.attn.c_attn.weight' of shape (32, 96), got (96, 32)");
    CHECK_THROWS_WITH(nn::gpt2_decoder(with(without(all, "wpe.weight"), "wpe.weight", {9}), 4),
                      "gpt2_decoder: wanted two axes of 'wpe.weight', got shape (9)");
    CHECK_THROWS_WITH(nn::gpt2_decoder(all), "gpt2_decoder: wanted heads that divide the width 32, got 0");
    CHECK_THROWS_WITH(nn::gpt2_decoder(all, 5), "gpt2_decoder: wanted heads that divide the width 32, got 5");
}
