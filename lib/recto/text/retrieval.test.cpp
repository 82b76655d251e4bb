#include <recto/text/retrieval.hpp>

#include <recto/core/random.hpp>
#include <recto/testing/testing.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace recto;
using namespace recto::testing;
using text::nearest, text::TrigramEmbedding;

namespace {
std::vector<double> cosines(const Tensor& queries, Index q, const Tensor& documents) {
    std::vector<double> found;
    for (Index n = 0; n < documents.size(0); ++n) {
        double product = 0, a = 0, b = 0;
        for (Index d = 0; d < documents.size(1); ++d) {
            const double x = double(queries.at({q, d})), y = double(documents.at({n, d}));
            product += x * y, a += x * x, b += y * y;
        }
        found.push_back(product / std::sqrt(a * b));
    }
    return found;
}
}  // namespace

TEST_CASE("retrieval: the nearest documents are those of a search through all",
          "[text][retrieval][devices][row:sys-embedding-retrieval/a][row:sys-embedding-retrieval/c]") {
    for (const Device device : devices())
        for (const Index count : {5, 127, 130}) {
            Generator random(3);
            const Tensor queries = random.normal({7, 12}), documents = random.normal({count, 12});
            const TopK found = nearest(queries.to(device), documents.to(device), 5);
            const Tensor values = found.values.to(Device::cpu);
            const std::vector<Index> places = found.places.values();
            for (Index q = 0; q < 7; ++q) {
                const std::vector<double> all = cosines(queries, q, documents);
                std::vector<Index> order(std::size_t(count), 0);
                std::iota(order.begin(), order.end(), 0);
                std::ranges::stable_sort(order,
                                         [&](Index a, Index b) { return all[std::size_t(a)] > all[std::size_t(b)]; });
                for (Index k = 0; k < 5; ++k) {
                    CHECK(places[std::size_t(5 * q + k)] == order[std::size_t(k)]);
                    CHECK(std::abs(double(values.at({q, k})) - all[std::size_t(order[std::size_t(k)])]) <= 1e-5);
                }
            }
        }
}

TEST_CASE("retrieval: of equal cosines the first document comes first, every time",
          "[text][retrieval][devices][row:sys-embedding-retrieval/b]") {
    for (const Device device : devices()) {
        // Documents 1, 4, 7, ... are along the first axis, with different lengths; all others are at a right angle to it.
        std::vector<Real> rows;
        for (Index n = 0; n < 150; ++n)
            for (Index d = 0; d < 3; ++d) rows.push_back(n % 3 == 1 ? (d == 0 ? Real(1 << (n % 5)) : 0) : Real(d == 2));
        const Tensor documents = Tensor({150, 3}, rows).to(device), query = Tensor({1, 3}, {2, 0, 0}).to(device);
        for (int again = 0; again < 5; ++again) {
            CHECK(nearest(query, documents, 4).places.values() == std::vector<Index>{1, 4, 7, 10});
            CHECK(nearest(query, documents, 52).places.values()[51] == 2);
        }
    }
}

TEST_CASE("retrieval: rare trigrams count more, and the case of letters does not count", "[text][retrieval]") {
    const std::vector<std::string> documents = {"Ann lives in Rome.", "Bob lives in Bonn.", "Eve lives in Oslo."};
    const TrigramEmbedding embedding(documents, 4096);
    const Tensor vectors = embedding(documents);
    CHECK(vectors.shape() == Shape{3, 4096});
    const std::vector<std::string> queries = {"WHERE DOES BOB LIVE?", "is it oslo?"};
    CHECK(nearest(embedding(queries), vectors, 1).places.values() == std::vector<Index>{1, 2});
    double length = 0;
    for (Index d = 0; d < 4096; ++d) length += std::pow(double(vectors.at({0, d})), 2);
    CHECK(std::abs(length - 1) <= 1e-5);
    // All documents contain these trigrams, or none does.
    const std::vector<std::string> empty = {"lives in", "xyzzy"};
    const Tensor zeros = embedding(empty);
    double most = 0;
    for (const Real x : zeros.values()) most = std::max(most, std::abs(double(x)));
    CHECK(most == 0);
    CHECK(nearest(zeros, vectors, 2).places.values() == std::vector<Index>{0, 1, 0, 1});
}

TEST_CASE("retrieval: refusals", "[text][retrieval]") {
    const std::vector<std::string> none, one = {"a"};
    CHECK_THROWS_WITH(TrigramEmbedding(none, 4), "TrigramEmbedding: wanted documents, got none");
    CHECK_THROWS_WITH(TrigramEmbedding(one, 0), "TrigramEmbedding: wanted dimensions >= 1, got 0");
    CHECK_THROWS_WITH(nearest(zeros({2, 3}), zeros({2, 4}), 1),
                      "nearest: wanted matrices with equally many columns, got shapes (2, 3) and (2, 4)");
    CHECK_THROWS_WITH(nearest(zeros({2, 3}), zeros({2, 3}), 3), "nearest: wanted 0 <= k <= 2, got 3");
    CHECK(nearest(zeros({2, 3}), zeros({2, 3}), 0).places.numel() == 0);
}
