#include "sampler.hpp"

#include "not_written.hpp"

Batch draw_batch(const Numbers& data, int steps, int size, std::mt19937_64& random) {
    (void)data, (void)steps, (void)size, (void)random;
    not_written("draw_batch");
}

double noise_loss(Network& network, const Schedule& schedule, const Batch& batch) {
    (void)network, (void)schedule, (void)batch;
    not_written("noise_loss");
}

Numbers step_back(const Numbers& x, int t, const Numbers& predicted, const Numbers& z, const Schedule& schedule) {
    (void)x, (void)t, (void)predicted, (void)z, (void)schedule;
    not_written("step_back");
}

Numbers sample(const Predictor& predict, const Schedule& schedule, int count, std::mt19937_64& random) {
    (void)predict, (void)schedule, (void)count, (void)random;
    not_written("sample");
}

Network train(const Numbers& data, const Schedule& schedule, std::mt19937_64& random) {
    (void)data, (void)schedule, (void)random;
    not_written("train");
}
