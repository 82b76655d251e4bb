// # Edge features and graph attention: which neighbour counts?
//
// ```{rows} sys-gnn-edge-messages eq-gnn-edge-update sys-gat
// ```
//
// You weigh a friend's advice differently from an enemy's. In a graph, such knowledge belongs to the edges: a bond
// between two atoms is single or double, a road has a length. [The last page](graph_networks.cpp) gave each edge a
// fixed weight. Now edges have values of their own, called **edge features**, and the network learns what to make of
// them. With **graph attention** it even computes the weights. {numref}`fig-attention` shows how the vertex in the
// middle divides its attention among its neighbours. Move the sliders. Can a neighbour be silenced?
//
// ```{opening} fig-attention
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/curves.hpp>
#include <recto/data/karate_club.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/graph.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say;
using figure::Figure, figure::Names;
using Edges = std::vector<std::pair<Index, Index>>;  // source and target

const book::Option<Index> value_2("value-2", 2, "value of vertex 2",
                                  {.least = -4, .most = 4});
const book::Option<Index> value_3("value-3", 0, "value of vertex 3",
                                  {.least = -4, .most = 4});
const book::Option<Index> edge_4("edge-4", 2, "feature of the edge from vertex 4",
                                 {.least = -4, .most = 4});
const book::Option<Index> edge_5("edge-5", -1, "feature of the edge from vertex 5",
                                 {.least = -4, .most = 4});
const book::Option<Index> people("people", 300, "vertices of a training graph",
                                 {.quick = 40, .least = 10, .most = 2000});
const book::Option<Index> rounds(
    "steps", 300, "steps of each training run; half of them on signed graphs",
    {.quick = 5, .least = 2, .most = 5000});

// Defined further down:
Tensor one_or_minus_one(const Shape& shape, Generator& random);

double largest(const Tensor& x) { return double(max(abs(x)).item()); }
//-

//- how the figure is drawn
void attention_figure() {
    const Edges edges = {{1, 0}, {2, 0}, {3, 0}, {4, 0}};
    const nn::Graph graph(5, edges);
    Generator random(1);
    nn::GraphAttention layer({.in = 1, .out = 1, .edge = 1}, random);
    layer.lin.weight = layer.att_src = layer.att_dst = layer.lin_edge->weight =
        ones({1, 1});
    const nn::GraphValues x{
        Tensor({5, 1}, {1, Real(value_2()), Real(value_3()), -1, 1}),
        Tensor({4, 1}, {0, 0, Real(edge_4()), Real(edge_5())})};
    const std::vector<Real> alpha = layer.coefficients(x, graph).values(),
                            values = x.vertices.values();
    const std::vector<double> at_x = {0, -1, 1, 1, -1},
                              at_y = {0, 0.9, 0.9, -0.9, -0.9};
    Figure figure("fig-attention");
    figure
        .describe(
            "A vertex in the middle with arrows from four others. The width of an "
            "arrow and the percentage beside it are the "
            "attention to this neighbour. Beside the drawing, the same percentages as "
            "bars. Four sliders set values of "
            "vertices and features of edges.")
        .slider(value_2, "value of vertex 2, top left")
        .slider(value_3, "value of vertex 3, top right")
        .slider(edge_4, "feature of the edge from 4, bottom right")
        .slider(edge_5, "feature of the edge from 5, bottom left")
        .height(280)
        .panel("values and attention");
    for (int level = 0; level <= 8; ++level) {  // of the width of an arrow
        std::vector<double> across = {NAN}, up = {NAN};
        for (std::size_t k = 1; k < 5; ++k) {
            if (std::lround(8 * double(alpha[k - 1])) != level) continue;
            const double length = std::hypot(at_x[k], at_y[k]), u = at_x[k] / length,
                         v = at_y[k] / length;
            const auto point = [&](double along, double aside) {
                across.push_back(along * u - aside * v),
                    up.push_back(along * v + aside * u);
            };
            point(length - 0.2, 0), point(0.2, 0), point(0.32, 0.09), point(0.2, 0),
                point(0.32, -0.09), point(NAN, 0);
        }
        figure.line("", across, up,
                    {.color = figure::blue,
                     .dash = figure::solid,
                     .width = 0.6 + level,
                     .points = false});
    }
    Names words, shares, names;
    std::vector<double> share_x, share_y, heights;
    for (const Real value : values) words.push_back(fmt::format("{}", value));
    for (std::size_t k = 1; k < 5; ++k) {
        heights.push_back(100 * double(alpha[k - 1]));
        shares.push_back(fmt::format("{:.0f} %", heights.back()));
        share_x.push_back(0.55 * at_x[k] + 0.22 * at_y[k] * at_x[k]),
            share_y.push_back(0.55 * at_y[k] - 0.2);
        names.push_back(fmt::format("{}", k + 1));
    }
    words[0] = fmt::format("{:.3g}", double(layer(x, graph).at({0, 0})));
    figure
        .dots("", at_x, at_y,
              {.color = figure::grey,
               .shape = figure::Shape::circle,
               .width = 16,
               .opacity = 0.35})
        .words("", at_x, at_y, words, {.color = figure::ink, .width = 14})
        .words("", share_x, share_y, shares, {.color = figure::blue})
        .xlim(-1.4, 1.4)
        .ylim(-1.3, 1.3)
        .bare();
    figure.panel("attention")
        .bars("", names, heights, {.color = figure::blue})
        .ylim(0, 100)
        .x("neighbour")
        .y("attention, %")
        .save(
            "A layer of graph attention with all weights equal to 1. In the middle "
            "stands the new value, the weighted mean of "
            "the neighbours. A large value or a large edge feature attracts attention, "
            "and the shares always sum to 100 %. A "
            "share can be tiny, but it is never 0.");
}
//-

