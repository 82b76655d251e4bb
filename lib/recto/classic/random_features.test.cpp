#include <recto/classic/random_features.hpp>

#include <algorithm>
#include <cmath>

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
