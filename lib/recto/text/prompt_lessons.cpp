#include <recto/text/prompt_lessons.hpp>

#include <algorithm>
#include <iterator>

#include <recto/autograd/tape.hpp>
#include <recto/nn/module.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/shapes/layout.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

namespace RECTO::text {

namespace {

constexpr Index batch = 32;
constexpr Index not_learned = -1;

}  // namespace

std::vector<Index> few_shot_prompt(Index first, std::span<const Index> things, std::span<const Index> labels,
                                   Index last) {
    check(things.size() == labels.size(), "few_shot_prompt: wanted a label for each of {} things, got {} labels",
          things.size(), labels.size());
    std::vector<Index> prompt = {first};
    for (std::size_t n = 0; n < things.size(); ++n) {
        prompt.push_back(things[n]);
        prompt.push_back(labels[n]);
    }
    prompt.push_back(last);
    return prompt;
}

nn::Gpt learn_prompts(const PromptLessons& lessons, Index tokens, Index context, Generator& random) {
    check(context >= 2 && context % 2 == 0, "learn_prompts: wanted a context of an even number of tokens, got {}",
          context);
    check(lessons.prompts >= 0 && lessons.prompts <= batch, "learn_prompts: wanted 0 to {} prompts in a batch, got {}",
          batch, lessons.prompts);
    const nn::Gpt net({.tokens = tokens, .time = context, .layers = 2, .width = 48, .heads = 4}, random);
    {  // so small a network learns sooner with larger embeddings than the library's
        const NoGrad no_training;
        for (Tensor table : {net.words.weight, net.places.weight}) table.copy_(clone(table) * 15);
    }
    optim::AdamW adam(nn::parameters(net), {.betas = {0.9, 0.98}, .weight_decay = 0.1});
    for (Index step = 0; step < lessons.steps; ++step) {
        const double rise = double(step + 1) / 50, fall = 2 * (1 - double(step) / double(lessons.steps));
        adam.options.lr = 4e-3 * std::min({1.0, rise, fall});
        const Index prompts = step < lessons.steps / 5 ? 0 : lessons.prompts;
        std::vector<Index> before, next;
        for (Index b = 0; b < batch; ++b) {
            const bool prompt = b < prompts;
            const std::vector<Index> text = prompt ? lessons.prompt(random) : lessons.catalogue(random);
            check(std::ssize(text) == context + 1, "learn_prompts: wanted texts of {} tokens, got {}", context + 1,
                  text.size());
            for (Index t = 0; t < context; ++t) {
                const auto at = std::size_t(t);
                before.push_back(text[at]);
                next.push_back(prompt && t % 2 == 0 ? not_learned : text[at + 1]);
            }
        }
        const Integers seen({batch, context}, before), words({batch * context}, next);
        optim::train_step(adam, [&] {
            return cross_entropy(reshape(net(seen), {words.numel(), tokens}), words, {.ignored = not_learned});
        });
    }
    return net;
}

}  // namespace RECTO::text
