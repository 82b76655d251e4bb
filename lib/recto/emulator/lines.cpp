#include <recto/emulator/lines.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

namespace recto::kernels::detail {
namespace {

/// Reads bytes in sequence; zero past the end.
struct Reader {
    std::string_view rest;

    template <class T>
    T number() {
        T value{};
        if (rest.size() < sizeof(T)) return rest = {}, value;
        std::memcpy(&value, rest.data(), sizeof(T));
        rest.remove_prefix(sizeof(T));
        return value;
    }
    std::uint64_t leb(bool is_signed = false) {  // seven bits at a time, lowest first
        std::uint64_t value = 0;
        for (int shift = 0; shift < 64;) {
            const auto byte = number<std::uint8_t>();
            value |= std::uint64_t(byte & 0x7f) << shift;
            shift += 7;
            if (byte & 0x80) continue;
            if (is_signed && (byte & 0x40) && shift < 64) value |= ~std::uint64_t(0) << shift;
            break;
        }
        return value;
    }
    std::string_view text() {
        const std::string_view found = rest.substr(0, rest.find('\0'));
        rest.remove_prefix(std::min(rest.size(), found.size() + 1));
        return found;
    }
    std::string_view take(std::size_t bytes) {
        const std::string_view taken = rest.substr(0, bytes);
        rest.remove_prefix(taken.size());
        return taken;
    }
};

/// Runs one unit's line program (DWARF 4, section 6.2) up to the row that contains the address.
std::string line_in_unit(Reader unit, std::uint64_t wanted) {
    if (unit.number<std::uint16_t>() != 4) return "";
    Reader header{unit.take(unit.number<std::uint32_t>())};
    const auto step = header.number<std::uint8_t>();
    header.number<std::uint8_t>();  // operations per instruction
    header.number<std::uint8_t>();  // whether a row initially is a statement
    const int line_base = header.number<std::int8_t>();
    const int line_range = header.number<std::uint8_t>();
    const int first_special = header.number<std::uint8_t>();
    const std::string_view operands = header.take(std::size_t(first_special > 0 ? first_special - 1 : 0));
    while (!header.text().empty()) {  // folders: messages name only the file
    }
    std::vector<std::string_view> files{""};
    for (std::string_view name = header.text(); !name.empty(); name = header.text()) {
        files.push_back(name.substr(name.rfind('/') + 1));
        header.leb(), header.leb(), header.leb();  // folder, time, length
    }
    if (line_range == 0) return "";

    struct Row {
        std::uint64_t address = 0, file = 1, line = 1;
    } now, last;
    bool any = false;
    const auto row = [&](bool end) {
        const bool found = any && last.address <= wanted && wanted < now.address;
        if (!found) last = now, any = !end;
        return found;
    };
    const auto answer = [&] {
        return std::string(last.file < files.size() ? files[last.file] : "") + ":" + std::to_string(last.line);
    };
    while (!unit.rest.empty()) {
        const int code = unit.number<std::uint8_t>();
        if (code >= first_special) {
            now.address += std::uint64_t((code - first_special) / line_range) * step;
            now.line += std::uint64_t(line_base + (code - first_special) % line_range);
            if (row(false)) return answer();
        } else if (code == 0) {  // an extended opcode
            Reader body{unit.take(unit.leb())};
            const auto kind = body.number<std::uint8_t>();
            if (kind == 1) {  // the end of a sequence
                if (row(true)) return answer();
                now = {};
            } else if (kind == 2) {
                now.address = body.number<std::uint64_t>();
            }
        } else if (code == 1) {
            if (row(false)) return answer();
        } else if (code == 2) {
            now.address += unit.leb() * step;
        } else if (code == 3) {
            now.line += unit.leb(true);
        } else if (code == 4) {
            now.file = unit.leb();
        } else if (code == 8) {
            now.address += std::uint64_t((255 - first_special) / line_range) * step;
        } else if (code == 9) {
            now.address += unit.number<std::uint16_t>();
        } else {
            for (int n = operands[std::size_t(code - 1)]; n > 0; --n) unit.leb();
        }
    }
    return "";
}

}  // namespace

std::string line_in(std::string_view table, std::uint64_t address) {
    Reader all{table};
    while (!all.rest.empty()) {
        std::uint64_t length = all.number<std::uint32_t>();
        if (length == 0xffffffff) return "";  // DWARF for 64-bit sections, which no supported compiler writes
        if (std::string found = line_in_unit({all.take(length)}, address); !found.empty()) return found;
    }
    return "";
}

}  // namespace recto::kernels::detail
