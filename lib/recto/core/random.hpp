#pragma once
/// @file
/// Counter-based random numbers: draw i of call c depends only on the seed, c and i, so that every compiler, device and
/// number of threads gives the same numbers (Salmon et al., 2011).
#include <array>

#include <recto/core/integers.hpp>
#include <recto/core/tensor.hpp>
#include <recto/device/draws.hpp>

namespace RECTO {

/// Philox4x32-10: scrambles a 128-bit counter with a 64-bit key into 128 random bits.
RECTO_HD inline std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                                    std::array<std::uint32_t, 2> key) {
    std::uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    std::uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t even = std::uint64_t(0xD2511F53u) * c0, odd = std::uint64_t(0xCD9E8D57u) * c2;
        c0 = std::uint32_t(odd >> 32) ^ c1 ^ k0;
        c1 = std::uint32_t(odd);
        c2 = std::uint32_t(even >> 32) ^ c3 ^ k1;
        c3 = std::uint32_t(even);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return {c0, c1, c2, c3};
}

/// A seeded source of random tensors. A Generator is passed to every function that draws; there is no global one.
class Generator {
public:
    /// @param seed   different seeds give independent numbers
    /// @param calls  calls to skip; 0 starts at the beginning
    explicit Generator(std::uint64_t seed, std::uint64_t calls = 0) : seed_(seed), calls_(calls) {}

    std::uint64_t seed() const { return seed_; }    ///< The seed it was made with.
    std::uint64_t calls() const { return calls_; }  ///< Number of draws; with the seed, the whole state.

    /// Numbers uniform on [low, high), in steps of 2^-24 of the range; all equal `low` if low = high.
    /// @throws Error unless low <= high and both and their distance are finite
    Tensor uniform(const Shape& shape, Real low = 0, Real high = 1, Device device = Device::cpu);
    /// Numbers from a normal distribution (Box and Muller, 1958).
    Tensor normal(const Shape& shape, Real mean = 0, Real deviation = 1, Device device = Device::cpu);
    /// Integers uniform on [low, high). @throws Error when the range is empty
    Integers integers(const Shape& shape, Index low, Index high, Device device = Device::cpu);
    /// 0 to n - 1 in random order.
    std::vector<Index> permutation(Index n);
    /// Draws `count` indices with these probabilities (they need not sum to 1) by inverting their
    /// cumulative sums; an index of probability 0 is never drawn.
    /// @throws Error when one is negative or not finite, or all are zero
    std::vector<Index> multinomial(std::span<const Real> probabilities, Index count);
    /// Draws from `probabilities` on their device, in any shape. @throws Error unless they have one axis
    Integers multinomial(const Tensor& probabilities, const Shape& shape);

    double next_uniform();                      ///< One number uniform on [0, 1), 53 bits.
    double next_normal();                       ///< One standard normal number.
    Index next_integer(Index low, Index high);  ///< One integer uniform on [low, high).

    /// A new generator, independent of this one.
    Generator split() { return Generator(next_word(), 0); }

private:
    detail::DrawKey next();
    std::uint64_t next_word();
    std::uint64_t seed_, calls_;
};

/// Draws from one distribution many times in constant time each (Walker, 1977).
class AliasTable {
public:
    /// @throws Error when a probability is negative or not finite, or all are zero
    explicit AliasTable(std::span<const Real> probabilities);
    Index draw(Generator& random) const;                            ///< One index.
    std::vector<Index> draw(Generator& random, Index count) const;  ///< Many indices.

private:
    std::vector<double> keep_;  // chance to stay in column i ...
    std::vector<Index> other_;  // ... rather than go to this one
};

}  // namespace RECTO
