// Every operation refuses an undefined tensor in its own name.
#include <recto/testing/every_op.hpp>

#include <set>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;
using Catch::Matchers::StartsWith;

TEST_CASE("every operation: a message about an undefined tensor has its name", "[ops][every_op]") {
    // Lines of the table that ask the tensor for its shape themselves.
    const std::set<std::string> asked = {"where",  "batch_norm", "sum_to",        "reshape",
                                         "expand", "gather",     "scatter_add",   "sum_neighbours",
                                         "conv2d", "index_rows", "cross_entropy", "self_attention"};
    for (const Op& op : every_op()) {
        if (asked.contains(op.name)) continue;
        const std::vector<Tensor> right = inputs(op, 4, 3, Device::cpu, [](Real v) { return v; });
        for (std::size_t i = 0; i < right.size(); ++i) {
            std::vector<Tensor> x = right;
            x[i] = Tensor();
            std::string message = std::string(op.name) + ": accepted";  // as a bias that is left out
            try {
                op.f(x);
            } catch (const Error& error) {
                message = error.what();
            }
            CAPTURE(op.shapes, i);
            CHECK_THAT(message, StartsWith(std::string(op.name) + ": "));
        }
    }
    CHECK_THROWS_WITH(where(Tensor(), ones({1}), ones({1})), "where: wanted a tensor, got an undefined one");
    CHECK_THROWS_WITH(2 * Tensor(), "mul: wanted a tensor, got an undefined one");
    CHECK_THROWS_WITH(index_rows(ones({2, 2}), Integers()), "index_rows: wanted a tensor, got an undefined one");
    CHECK_THROWS_WITH(one_hot(Integers(), 2), "one_hot: wanted a tensor, got an undefined one");
}
