#include "noising.hpp"

#include "not_written.hpp"

std::vector<double> linear_schedule(int steps, double first, double last) {
    (void)steps, (void)first, (void)last;
    not_written("linear_schedule");
}

std::vector<double> kept(const std::vector<double>& beta) {
    (void)beta;
    not_written("kept");
}

std::vector<double> noised(const std::vector<double>& x0, const std::vector<int>& t, const std::vector<double>& noise,
                           const std::vector<double>& left) {
    (void)x0, (void)t, (void)noise, (void)left;
    not_written("noised");
}

std::vector<double> denoised(const std::vector<double>& x, const std::vector<int>& t, const std::vector<double>& noise,
                             const std::vector<double>& left) {
    (void)x, (void)t, (void)noise, (void)left;
    not_written("denoised");
}

Normal previous(double x, double x0, int t, const std::vector<double>& beta) {
    (void)x, (void)x0, (void)t, (void)beta;
    not_written("previous");
}
