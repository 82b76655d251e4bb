#pragma once
/// @file
/// Data-parallel training: every rank has the whole model and a share of each batch.
///
///     optim::Adam adam(nn::parameters(model), {.lr = 1e-3});
///     optim::DataParallel parallel(adam, ranks);
///     optim::fit(parallel, batches, [&](const data::Examples& batch) {
///         return parallel.loss(batch.size(), [&](Index begin, Index end) {
///             const data::Examples mine = data::slice(batch, begin, end);
///             return cross_entropy(model(mine.x), mine.labels);
///         });
///     }, {.epochs = 5});
#include <string>

#include <recto/core/named_tensors.hpp>
#include <recto/io/checkpoint.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/optim/fit.hpp>
#include <recto/optim/ranks.hpp>

namespace RECTO::optim {

/// Examples [begin, end) of a batch.
struct Share {
    Index begin;  ///< its first example
    Index end;    ///< past its last
};

/// The share of a rank in a batch of `count` examples: consecutive, and at most one example longer than another's.
/// @throws Error when there are fewer examples than ranks
Share share_of(Index count, int rank, int size);

/// Bytes of gradients in one message: large enough that its start costs little, small enough to stay in a cache.
constexpr Index bucket_bytes = 1 << 20;

/// Replaces the gradients of every rank by their sums over all ranks, one bucket after another. A parameter has a
/// gradient afterwards if it had one on any rank.
void add_up_gradients(Ranks& ranks, const NamedTensors& parameters, Index bucket = bucket_bytes);

/// Copies the numbers of rank 0 to all ranks.
void broadcast(Ranks& ranks, const NamedTensors& tensors);

/// A number summed over all ranks. Backward pass: dx = dy, the gradient of the sum by this rank's number.
Tensor sum_over_ranks(Ranks& ranks, const Tensor& x);

/// An optimiser of all ranks, for fit(): step() adds up the gradients of the ranks, and each rank then makes the same
/// step. The losses and the parameters are those of one process with the whole batch, up to rounding, and the same bits
/// for the same number of ranks. This holds for models whose loss is a mean over the examples: a batch norm sees its
/// rank's share alone, and dropout draws for it alone.
template <Optimiser O>
class DataParallel {
public:
    /// Copies the parameters of rank 0 to all ranks. Both must outlive this object.
    DataParallel(O& optimiser, Ranks& ranks) : options(optimiser.options), optimiser_(optimiser), ranks_(ranks) {
        broadcast(ranks, optimiser.parameters());
    }

    decltype(O::options)& options;  ///< Those of the optimiser, which may be changed between steps.

    /// The loss of a batch, the same on every rank; backward() gives this rank's part of its gradient.
    /// @param count  number of examples of the batch
    /// @param loss   `Tensor(Index begin, Index end)`: the mean loss of examples [begin, end), which this rank computes
    template <class Loss>
    Tensor loss(Index count, const Loss& loss) {
        const auto [begin, end] = share_of(count, ranks_.rank(), ranks_.size());
        return sum_over_ranks(ranks_, mul(loss(begin, end), double(end - begin) / double(count)));
    }

    /// Adds up the gradients, then makes one step of the optimiser.
    void step() {
        add_up_gradients(ranks_, optimiser_.parameters());
        optimiser_.step();
    }
    void zero_grad() { optimiser_.zero_grad(); }                                ///< Clears the gradients of this rank.
    const NamedTensors& parameters() const { return optimiser_.parameters(); }  ///< The parameters that it trains.

private:
    O& optimiser_;
    Ranks& ranks_;
};

/// Whether there is a file of this name, on all ranks or on none.
/// @throws Error on every rank when one of them sees another file than rank 0: all must share one file system
bool same_file(Ranks& ranks, const std::string& path);

/// Writes a checkpoint, from rank 0 alone: all ranks have the same state. @throws Error as io::save_checkpoint does
template <class Training>
void save_checkpoint(Ranks& ranks, const std::string& path, const Training& training) {
    if (ranks.rank() == 0) io::save_checkpoint(path, training);
}

/// Restores `training` on every rank if there is a checkpoint, and says whether. The number of ranks may be another than
/// that of the training that wrote it. @throws Error when the file does not fit, or the ranks see different files
template <class Training>
bool load_checkpoint(Ranks& ranks, const std::string& path, Training& training) {
    if (!same_file(ranks, path)) return false;
    io::load_checkpoint(path, training);
    return true;
}

}  // namespace RECTO::optim
