#include <recto/text/retrieval.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/reductions/reduce.hpp>

#include <cmath>
#include <cstdint>

namespace RECTO::text {
namespace {

/// Rows of length 1; rows of zeros remain.
Tensor unit_rows(const Tensor& x) { return x / maximum(sqrt(sum(x * x, {-1}, Keep::yes)), 1e-30); }

}  // namespace

TrigramEmbedding::TrigramEmbedding(std::span<const std::string> documents, Index dimensions) {
    check(!documents.empty(), "TrigramEmbedding: wanted documents, got none");
    check(dimensions >= 1, "TrigramEmbedding: wanted dimensions >= 1, got {}", dimensions);
    std::vector<double> seen(std::size_t(dimensions), 0);
    rarity_.assign(seen.size(), 1);
    for (const std::string& document : documents) {
        const std::vector<double> found = counts(document);
        for (std::size_t k = 0; k < found.size(); ++k) seen[k] += found[k] > 0;
    }
    for (std::size_t k = 0; k < seen.size(); ++k)
        rarity_[k] = seen[k] > 0 ? std::log(double(documents.size()) / seen[k]) : 0;
}

std::vector<double> TrigramEmbedding::counts(const std::string& text) const {
    std::string read = " ";
    for (const char c : text) read += c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
    read += ' ';
    std::vector<double> found(rarity_.size(), 0);
    for (std::size_t i = 0; i + 3 <= read.size(); ++i) {
        std::uint32_t hash = 2166136261u;  // FNV-1a
        for (std::size_t j = i; j < i + 3; ++j) hash = (hash ^ std::uint8_t(read[j])) * 16777619u;
        found[hash % found.size()] += 1;
    }
    for (std::size_t k = 0; k < found.size(); ++k) found[k] *= rarity_[k];
    return found;
}

Tensor TrigramEmbedding::operator()(std::span<const std::string> texts) const {
    std::vector<Real> rows;
    for (const std::string& text : texts) {
        const std::vector<double> row = counts(text);
        double squares = 0;
        for (const double x : row) squares += x * x;
        for (const double x : row) rows.push_back(Real(squares > 0 ? x / std::sqrt(squares) : 0));
    }
    return Tensor({std::ssize(texts), std::ssize(rarity_)}, rows);
}

TopK nearest(const Tensor& queries, const Tensor& documents, Index k) {
    const NoGrad only_asking;
    check(queries.dim() == 2 && documents.dim() == 2 && queries.size(1) == documents.size(1),
          "nearest: wanted matrices with equally many columns, got shapes {} and {}", queries.shape(),
          documents.shape());
    check(k >= 0 && k <= documents.size(0), "nearest: wanted 0 <= k <= {}, got {}", documents.size(0), k);
    return top_k(linear(unit_rows(queries), unit_rows(documents)), k);
}

}  // namespace RECTO::text
