#include <recto/io/json_string.hpp>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

using namespace recto;

TEST_CASE("json_string: what stands between the quotation marks", "[io]") {
    CHECK(io::json_string("") == R"("")");
    CHECK(io::json_string("say \"a\\b\"\n\t\x7f é") == "\"say \\\"a\\\\b\\\"\\n\\u0009\x7f é\"");
    CHECK(io::json_string("\xff") == "\"\xEF\xBF\xBD\"");
    CHECK(io::json_string("a\xE2\x82z") == "\"a\xEF\xBF\xBD\xEF\xBF\xBDz\"");
}

TEST_CASE("json_string: every text reads back the same", "[io]") {
    std::string odd = "quote \" backslash \\ line\nend \t \x01 \x7f </script> é € 𝄞";
    odd += '\0';
    CHECK(nlohmann::json::parse(io::json_string(odd)).get<std::string>() == odd);
    for (const std::string bad : {"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82"}) {
        INFO(io::json_string(bad));
        CHECK(nlohmann::json::parse(io::json_string(bad)).get<std::string>().find("\xEF\xBF\xBD") == 0);
    }
}
