// A browser has no processes: the pieces run here, one after another. Their numbers are the same.
#include <recto/book/apart.hpp>

namespace RECTO::book {

void each_apart(Index count, int, const std::function<std::vector<double>(Index)>& work,
                const std::function<void(Index, const std::vector<double>&)>& done) {
    for (Index i = 0; i < count; ++i) done(i, work(i));
}

}  // namespace RECTO::book
