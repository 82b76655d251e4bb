#pragma once
/// @file
/// Ranks that MPI started, on one machine or on several.
///
///     ./recto run several_machines --ranks 2
///
/// No program links MPI: `ranks/mpi.cpp`, a shared library that `./recto run PAGE --ranks N` compiles, is loaded when it
/// is needed. So programs are the same where there is no MPI, and each cluster may use its own.
#include <recto/optim/ranks.hpp>

namespace RECTO::optim {

/// The ranks that mpirun or Slurm started together with this process, through the library that the environment variable
/// RECTO_MPI names; if `wanted` is 1, this process alone, without MPI. From then on only rank 0 prints on standard
/// output. If a rank ends without destroying the group, as after an Error, all ranks are stopped.
/// @throws Error when the library cannot be loaded, or the number of ranks is not `wanted`
std::unique_ptr<Ranks> start_ranks(int wanted);

}  // namespace RECTO::optim
