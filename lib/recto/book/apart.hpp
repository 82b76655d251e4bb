#pragma once
/// @file
/// Pieces of long work, each in a process of its own.
#include <functional>
#include <vector>

#include <recto/base/config.hpp>

namespace RECTO::book {

/// Does the pieces 0 to count - 1 of some work, `at_once` at a time, each in a child process with one thread. Small models
/// keep two cores busier in two processes than with two threads in one. The numbers are those of one process, since
/// nothing depends on the number of threads. When this process ends, whatever the reason, its children do.
///
/// @param work  what piece i comes to; runs in the child, and may change nothing here
/// @param done  told of each piece in this process, as soon as it is there, in whatever order
/// @throws Error with what the first piece threw, or how its process ended; the others are then stopped
void each_apart(Index count, int at_once, const std::function<std::vector<double>(Index)>& work,
                const std::function<void(Index, const std::vector<double>&)>& done);

}  // namespace RECTO::book
