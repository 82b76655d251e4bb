#pragma once
/// @file
/// Minimum, mean, maximum and NaNs of numbers that arrive in pieces, in any type of the file formats.
#include <memory>
#include <string>

#include <recto/data/idx.hpp>
#include <recto/io/safetensors.hpp>

namespace RECTO::inspect {

/// The results of a meter as text; "-" for none.
struct Reading {
    std::string minimum, mean, maximum, nans;
};

/// Reads numbers in the bytes of the file. NaNs are counted and otherwise ignored.
class Meter {
public:
    virtual ~Meter() = default;
    virtual void add(const std::uint8_t* bytes, Index count) = 0;  ///< Reads `count` numbers.
    virtual Reading reading() const = 0;                           ///< The results so far.
};

/// A meter for a type of a safetensors file, one of io::stored_types.
std::unique_ptr<Meter> meter_of(std::string_view type);
/// A meter for a type of an IDX file.
std::unique_ptr<Meter> meter_of(data::IdxType type);

}  // namespace RECTO::inspect
