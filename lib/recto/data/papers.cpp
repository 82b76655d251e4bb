#include <recto/data/papers.hpp>

#include <filesystem>

#include <recto/io/byte_source.hpp>

namespace RECTO::data {
namespace {

std::string paper(const std::string& folder, const char* name) {
    const std::string path = folder + "/" + name;
    if (!std::filesystem::exists(path))
        throw Error(fmt::format("{}: byte 0: there is no such file; get it with: apt-get install miscfiles", path));
    return io::read_text(path);
}

}  // namespace

std::string constitution(const std::string& folder) { return paper(folder, "us-constitution.gz"); }
std::string declaration(const std::string& folder) { return paper(folder, "us-declaration.gz"); }

}  // namespace RECTO::data
