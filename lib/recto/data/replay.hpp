#pragma once
/// @file
/// A memory of the last steps of a game, from which a network learns in random order.
#include <span>
#include <vector>

#include <recto/core/random.hpp>

namespace RECTO::data {

/// Steps of a game, as tensors: what was seen, what was done, what came of it.
struct Transitions {
    Tensor seen;       ///< (n, numbers of a frame): before the action.
    Integers actions;  ///< (n): the action.
    Tensor rewards;    ///< (n): the reward.
    Tensor then;       ///< (n, numbers of a frame): after the action; zeros where the episode ended.
    Tensor goes_on;    ///< (n): 1, or 0 where the episode ended.
};

/// The last `capacity` steps of a game; a new step takes the place of the oldest (Lin, 1992).
class ReplayMemory {
public:
    /// @param capacity  how many steps it keeps   @param numbers  how many numbers a frame has
    /// @throws Error unless both are at least 1
    ReplayMemory(Index capacity, Index numbers);

    Index size() const { return size_; }  ///< How many steps it holds.

    /// Keeps a step. @param then  the frame after it, or nothing if the episode ended
    /// @throws Error when a frame has another number of pixels
    void add(std::span<const Real> seen, Index action, double reward, std::span<const Real> then);
    /// Draws steps uniformly and with replacement. @throws Error when the memory is empty
    Transitions sample(Index count, Generator& random) const;

private:
    Index capacity_, numbers_, size_ = 0, oldest_ = 0;
    std::vector<Real> seen_, then_, rewards_, goes_on_;
    std::vector<Index> actions_;
};

}  // namespace RECTO::data
