#include <recto/data/papers.hpp>

#include <filesystem>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::data;

TEST_CASE("papers: the texts are those that were counted", "[data][papers]") {
    if (!std::filesystem::exists("/usr/share/state")) SKIP("miscfiles is not installed");
    CHECK(constitution().size() == 45'345);
    CHECK(constitution().starts_with("The Constitution of the United States of America\n"));
    CHECK(declaration().size() == 9'330);
    for (const char c : constitution() + declaration()) REQUIRE((c == '\n' || (c >= ' ' && c < 127)));
}

TEST_CASE("papers: a missing file is named with its package", "[data][papers]") {
    CHECK_THROWS_WITH(
        constitution("/nowhere"),
        "/nowhere/us-constitution.gz: byte 0: there is no such file; get it with: apt-get install miscfiles");
}
