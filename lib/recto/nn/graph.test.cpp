#include <recto/nn/graph.hpp>

#include <algorithm>
#include <cmath>

#include <recto/autograd/tape.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {
using Edges = std::vector<std::pair<Index, Index>>;
using Row = std::vector<double>;

/// Five vertices. No edge ends at vertex 4, one edge leads from vertex 2 to itself, and one edge is there twice.
const Edges few = {{1, 0}, {2, 0}, {0, 1}, {2, 2}, {4, 2}, {3, 2}, {0, 3}, {0, 3}};

Row row_of(const Tensor& x, Index i) {
    Row found;
    for (Index j = 0; j < x.size(1); ++j) found.push_back(double(x.at({i, j})));
    return found;
}
Row joined(std::initializer_list<Row> parts) {
    Row all;
    for (const Row& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}
Row affine(const nn::Linear& layer, const Row& x) {
    Row y;
    for (Index i = 0; i < layer.weight.size(0); ++i) {
        double sum = layer.bias.defined() ? double(layer.bias.at({i})) : 0;
        for (std::size_t j = 0; j < x.size(); ++j) sum += double(layer.weight.at({i, Index(j)})) * x[j];
        y.push_back(sum);
    }
    return y;
}
Row perceptron(const nn::Mlp& net, const Row& x) {
    Row hidden = affine(net.layers[0], x);
    for (double& v : hidden) v = std::tanh(v);
    return affine(net.layers[1], hidden);
}
}  // namespace

TEST_CASE("Graph: what ends at every vertex", "[nn][graph][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const nn::Graph graph(5, few, device);
    CHECK(graph.vertices() == 5);
    CHECK(graph.edges() == 8);
    CHECK(graph.sources.values() == std::vector<Index>{1, 2, 0, 2, 4, 3, 0, 0});
    CHECK(graph.degrees.values() == std::vector<Real>{2, 1, 3, 2, 0});
    const Tensor x({5, 1}, {1, 2, 4, 8, 16}, device), m({8, 1}, {1, 2, 4, 8, 16, 32, 64, 128}, device);
    CHECK(sum_neighbours(x, graph.senders).values() == std::vector<Real>{6, 1, 28, 2, 0});
    CHECK(nn::sum_at_targets(m, graph).values() == std::vector<Real>{3, 4, 56, 192, 0});
    const nn::Graph none(0, Edges{}, device);
    CHECK(nn::sum_at_targets(zeros({0, 3}, device), none).shape() == Shape{0, 3});
}

TEST_CASE("softmax_at_targets: sums to one at every vertex, also for large scores", "[nn][graph][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const nn::Graph graph(5, few, device);
    const Tensor scores = Generator(1).normal({8, 3}, 0, 300, device), alpha = nn::softmax_at_targets(scores, graph);
    CHECK(close(slice(nn::sum_at_targets(alpha, graph), 0, 0, 4), Row(12, 1)));
    Row want;
    for (std::size_t e = 0; e < few.size(); ++e)
        for (Index h = 0; h < 3; ++h) {
            double sum = 0;
            for (std::size_t other = 0; other < few.size(); ++other)
                if (few[other].second == few[e].second)
                    sum += std::exp(double(scores.at({Index(other), h})) - double(scores.at({Index(e), h})));
            want.push_back(1 / sum);
        }
    CHECK(close(alpha, want));
}

TEST_CASE("GraphConv: definition", "[nn][graph][devices][row:sys-gnn/e]") {
    const Device device = GENERATE(from_range(devices()));
    const bool mean = GENERATE(true, false);
    CAPTURE(device, mean);
    Generator random(1);
    const nn::GraphConv layer(3, 4, random, {.mean = mean, .device = device});
    CHECK(nn::count(layer) == 2 * 3 * 4 + 4);
    CHECK(nn::parameters(layer)[2].name == "lin_root.weight");
    const nn::Graph graph(5, few, device);
    const Tensor x = random.normal({5, 3}, 0, 1, device);
    Row want;
    for (Index i = 0; i < 5; ++i) {
        Row around(3);
        double degree = 0;
        for (const auto& [from, to] : few)
            if (to == i) {
                ++degree;
                for (std::size_t k = 0; k < 3; ++k) around[k] += row_of(x, from)[k];
            }
        if (mean && degree > 0)
            for (double& v : around) v /= degree;
        const Row rel = affine(layer.lin_rel, around), root = affine(layer.lin_root, row_of(x, i));
        for (std::size_t k = 0; k < 4; ++k) want.push_back(rel[k] + root[k]);
    }
    CHECK(close(layer(x, graph), want));
}

TEST_CASE("MessagePassing: definition", "[nn][graph][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(2);
    const nn::MessagePassing layer({.vertex = 2, .edge = 3, .hidden = 5, .vertex_out = 4, .edge_out = 1}, random,
                                   device);
    const nn::Graph graph(5, few, device);
    const nn::GraphValues x{random.normal({5, 2}, 0, 1, device), random.normal({8, 3}, 0, 1, device)};
    std::vector<Row> sums(5, Row(5));
    Row vertices, edges;
    for (std::size_t e = 0; e < few.size(); ++e) {
        const auto [from, to] = few[e];
        const Row seen = joined({row_of(x.edges, Index(e)), row_of(x.vertices, from), row_of(x.vertices, to)});
        const Row message = perceptron(layer.message, seen);
        for (std::size_t k = 0; k < 5; ++k) sums[std::size_t(to)][k] += message[k];
        edges.push_back(perceptron(layer.edge, seen)[0]);
    }
    for (Index i = 0; i < 5; ++i)
        for (const double v : perceptron(layer.vertex, joined({row_of(x.vertices, i), sums[std::size_t(i)]})))
            vertices.push_back(v);
    const nn::GraphValues y = layer(x, graph);
    CHECK(close(y.vertices, vertices));
    CHECK(close(y.edges, edges));
}

