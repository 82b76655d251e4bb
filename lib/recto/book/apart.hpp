#pragma once
/// @file
/// Runs pieces of long work in separate processes.
#include <functional>
#include <vector>

#include <recto/base/config.hpp>

namespace RECTO::book {

/// Runs the pieces 0 to count - 1 of some work, `at_once` at a time, each in a child process with one thread. For small
/// models, two processes use two cores better than two threads in one process. The results are the same as in one
/// process, since nothing depends on the number of threads. If this process ends for any reason, its children end too.
/// Files that a child read as data count as read by this process (io::files_read).
///
/// @param work  returns the results of piece i; runs in the child, so it cannot change this process
/// @param done  called in this process with each piece's results as soon as they arrive, in any order
/// @throws Error with the first error in a piece, or with the way its process ended; all others are then stopped
void each_apart(Index count, int at_once, const std::function<std::vector<double>(Index)>& work,
                const std::function<void(Index, const std::vector<double>&)>& done);

}  // namespace RECTO::book
