#include "driver.hpp"

#include "noising.hpp"

namespace {

std::pair<double, double> call_previous(double x, double x0, int t, std::vector<double> beta) {
    const Normal found = previous(x, x0, t, beta);
    return {found.mean, found.variance};
}

const kit::Function functions[] = {{"linear_schedule", linear_schedule},
                                   {"kept", kept},
                                   {"noised", noised},
                                   {"denoised", denoised},
                                   {"previous", call_previous}};

}  // namespace
