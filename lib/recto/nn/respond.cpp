#include <recto/nn/respond.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/log_softmax.hpp>
#include <recto/ops/shapes/views.hpp>

#include <algorithm>
#include <cmath>

namespace RECTO::nn {

Tensor response_loss(const Gpt& model, std::span<const Exchange> batch) {
    Index longest = 0, learned = 0;
    for (const Exchange& one : batch) {
        check(!one.prompt.empty(), "response_loss: wanted a token in every prompt, got an empty prompt");
        longest = std::max<Index>(longest, std::ssize(one.prompt) + std::ssize(one.response) - 1);
        learned += std::ssize(one.response);
    }
    check(learned > 0, "response_loss: wanted a response to learn, got none in {} exchanges", batch.size());
    // Position t of a row reads token t and predicts token t + 1. The rest of a shorter row is never looked at.
    std::vector<Index> read, next;
    for (const Exchange& one : batch) {
        std::vector<Index> text = one.prompt;
        text.insert(text.end(), one.response.begin(), one.response.end());
        for (Index t = 0; t < longest; ++t) {
            const bool inside = t + 1 < std::ssize(text);
            read.push_back(inside ? text[std::size_t(t)] : 0);
            next.push_back(inside && t + 1 >= std::ssize(one.prompt) ? text[std::size_t(t + 1)] : -1);
        }
    }
    const Index rows = std::ssize(batch), all = rows * longest;
    const Tensor scores = model(Integers({rows, longest}, read));
    return cross_entropy(reshape(scores, {all, scores.size(2)}), Integers({all}, next), {.ignored = -1});
}

std::vector<Response> respond(const Gpt& model, std::span<const std::vector<Index>> prompts, Index count) {
    const NoGrad only_asking;
    std::vector<Response> written(prompts.size());
    if (prompts.empty()) return written;
    const Index rows = std::ssize(prompts), length = std::ssize(prompts[0]);
    std::vector<Index> fresh;
    for (const std::vector<Index>& prompt : prompts) {
        check(std::ssize(prompt) == length && length > 0,
              "respond: wanted prompts of one length, at least 1, got lengths {} and {}", length, prompt.size());
        fresh.insert(fresh.end(), prompt.begin(), prompt.end());
    }
    const Index context = model.places.weight.size(0);
    check(count >= 0, "respond: wanted a count >= 0, got {}", count);
    check(length + count - 1 <= context, "respond: wanted at most {} tokens, got prompts of {} and {} tokens to write",
          context + 1, length, count);
    std::vector<KeyValueCache> caches = model.caches(rows, context);
    for (Index n = 0; n < count; ++n) {
        const Index news = std::ssize(fresh) / rows;
        const Tensor scores = select(model(Integers({rows, news}, fresh), caches), 1, news - 1);
        fresh = argmax(scores).values();
        const std::vector<Real> logs = log_softmax(scores).values();
        const std::size_t tokens = logs.size() / std::size_t(rows);
        for (std::size_t r = 0; r < written.size(); ++r) {
            double entropy = 0;
            for (std::size_t k = r * tokens; k < (r + 1) * tokens; ++k)
                if (const double log = double(logs[k]); log > -100) entropy -= std::exp(log) * log;
            written[r].tokens.push_back(fresh[r]);
            written[r].entropies.push_back(entropy);
        }
    }
    return written;
}

}  // namespace RECTO::nn
