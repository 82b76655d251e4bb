#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>

#include <recto/book/origin.hpp>
#include <recto/book/trace.hpp>
#include <recto/data/sha256.hpp>

namespace RECTO::book {

std::vector<std::string> origin() {
    std::vector<std::string> lines;
    const char* known = std::getenv("RECTO_ORIGIN");
    std::string line;
    for (std::istringstream words(known ? known : "commit unknown\nmachine unknown"); std::getline(words, line);)
        lines.push_back(line);
    const std::time_t today = std::time(nullptr);
    char date[11] = "";
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&today));
    lines.push_back(fmt::format("date {}", date));
    lines.push_back(fmt::format("command ./recto run {} --full, seed {}", settings().program, settings().seed));
    return lines;
}

const std::string& build_digest() {
    static const std::string digest = [] {
        std::ifstream program("/proc/self/exe", std::ios::binary);
        data::Sha256 print;
        std::vector<char> piece(1 << 20);
        do {
            program.read(piece.data(), std::ssize(piece));
            print.add({reinterpret_cast<const std::uint8_t*>(piece.data()), std::size_t(program.gcount())});
        } while (program);
        return print.hex();
    }();
    return digest;
}

}  // namespace RECTO::book
