#include <recto/optim/mpi.hpp>

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>

#include <recto/base/check.hpp>
#include <recto/optim/transport.h>

namespace RECTO::optim {
namespace {

RectoTransport transport;  // MPI can be started only once in a process
bool started = false, ended = false;

/// The length of one message, which MPI counts in an int.
long message(std::size_t bytes) {
    check(bytes <= std::size_t(std::numeric_limits<int>::max()), "ranks: wanted a message below 2 GiB, got {} bytes",
          bytes);
    return long(bytes);
}

class Processes final : public Ranks {
public:
    ~Processes() override {
        if (std::uncaught_exceptions() > 0) return;  // the other ranks would wait for this one; see start_ranks()
        ended = true;
        transport.end();
    }
    int rank() const override { return transport.rank; }
    int size() const override { return transport.size; }
    void exchange(std::span<const std::byte> sent, std::span<std::byte> received) override {
        transport.exchange(sent.data(), received.data(), message(sent.size() / std::size_t(transport.size)));
    }
    void gather(std::span<const std::byte> sent, std::span<std::byte> received) override {
        transport.gather(sent.data(), received.data(), message(sent.size()));
    }
    void broadcast(std::span<std::byte> bytes) override { transport.broadcast(bytes.data(), message(bytes.size())); }
};

void load() {
    check(!started, "ranks: MPI starts only once in a process");
    const char* path = std::getenv("RECTO_MPI");
    check(path && *path, "ranks: wanted MPI, but RECTO_MPI names no library; `./recto run PAGE --ranks N` makes it");
    void* library = ::dlopen(path, RTLD_NOW | RTLD_GLOBAL);  // Open MPI's own parts look for its names
    check(library, "ranks: cannot load {}: {}", path, library ? "" : ::dlerror());
    const auto start = reinterpret_cast<decltype(&recto_start_transport)>(::dlsym(library, "recto_start_transport"));
    check(start, "ranks: {} is not made of ranks/mpi.cpp", path);
    transport = start();
    started = true;
    // A rank that ends alone leaves the others waiting: mpirun notices this, Slurm does not.
    std::atexit([] {
        if (ended) return;
        std::fprintf(stderr, "rank %d of %d failed and stops all ranks\n", transport.rank, transport.size);
        transport.stop_all();
    });
}

}  // namespace

std::unique_ptr<Ranks> start_ranks(int wanted) {
    check(wanted >= 1, "ranks: wanted at least one rank, got {}", wanted);
    if (wanted == 1) return alone();
    load();
    if (transport.rank > 0) check(std::freopen("/dev/null", "w", stdout), "ranks: cannot open /dev/null");
    const int size = transport.size;
    if (size != wanted) transport.end(), ended = true;
    check(size == wanted, "ranks: wanted {} ranks, but {} {} started: mpirun -n {} starts them", wanted, size,
          size == 1 ? "was" : "were", wanted);
    return std::make_unique<Processes>();
}

}  // namespace RECTO::optim
