#include "moons.hpp"

#include "not_written.hpp"

Matrix time_features(const std::vector<int>& t, int steps, int width) {
    (void)t, (void)steps, (void)width;
    not_written("time_features");
}

double noise_loss(Network& network, const Schedule& schedule, const Batch& batch) {
    (void)network, (void)schedule, (void)batch;
    not_written("noise_loss");
}

Matrix step_to(const Matrix& x, int from, int to, const Matrix& predicted, const Matrix& z, const Schedule& schedule) {
    (void)x, (void)from, (void)to, (void)predicted, (void)z, (void)schedule;
    not_written("step_to");
}

Matrix sample(const Predictor& predict, const Schedule& schedule, int calls, int count, std::mt19937_64& random) {
    (void)predict, (void)schedule, (void)calls, (void)count, (void)random;
    not_written("sample");
}

double sliced_wasserstein(const Matrix& a, const Matrix& b, const Numbers& angles) {
    (void)a, (void)b, (void)angles;
    not_written("sliced_wasserstein");
}

Network train(const Matrix& data, const Schedule& schedule, std::mt19937_64& random) {
    (void)data, (void)schedule, (void)random;
    not_written("train");
}
