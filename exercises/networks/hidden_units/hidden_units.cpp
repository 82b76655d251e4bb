#include "hidden_units.hpp"

#include "not_written.hpp"

int errors(Network& network, const Images& images, int batch) {
    (void)network, (void)images, (void)batch;
    not_written("errors");
}

std::vector<double> train(Network& network, const Images& images, int batch, int epochs, double rate) {
    (void)network, (void)images, (void)batch, (void)epochs, (void)rate;
    not_written("train");
}

std::vector<double> error_shares(const std::vector<int>& sizes, int classes, const Images& learn, const Images& test,
                                 const Settings& how, std::mt19937_64& random) {
    (void)sizes, (void)classes, (void)learn, (void)test, (void)how, (void)random;
    not_written("error_shares");
}

std::vector<std::array<int, 4>> shapes(const ConvNet& net, const std::array<int, 4>& image) {
    (void)net, (void)image;
    not_written("shapes");
}

Matrix scores(const ConvNet& net, const Tensor& x) {
    (void)net, (void)x;
    not_written("scores");
}
