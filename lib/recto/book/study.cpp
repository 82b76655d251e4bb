#include <recto/book/study.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>

#include <recto/book/apart.hpp>
#include <recto/book/measured.hpp>
#include <recto/book/origin.hpp>
#include <recto/book/say.hpp>
#include <recto/book/stopwatch.hpp>
#include <recto/book/trace.hpp>
#include <recto/core/random.hpp>
#include <recto/device/threads.hpp>
#include <recto/io/atomic_file.hpp>

namespace RECTO::book {
namespace {

/// A function, so that the list exists before the studies of any file.
std::vector<const Study*>& list() {
    static std::vector<const Study*> studies;
    return studies;
}

constexpr double long_cell = 600, short_enough = 60;  // seconds
constexpr Index most_shares = 1000;

std::string time_words(double seconds) {
    return seconds < 100 ? fmt::format("{:.0f} s", seconds) : fmt::format("{:.0f} min", seconds / 60);
}

/// Processor time of this process: a busy neighbour delays a cell without making it more expensive.
double own_seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

Study::Study(About about, std::vector<Row> cells, std::function<Row(const Row&)> measure)
    : about_(std::move(about)), cells_(std::move(cells)), measure_(std::move(measure)) {
    if (about_.tolerances.empty()) about_.tolerances.assign(about_.results.size(), about_.tolerance);
    check(about_.tolerances.size() == about_.results.size(), "study {}: wanted {} tolerances, got {}", about_.name,
          about_.results.size(), about_.tolerances.size());
    for (const double tolerance : about_.tolerances)
        check(tolerance >= 0, "study {}: wanted tolerances of at least 0, got {}", about_.name, tolerance);
    list().push_back(this);
}

const std::vector<const Study*>& all_studies() { return list(); }

Study::Row Study::measure(const Row& setting) const {
    check(setting.size() == about_.settings.size(), "study {}: wanted {} numbers in a setting, got {}", about_.name,
          about_.settings.size(), setting.size());
    Row found = measure_(setting);
    check(found.size() == about_.results.size(), "study {}: wanted {} results, got {}", about_.name,
          about_.results.size(), found.size());
    return found;
}

std::string Study::words(const Row& setting) const {
    std::string all;
    for (std::size_t i = 0; i < setting.size(); ++i)
        all += fmt::format("{}{} {}", i ? ", " : "", about_.settings[i], brief(setting[i]));
    return all;
}

io::Csv Study::read(const std::string& folder) const {
    const std::string path = fmt::format("{}/{}.csv", folder, about_.name);
    check(std::filesystem::exists(path), "study {}: {} is not there: ./recto run {} --full makes it", about_.name, path,
          settings().program);
    io::Csv table = io::read_csv(path);
    std::vector<std::string> columns = about_.settings;
    columns.insert(columns.end(), about_.results.begin(), about_.results.end());
    columns.emplace_back("seconds");
    check(table.columns == columns, "study {}: wanted the columns {}, {} has {}", about_.name, fmt::join(columns, ", "),
          path, fmt::join(table.columns, ", "));
    const auto same = [&](const Row& row, const Row& cell) {
        return std::equal(cell.begin(), cell.end(), row.begin());
    };
    check(std::ranges::equal(table.rows, cells_, same), "study {}: {} is not a run of this program's {} cells",
          about_.name, path, cells_.size());
    return table;
}

const io::Csv& Study::frozen(Place where) const {
    if (!frozen_.columns.empty()) return frozen_;
    frozen_ = read(settings().figures);
    double seconds = 0;
    for (const double one : frozen_.column("seconds")) seconds += one;
    const std::string line =
        fmt::format("full run of {}: {} cells, {} of one core, {}; {}; commit {}", frozen_.note("date"), cells_.size(),
                    time_words(seconds), frozen_.note("machine"), frozen_.note("command"), frozen_.note("commit"));
    say_formatted("{}", fmt::make_format_args(line), false, where);
    Json parts = Json::array();
    for (const std::string& part : about_.parts) parts.append(part);
    keep(record("frozen", where).add("study", about_.name).add("parts", parts));
    return frozen_;
}

/// The cells that an interrupted run has stored; `empty` is the table without rows, which the file must fit.
std::vector<Study::Row> Study::begun(const std::string& path, const io::Csv& empty) const {
    // An interrupted run may have left an incomplete last line, which does not count.
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    text.resize(text.rfind('\n') + 1);
    io::write_file(path, text);
    io::Csv kept = io::read_csv(path);
    check(kept.notes == empty.notes && kept.columns == empty.columns,
          "study {}: {} was begun by another build of this program; remove it to begin again", about_.name, path);
    return std::move(kept.rows);
}

void Study::run(const std::string& folder, const std::vector<std::string>& origin, Share share) const {
    check(share.count >= 1 && share.count <= most_shares, "study {}: wanted 1 to {} shares, got {}", about_.name,
          most_shares, share.count);
    check(share.number >= 0 && share.number < share.count, "study {}: wanted share 0 to {}, got {}", about_.name,
          share.count - 1, share.number);
    const std::string path = fmt::format("{}/{}.csv", folder, about_.name);
    const auto of_share = [&](Index number) { return fmt::format("{}.share-{}.begun", path, number); };
    const bool whole = share.count == 1;
    const std::string own = whole ? path + ".begun" : of_share(share.number);
    io::make_directories(folder);
    const std::string build = "build " + build_digest();  // a table contains cells of only one build
    io::Csv table{{build}, about_.settings, {}};
    table.columns.insert(table.columns.end(), about_.results.begin(), about_.results.end());
    table.columns.emplace_back("seconds");
    const io::Csv empty = table;
    if (!std::filesystem::exists(own)) io::write_file(own, empty.text());
    std::vector<std::string> files = {own};
    for (Index number = 0; whole && number < most_shares; ++number)
        if (std::filesystem::exists(of_share(number))) files.push_back(of_share(number));
    for (const std::string& file : files)
        for (Row& row : begun(file, empty)) table.rows.push_back(std::move(row));

    std::vector<const Row*> missing;
    for (Index i = share.number; i < std::ssize(cells_); i += share.count) {
        const Row& cell = cells_[std::size_t(i)];
        if (std::ranges::none_of(table.rows,
                                 [&](const Row& row) { return std::equal(cell.begin(), cell.end(), row.begin()); }))
            missing.push_back(&cell);
    }
    const double start = now();
    Index done = 0;
    std::ofstream file(own, std::ios::app | std::ios::binary);
    each_apart(
        std::ssize(missing), threads(),
        [&](Index i) {
            Row found = measure(*missing[std::size_t(i)]);
            found.push_back(std::round(100 * own_seconds()) / 100);
            return found;
        },
        [&](Index i, const Row& found) {
            Row row = *missing[std::size_t(i)];
            row.insert(row.end(), found.begin(), found.end());
            file << fmt::format("{}\n", fmt::join(row, ",")) << std::flush;
            check(bool(file), "study {}: cannot write {}", about_.name, own);
            table.rows.push_back(row);
            ++done;
            std::vector<std::string> results;
            for (std::size_t k = 0; k < about_.results.size() && results.size() < 4; ++k)  // fits on one line
                results.push_back(fmt::format("{} {}", about_.results[k], brief(found[k])));
            const double left = seconds_since(start) / double(done) * double(std::ssize(missing) - done);
            print(fmt::format("{} of {} cells: {}: {} ({}); {} left", std::ssize(table.rows), cells_.size(),
                              words(*missing[std::size_t(i)]), fmt::join(results, ", "), time_words(found.back()),
                              time_words(left)));
        });

    if (!whole) return print(fmt::format("kept {}", own));
    std::vector<Row> ordered;
    for (const Row& cell : cells_)
        ordered.push_back(*std::ranges::find_if(
            table.rows, [&](const Row& row) { return std::equal(cell.begin(), cell.end(), row.begin()); }));
    table.rows = std::move(ordered);
    table.notes = origin;
    io::write_file(path, table.text());
    for (const std::string& one : files) std::filesystem::remove(one);
    print(fmt::format("kept {}", path));
}

/// Prints the difference of a cell from the kept results, and returns a message if it exceeds the tolerance.
std::string Study::compare(const Row& kept, const Row& found) const {
    std::string wrong;
    for (std::size_t k = 0; k < found.size(); ++k) {
        const double before = kept[about_.settings.size() + k];
        const bool equal = found[k] == before || (std::isnan(found[k]) && std::isnan(before));
        const bool near = equal || std::abs(found[k] - before) <= about_.tolerances[k] * std::abs(before);
        print(fmt::format("{}: {}: {} was {}, is {}: {}", about_.name,
                          words({kept.begin(), kept.begin() + std::ssize(about_.settings)}), about_.results[k], before,
                          found[k],
                          equal  ? "equal"
                          : near ? "within the tolerance"
                                 : "NOT within the tolerance"));
        if (!near)
            wrong = fmt::format("study {}: '{}' of a cell that was done again is not within {} of what was kept",
                                about_.name, about_.results[k], about_.tolerances[k]);
    }
    return wrong;
}

void Study::again(const std::vector<const Study*>& studies, const std::string& folder, Index count,
                  std::uint64_t seed) {
    struct Cell {
        const Study* study;
        Index number;  // its row in the table
        Row row;
    };
    std::vector<Cell> kept;
    for (const Study* study : studies) {
        Index number = 0;
        for (Row& row : study->read(folder).rows) kept.push_back({study, ++number, std::move(row)});
    }
    // Exponential waiting times: each cell has the rate 1 / seconds, so a cell that takes k times as long is drawn k
    // times as rarely.
    std::vector<std::pair<double, std::size_t>> order;
    Generator random(seed);
    for (std::size_t i = 0; i < kept.size(); ++i)
        order.emplace_back(-std::log(1 - random.next_uniform()) * std::max(kept[i].row.back(), 0.01), i);
    std::ranges::sort(order);
    std::vector<const Cell*> drawn;
    for (const auto& [wait, i] : order)
        if (std::ssize(drawn) < count) drawn.push_back(&kept[i]);
    // For every study that a part rests on, at least one cell is drawn: the next one, or the shortest if that takes too
    // long.
    for (const Study* study : studies) {
        if (study->about_.parts.empty() || std::ranges::find(drawn, study, &Cell::study) != drawn.end()) continue;
        const auto next = std::ranges::find(order, study, [&](const auto& one) { return kept[one.second].study; });
        if (next == order.end()) continue;
        const Cell* cell = &kept[next->second];
        if (cell->row.back() > long_cell)
            for (const Cell& other : kept)
                if (other.study == study && other.row.back() < cell->row.back()) cell = &other;
        drawn.push_back(cell);
    }
    // Most claims rest on the longer cells of a study, which are rarely drawn: adds one cell of its longer half.
    for (const Study* study : studies) {
        if (study->about_.parts.empty()) continue;
        std::vector<const Cell*> own;
        for (const Cell& cell : kept)
            if (cell.study == study) own.push_back(&cell);
        std::ranges::stable_sort(own, {}, [](const Cell* cell) { return cell->row.back(); });
        own.erase(own.begin(), own.begin() + std::ssize(own) / 2);
        std::erase_if(own, [&](const Cell* cell) {
            return cell->row.back() > short_enough || std::ranges::find(drawn, cell) != drawn.end();
        });
        if (!own.empty()) drawn.push_back(own[std::size_t(random.next_integer(0, std::ssize(own)))]);
    }
    std::string wrong;
    each_apart(
        std::ssize(drawn), threads(),
        [&](Index i) {
            const auto& [study, number, row] = *drawn[std::size_t(i)];
            return study->measure({row.begin(), row.begin() + std::ssize(study->about_.settings)});
        },
        [&](Index i, const Row& found) {
            const auto& [study, number, row] = *drawn[std::size_t(i)];
            const std::string complaint = study->compare(row, found);
            if (!complaint.empty()) wrong = complaint;
            // The next line is read by tests/frozen.py.
            print(fmt::format("{}: cell {} done again", study->about_.name, number));
        });
    check(wrong.empty(), "{} (seed {})", wrong, seed);
}

}  // namespace RECTO::book
