#pragma once
/// @file
/// Fingerprints of data: no two different files with the same SHA-256 are known, so equal fingerprints mean equal
/// bytes.
#include <array>
#include <cstdint>
#include <span>
#include <string>

#include <recto/base/config.hpp>

namespace RECTO::data {

/// SHA-256 (FIPS 180-4) of bytes that arrive in parts; about 4 ns a byte.
class Sha256 {
public:
    void add(std::span<const std::uint8_t> bytes);  ///< Processes more bytes.
    std::string hex() const;                        ///< The fingerprint so far, as 64 hexadecimal digits.

private:
    std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<std::uint8_t, 64> rest_{};  // its first length_ % 64 bytes are pending
    std::uint64_t length_ = 0;             // of everything, in bytes
};

}  // namespace RECTO::data
