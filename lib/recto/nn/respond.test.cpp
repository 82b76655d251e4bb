#include <recto/nn/respond.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/core/random.hpp>
#include <recto/nn/module.hpp>
#include <recto/ops/reductions/log_softmax.hpp>
#include <recto/testing/testing.hpp>

#include <cmath>

using namespace recto;
using namespace recto::testing;
using nn::Exchange, nn::Gpt;

namespace {
Gpt small(std::uint64_t seed) {
    Generator random(seed);
    return Gpt({.tokens = 7, .time = 8, .layers = 2, .width = 8, .heads = 2}, random);
}
// The log-probability of every token after `text`, by a pass over this text alone.
std::vector<Real> after(const Gpt& model, const std::vector<Index>& text) {
    const NoGrad guard;
    const std::vector<Real> all = log_softmax(model(Integers({1, std::ssize(text)}, text))).values();
    return {all.end() - 7, all.end()};
}
}  // namespace

TEST_CASE("respond: the loss is the mean over the tokens of the responses", "[nn][respond]") {
    const Gpt model = small(1);
    const std::vector<Exchange> batch = {{{1, 2, 3}, {4, 5}}, {{6}, {0, 1, 2, 3}}, {{2, 2}, {}}, {{3, 1}, {5}}};
    double sum = 0;
    int count = 0;
    for (const Exchange& one : batch) {
        std::vector<Index> text = one.prompt;
        for (const Index token : one.response) {
            sum -= double(after(model, text)[std::size_t(token)]), ++count;
            text.push_back(token);
        }
    }
    CHECK(count == 7);
    CHECK(std::abs(double(nn::response_loss(model, batch).item()) - sum / count) <= 1e-5);
}

TEST_CASE("respond: the most probable token each time, as without a cache", "[nn][respond]") {
    const Gpt model = small(2);
    const std::vector<std::vector<Index>> prompts = {{1, 2, 3}, {6, 0, 5}};
    const std::vector<nn::Response> found = nn::respond(model, prompts, 6);
    REQUIRE(found.size() == 2);
    for (std::size_t r = 0; r < 2; ++r) {
        std::vector<Index> text = prompts[r];
        REQUIRE((found[r].tokens.size() == 6 && found[r].entropies.size() == 6));
        for (std::size_t n = 0; n < 6; ++n) {
            const std::vector<Real> logs = after(model, text);
            std::size_t best = 0;
            double entropy = 0;
            for (std::size_t k = 0; k < 7; ++k) {
                if (logs[k] > logs[best]) best = k;
                entropy -= std::exp(double(logs[k])) * double(logs[k]);
            }
            CHECK(found[r].tokens[n] == Index(best));
            CHECK(std::abs(found[r].entropies[n] - entropy) <= 1e-4);
            text.push_back(found[r].tokens[n]);
        }
    }
}

TEST_CASE("respond: nothing to write, and refusals", "[nn][respond]") {
    const Gpt model = small(3);
    CHECK(nn::respond(model, {}, 3).empty());
    const std::vector<std::vector<Index>> two = {{1, 2}, {3}}, empty = {{}}, full = {{1, 2, 3, 4, 5, 6, 0, 1}};
    CHECK(nn::respond(model, full, 1)[0].tokens.size() == 1);
    CHECK(nn::respond(model, full, 0)[0].tokens.empty());
    CHECK_THROWS_WITH(nn::respond(model, two, 1),
                      "respond: wanted prompts of one length, at least 1, got lengths 2 and 1");
    CHECK_THROWS_WITH(nn::respond(model, empty, 1),
                      "respond: wanted prompts of one length, at least 1, got lengths 0 and 0");
    CHECK_THROWS_WITH(nn::respond(model, full, 2),
                      "respond: wanted at most 9 tokens, got prompts of 8 and 2 tokens to write");
    CHECK_THROWS_WITH(nn::respond(model, full, -1), "respond: wanted a count >= 0, got -1");
    const std::vector<Exchange> none = {{{1}, {}}}, nothing = {{{}, {1}}};
    CHECK_THROWS_WITH(nn::response_loss(model, none),
                      "response_loss: wanted a response to learn, got none in 1 exchanges");
    CHECK_THROWS_WITH(nn::response_loss(model, nothing),
                      "response_loss: wanted a token in every prompt, got an empty prompt");
}
