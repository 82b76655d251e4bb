#include <recto/data/replay.hpp>

#include <algorithm>

namespace RECTO::data {

ReplayMemory::ReplayMemory(Index capacity, Index numbers) : capacity_(capacity), numbers_(numbers) {
    check(capacity >= 1 && numbers >= 1, "ReplayMemory: wanted room for at least 1 step of 1 number, got {} of {}",
          capacity, numbers);
}

void ReplayMemory::add(std::span<const Real> seen, Index action, double reward, std::span<const Real> then) {
    check(Index(seen.size()) == numbers_ && (then.empty() || Index(then.size()) == numbers_),
          "ReplayMemory: wanted frames of {} numbers, got {} and {}", numbers_, seen.size(), then.size());
    if (size_ < capacity_) {
        ++size_;
        seen_.resize(std::size_t(size_ * numbers_)), then_.resize(std::size_t(size_ * numbers_));
        rewards_.resize(std::size_t(size_)), goes_on_.resize(std::size_t(size_)), actions_.resize(std::size_t(size_));
    }
    const auto at = std::size_t(oldest_);
    std::copy(seen.begin(), seen.end(), seen_.begin() + oldest_ * numbers_);
    if (then.empty())
        std::fill_n(then_.begin() + oldest_ * numbers_, numbers_, Real(0));
    else
        std::copy(then.begin(), then.end(), then_.begin() + oldest_ * numbers_);
    actions_[at] = action, rewards_[at] = Real(reward), goes_on_[at] = then.empty() ? Real(0) : Real(1);
    oldest_ = (oldest_ + 1) % capacity_;
}

Transitions ReplayMemory::sample(Index count, Generator& random) const {
    check(size_ > 0, "ReplayMemory: wanted at least 1 step to draw from, got none");
    check(count >= 0, "ReplayMemory: wanted at least 0 steps, got {}", count);
    const Integers which = random.integers({count}, 0, size_);
    Tensor seen = empty({count, numbers_}), then = empty({count, numbers_});
    Real *now = seen.write(), *later = then.write();
    std::vector<Real> rewards, goes_on;
    std::vector<Index> actions;
    for (Index i = 0; i < count; ++i) {
        const Index at = which.data()[i];
        std::copy_n(seen_.begin() + at * numbers_, numbers_, now + i * numbers_);
        std::copy_n(then_.begin() + at * numbers_, numbers_, later + i * numbers_);
        actions.push_back(actions_[std::size_t(at)]);
        rewards.push_back(rewards_[std::size_t(at)]), goes_on.push_back(goes_on_[std::size_t(at)]);
    }
    return {seen, Integers({count}, actions), Tensor({count}, rewards), then, Tensor({count}, goes_on)};
}

}  // namespace RECTO::data
