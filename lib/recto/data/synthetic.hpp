#pragma once
/// @file
/// Everything that is drawn rather than read: curves, clouds and small images.
#include <recto/data/clouds.hpp>
#include <recto/data/curves.hpp>
#include <recto/data/drawings.hpp>
