#include <recto/figure/graph.hpp>

#include <recto/testing/testing.hpp>

using namespace recto;

TEST_CASE("graph: a node for every number, an arrow for every use", "[figure][graph][row:sys-micrograd-value/c]") {
    const Value a = 2, b = -3, unused = 7;
    const Value c = a * b, d = c + a, e = d * d;
    e.backward();
    const std::string dot =
        figure::value_diagram("g", e, {{"a", a}, {"c", c}, {"e", e}, {"unused", unused}}).describe("alt").dot();
    const auto count = [&](std::string_view what) {
        int found = 0;
        for (std::size_t at = 0; (at = dot.find(what, at)) != dot.npos; ++at) ++found;
        return found;
    };
    CHECK(count("shape=") == int(steps(e).size()));
    CHECK(count("shape=box, color") == 2);  // the leaves
    CHECK(count(" -> ") == 6);
    CHECK(count("label=\"a\\n2\\ngrad 16\"") == 1);
    CHECK(count("label=\"−3\\ngrad −16\"") == 1);
    CHECK(count("label=\"c  ×\\n−6\\ngrad −8\"") == 1);
    CHECK(count("label=\"+\\n−4\\ngrad −8\"") == 1);
    CHECK(count("[label=\" −4  \", color") == 2);  // both local derivatives of d d
    CHECK(count("unused") == 0);
}

TEST_CASE("graph: a single number, and one that describes itself", "[figure][graph]") {
    const std::string dot = figure::value_diagram("g", Value(1.5)).dot();
    CHECK(dot.find("1.5") != dot.npos);
}
