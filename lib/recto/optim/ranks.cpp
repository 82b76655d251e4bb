#include <recto/optim/ranks.hpp>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <recto/base/check.hpp>

namespace RECTO::optim {
namespace {

class Alone final : public Ranks {
public:
    int rank() const override { return 0; }
    int size() const override { return 1; }
    void exchange(std::span<const std::byte> sent, std::span<std::byte> received) override {
        std::ranges::copy(sent, received.begin());
    }
    void gather(std::span<const std::byte> sent, std::span<std::byte> received) override {
        std::ranges::copy(sent, received.begin());
    }
    void broadcast(std::span<std::byte>) override {}
};

/// Where the threads of a group show each other their data.
struct Board {
    explicit Board(int size) : shown(std::size_t(size)), all_here(size) {}

    std::vector<const std::byte*> shown;  // by rank
    std::barrier<> all_here;
    std::atomic<bool> failed = false;
    std::mutex mutex;  // guards the first exception
    std::exception_ptr first;
};

class Thread final : public Ranks {
public:
    Thread(Board& board, int rank) : board_(board), rank_(rank) {}

    int rank() const override { return rank_; }
    int size() const override { return int(board_.shown.size()); }

    void exchange(std::span<const std::byte> sent, std::span<std::byte> received) override {
        const std::size_t piece = sent.size() / board_.shown.size();
        show(sent.data(), [&] {
            for (std::size_t r = 0; r < board_.shown.size(); ++r)
                std::copy_n(board_.shown[r] + std::size_t(rank_) * piece, piece, received.data() + r * piece);
        });
    }
    void gather(std::span<const std::byte> sent, std::span<std::byte> received) override {
        show(sent.data(), [&] {
            for (std::size_t r = 0; r < board_.shown.size(); ++r)
                std::copy_n(board_.shown[r], sent.size(), received.data() + r * sent.size());
        });
    }
    void broadcast(std::span<std::byte> bytes) override {
        show(bytes.data(), [&] {
            if (rank_ > 0) std::copy_n(board_.shown[0], bytes.size(), bytes.data());
        });
    }

private:
    /// Shows data to the others, reads theirs, and returns when all have read.
    template <class Read>
    void show(const std::byte* data, const Read& read) {
        board_.shown[std::size_t(rank_)] = data;
        meet();
        read();
        meet();
    }
    void meet() {
        board_.all_here.arrive_and_wait();
        check(!board_.failed, "ranks: another rank failed");
    }

    Board& board_;
    int rank_;
};

}  // namespace

std::unique_ptr<Ranks> alone() { return std::make_unique<Alone>(); }

void run_as_threads(int size, const std::function<void(Ranks&)>& body) {
    check(size >= 1, "ranks: wanted at least one rank, got {}", size);
    Board board(size);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size; ++rank)
        threads.emplace_back([&board, &body, rank] {
            try {
                Thread ranks(board, rank);
                body(ranks);
            } catch (...) {
                const std::lock_guard lock(board.mutex);
                if (!board.first) board.first = std::current_exception();
                board.failed = true;
            }
            board.all_here.arrive_and_drop();  // so that the others do not wait for this rank
        });
    for (std::thread& thread : threads) thread.join();
    if (board.first) std::rethrow_exception(board.first);
}

void add_up(Ranks& ranks, std::span<Real> numbers) {
    const auto size = std::size_t(ranks.size());
    if (size == 1) return;
    const std::size_t slice = (numbers.size() + size - 1) / size;
    std::vector<Real> sent(slice * size), received(slice * size), sums(slice);  // the last slice is filled with zeros
    std::ranges::copy(numbers, sent.begin());
    ranks.exchange(std::as_bytes(std::span(sent)), std::as_writable_bytes(std::span(received)));
    for (std::size_t i = 0; i < slice; ++i) {
        double sum = 0;
        for (std::size_t r = 0; r < size; ++r) sum += double(received[r * slice + i]);
        sums[i] = Real(sum);
    }
    ranks.gather(std::as_bytes(std::span(sums)), std::as_writable_bytes(std::span(received)));
    std::copy_n(received.begin(), numbers.size(), numbers.begin());
}

void barrier(Ranks& ranks) {
    const std::byte here{};
    std::vector<std::byte> all(std::size_t(ranks.size()));
    ranks.gather({&here, 1}, all);
}

}  // namespace RECTO::optim
