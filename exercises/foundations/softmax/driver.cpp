#include "driver.hpp"
#include "softmax.hpp"

static const kit::Function softmax_("softmax", softmax);
