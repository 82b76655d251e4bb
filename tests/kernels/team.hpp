#pragma once
// The library's own team of a GPU (device/team.hpp), on the emulator.
#include <vector>

#include <recto/device/team.hpp>

/// For each row of n: softmax by the team's max, sum and each; on the emulated GPU, or by the team of device `sim`.
std::vector<recto::Real> softmax_on_emulator(const std::vector<recto::Real>& x, recto::Index rows);
std::vector<recto::Real> softmax_on_sim(const std::vector<recto::Real>& x, recto::Index rows);
