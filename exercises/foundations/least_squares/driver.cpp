#include "driver.hpp"
#include "least_squares.hpp"

static const kit::Function design_("design", design), predict_("predict", predict),
    mean_squared_error_("mean_squared_error", mean_squared_error), fit_("fit", fit);
