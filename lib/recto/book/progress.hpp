#pragma once
/// @file
/// A progress bar for long work.
#include <string_view>

#include <recto/base/config.hpp>

namespace RECTO::book {

/// Draws a bar on standard error if that is a terminal, otherwise nothing. Cheap enough for every step of a loop: it
/// draws at most ten times a second. The text is followed by the rate per second and the remaining time.
///
/// @param done   work done
/// @param total  total work; the bar disappears once `done` reaches it
/// @param text   what is being done, and its state: `loss 1.234`
void progress(Index done, Index total, std::string_view text = "");

/// Removes the bar before something else is printed.
void hide_progress();

}  // namespace RECTO::book
