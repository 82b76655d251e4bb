#include "driver.hpp"
#include "halves.hpp"

static const kit::Function halves_("halves", halves);
