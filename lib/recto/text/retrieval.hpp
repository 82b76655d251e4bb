#pragma once
/// @file
/// Retrieval: texts as vectors, and the documents nearest to a query.
#include <recto/core/tensor.hpp>
#include <recto/ops/indexing/top_k.hpp>

#include <span>
#include <string>
#include <vector>

namespace RECTO::text {

/// An embedding of texts without training: counts of letter trigrams, weighted by their rarity. Texts are read in lower
/// case, with a space at both ends. Each of their trigrams adds to one of `dimensions` numbers, chosen by a hash. A number
/// is then multiplied by its inverse document frequency \f$ \log(N / n) \f$, where n of the N documents have a trigram with
/// this hash, and the vector is scaled to length 1.
class TrigramEmbedding {
public:
    /// @param documents   texts that say which trigrams are rare
    /// @param dimensions  of the vectors
    /// @throws Error without documents, or with less than one dimension
    TrigramEmbedding(std::span<const std::string> documents, Index dimensions);

    /// The vectors of texts, (texts, dimensions). A text without a trigram of the documents is a row of zeros.
    Tensor operator()(std::span<const std::string> texts) const;

private:
    std::vector<double> counts(const std::string& text) const;

    std::vector<double> rarity_;
};

/// The k documents nearest to each query by the cosine of the angle between the vectors, in decreasing order; of equal
/// cosines the first document comes first. A vector of zeros has a cosine of 0 with everything.
/// @param queries    (queries, dimensions)
/// @param documents  (documents, dimensions)
/// @return           cosines and numbers of documents, both (queries, k)
/// @throws Error unless both are matrices with equally many columns and 0 <= k <= documents
TopK nearest(const Tensor& queries, const Tensor& documents, Index k);

}  // namespace RECTO::text
