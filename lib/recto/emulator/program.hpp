#pragma once
/// @file
/// Reads the running program's own file: names of kernels and arrays, source lines of addresses.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace recto::kernels::detail {

/// A range of addresses.
struct Range {
    std::uintptr_t begin = 0;                                           ///< the first
    std::size_t bytes = 0;                                              ///< how many
    bool holds(std::uintptr_t at) const { return at - begin < bytes; }  ///< Whether it contains `at`.
};

/// A variable of the program, or an array in shared memory.
struct Symbol {
    std::string name;      ///< `tile`
    std::uintptr_t begin;  ///< its address
    std::uintptr_t end;    ///< one past its last byte
    bool constant;         ///< whether it is a `__constant__`
};

/// The function at this address, without namespaces and parameters: `transpose`. Empty when unknown.
std::string function_name(const void* address);

/// All shared arrays of the kernel at this address, without those of functions that it calls.
std::vector<Symbol> shared_arrays_of(const void* kernel);

/// The code of the functions that may contain the array at this address; empty if they were inlined everywhere.
std::vector<Range> owners_of(std::uintptr_t array);

/// The shared array that contains this address of the calling thread.
std::optional<Symbol> shared_array_at(std::uintptr_t address);

/// Whether the address is in the calling thread's variables, where shared memory is.
bool in_shared_memory(std::uintptr_t address);

/// The global variable that contains this address.
std::optional<Symbol> variable_at(std::uintptr_t address);

/// Whether the address is in the program's code, constants or variables.
bool in_program(std::uintptr_t address);

/// The source line of a return address, `transpose.cu:12`. Empty when unknown.
std::string line_of(const void* return_address);

}  // namespace recto::kernels::detail
