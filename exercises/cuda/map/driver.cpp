#include "kernels.hpp"
#include "map.hpp"

static const kit::Function scaled_("scaled", kit::with_kernels<scaled>),
    on_device_("scaled_on_device", kit::with_hidden_numbers<scaled>);
