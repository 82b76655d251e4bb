#pragma once
/// @file
/// Records the random draws of a computation, so that the computation can be repeated with the same numbers.
///
/// A draw depends only on a generator's seed and its call count, so a list of these pairs is enough. A second run takes
/// its draws from the list, whatever the state of its generators. In a captured step (autograd/captured.hpp) every
/// replay records and repeats its own list.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <recto/base/config.hpp>

namespace RECTO::detail {

/// Everything that a draw depends on.
struct DrawKey {
    std::uint64_t seed;  ///< of the generator
    std::uint64_t call;  ///< the number of its call
};

/// The recorded draws of one computation, in their order.
class Draws {
public:
    /// @param around  the draws of an enclosing computation, or null
    explicit Draws(std::shared_ptr<Draws> around) : around_(std::move(around)) {}

    void begin();   ///< Clears the list and starts to record draws.
    void again();   ///< Starts to repeat the recorded draws.
    void finish();  ///< @throws Error when some recorded draws were not repeated

    /// The next draw: a recorded one, or a new one.
    /// @param seed, calls  state of the generator; `calls` advances if the draw is new
    /// @throws Error when all recorded draws have been repeated
    DrawKey next(std::uint64_t seed, std::uint64_t& calls);

private:
    std::shared_ptr<Draws> around_;
    std::vector<DrawKey> kept_;
    std::size_t at_ = 0;
    bool repeating_ = false;
};

/// The list that records this thread's draws at the moment, or null.
const std::shared_ptr<Draws>& present_draws();

/// While a Drawing exists, this thread's draws are recorded in `draws`; not recorded if `draws` is null.
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
