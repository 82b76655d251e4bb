#pragma once
/// @file
/// The names and the layout under which weights of GPT-2 are published.
#include <recto/core/named_tensors.hpp>
#include <recto/nn/decoder.hpp>

namespace RECTO::nn {

/// The Decoder of weights that have the layout in which GPT-2 is published (Radford et al., 2019): `wte.weight` and
/// `wpe.weight`, then `h.0.ln_1.weight`, `h.0.attn.c_attn.weight` and so on for each block, and `ln_f.weight`, each with
/// or without the prefix `transformer`. The matrices of blocks are stored as (in, out). Sizes follow from the shapes.
/// Scores are made by `lm_head.weight` if it is there, and else by `wte.weight`. Causal masks, `attn.bias` and
/// `attn.masked_bias`, are passed over.
/// @param tensors  such as those of io::load_parameters()
/// @param heads    attention heads of a block; 0 for one for every 64 numbers of the width, as all sizes of GPT-2 have
/// @throws Error when a tensor is missing or unknown, appears twice, or has another shape than the others ask for,
///         or unless the heads divide the width
Decoder gpt2_decoder(const NamedTensors& tensors, Index heads = 0);

}  // namespace RECTO::nn
