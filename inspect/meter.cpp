#include "meter.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include <recto/base/float_formats.hpp>

namespace RECTO::inspect {
namespace {

/// Leaves a number as it is stored; the next two convert from another format or byte order.
struct AsItIs {
    auto operator()(auto stored) const { return stored; }
};
template <const FloatFormat& format>
struct Decoded {
    float operator()(auto stored) const { return decode(stored, format); }
};
template <class Number>
struct BigEndian {
    Number operator()(Number stored) const {
        auto bytes = std::bit_cast<std::array<std::uint8_t, sizeof(Number)>>(stored);
        std::ranges::reverse(bytes);
        return std::bit_cast<Number>(bytes);
    }
};

template <class Stored, class Convert = AsItIs>
class MeterOf final : public Meter {
    using Number = decltype(Convert()(Stored()));
    using Limits = std::numeric_limits<Number>;
    static constexpr bool fraction = Limits::has_quiet_NaN;
    /// A sum of a mebibyte of numbers: exact for short integers, without overflow for the longest.
    using Sum = std::conditional_t<sizeof(Number) == 8, long double, std::conditional_t<fraction, double, Index>>;

public:
    void add(const std::uint8_t* bytes, Index count) override {
        Number low = low_, high = high_;
        Sum sum = 0;
        Index nans = 0;
        for (Index i = 0; i < count; ++i) {  // without branches, so that the compiler can vectorise it
            Stored stored;
            std::memcpy(&stored, bytes + i * Index(sizeof stored), sizeof stored);
            const Number v = Convert()(stored);
            const bool is_number = !fraction || v == v;
            low = v < low ? v : low;  // false for a NaN
            high = v > high ? v : high;
            sum += Sum(is_number ? v : 0);
            nans += !is_number;
        }
        low_ = low, high_ = high, nans_ += nans, seen_ += count - nans;
        total_ += static_cast<long double>(sum);
    }
    Reading reading() const override {
        const std::string nans = fraction ? std::to_string(nans_) : "-";
        if (seen_ == 0) return {"-", "-", "-", nans};
        return {shown(low_), fmt::format("{:.6g}", double(total_ / static_cast<long double>(seen_))), shown(high_),
                nans};
    }

private:
    static std::string shown(Number v) {
        if constexpr (fraction)
            return fmt::format("{:.6g}", v);
        else
            return std::to_string(v);
    }

    Number low_ = Limits::has_infinity ? Limits::infinity() : Limits::max();
    Number high_ = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    long double total_ = 0;
    Index seen_ = 0, nans_ = 0;
};

}  // namespace

std::unique_ptr<Meter> meter_of(std::string_view type) {
    if (type == "F64") return std::make_unique<MeterOf<double>>();
    if (type == "F32") return std::make_unique<MeterOf<float>>();
    if (type == "F16") return std::make_unique<MeterOf<std::uint16_t, Decoded<fp16>>>();
    if (type == "BF16") return std::make_unique<MeterOf<std::uint16_t, Decoded<bf16>>>();
    if (type == "F8_E4M3") return std::make_unique<MeterOf<std::uint8_t, Decoded<e4m3>>>();
    if (type == "F8_E5M2") return std::make_unique<MeterOf<std::uint8_t, Decoded<e5m2>>>();
    if (type == "I64") return std::make_unique<MeterOf<std::int64_t>>();
    if (type == "I32") return std::make_unique<MeterOf<std::int32_t>>();
    if (type == "I16") return std::make_unique<MeterOf<std::int16_t>>();
    if (type == "I8") return std::make_unique<MeterOf<std::int8_t>>();
    if (type == "U64") return std::make_unique<MeterOf<std::uint64_t>>();
    if (type == "U32") return std::make_unique<MeterOf<std::uint32_t>>();
    if (type == "U16") return std::make_unique<MeterOf<std::uint16_t>>();
    if (type == "U8" || type == "BOOL") return std::make_unique<MeterOf<std::uint8_t>>();
    throw Error(fmt::format("inspect: wanted a type that is known, got {}", type));
}

std::unique_ptr<Meter> meter_of(data::IdxType type) {
    switch (type) {
        case data::IdxType::u8:
            return std::make_unique<MeterOf<std::uint8_t>>();
        case data::IdxType::i8:
            return std::make_unique<MeterOf<std::int8_t>>();
        case data::IdxType::i16:
            return std::make_unique<MeterOf<std::int16_t, BigEndian<std::int16_t>>>();
        case data::IdxType::i32:
            return std::make_unique<MeterOf<std::int32_t, BigEndian<std::int32_t>>>();
        case data::IdxType::f32:
            return std::make_unique<MeterOf<float, BigEndian<float>>>();
        case data::IdxType::f64:
            return std::make_unique<MeterOf<double, BigEndian<double>>>();
    }
    throw Error("inspect: wanted a type that is known");
}

}  // namespace RECTO::inspect
