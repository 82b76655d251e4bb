#include <recto/device/draws.hpp>

#include <utility>

#include <recto/base/check.hpp>

namespace RECTO::detail {
namespace {

thread_local std::shared_ptr<Draws> present;

}  // namespace

void Draws::begin() {
    kept_.clear();
    repeating_ = false;
}

void Draws::again() {
    at_ = 0;
    repeating_ = true;
}

void Draws::finish() {
    check(at_ == kept_.size(), "draws: a computation that was done again drew {} times, and {} times at first", at_,
          kept_.size());
}

DrawKey Draws::next(std::uint64_t seed, std::uint64_t& calls) {
    if (repeating_) {
        check(at_ < kept_.size(),
              "draws: a computation that was done again drew more than the {} times of the first run", kept_.size());
        return kept_[at_++];
    }
    kept_.push_back(around_ ? around_->next(seed, calls) : DrawKey{seed, calls++});
    return kept_.back();
}

const std::shared_ptr<Draws>& present_draws() { return present; }

Drawing::Drawing(std::shared_ptr<Draws> draws) : before_(std::exchange(present, std::move(draws))) {}
Drawing::~Drawing() { present = std::move(before_); }

}  // namespace RECTO::detail
