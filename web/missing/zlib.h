#pragma once
/// @file
/// As much of zlib as io/byte_source.cpp names. A browser unpacks files before a page reads them, so none is compressed.
#include <cstddef>
#include <cstdint>

using uInt = unsigned;
struct z_stream {
    std::uint8_t *next_in, *next_out;
    uInt avail_in, avail_out;
    std::size_t total_in, total_out;
    const char* msg;
};
enum { Z_OK = 0, Z_STREAM_END = 1, Z_NO_FLUSH = 0, Z_VERSION_ERROR = -6 };
inline int inflateInit2(z_stream*, int) { return Z_VERSION_ERROR; }
inline int inflate(z_stream*, int) { return Z_VERSION_ERROR; }
inline int inflateEnd(z_stream*) { return Z_OK; }
