#include <recto/nn/deep_mlp.hpp>

#include <recto/nn/skip.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("DeepMlp: a chain of blocks, with and without residual connections", "[nn][skip]") {
    Generator random(1);
    const nn::DeepMlp plain({3, 5, 4, 2}, false, random), residual({3, 5, 4, 2}, true, random);
    CHECK(nn::count(plain) == 3 * 5 + 5 + 4 * (5 * 5 + 5) + 5 * 2 + 2);
    CHECK(nn::count(residual) == nn::count(plain));
    CHECK(nn::parameters(plain)[2].name == "blocks.0.1.weight");
    const Tensor x = random.normal({6, 3});
    Tensor h = plain.enter(x);
    for (const auto& block : plain.blocks) h = block(h);
    CHECK(same_bits(plain(x), plain.leave(h)));
    h = residual.enter(x);
    for (const auto& block : residual.blocks) h = nn::Residual(block)(h);
    CHECK(same_bits(residual(x), residual.leave(h)));
}

TEST_CASE("DeepMlp: signals keep their size through a hundred blocks", "[nn][skip]") {
    Generator random(2);
    const auto growth = [&](bool residual) {
        const nn::DeepMlp net({200, 200, 100, 10}, residual, random);
        Tensor h = net.enter(random.normal({50, 200}));
        const double before = double(mean(square(h)).item());
        for (const auto& block : net.blocks) h = net.after(block, h);
        return double(mean(square(h)).item()) / before;
    };
    const double plain = growth(false), residual = growth(true);  // expected: 1, and (1 + 1/100)^100 = 2.70
    CHECK((plain > 0.2 && plain < 5));
    CHECK((residual > 2 && residual < 3.6));
}

TEST_CASE("DeepMlp: refuses a negative number of blocks", "[nn][skip]") {
    Generator random(3);
    CHECK_THROWS_WITH(nn::DeepMlp({3, 5, -1, 2}, true, random),
                      "DeepMlp: wanted a number of blocks of at least 0, got -1");
}
