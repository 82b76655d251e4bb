#pragma once
/// @file
/// Minimum, mean, maximum and NaNs of numbers that come piece by piece, in any type that a file may have.
#include <memory>
#include <string>

#include <recto/data/idx.hpp>
#include <recto/io/safetensors.hpp>

namespace RECTO::inspect {

/// What a meter has seen, as text; "-" where there is nothing to say.
struct Reading {
    std::string minimum, mean, maximum, nans;
};

/// Takes numbers in, as they lie in the file. NaNs are counted and otherwise left out.
class Meter {
public:
    virtual ~Meter() = default;
    virtual void add(const std::uint8_t* bytes, Index count) = 0;  ///< Takes in `count` numbers.
    virtual Reading reading() const = 0;                           ///< What has been seen so far.
};

/// For a type of a safetensors file, one of io::stored_types.
std::unique_ptr<Meter> meter_of(std::string_view type);
/// For a type of an IDX file.
std::unique_ptr<Meter> meter_of(data::IdxType type);

}  // namespace RECTO::inspect
