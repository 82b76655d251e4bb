#include <png.h>

#include <array>

#include <recto/base/check.hpp>
#include <recto/figure/png.hpp>

namespace RECTO::figure {

std::string png(int width, int height, int channels, std::span<const std::uint8_t> pixels) {
    check(width > 0 && height > 0 && channels >= 1 && channels <= 4 && width <= 1 << 14 && height <= 1 << 14,
          "png: wanted 1 to 16384 pixels a side and 1 to 4 channels, got {} x {} x {}", width, height, channels);
    const auto wanted =
        static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * static_cast<std::size_t>(channels);
    check(pixels.size() == wanted, "png: wanted {} numbers, got {}", wanted, pixels.size());

    static constexpr std::array<png_uint_32, 4> formats{PNG_FORMAT_GRAY, PNG_FORMAT_GA, PNG_FORMAT_RGB,
                                                        PNG_FORMAT_RGBA};
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(width);
    image.height = static_cast<png_uint_32>(height);
    image.format = formats[static_cast<std::size_t>(channels - 1)];
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);  // so that a single pass of compression is enough
    std::string bytes(size, '\0');
    const int ok = png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.data(), 0, nullptr);
    const char* reason = image.message;
    check(ok != 0, "png: {}", reason);
    bytes.resize(size);
    return bytes;
}

std::string base64(std::string_view bytes) {
    static constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const auto byte = [&](std::size_t k) {
            return i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u;
        };
        const unsigned word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for (unsigned k = 0; k < 4; ++k) text += i + k > bytes.size() ? '=' : digits[word >> (18 - 6 * k) & 63];
    }
    return text;
}

std::string data_uri(std::string_view png) { return "data:image/png;base64," + base64(png); }

}  // namespace RECTO::figure
