#pragma once
/// @file
/// Figures made of data: the layers that a page draws become a Vega-Lite file that contains the numbers.
#include <memory>
#include <string>
#include <vector>

#include <recto/book/option.hpp>
#include <recto/book/place.hpp>
#include <recto/figure/style.hpp>
#include <recto/figure/values.hpp>

namespace RECTO::figure {

/// A figure under construction. Every call adds to it and returns it, up to save().
///
/// Layers with the same label have the same colour, in every panel; a legend appears as soon as there are two labels.
/// An empty label has no entry. Numbers are stored with six digits; a number that is not finite, or not positive on a
/// logarithmic axis, is a gap.
class Figure {
public:
    /// @param name  its name in the book, and the name of its file: letters, digits, dots and dashes
    explicit Figure(std::string name);
    ~Figure();
    Figure(const Figure&) = delete;
    Figure& operator=(const Figure&) = delete;

    /// The alternative text: a description of the figure in words. Mandatory.
    Figure& describe(std::string alt);

    /// A line through the points, in the order given. @throws Error when the lengths differ
    Figure& line(std::string label, Values x, Values y, Style style = {});
    /// Several thin lines with the same label over the same x.
    Figure& lines(std::string label, Values x, const std::vector<std::vector<double>>& ys, Style style = {});
    /// Several thin lines whose y follow one another in one array. @throws Error unless y contains complete lines
    Figure& lines(std::string label, Values x, Values ys, Style style = {});
    /// Dots.
    Figure& dots(std::string label, Values x, Values y, Style style = {});
    /// A few words centred at each place; `width` is their size in pixels, 13 by default.
    /// @throws Error unless there are as many x, y and words
    Figure& words(std::string label, Values x, Values y, Names words, Style style = {});
    /// The area between `low` and `high`.
    Figure& band(std::string label, Values x, Values low, Values high, Style style = {});
    /// One bar for each name; bars with different labels stand side by side. The names are written as those of heatmap().
    Figure& bars(std::string label, Names names, Values heights, Style style = {});
    /// Bars at positions on a number line, such as those of a histogram.
    Figure& bars(std::string label, Values x, Values heights, Style style = {});
    /// A vertical line at x, with a few words beside it.
    Figure& rule_x(double x, std::string words = "", Style style = {});
    /// A horizontal line at y, with a few words above it.
    Figure& rule_y(double y, std::string words = "", Style style = {});
    /// A matrix as coloured cells, row by row from the top; the only layer of its panel. If `low` is `-high`, negative
    /// cells are blue, positive cells orange, and zero is pale; otherwise larger numbers are lighter. All names are
    /// written beside the cells if there are at most 30 along an axis. Of more, and of whole numbers, every second one
    /// is left out as often as they overlap.
    ///
    /// @param label  title of the colour bar; no colour bar if empty
    /// @param low, high  the numbers at the ends of the colours, which clip all others; the data's own range if they
    /// are equal
    /// @throws Error unless there are rows x columns numbers, at most 10,000
    Figure& heatmap(std::string label, Names columns, Names rows, Values numbers, double low = 0, double high = 0);
    /// Red frames around cells of this panel's heat map, one for each pair of a column and a row.
    /// @throws Error when the lengths differ
    Figure& frame(Names columns, Names rows);
    /// Writes the numbers into the cells of the heat map even when they are many, as long as the page is wide enough;
    /// the figure has no other panel. By default, a heat map shows numbers for up to 150 cells.
    Figure& numbers();
    /// A function of two variables as an image that fills the panel, below all later layers; pale, so that they stand
    /// out, unless the panel is bare().
    ///
    /// @param numbers  row by row from the top (the highest y), `columns` in each row
    /// @param label    title of the colour bar; no colour bar if empty
    /// @throws Error unless the numbers fill whole rows, and after at(): a field is visible at every setting
    Figure& field(double x_low, double x_high, double y_low, double y_high, int columns, Values numbers,
                  std::string label = "");

    Figure& x(std::string title);           ///< Title of the x axis.
    Figure& y(std::string title);           ///< Title of the y axis.
    Figure& log_x();                        ///< A logarithmic x axis.
    Figure& log_y();                        ///< A logarithmic y axis.
    Figure& log_axes();                     ///< Both axes logarithmic.
    Figure& xlim(double low, double high);  ///< Limits of the x axis.
    Figure& ylim(double low, double high);  ///< Limits of the y axis.
    Figure& height(int pixels);             ///< Height of a panel; by default 300, or 260 with several panels.
    Figure& tall(int pixels);               ///< Height of this panel only.

    /// Starts the next panel: later layers, axes and limits belong to it. The first call names the first panel if it
    /// has no layer yet.
    Figure& panel(std::string title);
    /// Hides the axes of this panel, for images whose coordinates do not matter.
    Figure& bare();
    /// The number of panels side by side; two by default.
    Figure& columns(int count);

    /// A slider that shows one setting at a time; layers drawn after at(value) belong to that setting.
    ///
    /// @param name    a word: the column of the data with the setting
    /// @param values  all settings; the slider has a stop for each
    /// @param label   the text beside the slider
    /// @param first   the initial setting, also shown in print and without scripts
    Figure& slider(std::string name, Values values, std::string label, double first);
    /// A slider for an option of the page, with its standard value as the initial setting. If the page runs in the
    /// browser, the slider also stops between the settings: the page then runs up to this figure with the option set,
    /// and draws only that setting, see settings().
    Figure& slider(const book::Option<double>& option, Values values, std::string label);
    /// A slider for an option of the page that is an integer with limits; a figure may have several of them, and no
    /// other slider. The figure is drawn with the options' values. If the page runs in the browser, it is drawn again
    /// with the values that the reader chooses; elsewhere the sliders are absent.
    ///
    /// The layers must be the same for all values of the options; draw absent parts at NaN.
    /// @throws Error unless the option has a least and a most value
    Figure& slider(const book::Option<Index>& option, std::string label);
    /// Later layers are only visible at this setting of the slider. @throws Error for another number
    Figure& at(double setting);
    /// Later layers are always visible.
    Figure& always();

    /// Lets the reader paint on the heat map of this panel if the page runs in the browser. The page then runs up to
    /// this figure with the option set to the painted numbers: a digit from 0 to 9 for each cell, row by row from the
    /// top, where 9 is the largest number of the heat map.
    Figure& painted_by(const book::Option<std::string>& option);
    /// A dot at (at_x, at_y) of this panel that the reader can drag, where the page runs in a browser. The page then runs
    /// up to this figure with the two options set to the dot's new place. The panel has limits, and no logarithmic axis.
    /// @throws Error when the figure has such a dot already
    Figure& dragged(double at_x, double at_y, const book::Option<double>& x, const book::Option<double>& y);

    /// The Vega-Lite specification, for use without a page. @throws Error without a description
    std::string spec(const std::string& caption) const;

    /// Saves the figure for the book: a file `name.vl.json` and a record.
    ///
    /// @param caption  MyST: what the figure shows, and its source
    /// @throws Error without a description, without a caption, or with a name used before
    void save(const std::string& caption, book::Place where = book::Place::here()) const;

    struct State;  ///< The layers and options so far; see spec.hpp.

private:
    std::unique_ptr<State> state_;
};

/// The settings of a figure with a slider for an option: all of these, or only the option's value if it is not the
/// standard one.
std::vector<double> settings(const book::Option<double>& option, Values all);

}  // namespace RECTO::figure
