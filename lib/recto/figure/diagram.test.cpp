#include <recto/figure/diagram.hpp>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include <recto/book/trace.hpp>

using namespace recto;
using figure::Diagram;

TEST_CASE("diagram: labels may hold anything", "[figure][diagram]") {
    Diagram d("fig-1");
    d.describe("Two boxes.")
        .node("a\"", "say \"hi\" \\N\nnow")
        .node("b", "<b>")
        .edge("a\"", "b", "x -> y")
        .group("all; }", {"b"});
    const std::string dot = d.dot();
    CHECK(dot.find(R"("a\"" [label="say \"hi\" \\N\nnow")") != std::string::npos);
    CHECK(dot.find(R"("b" [label="<b>")") != std::string::npos);
    CHECK(dot.find(R"("a\"" -> "b" [label="x -> y")") != std::string::npos);
    CHECK(dot.find(R"(label="all; }";)") != std::string::npos);
    CHECK(dot.find("rankdir=TB") != std::string::npos);
    CHECK(d.left_to_right().dot().find("rankdir=LR") != std::string::npos);
}

TEST_CASE("diagram: what is not there is refused", "[figure][diagram]") {
    Diagram d("fig-1");
    CHECK_THROWS_AS(d.node("a", "a").dot(), Error);  // no description
    CHECK_THROWS_AS(d.node("a", "again"), Error);
    CHECK_THROWS_AS(d.edge("a", "b"), Error);
    CHECK_THROWS_AS(d.group("g", {"b"}), Error);
    CHECK_THROWS_AS(Diagram("fig-2").describe("d").dot(), Error);
}

TEST_CASE("diagram: saved with its description beside it", "[figure][diagram]") {
    book::start({.silent = true});
    Diagram("fig-1").describe("A box.").node("a", "a").save("One box.");
    const auto record = nlohmann::json::parse(book::records());
    CHECK(record["spec"] == "fig-1.dot");
    CHECK_THROWS_AS(book::keep_file("fig-1.meta.json", ""), Error);  // it is taken
    CHECK_THROWS_AS(Diagram("fig-2").describe("A box.").node("a", "a").save(""), Error);
}