// ## Messages that read the edge
//
// Take the sign of an edge: $+1$ for a friend, $-1$ for an enemy. A member hears "yes" $(+1)$ from a friend, "yes" from
// an enemy and "no" $(-1)$ from another enemy. The products of sign and word are $1$, $-1$ and $1$. Their sum is 1, so
// the member decides for "yes". A plain sum of the words would also be 1, but for another reason: change the signs, and
// only the first sum notices. In general a message is a function $g$ of the edge's feature, of the value at its source
// and of the value at its target:
//
// $$ x_i' = f\Big(x_i, \sum_{j \to i} g(e_{j \to i}, x_j, x_i)\Big) . $$
//
// Here $e_{j \to i}$ is the feature of the edge from vertex $j$ to vertex $i$, and $f$ computes the new value. A
// weighted sum is the special case $g = w(e_{j \to i})\, x_j$, in which only the weight depends on the edge. In
// {cpp:class}`~recto::nn::MessagePassing`, $f$ and $g$ are small perceptrons {cite:p}`gilmer2017`. The library's test
// compares the gradients with central differences.
//
// Can the layer learn the sum over signed edges? We draw a graph in which five random edges end at each vertex, with
// random signs and random words. The label of a vertex is the sign of the sum:
struct Opinions {
    nn::Graph graph;
    nn::GraphValues x;  // words at vertices, signs at edges
    Integers labels;
};
Opinions opinions(Index n, Generator& random) {
    const Tensor words = one_or_minus_one({n, 1}, random),
                 signs = one_or_minus_one({5 * n, 1}, random);
    Edges edges;
    for (Index i = 0; i < n; ++i)
        for (int k = 0; k < 5; ++k) edges.emplace_back(random.next_integer(0, n), i);
    const nn::Graph graph(n, edges);
    const Tensor sums =
        nn::sum_at_targets(signs * index_rows(words, graph.sources), graph);
    std::vector<Index> labels;
    for (const Real sum : sums.values()) labels.push_back(sum > 0);
    return {graph, {words, signs}, Integers({n}, labels)};
}
//- training with and without edge features
Tensor one_or_minus_one(const Shape& shape, Generator& random) {
    std::vector<Real> values;
    for (Index k = 0; k < shape.numel(); ++k)
        values.push_back(random.next_uniform() < 0.5 ? -1 : 1);
    return Tensor(shape, values);
}

