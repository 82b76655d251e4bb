#pragma once
/// @file
/// Included by every page of the book. A page defines `void page()`; `main` comes with the target.
#include <recto/book/ask.hpp>
#include <recto/book/claim.hpp>
#include <recto/book/option.hpp>
#include <recto/book/progress.hpp>
#include <recto/book/run.hpp>
#include <recto/book/say.hpp>
#include <recto/book/shows.hpp>
#include <recto/book/table.hpp>

/// The page: everything it prints, claims, asks and draws, from top to bottom.
void page();
