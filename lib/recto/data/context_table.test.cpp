#include <recto/data/context_table.hpp>

#include <cmath>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::data;
using Catch::Matchers::Message;

TEST_CASE("context_table: shares of what was counted, against a loop over all places", "[data][words]") {
    const std::vector<std::string> old = {"abab", "abc", "ba"}, fresh = {"ab", "cab", "zz"};
    for (const Index length : {1, 2, 3})
        for (const double smoothing : {0.1, 2.0}) {
            const Contexts seen = contexts(old, length), places = contexts(fresh, length);
            const ContextTable table(seen, smoothing);
            double total = 0, unknown = 0;
            for (Index n = 0; n < places.size(); ++n) {
                double hits = smoothing, sum = 27 * smoothing;
                for (Index m = 0; m < seen.size(); ++m)
                    if (seen.before.slice(m, m + 1).values() == places.before.slice(n, n + 1).values()) {
                        sum += 1;
                        hits += seen.next.values()[std::size_t(m)] == places.next.values()[std::size_t(n)];
                    }
                unknown += sum == 27 * smoothing;
                total -= std::log(hits / sum);
            }
            CHECK(std::abs(table.nll(places) - total / double(places.size())) <= 1e-12);
            CHECK(table.unseen(places) == unknown / double(places.size()));
        }
}

TEST_CASE("context_table: edges", "[data][words]") {
    const ContextTable table(contexts({"ab", "b"}, 1));
    CHECK(table.size() == 3);
    // two names, five pairs: two of probability 1/2, three of probability 1
    CHECK(std::abs(table.nll(contexts({"ab", "b"}, 1)) - 0.4 * std::log(2.0)) <= 1e-12);
    CHECK(std::isinf(table.nll(contexts({"aa"}, 1))));
    CHECK(ContextTable(contexts({}, 1)).nll(contexts({"q"}, 1)) == std::log(27.0));
    CHECK(ContextTable(contexts({}, 1)).unseen(contexts({"q"}, 1)) == 1);
}

TEST_CASE("context_table: messages", "[data][words]") {
    const ContextTable table(contexts({"ab"}, 2));
    CHECK_THROWS_MATCHES(table.nll(contexts({"ab"}, 3)), Error,
                         Message("ContextTable: wanted contexts of shape (places, 2), got (3, 3)"));
    CHECK_THROWS_MATCHES(table.nll(contexts({}, 2)), Error,
                         Message("ContextTable: wanted at least one place, got none"));
    CHECK_THROWS_MATCHES(table.unseen(contexts({}, 2)), Error,
                         Message("ContextTable: wanted at least one place, got none"));
    CHECK_THROWS_MATCHES(ContextTable(contexts({"a"}, 1), -1), Error,
                         Message("ContextTable: wanted a smoothing of at least 0, got -1"));
    CHECK_THROWS_MATCHES(table.nll({Integers({1, 2}, {0, 0}), Integers({1}, {27})}), Error,
                         Message("ContextTable: wanted labels from 0 to 26, got 27 at position 0"));
}
