#pragma once
/// @file
/// As much of libpng as figure/png.cpp asks for: a picture in memory, its rows stored as they are. A browser unpacks it at
/// once, so there is no use in compressing it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

using png_uint_32 = std::uint32_t;
using png_alloc_size_t = std::size_t;
enum { PNG_IMAGE_VERSION = 1, PNG_FORMAT_GRAY = 0, PNG_FORMAT_GA = 1, PNG_FORMAT_RGB = 2, PNG_FORMAT_RGBA = 3 };
struct png_image {
    png_uint_32 version, width, height, format;
    const char* message;
};

/// More than what png_image_write_to_memory() makes of this picture.
inline std::size_t PNG_IMAGE_PNG_SIZE_MAX(const png_image& image) {
    const std::size_t rows = std::size_t(image.height) * (1 + std::size_t(image.width) * (image.format + 1));
    return rows + rows / 65535 * 5 + 100;
}

/// Writes the picture and its size. Always 1, for done.
inline int png_image_write_to_memory(png_image* image, void* to, std::size_t* size, int, const void* pixels, int,
                                     const void*) {
    const auto number = [](std::uint32_t n) {
        return std::string{char(n >> 24), char(n >> 16), char(n >> 8), char(n)};
    };
    const auto chunk = [&](const std::string& text) {  // its length, its name and content, and their checksum
        std::uint32_t sum = ~0u;
        for (const char c : text) {
            sum ^= static_cast<unsigned char>(c);
            for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? 0xEDB88320u : 0);
        }
        return number(std::uint32_t(text.size() - 4)) + text + number(~sum);
    };
    const std::size_t width = image->width * (image->format + 1);
    std::string rows, stored = "\x78\x01";  // the head of a zlib stream
    for (std::size_t y = 0; y < image->height; ++y) {
        rows += '\0';  // the numbers as they are, not their differences
        rows.append(static_cast<const char*>(pixels) + y * width, width);
    }
    std::uint32_t low = 1, high = 0;  // Adler's checksum
    for (const char c : rows) low = (low + static_cast<unsigned char>(c)) % 65521, high = (high + low) % 65521;
    for (std::size_t i = 0; i < rows.size(); i += 65535) {
        const std::size_t n = std::min<std::size_t>(65535, rows.size() - i);
        stored += std::string{char(i + n == rows.size()), char(n), char(n >> 8), char(~n), char(~n >> 8)};
        stored.append(rows, i, n);
    }
    constexpr char kinds[] = {0, 4, 2, 6};  // the numbers of the formats above in a file
    const std::string head =
        number(image->width) + number(image->height) + std::string{8, kinds[image->format], 0, 0, 0};
    const std::string whole =
        "\x89PNG\r\n\x1a\n" + chunk("IHDR" + head) + chunk("IDAT" + stored + number(high << 16 | low)) + chunk("IEND");
    std::memcpy(to, whole.data(), *size = whole.size());
    return 1;
}
