#pragma once
/// @file
/// Reads the table that compilers leave in a program: which address came from which line.
#include <cstdint>
#include <string>
#include <string_view>

namespace recto::kernels::detail {

/// The line that the instruction at `address` came from, `transpose.cu:12`; empty when the table does not say.
/// @param table  the section .debug_line; units of DWARF's version 4 are read (-gdwarf-4), others are skipped
std::string line_in(std::string_view table, std::uint64_t address);

}  // namespace recto::kernels::detail
