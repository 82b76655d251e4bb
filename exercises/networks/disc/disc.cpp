#include "disc.hpp"

#include "not_written.hpp"

Points draw_points(int count, std::mt19937_64& random) {
    (void)count, (void)random;
    not_written("draw_points");
}

Network make_network(const std::vector<int>& sizes, double deviation, std::mt19937_64& random) {
    (void)sizes, (void)deviation, (void)random;
    not_written("make_network");
}

void step(Network& network, double rate) {
    (void)network, (void)rate;
    not_written("step");
}

void adam_step(std::vector<double>& weights, const std::vector<double>& gradients, Memory& memory, double rate) {
    (void)weights, (void)gradients, (void)memory, (void)rate;
    not_written("adam_step");
}

void epoch(Network& network, const Points& points, int batch, double rate, std::mt19937_64& random) {
    (void)network, (void)points, (void)batch, (void)rate, (void)random;
    not_written("epoch");
}
