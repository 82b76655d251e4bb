#include "driver.hpp"

#include "bigram_gradient.hpp"

static const kit::Function one_hot_("one_hot", one_hot);
static const kit::Function logits_("logits", logits);
static const kit::Function counts_("counts", counts);
static const kit::Function probabilities_("probabilities", probabilities);
static const kit::Function loss_("loss", loss);
static const kit::Function gradient_("gradient", gradient);
static const kit::Function train_("train", train);
