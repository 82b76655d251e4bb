#pragma once
/// @file
/// What the running program's own file says about addresses: names of kernels and arrays, lines of the source.
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
    bool holds(std::uintptr_t at) const { return at - begin < bytes; }  ///< Is it one of them?
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

/// All shared arrays of the kernel at this address. Those of functions that it calls are not among them.
std::vector<Symbol> shared_arrays_of(const void* kernel);

/// The code of the functions in which the array at this address may stand; none when they were inlined everywhere.
std::vector<Range> owners_of(std::uintptr_t array);

/// The shared array that holds this address of the calling thread.
std::optional<Symbol> shared_array_at(std::uintptr_t address);

/// Is it in the calling thread's variables, which is where shared memory is?
bool in_shared_memory(std::uintptr_t address);

/// The global variable that holds this address.
std::optional<Symbol> variable_at(std::uintptr_t address);

/// Is it in the program's code, constants or variables?
bool in_program(std::uintptr_t address);

/// The line of the source that a return address belongs to, `transpose.cu:12`. Empty when unknown.
std::string line_of(const void* return_address);

}  // namespace recto::kernels::detail
