#pragma once
/// @file
/// What a computation drew at random, so that it can be done again with the same draws.
///
/// A draw depends on a generator's seed and on how often it was asked, on nothing else. So a list of these pairs is
/// enough, and where the computation is done again, its draws are answered from the list, whatever the generators'
/// states are by then. In a captured step (autograd/captured.hpp) the list is made and read anew in every replay.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <recto/base/config.hpp>

namespace RECTO::detail {

/// All that a draw depends on.
struct DrawKey {
    std::uint64_t seed;  ///< of the generator
    std::uint64_t call;  ///< which of its calls
};

/// The draws of one computation, in their order.
class Draws {
public:
    /// @param around  those of a larger computation of which this is a part, or null
    explicit Draws(std::shared_ptr<Draws> around) : around_(std::move(around)) {}

    void begin();   ///< From now on draws are kept; those of before are forgotten.
    void again();   ///< From now on come the same draws again.
    void finish();  ///< @throws Error when some of them did not come again

    /// The next draw: one that is kept, or a new one.
    /// @param seed, calls  of the generator that is asked; its count goes on if the draw is new
    /// @throws Error when all that were kept have come again
    DrawKey next(std::uint64_t seed, std::uint64_t& calls);

private:
    std::shared_ptr<Draws> around_;
    std::vector<DrawKey> kept_;
    std::size_t at_ = 0;
    bool repeating_ = false;
};

/// The draws to which this thread's belong at present, or null.
const std::shared_ptr<Draws>& present_draws();

/// While one of these lives, what this thread draws belongs to `draws`; to nobody if that is null.
class Drawing {
public:
    explicit Drawing(std::shared_ptr<Draws> draws);
    ~Drawing();
    Drawing(const Drawing&) = delete;
    Drawing& operator=(const Drawing&) = delete;

private:
    std::shared_ptr<Draws> before_;
};

}  // namespace RECTO::detail
