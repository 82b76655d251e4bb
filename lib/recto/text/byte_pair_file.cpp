#include <recto/text/byte_pair_file.hpp>

#include <set>

#include <recto/io/atomic_file.hpp>
#include <recto/io/input_file.hpp>

namespace RECTO::text {
namespace {

constexpr std::string_view title = "recto byte pairs 1\n";
constexpr Index longest_line = 16;  // two numbers of seven digits, a space and the newline

/// Reads the file's text; error messages name the byte.
class Reader {
public:
    Reader(const io::InputFile& file, std::string_view text) : file_(file), text_(text) {}

    [[noreturn]] void fail(std::string_view reason) const { file_.fail(Index(at_), reason); }
    void want(std::string_view words, std::string_view called) {
        if (text_.substr(at_, words.size()) != words) fail(fmt::format("wanted {}", called));
        at_ += words.size();
    }
    /// An integer from 0 to `most`, without leading zeros.
    Index number(Index most) {
        const std::size_t start = at_;
        Index value = 0;
        for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9' && value <= most; ++at_)
            value = 10 * value + (text_[at_] - '0');
        const bool padded = text_[start < text_.size() ? start : 0] == '0' && at_ > start + 1;
        if (at_ == start || padded || value > most) {
            at_ = start;
            fail(fmt::format("wanted a number from 0 to {}", most));
        }
        return value;
    }
    std::size_t at() const { return at_; }
    std::size_t left() const { return text_.size() - at_; }

private:
    const io::InputFile& file_;
    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

void save_byte_pairs(const std::string& path, const BytePairs& tokenizer) {
    std::string text = fmt::format("{}{}\n", title, tokenizer.merges().size());
    for (const auto& [left, right] : tokenizer.merges()) text += fmt::format("{} {}\n", left, right);
    io::write_file(path, text);
}

BytePairs load_byte_pairs(const std::string& path) {
    const io::InputFile file(path);
    const Index most = Index(title.size()) + longest_line * (BytePairs::most_merges + 1);
    if (file.size() > most)
        file.fail(0, fmt::format("has {} bytes, more than {} merges can have", file.size(), BytePairs::most_merges));
    std::string text(std::size_t(file.size()), '\0');
    file.read(text.data(), 0, file.size());
    file.expect_unchanged();
    if (const std::string_view kind = io::known_kind(std::string_view(text).substr(0, 256)); !kind.empty())
        file.fail(0, fmt::format("this is {}, wanted byte pairs", kind));

    Reader reader(file, text);
    reader.want(title, "the line 'recto byte pairs 1'");
    const Index count = reader.number(BytePairs::most_merges);
    reader.want("\n", "the end of the line");
    constexpr Index shortest_line = 4;
    if (count > Index(reader.left()) / shortest_line)
        reader.fail(fmt::format("{} merges do not fit into {} bytes", count, reader.left()));

    std::vector<Merge> merges;
    merges.reserve(std::size_t(count));
    std::vector<Index> lengths(256, 1);
    Index total = 256;
    std::set<std::pair<Index, Index>> seen;
    for (Index i = 0; i < count; ++i) {
        const Index last = 255 + i, left = reader.number(last);
        reader.want(" ", "a space");
        const Index right = reader.number(last);
        const Index length = lengths[std::size_t(left)] + lengths[std::size_t(right)];
        if (length > BytePairs::longest_token)
            reader.fail(
                fmt::format("this makes a token of {} bytes, wanted at most {}", length, BytePairs::longest_token));
        if ((total += length) > BytePairs::most_bytes)
            reader.fail(fmt::format("all tokens together have more than {} bytes", BytePairs::most_bytes));
        if (!seen.emplace(left, right).second)
            reader.fail(fmt::format("tokens {} and {} are merged twice", left, right));
        lengths.push_back(length);
        merges.push_back({left, right});
        reader.want("\n", "the end of the line");
    }
    if (reader.left() > 0) reader.fail(fmt::format("wanted the end after {} merges", count));
    return BytePairs(std::move(merges));
}

}  // namespace RECTO::text
