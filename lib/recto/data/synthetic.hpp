#pragma once
/// @file
/// Everything that is drawn rather than read: curves, clouds, small images and short signals.
#include <recto/data/clouds.hpp>
#include <recto/data/curves.hpp>
#include <recto/data/drawings.hpp>
#include <recto/data/signals.hpp>
