#pragma once
/// @file
/// Ranks: processes, or threads, that train one model together and add up their gradients.
#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include <recto/base/config.hpp>

namespace RECTO::optim {

/// A group of `size()` processes or threads; this one has the number `rank()`. All ranks must make the same calls in
/// the same order, and a call returns when the data of the others have arrived.
class Ranks {
public:
    virtual ~Ranks() = default;

    virtual int rank() const = 0;  ///< The number of this rank, from 0.
    virtual int size() const = 0;  ///< How many ranks there are.

    /// Piece r of `sent` goes to rank r, and piece r of `received` comes from rank r. A piece has
    /// `sent.size() / size()` bytes.
    virtual void exchange(std::span<const std::byte> sent, std::span<std::byte> received) = 0;
    /// Every rank receives what all ranks sent, in the order of the ranks; `received` is `size()` times as long.
    virtual void gather(std::span<const std::byte> sent, std::span<std::byte> received) = 0;
    /// Every rank receives the bytes of rank 0, in place.
    virtual void broadcast(std::span<std::byte> bytes) = 0;
};

/// A group of one: this process alone.
std::unique_ptr<Ranks> alone();

/// Runs `body` on `size` threads, each of which is one rank, and returns when all have ended.
/// @throws Error with the first exception of a rank; the other ranks end at their next call
void run_as_threads(int size, const std::function<void(Ranks&)>& body);

/// Adds up the numbers of all ranks: afterwards every rank holds the sums. Rank r adds the r-th slice in double, in the
/// order of the ranks, and all ranks gather the slices. So every rank has the same bits, and they depend on the number
/// of ranks alone, not on the network. Sends 2 (N - 1) / N times the numbers, as the ring all-reduce does (Patarasuk and
/// Yuan, 2009).
void add_up(Ranks& ranks, std::span<Real> numbers);

/// Returns when all ranks have called it.
void barrier(Ranks& ranks);

}  // namespace RECTO::optim
