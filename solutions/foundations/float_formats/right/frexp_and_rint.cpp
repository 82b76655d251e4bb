// A struct with the layout; frexp and rint, subnormal numbers by themselves.
#include "float_formats.hpp"

#include <cmath>

namespace {

struct Layout {
    explicit Layout(const Format& f)
        : digits(f.digit_bits), exponents(f.exponent_bits), bias((1 << (f.exponent_bits - 1)) - 1), infinite(f.infinite) {}
    int digits, exponents, bias;
    bool infinite;
    std::uint32_t join(bool minus, std::uint32_t field, std::uint32_t tail) const {
        return ((std::uint32_t(minus) << exponents | field) << digits) | tail;
    }
    std::uint32_t last_field() const { return (1u << exponents) - 1; }
    std::uint32_t last_tail() const { return (1u << digits) - 1; }
    std::uint32_t too_large(bool minus) const { return join(minus, last_field(), infinite ? 0 : last_tail()); }
};

}  // namespace

float decode(std::uint32_t pattern, const Format& format) {
    const Layout l(format);
    const std::uint32_t tail = pattern & l.last_tail(), field = pattern >> l.digits & l.last_field();
    const bool minus = pattern >> (l.digits + l.exponents) & 1;
    if (field == l.last_field() && l.infinite && tail == 0) return minus ? -HUGE_VALF : HUGE_VALF;
    if (field == l.last_field() && (l.infinite || tail == l.last_tail())) return std::nanf("");
    const float whole = float(tail + (field > 0 ? 1u << l.digits : 0u));
    return std::copysign(std::ldexp(whole, int(field > 0 ? field : 1) - l.bias - l.digits), minus ? -1.0f : 1.0f);
}

std::uint32_t encode(float x, const Format& format) {
    const Layout l(format);
    const bool minus = std::signbit(x);
    if (std::isnan(x)) return l.join(minus, l.last_field(), l.last_tail());
    if (std::isinf(x)) return l.too_large(minus);
    if (x == 0) return l.join(minus, 0, 0);
    int exponent = 0;
    const double size = 2 * std::frexp(std::fabs(double(x)), &exponent);  // from 1 to 2
    int field = exponent - 1 + l.bias;
    if (field < 1) {
        const double steps = std::rint(std::ldexp(size, field - 1 + l.digits));
        return steps > l.last_tail() ? l.join(minus, 1, 0) : l.join(minus, 0, std::uint32_t(steps));
    }
    double steps = std::rint(std::ldexp(size - 1, l.digits));
    if (steps > l.last_tail()) {
        steps = 0;
        ++field;
    }
    const int most = int(l.last_field()) - (l.infinite ? 1 : 0);
    if (field > most) return l.too_large(minus);
    return l.join(minus, std::uint32_t(field), std::uint32_t(steps));
}
