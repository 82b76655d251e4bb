#include <recto/data/landmarks.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::data;

TEST_CASE("landmarks: each names a source that the book's bibliography has", "[data][landmarks][row:fig-3.7/d]") {
    std::ifstream file(RECTO_BIBLIOGRAPHY);
    std::ostringstream text;
    text << file.rdbuf();
    const std::string bibliography = text.str();
    REQUIRE(bibliography.size() > 1000);
    CHECK(landmarks().size() >= 30);
    for (const Landmark& model : landmarks()) {
        CAPTURE(model.name, model.source);
        CHECK(!model.source.empty());
        CHECK(bibliography.find("{" + std::string(model.source) + ",") != std::string::npos);
    }
}

TEST_CASE("landmarks: each has one total, and they stand in the order of their years", "[data][landmarks]") {
    const std::set<std::string_view> domains = {"language", "vision", "games", "speech"};
    std::set<std::string_view> names;
    for (const Landmark& model : landmarks()) {
        CAPTURE(model.name);
        CHECK(names.insert(model.name).second);
        CHECK(domains.contains(model.domain));
        CHECK((model.stated > 0) != (model.multiply_adds > 0));
        CHECK((model.multiply_adds > 0) == (model.samples > 0));
        CHECK((model.flops() > 1e9 && model.flops() < 1e27));
    }
    CHECK(std::ranges::is_sorted(landmarks(), {}, &Landmark::year));
}

TEST_CASE("landmarks: six operations for a multiply-add, as the papers count", "[data][landmarks]") {
    CHECK(training_flops(1, 1) == 6);
    // GPT-3 (Brown et al., 2020, Table D.1): 174.6 billion parameters, 300 billion tokens.
    CHECK(std::abs(training_flops(174.6e9, 300e9) / 3.14e23 - 1) < 0.01);
    // Llama 3 (Grattafiori et al., 2024): 405 billion parameters, 15.6 trillion tokens.
    CHECK(std::abs(training_flops(405e9, 15.6e12) / 3.8e25 - 1) < 0.01);
}
