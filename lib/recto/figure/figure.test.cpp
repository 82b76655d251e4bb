#include <recto/figure/figure.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include <recto/book/trace.hpp>

using namespace recto;
using figure::Figure, figure::Values;
using json = nlohmann::json;

namespace {

json spec(const Figure& f) { return json::parse(f.spec("A caption.")); }

std::string message(const Figure& f) {
    try {
        f.spec("c");
    } catch (const Error& e) {
        return e.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("figure: alt text is mandatory", "[figure]") {
    Figure f("fig-1");
    f.line("", {1, 2}, {3, 4});
    CHECK(message(f) == "figure fig-1: wanted a description for those who cannot see it, call describe()");
    CHECK_THROWS_AS(f.save("A caption."), Error);
    f.describe("A line.");
    CHECK_THROWS_AS(f.save(""), Error);
    CHECK(message(Figure("fig-2").describe("d")).find("an empty panel") != std::string::npos);
}

TEST_CASE("figure: name, caption and description with odd letters survive", "[figure]") {
    const std::string odd = "a \"b\" \\c\n</script> é";
    Figure f("fig-1");
    const json made = json::parse(f.describe(odd).line(odd, {1, 2}, {3, 4}).line("b", {1, 2}, {3, 4}).x(odd).spec(odd));
    CHECK(made["description"] == odd);
    CHECK(made["usermeta"]["recto"]["caption"] == odd);
    CHECK(made["usermeta"]["recto"]["name"] == "fig-1");
    CHECK(made["encoding"]["color"]["scale"]["domain"][0] == odd);
    CHECK(made["layer"][0]["encoding"]["x"]["title"] == odd);
}

TEST_CASE("figure: any numbers go in, six digits come out, gaps are null", "[figure]") {
    Figure f("fig-1");
    const float x[] = {1.5f, 2, 3, 4};
    const std::vector<int> y{1, 20000001, 3, 4};
    f.describe("d").line("a", std::span(x), y).line("b", {1, 2, 3, 4}, {std::nan(""), HUGE_VAL, 1.0 / 3, -1e-20});
    const json made = spec(f);
    CHECK(made["layer"][0]["data"]["values"][0] == json::parse(R"({"x":1.5,"y":1})"));
    CHECK(made["layer"][0]["data"]["values"][1]["y"] == 20000001);
    const json& second = made["layer"][1]["data"]["values"];
    CHECK(second[0]["y"].is_null());
    CHECK(second[1]["y"].is_null());
    CHECK(second[2]["y"] == 0.333333);
    CHECK(second[3]["y"] == -1e-20);
}

TEST_CASE("figure: what is not positive is a gap on a logarithmic axis", "[figure]") {
    Figure f("fig-1");
    f.describe("d").line("", {0, 1, 10}, {1, 0, 1e-8}).log_axes();
    const json layer = spec(f)["layer"][0];
    CHECK(layer["data"]["values"][0]["x"].is_null());
    CHECK(layer["data"]["values"][1]["y"].is_null());
    CHECK(layer["encoding"]["y"]["scale"]["domain"] == json::array({1e-8, 1}));
    CHECK(layer["encoding"]["x"]["axis"]["values"] == json::array({1, 10}));
    CHECK(layer["encoding"]["y"]["axis"]["labelExpr"].get<std::string>().find("\"-8\":\"10⁻⁸\"") != std::string::npos);
}

TEST_CASE("figure: colours go by label, dashes by line, and a legend only where needed", "[figure]") {
    Figure one("fig-1");
    one.describe("d").line("alone", {1, 2}, {3, 4});
    CHECK(!spec(one).contains("encoding"));
    CHECK(spec(one)["layer"][0]["mark"]["color"] == "#165CC8");

    Figure f("fig-1");
    f.describe("d").lines("thin", {1, 2}, {3, 4, 5, 6}).line("first", {1, 2}, {3, 4}).line("second", {1, 2}, {3, 4});
    f.band("first", {1, 2}, {2, 3}, {4, 5}).dots("seen", {1}, {2}, {.color = figure::ink});
    const json made = spec(f);
    const json& scale = made["encoding"]["color"]["scale"];
    CHECK(scale["domain"] == json::array({"thin", "first", "second", "seen"}));
    CHECK(scale["range"] == json::array({"#165CC8", "#B03A2A", "#05A06C", "#1F1C18"}));
    CHECK(!made["layer"][1]["mark"].contains("strokeDash"));
    CHECK(made["layer"][2]["mark"]["strokeDash"] == json::array({6, 3}));
    CHECK(made["layer"][0]["data"]["values"].size() == 4);
    CHECK(made["layer"][0]["data"]["values"][2] == json::parse(R"({"line":2,"x":1,"y":5})"));
    for (const json& layer : made["layer"]) CHECK(!layer["data"]["name"].get<std::string>().empty());
}

TEST_CASE("figure: data sets have names of their own", "[figure]") {
    Figure f("fig-1");
    f.describe("d").dots("a b", {1}, {2}).line("a b", {1}, {2}).line("", {1}, {2}).rule_x(1, "one");
    const json made = spec(f)["layer"];
    CHECK(made[0]["data"]["name"] == "a-b");
    CHECK(made[1]["data"]["name"] == "a-b-2");
    CHECK(made[2]["data"]["name"] == "data");
    CHECK(made[3]["data"]["name"] == "rule");
}

TEST_CASE("figure: a label of the legend is never cut off", "[figure]") {
    Figure f("fig-1");
    f.describe("d").line("twenty-six letters with γγ", {1, 2}, {3, 4});
    CHECK(message(f) == "no error");
    f.line("twenty-seven letters, this ", {1, 2}, {3, 4});
    CHECK(message(f) == "legend: wanted labels of at most 26 letters, got 'twenty-seven letters, this '");
}

TEST_CASE("figure: words at places", "[figure]") {
    Figure f("fig-1");
    f.describe("d").words("", {1, 2}, {3, 4}, {"a \"b\"", "c"}, {.color = figure::ink});
    const json made = spec(f)["layer"][0];
    CHECK(made["mark"]["type"] == "text");
    CHECK(made["mark"]["fontSize"] == 13);
    CHECK(made["mark"]["color"] == "#1F1C18");
    CHECK(made["encoding"]["text"]["field"] == "words");
    CHECK(made["data"]["values"][0] == json::parse(R"({"x":1,"y":3,"words":"a \"b\""})"));
    f.words("", {1}, {3}, {"c"}, {.bold = true});
    CHECK_FALSE(spec(f)["layer"][0]["mark"].contains("fontWeight"));
    CHECK(spec(f)["layer"][1]["mark"]["fontWeight"] == "bold");
    CHECK_THROWS_WITH(f.words("w", {1, 2}, {3, 4}, {"a"}), "words 'w': wanted as many words as places, got 1 and 2");
}

TEST_CASE("figure: bars stand on zero, side by side", "[figure]") {
    Figure f("fig-1");
    f.describe("d").bars("a", {"x", "y"}, {5, 6}).bars("b", {"x", "y"}, {7, 8});
    const json made = spec(f);
    CHECK(made["layer"][0]["encoding"]["y"]["scale"]["domain"] == json::array({0, 8}));
    CHECK(made["layer"][1]["encoding"]["xOffset"]["datum"] == "b");
    Figure two("fig-2");
    two.describe("d").panel("left").bars("a", {"x"}, {1}).bars("b", {"x"}, {2});
    two.panel("right").bars("a", {"y"}, {3}).bars("b", {"y"}, {4});
    CHECK(spec(two)["resolve"]["scale"] == json::parse(R"({"xOffset":"independent"})"));
    Figure h("fig-2");
    h.describe("d").bars("", Values{0.5, 1.5}, {1, 2});
    CHECK(spec(h)["layer"][0]["data"]["values"][1] == json::parse(R"({"x":1.5,"y":2,"from":1,"to":2})"));
}

TEST_CASE("figure: panels, each with its own axes", "[figure]") {
    Figure f("fig-1");
    f.describe("d").panel("left").line("a", {1, 2}, {3, 4}).xlim(0, 5).panel("right").line("b", {1, 2}, {3, 4}).log_y();
    f.panel("below").heatmap("share", {"p", "q"}, {"r"}, {0.25, 0.75});
    const json made = spec(f);
    REQUIRE(made["concat"].size() == 3);
    CHECK(made["columns"] == 2);
    CHECK(made["concat"][0]["title"]["text"] == "left");
    CHECK(made["concat"][0]["layer"][0]["encoding"]["x"]["scale"]["domain"] == json::array({0, 5}));
    CHECK(made["concat"][1]["layer"][0]["encoding"]["y"]["scale"]["type"] == "log");
    CHECK(made["concat"][2]["layer"][0]["data"]["values"][1] ==
          json::parse(R"({"row":"r","column":"q","value":0.75})"));
    f.dots("on top", {1}, {1});
    CHECK(message(f).find("a panel of its own") != std::string::npos);
}

TEST_CASE("figure: a heat map of as much below zero as above shows the sign as a hue", "[figure]") {
    const auto drawn = [](double low, double high) {
        Figure f("fig-1");
        f.describe("d").heatmap("weight", {"p"}, {"r"}, {-1}, low, high);
        return spec(f)["layer"][0]["layer"];
    };
    const json signs = drawn(-4, 4), sizes = drawn(0, 4);
    CHECK(signs[0]["encoding"]["color"]["scale"] ==
          json::parse(R"({"scheme":"blueorange","domain":[-4,4],"clamp":true})"));
    CHECK(sizes[0]["encoding"]["color"]["scale"]["scheme"] == "viridis");
    CHECK(signs[1]["mark"]["fontSize"]["expr"] == "bandwidth('x') < 18 ? 0 : min(12, bandwidth('x') / 1.8)");
    // dark words on light cells, which are those near zero
    CHECK(signs[1]["encoding"]["color"]["condition"]["test"] == "abs(datum.value) < 2.4");
    CHECK(sizes[1]["encoding"]["color"]["condition"]["test"] == "datum.value > 2.4");
}

TEST_CASE("figure: cells of a heat map may have frames", "[figure]") {
    Figure f("fig-1");
    f.describe("d").slider("K", {1, 2}, "step", 2).panel("above").tall(90);
    for (const int k : {1, 2}) f.at(k).heatmap("", {"p", "q"}, {"r", "s"}, {0, 1, 2, 3.0 * k});
    f.always().frame({"q", "p"}, {"r", "s"}).panel("below").heatmap("", {"p"}, {"r"}, {1});
    const json made = spec(f), above = made["concat"][0];
    CHECK(above["height"] == 90);
    CHECK(made["concat"][1]["height"] == 240);
    REQUIRE(above["layer"].size() == 2);
    CHECK(above["layer"][0]["transform"][0]["filter"] == "datum.K == K");
    CHECK(above["layer"][1]["mark"]["filled"] == false);
    CHECK(above["layer"][1]["data"]["values"] == json::parse(R"([{"row":"r","column":"q"},{"row":"s","column":"p"}])"));
    CHECK_THROWS_AS(f.frame({"p"}, {"r", "s"}), Error);
    f.line("a", {1}, {1});
    CHECK(message(f).find("a panel of its own") != std::string::npos);
}

TEST_CASE("figure: a cell of a heat map that is no number has no words", "[figure]") {
    Figure f("fig-1");
    f.describe("d").heatmap("", {"p", "q"}, {"r"}, {1, NAN});
    const json words = spec(f)["layer"][0]["layer"][1];
    CHECK(words["transform"][0]["filter"] == "isValid(datum.value)");
}

TEST_CASE("figure: many cells show their numbers when asked, where there is room", "[figure]") {
    const figure::Names names = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"};
    Figure f("fig-1");
    f.describe("d").heatmap("", names, names, std::vector<double>(169));
    CHECK(spec(f)["layer"][0]["layer"].size() == 1);
    f.numbers();
    CHECK(spec(f)["layer"][0]["layer"][1]["mark"]["fontSize"]["expr"] ==
          "bandwidth('x') < 8 ? 0 : min(12, bandwidth('x') / 0.8)");
    f.panel("other").heatmap("", {"p"}, {"r"}, {1});
    CHECK(message(f) == "figure fig-1: numbers() wants a figure of one panel");
}

TEST_CASE("figure: of a heat map with a slider the cells of one setting are counted", "[figure]") {
    const figure::Names names = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    Figure f("fig-1");
    f.describe("d").slider("K", {1, 2}, "step", 2).panel("a").line("", {1}, {1}).panel("b");
    for (const int k : {1, 2}) f.at(k).heatmap("", names, names, std::vector<double>(100, 0.25 * k));
    const json drawn = spec(f)["concat"][1]["layer"][0]["layer"];
    REQUIRE(drawn.size() == 2);
    CHECK(drawn[1]["mark"]["fontSize"]["expr"] ==
          "bandwidth('concat_1_x') < 23 ? 0 : min(12, bandwidth('concat_1_x') / 2.3)");
}

TEST_CASE("figure: the cells of a heat map without axes are squares", "[figure]") {
    Figure f("fig-1");
    f.describe("d").height(200).panel("a").heatmap("", {"p", "q", "r"}, {"s"}, {1, 2, 3}).bare();
    f.panel("b").heatmap("", {"p", "q", "r"}, {"s"}, {1, 2, 3});
    f.panel("c").heatmap("", {"p", "q", "r"}, {"s"}, {1, 2, 3}).bare().tall(50);
    f.panel("d").heatmap("", {"p"}, {"s", "t"}, {1, 2}).bare();
    const json panels = spec(f)["concat"];
    CHECK(panels[0]["width"] == 285);
    CHECK(panels[0]["height"] == 95);
    CHECK(panels[1]["height"] == 200);
    CHECK(panels[2]["height"] == 50);
    CHECK(panels[3]["height"] == 285);
}

TEST_CASE("figure: a long legend has several rows", "[figure]") {
    Figure few("fig-1"), many("fig-2");
    few.describe("d"), many.describe("d");
    for (const char* name : {"one", "two", "three", "four"}) few.line(name, {1, 2}, {3, 4});
    CHECK_FALSE(spec(few).contains("config"));
    for (const char* name : {"ReLU", "leaky ReLU", "GELU", "SiLU", "ELU", "SELU", "tanh", "sigmoid"})
        many.line(name, {1, 2}, {3, 4});
    CHECK(spec(many)["config"] == json::parse(R"({"legend":{"columns":4}})"));
}

TEST_CASE("figure: the words of rules do not run into each other or out of the panel", "[figure]") {
    Figure f("fig-1"), given("fig-2");
    f.describe("d").line("", {0, 100}, {0, 1}).rule_x(40, "median").rule_x(50, "mean").rule_x(98, "end");
    f.rule_y(1, "highest");
    const json made = spec(f)["layer"];
    const auto align = [&](const json& rule) { return rule["layer"][1]["mark"]["align"]; };
    CHECK(align(made[1]) == "right");
    CHECK(align(made[2]) == "left");
    CHECK(align(made[3]) == "right");
    CHECK(made[0]["encoding"]["y"]["scale"]["domain"] == json::array({0, 1.1}));
    CHECK(made[4]["layer"][1]["mark"]["baseline"] == "bottom");
    given.describe("d").line("", {0, 100}, {0, 1}).ylim(0, 1).rule_y(1, "highest");
    CHECK(spec(given)["layer"][1]["layer"][1]["mark"]["baseline"] == "top");
}

TEST_CASE("figure: a slider shows one setting, and axes stay where they are", "[figure]") {
    Figure f("fig-1");
    f.describe("d").slider("K", {1, 2, 3}, "bumps", 2).dots("sample", {0, 1}, {0, 1});
    for (const int k : {1, 2, 3}) f.at(k).line("fit", {0, 1}, {0.0, 10.0 * k});
    const json made = spec(f);
    CHECK(made["params"][0]["value"] == 2);
    CHECK(made["params"][0]["bind"] == json::parse(R"({"name":"bumps ","input":"range","min":1,"max":3,"step":1})"));
    REQUIRE(made["layer"].size() == 2);
    CHECK(!made["layer"][0].contains("transform"));
    CHECK(made["layer"][1]["transform"][0]["filter"] == "datum.K == K");
    CHECK(made["layer"][1]["data"]["values"].size() == 6);
    CHECK(made["layer"][1]["data"]["values"][5] == json::parse(R"({"x":1,"y":30,"K":3})"));
    CHECK(made["layer"][0]["encoding"]["y"]["scale"]["domain"] == json::array({0, 30}));
    CHECK_THROWS_AS(f.at(4), Error);

    Figure uneven("fig-2");
    uneven.describe("d").slider("rate", {0.1, 0.2, 3 * 0.1}, "rate", 0.1).at(3 * 0.1).line("", {0, 1}, {0, 1});
    CHECK(spec(uneven)["params"][0]["bind"]["options"] == json::array({0.1, 0.2, 3 * 0.1}));
    CHECK(spec(uneven)["params"][0]["bind"]["labels"] == json::array({"0.1", "0.2", "0.3"}));
    CHECK(spec(uneven)["layer"][0]["data"]["values"][0]["rate"] == 3 * 0.1);
    CHECK_THROWS_AS(Figure("f").at(1), Error);
    CHECK_THROWS_AS(Figure("f").slider("two words", {1}, "l", 1), Error);
}

TEST_CASE("figure: nameless layers of one setting keep their own colours", "[figure]") {
    Figure f("fig-1");
    f.describe("d").slider("K", {1, 2}, "K", 1);
    for (const int k : {1, 2})
        f.at(k).dots("", {0}, {1.0 * k}, {.color = figure::blue}).dots("", {0}, {2.0 * k}, {.color = figure::ochre});
    const json made = spec(f)["layer"];
    REQUIRE(made.size() == 2);
    CHECK(made[0]["mark"]["color"] == "#165CC8");
    CHECK(made[1]["mark"]["color"] == "#AF8800");
    CHECK(made[1]["data"]["values"].size() == 2);
}

TEST_CASE("figure: the points of a line have its colour, and a rule's words stand at the right end", "[figure]") {
    Figure f("fig-1");
    f.describe("d").line("", {0, 1}, {0, 1}, {.color = figure::red, .points = true}).rule_y(0.5, "half");
    const json made = spec(f)["layer"];
    CHECK(made[0]["mark"]["point"]["color"] == "#B03A2A");
    CHECK(made[1]["layer"][1]["encoding"]["x"]["value"] == "width");
    CHECK(made[1]["layer"][1]["mark"]["align"] == "right");
}

TEST_CASE("figure: marks at the ends of a line are not cut", "[figure]") {
    const auto ends = [](const Figure& f) { return spec(f)["layer"][0]["encoding"]["x"]["scale"]["domain"]; };
    Figure marked("fig-1"), plain("fig-2"), given("fig-3"), powers("fig-4");
    marked.describe("d").line("", {0, 1000}, {0, 1}, {.points = true});
    CHECK(ends(marked) == json::array({-15, 1015}));
    plain.describe("d").line("", {0, 1000}, {0, 1}, {.points = false});
    CHECK(ends(plain) == json::array({0, 1000}));
    given.describe("d").line("", {0, 1000}, {0, 1}, {.points = true}).xlim(0, 1000);
    CHECK(ends(given) == json::array({0, 1000}));
    powers.describe("d").line("", {1, 100}, {1, 2}, {.points = true}).log_x();
    CHECK(ends(powers)[0].get<double>() < 1);
    CHECK(ends(powers)[1].get<double>() > 100);
}

TEST_CASE("figure: wrong lengths are refused", "[figure]") {
    Figure f("fig-1");
    CHECK_THROWS_AS(f.line("a", {1, 2}, {1}), Error);
    CHECK_THROWS_AS(f.line("a", Values(std::vector<double>{}), Values(std::vector<double>{})), Error);
    CHECK_THROWS_AS(f.lines("a", {1, 2}, {1, 2, 3}), Error);
    CHECK_THROWS_AS(f.band("a", {1, 2}, {1, 2}, {1}), Error);
    CHECK_THROWS_AS(f.bars("a", {"x"}, {1, 2}), Error);
    CHECK_THROWS_AS(f.heatmap("a", {"x"}, {"y"}, {1, 2}), Error);
    CHECK_THROWS_AS(f.field(0, 1, 0, 1, 3, {1, 2, 3, 4}), Error);
    CHECK_THROWS_AS(Figure("fig-2").slider("s", {1, 2}, "s", 1).at(2).field(0, 1, 0, 1, 2, {1, 2, 3, 4}), Error);
    CHECK_THROWS_AS(f.xlim(1, 1), Error);
    CHECK_THROWS_AS(f.ylim(std::nan(""), 1), Error);
}

TEST_CASE("figure: a field lies under the dots and lists no table", "[figure]") {
    Figure f("fig-1");
    f.describe("d").field(-1, 1, 0, 2, 2, {0, 1, 2, std::nan("")}).dots("a", {0}, {1});
    const json made = spec(f);
    CHECK(made["layer"][0]["mark"]["url"].get<std::string>().find("data:image/png;base64,iVBORw0KGgo") == 0);
    CHECK(!made["layer"][0]["data"].contains("values"));
    CHECK(made["layer"][1]["encoding"]["x"]["scale"]["domain"] == json::array({-1, 1}));
}

TEST_CASE("figure: a field with a label has a colour bar of its own numbers", "[figure]") {
    Figure f("fig-1");
    f.describe("d").field(-1, 1, 0, 2, 2, {0.5, 1, 2, std::nan("")}, "loss").dots("a", {0}, {1}).dots("b", {0}, {1});
    const json made = spec(f), bar = made["layer"][0]["layer"][1]["encoding"]["fill"];
    CHECK(bar["legend"]["title"] == "loss");
    CHECK(bar["scale"]["domain"] == json::array({0.5, 2}));
    CHECK(bar["scale"]["range"].front() == "#440154");
    CHECK(bar["scale"]["range"].back() == "#FDE725");
    CHECK(made["encoding"]["color"]["scale"]["domain"] == json::array({"a", "b"}));
}

TEST_CASE("figure: saved once under a plain name", "[figure]") {
    book::start({.silent = true});
    Figure("fig-1").describe("d").line("", {1}, {2}).save("c");
    const json record = json::parse(book::records());
    CHECK(record["kind"] == "figure");
    CHECK(record["name"] == "fig-1");
    CHECK(record["spec"] == "fig-1.vl.json");
    CHECK_THROWS_AS(Figure("fig-1").describe("d").line("", {1}, {2}).save("c"), Error);
    CHECK_THROWS_AS(Figure("../fig-1").describe("d").line("", {1}, {2}).save("c"), Error);
}

TEST_CASE("figure: a canvas names its option, its panel and the ends of its numbers", "[figure]") {
    const book::Option<std::string> drawn("test-drawn", "", "cells");
    const auto two = [&](double high) {
        Figure f("fig-1");
        f.describe("d").panel("a").heatmap("", {"1", "2"}, {"1"}, {0, 1}, 0, high);
        f.painted_by(drawn).panel("b").heatmap("", {"1", "2"}, {"1"}, {0, 1});
        return json::parse(f.spec("c"));
    };
    CHECK(two(1)["usermeta"]["recto"]["canvas"] ==
          json::parse(R"({"option":"--test-drawn","panel":0,"low":0,"high":1})"));
    CHECK_THROWS_AS(two(0), Error);
    Figure line("fig-2");
    line.describe("d").line("", {1, 2}, {3, 4}).painted_by(drawn);
    CHECK(message(line).find("wanted one of several panels") != std::string::npos);
    CHECK_THROWS_AS(line.painted_by(drawn), Error);
}

TEST_CASE("figure: a dot to drag names its options, its place and the limits of its panel", "[figure]") {
    const book::Option<double> x("test-x", 0.5, "place"), y("test-y", 2, "place");
    Figure f("fig-1");
    f.describe("d").panel("a").line("", {1, 2}, {3, 4}).panel("b").xlim(0, 1).ylim(-1, 3).dragged(0.5, 2, x, y);
    CHECK(spec(f)["usermeta"]["recto"]["handle"] == json::parse(R"({"options":["--test-x","--test-y"],"at":[0.5,2],
        "low":[0,-1],"high":[1,3],"panel":"concat_1_group"})"));
    CHECK(spec(f)["concat"][1]["layer"][0]["data"]["values"] == json::parse(R"([{"x":0.5,"y":2}])"));
    CHECK_THROWS_AS(f.dragged(0, 0, x, y), Error);
    Figure one("fig-2");
    one.describe("d").xlim(0, 1).ylim(0, 1).dragged(0, 0, x, y);
    CHECK(spec(one)["usermeta"]["recto"]["handle"]["panel"] == "root");
    Figure wide("fig-3");
    wide.describe("d").dragged(0, 0, x, y);
    CHECK(message(wide).find("wanted a panel with limits") != std::string::npos);
}

TEST_CASE("figure: a slider of an option, and what it draws", "[figure]") {
    const book::Option<double> angle("angle", 0, "degrees");
    CHECK(figure::settings(angle, {0, 90}) == std::vector<double>{0, 90});
    const auto drawn = [&] {
        const std::vector<double> all = figure::settings(angle, {0, 90});
        Figure f("fig-1");
        f.describe("d").slider(angle, all, "degrees");
        for (const double setting : all) f.at(setting).line("", {1, 2}, {3, setting});
        return json::parse(f.spec("c"));
    };
    CHECK(drawn()["usermeta"]["recto"]["slider"] == "--angle");
    CHECK(drawn()["params"][0]["value"] == 0);
    CHECK(drawn()["layer"][0]["data"]["values"].size() == 4);
    REQUIRE(angle.take("31"));
    CHECK(figure::settings(angle, {0, 90}) == std::vector<double>{31});
    CHECK(drawn()["layer"][0]["data"]["values"] ==
          json::parse(R"([{"x":1,"y":3,"angle":31},{"x":2,"y":31,"angle":31}])"));
    CHECK_FALSE(spec(Figure("fig-2")
                         .describe("d")
                         .slider("s", {1, 2}, "s", 1)
                         .always()
                         .line("", {1, 2}, {3, 4}))["usermeta"]["recto"]
                    .contains("slider"));
}

TEST_CASE("figure: sliders for which nothing is drawn ahead", "[figure]") {
    const book::Option<Index> kernel("kernel", 3, "width", {.least = 2, .most = 4}),
        stride("stride", 1, "step", {.least = 1});
    REQUIRE(kernel.take("4"));
    Figure f("fig-1");
    f.describe("d").slider(kernel, "kernel").line("", {1, 2}, {3, double(kernel())});
    const json drawn = spec(f);
    CHECK(drawn["usermeta"]["recto"]["knobs"] ==
          json::parse(R"([{"option":"--kernel","label":"kernel","least":2,"most":4,"value":4}])"));
    CHECK_FALSE(drawn.contains("params"));
    CHECK_THROWS_AS(f.slider(stride, "stride"), Error);  // no largest value
    CHECK_THROWS_AS(f.slider("s", {1, 2}, "s", 1), Error);
    CHECK_THROWS_AS(Figure("fig-2").slider("s", {1, 2}, "s", 1).slider(kernel, "kernel"), Error);
}

TEST_CASE("figure: a slider is not called as a column of the data", "[figure]") {
    for (const char* name : {"column", "row", "value", "x"})
        CHECK_THROWS_AS(Figure("fig-1").slider(name, {1, 2}, "s", 1), Error);
}

TEST_CASE("figure: a heat map keeps the place of cells without a number", "[figure]") {
    Figure f("fig-1");
    f.describe("d").heatmap("", {"b", "a"}, {"1"}, {std::nan(""), 1});
    CHECK(spec(f)["layer"][0]["layer"][0]["encoding"]["x"]["scale"]["domain"] == json::parse(R"(["b","a"])"));
}
