#pragma once
/// @file
/// Prompts and responses: the loss of a Gpt on the responses alone, and the responses that it writes.
#include <recto/core/integers.hpp>
#include <recto/nn/gpt.hpp>

#include <span>
#include <vector>

namespace RECTO::nn {

/// A prompt, and the response that is to follow it.
struct Exchange {
    std::vector<Index> prompt;    ///< tokens that are given
    std::vector<Index> response;  ///< tokens that the model learns to write
};

/// The mean cross-entropy of the tokens of all responses, in nats a token. Each token is predicted from the prompt and
/// from the tokens of the response before it. Tokens of a prompt are read and not predicted.
/// @param batch  exchanges of any lengths, each with a prompt
/// @return       a single number
/// @throws Error when there is no response to learn, a prompt is empty, an exchange is longer than the model's context, or
///         a token is out of range
Tensor response_loss(const Gpt& model, std::span<const Exchange> batch);

/// What a model wrote, and how sure it was.
struct Response {
    std::vector<Index> tokens;      ///< the most probable token each time
    std::vector<double> entropies;  ///< entropy of the distribution of each of these tokens, in nats
};

/// The response of a model to each prompt, by the most probable token each time; of equal ones the first. All prompts
/// are continued together, and keys and values are cached. Nothing is recorded on the tape.
/// @param prompts  of one length, which is at least 1
/// @param count    tokens to write after each
/// @throws Error when lengths differ, a prompt is empty, or prompt and response are longer than the model's context
std::vector<Response> respond(const Gpt& model, std::span<const std::vector<Index>> prompts, Index count);

}  // namespace RECTO::nn
