// wrong: indexes-blindly
// outcome: crashed
#include "test_split.hpp"

bool test_split(Splitter split) {
    for (int count = 0; count <= 40; ++count) {
        const Split parts = split(count, 3);
        std::vector<int> marks(static_cast<std::size_t>(count));
        for (const auto& part : {parts.train, parts.validation, parts.test})
            for (const int sample : part) ++marks[std::size_t(sample)];
        for (const int times : marks)
            if (times != 1) return false;
    }
    return true;
}
