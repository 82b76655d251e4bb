#pragma once
/// @file
/// CUDA graphs: work that is recorded once and started as a whole. A build without CUDA has absent.cpp instead.
#include <recto/base/config.hpp>

namespace RECTO::cuda {

/// Recorded work that is ready to run.
class Graph {
public:
    Graph() = default;  ///< Empty.
    ~Graph();
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    static void begin();    ///< From now on the stream records work without running it.
    static void abandon();  ///< Ends the recording and discards it; never throws.
    void end();             ///< Ends the recording and keeps it. @throws Error when something cannot be recorded
    void launch() const;    ///< Runs the recorded work, in the stream's order.

private:
    [[maybe_unused]] void* ready_ = nullptr;  // cudaGraphExec_t; absent.cpp has no use for it
};

}  // namespace RECTO::cuda
