#include <recto/optim/data_parallel.hpp>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <mutex>

#include <recto/data/batches.hpp>
#include <recto/io/atomic_file.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/sgd.hpp>
#include <recto/testing/gradcheck.hpp>
#include <recto/testing/training.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

data::Examples spots() {
    Generator random(1);
    const Tensor x = random.normal({96, 6});
    std::vector<Index> labels;
    for (Index i = 0; i < 96; ++i) labels.push_back(Index(x.at({i, 0}) > 0) + Index(x.at({i, 1}) > 0));
    return {x, Integers({96}, labels), {}, "spots"};
}

/// A training that can be saved.
struct Training {
    Generator random{2};
    nn::Mlp model{{6, 16, 3}, relu, random};
    optim::Adam adam{nn::parameters(model), {.lr = 0.01}};
    data::Passes batches{spots(), 32, random};

    void visit(auto&& part) {
        part("random", random), part("model", model), part("adam", adam), part("batches", batches);
    }
    std::vector<double> numbers() {
        std::vector<double> all;
        for (const NamedTensor& p : adam.parameters())
            for (const double number : doubles(p.tensor)) all.push_back(number);
        return all;
    }
};

/// Trains up to this step, with a checkpoint at the end if there is a path; returns the last loss.
double train(Training& training, optim::Ranks& ranks, Index until, const std::string& path = "") {
    if (!path.empty()) optim::load_checkpoint(ranks, path, training);
    optim::DataParallel parallel(training.adam, ranks);
    double last = 0;
    while (training.batches.taken() < until) {
        const data::Examples batch = training.batches.next();
        const Tensor loss = optim::train_step(parallel, [&] {
            return parallel.loss(batch.size(), [&](Index begin, Index end) {
                const data::Examples mine = data::slice(batch, begin, end);
                return cross_entropy(training.model(mine.x), mine.labels);
            });
        });
        last = double(loss.item());
    }
    if (!path.empty()) optim::save_checkpoint(ranks, path, training);
    return last;
}

struct Result {
    std::vector<double> parameters;
    double loss;
};

/// The parameters and the last loss after 12 steps; CHECKs that all ranks agree to the bit.
Result trained_by(int size) {
    std::vector<Result> results(static_cast<std::size_t>(size));
    optim::run_as_threads(size, [&](optim::Ranks& ranks) {
        Training training;
        const double loss = train(training, ranks, 12);
        results[std::size_t(ranks.rank())] = {training.numbers(), loss};
    });
    for (const Result& one : results) {
        CHECK(one.parameters == results[0].parameters);
        CHECK(one.loss == results[0].loss);
    }
    return results[0];
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
    REQUIRE(a.size() == b.size());
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
    return most;
}

}  // namespace

TEST_CASE("share_of: every example belongs to one rank", "[optim]") {
    for (const int size : {1, 2, 3, 7, 10})
        for (const Index count : {Index(10), Index(11), Index(19), Index(32)}) {
            CAPTURE(size, count);
            Index next = 0, least = count, most = 0;
            for (int rank = 0; rank < size; ++rank) {
                const optim::Share share = optim::share_of(count, rank, size);
                CHECK(share.begin == next);
                next = share.end;
                least = std::min(least, share.end - share.begin), most = std::max(most, share.end - share.begin);
            }
            CHECK(next == count);
            CHECK(most - least <= 1);
        }
    CHECK_THROWS_WITH(optim::share_of(3, 0, 4),
                      "data parallel: wanted at least one example for each of 4 ranks, got a batch of 3");
}

TEST_CASE("DataParallel: any number of ranks trains as one process does", "[optim]") {
    const Result one = trained_by(1);
    const double rounding = sizeof(Real) == 8 ? 1e-13 : 2e-5;
    for (const int size : {2, 3, 5}) {  // 3 and 5 do not divide the batch of 32
        CAPTURE(size);
        const Result several = trained_by(size), again = trained_by(size);
        CHECK(largest_difference(several.parameters, one.parameters) <= rounding);
        CHECK(std::abs(several.loss - one.loss) <= rounding);
        CHECK(again.parameters == several.parameters);
    }
}