double decide(bool use_edges, std::uint64_t draw) {
    double best = -1, result = 0;
    for (const double rate : {0.01, 0.03}) {
        Generator random(book::seed() + 100 * draw);
        const auto graph_of = [&] {
            Opinions made = opinions(people(), random);
            if (!use_edges) made.x.edges = zeros(made.x.edges.shape());
            return made;
        };
        const Opinions train = graph_of(), choose = graph_of(), judge = graph_of();
        const nn::MessagePassing layer(
            {.vertex = 1, .edge = 1, .hidden = 16, .vertex_out = 2, .edge_out = 1},
            random);
        optim::Adam adam(nn::parameters(layer), {.lr = rate});
        optim::fit(adam,
                   [&] {
                       return cross_entropy(layer(train.x, train.graph).vertices,
                                            train.labels);
                   },
                   {.steps = rounds() / 2});
        const NoGrad only_asking;
        const auto accuracy = [&](const Opinions& of) {
            return nn::accuracy(layer(of.x, of.graph).vertices, of.labels);
        };
        if (accuracy(choose) <= best) continue;
        best = accuracy(choose), result = accuracy(judge);
    }
    return result;
}

void signs() {
    std::vector<double> with, without;
    for (std::uint64_t draw = 0; draw < 5; ++draw)
        with.push_back(decide(true, draw)), without.push_back(decide(false, draw));
    claim("sys-gnn-edge-messages/b",
          "accuracy on a new signed graph, with edge features", over_seeds(with),
          ">=", 0.95);
    claim("sys-gnn-edge-messages/c",
          "accuracy of the same layer when all edge features are 0",
          over_seeds(without), "<=", 0.6);
}
//-

// The second accuracy is that of guessing. Without the signs, the sum of the words says nothing about the label.
//
// ## Edges change, too
//
// A bond has a state of its own, and it may change with its ends. So each layer also computes new edge features, with a
// third function $h$ {cite:p}`battaglia2018`:
//
// ```{equation} eq-gnn-edge-update
// :function: recto::nn::MessagePassing
// :test: MessagePassing: definition
// e_{j \to i} \leftarrow h(e_{j \to i}, x_j, x_i)
// ```
//
// The features of an edge and the values of its two ends stand in one row, and $h$ is applied to each row. So a new
// numbering of the vertices and the edges permutes the results in the same way. Stack layers, and news travels: in each
// layer a vertex hears from the sources of the edges that end there. After $k$ layers it has heard from all vertices
// from which it can be reached in at most $k$ steps, or **hops**.
nn::GraphValues stack(const std::vector<nn::MessagePassing>& layers, nn::GraphValues x,
                      const nn::Graph& graph) {
    for (const nn::MessagePassing& layer : layers) x = layer(x, graph);
    return x;
}

// Did a vertex hear from another? Change the value of the other vertex and look for a change. {numref}`fig-hops` does
// so on a ring, in which each vertex hears from its two neighbours.
//- vertices in another order, hops, and the figure
std::vector<nn::MessagePassing> some_layers(Index count, Generator& random) {
    std::vector<nn::MessagePassing> layers;
    for (Index k = 0; k < count; ++k)
        layers.emplace_back(
            nn::MessagePassingSize{
                .vertex = 2, .edge = 1, .hidden = 8, .vertex_out = 2, .edge_out = 1},
            random);
    return layers;
}

Edges sparse_edges(Index n, Generator& random) {
    Edges edges;
    for (Index i = 0; i < n; ++i)
        for (int k = 0; k < 2; ++k) edges.emplace_back(random.next_integer(0, n), i);
    return edges;
}

