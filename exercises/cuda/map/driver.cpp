#include "kernels.hpp"
#include "map.hpp"

static const kit::Function scaled_("scaled", kit::with_kernels<scaled>);
