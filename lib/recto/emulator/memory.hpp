#pragma once
/// @file
/// The device's memory, and the last accesses to each part of it.
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <recto/emulator/program.hpp>

namespace recto::kernels::detail {

/// The last access to a part of memory: the thread's number in the grid, the time and the instruction.
struct Touch {
    std::uint32_t thread = 0;
    std::uint32_t clock = 0;  ///< 0 for never
    const void* where = nullptr;
};

/// A part of memory, as large as the smallest access so far.
struct Cell {
    Touch write;          ///< the last write
    Touch read;           ///< the last read
    Touch other_read;     ///< the last read by a different thread
    bool atomic = false;  ///< whether the last write was atomic
    bool known = false;   ///< whether it was ever written
};

enum class Space { global, shared, variable, constant };

/// A buffer, an array in shared memory, or a variable of the program. `constant` marks those with `__constant__`.
struct Region {
    Space space = Space::global;
    std::string name;          ///< empty for a buffer without a name
    std::uintptr_t begin = 0;  ///< its address
    std::uintptr_t end = 0;    ///< one past its last byte
    unsigned element = 1;      ///< bytes of an element; for an array in shared memory, bytes of its first access
    unsigned grain = 0;        ///< bytes of a cell
    std::vector<Cell> cells;   ///< created at the first access
    bool filled = false;       ///< whether everything was written before cells existed

    /// Splits it into cells of at most `bytes` bytes.
    void refine(unsigned bytes);
    /// Marks everything as written by the host.
    void fill();
};

/// All regions, by address. Buffers lie in one range of addresses, with guard areas between them.
class Memory {
public:
    Memory();
    Region& allocate(std::size_t bytes, unsigned element, const std::string& name);
    void release(std::uintptr_t begin);
    Region& add(const Symbol& symbol, Space space);  ///< Adds an uninitialised variable or array.
    Region* find(std::uintptr_t at);                 ///< The region that holds the address, or null.
    Region* near(std::uintptr_t at);  ///< The buffer next to an address that is between buffers, or null.
    bool was_freed(std::uintptr_t at) const;
    Range range() const { return {begin_, size}; }                        ///< The addresses of buffers.
    bool in_range(std::uintptr_t at) const { return range().holds(at); }  ///< Whether a buffer may have this address.
    void poison_shared();      ///< A new block begins: shared memory is uninitialised.
    void fill_all();           ///< A kernel without reported accesses may have written anything.
    void forget(Space space);  ///< Drops all regions of a kind.

private:
    static constexpr std::uintptr_t size = std::uintptr_t(1) << 38, guard = 1 << 24;
    std::uintptr_t begin_ = 0;
    std::map<std::uintptr_t, Region> regions_;
    std::vector<Range> freed_;
};

}  // namespace recto::kernels::detail
