// Fuzzes the readers of GPT-2's vocabulary and merges, both on the same bytes.
#include <recto/text/gpt2_files.hpp>

#include <string>
#include <vector>

#include "fuzz.hpp"

using namespace recto;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
    fuzz::judge(bytes, count, [&](const std::string& path) {
        std::size_t read = 0;
        for (const std::string& token : text::read_gpt2_vocabulary(path)) read += token.size();
        if (read > count) fuzz::broken("more bytes in tokens than in the file");
    });
    fuzz::judge(bytes, count, [&](const std::string& path) {
        std::size_t read = 0;
        for (const std::string& merge : text::read_gpt2_merges(path)) {
            read += merge.size();
            if (merge.find(' ') == std::string::npos) fuzz::broken("a merge without two tokens");
        }
        if (read > count) fuzz::broken("more bytes in merges than in the file");
    });
    return 0;
}
