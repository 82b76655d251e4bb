// Ranks over MPI: the shared library that a page loads for `./recto run PAGE --ranks N` (lib/recto/optim/mpi.cpp).
// `./recto` compiles it with mpicxx. MPI ends a program whose message fails, so there are no return values to check.
#include <mpi.h>

#include <recto/optim/transport.h>

namespace {

void exchange(const void* sent, void* received, long piece) {
    MPI_Alltoall(sent, int(piece), MPI_BYTE, received, int(piece), MPI_BYTE, MPI_COMM_WORLD);
}

void gather(const void* sent, void* received, long bytes) {
    MPI_Allgather(sent, int(bytes), MPI_BYTE, received, int(bytes), MPI_BYTE, MPI_COMM_WORLD);
}

void broadcast(void* bytes, long count) { MPI_Bcast(bytes, int(count), MPI_BYTE, 0, MPI_COMM_WORLD); }

void end() { MPI_Finalize(); }

void stop_all() { MPI_Abort(MPI_COMM_WORLD, 1); }

}  // namespace

RectoTransport recto_start_transport() {
    RectoTransport here{0, 1, exchange, gather, broadcast, end, stop_all};
    int threads = 0;  // the pool's threads never call MPI
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &threads);
    MPI_Comm_rank(MPI_COMM_WORLD, &here.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &here.size);
    return here;
}
