#pragma once
/// @file
/// What a Figure holds and how it becomes a specification; only for the files of this folder.
#include <optional>

#include <recto/figure/figure.hpp>

namespace RECTO::figure {

/// A column of a layer's data: numbers or words.
struct Column {
    std::string name;             ///< The field in the specification.
    std::vector<double> numbers;  ///< Its numbers, or
    Names words = {};             ///< its words.
    bool exact = false;           ///< Keep every digit, because something compares with it.
};

/// What a layer is drawn as.
enum class Kind { line, lines, dots, band, bars, columns, rule_x, rule_y, heatmap, frame, field, words };

/// One thing drawn.
struct Layer {
    Kind kind;                 ///< How.
    std::string label;         ///< Its entry in the legend.
    Style style;               ///< After spec() began: complete, nothing left to the label.
    std::vector<Column> data;  ///< What.
    double low = 0;            ///< The number at the lower end of the colours of a heat map.
    double high = 0;           ///< That at the upper end; of a field, its rows of pixels.
    std::string picture = "";  ///< The PNG of a field, as a data URI.
};

/// One axis of a panel.
struct Axis {
    std::string title;  ///< Words beside it.
    bool log = false;   ///< Whether it is logarithmic.
    double low = 0;     ///< Where it begins; equal to `high` when the data decide.
    double high = 0;    ///< Where it ends.
};

/// One coordinate system.
struct Panel {
    std::string title;          ///< Words above it.
    std::vector<Layer> layers;  ///< What is drawn, from back to front.
    Axis x;                     ///< Its horizontal axis.
    Axis y;                     ///< Its vertical axis.
    bool bare = false;          ///< Without axes.
    bool numbers = false;       ///< A heat map writes its numbers into the cells, however many they are.
    int height = 0;             ///< Its own height, if it has one.
};

/// A slider.
struct Slider {
    std::string name;            ///< See Figure::slider.
    std::string label;           ///< See Figure::slider.
    std::vector<double> values;  ///< Its stops.
    double first = 0;            ///< The stop at the beginning.
    std::string option = "";     ///< The option of the page that sets it, if there is one.
};

/// A slider of an option for which nothing is drawn ahead.
struct Knob {
    std::string option;  ///< The option's name.
    std::string label;   ///< The words beside the slider.
    Index least = 0;     ///< One end.
    Index most = 0;      ///< The other end.
    Index value = 0;     ///< The option's value.
};

/// A panel that the reader may paint on.
struct Canvas {
    std::string option;     ///< The option that takes what is painted.
    std::size_t panel = 0;  ///< Which panel.
};

/// A dot that the reader may drag.
struct Handle {
    std::string x_option;   ///< The option that takes its horizontal place.
    std::string y_option;   ///< The option that takes its vertical place.
    double x = 0;           ///< Where it is drawn.
    double y = 0;           ///< Where it is drawn.
    std::size_t panel = 0;  ///< In which panel.
};

/// Everything a figure knows.
struct Figure::State {
    std::string name;               ///< See Figure.
    std::string alt;                ///< See Figure::describe.
    std::vector<Panel> panels{1};   ///< At least one.
    std::optional<Slider> slider;   ///< The slider, if there is one.
    std::vector<Knob> knobs;        ///< Sliders of options for which nothing is drawn ahead.
    std::optional<double> setting;  ///< The setting that layers are added for, if not all.
    std::optional<Canvas> canvas;   ///< See Figure::painted_by.
    std::optional<Handle> handle;   ///< See Figure::dragged.
    int columns = 2;                ///< See Figure::columns.
    int height = 0;                 ///< See Figure::height.

    /// Adds a layer to the last panel, or rows to the layer of the same kind and label of another setting.
    void add(Layer layer);
};

/// How one label looks in the legend.
struct Entry {
    std::string label;  ///< The words.
    Layer look;         ///< A layer without data, its style complete.
};

/// A number for drawing: six digits, whole numbers in full, null when it is not finite.
book::Json drawn(double number, bool exact = false);

/// Completes the styles of all layers and returns the entries of the legend, in order of appearance.
std::vector<Entry> complete_styles(std::vector<Panel>& panels);

/// How many different words a column has.
std::size_t distinct(const Column& column);

/// The rows of a layer's data, with null for what a logarithmic axis cannot show.
book::Json rows(const Layer& layer, const Panel& panel);

/// The channel for x or y of one panel: type, title, scale and axis.
///
/// @param field  the column to show, or an empty text for a channel that takes a `datum`
book::Json channel(const Panel& panel, bool is_x, std::string_view field);

/// Where a number stands on an axis: 0 at its lower end, 1 at its upper end.
double share(const Panel& panel, bool is_x, double value);

/// The highest place on an axis at which a horizontal rule has room for its words above it.
inline constexpr double fits_above = 0.92;

/// The layers of one panel.
///
/// @param legend   whether colours come from a legend
/// @param x_scale  Vega's name of its horizontal scale
/// @param names    names of data sets so far; those of this panel are added
book::Json layers(const Panel& panel, bool legend, const Slider* slider, std::string_view x_scale,
                  std::vector<std::string>& names);

/// The scale and the legend for colours that come from labels.
book::Json legend_channel(const std::vector<Entry>& entries);

/// How many labels of the legend fit beside each other on a wide page.
std::size_t legend_columns(const std::vector<Entry>& entries);

/// `[6,3]` and the like.
book::Json dashes(Dash dash);
/// Vega's name of a shape.
std::string_view vega_name(Shape shape);

}  // namespace RECTO::figure