void relabelled() {
    Generator random(book::seed());
    const Index n = 40, m = 2 * n;
    const Edges edges = sparse_edges(n, random);
    const std::vector<Index> number = random.permutation(n),
                             order = random.permutation(m);
    Edges moved;
    for (const Index e : order) {
        const auto [from, to] = edges[std::size_t(e)];
        moved.emplace_back(number[std::size_t(from)], number[std::size_t(to)]);
    }
    std::vector<Index> old(number.size());
    for (std::size_t i = 0; i < old.size(); ++i) old[std::size_t(number[i])] = Index(i);
    const auto layers = some_layers(3, random);
    const nn::GraphValues x{random.normal({n, 2}), random.normal({m, 1})},
        y = stack(layers, x, nn::Graph(n, edges)),
        z = stack(layers,
                  {index_rows(x.vertices, Integers({n}, old)),
                   index_rows(x.edges, Integers({m}, order))},
                  nn::Graph(n, moved));
    claim("eq-gnn-edge-update/a",
          "in another order, the largest difference between values of the same vertex "
          "or the same edge",
          std::max(largest(index_rows(z.vertices, Integers({n}, number)) - y.vertices),
                   largest(z.edges - index_rows(y.edges, Integers({m}, order)))),
          "<=", 1e-6);
}

// Of every vertex, how much its value changes when that of vertex `moved` does.
std::vector<double> changes(const std::vector<nn::MessagePassing>& layers,
                            const nn::GraphValues& x, const nn::Graph& graph,
                            Index moved) {
    Tensor pushed = clone(x.vertices);
    select(pushed, 0, moved).copy_(select(pushed, 0, moved) + 1);
    const Tensor change = max(abs(stack(layers, {pushed, x.edges}, graph).vertices -
                                  stack(layers, x, graph).vertices),
                              {1});
    const std::vector<Real> found = change.detach().values();
    return {found.begin(), found.end()};
}

void hops() {
    Generator random(book::seed());
    const Index n = 24, far = 100;
    const Edges edges = sparse_edges(n, random);
    const nn::Graph graph(n, edges);
    const nn::GraphValues x{random.normal({n, 2}), random.normal({graph.edges(), 1})};
    Index wrong = 0;
    for (Index depth = 1; depth <= 4; ++depth) {
        const auto layers = some_layers(depth, random);
        for (Index source = 0; source < n; ++source) {
            std::vector<Index> distance(std::size_t(n), far);
            distance[std::size_t(source)] = 0;
            for (Index round = 0; round < n; ++round)
                for (const auto& [from, to] : edges)
                    distance[std::size_t(to)] = std::min(
                        distance[std::size_t(to)], distance[std::size_t(from)] + 1);
            const std::vector<double> changed = changes(layers, x, graph, source);
            for (std::size_t i = 0; i < changed.size(); ++i)
                wrong += (changed[i] != 0) != (distance[i] <= depth);
        }
    }
    claim("eq-gnn-edge-update/b",
          "pairs of vertices, one changed: the other is within k hops and stays as it "
          "is, "
          "or is farther away and changes",
          wrong, "==", 0);

    Edges ring;
    for (Index i = 0; i < 13; ++i)
        ring.emplace_back(i, (i + 1) % 13), ring.emplace_back((i + 1) % 13, i);
    const nn::GraphValues values{random.normal({13, 2}), random.normal({26, 1})};
    std::vector<double> shown;
    Names rows, columns;
    for (int i = -6; i <= 6; ++i) columns.push_back(std::to_string(i));
    for (Index depth = 1; depth <= 5; ++depth) {
        rows.push_back(std::to_string(depth));
        for (const double change :
             changes(some_layers(depth, random), values, nn::Graph(13, ring), 6))
            shown.push_back(change > 0 ? 1 : 0);
    }
    Figure("fig-hops")
        .describe(
            "A grid of cells: a row for each number of layers, a column for each "
            "vertex of a ring. The marked cells form a "
            "triangle that grows by one vertex on both sides with each layer.")
        .height(170)
        .heatmap("", columns, rows, shown, -1, 1)
        .x("vertex, counted from the changed one")
        .y("layers")
        .save(
            "Which vertices of a ring notice a change of vertex 0 (1: the value "
            "changes; 0: all bits stay). After k layers the "
            "news has travelled exactly k hops.");
}
//-

