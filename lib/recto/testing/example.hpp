#pragma once
/// @file
/// The examples of the reference: an expression, and its value as text.
#include <string>

#include <fmt/format.h>

#include <recto/core/integers.hpp>
#include <recto/testing/testing.hpp>

namespace RECTO::testing {

/// Numbers in the brackets of their shape, each with at most four digits: `[[1, 2], [3, 0.3333]]`.
template <class Array>
std::string text(const Array& x) {
    const auto numbers = x.values();
    std::string out;
    const auto write = [&](const auto& self, int axis, Index from, Index count) -> void {
        if (axis == x.shape().dim()) {
            out += fmt::format("{:.4g}", double(numbers[std::size_t(from)]));
            return;
        }
        const Index extent = x.shape().size(axis);
        out += '[';
        for (Index i = 0; i < extent; ++i) {
            if (i > 0) out += ", ";
            self(self, axis + 1, from + i * (count / extent), count / extent);
        }
        out += ']';
    };
    write(write, 0, 0, x.shape().numel());
    return out;
}

/// Checks what an example's expression gives. The reference prints the line as the expression with this text behind it.
template <class Array>
void shows(const Array& x, const std::string& wanted) {
    CHECK(text(x) == wanted);
}

}  // namespace RECTO::testing
