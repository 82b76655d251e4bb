#pragma once
/// @file
/// Few-shot prompts, and a small Gpt that learns to answer them.
#include <recto/core/random.hpp>
#include <recto/nn/gpt.hpp>

#include <functional>
#include <span>
#include <vector>

namespace RECTO::text {

/// A prompt with examples, as tokens: a first word, then a thing and its label for each example, then the last thing,
/// whose label is asked for.
/// @throws Error unless there is a label for each thing
std::vector<Index> few_shot_prompt(Index first, std::span<const Index> things, std::span<const Index> labels,
                                   Index last);

/// The texts of which a network learns to answer prompts, and how long it learns.
struct PromptLessons {
    std::function<std::vector<Index>(Generator&)> catalogue;  ///< a text of context + 1 tokens about the things
    std::function<std::vector<Index>(Generator&)> prompt;  ///< a first word, and context / 2 things with their labels
    Index prompts = 16;  ///< texts of a batch of 32 that are prompts; none of them are in the first fifth of the steps
    Index steps = 450;   ///< steps of training
};

/// A Gpt of two blocks of the width 48 with four heads, trained by AdamW on batches of 32 texts. Of a catalogue it learns
/// to predict each token, of a prompt the labels only. The learning rate rises to 0.004 in 50 steps, and falls to 0 in
/// the second half.
/// @param tokens   in the vocabulary
/// @param context  tokens that the network reads at once; an even number
/// @throws Error when the context is not an even number of at least 2, a text is not of context + 1 tokens, a batch would
///         have fewer than 0 or more than 32 prompts, or a token is out of range
nn::Gpt learn_prompts(const PromptLessons& lessons, Index tokens, Index context, Generator& random);

}  // namespace RECTO::text