// ## Attention over the edges
//
// A weighted mean needs weights. **Graph attention**, GAT, computes them {cite:p}`velickovic2018`. Each edge gets a
// **score** from the values at its two ends and from its feature (the original has no edge features). A softmax over
// the edges that end at the same vertex turns scores into positive weights that sum to 1:
//
// $$ \alpha_{ij} = \mathrm{softmax}_j \, \mathrm{score}(x_i, x_j, e_{j \to i}), \qquad x_i' = \sum_{j \to i} \alpha_{ij} W x_j . $$
//
// Take three edges with the scores 0, 0 and $\log 2$. The powers are 1, 1 and 2, so the weights are $\frac14$,
// $\frac14$ and $\frac12$. GAT's score is additive: a number for the source, a number for the target and a number for
// the edge are added and go through a leaky ReLU. As in [multi-head attention](../components/multi_head.cpp), several
// heads compute weights of their own, and their results stand side by side. If every vertex is everyone's neighbour,
// then a graph is no restriction, and the layer is attention as you know it, with additive scores:
Tensor dense(const nn::GraphAttention& layer, const nn::GraphValues& x, Index head,
             Index width) {
    const Index n = x.vertices.size(0);
    const Tensor values =
                     slice(layer.lin(x.vertices), 1, head * width, (head + 1) * width),
                 edge = slice((*layer.lin_edge)(x.edges), 1, head, head + 1),
                 source =
                     matmul(values, transpose(slice(layer.att_src, 0, head, head + 1))),
                 target =
                     matmul(values, transpose(slice(layer.att_dst, 0, head, head + 1)));
    const Tensor scores = target + transpose(source) + reshape(edge, {n, n});
    return matmul(softmax(leaky_relu(scores, 0.2)), values);
}
//- both sides compared, and the sum of the weights
void like_attention() {
    Generator random(book::seed());
    Edges all;
    for (Index to = 0; to < 20; ++to)
        for (Index from = 0; from < 20; ++from) all.emplace_back(from, to);
    const nn::GraphAttention layer({.in = 5, .out = 4, .heads = 3, .edge = 1}, random);
    const nn::Graph complete(20, all), sparse(20, sparse_edges(20, random));
    const nn::GraphValues x{random.normal({20, 5}, 0, 3), random.normal({400, 1})};
    const Tensor sums = nn::sum_at_targets(
        layer.coefficients({x.vertices, random.normal({sparse.edges(), 1})}, sparse),
        sparse);
    claim("sys-gat/b", "the largest deviation from 1 of a sum of attention weights",
          largest(sums - 1), "<=", 1e-6);
    const Tensor y = layer(x, complete);
    double worst = 0;
    for (Index head = 0; head < 3; ++head)
        worst = std::max(worst, largest(slice(y, 1, 4 * head, 4 * head + 4) -
                                        dense(layer, x, head, 4)));
    claim("sys-gat/c",
          "on a complete graph with edge features, the largest difference from dense "
          "attention with additive scores",
          worst, "<=", 1e-5);
}
//-

// Place your bet:
//- the question
void favourites() {
    Generator random(book::seed());
    Edges all;
    for (Index to = 0; to < 20; ++to)
        for (Index from = 0; from < 20; ++from) all.emplace_back(from, to);
    const nn::GraphAttention layer({.in = 5, .out = 4}, random);
    const std::vector<Real> alpha =
        layer.coefficients({random.normal({20, 5}, 0, 3), Tensor()}, nn::Graph(20, all))
            .values();
    std::vector<Index> found;
    for (auto row = alpha.begin(); row != alpha.end(); row += 20)
        found.push_back(std::max_element(row, row + 20) - row);
    std::ranges::sort(found);
    const auto different = std::unique(found.begin(), found.end()) - found.begin();
    ask("In a complete graph of 20 vertices with random values, a layer of graph "
        "attention with one head and no edge features pays each vertex's largest "
        "attention to one vertex, its favourite. How many different favourites are "
        "there?",
        {{"About 20: each vertex has its own.", different > 10,
          "The score does depend on the vertex that listens. But it adds the same "
          "number to the scores of all neighbours."},
         {"A handful.", different > 1 && different <= 10,
          "A sum and a leaky ReLU keep the order of the neighbours."},
         {"One: all vertices have the same.", different == 1,
          "The score of an edge rises with a number of its source, whatever the target "
          "is. So all targets rank the sources alike."}});
}
//-

