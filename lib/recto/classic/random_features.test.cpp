#include <recto/classic/random_features.hpp>

#include <algorithm>
#include <cmath>

#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/conv.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::classic;

TEST_CASE("random features: the definition", "[classic]") {
    Generator random(1);
    const RandomFeatures features(20, 129, random);
    const Tensor x = random.normal({7, 20});
    const std::vector<double> a = testing::doubles(x), w = testing::doubles(features.weights);
    std::vector<double> want;
    for (std::size_t i = 0; i < 7; ++i)
        for (std::size_t j = 0; j < 129; ++j) {
            double sum = 0;
            for (std::size_t k = 0; k < 20; ++k) sum += a[20 * i + k] * w[129 * k + j];
            want.push_back(std::max(sum, 0.0));
        }
    CHECK(testing::close(features(x), want, 1e-5));
    double variance = 0;
    for (const double v : w) variance += v * v / double(w.size());
    CHECK(std::abs(variance - 1.0 / 20) <= 0.005);
}

TEST_CASE("random features: edges and messages", "[classic]") {
    Generator random(1);
    const RandomFeatures features(2, 3, random);
    CHECK(features(empty({0, 2})).shape() == Shape{0, 3});
    CHECK(std::isnan(features(full({1, 2}, not_a_number)).at({0, 0})));
    CHECK_THROWS_WITH(features(zeros({2, 3})), "RandomFeatures: wanted shape (rows, 2), got (2, 3)");
    CHECK_THROWS_WITH(RandomFeatures(1, 0, random),
                      "RandomFeatures: wanted at least one input and one feature, got 1 and 0");
}

TEST_CASE("random features: dense and convolutional layers on every device",
          "[classic][devices][row:claim-random-features-good/d]") {
    const Device device = GENERATE(from_range(testing::devices()));
    CAPTURE(device);
    Generator random(2);
    const Tensor x = random.normal({5, 784}), images = random.normal({3, 1, 28, 28});
    const RandomFeatures features(784, 129, random);
    const Tensor dense = relu(matmul(x.to(device), features.weights.to(device)));
    CHECK(testing::close(dense.to(Device::cpu), testing::doubles(features(x)), 1e-4));
    const Tensor filters = random.normal({7, 1, 5, 5}, 0, Real(0.2));
    const auto layer = [&](Device on) {
        return avg_pool2d(relu(conv2d(images.to(on), filters.to(on), {}, {.stride = 2})), 3);
    };
    CHECK(testing::close(layer(device).to(Device::cpu), testing::doubles(layer(Device::cpu)), 1e-4));
}
