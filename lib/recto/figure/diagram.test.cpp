#include <recto/figure/diagram.hpp>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include <recto/book/trace.hpp>
#include <recto/figure/model.hpp>
#include <recto/nn/sequential.hpp>

using namespace recto;
using figure::Diagram;

TEST_CASE("diagram: labels may hold anything", "[figure][diagram]") {
    Diagram d("fig-1");
    d.describe("Two boxes.")
        .node("a\"", "say \"hi\" \\N\nnow")
        .node("b", "<b>")
        .edge("a\"", "b", "x -> y")
        .group("all; }", {"b"})
        .group("x2", {"b"}, figure::Dash::dashed)
        .tall("b");
    const std::string dot = d.dot();
    CHECK(dot.find(R"("a\"" [label="say \"hi\" \\N\nnow")") != std::string::npos);
    CHECK(dot.find(R"("b" [label="<b>")") != std::string::npos);
    CHECK(dot.find(R"("a\"" -> "b" [label=" x -> y  ")") != std::string::npos);
    CHECK(dot.find(R"(label="all; }";)") != std::string::npos);
    CHECK(dot.find("label=\"x2\";\n    style=dashed;") != std::string::npos);
    CHECK(dot.find(R"("b" [height=0.62];)") != std::string::npos);
    CHECK(dot.find("rankdir=TB") != std::string::npos);
    CHECK(d.left_to_right().dot().find("rankdir=LR") != std::string::npos);
}

TEST_CASE("diagram: arrows against the flow, and nodes on one level", "[figure][diagram]") {
    Diagram d("fig-1");
    const std::string dot = d.describe("Two.").node("a", "a").node("b", "b").edge_back("b", "a", "x").dot();
    CHECK(dot.find(R"("a" -> "b" [label=" x  ", color="#6B6357", dir=back])") != std::string::npos);
    CHECK_THROWS_AS(d.edge_back("b", "c"), Error);
    CHECK(d.level({"a", "b"}).dot().find(R"({ rank=same; "a"; "b"; })") != std::string::npos);
    CHECK_THROWS_AS(d.level({"c"}), Error);
}

TEST_CASE("diagram: a node leads to a page", "[figure][diagram]") {
    Diagram d("fig-1");
    const std::string dot = d.describe("A box.").node("a", "a").link("a", "page.html#\"b\"").dot();
    CHECK(dot.find(R"(  "a" [URL="page.html#\"b\""];)") != std::string::npos);
}

TEST_CASE("diagram: what is not there is refused", "[figure][diagram]") {
    Diagram d("fig-1");
    CHECK_THROWS_AS(d.node("a", "a").dot(), Error);  // no description
    CHECK_THROWS_AS(d.node("a", "again"), Error);
    CHECK_THROWS_AS(d.edge("a", "b"), Error);
    CHECK_THROWS_AS(d.group("g", {"b"}), Error);
    CHECK_THROWS_AS(d.link("b", "b.html"), Error);
    CHECK_THROWS_AS(Diagram("fig-2").describe("d").dot(), Error);
}

TEST_CASE("diagram: saved with its description beside it", "[figure][diagram]") {
    book::start({.silent = true});
    Diagram("fig-1").describe("A box.").node("a", "a").save("One box.");
    const auto record = nlohmann::json::parse(book::records());
    CHECK(record["spec"] == "fig-1.dot");
    CHECK_THROWS_AS(book::keep_file("fig-1.meta.json", ""), Error);  // the name is taken
    CHECK_THROWS_AS(Diagram("fig-2").describe("A box.").node("a", "a").save(""), Error);
}

TEST_CASE("diagram: a model of two layers, to the letter", "[figure][diagram]") {
    Generator random(1);
    const nn::Mlp model({3, 4, 2}, relu, random);
    const std::string dot = figure::model_diagram("fig-2", model, ones({5, 3})).dot();
    CHECK(figure::model_diagram("fig-2", model, ones({5, 3})).dot() == dot);  // later on the tape, with the same result
    CHECK(dot.substr(dot.find("  \"1\"")) == R"dot(  "1" [label="layers.0.weight\n(4, 3)", shape=box, color="#6B6357"];
  "2" [label="layers.0.bias\n(4)", shape=box, color="#6B6357"];
  "3" [label="layers.1.weight\n(2, 4)", shape=box, color="#6B6357"];
  "4" [label="layers.1.bias\n(2)", shape=box, color="#6B6357"];
  "5" [label="input\n(5, 3)", shape=box, color="#1F1C18"];
  "6" [label="linear\n(5, 4)", shape=box, style=rounded, color="#165CC8"];
  "5" -> "6" [label="", color="#6B6357"];
  "1" -> "6" [label="", color="#6B6357"];
  "2" -> "6" [label="", color="#6B6357"];
  "7" [label="relu\n(5, 4)", shape=box, style=rounded, color="#165CC8"];
  "6" -> "7" [label="", color="#6B6357"];
  "8" [label="linear\n(5, 2)", shape=box, style=rounded, color="#165CC8"];
  "7" -> "8" [label="", color="#6B6357"];
  "3" -> "8" [label="", color="#6B6357"];
  "4" -> "8" [label="", color="#6B6357"];
}
)dot");
}

namespace {
struct Hostile {
    nn::Linear layer;
    Tensor operator()(const Tensor& x) const { return layer(x); }
    void visit(auto&& part) { part("a\"];\\N\nb", layer); }
};
}  // namespace

TEST_CASE("diagram: a model may call its tensors anything", "[figure][diagram]") {
    Generator random(1);
    const std::string dot = figure::model_diagram("fig-3", Hostile{nn::Linear(2, 1, random)}, ones({1, 2})).dot();
    CHECK(dot.find(R"dot([label="a\"];\\N\nb.weight\n(1, 2)", shape=box)dot") != std::string::npos);
    CHECK(figure::model_diagram("fig-4", nn::Sequential<>(), ones({1})).dot().find("input\\n(1)") != std::string::npos);
}