// This is a real limit of GAT's score: it ranks all sources in the same order for every target. {cite:t}`brody2022`
// call it **static attention**. They apply the leaky ReLU before the last weighted sum, and the order may differ. An
// edge feature in the score changes the order, too.
//
// ## Noisy edges
//
// Some edges lie. We draw two groups as on the last page. At each vertex end 6 edges from its own group and 14 edges
// from anywhere, which are noise. The feature of an edge is a clue: 1 for an edge of the first kind and 0 for noise,
// plus normal noise with a standard deviation of a half. Each vertex also has an edge to itself.
//- the data, two networks, and the question
struct Noisy {
    nn::Graph graph;
    nn::GraphValues
        x;  // two features of an edge: the clue, and whether it leads from a vertex to itself
    Integers labels;
};
Noisy noisy(Index n, Generator& random) {
    Edges edges;
    std::vector<Index> label;
    std::vector<Real> clues, features;
    for (Index i = 0; i < n; ++i) {
        label.push_back(i % 2);
        features.push_back(Real(i % 2 ? 0.4 : -0.4) + Real(random.next_normal()));
        for (int k = 0; k < 21; ++k) {
            const bool true_one = k < 6, self = k == 20;
            edges.emplace_back(self       ? i
                               : true_one ? i % 2 + 2 * random.next_integer(0, n / 2)
                                          : random.next_integer(0, n),
                               i);
            clues.push_back(Real(true_one) + Real(random.next_normal() / 2));
            clues.push_back(Real(self));
        }
    }
    const Index m = Index(edges.size());
    return {nn::Graph(n, edges),
            {Tensor({n, 1}, features), Tensor({m, 2}, clues)},
            Integers({n}, label)};
}

struct AttentionNet {
    nn::GraphAttention first, second;
    explicit AttentionNet(Generator& random)
        : first({.in = 1, .out = 4, .heads = 4, .edge = 2}, random),
          second({.in = 16, .out = 2, .heads = 1, .edge = 2}, random) {}
    Tensor operator()(const Noisy& of) const {
        return second({elu(first(of.x, of.graph)), of.x.edges}, of.graph);
    }
    void visit(auto&& part) { part("first", first), part("second", second); }
};
// Averages; it reads the mean of the clues beside each vertex.
struct MeanNet {
    nn::GraphConv first, second;
    explicit MeanNet(Generator& random) : first(3, 8, random), second(8, 2, random) {}
    Tensor operator()(const Noisy& of) const {
        const Tensor clues =
            nn::sum_at_targets(of.x.edges, of.graph) / of.graph.degrees;
        return second(elu(first(concat({of.x.vertices, clues}, 1), of.graph)),
                      of.graph);
    }
    void visit(auto&& part) { part("first", first), part("second", second); }
};

// Averages, after a layer of message passing that may read the clue of each edge.
struct MessageNet {
    nn::MessagePassing first;
    nn::GraphConv second;
    explicit MessageNet(Generator& random)
        : first({.vertex = 1, .edge = 2, .hidden = 4, .vertex_out = 4, .edge_out = 1},
                random),
          second(4, 2, random) {}
    Tensor operator()(const Noisy& of) const {
        return second(first(of.x, of.graph).vertices, of.graph);
    }
    void visit(auto&& part) { part("first", first), part("second", second); }
};

struct Learned {
    double chosen = -1, accuracy = 0, rate = 0;
};
template <class Net>
Learned learn(std::uint64_t draw, Index steps, const std::vector<double>& rates) {
    Learned best;
    for (const double rate : rates) {
        Generator random(book::seed() + 100 * draw);
        const Index n = people() / 2 * 2;
        const Noisy train = noisy(n, random), choose = noisy(n, random),
                    judge = noisy(n, random);
        const Net net(random);
        optim::Adam adam(nn::parameters(net), {.lr = rate});
        optim::fit(adam, [&] { return cross_entropy(net(train), train.labels); },
                   {.steps = steps});
        const NoGrad only_asking;
        const double chosen = nn::accuracy(net(choose), choose.labels);
        if (chosen > best.chosen)
            best = {chosen, nn::accuracy(net(judge), judge.labels), rate};
    }
    return best;
}

