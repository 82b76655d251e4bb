#include <recto/data/papers.hpp>

#include <filesystem>
#include <fstream>

#include <unistd.h>

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

TEST_CASE("papers: plain files, limits and messages", "[data][papers]") {
    const std::string path =
                          (std::filesystem::temp_directory_path() / fmt::format("recto paper {}", getpid())).string(),
                      text = std::string(40'000, 'x') + '\0' + "\xFFz";
    std::ofstream(path, std::ios::binary) << text;
    CHECK(read_text(path) == text);
    CHECK(read_text(path, 40'003) == text);
    CHECK_THROWS_WITH(read_text(path, 40'002), path + ": byte 40002: wanted at most 40002 bytes");
    std::filesystem::remove(path);
    CHECK_THROWS_WITH(
        constitution("/nowhere"),
        "/nowhere/us-constitution.gz: byte 0: there is no such file; get it with: apt-get install miscfiles");
}
