#include <recto/figure/images.hpp>

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include <recto/book/trace.hpp>

using namespace recto;
using figure::Images;

TEST_CASE("images: one picture of pixels, words under each", "[figure][images]") {
    Images grid("fig-1", 2);
    grid.describe("Three boots.")
        .add("a \"boot\"", 2, 3, std::vector<float>{0, 0.5, 1, 1, -3, 7})
        .add("b", 2, 3, {0, 0, 0, 1, 1, 1});
    grid.add("c", 2, 3, {0, 0, 0, 1, 1, 1});
    const auto made = nlohmann::json::parse(grid.spec("Boots."));
    CHECK(made["description"] == "Three boots.");
    CHECK(made["usermeta"]["recto"]["caption"] == "Boots.");
    const auto& layer = made["hconcat"][0]["layer"];
    CHECK(layer[0]["mark"]["url"].get<std::string>().starts_with("data:image/png;base64,"));
    REQUIRE(layer[1]["data"]["values"].size() == 3);
    CHECK(layer[1]["data"]["values"][0]["label"] == "a \"boot\"");
    CHECK(layer[1]["data"]["values"][0]["x"] == layer[1]["data"]["values"][2]["x"]);  // the third image begins a row
    const std::string plain = grid.spec("Boots.");
    CHECK(grid.negative().spec("Boots.") != plain);
}

TEST_CASE("images: what does not fit is refused", "[figure][images]") {
    Images grid("fig-1", 2);
    CHECK_THROWS_AS(grid.spec("c"), Error);
    CHECK_THROWS_AS(grid.describe("d").spec("c"), Error);
    CHECK_THROWS_AS(grid.add("a", 2, 2, {1, 2, 3}), Error);
    CHECK_THROWS_AS(grid.add("a", 1, 2, {0, std::nan("")}), Error);
    CHECK_THROWS_AS(grid.add("a", -1, -2, {0, 1}), Error);
    grid.add("a", 1, 2, {0, 1});
    CHECK_THROWS_AS(grid.add("b", 2, 1, {0, 1}), Error);
    CHECK_THROWS_AS(grid.add("b", 1, 2, {0, 1, 0, 1, 0, 1}), Error);  // colour after grey
    CHECK_THROWS_AS(Images("fig-2", 0), Error);
    book::start({.silent = true});
    grid.save("c");
    CHECK(nlohmann::json::parse(book::records())["spec"] == "fig-1.vl.json");
}
