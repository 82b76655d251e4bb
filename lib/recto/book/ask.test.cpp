#include <recto/book/ask.hpp>

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include <recto/book/table.hpp>
#include <recto/book/trace.hpp>

using namespace recto;
using book::ask, book::ask_number;

namespace {

void begin() { book::start({.silent = true}); }

nlohmann::json record() { return nlohmann::json::parse(book::records()); }

}  // namespace

TEST_CASE("ask: the program asserts its key", "[book][ask]") {
    begin();
    ask("how many?", {{"one", false, "too few"}, {"two", true, "count"}});
    CHECK(book::breakage().empty());
    CHECK(record()["choices"][1]["right"] == true);
    ask("how many?", {{"one", false, "too few"}, {"two", false, "count"}});
    ask("how many?", {{"one", true, "too few"}, {"two", true, "count"}});
    CHECK(book::breakage().find("wanted one right answer, got 0") != std::string::npos);
    CHECK(book::breakage().find("wanted one right answer, got 2") != std::string::npos);
    CHECK_THROWS_AS(ask("q", {{"one", true, "only one"}}), Error);
    CHECK_THROWS_AS(ask("q", {{"one", true, "x"}, {"two", false, ""}}), Error);
}

TEST_CASE("ask_number: keeps the answer with all its digits", "[book][ask]") {
    begin();
    ask_number("how large?", 1.0 / 3, 0.01, "a third");
    CHECK(record()["answer"] == 1.0 / 3);
    CHECK(record()["tolerance"] == 0.01);
    ask_number("how large?", std::nan(""), 0.01, "nobody knows");
    CHECK(book::breakage().find("wanted a number, got nan") != std::string::npos);
    CHECK_THROWS_AS(ask_number("q", 1, std::nan(""), "w"), Error);
    CHECK_THROWS_AS(ask_number("q", 1, -1, "w"), Error);
    CHECK_THROWS_AS(ask_number("q", 1, 1, ""), Error);
}

TEST_CASE("table: words and numbers", "[book][table]") {
    begin();
    book::table("counts", "How many.", {"what", "n"}, {{"apples", 3}, {std::string("pears"), 1.0 / 3}});
    CHECK(record()["rows"] == nlohmann::json::parse(R"([["apples",3],["pears",0.3333333333333333]])"));
    CHECK(record()["columns"] == nlohmann::json::array({"what", "n"}));
    CHECK_THROWS_AS(book::table("t", "c", {"a", "b"}, {{1}}), Error);
    CHECK_THROWS_AS(book::table("t", "c", {}, {}), Error);
}
