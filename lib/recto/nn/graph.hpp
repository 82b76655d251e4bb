#pragma once
/// @file
/// Graphs, and the layers of graph networks: convolution, message passing and attention over the edges.
#include <optional>
#include <span>
#include <utility>

#include <recto/nn/sequential.hpp>
#include <recto/ops/indexing/neighbours.hpp>

namespace RECTO::nn {

/// A directed graph whose edge e leads from vertex `sources[e]` to vertex `targets[e]`. An undirected edge is two directed
/// edges. An edge may lead from a vertex to itself, and edges may repeat.
struct Graph {
    Integers sources;    ///< (edges)
    Integers targets;    ///< (edges)
    Neighbours senders;  ///< for every vertex, the sources of the edges that end there
    Neighbours arrive;   ///< for every vertex, the edges that end there
    Tensor degrees;      ///< (vertices, 1): how many edges end at every vertex

    /// A graph from a list of edges, each a pair of source and target.
    /// @throws Error when a vertex is out of range
    Graph(Index vertices, std::span<const std::pair<Index, Index>> edges, Device device = Device::cpu);

    Index vertices() const { return arrive.targets(); }  ///< Number of vertices.
    Index edges() const { return arrive.sources(); }     ///< Number of edges.
};

/// Sums messages at their targets: \f$ y_i = \sum_{e : j \to i} m_e \f$; 0 where no edge ends.
/// @param messages  (edges, ...)
/// @return          (vertices, ...)
/// @throws Error unless there is one row for every edge
Tensor sum_at_targets(const Tensor& messages, const Graph& graph);

/// Softmax over the edges that end at the same vertex, for every column alone. The host computes the largest score of each
/// vertex, so a GPU waits for it.
/// @param scores  (edges, heads)
/// @return        the shape of `scores`; the numbers of the edges that end at a vertex sum to one
/// @throws Error unless there is one row for every edge, and two axes
Tensor softmax_at_targets(const Tensor& scores, const Graph& graph);

/// Options of GraphConv.
struct GraphConvOptions {
    bool mean = true;             ///< whether neighbours are averaged; otherwise they are added
    Device device = Device::cpu;  ///< device of the parameters
};

/// Graph convolution: \f$ y_i = W x_i + V \operatorname{mean}_{j \to i} x_j + b \f$, or with the sum in place of the mean. The
/// mean over no neighbour is 0. Hamilton et al. 2017, *Inductive representation learning on large graphs*; the layers have
/// the names of PyTorch Geometric.
struct GraphConv {
    Linear lin_rel;   ///< V and b: for the neighbours
    Linear lin_root;  ///< W: for the vertex itself
    bool mean;        ///< whether neighbours are averaged

    /// Initialises the weights. @throws Error when a size is negative
    GraphConv(Index in, Index out, Generator& random, const GraphConvOptions& options = {});

    /// (vertices, in) to (vertices, out). @throws Error unless there is one row for every vertex
    Tensor operator()(const Tensor& x, const Graph& graph) const;

    /// Names its parts.
    void visit(auto&& part) { part("lin_rel", lin_rel), part("lin_root", lin_root); }
};

/// Values of the vertices and of the edges of a graph.
struct GraphValues {
    Tensor vertices;  ///< (vertices, width)
    Tensor edges;     ///< (edges, width)
};

/// The sizes of MessagePassing: `{.vertex = 1, .edge = 1, .hidden = 16, .vertex_out = 1, .edge_out = 1}`.
struct MessagePassingSize {
    Index vertex;      ///< numbers of a vertex
    Index edge;        ///< numbers of an edge
    Index hidden;      ///< numbers of a message, and hidden units of each perceptron
    Index vertex_out;  ///< numbers of a vertex in the result
    Index edge_out;    ///< numbers of an edge in the result
};

/// Message passing with values at the edges. With three perceptrons g, f and h,
/// \f[ x_i' = f\Big(x_i, \sum_{j \to i} g(e_{j \to i}, x_j, x_i)\Big), \qquad e_{j \to i}' = h(e_{j \to i}, x_j, x_i). \f]
/// Each perceptron has one hidden layer with tanh(). Gilmer et al. 2017, *Neural message passing for quantum chemistry*, for
/// the vertices; Battaglia et al. 2018, *Relational inductive biases*, for the edges.
struct MessagePassing {
    Mlp message;  ///< g
    Mlp vertex;   ///< f
    Mlp edge;     ///< h

    /// Initialises the weights. @throws Error when a size is negative
    MessagePassing(const MessagePassingSize& size, Generator& random, Device device = Device::cpu);

    /// The new values. @throws Error unless there is one row for every vertex and for every edge
    GraphValues operator()(const GraphValues& x, const Graph& graph) const;

    /// Names its parts.
    void visit(auto&& part) { part("message", message), part("vertex", vertex), part("edge", edge); }
};

/// The sizes of GraphAttention: `{.in = 2, .out = 8, .heads = 4, .edge = 1}`.
struct GraphAttentionSize {
    Index in;         ///< numbers of a vertex
    Index out;        ///< numbers of a vertex in the result of one head
    Index heads = 1;  ///< number of heads
    Index edge = 0;   ///< numbers of an edge; 0 if edges have no values
};

/// Graph attention (GAT): a weighted mean of the neighbours whose weights the layer computes. For every head,
/// \f[ y_i = \sum_{j \to i} \alpha_{ij} W x_j, \qquad \alpha_{ij} = \operatorname{softmax}_j
///     \operatorname{LeakyReLU}(a^\top W x_j + b^\top W x_i + c^\top e_{j \to i}). \f]
/// The vertex itself counts only if the graph has an edge from it to itself. Velickovic et al. 2018, *Graph attention
/// networks*; LeakyReLU multiplies negative scores by 0.2. The parameters have the names of PyTorch
/// Geometric where it has them.
struct GraphAttention {
    Index heads;                     ///< number of heads
    Linear lin;                      ///< W of all heads, without a bias
    Tensor att_src;                  ///< (heads, out): a
    Tensor att_dst;                  ///< (heads, out): b
    std::optional<Linear> lin_edge;  ///< c of all heads, without a bias; empty if edges have no values

    /// Initialises the weights. @throws Error unless heads is at least 1, or when a size is negative
    GraphAttention(const GraphAttentionSize& size, Generator& random, Device device = Device::cpu);

    /// The attention weights (edges, heads). @throws Error unless vertices and edges have the right numbers of rows
    Tensor coefficients(const GraphValues& x, const Graph& graph) const;

    /// (vertices, heads * out): the heads side by side. @throws Error as coefficients()
    Tensor operator()(const GraphValues& x, const Graph& graph) const;

    /// Names its parts.
    void visit(auto&& part) {
        part("lin", lin), part("att_src", att_src), part("att_dst", att_dst);
        if (lin_edge) part("lin_edge", *lin_edge);
    }
};

}  // namespace RECTO::nn
