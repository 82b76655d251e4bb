#pragma once
/// @file
/// Reads the table that maps addresses of a program to lines of its source.
#include <cstdint>
#include <string>
#include <string_view>

namespace recto::kernels::detail {

/// The source line of the instruction at `address`, `transpose.cu:12`; empty if the table does not contain it.
/// @param table  the section .debug_line; units of DWARF version 4 are read (-gdwarf-4), others are skipped
std::string line_in(std::string_view table, std::uint64_t address);

}  // namespace recto::kernels::detail
