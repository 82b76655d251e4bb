#include <recto/data/batches.hpp>

#include <algorithm>
#include <utility>

namespace RECTO::data {

Batches::Batches(Examples set, Index size, Device device) : set_(std::move(set)), size_(size), device_(device) {
    check(size >= 1, "Batches: wanted a size of at least 1, got {}", size);
}
Batches::Batches(Examples set, Index size, Generator& random, Device device) : Batches(std::move(set), size, device) {
    order_ = random.permutation(set_.size());
}

Examples Batches::operator[](Index i) const {
    check(i >= 0 && i < count(), "Batches: wanted a piece from 0 to {}, got {}", count() - 1, i);
    const Index begin = i * size_, end = std::min(begin + size_, set_.size());
    if (order_.empty()) return to(slice(set_, begin, end), device_);
    return to(select(set_, std::span(order_).subspan(std::size_t(begin), std::size_t(end - begin))), device_);
}

Passes::Passes(Examples set, Index size, Generator& random, Device device)
    : set_(std::move(set)),
      in_order_(set_, size, device),
      shuffled_(in_order_),
      seed_(random.split().seed()),
      size_(size),
      device_(device) {
    check(set_.size() > 0, "Passes: wanted at least one example, got none");
}

Examples Passes::next() {
    if (drawn_ != pass()) {
        drawn_ = pass();
        Generator order(seed_, std::uint64_t(drawn_));
        shuffled_ = Batches(set_, size_, order, device_);
    }
    return shuffled_[taken_++ % count()];
}

}  // namespace RECTO::data
