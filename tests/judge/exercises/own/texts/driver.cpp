#include "driver.hpp"
#include "texts.hpp"

static const kit::Function texts_("texts", texts);
