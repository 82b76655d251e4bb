#include <recto/figure/figure.hpp>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

using namespace recto;
using figure::Figure, figure::Values;
using json = nlohmann::json;

namespace {

json spec(const Figure& f) { return json::parse(f.spec("A caption.")); }

}  // namespace

TEST_CASE("figure: a logarithmic axis over less than a decade has ticks too", "[figure]") {
    const auto ticks = [](double low, double high) {
        Figure f("fig-1");
        f.describe("d").line("", {1, 2}, {low, high}).log_y().ylim(low, high);
        return spec(f)["layer"][0]["encoding"]["y"]["axis"]["values"];
    };
    CHECK(ticks(2, 3.4) == json::array({2, 2.5, 3}));
    CHECK(ticks(2.05, 2.5) == json::array({2.1, 2.2, 2.3, 2.4, 2.5}));
    CHECK(ticks(0.8, 6) == json::array({1, 2, 5}));
    CHECK(ticks(7, 9.9) == json::array({7, 8, 9}));
}

TEST_CASE("figure: years are written without a comma", "[figure]") {
    Figure f("fig-1");
    f.describe("d").dots("", {1989.9, 2024}, {1, 2}).x("year");
    CHECK(spec(f)["layer"][0]["encoding"]["x"]["axis"]["format"] == "d");
}

TEST_CASE("figure: what is counted has no ticks at fractions", "[figure]") {
    Figure f("fig-1");
    f.describe("d").line("", {1, 2, 5}, {0.1, 0.2, 0.3});
    CHECK(spec(f)["layer"][0]["encoding"]["x"]["axis"]["tickMinStep"] == 1);
    Figure g("fig-2");
    g.describe("d").line("", {1, 2.5, 5}, {0.1, 0.2, 0.3});
    CHECK(!spec(g)["layer"][0]["encoding"]["x"].contains("axis"));
}

TEST_CASE("figure: names lie flat until they are too long, however often they occur", "[figure]") {
    Figure f("fig-1");
    f.describe("d").slider("n", {1, 2, 3, 4}, "n", 1);
    for (const int n : {1, 2, 3, 4})
        f.at(n).bars("a", {"0", "1", "2", "3", "4", "5", "6", "7"}, Values(std::vector<double>(8, n)));
    CHECK(spec(f)["layer"][0]["encoding"]["x"]["axis"]["labelAngle"] == 0);
    Figure h("fig-2");
    h.describe("d").heatmap("", {std::string(40, 'a'), std::string(40, 'b')}, {"r"}, {0, 1});
    CHECK(spec(h)["layer"][0]["layer"][0]["encoding"]["x"]["axis"]["labelAngle"] == -35);
    CHECK(spec(h)["layer"][0]["layer"][0]["encoding"]["color"]["legend"].is_null());
    figure::Names frames;
    for (int n = 0; n < 30; ++n) frames.push_back("t" + std::to_string(10 + n));
    Figure all("fig-3");
    all.describe("d").heatmap("", frames, frames, Values(std::vector<double>(900, 1)));
    const json cells = spec(all)["layer"][0]["layer"][0]["encoding"];
    for (const char* axis : {"x", "y"}) CHECK(!cells[axis]["axis"].contains("labelOverlap"));
    frames.push_back("t40");
    Figure many("fig-4");  // too many names to write all of them
    many.describe("d").heatmap("", frames, frames, Values(std::vector<double>(961, 1)));
    const json crowd = spec(many)["layer"][0]["layer"][0]["encoding"];
    for (const char* axis : {"x", "y"}) CHECK(crowd[axis]["axis"]["labelOverlap"] == "parity");
    CHECK(crowd["x"]["axis"]["labelAngle"] == 0);
    Figure counted("fig-5");  // whole numbers: some are left out where there is no room
    counted.describe("d").heatmap("", {"9", "10"}, {"a", "2"}, {0, 1, 2, 3});
    const json few = spec(counted)["layer"][0]["layer"][0]["encoding"];
    CHECK(few["x"]["axis"]["labelOverlap"] == "parity");
    CHECK(!few["y"]["axis"].contains("labelOverlap"));
}

TEST_CASE("figure: a panel may do without axes", "[figure]") {
    Figure f("fig-1");
    f.describe("d").panel("p").field(0, 1, 0, 1, 1, {0, 1}).bare();
    const json made = spec(f)["layer"][0];
    CHECK(made["encoding"]["x"]["axis"].is_null());
    CHECK(made["mark"]["opacity"] == 1);
    Figure h("fig-2");
    h.describe("d").panel("p").heatmap("", {"a"}, {"r"}, {0}).bare();
    CHECK(spec(h)["layer"][0]["layer"][0]["encoding"]["x"]["axis"].is_null());
    CHECK(spec(h)["layer"][0]["layer"][0]["encoding"]["y"]["axis"].is_null());
}
