#include <recto/nn/as_one.hpp>

#include <algorithm>

#include <recto/nn/linear.hpp>
#include <recto/nn/model_tape.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

struct Drawn {
    nn::Mlp net;
    Tensor operator()(const Tensor& x) const { return nn::as_one("perceptron", net, x); }
    void visit(auto&& part) { part("net", net); }
};

}  // namespace

TEST_CASE("as_one: a part is one operation of the tape, with the same result", "[nn][as_one]") {
    Generator random(1);
    const Drawn drawn{nn::Mlp({3, 4, 2}, relu, random)};
    const Tensor x = random.normal({5, 3});
    CHECK(same_bits(drawn(x), drawn.net(x)));
    const nn::Tape tape = nn::tape_of(drawn, x);
    CHECK(std::ranges::count(tape.steps, "perceptron", &Step::name) == 1);
    CHECK(std::ranges::count(tape.steps, "linear", &Step::name) == 0);
}

TEST_CASE("as_one: no gradient comes through, and that is said", "[nn][as_one]") {
    Generator random(1);
    const Drawn drawn{nn::Mlp({3, 4, 2}, relu, random)};
    CHECK_THROWS_WITH(sum(drawn(random.normal({5, 3}))).backward(),
                      "as_one: wanted a pass forward for a diagram, got one backward");
}
