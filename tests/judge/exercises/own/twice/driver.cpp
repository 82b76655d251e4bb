#include "driver.hpp"
#include "twice.hpp"

static const kit::Function twice_("twice", twice);
