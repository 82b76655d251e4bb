#pragma once
/// @file
/// A progress bar for long work.
#include <string_view>

#include <recto/base/config.hpp>

namespace RECTO::book {

/// Draws a bar on standard error if that is a terminal, nothing otherwise. Cheap enough for every step of a loop: it
/// draws ten times a second at most. Beside the text stand the rate per second and the remaining time.
///
/// @param done   how much is done
/// @param total  how much there is; the bar goes away once `done` reaches it
/// @param text   what is being done, and how it goes: `loss 1.234`
void progress(Index done, Index total, std::string_view text = "");

/// Takes the bar away, before something else is printed.
void hide_progress();

}  // namespace RECTO::book
