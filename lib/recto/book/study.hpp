#pragma once
/// @file
/// Studies: one experiment with many settings, which together take too long for a page. The page shows the results of a
/// full run, stored in `figures/`, says when and where it was made, and runs only a few settings itself.
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
/// `recto run PAGE --full` runs every *cell* (a setting and its results), in as many processes as there are threads,
/// and writes figures/widths.csv. Each cell is stored at once, so that an interrupted run continues where it stopped.
/// The run uses the AVX2 kernels, whose bits do not depend on the processor. `--again N` runs N cells again, drawn at
/// random from all studies of the page, long cells more rarely, and at least one cell of every study that a part rests
/// on, a long one if it takes at most a minute, and compares the results; `tests/frozen.py` does so when code that the
/// studies rest on has changed.
class Study {
public:
    using Row = std::vector<double>;  ///< The numbers of a setting, or its results.

    /// Name and contents of a study.
    struct About {
        std::string name;                     ///< its file is figures/NAME.csv
        std::vector<std::string> settings;    ///< names of the numbers of a setting
        std::vector<std::string> results;     ///< names of its results
        std::vector<std::string> parts = {};  ///< parts of the register whose verdict rests on it
        /// Largest relative difference of a repeated cell: another compiler may add in another order, which training
        /// magnifies.
        double tolerance = 0.05;
        std::vector<double> tolerances = {};  ///< one tolerance per result, instead of `tolerance`; or empty
    };

    /// @param cells    every setting of the full run, the longest first
    /// @param measure  runs one setting; draws only from generators seeded by the setting and book::seed()
    Study(About about, std::vector<Row> cells, std::function<Row(const Row& setting)> measure);
    Study(const Study&) = delete;
    Study& operator=(const Study&) = delete;

    const About& about() const { return about_; }             ///< Name and contents.
    const std::vector<Row>& cells() const { return cells_; }  ///< Every setting of the full run.
    /// Runs one setting now; for the few settings that the page itself runs. @throws Error when the number of results
    /// does not match About
    Row measure(const Row& setting) const;

    /// The stored full run: columns for the settings, the results, and `seconds` on one core. The page shows where it
    /// is from, and the register which parts rest on it. @throws Error when there is no run, or it has other cells
    const io::Csv& frozen(Place where = Place::here()) const;

    /// A share of the cells: every `count`-th, from number `number` on.
    struct Share {
        Index number = 0;  ///< from 0
        Index count = 1;   ///< how many shares there are, at most 1000
    };

    /// The full run: runs every missing cell, then writes the table. Of several shares, which may run on several
    /// machines that share the folder, each stores its cells in a file of its own; the next run of everything reads
    /// these files, runs what is still missing, and writes the table.
    /// @param folder  folder of the table
    /// @param origin  lines for its notes: `commit`, `machine`, `date`, `command`
    void run(const std::string& folder, const std::vector<std::string>& origin, Share share) const;
    /// The full run of everything.
    void run(const std::string& folder, const std::vector<std::string>& origin) const { run(folder, origin, Share{}); }

    /// Runs `count` stored cells of these studies again, drawn with this seed, and prints the differences. Also runs
    /// one cell of every study that a part rests on and of which none was drawn: its shortest, if the next takes more
    /// than ten minutes; and one of the longer half of its cells, if one takes at most a minute. @throws Error for a
    /// cell outside the tolerance
    static void again(const std::vector<const Study*>& studies, const std::string& folder, Index count,
                      std::uint64_t seed);

private:
    io::Csv read(const std::string& folder) const;
    std::vector<Row> begun(const std::string& path, const io::Csv& empty) const;
    std::string words(const Row& setting) const;
    std::string compare(const Row& kept, const Row& found) const;

    About about_;
    std::vector<Row> cells_;
    std::function<Row(const Row&)> measure_;
    mutable io::Csv frozen_;
};

/// The studies of this program, in the order in which they were created.
const std::vector<const Study*>& all_studies();

}  // namespace RECTO::book
