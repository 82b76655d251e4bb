#include <recto/text/byte_pair_training.hpp>

#include <queue>
#include <unordered_map>
#include <utility>

#include <recto/text/pieces.hpp>

namespace RECTO::text {
namespace {

/// A position in one of the distinct pieces: pieces are linked lists, one after the other.
struct Place {
    Index token;          // -1 if it was merged into the position before
    Index before, after;  // -1 at the ends of a piece
    Index weight;         // how often the piece occurs
};

/// Positions that no longer belong to their pair stay in the list; their tokens show it.
struct Pair {
    Index count = 0;
    std::vector<Index> places = {};  // from left to right
};

struct Candidate {
    Index count;
    Merge merge;

    bool operator<(const Candidate& other) const {  // the queue's top is the largest
        if (count != other.count) return count < other.count;
        if (merge.left != other.merge.left) return merge.left > other.merge.left;
        return merge.right > other.merge.right;
    }
};

class Training {
public:
    Training(std::string_view text, Index least) : least_(least) {
        std::unordered_map<std::string_view, Index> counts;
        std::vector<std::string_view> order;  // in the order of first use, not of the hash table
        each_piece(text, [&](std::string_view piece) {
            if (++counts[piece] == 1) order.push_back(piece);
        });
        for (int byte = 0; byte < 256; ++byte) lengths_.push_back(1);
        for (const std::string_view piece : order) {
            const Index begin = Index(places_.size()), end = begin + Index(piece.size()), weight = counts[piece];
            for (Index i = begin; i < end; ++i)
                places_.push_back({static_cast<unsigned char>(piece[std::size_t(i - begin)]), i > begin ? i - 1 : -1,
                                   i + 1 < end ? i + 1 : -1, weight});
            for (Index i = begin; i + 1 < end; ++i) add(i);
        }
        queue_changed();
    }

    /// The most frequent pair, or none if no pair is frequent enough.
    bool best(Candidate& found) {
        while (!queue_.empty()) {
            found = queue_.top();
            queue_.pop();
            const Index now = pairs_[key(found.merge)].count;
            if (now == found.count) return true;
            if (now >= least_) queue_.push({now, found.merge});
        }
        return false;
    }

    /// Merges a pair wherever it occurs.
    void merge(const Merge& merge) {
        const Index made = Index(lengths_.size());
        lengths_.push_back(lengths_[std::size_t(merge.left)] + lengths_[std::size_t(merge.right)]);
        for (const Index left : std::exchange(pairs_[key(merge)].places, {})) {
            Place& first = at(left);
            const Index right = first.after;
            if (first.token != merge.left || right < 0 || at(right).token != merge.right) continue;
            Place& second = at(right);
            const Index before = first.before, after = second.after;
            forget(left);
            if (before >= 0) forget(before);
            if (after >= 0) forget(right);
            first.token = made, first.after = after, second.token = -1;
            if (after >= 0) at(after).before = left;
            if (before >= 0) add(before);
            if (after >= 0) add(left);
        }
        pairs_.erase(key(merge));
        queue_changed();
    }

private:
    static std::uint64_t key(const Merge& m) { return std::uint64_t(m.left) << 32 | std::uint64_t(m.right); }
    Place& at(Index i) { return places_[std::size_t(i)]; }
    Merge pair_at(Index left) { return {at(left).token, at(at(left).after).token}; }

    void add(Index left) {
        const Merge merge = pair_at(left);
        Pair& pair = pairs_[key(merge)];
        if (pair.places.empty()) changed_.push_back(merge);
        pair.count += at(left).weight;
        pair.places.push_back(left);
    }
    void forget(Index left) { pairs_[key(pair_at(left))].count -= at(left).weight; }

    /// New pairs go into the queue once their counts are complete; only a merge creates pairs, all with its token.
    void queue_changed() {
        for (const Merge& merge : changed_) {
            const Index length = lengths_[std::size_t(merge.left)] + lengths_[std::size_t(merge.right)];
            const Index count = pairs_[key(merge)].count;
            if (count >= least_ && length <= BytePairs::longest_token) queue_.push({count, merge});
        }
        changed_.clear();
    }

    Index least_;
    std::vector<Place> places_;
    std::vector<Index> lengths_;  // of the tokens, in bytes
    std::unordered_map<std::uint64_t, Pair> pairs_;
    std::priority_queue<Candidate> queue_;
    std::vector<Merge> changed_;
};

}  // namespace

BytePairs train_byte_pairs(std::string_view text, const BytePairOptions& options) {
    check(options.size >= 256 && options.size <= 256 + BytePairs::most_merges,
          "train_byte_pairs: wanted a size from 256 to {}, got {}", 256 + BytePairs::most_merges, options.size);
    check(options.least >= 1, "train_byte_pairs: wanted pairs that occur at least once, got {}", options.least);
    Training training(text, options.least);
    std::vector<Merge> merges;
    Candidate best{};
    while (256 + Index(merges.size()) < options.size && training.best(best)) {
        training.merge(best.merge);
        merges.push_back(best.merge);
    }
    return BytePairs(std::move(merges));
}

}  // namespace RECTO::text
