#pragma once
/// @file
/// Studies: one experiment for many settings, together too long for a page's minute. The page shows the numbers of a
/// full run, frozen in `figures/`, says when and where they were made, and does less itself.
#include <functional>
#include <string>
#include <vector>

#include <recto/book/place.hpp>
#include <recto/io/csv.hpp>

namespace RECTO::book {

/// A study of a page, a constant at namespace scope like an Option:
///
///     const book::Study widths({"widths", {"width", "draw"}, {"error"}, {"fig-9.9/a"}}, all_cells(), train_one);
///
/// `recto run PAGE --full` does every *cell* (a setting and its results), in as many processes as there are threads,
/// and keeps figures/widths.csv. What is done is kept at once, so that a run that was stopped goes on where it was.
/// It asks for the AVX2 kernels, whose bits do not depend on the processor.
/// `--again N` does N cells again, drawn at random from all studies of the page, the long ones more rarely, and at
/// least one of every study that a part rests on, a long one if it takes no more than a minute, and compares; `tests/frozen.py` does so when code that they rest on
/// has changed.
class Study {
public:
    using Row = std::vector<double>;  ///< The numbers of a setting, or what came of it.

    /// What a study is called, and what it is about.
    struct About {
        std::string name;                     ///< its file is figures/NAME.csv
        std::vector<std::string> settings;    ///< what the numbers of a setting are
        std::vector<std::string> results;     ///< what comes of it
        std::vector<std::string> parts = {};  ///< parts of the register whose verdict rests on it
        double tolerance =
            0.05;  ///< how far a cell done again may lie from the kept one, relative to its size: another
                   ///< compiler may add in another order, and training magnifies that
        std::vector<double> tolerances = {};  ///< one for each result, in place of `tolerance`; or none
    };

    /// @param cells    every setting of the full run, the longest first
    /// @param measure  does one; draws only from generators seeded by its setting and book::seed()
    Study(About about, std::vector<Row> cells, std::function<Row(const Row& setting)> measure);
    Study(const Study&) = delete;
    Study& operator=(const Study&) = delete;

    const About& about() const { return about_; }             ///< What it is about.
    const std::vector<Row>& cells() const { return cells_; }  ///< Every setting of the full run.
    /// Measures one setting now; for the few settings that the page itself runs. @throws Error unless it gives what
    /// About says
    Row measure(const Row& setting) const;

    /// The full run as it was kept: the columns of settings, of results, and `seconds`, of one
    /// core. The page says where it is from, and the register which parts rest on it.
    /// @throws Error when it was never made, or is not a run of these cells
    const io::Csv& frozen(Place where = Place::here()) const;

    /// The full run: does every cell that is not done, then keeps the table.
    /// @param folder  where it is kept
    /// @param origin  lines for its notes: `commit`, `machine`, `date`, `command`
    void run(const std::string& folder, const std::vector<std::string>& origin) const;

    /// Does `count` kept cells of these studies again, drawn with this seed, and says how near they came. Beside them one
    /// cell of every study that a part rests on and of which none was drawn: its shortest, if another takes more than ten
    /// minutes; and one of the longer half of its cells, if one takes at most a minute.
    /// @throws Error for one that is not within the tolerance
    static void again(const std::vector<const Study*>& studies, const std::string& folder, Index count,
                      std::uint64_t seed);

private:
    io::Csv read(const std::string& folder) const;
    std::string words(const Row& setting) const;
    std::string compare(const Row& kept, const Row& found) const;

    About about_;
    std::vector<Row> cells_;
    std::function<Row(const Row&)> measure_;
    mutable io::Csv frozen_;
};

/// The studies of this program, in the order in which they were made.
const std::vector<const Study*>& all_studies();

}  // namespace RECTO::book
