#pragma once
/// @file
/// Sums of the rows of a matrix inside a kernel, and other folds of them.
#include <type_traits>

#include <recto/device/device.hpp>
#include <recto/device/team.hpp>

namespace RECTO {

/// Columns that a team folds. On a GPU a lane folds one, and many teams share a wide matrix; the CPU's team takes as many
/// as stay in the first-level cache.
constexpr Index columns_of_team(Device device) { return device == Device::cpu ? 2048 : team_size; }

/// out[j] = join(... join(join(first, f(0, j)), f(1, j)) ..., f(n - 1, j)) for every j in [0, cols). The CPU's team goes along
/// the rows, as they lie in memory; a GPU's lane keeps the result of its column in a register.
template <class Team, class F, class Join>
RECTO_HD void fold_rows(const Team& team, Index n, Index cols, Real first, Real* out, const F& f, const Join& join) {
    if constexpr (std::is_same_v<Team, LoopTeam>) {
        team.each(cols, [&](Index j) { out[j] = n > 0 ? join(first, f(0, j)) : first; });
        for (Index i = 1; i < n; ++i) team.each(cols, [&](Index j) { out[j] = join(out[j], f(i, j)); });
    } else {
        team.each(cols, [&](Index j) {
            Real all = first;
            for (Index i = 0; i < n; ++i) all = join(all, f(i, j));
            out[j] = all;
        });
    }
}

}  // namespace RECTO