template <class Net>
std::vector<double> accuracies(std::string_view name, std::uint64_t draws) {
    std::vector<double> found, rates;
    for (std::uint64_t draw = 0; draw < draws; ++draw) {
        const Learned best = learn<Net>(draw, rounds(), {0.01, 0.03, 0.1});
        found.push_back(best.accuracy), rates.push_back(best.rate);
    }
    Generator random(1);
    say("accuracy with {}: {}; {} parameters; learning rates chosen: {}", name,
        book::brief(over_seeds(found)), nn::count(Net(random)), fmt::join(rates, ", "));
    return found;
}

void noisy_edges() {
    const std::vector<double> attention = accuracies<AttentionNet>("attention", 5),
                              average = accuracies<MeanNet>("the mean", 5);
    std::vector<double> gap, longer;
    for (std::size_t draw = 0; draw < 5; ++draw)
        gap.push_back(attention[draw] - average[draw]);
    claim(
        "sys-gat/d",
        "gain in accuracy of attention over the mean, on a new graph with noisy edges",
        over_seeds(gap), ">=", 0.05);
    const Index more = 10 * rounds() / 3;
    for (std::uint64_t draw = 0; draw < 3; ++draw)
        longer.push_back(learn<MeanNet>(draw, more, {0.03}).accuracy);
    say("accuracy with the mean after {} steps at a learning rate of 0.03: {}", more,
        book::brief(over_seeds(longer)));
    accuracies<MessageNet>("message passing and the mean", 3);
}
//-

// The mean does not catch up with longer training: after 1,000 steps its accuracy is 0.76, in three draws. A mean that
// may read single edges is a stronger rival: behind a layer of message passing it reaches 0.84, with 127 parameters.
//
// {numref}`fig-karate-attention` shows the attention in the karate club. The network has two layers. Their inputs are
// the numbers of the members, one-hot, and they learn from the sides of two members, as on the last page.
//- the figure of the karate club
struct KarateNet {
    nn::GraphAttention first, second;
    explicit KarateNet(Generator& random)
        : first({.in = 34, .out = 8, .heads = 2}, random),
          second({.in = 16, .out = 2}, random) {}
    Tensor operator()(const nn::GraphValues& x, const nn::Graph& graph) const {
        return second({elu(first(x, graph)), Tensor()}, graph);
    }
    void visit(auto&& part) { part("first", first), part("second", second); }
};

