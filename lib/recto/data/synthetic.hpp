#pragma once
/// @file
/// All generated data: curves, clouds, small images and short signals.
#include <recto/data/clouds.hpp>
#include <recto/data/curves.hpp>
#include <recto/data/drawings.hpp>
#include <recto/data/mixture_1d.hpp>
#include <recto/data/signals.hpp>
