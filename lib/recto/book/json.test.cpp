#include <recto/book/json.hpp>

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

using namespace recto;
using book::Json;

TEST_CASE("json: what is written reads back the same", "[book][json]") {
    for (const double number :
         {0.0, -0.0, 0.1, 1e-8, 1.0 / 3, 1e300, 5e-324, 123456789.0, std::numeric_limits<double>::max()}) {
        const double back = nlohmann::json::parse(Json(number).text()).get<double>();
        REQUIRE(std::memcmp(&number, &back, sizeof number) == 0);
    }
    CHECK(Json(std::nan("")).text() == "\"nan\"");
    CHECK(Json(HUGE_VAL).text() == "\"inf\"");
    CHECK(Json(-HUGE_VAL).text() == "\"-inf\"");
    CHECK(Json(std::uint64_t(-1)).text() == "18446744073709551615");
    CHECK(Json(true).text() == "true");
    CHECK(Json("a \"word\"").text() == R"("a \"word\"")");
    CHECK(Json::null().text() == "null");
}

TEST_CASE("json: objects and arrays keep their order", "[book][json]") {
    Json list = Json::array({1, "two"});
    list.append(Json::array()).append(2.5);
    const Json made = Json::object({{"z", list}, {"a", Json::object()}}).add("m", false);
    CHECK(made.text() == R"({"z":[1,"two",[],2.5],"a":{},"m":false})");
}
