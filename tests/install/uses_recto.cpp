// Learns the line y = 2x + 1 with an installed Recto.
#include <cmath>
#include <cstdio>

#include <recto/recto.hpp>

using namespace recto;

int main() {
    if (exp(1.0) < 2.7) return 2;  // of a number: <cmath> and this namespace do not collide
    const Tensor x({4, 1}, {0, 1, 2, 3}), y({4, 1}, {1, 3, 5, 7});
    Tensor w = zeros({1, 1}).requires_grad_(), b = zeros({1}).requires_grad_();
    for (int step = 0; step < 2000; ++step) {
        w.zero_grad();
        b.zero_grad();
        mse_loss(linear(x, w, b), y).backward();
        w.copy_(w.detach() - w.grad() * Real(0.05));
        b.copy_(b.detach() - b.grad() * Real(0.05));
    }
    std::printf("y = %.3f x + %.3f\n", double(w.item()), double(b.item()));
    return std::abs(w.item() - 2) < 1e-3 && std::abs(b.item() - 1) < 1e-3 ? 0 : 1;
}
