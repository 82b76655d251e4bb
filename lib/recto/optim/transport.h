#pragma once
/// @file
/// The functions that ranks/mpi.cpp offers to optim/mpi.cpp. In C, so that one shared library serves both precisions.

extern "C" {

/// A started MPI. Pieces and messages have at most 2^31 - 1 bytes.
struct RectoTransport {
    int rank;                                                        ///< the number of this process
    int size;                                                        ///< how many processes there are
    void (*exchange)(const void* sent, void* received, long piece);  ///< Ranks::exchange; bytes of one piece
    void (*gather)(const void* sent, void* received, long bytes);    ///< Ranks::gather; bytes that this rank sends
    void (*broadcast)(void* bytes, long count);                      ///< Ranks::broadcast
    void (*end)();                                                   ///< ends MPI, together with all other ranks
    void (*stop_all)();                                              ///< ends all ranks at once, as failed
};

/// Starts MPI; to be called once.
RectoTransport recto_start_transport();
}