void karate_attention() {
    const data::KarateClub& club = data::karate_club();
    Edges edges;
    for (const auto& [a, b] : club.friends)
        edges.emplace_back(a, b), edges.emplace_back(b, a);
    for (Index i = 0; i < 34; ++i) edges.emplace_back(i, i);
    const nn::Graph graph(34, edges);
    std::vector<Real> same(34 * 34);
    for (std::size_t i = 0; i < 34; ++i) same[35 * i] = 1;
    const nn::GraphValues x{Tensor({34, 34}, same), Tensor()};
    const Integers told({2}, {0, 33}), sides({2}, {0, 1});
    std::vector<double> found;
    std::vector<Real> alpha;  // of the first draw: two heads for each edge
    for (std::uint64_t draw = 0; draw < 5; ++draw) {
        Generator random(book::seed() + draw);
        const KarateNet net(random);
        optim::Adam adam(nn::parameters(net), {.lr = 0.01});
        const auto scores = [&] { return net(x, graph); };
        optim::fit(adam,
                   [&] { return cross_entropy(index_rows(scores(), told), sides); },
                   {.steps = 100});
        found.push_back(nn::accuracy(scores().detach(), Integers({34}, club.sides)));
        if (draw == 0) alpha = net.first.coefficients(x, graph).values();
    }
    say("share of the 34 members whose side attention finds, five draws of the "
        "weights: {}",
        book::brief(over_seeds(found)));
    const std::vector<Real> friends = graph.degrees.values();
    double least = 1e9, most_times = 0;  // a share times the number of shares
    for (std::size_t e = 0; e < edges.size(); ++e) {
        const double times =
            double(alpha[2 * e]) * double(friends[std::size_t(edges[e].second)]);
        least = std::min(least, times), most_times = std::max(most_times, times);
    }
    Figure figure("fig-karate-attention");
    figure
        .describe(
            "The graph of the karate club. A menu chooses a member. Lines to this "
            "member's friends are as wide as its "
            "attention to them, and a ring marks the member itself.")
        .height(380)
        .slider("member", {1, 2, 3, 9, 24, 33, 34}, "member", 3);
    std::vector<double> across, up;
    for (const auto& [a, b] : club.friends)
        for (const double end : {double(a), double(b), -1.0}) {
            across.push_back(end < 0 ? NAN : club.x[std::size_t(end)]);
            up.push_back(end < 0 ? NAN : club.y[std::size_t(end)]);
        }
    figure.line("", across, up,
                {.color = figure::grey,
                 .dash = figure::solid,
                 .width = 0.5,
                 .opacity = 0.5,
                 .points = false});
    for (const Index member : {0, 1, 2, 8, 23, 32, 33}) {
        figure.at(double(member + 1));
        const auto m = std::size_t(member);
        for (int level = 1; level <= 8; ++level) {
            std::vector<double> line_x = {NAN}, line_y = {NAN};
            for (std::size_t e = 0; e < edges.size(); ++e) {
                if (edges[e].second != member || edges[e].first == member) continue;
                const double share = double(alpha[2 * e]);
                if (std::clamp<long>(std::lround(20 * share), 1, 8) != level) continue;
                const auto from = std::size_t(edges[e].first);
                line_x.insert(line_x.end(), {club.x[from], club.x[m], NAN}),
                    line_y.insert(line_y.end(), {club.y[from], club.y[m], NAN});
            }
            figure.line("", line_x, line_y,
                        {.color = figure::blue,
                         .dash = figure::solid,
                         .width = 1.2 * level,
                         .points = false});
        }
        figure.dots(
            "", std::vector<double>{club.x[m]}, std::vector<double>{club.y[m]},
            {.color = figure::red, .shape = figure::Shape::circle, .width = 13});
    }
    Names numbers;
    for (int i = 1; i <= 34; ++i) numbers.push_back(std::to_string(i));
    figure.always()
        .dots("", club.x, club.y,
              {.color = figure::grey,
               .shape = figure::Shape::circle,
               .width = 10,
               .opacity = 0.4})
        .words("", club.x, club.y, numbers, {.color = figure::ink, .width = 11})
        .xlim(-5, 105)
        .ylim(-6, 106)
        .bare()
        .save(fmt::format(
            "The attention of one member (red ring) to its friends in the first "
            "head of the first layer, after training. A line is as wide as the "
            "share: each step of the width is 5 %. What a member keeps for itself "
            "is not drawn. Choose another member. Over all edges, the shares are "
            "{:.2f} to {:.2f} times an equal share.",
            least, most_times));
    book::shows("sys-gat/a", "fig-karate-attention");
}
//-

// Attention finds 0.85 of the sides, in the median of five draws. From the same two labels the mean of the last page
// found 0.94. So attention is no gain in itself: here the edges have no features, and equal weights do better.

void page() {
    attention_figure();
    signs();
    relabelled();
    hops();
    like_attention();
    favourites();
    noisy_edges();
    karate_attention();
}

// ## Limits and history
//
// Attention weights show what a layer averages, which is not the same as why a network decides. The stronger rival
// above has one layer of message passing; we have not tried two. {cite:t}`gilmer2017` described many networks for
// molecules in the form of messages. {cite:t}`battaglia2018` added the updates of the edges and of the whole graph.
//
// ## Summary
//
// A message may read the feature of its edge and the values at both ends, and the edge may change as well. After $k$
// layers a vertex depends on the vertices up to $k$ hops away, and on no others. Graph attention computes the weights
// of a mean by a softmax over the neighbours; with additive scores, all vertices rank their neighbours alike.
//
// ## What is missing
//
// So far each vertex has an answer of its own. How do you get [one answer for a whole graph](graph_readout.cpp)?
//
// ```{try}
// - Fewer vertices: `--people 60`. Which of the two suffers more?
// ```
