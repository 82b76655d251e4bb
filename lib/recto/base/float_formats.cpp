#include <recto/base/float_formats.hpp>

#include <cmath>

namespace RECTO {

double FloatFormat::largest() const { return decode(beyond() - 1, *this); }
double FloatFormat::smallest_normal() const { return std::ldexp(1.0, 1 - bias()); }
double FloatFormat::smallest() const { return std::ldexp(1.0, 1 - bias() - mantissa_bits); }
double FloatFormat::unit_roundoff() const { return std::ldexp(1.0, -mantissa_bits - 1); }

}  // namespace RECTO
