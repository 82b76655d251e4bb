#include <recto/nn/graph.hpp>

#include <algorithm>
#include <limits>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO::nn {
namespace {

using Edges = std::span<const std::pair<Index, Index>>;

Integers ends(Edges edges, Index std::pair<Index, Index>::*end, Device device) {
    std::vector<Index> found;
    for (const auto& edge : edges) found.push_back(edge.*end);
    return Integers({Index(found.size())}, found, device);
}

/// For every vertex, what `what` says of the edges that end there, in the order of the edges.
template <class What>
Neighbours by_target(Index vertices, Index sources, Edges edges, Device device, const What& what) {
    check(vertices >= 0, "Graph: wanted at least 0 vertices, got {}", vertices);
    std::vector<std::vector<Index>> lists(static_cast<std::size_t>(vertices));
    for (std::size_t e = 0; e < edges.size(); ++e) {
        const auto [from, to] = edges[e];
        check(0 <= from && from < vertices && 0 <= to && to < vertices,
              "Graph: wanted edges between vertices from 0 to {}, got {} to {}", vertices - 1, from, to);
        lists[std::size_t(to)].push_back(what(e));
    }
    std::vector<Index> offsets{0}, places;
    for (const std::vector<Index>& list : lists) {
        places.insert(places.end(), list.begin(), list.end());
        offsets.push_back(Index(places.size()));
    }
    return Neighbours(Integers({Index(offsets.size())}, offsets, device),
                      Integers({Index(places.size())}, places, device), sources);
}

void check_rows(const char* layer, const Tensor& x, Index rows, const char* what) {
    check_defined(layer, x);
    check(x.dim() == 2 && x.size(0) == rows, "{}: wanted ({} {}, width), got shape {}", layer, rows, what, x.shape());
}

/// The values that an edge sees: its own, those of its source and those of its target.
Tensor seen_by_edges(const GraphValues& x, const Graph& graph) {
    return concat({x.edges, index_rows(x.vertices, graph.sources), index_rows(x.vertices, graph.targets)}, 1);
}

}  // namespace

Graph::Graph(Index vertices, Edges edges, Device device)
    : sources(ends(edges, &std::pair<Index, Index>::first, device)),
      targets(ends(edges, &std::pair<Index, Index>::second, device)),
      senders(by_target(vertices, vertices, edges, device, [&](std::size_t e) { return edges[e].first; })),
      arrive(by_target(vertices, Index(edges.size()), edges, device, [](std::size_t e) { return Index(e); })),
      degrees(sum_neighbours(ones({Index(edges.size()), 1}, device), arrive)) {}

Tensor sum_at_targets(const Tensor& messages, const Graph& graph) {
    check_defined("sum_at_targets", messages);
    check(messages.dim() >= 1 && messages.size(0) == graph.edges(), "sum_at_targets: wanted {} rows, got shape {}",
          graph.edges(), messages.shape());
    return sum_neighbours(messages, graph.arrive);
}

Tensor softmax_at_targets(const Tensor& scores, const Graph& graph) {
    check_rows("softmax_at_targets", scores, graph.edges(), "edges");
    // The largest score of each vertex keeps the exponentials from overflowing. The result does not depend on it.
    const Index heads = scores.size(1);
    const std::vector<Real> all = scores.detach().values();
    const std::vector<Index> ends_at = graph.targets.values();
    std::vector<Real> largest(std::size_t(graph.vertices() * heads), -std::numeric_limits<Real>::infinity());
    for (std::size_t k = 0; k < all.size(); ++k) {
        const std::size_t edge = k / std::size_t(heads), head = k % std::size_t(heads);
        Real& most = largest[std::size_t(ends_at[edge] * heads) + head];
        most = std::max(most, all[k]);
    }
    const Tensor shift({graph.vertices(), heads}, largest, scores.device());
    const Tensor powers = exp(scores - index_rows(shift, graph.targets));
    return powers / index_rows(sum_at_targets(powers, graph), graph.targets);
}

GraphConv::GraphConv(Index in, Index out, Generator& random, const GraphConvOptions& options)
    : lin_rel(in, out, random, {.device = options.device}),
      lin_root(in, out, random, {.bias = false, .device = options.device}),
      mean(options.mean) {}

Tensor GraphConv::operator()(const Tensor& x, const Graph& graph) const {
    check_rows("GraphConv", x, graph.vertices(), "vertices");
    const Tensor around = sum_neighbours(x, graph.senders);
    return lin_rel(mean ? around / maximum(graph.degrees, 1) : around) + lin_root(x);
}

MessagePassing::MessagePassing(const MessagePassingSize& s, Generator& random, Device device)
    : message({s.edge + 2 * s.vertex, s.hidden, s.hidden}, tanh, random, {.device = device}),
      vertex({s.vertex + s.hidden, s.hidden, s.vertex_out}, tanh, random, {.device = device}),
      edge({s.edge + 2 * s.vertex, s.hidden, s.edge_out}, tanh, random, {.device = device}) {}

GraphValues MessagePassing::operator()(const GraphValues& x, const Graph& graph) const {
    check_rows("MessagePassing", x.vertices, graph.vertices(), "vertices");
    check_rows("MessagePassing", x.edges, graph.edges(), "edges");
    const Tensor seen = seen_by_edges(x, graph);
    return {vertex(concat({x.vertices, sum_at_targets(message(seen), graph)}, 1)), edge(seen)};
}

GraphAttention::GraphAttention(const GraphAttentionSize& size, Generator& random, Device device)
    : heads(size.heads),
      lin(size.in, checked_product(size.heads, size.out, "GraphAttention"), random, {.bias = false, .device = device}) {
    check(heads >= 1, "GraphAttention: wanted at least 1 head, got {}", heads);
    att_src = uniform_init({heads, size.out}, random, device).requires_grad_();
    att_dst = uniform_init({heads, size.out}, random, device).requires_grad_();
    if (size.edge > 0) lin_edge.emplace(size.edge, heads, random, LinearOptions{.bias = false, .device = device});
}

Tensor GraphAttention::coefficients(const GraphValues& x, const Graph& graph) const {
    check_rows("GraphAttention", x.vertices, graph.vertices(), "vertices");
    const Tensor h = reshape(lin(x.vertices), {graph.vertices(), heads, att_src.size(1)});
    Tensor scores = index_rows(sum(h * att_src, {2}), graph.sources) + index_rows(sum(h * att_dst, {2}), graph.targets);
    if (lin_edge) {
        check_rows("GraphAttention", x.edges, graph.edges(), "edges");
        scores = scores + (*lin_edge)(x.edges);
    }
    return softmax_at_targets(leaky_relu(scores, 0.2), graph);
}

Tensor GraphAttention::operator()(const GraphValues& x, const Graph& graph) const {
    const Tensor alpha = coefficients(x, graph);
    const Index out = att_src.size(1);
    const Tensor sent = index_rows(reshape(lin(x.vertices), {graph.vertices(), heads, out}), graph.sources);
    const Tensor weighted = reshape(alpha, {graph.edges(), heads, 1}) * sent;
    return reshape(sum_at_targets(weighted, graph), {graph.vertices(), heads * out});
}

}  // namespace RECTO::nn
