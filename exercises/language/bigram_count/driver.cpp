#include "driver.hpp"

#include "bigram_count.hpp"

static const kit::Function count_("count", count);
static const kit::Function probabilities_("probabilities", probabilities);
static const kit::Function likelihood_("negative_log_likelihood", negative_log_likelihood);
static const kit::Function sample_("sample", sample);
