#include <recto/data/papers.hpp>

#include <filesystem>

#include <recto/data/byte_source.hpp>

namespace RECTO::data {
namespace {

std::string paper(const std::string& folder, const char* name) {
    const std::string path = folder + "/" + name;
    if (!std::filesystem::exists(path))
        throw Error(fmt::format("{}: byte 0: there is no such file; get it with: apt-get install miscfiles", path));
    return read_text(path);
}

}  // namespace

std::string read_text(const std::string& path, Index most) {
    ByteSource source(path);
    std::string text;
    std::uint8_t some[1 << 14];
    for (;;) {
        const std::size_t got = source.read_some(some, sizeof some);
        if (text.size() + got > std::size_t(most))
            source.fail(std::size_t(most), fmt::format("wanted at most {} bytes", most));
        text.append(reinterpret_cast<const char*>(some), got);
        if (got < sizeof some) break;
    }
    source.expect_end();
    return text;
}

std::string constitution(const std::string& folder) { return paper(folder, "us-constitution.gz"); }
std::string declaration(const std::string& folder) { return paper(folder, "us-declaration.gz"); }

}  // namespace RECTO::data
