#include <recto/base/flops.hpp>

#include <atomic>

namespace RECTO {
namespace {

std::atomic<Index> total = 0;  // shared by all threads, any of which may run a product

}  // namespace

FlopCount::FlopCount() : start_(total.load(std::memory_order_relaxed)) {}
Index FlopCount::multiply_adds() const { return total.load(std::memory_order_relaxed) - start_; }
Index FlopCount::flops() const { return 2 * multiply_adds(); }

void detail::count_multiply_adds(Index count) { total.fetch_add(count, std::memory_order_relaxed); }

}  // namespace RECTO
