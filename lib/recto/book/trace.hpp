#pragma once
/// @file
/// The output of a page: its records and files. For the parts of the library that write records; pages themselves call
/// say, claim, ask and Figure::save.
#include <string>
#include <string_view>

#include <recto/book/json.hpp>
#include <recto/book/place.hpp>
#include <recto/book/run.hpp>
#include <recto/kernels/gemm.hpp>

namespace RECTO::book {

/// The settings of a run.
struct Settings {
    std::string program = "page";                        ///< The program's name, as called.
    std::uint64_t seed = 1;                              ///< `--seed`
    Device device = Device::cpu;                         ///< `--device`
    ProductPrecision products = ProductPrecision::ieee;  ///< `--matmul`
    bool quick = false;                                  ///< `--quick`
    bool standard = true;                                ///< See book::standard().
    std::string out = "";             ///< `--out`: the directory for the trace, which exists; empty for none.
    std::string until = "";           ///< `--until`: the figure after which the page ends; empty for the whole page.
    std::string figures = "figures";  ///< The directory of the frozen runs of studies.
    bool silent = false;              ///< Print nothing; for tests of the records.
};

/// Clears all records and starts a run with these settings.
void start(Settings settings);

/// The settings of the run.
const Settings& settings();

/// Starts a record: an object with its `kind` and the line of the page it belongs to.
Json record(std::string_view kind, Place where);

/// Adds a finished record to the trace.
void keep(const Json& record);

/// Keeps a file to be written beside the trace. @throws Error when the name is taken or not plain
void keep_file(const std::string& name, std::string bytes);

/// Thrown to end a page after the requested figure; not an error, so not derived from std::exception.
struct Reached {};

/// Saves a figure: its file and its record. `name` without an extension, `spec` with it. @throws Reached after the
/// figure that `--until` names
void keep_figure(const std::string& name, const std::string& spec, std::string bytes, Place where);

/// Records that a statement of the page is false; the run ends with exit status 1.
void broken(Place where, std::string_view what);

/// All false statements so far, one line each: `file:line: ...`.
const std::string& breakage();

/// Prints a line on standard output, at once. @throws Error when that fails, as on a full disk
void print(std::string_view line);

/// The records so far, one per line; complete only after `finish`.
const std::string& records();

/// Adds the `page` record and writes the files, the trace last. Nothing is written before, so an interrupted run
/// changes no file. @throws Error when a file cannot be written
void finish();

}  // namespace RECTO::book
