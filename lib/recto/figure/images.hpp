#pragma once
/// @file
/// Images side by side, such as samples of a data set or the filters of a layer.
#include <string>
#include <vector>

#include <recto/book/place.hpp>
#include <recto/figure/values.hpp>

namespace RECTO::figure {

/// A grid of images under construction, grey or RGB, each with a label below it.
class Images {
public:
    /// @param name     its name in the book, and the name of its file
    /// @param columns  images in a row
    Images(std::string name, int columns);

    /// The alternative text: a description of the images in words. Mandatory.
    Images& describe(std::string alt);

    /// Adds an image; all must have the same size.
    ///
    /// @param label   text below it; may be empty
    /// @param pixels  rows from the top, 0 (black) to 1 (white), channels first: `(height, width)` or
    ///                `(3, height, width)`; numbers outside this range are clipped
    /// @throws Error when the number of pixels is wrong, one is NaN, or sizes differ
    Images& add(std::string label, int height, int width, Values pixels);

    /// Shows the negative of every image: dark on light, for data that are light on dark.
    Images& negative();
    /// Size of a pixel in pixels of the page; by default as large as fits.
    Images& zoom(int pixels);

    /// The Vega-Lite specification, for use without a page. @throws Error without images or description
    std::string spec(const std::string& caption) const;

    /// Saves the grid for the book: a file `name.vl.json` and a record. @throws Error as Figure::save()
    void save(const std::string& caption, book::Place where = book::Place::here()) const;

private:
    struct Picture {
        std::string label;
        std::vector<double> pixels;
    };

    struct Layout {
        int across, down, cell_width, cell_height, zoom;  // cells in pixels of the images, including gaps
    };

    Layout layout() const;
    std::string sheet(const Layout& at) const;  // all images in one PNG, as a data URI

    std::string name_, alt_;
    int columns_, height_ = 0, width_ = 0, channels_ = 0, zoom_ = 0;
    bool negative_ = false;
    std::vector<Picture> pictures_;
};

}  // namespace RECTO::figure
