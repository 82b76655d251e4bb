#pragma once
/// @file
/// Pictures side by side, such as samples of a data set or the filters of a layer.
#include <string>
#include <vector>

#include <recto/book/place.hpp>
#include <recto/figure/values.hpp>

namespace RECTO::figure {

/// A grid of pictures under construction, grey or RGB, with words under each.
class Images {
public:
    /// @param name     its name in the book and of its file
    /// @param columns  how many pictures stand in a row
    Images(std::string name, int columns);

    /// What is to be seen, in words, for those who cannot see it. Mandatory.
    Images& describe(std::string alt);

    /// Adds a picture; all have one size.
    ///
    /// @param label   words under it; may be empty
    /// @param pixels  rows from the top, 0 (black) to 1 (white), channels first: `(height, width)` or
    ///                `(3, height, width)`; what lies outside is cut off
    /// @throws Error when the number of pixels is not that, when one is NaN, or when sizes differ
    Images& add(std::string label, int height, int width, Values pixels);

    /// Shows every picture as its negative: ink on paper, for data that are light on dark.
    Images& negative();
    /// How many pixels of the page one pixel becomes; by itself, as many as fit.
    Images& zoom(int pixels);

    /// The specification, for whoever wants it without a page. @throws Error without pictures or description
    std::string spec(const std::string& caption) const;

    /// Keeps the grid for the book: a file `name.vl.json` and a record. @throws Error as Figure::save does
    void save(const std::string& caption, book::Place where = book::Place::here()) const;

private:
    struct Picture {
        std::string label;
        std::vector<double> pixels;
    };

    struct Layout {
        int across, down, cell_width, cell_height, zoom;  // cells in pixels of the pictures, gaps included
    };

    Layout layout() const;
    std::string sheet(const Layout& at) const;  // all pictures in one PNG, as a data URI

    std::string name_, alt_;
    int columns_, height_ = 0, width_ = 0, channels_ = 0, zoom_ = 0;
    bool negative_ = false;
    std::vector<Picture> pictures_;
};

}  // namespace RECTO::figure
