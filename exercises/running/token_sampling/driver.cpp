#include "driver.hpp"
#include "token_sampling.hpp"

static const kit::Function chances_("chances", chances), draw_("draw", draw);
