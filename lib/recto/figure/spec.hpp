#pragma once
/// @file
/// The state of a Figure and its conversion to a specification; only for the files of this folder.
#include <optional>

#include <recto/figure/figure.hpp>

namespace RECTO::figure {

/// A column of a layer's data: numbers or words.
struct Column {
    std::string name;             ///< The field in the specification.
    std::vector<double> numbers;  ///< Its numbers, or
    Names words = {};             ///< its words.
    bool exact = false;           ///< Keep every digit, because other code compares with it.
};

/// The kinds of layers.
enum class Kind { line, lines, dots, band, bars, columns, rule_x, rule_y, heatmap, frame, field, words };

/// A layer.
struct Layer {
    Kind kind;                 ///< Its kind.
    std::string label;         ///< Its entry in the legend; of a field or a heat map the title of its colour bar.
    Style style;               ///< Complete after spec() began, without defaults.
    std::vector<Column> data;  ///< Its columns.
    double low = 0;            ///< The number at the lower end of the colours of a heat map or a field.
    double high = 0;           ///< The number at the upper end.
    std::string picture = "";  ///< The PNG of a field, as a data URI.
};

/// One axis of a panel.
struct Axis {
    std::string title;  ///< Text beside it.
    bool log = false;   ///< Whether it is logarithmic.
    double low = 0;     ///< Lower end; equal to `high` if the data decide.
    double high = 0;    ///< Upper end.
};

/// One coordinate system.
struct Panel {
    std::string title;          ///< Text above it.
    std::vector<Layer> layers;  ///< The layers, from back to front.
    Axis x;                     ///< Its horizontal axis.
    Axis y;                     ///< Its vertical axis.
    bool bare = false;          ///< Without axes.
    bool numbers = false;       ///< Whether a heat map writes its numbers into the cells, for any number of cells.
    int height = 0;             ///< Its own height, or 0.
};

/// A slider.
struct Slider {
    std::string name;            ///< See Figure::slider.
    std::string label;           ///< See Figure::slider.
    std::vector<double> values;  ///< Its stops.
    double first = 0;            ///< The initial stop.
    std::string option = "";     ///< The option of the page that sets it, if there is one.
};

/// A slider of an option without drawings for other settings.
struct Knob {
    std::string option;  ///< The option's name.
    std::string label;   ///< The text beside the slider.
    Index least = 0;     ///< Lower end.
    Index most = 0;      ///< Upper end.
    Index value = 0;     ///< The option's value.
};

/// A panel that the reader may paint on.
struct Canvas {
    std::string option;     ///< The option that receives the painted numbers.
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

/// The state of a figure.
struct Figure::State {
    std::string name;               ///< See Figure.
    std::string alt;                ///< See Figure::describe.
    std::vector<Panel> panels{1};   ///< At least one.
    std::optional<Slider> slider;   ///< The slider, if there is one.
    std::vector<Knob> knobs;        ///< Sliders of options for which nothing is drawn ahead.
    std::optional<double> setting;  ///< The setting of later layers, if not all.
    std::optional<Canvas> canvas;   ///< See Figure::painted_by.
    std::optional<Handle> handle;   ///< See Figure::dragged.
    int columns = 2;                ///< See Figure::columns.
    int height = 0;                 ///< See Figure::height.

    /// Adds a layer to the last panel, or rows to the layer of the same kind and label of another setting.
    void add(Layer layer);
};

/// An entry of the legend.
struct Entry {
    std::string label;  ///< The text.
    Layer look;         ///< A layer without data, with a complete style.
};

/// A number for drawing: six digits, integers in full, null if it is not finite.
book::Json drawn(double number, bool exact = false);

/// Completes the styles of all layers and returns the entries of the legend, in order of appearance.
std::vector<Entry> complete_styles(std::vector<Panel>& panels);

/// How many different words a column has.
std::size_t distinct(const Column& column);

/// The rows of a layer's data, with null for numbers that a logarithmic axis cannot show.
book::Json rows(const Layer& layer, const Panel& panel);

/// The channel for x or y of one panel: type, title, scale and axis.
///
/// @param field  the column to show, or an empty text for a channel that takes a `datum`
book::Json channel(const Panel& panel, bool is_x, std::string_view field);

/// The position of a number on an axis: 0 at its lower end, 1 at its upper end.
double share(const Panel& panel, bool is_x, double value);

/// The highest position on an axis at which a horizontal rule has space for text above it.
inline constexpr double fits_above = 0.92;

/// The layers of one panel.
///
/// @param legend   whether colours come from a legend
/// @param x_scale  Vega's name of the horizontal scale
/// @param names    names of data sets so far; those of this panel are added
book::Json layers(const Panel& panel, bool legend, const Slider* slider, std::string_view x_scale,
                  std::vector<std::string>& names);

/// The scale and the legend for colours that come from labels.
book::Json legend_channel(const std::vector<Entry>& entries);

/// How many labels of the legend fit side by side on a wide page.
std::size_t legend_columns(const std::vector<Entry>& entries);

/// A dash pattern such as `[6,3]`.
book::Json dashes(Dash dash);
/// Vega's name of a shape.
std::string_view vega_name(Shape shape);

}  // namespace RECTO::figure
