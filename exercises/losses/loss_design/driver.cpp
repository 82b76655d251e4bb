#include "driver.hpp"
#include "loss_design.hpp"

namespace {

using Numbers = std::vector<double>;
using Labels = std::vector<int>;

std::pair<Numbers, Numbers> surrogates(const Numbers& margins) {
    Numbers values, slopes;
    for (const double margin : margins) {
        values.push_back(surrogate(margin));
        slopes.push_back(surrogate_slope(margin));
    }
    return {values, slopes};
}

template <Loss loss(const Numbers&, const Labels&)>
std::pair<double, Numbers> of(const Numbers& scores, const Labels& labels) {
    const Loss mean = loss(scores, labels);
    return {mean.value, mean.gradient};
}

std::tuple<Labels, Numbers, Numbers, double> curve(const Numbers& probabilities, const Labels& labels, int bins) {
    const Curve found = calibration(probabilities, labels, bins);
    return {found.count, found.confidence, found.frequency, found.error};
}

std::pair<Numbers, Labels> data() {
    const Data found = misled();
    return {found.x, found.y};
}

const kit::Function surrogate_("surrogate", surrogates), most_errors_("most_errors", most_errors),
    hinge_("hinge", of<hinge>), cross_entropy_("cross_entropy", of<cross_entropy>), squared_("squared", of<squared>),
    calibration_("calibration", curve), misled_("misled", data);

}  // namespace
