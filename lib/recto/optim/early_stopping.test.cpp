#include <recto/optim/early_stopping.hpp>

#include <algorithm>

#include <recto/autograd/tape.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("EarlyStopping: the best weights come back bit for bit", "[optim][devices][row:sys-early-stopping/a]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(1);
    nn::Mlp model({3, 8, 1}, tanh, random);
    nn::to(model, device);
    const Tensor x = random.normal({20, 3}, 0, 1, device), y = random.normal({20, 1}, 0, 1, device);
    const Tensor new_x = random.normal({20, 3}, 0, 1, device), new_y = random.normal({20, 1}, 0, 1, device);
    const auto validation = [&] {
        const NoGrad only_asking;
        return double(mse_loss(model(new_x), new_y).item());
    };
    optim::Adam adam(nn::parameters(model), {.lr = 0.05});
    optim::EarlyStopping best(nn::state(model));
    std::vector<double> losses;
    nn::Mlp at_best = nn::clone(model);
    for (int step = 0; step < 60; ++step) {
        optim::train_step(adam, [&] { return mse_loss(model(x), y); });
        losses.push_back(validation());
        if (best.look(losses.back())) at_best = nn::clone(model);
    }
    const auto lowest = std::ranges::min_element(losses);
    REQUIRE(lowest != losses.end() - 1);  // the loss did rise again
    CHECK(best.best() == *lowest);
    CHECK(best.best_look() == 1 + (lowest - losses.begin()));
    CHECK(best.looks() == 60);
    CHECK(validation() != best.best());
    best.restore();
    CHECK(validation() == best.best());
    const NamedTensors restored = nn::state(model), kept = nn::state(at_best);
    for (std::size_t i = 0; i < kept.size(); ++i) CHECK(same_bits(restored[i].tensor, kept[i].tensor));
    CHECK(restored[0].tensor.requires_grad());  // training can continue
    optim::train_step(adam, [&] { return mse_loss(model(x), y); });
    best.restore();
    CHECK(validation() == best.best());
}

TEST_CASE("EarlyStopping: every look keeps all tensors", "[optim][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Tensor a = zeros({2}, device), b = zeros({3}, device);
    optim::EarlyStopping best({{"a", a}, {"b", b}});
    for (const Real loss : {Real(3), Real(1), Real(2)}) {  // the second look is the best
        a.copy_(full({2}, loss, device)), b.copy_(full({3}, 10 * loss, device));
        best.look(double(loss));
    }
    best.restore();
    CHECK(a.values() == std::vector<Real>(2, 1));
    CHECK(b.values() == std::vector<Real>(3, 10));
}

TEST_CASE("EarlyStopping: patience", "[optim]") {
    optim::EarlyStopping best({{"w", ones({2})}}, {.patience = 2});
    CHECK_FALSE(best.enough());
    CHECK(best.look(3));
    CHECK_FALSE(best.look(3));  // not lower
    CHECK_FALSE(best.enough());
    CHECK(best.look(2));
    CHECK_FALSE(best.look(not_a_number));
    CHECK_FALSE(best.enough());
    CHECK_FALSE(best.look(5));
    CHECK(best.enough());
    CHECK(best.best() == 2);
    CHECK(best.best_look() == 3);
}

TEST_CASE("EarlyStopping: messages", "[optim]") {
    CHECK_THROWS_WITH(optim::EarlyStopping({}), "EarlyStopping: wanted at least one tensor to keep, got none");
    CHECK_THROWS_WITH(optim::EarlyStopping({{"w", ones({2})}}, {.patience = 0}),
                      "EarlyStopping: wanted a patience of at least 1, got 0");
    optim::EarlyStopping best({{"w", ones({2})}});
    best.look(infinity);
    CHECK_THROWS_WITH(best.restore(),
                      "EarlyStopping: wanted a loss below infinity before restoring, got none in 1 looks");
}
