// Everything in double precision, rounded at the end; the bytes are used up from the front.
#include "weight_blocks.hpp"

namespace {

struct Reader {
    const std::vector<std::uint8_t>& bytes;
    std::size_t at = 0;
    bool more() const { return at < bytes.size(); }
    unsigned byte() { return bytes[at++]; }
    double half() {
        const unsigned low = byte(), high = byte();
        return double(from_half(std::uint16_t(high << 8 | low)));
    }
};

}  // namespace

std::vector<float> decode_q8_0(const std::vector<std::uint8_t>& bytes) {
    std::vector<float> weights;
    for (Reader reader{bytes}; reader.more();) {
        const double scale = reader.half();
        for (int i = 0; i < 32; ++i) {
            double code = reader.byte();
            if (code >= 128) code -= 256;
            weights.push_back(float(scale * code));
        }
    }
    return weights;
}

std::vector<float> decode_q4_0(const std::vector<std::uint8_t>& bytes) {
    std::vector<float> weights;
    for (Reader reader{bytes}; reader.more();) {
        const double scale = reader.half();
        std::array<double, 32> here{};
        for (std::size_t i = 0; i < 16; ++i) {
            const unsigned both = reader.byte();
            here[i] = scale * (double(both % 16) - 8), here[i + 16] = scale * (double(both / 16) - 8);
        }
        for (const double weight : here) weights.push_back(float(weight));
    }
    return weights;
}

std::vector<float> decode_q4_1(const std::vector<std::uint8_t>& bytes) {
    std::vector<float> weights;
    for (Reader reader{bytes}; reader.more();) {
        const double scale = reader.half(), least = reader.half();
        std::array<double, 32> here{};
        for (std::size_t i = 0; i < 16; ++i) {
            const unsigned both = reader.byte();
            here[i] = scale * (both % 16) + least, here[i + 16] = scale * (both / 16) + least;
        }
        for (const double weight : here) weights.push_back(float(weight));
    }
    return weights;
}
