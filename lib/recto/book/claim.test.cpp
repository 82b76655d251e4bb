#include <recto/book/claim.hpp>

#include <catch2/catch_test_macros.hpp>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include <recto/book/say.hpp>
#include <recto/book/trace.hpp>

using namespace recto;
using book::breakage, book::claim, book::not_reproduced, book::over_seeds;

namespace {

/// A run that prints nothing.
void begin(bool standard = true) { book::start({.standard = standard, .silent = true}); }

nlohmann::json last_record() {
    const std::string& all = book::records();
    return nlohmann::json::parse(all.substr(all.rfind('\n', all.size() - 2) + 1));
}

const std::vector five{0.5, 0.6, 0.7, 0.55, 0.65};

}  // namespace

TEST_CASE("claim: each relation at its edge", "[book][claim]") {
    begin();
    claim("", "less", 1, "<", 2);
    claim("", "at most", 2, "<=", 2);
    claim("", "more", 3, ">", 2);
    claim("", "at least", 2, ">=", 2);
    claim("", "equal", 0.1 + 0.2, "==", 0.30000000000000004);
    book::claim_in("", "between", 2.0f, 2, 3);
    book::claim_true("", "yes", 1 < 2);
    CHECK(breakage().empty());
    claim("", "edge", 2, "<", 2);
    claim("", "edge", 2, ">", 2);
    claim("", "edge", 0.1 + 0.2, "==", 0.3);
    book::claim_in("", "outside", 3.5, 2, 3);
    book::claim_true("", "no", 1 > 2);
    CHECK(std::count(breakage().begin(), breakage().end(), '\n') == 5);
}

TEST_CASE("claim: NaN fails every relation", "[book][claim]") {
    const double nan = std::nan("");
    begin();
    claim("", "nan", nan, "<", 1);
    claim("", "nan", nan, "<=", 1);
    claim("", "nan", nan, ">", 1);
    claim("", "nan", nan, ">=", 1);
    claim("", "nan", nan, "==", nan);
    claim("", "nan", 1, "<", nan);
    book::claim_in("", "nan", nan, 0, 1);
    claim("", "one of the seeds", over_seeds(std::vector{0.0, 0.0, 0.0, nan, 0.0}), "<", 1);
    CHECK(std::count(breakage().begin(), breakage().end(), '\n') == 8);
    CHECK(last_record()["measured"] == "nan");
}

TEST_CASE("claim: of fewer than five seeds every one must hold", "[book][claim]") {
    begin();
    claim("", "three seeds", over_seeds(std::vector{0.1, 0.2, 0.3}), "<", 0.4);
    claim("", "five, and one is beyond", over_seeds(five), "<", 0.65);
    CHECK(breakage().empty());
    claim("", "four, and one is beyond", over_seeds(std::vector{0.1, 0.2, 0.3, 0.5}), "<", 0.4);
    book::claim_in("", "three, and one is below", over_seeds(std::vector{0.1, 0.2, 0.3}), 0.15, 0.4);
    CHECK(std::count(breakage().begin(), breakage().end(), '\n') == 2);
}

TEST_CASE("claim: a broken one names file, line, sentence, wanted and got", "[book][claim]") {
    begin();
    const auto line = __LINE__ + 1;
    claim("fig-1.1/a", "the gradient vanishes", 0.3, "<", 1e-8);
    CHECK(breakage() ==
          fmt::format("{}:{}: broken claim: the gradient vanishes: wanted < 1e-08, got 0.3\n", __FILE__, line));
    const auto record = last_record();
    CHECK(record["line"] == line);
    CHECK(record["part"] == "fig-1.1/a");
    CHECK(record["holds"] == false);
    CHECK(record["judged"] == true);
    CHECK(record["expect"] == "holds");
    CHECK(record["seeds"] == 1);
}

TEST_CASE("claim: at other than standard settings nothing is judged", "[book][claim]") {
    begin(false);
    claim("", "wrong", 2, "<", 1);
    not_reproduced("a/b", "two seeds are enough here", over_seeds(std::vector{2.0, 3.0}), "<", 9, "nothing");
    CHECK(breakage().empty());
    CHECK(last_record()["judged"] == false);
}

TEST_CASE("claim: a band is written with both ends", "[book][claim]") {
    begin();
    book::claim_in("a/b", "between", over_seeds(five), 0.5, 0.7);
    const auto record = last_record();
    CHECK(record["relation"] == "in");
    CHECK(record["bound"] == nlohmann::json::array({0.5, 0.7}));
    CHECK(record["measured"] == 0.6);
    CHECK(record["low"] == 0.5);
    CHECK_THROWS_AS(book::claim_in("", "upside down", 1, 3, 2), Error);
}

TEST_CASE("timing_claim: never breaks", "[book][claim]") {
    begin();
    book::timing_claim("a/b", "faster", 0.5, ">", 2);
    CHECK(breakage().empty());
    CHECK(last_record()["timing"] == true);
    CHECK(last_record()["holds"] == false);
}

TEST_CASE("not_reproduced: needs five seeds, and breaks when it holds", "[book][claim]") {
    begin();
    not_reproduced("a/b", "it works", over_seeds(five), "<", 0.4, "three step sizes");
    CHECK(breakage().empty());
    CHECK(last_record()["expect"] == "fails");
    CHECK(last_record()["tried"] == "three step sizes");
    not_reproduced("a/b", "it works", over_seeds(five), "<", 0.9, "three step sizes");
    CHECK(breakage().find("published as not reproduced, yet it holds") != std::string::npos);
    CHECK_THROWS_AS(not_reproduced("a/b", "s", 1, "<", 0, "x"), Error);
    CHECK_THROWS_AS(not_reproduced("", "s", over_seeds(five), "<", 0, "x"), Error);
    CHECK_THROWS_AS(not_reproduced("a/b", "s", over_seeds(five), "<", 0, ""), Error);
}

TEST_CASE("claim: a part is row/part", "[book][claim]") {
    begin();
    CHECK_THROWS_AS(claim("fig-1.1/", "s", 1, "<", 2), Error);
    CHECK_THROWS_AS(claim("fig 1.1/a", "s", 1, "<", 2), Error);
    CHECK_THROWS_AS(claim("", "", 1, "<", 2), Error);
}

TEST_CASE("say: records text and line, timing apart", "[book][say]") {
    begin();
    book::say("{} points", 30);
    const auto record = last_record();
    CHECK(record["kind"] == "say");
    CHECK(record["text"] == "30 points");
    CHECK(record["line"] == __LINE__ - 4);
    book::timing("{:.1f} ms", 12.08);
    CHECK(last_record()["kind"] == "timing");
}
