// Fuzzes the reader of merges, and the tokenizer that comes of them: on the file's own bytes.
#include <recto/text/byte_pair_file.hpp>

#include "fuzz.hpp"

using namespace recto;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
    fuzz::judge(bytes, count, [&](const std::string& path) {
        const std::string_view text(reinterpret_cast<const char*>(bytes), count);
        const text::BytePairs tokenizer = text::load_byte_pairs(path);
        std::string written = fmt::format("recto byte pairs 1\n{}\n", tokenizer.merges().size());
        for (const auto& [left, right] : tokenizer.merges()) written += fmt::format("{} {}\n", left, right);
        if (written != text) fuzz::broken("read and written it is another");
        const std::vector<Index> tokens = tokenizer.encode(text);
        if (tokenizer.decode(tokens) != text) fuzz::broken("a text came back as another");
        if (tokens.size() > count) fuzz::broken("more tokens than bytes");
    });
    return 0;
}
