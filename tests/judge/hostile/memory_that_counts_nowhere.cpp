// outcome: passed
// says: ^$
// sanitized: yes
// Shared memory that no process has in its tables: all ways to it are closed.
#include "twice.hpp"

#include <fcntl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/uio.h>
#include <unistd.h>

int twice(int x) {
    const int both = PROT_READ | PROT_WRITE, zero = open("/dev/zero", O_RDWR);
    bool had = memfd_create("mine", 0) >= 0 || shmget(IPC_PRIVATE, 1 << 20, IPC_CREAT | 0600) >= 0;
    had = had || mmap(nullptr, 4096, both, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
    had = had || mmap(nullptr, 2 << 20, both, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0) != MAP_FAILED;
    had = had || (zero >= 0 && mmap(nullptr, 4096, both, MAP_SHARED, zero, 0) != MAP_FAILED);
    int pipe_[2];
    iovec page{&x, sizeof x};
    had = had || pipe(pipe_) != 0 || vmsplice(pipe_[1], &page, 1, 0) >= 0;
    close(pipe_[0]);
    close(pipe_[1]);
    return had ? 0 : 2 * x;
}