TEST_CASE("add_up_gradients: the sums do not depend on the bucket", "[optim][devices]") {
    for (const Device device : devices())
        for (const Index bucket : {Index(sizeof(Real)), Index(40), optim::bucket_bytes}) {
            CAPTURE(device, bucket);
            std::mutex mutex;  // Catch2's assertions want one thread at a time
            optim::run_as_threads(2, [&](optim::Ranks& ranks) {
                NamedTensors w{{"a", zeros({3, 5}, device)}, {"b", zeros({2}, device)}, {"c", zeros({4}, device)}};
                for (NamedTensor& one : w) one.tensor.requires_grad_();
                const double mine = 1 + ranks.rank();
                give(w[0].tensor, full({3, 5}, Real(mine), device));
                if (ranks.rank() == 1) give(w[1].tensor, full({2}, 4, device));
                optim::add_up_gradients(ranks, w, bucket);
                const std::lock_guard lock(mutex);
                CHECK(doubles(w[0].tensor.grad()) == std::vector<double>(15, 3));
                CHECK(doubles(w[1].tensor.grad()) == std::vector<double>(2, 4));
                CHECK(!w[2].tensor.grad().defined());
            });
        }
}

GRADIENT_TEST("sum_over_ranks") {
    const auto ranks = optim::alone();
    check_gradient([&](const Tensor& x) { return optim::sum_over_ranks(*ranks, x); });
}

TEST_CASE("sum_over_ranks: value and gradient", "[optim]") {
    std::mutex mutex;
    optim::run_as_threads(3, [&](optim::Ranks& ranks) {
        const Tensor x = full({2}, Real(ranks.rank() + 1)).requires_grad_();
        const Tensor y = optim::sum_over_ranks(ranks, x);
        const std::lock_guard lock(mutex);
        CHECK(doubles(y) == std::vector<double>{6, 6});
        give(x, ones({2}));
        CHECK(doubles(x.grad()) == std::vector<double>{1, 1});
    });
}

TEST_CASE("DataParallel: the ranks begin with the parameters of rank 0", "[optim]") {
    std::mutex mutex;
    optim::run_as_threads(2, [&](optim::Ranks& ranks) {
        Tensor w = full({300'000}, Real(ranks.rank() + 1));  // more than one bucket
        w.requires_grad_();
        optim::Sgd sgd({{"w", w}}, {.lr = 1});
        optim::DataParallel parallel(sgd, ranks);
        const std::lock_guard lock(mutex);
        CHECK(doubles(w) == std::vector<double>(300'000, 1));
        parallel.options.lr = 0.5;
        CHECK(sgd.options.lr == 0.5);
    });
}

TEST_CASE("checkpoint: another number of ranks continues", "[optim]") {
    const std::string folder =
        fmt::format("{}/recto-ranks-{}", std::filesystem::temp_directory_path().string(), getpid());
    io::make_directories(folder);
    const std::string path = folder + "/training.checkpoint";
    const Result whole = trained_by(2);
    optim::run_as_threads(3, [&](optim::Ranks& ranks) {
        Training training;
        train(training, ranks, 5, path);
    });
    Training rest;
    const auto ranks = optim::alone();
    CHECK(optim::load_checkpoint(*ranks, path, rest));
    CHECK(rest.batches.taken() == 5);
    train(rest, *ranks, 12);
    CHECK(largest_difference(rest.numbers(), whole.parameters) <= (sizeof(Real) == 8 ? 1e-13 : 2e-5));
    CHECK(!optim::load_checkpoint(*ranks, folder + "/other", rest));
    std::filesystem::remove_all(folder);
}

TEST_CASE("checkpoint: ranks that see different files refuse", "[optim]") {
    const std::string folder =
        fmt::format("{}/recto-files-{}", std::filesystem::temp_directory_path().string(), getpid());
    io::make_directories(folder);
    io::write_file(folder + "/0", "one");
    io::write_file(folder + "/1", "another");
    for (const bool there : {true, false})
        CHECK_THROWS_WITH(optim::run_as_threads(2,
                                                [&](optim::Ranks& ranks) {
                                                    optim::same_file(ranks,
                                                                     ranks.rank() && !there
                                                                         ? folder + "/none"
                                                                         : fmt::format("{}/{}", folder, ranks.rank()));
                                                }),
                          Catch::Matchers::StartsWith("data parallel: rank 1 sees another file " + folder) &&
                              Catch::Matchers::EndsWith(" than rank 0; all ranks must share one file system"));
    std::filesystem::remove_all(folder);
}