TEST_CASE("GraphAttention: definition", "[nn][graph][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Index edge = GENERATE(0, 2);
    CAPTURE(device, edge);
    Generator random(3);
    const nn::GraphAttention layer({.in = 3, .out = 2, .heads = 2, .edge = edge}, random, device);
    CHECK(nn::count(layer) == 4 * 3 + 2 * 4 + 2 * edge);
    const nn::Graph graph(5, few, device);
    const nn::GraphValues x{random.normal({5, 3}, 0, 1, device), random.normal({8, 2}, 0, 1, device)};
    Row want;
    for (Index i = 0; i < 5; ++i)
        for (std::size_t h = 0; h < 2; ++h) {
            const auto part = [&](Index vertex, std::size_t k) {
                return affine(layer.lin, row_of(x.vertices, vertex))[2 * h + k];
            };
            double total = 0, first = 0, second = 0;
            for (std::size_t e = 0; e < few.size(); ++e) {
                if (few[e].second != i) continue;
                double score = edge ? affine(*layer.lin_edge, row_of(x.edges, Index(e)))[h] : 0;
                for (std::size_t k = 0; k < 2; ++k)
                    score += row_of(layer.att_src, Index(h))[k] * part(few[e].first, k) +
                             row_of(layer.att_dst, Index(h))[k] * part(i, k);
                const double weight = std::exp(score > 0 ? score : 0.2 * score);
                total += weight, first += weight * part(few[e].first, 0), second += weight * part(few[e].first, 1);
            }
            want.push_back(total > 0 ? first / total : 0), want.push_back(total > 0 ? second / total : 0);
        }
    CHECK(close(layer(x, graph), want));
}

GRADIENT_TEST("GraphConv") {
    check_gradient(
        [](const Inputs& x) {
            Generator random(1);
            nn::GraphConv layer(2, 3, random, {.device = x[0].device()});
            layer.lin_rel.weight = x[1], layer.lin_rel.bias = x[2], layer.lin_root.weight = x[3];
            return layer(x[0], nn::Graph(5, few, x[0].device()));
        },
        [](Generator& random) {
            return Inputs{random.normal({5, 2}), random.normal({3, 2}), random.normal({3}), random.normal({3, 2})};
        },
        8);
}

GRADIENT_TEST("MessagePassing", "[row:sys-gnn-edge-messages/a]") {
    check_gradient(
        [](const Inputs& x) {
            Generator random(1);
            nn::MessagePassing layer({.vertex = 2, .edge = 1, .hidden = 3, .vertex_out = 2, .edge_out = 1}, random,
                                     x[0].device());
            std::size_t next = 2;
            nn::walk("", layer, [&](const std::string&, Tensor& t) { t = x[next++]; });
            const nn::GraphValues y = layer({x[0], x[1]}, nn::Graph(5, few, x[0].device()));
            return y.vertices * sum(y.edges);
        },
        [](Generator& random) {
            Inputs made{random.normal({5, 2}), random.normal({8, 1})};
            const nn::MessagePassing layer({.vertex = 2, .edge = 1, .hidden = 3, .vertex_out = 2, .edge_out = 1},
                                           random);
            for (const NamedTensor& t : nn::parameters(layer)) made.push_back(random.normal(t.tensor.shape()));
            return made;
        },
        4);
}

GRADIENT_TEST("GraphAttention") {
    check_gradient(
        [](const Inputs& x) {
            Generator random(1);
            nn::GraphAttention layer({.in = 3, .out = 2, .heads = 2, .edge = 1}, random, x[0].device());
            layer.lin.weight = x[2], layer.att_src = x[3], layer.att_dst = x[4], layer.lin_edge->weight = x[5];
            return layer({x[0], x[1]}, nn::Graph(5, few, x[0].device()));
        },
        [](Generator& random) {
            return Inputs{random.normal({5, 3}), random.normal({8, 1}), random.normal({4, 3}),
                          random.normal({2, 2}), random.normal({2, 2}), random.normal({2, 1})};
        },
        8);
}

TEST_CASE("graph layers: messages", "[nn][graph]") {
    Generator random(1);
    const nn::Graph graph(5, few);
    CHECK_THROWS_WITH(nn::Graph(2, few), "Graph: wanted edges between vertices from 0 to 1, got 2 to 0");
    CHECK_THROWS_WITH(nn::Graph(-1, Edges{}), "Graph: wanted at least 0 vertices, got -1");
    CHECK_THROWS_WITH(nn::sum_at_targets(ones({5, 1}), graph), "sum_at_targets: wanted 8 rows, got shape (5, 1)");
    CHECK_THROWS_WITH(nn::softmax_at_targets(ones({8}), graph),
                      "softmax_at_targets: wanted (8 edges, width), got shape (8)");
    CHECK_THROWS_WITH(nn::GraphConv(1, 1, random)(ones({4, 1}), graph),
                      "GraphConv: wanted (5 vertices, width), got shape (4, 1)");
    CHECK_THROWS_WITH(nn::MessagePassing({1, 1, 2, 1, 1}, random)({ones({5, 1}), ones({5, 1})}, graph),
                      "MessagePassing: wanted (8 edges, width), got shape (5, 1)");
    CHECK_THROWS_WITH(nn::GraphAttention({.in = 1, .out = 1, .edge = 1}, random)({ones({5, 1}), ones({7, 1})}, graph),
                      "GraphAttention: wanted (8 edges, width), got shape (7, 1)");
    CHECK_THROWS_WITH(nn::GraphAttention({.in = 1, .out = 1, .heads = 0}, random),
                      "GraphAttention: wanted at least 1 head, got 0");
}
