#include <algorithm>
#include <cmath>

#include <recto/book/trace.hpp>
#include <recto/figure/images.hpp>
#include <recto/figure/png.hpp>
#include <recto/figure/spec.hpp>

namespace RECTO::figure {

using book::Json;

namespace {

constexpr int page_width = 640;

std::size_t size(int n) { return static_cast<std::size_t>(n); }

}  // namespace

Images::Images(std::string name, int columns) : name_(std::move(name)), columns_(columns) {
    check(columns >= 1 && columns <= 64, "images {}: wanted 1 to 64 columns, got {}", name_, columns);
}

Images& Images::describe(std::string alt) { return alt_ = std::move(alt), *this; }
Images& Images::negative() { return negative_ = true, *this; }

Images& Images::zoom(int pixels) {
    check(pixels >= 1, "images {}: wanted a zoom of at least 1, got {}", name_, pixels);
    return zoom_ = pixels, *this;
}

Images& Images::add(std::string label, int height, int width, Values pixels) {
    check(height > 0 && width > 0 && height <= 1024 && width <= 1024,
          "images {}: wanted 1 to 1024 pixels a side, got {} x {}", name_, height, width);
    const std::size_t plane = size(height) * size(width), n = pixels.numbers.size();
    check(n == plane || n == 3 * plane, "images {}: wanted {} or 3 x {} pixels for '{}', got {}", name_, plane, plane,
          label, n);
    const int channels = n == plane ? 1 : 3;
    if (pictures_.empty()) height_ = height, width_ = width, channels_ = channels;
    check(height == height_ && width == width_ && channels == channels_,
          "images {}: wanted pictures of one size, '{}' differs", name_, label);
    const auto bad = std::find_if(pixels.numbers.begin(), pixels.numbers.end(), [](double v) { return std::isnan(v); });
    check(bad == pixels.numbers.end(), "images {}: wanted numbers, pixel {} of '{}' is nan", name_,
          bad - pixels.numbers.begin(), label);
    pictures_.push_back({std::move(label), std::move(pixels.numbers)});
    return *this;
}

Images::Layout Images::layout() const {
    const int count = static_cast<int>(pictures_.size()), across = std::min(columns_, count);
    const int fit = std::max(1, page_width / (across * (width_ + 2)));
    const int zoom = zoom_ > 0 ? zoom_ : std::min(fit, std::max(1, 96 / std::max(width_, height_)));
    const bool words =
        std::any_of(pictures_.begin(), pictures_.end(), [](const Picture& p) { return !p.label.empty(); });
    const auto pixels = [&](int on_page) { return (on_page + zoom - 1) / zoom; };
    return {.across = across,
            .down = (count + across - 1) / across,
            .cell_width = width_ + pixels(8),
            .cell_height = height_ + pixels(words ? 24 : 8),
            .zoom = zoom};
}

std::string Images::sheet(const Layout& at) const {
    const std::size_t channels = size(channels_), depth = channels + 1, plane = size(height_) * size(width_);
    const int width = at.across * at.cell_width, height = at.down * at.cell_height;
    // Transparent, so that gaps show the background.
    std::vector<std::uint8_t> bytes(size(width) * size(height) * depth, 0);
    for (std::size_t n = 0; n < pictures_.size(); ++n)
        for (std::size_t i = 0; i < plane; ++i) {
            const std::size_t row = n / size(at.across) * size(at.cell_height) + i / size(width_);
            const std::size_t column = n % size(at.across) * size(at.cell_width) + i % size(width_);
            std::uint8_t* pixel = &bytes[(row * size(width) + column) * depth];
            for (std::size_t c = 0; c < channels; ++c) {
                const double light = std::clamp(pictures_[n].pixels[c * plane + i], 0.0, 1.0);
                pixel[c] = static_cast<std::uint8_t>(std::lround(255 * (negative_ ? 1 - light : light)));
            }
            pixel[channels] = 255;
        }
    return data_uri(png(width, height, channels_ + 1, bytes));
}

std::string Images::spec(const std::string& caption) const {
    check(!alt_.empty(), "images {}: wanted a description for those who cannot see it, call describe()", name_);
    check(!pictures_.empty(), "images {}: wanted pictures, got none", name_);
    const Layout at = layout();
    const int width = at.across * at.cell_width * at.zoom, height = at.down * at.cell_height * at.zoom;

    Json rows = Json::array();
    for (int n = 0; n < static_cast<int>(pictures_.size()); ++n) {
        const int x = (n % at.across * at.cell_width * 2 + width_) * at.zoom / 2;
        const int y = (n / at.across * at.cell_height + height_) * at.zoom + 5;
        rows.append(Json::object({{"label", pictures_[size(n)].label}, {"x", x}, {"y", y}}), true);
    }
    const auto place = [](const char* field, Json low, Json high) {
        const Json scale = Json::object({{"domain", Json::array({low, high})}, {"nice", false}});
        return Json::object({{"field", field}, {"type", "quantitative"}, {"axis", Json::null()}, {"scale", scale}});
    };
    const Json zero = Json::object({{"value", 0}});
    const Json picture = Json::object(
        {{"data",
          Json::object({{"sequence", Json::object({{"start", 0}, {"stop", 1}})}})},  // a single row that no table lists
         {"mark", Json::object({{"type", "image"},
                                {"align", "left"},
                                {"baseline", "top"},
                                {"aspect", false},
                                {"smooth", false},
                                {"width", width},
                                {"height", height},
                                {"url", sheet(at)}})},
         {"encoding", Json::object({{"x", zero}, {"y", zero}})}});
    const Json words = Json::object(
        {{"data", Json::object({{"name", "labels"}, {"values", rows}})},
         {"mark", Json::object({{"type", "text"}, {"baseline", "top"}, {"fontSize", 13}, {"color", hex(ink)}})},
         {"encoding", Json::object({{"x", place("x", 0, width)},
                                    {"y", place("y", height, 0)},
                                    {"text", Json::object({{"field", "label"}})}})}});
    // The size of pixels is fixed: within a concatenation the book does not change width and height.
    const Json panel = Json::object({{"width", width}, {"height", height}, {"layer", Json::array({picture, words})}});
    return Json::object({{"$schema", "https://vega.github.io/schema/vega-lite/v6.json"},
                         {"description", alt_},
                         {"usermeta", Json::object({{"recto", Json::object({{"name", name_}, {"caption", caption}})}})},
                         {"hconcat", Json::array({panel})}})
        .text();
}

void Images::save(const std::string& caption, book::Place where) const {
    check(!caption.empty(), "images {}: wanted a caption, got none", name_);
    book::keep_figure(name_, name_ + ".vl.json", spec(caption) + "\n", where);
}

}  // namespace RECTO::figure
