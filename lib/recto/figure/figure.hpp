#pragma once
/// @file
/// Figures made of data: what a page draws becomes a Vega-Lite file with the numbers inside.
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
/// Layers with one label have one colour, whichever panel they are in; a legend appears as soon as
/// there are two labels. An empty label has no entry. Numbers are kept with six digits; one that is not
/// finite, or not positive on a logarithmic axis, is a gap.
class Figure {
public:
    /// @param name  its name in the book and of its file: letters, digits, dots and dashes
    explicit Figure(std::string name);
    ~Figure();
    Figure(const Figure&) = delete;
    Figure& operator=(const Figure&) = delete;

    /// The alternative text: what the figure shows, in words. Mandatory.
    Figure& describe(std::string alt);

    /// A line through the points, in the order given. @throws Error when the lengths differ
    Figure& line(std::string label, Values x, Values y, Style style = {});
    /// Several thin lines of one label over the same x.
    Figure& lines(std::string label, Values x, const std::vector<std::vector<double>>& ys, Style style = {});
    /// Several thin lines whose y lie one after another in one array. @throws Error unless y holds whole lines
    Figure& lines(std::string label, Values x, Values ys, Style style = {});
    /// Dots.
    Figure& dots(std::string label, Values x, Values y, Style style = {});
    /// A few words at each place, in the middle of it; `width` is their size in pixels, 13 by default.
    /// @throws Error unless there are as many x, y and words
    Figure& words(std::string label, Values x, Values y, Names words, Style style = {});
    /// The area between `low` and `high`.
    Figure& band(std::string label, Values x, Values low, Values high, Style style = {});
    /// One bar for each name; bars of several labels stand side by side.
    Figure& bars(std::string label, Names names, Values heights, Style style = {});
    /// Bars at places on a number line, such as a histogram's.
    Figure& bars(std::string label, Values x, Values heights, Style style = {});
    /// A vertical line at x, with a few words beside it.
    Figure& rule_x(double x, std::string words = "", Style style = {});
    /// A horizontal line at y, with a few words above it.
    Figure& rule_y(double y, std::string words = "", Style style = {});
    /// A matrix as coloured cells, row by row from the top; alone in its panel. Where `low` is `-high`, negative cells
    /// are blue, positive ones orange, and zero is pale; else larger numbers are lighter.
    ///
    /// @param label  what the numbers are, for the colour bar; no colour bar when empty
    /// @param low, high  the numbers at the ends of the colours, which those beyond share; the data's own when they are equal
    /// @throws Error unless there are rows x columns numbers, at most 10,000
    Figure& heatmap(std::string label, Names columns, Names rows, Values numbers, double low = 0, double high = 0);
    /// Red frames around cells of this panel's heat map, one for each pair of a column and a row.
    /// @throws Error when the lengths differ
    Figure& frame(Names columns, Names rows);
    /// Writes the numbers into the cells of the heat map even when they are many, as long as the page is wide enough;
    /// the figure has no other panel. By default, a heat map shows numbers for up to 150 cells.
    Figure& numbers();
    /// A function of two variables as an image that fills the panel, under the layers that follow; pale, so that they
    /// stand out, unless the panel is bare().
    ///
    /// @param numbers  row by row from the top (the highest y), `columns` in a row
    /// @throws Error unless the numbers fill whole rows, and after at(): a field is seen at every setting
    Figure& field(double x_low, double x_high, double y_low, double y_high, int columns, Values numbers);

    Figure& x(std::string title);           ///< Title of the x axis.
    Figure& y(std::string title);           ///< Title of the y axis.
    Figure& log_x();                        ///< A logarithmic x axis.
    Figure& log_y();                        ///< A logarithmic y axis.
    Figure& log_axes();                     ///< Both axes logarithmic.
    Figure& xlim(double low, double high);  ///< Limits of the x axis.
    Figure& ylim(double low, double high);  ///< Limits of the y axis.
    Figure& height(int pixels);             ///< Height of a panel; 300, or 260 for several.
    Figure& tall(int pixels);               ///< Height of this panel alone.

    /// Starts the next panel: layers, axes and limits that follow belong to it. The first call names the
    /// first panel if nothing was drawn before it.
    Figure& panel(std::string title);
    /// Hides the axes of this panel, for images whose coordinates do not matter.
    Figure& bare();
    /// The number of panels side by side; two by default.
    Figure& columns(int count);

    /// A slider that shows one setting at a time; what is drawn after at(value) belongs to that setting.
    ///
    /// @param name    a word: the column of the data that holds the setting
    /// @param values  all settings; the slider has a stop for each
    /// @param label   the words beside the slider
    /// @param first   the setting shown at first, in print, and without scripts
    Figure& slider(std::string name, Values values, std::string label, double first);
    /// A slider for an option of the page, whose standard value is shown at first. Where the page runs in a browser, the
    /// slider stops between the settings as well: the page then runs up to this figure with the option set, and draws
    /// that setting alone, see settings().
    Figure& slider(const book::Option<double>& option, Values values, std::string label);
    /// A slider for an option of the page that is a whole number between limits; a figure may have several of them, and
    /// no other slider. The figure is drawn for the options as they are. Where the page runs in a browser, it is drawn
    /// for those that the reader chooses; elsewhere the sliders are absent.
    ///
    /// The layers must be the same whatever the options are; what is absent is drawn at NaN.
    /// @throws Error unless the option has a least and a most value
    Figure& slider(const book::Option<Index>& option, std::string label);
    /// Layers that follow are seen only at this setting of the slider. @throws Error for another number
    Figure& at(double setting);
    /// Layers that follow are always seen.
    Figure& always();

    /// Lets the reader paint on the heat map of this panel, where the page runs in a browser. The page then runs up to
    /// this figure with the option set to what was painted: a digit from 0 to 9 for each cell, row by row from the top,
    /// where 9 is the largest number of the heat map.
    Figure& painted_by(const book::Option<std::string>& option);
    /// A dot at (at_x, at_y) of this panel that the reader can drag, where the page runs in a browser. The page then runs
    /// up to this figure with the two options set to the dot's new place. The panel has limits, and no logarithmic axis.
    /// @throws Error when the figure has such a dot already
    Figure& dragged(double at_x, double at_y, const book::Option<double>& x, const book::Option<double>& y);

    /// The Vega-Lite specification, for use without a page. @throws Error without a description
    std::string spec(const std::string& caption) const;

    /// Keeps the figure for the book: a file `name.vl.json` and a record.
    ///
    /// @param caption  MyST: what the figure shows, and after whom
    /// @throws Error without a description, without a caption, or with a name that was used before
    void save(const std::string& caption, book::Place where = book::Place::here()) const;

    struct State;  ///< What was drawn so far; see spec.hpp.

private:
    std::unique_ptr<State> state_;
};

/// What a figure with a slider for an option draws: all these settings, or the option's value alone if that is not the
/// standard one.
std::vector<double> settings(const book::Option<double>& option, Values all);

}  // namespace RECTO::figure
