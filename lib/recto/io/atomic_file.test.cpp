#include <recto/io/atomic_file.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace recto;
namespace fs = std::filesystem;

namespace {

struct Folder {
    fs::path path;
    Folder() {
        std::string name = (fs::temp_directory_path() / "recto-XXXXXX").string();
        path = ::mkdtemp(name.data());
    }
    ~Folder() { fs::remove_all(path); }
    std::string operator/(const std::string& name) const { return (path / name).string(); }
    auto count() const { return std::distance(fs::directory_iterator(path), {}); }
};

std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("atomic_file: whole or not at all", "[io][atomic_file]") {
    const Folder folder;
    const std::string path = folder / "a";
    io::write_file(path, "old");
    {
        io::AtomicFile file(path);
        file.write("new and unfinished");
        CHECK(read(path) == "old");
    }
    CHECK(read(path) == "old");
    CHECK(folder.count() == 1);
    const std::string bytes("a\0b\xff", 4);
    io::write_file(path, bytes);
    CHECK(read(path) == bytes);
    CHECK(folder.count() == 1);
}

TEST_CASE("atomic_file: two writers of one file do not mix", "[io][atomic_file]") {
    const Folder folder;
    io::AtomicFile first(folder / "a"), second(folder / "a");
    first.write("first");
    second.write("second");
    first.commit();
    second.commit();
    CHECK(read(folder / "a") == "second");
    CHECK(folder.count() == 1);
}

TEST_CASE("atomic_file: keeps permissions and links", "[io][atomic_file]") {
    const Folder folder;
    io::write_file(folder / "a", "old");
    fs::permissions(folder / "a", fs::perms(0640));
    fs::create_symlink("a", folder.path / "link");
    io::write_file(folder / "link", "new");
    CHECK(fs::is_symlink(folder.path / "link"));
    CHECK(read(folder / "a") == "new");
    CHECK(fs::status(folder / "a").permissions() == fs::perms(0640));
    const mode_t mask = ::umask(027);
    io::write_file(folder / "b", "");
    ::umask(mask);
    CHECK(fs::status(folder / "b").permissions() == fs::perms(0640));
}

TEST_CASE("atomic_file: errors name the path and the reason", "[io][atomic_file]") {
    const Folder folder;
    const auto message = [](auto&& call) -> std::string {
        try {
            call();
        } catch (const Error& e) {
            return e.what();
        }
        return "no error";
    };
    CHECK(message([&] { io::write_file(folder / "no/such", ""); }) ==
          fmt::format("write {}: cannot create a file here: No such file or directory", folder / "no/such"));
    CHECK(message([&] { io::write_file(folder.path.string(), ""); }).find("wanted a regular file") !=
          std::string::npos);
    CHECK(message([] { io::write_file("/dev/full", ""); }).find("wanted a regular file") != std::string::npos);
    io::AtomicFile file(folder / "a");
    file.commit();
    CHECK(message([&] { file.write("x"); }).find("already committed") != std::string::npos);
}

TEST_CASE("atomic_file: what killed writers left behind goes with the next commit", "[io][atomic_file]") {
    const Folder folder;
    const auto put = [&](const std::string& name) { std::ofstream(folder / name) << "half"; };
    for (const char* name : {".a.7-0.tmp", ".a.123456-12.tmp", ".a.1-2.tmp"}) put(name);
    const auto others = {".a.7-.tmp", ".a.-7.tmp", ".a.7-0.tmp.x", ".a.b-0.tmp", ".b.7-0.tmp", ".a..tmp", "a.7-0.tmp"};
    for (const char* name : others) put(name);
    io::AtomicFile living(folder / "a");  // still being written
    living.write("living");
    io::write_file(folder / "a", "new");
    CHECK(read(folder / "a") == "new");
    CHECK(folder.count() == 1 + 1 + Index(others.size()));
    for (const char* name : others) CHECK(fs::exists(folder / name));
    living.commit();
    CHECK(read(folder / "a") == "living");
    // Process numbers repeat in containers.
    for (int i = 0; i < 20; ++i) put(fmt::format(".c.{}-{}.tmp", ::getpid(), i));
    for (int i = 0; i < 5; ++i) io::write_file(folder / "c", "new");
    CHECK(folder.count() == 1 + 1 + Index(others.size()));
}

TEST_CASE("make_directories: those above too", "[io][atomic_file]") {
    const Folder folder;
    io::make_directories(folder / "a/b/c");
    io::make_directories(folder / "a/b/c/");
    CHECK(fs::is_directory(folder / "a/b/c"));
    io::write_file(folder / "f", "");
    CHECK_THROWS_AS(io::make_directories(folder / "f"), Error);
    CHECK_THROWS_AS(io::make_directories(folder / "f/g"), Error);
}
