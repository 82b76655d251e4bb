#include <recto/io/byte_source.hpp>

#include <filesystem>
#include <fstream>

#include <unistd.h>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::io;

TEST_CASE("read_text: plain files, limits and messages", "[io][byte_source]") {
    const std::string path = (std::filesystem::temp_directory_path() / fmt::format("recto text {}", getpid())).string(),
                      text = std::string(40'000, 'x') + '\0' + "\xFFz";
    std::ofstream(path, std::ios::binary) << text;
    CHECK(read_text(path) == text);
    CHECK(read_text(path, 40'003) == text);
    CHECK_THROWS_WITH(read_text(path, 40'002), path + ": byte 40002: wanted at most 40002 bytes");
    std::filesystem::remove(path);
}
