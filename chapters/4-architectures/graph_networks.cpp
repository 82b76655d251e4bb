// # Graph networks: the same function at every vertex
//
// ```{rows} sys-gnn fig-001-graph-update eq-gnn-weighted-update claim-gnn-is-convolution
// ```
//
// Proteins, meshes and circles of friends can be described as **graphs**: vertices with edges between them. A vertex
// has any number of neighbours, and they have no order, no left and no right. What can a layer compute there? A **graph
// network** computes the new value of each vertex from its neighbours, with the same function at every vertex.
// {numref}`fig-001-graph-update` shows one layer at work. Move the sliders: a weight of 0 deletes an edge. Which
// vertices notice?
//
// ```{opening} fig-001-graph-update
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
#include <recto/ops/images/conv.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using figure::Figure, figure::Names;
using Edges = std::vector<std::pair<Index, Index>>;  // source and target

const book::Option<Index> from_2("from-2", 3, "weight of the edge from vertex 2 to 1",
                                 {.least = 0, .most = 5});
const book::Option<Index> from_3("from-3", 1, "weight of the edge from vertex 3 to 1",
                                 {.least = 0, .most = 5});
const book::Option<Index> from_4("from-4", 2, "weight of the edge from vertex 4 to 1",
                                 {.least = 0, .most = 5});
const book::Option<Index> from_5("from-5", 0, "weight of the edge from vertex 5 to 1",
                                 {.least = 0, .most = 5});
const book::Option<Index> vertices("vertices", 400, "vertices of a training graph",
                                   {.quick = 60, .least = 10, .most = 2000});
const book::Option<Index> rounds("steps", 150, "steps of each training run",
                                 {.quick = 10, .least = 1, .most = 5000});

double largest(const Tensor& x) { return double(max(abs(x)).item()); }
//-

// ## One update
//
// In the figure, vertex 1 has the value 2. Three edges end there. They come from vertices with the values 4, 1 and $-2$
// and have the weights 3, 1 and 2. Each edge carries a **message**, the value at its source times its weight: 12, 1 and
// $-4$. The sum of the messages is 9, the sum of the weights 6, so the weighted average of the neighbours is 1.5. The
// vertex adds its own value with a weight of its own, here $\frac12$. The new value is $1.5 + \frac12 \cdot 2 = 2.5$.
// In general, with $w_j$ for the weight of the edge from $j$ to $i$, and $w_i$ for the own weight,
//
// ```{equation} eq-gnn-weighted-update
// :function: update
// x_i' = \frac{1}{\sum_j w_j} \sum_j w_j x_j + w_i x_i
// ```
//
// Both sums go over the edges that end at vertex $i$. In code, $x$ has a row for each vertex, and
// {cpp:func}`~recto::nn::sum_at_targets` adds the rows of all edges that end at the same vertex:
nn::GraphValues update(const nn::GraphValues& x, double own, const nn::Graph& graph) {
    const Tensor messages = x.edges * index_rows(x.vertices, graph.sources),
                 total = nn::sum_at_targets(x.edges, graph);  // 0: no neighbours
    return {
        nn::sum_at_targets(messages, graph) / maximum(total, 1e-9) + own * x.vertices,
        messages};
}

// The function returns the messages, too: edges may have new values as well as vertices. The mean over all vertices
// makes one number of the graph, its **readout**. The figure prints it under each panel. To check the update we compare
// it with matrices. If $A$ has the weight of the edge from $j$ to $i$ in row $i$ and column $j$, then $A x$ holds the
// sums of the messages.
//- the figure, and what is checked
const Edges small = {{1, 0}, {2, 0}, {3, 0}, {4, 0}, {2, 1}, {3, 2}, {4, 3}, {1, 4}};
const std::vector<double> small_x = {0, -1, 1, 1, -1},
                          small_y = {0, 0.9, 0.9, -0.9, -0.9};

// Draws the edges as arrows, as wide as their weights. Returns the words at vertices and edges.
std::string number(double value) { return fmt::format("{:.4g}", value); }
Names draw(Figure& figure, const std::vector<Real>& weights, const nn::GraphValues& x) {
    for (double weight = 1; weight <= 5; ++weight) {
        std::vector<double> across, up;
        for (std::size_t e = 0; e < small.size(); ++e) {
            const auto from = std::size_t(small[e].first),
                       to = std::size_t(small[e].second);
            const double dx = small_x[to] - small_x[from],
                         dy = small_y[to] - small_y[from],
                         length = weights[e] == weight ? std::hypot(dx, dy) : NAN,
                         u = dx / length, v = dy / length;
            const auto point = [&](double along, double aside) {
                across.push_back(small_x[from] + along * u - aside * v);
                up.push_back(small_y[from] + along * v + aside * u);
            };
            point(0.2, 0), point(length - 0.2, 0), point(length - 0.3, 0.08);
            point(length - 0.2, 0), point(length - 0.3, -0.08), point(NAN, 0);
        }
        figure.line("", across, up,
                    {.color = figure::blue,
                     .dash = figure::solid,
                     .width = 1.5 * weight,
                     .points = false});
    }
    Names at_vertices, at_edges;
    std::vector<double> across, up;
    for (const Real value : x.vertices.values()) at_vertices.push_back(number(value));
    const std::vector<Real> on_edges = x.edges.values();
    for (std::size_t e = 0; e < small.size(); ++e) {
        const auto from = std::size_t(small[e].first),
                   to = std::size_t(small[e].second);
        const double dx = small_x[to] - small_x[from], dy = small_y[to] - small_y[from],
                     aside = weights[e] > 0 ? 0.2 / std::hypot(dx, dy) : NAN;
        across.push_back(small_x[from] + 0.45 * dx - aside * dy);
        up.push_back(small_y[from] + 0.45 * dy + aside * dx);
        at_edges.push_back(number(on_edges[e]));
    }
    const std::string readout = number(mean(x.vertices).item());
    figure
        .dots("", small_x, small_y,
              {.color = figure::grey,
               .shape = figure::Shape::circle,
               .width = 16,
               .opacity = 0.35})
        .words("", small_x, small_y, at_vertices, {.color = figure::ink, .width = 15})
        .words("", across, up, at_edges, {.color = figure::blue})
        .words("", std::vector<double>{0}, std::vector<double>{-1.35},
               Names{"readout (mean): " + readout}, {.color = figure::ink})
        .xlim(-1.4, 1.4)
        .ylim(-1.5, 1.3)
        .bare();
    at_vertices.insert(at_vertices.end(), at_edges.begin(), at_edges.end());
    at_vertices.push_back(readout);
    return at_vertices;
}

void small_graph() {
    const nn::Graph graph(5, small);
    const std::vector<Real> weights = {
        Real(from_2()), Real(from_3()), Real(from_4()), Real(from_5()), 1, 1, 1, 1};
    const nn::GraphValues before{Tensor({5, 1}, {2, 4, 1, -2, 3}),
                                 Tensor({8, 1}, weights)},
        after = update(before, 0.5, graph);
    Figure figure("fig-001-graph-update");
    figure
        .describe(
            "Two drawings of a graph with five vertices: one in the middle, with "
            "arrows from the four around it, and "
            "arrows around the circle. Left, the values of the vertices and the "
            "weights of the edges. Right, the "
            "new values and the messages, and under each drawing the mean of the "
            "vertices. Four sliders set the "
            "weights of the edges to the middle.")
        .slider(from_2, "weight from vertex 2, top left")
        .slider(from_3, "weight from vertex 3, top right")
        .slider(from_4, "weight from vertex 4, bottom right")
        .slider(from_5, "weight from vertex 5, bottom left")
        .height(300)
        .panel("before: values and weights");
    draw(figure, weights, before);
    figure.panel("after: new values and messages");
    const Names drawn = draw(figure, weights, after);
    figure.save(
        "One layer of a graph network. Vertex 1 is in the middle. An arrow is as wide "
        "as its weight. Only the vertex at "
        "the end of an edge notices a change of its weight, and the readout with it.");
    book::shows("fig-001-graph-update/a", "fig-001-graph-update");
    // The same numbers from the formula, without the functions of the layer.
    const std::vector<Real> x = before.vertices.values();
    std::vector<double> sums(5), totals(5);
    Names at_vertices, at_edges;
    for (std::size_t e = 0; e < small.size(); ++e) {
        const auto from = std::size_t(small[e].first),
                   to = std::size_t(small[e].second);
        const double message = double(weights[e]) * double(x[from]);
        at_edges.push_back(number(message));
        sums[to] += message, totals[to] += double(weights[e]);
    }
    double readout = 0;
    for (std::size_t i = 0; i < 5; ++i) {
        const double neighbours = totals[i] > 0 ? sums[i] / totals[i] : 0,
                     value = neighbours + 0.5 * double(x[i]);
        at_vertices.push_back(number(value)), readout += value / 5;
    }
    Names want = at_vertices;
    want.insert(want.end(), at_edges.begin(), at_edges.end());
    want.push_back(number(readout));
    claim_true("fig-001-graph-update/b",
               "the numbers drawn after the layer are those of the formula, to four "
               "digits",
               drawn == want);
}

Edges random_edges(Index n, double probability, Generator& random) {
    Edges edges;
    for (Index from = 0; from < n; ++from)
        for (Index to = 0; to < n; ++to)
            if (random.next_uniform() < probability) edges.emplace_back(from, to);
    return edges;
}

void against_matrices() {
    Generator random(book::seed());
    const Edges edges = random_edges(40, 0.2, random);
    const nn::Graph graph(40, edges);
    const Tensor x = random.normal({40, 3}),
                 weights = random.uniform({graph.edges(), 1}, 0.1, 1);
    std::vector<Real> dense(40 * 40);
    for (std::size_t e = 0; e < edges.size(); ++e)
        dense[std::size_t(40 * edges[e].second + edges[e].first)] = weights.values()[e];
    const Tensor a({40, 40}, dense),
        want = matmul(a, x) / sum(a, {1}, Keep::yes) + 0.3 * x;
    claim("eq-gnn-weighted-update/a",
          "the largest difference between the update and the formula with matrices",
          largest(update({x, weights}, 0.3, graph).vertices - want), "<=", 1e-6);
}
//-

// ## Average or sum?
//
// The average forgets how many neighbours there are. Take a ring of four vertices, where each has two neighbours, and a
// complete graph of four, where each has three. Let all values be 1. The average over the neighbours is 1 in both
// graphs, so a layer that averages cannot tell the graphs apart. The sums are 2 and 3. A sum depends on the **degree**
// of a vertex, the number of edges that end there. An average has the same size at all degrees.
//- two graphs and two layers
void degrees() {
    const nn::Graph ring(
        4, Edges{{0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 3}, {3, 2}, {3, 0}, {0, 3}}),
        complete(4, Edges{{0, 1},
                          {1, 0},
                          {1, 2},
                          {2, 1},
                          {2, 3},
                          {3, 2},
                          {3, 0},
                          {0, 3},
                          {0, 2},
                          {2, 0},
                          {1, 3},
                          {3, 1}});
    const auto differ = [&](bool mean) {
        Generator random(book::seed());
        const nn::GraphConv layer(1, 4, random, {.mean = mean});
        return largest(layer(ones({4, 1}), ring) - layer(ones({4, 1}), complete));
    };
    claim_true("eq-gnn-weighted-update/b",
               "the mean gives equal results on both graphs, the sum different ones",
               differ(true) == 0 && differ(false) > 0.01);
}
//-

// ## A network of such layers
//
// A layer for vertices with many numbers has matrices in place of weights: $W$ for the vertex itself, $V$ for the mean
// of its neighbours. This is {cpp:class}`~recto::nn::GraphConv` {cite:p}`hamilton2017`:
//
// $$ x_i' = W x_i + V \, \frac{1}{|N(i)|} \sum_{j \in N(i)} x_j + b $$
//
// Here $N(i)$ are the neighbours of vertex $i$. Several layers, with a ReLU between them, make a network:
struct GraphNet {
    std::vector<nn::GraphConv> layers;
    GraphNet(const std::vector<Index>& sizes, Generator& random) {
        for (std::size_t k = 1; k < sizes.size(); ++k)
            layers.emplace_back(sizes[k - 1], sizes[k], random);
    }
    Tensor operator()(Tensor x, const nn::Graph& graph) const {
        for (std::size_t k = 0; k < layers.size(); ++k)
            x = layers[k](k ? relu(x) : x, graph);
        return x;
    }
    void visit(auto&& part) { part("layers", layers); }
};

// One layer sees the neighbours, two layers see their neighbours, and so on. The weights do not depend on the graph:
// not on its size, and not on how its vertices are numbered. If you number the vertices differently, then the rows of
// the result move with them, and nothing else changes. This is **equivariance** to permutations.
//- vertices in another order
void relabelled() {
    Generator random(book::seed());
    const Index n = 50;
    const Edges edges = random_edges(n, 0.1, random);
    const std::vector<Index> number = random.permutation(n),
                             order = random.permutation(Index(edges.size()));
    Edges moved;
    for (const Index e : order) {
        const auto [from, to] = edges[std::size_t(e)];
        moved.emplace_back(number[std::size_t(from)], number[std::size_t(to)]);
    }
    std::vector<Index> old(number.size());
    for (std::size_t i = 0; i < old.size(); ++i) old[std::size_t(number[i])] = Index(i);
    const GraphNet net({3, 16, 16, 2}, random);
    const Tensor x = random.normal({n, 3}), y = net(x, nn::Graph(n, edges)),
                 other = net(index_rows(x, Integers({n}, old)), nn::Graph(n, moved));
    claim("sys-gnn/a",
          "vertices and edges in another order: the largest difference between rows of "
          "the same vertex",
          largest(index_rows(other, Integers({n}, number)) - y), "<=", 1e-6);
}
//-

// ## Who belongs to which group?
//
// A **stochastic block model** is a random graph with groups. We draw two groups of 200 vertices. An edge within a
// group is six times as likely as one between groups. A vertex has on average 12 neighbours in its own group and 2 in
// the other. It also has one **feature**, a number that says a little about its group: normally distributed, with a
// standard deviation of 1, around $-0.4$ or $0.4$. The network must tell the group of each vertex.
struct Blocks {
    Edges edges;  // both directions of each edge
    Tensor x;     // (vertices, 1)
    Integers labels;
};
Blocks blocks(Index n, Generator& random) {
    Blocks made;
    std::vector<Index> label;
    for (Index i = 0; i < n; ++i) label.push_back(i % 2);
    for (Index a = 0; a < n; ++a)
        for (Index b = a + 1; b < n; ++b) {
            const bool same = label[std::size_t(a)] == label[std::size_t(b)];
            if (random.next_uniform() < (same ? 24.0 : 4.0) / double(n))
                made.edges.emplace_back(a, b), made.edges.emplace_back(b, a);
        }
    made.labels = Integers({n}, label);
    made.x =
        random.normal({n, 1}) +
        reshape(Tensor({n}, std::vector<Real>(label.begin(), label.end())), {n, 1}) *
            0.8 -
        0.4;
    return made;
}

// The network learns on one graph. Then it gets another graph, twice as large, which it has never seen. Place your bet:
//- the question, the training, the figure
double learn(Index layers, bool use_edges, std::uint64_t draw, Index steps) {
    double best = -1, result = 0;
    for (const double rate : {0.003, 0.01, 0.03}) {
        Generator random(book::seed() + 100 * draw);
        const auto graph_of = [&](const Blocks& of) {
            return nn::Graph(of.x.size(0), use_edges ? of.edges : Edges{});
        };
        const Blocks train = blocks(vertices(), random),
                     choose = blocks(vertices(), random),
                     judge = blocks(2 * vertices(), random);
        std::vector<Index> sizes(std::size_t(layers + 1), 16);
        sizes.front() = 1, sizes.back() = 2;
        const GraphNet net(sizes, random);
        optim::Adam adam(nn::parameters(net), {.lr = rate});
        const nn::Graph graph = graph_of(train);
        optim::fit(adam,
                   [&] { return cross_entropy(net(train.x, graph), train.labels); },
                   {.steps = steps});
        const NoGrad only_asking;
        const double chosen =
            nn::accuracy(net(choose.x, graph_of(choose)), choose.labels);
        if (chosen <= best) continue;
        best = chosen;
        result = nn::accuracy(net(judge.x, graph_of(judge)), judge.labels);
    }
    return result;
}

void two_groups() {
    const std::vector<double> layers = data::even_grid(4, 1, 4);
    std::vector<std::vector<double>> with(4),
        without(4);  // of 1, 2, ... layers, for each draw
    for (std::size_t k = 0; k < 4; ++k)
        for (std::uint64_t draw = 0; draw < 5; ++draw) {
            with[k].push_back(learn(Index(k + 1), true, draw, rounds()));
            without[k].push_back(learn(Index(k + 1), false, draw, rounds()));
        }
    const double third = book::median(with[2]);
    ask("A network of three layers learns the groups of one graph with 400 vertices. "
        "How well does it do on a new graph with "
        "800 vertices?",
        {{"It cannot run: its weight matrices belong to 400 vertices.", false,
          "The sizes of the matrices are the numbers of a vertex before and after the "
          "layer. The number of vertices does not "
          "occur in them."},
         {"It guesses: it only knows vertices that it has seen.", third < 0.6,
          "It has learned no vertex by heart. It has learned what to do with the "
          "values around a vertex."},
         {"About 0.67, as well as the feature alone: the edges are new.",
          third >= 0.6 && third < 0.95,
          "The edges are new, but they mean the same: neighbours are probably of the "
          "same group."},
         {"Nearly all are right.", third >= 0.95,
          "The same function works at every vertex of every graph that was drawn by "
          "the same rule."}});
    Figure figure("fig-blocks");
    figure.describe(
        "Accuracy against the number of layers, two curves with bands. With edges it "
        "rises from 0.87 with one layer "
        "to 0.99 with three. Without edges it stays at 0.67.");
    const auto curve = [&](const char* label,
                           const std::vector<std::vector<double>>& all,
                           figure::Color color) {
        std::vector<double> low, middle, high;
        for (const std::vector<double>& at : all) {
            low.push_back(std::ranges::min(at)), high.push_back(std::ranges::max(at));
            middle.push_back(book::median(at));
        }
        figure.band("", layers, low, high, {.color = color})
            .line(label, layers, middle, {.color = color});
    };
    curve("with edges", with, figure::blue);
    curve("without edges", without, figure::red);
    figure.x("layers")
        .y("accuracy on a new graph")
        .ylim(0.5, 1)
        .save(
            "The share of the vertices of a new graph whose group is found: median of "
            "five draws of graphs and weights, and their "
            "range. Two layers reach the neighbours' neighbours. Without edges the "
            "same network, with the same parameters, sees the "
            "feature alone.");
    claim("sys-gnn/b", "accuracy of three layers on the block model, five draws",
          over_seeds(with[2]), ">=", 0.95);
    claim("sys-gnn/c", "accuracy of the same network without edges",
          over_seeds(without[2]), "<=", 0.7);
    std::vector<double> longer, longer_without;
    for (std::uint64_t draw = 0; draw < 3; ++draw) {
        longer.push_back(learn(3, true, draw, 4 * rounds()));
        longer_without.push_back(learn(3, false, draw, 4 * rounds()));
    }
    say("three layers, {} steps in place of {}, three draws: {:.3f} with edges, {:.3f} "
        "without",
        4 * rounds(), rounds(), book::median(longer), book::median(longer_without));
    const double best = std::erfc(-0.4 / std::sqrt(2)) / 2;
    say("the best classifier of the feature alone: {:.1f} % on average, with a "
        "standard deviation of {:.1f} % over graphs with {} vertices",
        100 * best, 100 * std::sqrt(best * (1 - best) / double(2 * vertices())),
        2 * vertices());
}
//-

// Each network is trained with three learning rates, and a third graph decides between the rates. {numref}`fig-blocks`
// shows the accuracy. With four times as many steps three layers reach 0.995 with edges and 0.646 without. Without
// edges, the network knows only the feature. No classifier of the feature alone is right for more than 65.5 % of the
// vertices on average, the share of a normal distribution that lies below 0.4 standard deviations above the mean. The
// red curve lies a little higher: all its points are judged on the same five graphs, and the share varies by 1.7 % from
// graph to graph. With edges, each layer averages over more vertices, and the noise of the features averages out.
//
// ## The karate club
//
// {cite:t}`zachary1977` watched a karate club of 34 members while a conflict between its instructor and its officer
// split it in two. He noted who was a friend of whom outside the club. We tell a network of three layers the sides of
// only two members: the instructor and the officer. Members have no features. Their input is
// [one-hot](../foundations/vocabulary.cpp): the number of the member. The loss counts only these two labels.
// {cite:t}`kipf2017` did the same with four groups and one label in each. {numref}`fig-karate` shows the sides that the
// network finds; over five draws 94 % are right.
//- the training, the figure
std::vector<std::vector<Index>> karate(std::uint64_t draw,
                                       const std::vector<double>& stops) {
    Edges edges;
    for (const auto& [a, b] : data::karate_club().friends)
        edges.emplace_back(a, b), edges.emplace_back(b, a);
    const nn::Graph graph(34, edges);
    Generator random(book::seed() + draw);
    const GraphNet net({34, 16, 16, 2}, random);
    std::vector<Real> same(34 * 34);
    for (std::size_t i = 0; i < 34; ++i) same[35 * i] = 1;
    const Tensor x({34, 34}, same);
    const Integers told({2}, {0, 33}), sides({2}, {0, 1});
    optim::Adam adam(nn::parameters(net), {.lr = 0.01});
    std::vector<std::vector<Index>> found;
    for (Index step = 0; double(step) <= stops.back(); ++step) {
        if (std::ranges::count(stops, double(step))) {
            const Tensor scores = net(x, graph).detach();
            found.emplace_back();
            for (Index i = 0; i < 34; ++i)
                found.back().push_back(scores.at({i, 1}) > scores.at({i, 0}));
        }
        optim::train_step(adam, [&] {
            return cross_entropy(index_rows(net(x, graph), told), sides);
        });
    }
    return found;
}

void karate_club() {
    const data::KarateClub& club = data::karate_club();
    const std::vector<double> stops = data::even_grid(11, 0, 100);
    std::vector<double> shares;
    for (std::uint64_t draw = 0; draw < 5; ++draw) {
        double right = 0;
        const std::vector<Index> last = karate(draw, stops).back();
        for (std::size_t i = 0; i < 34; ++i) right += last[i] == club.sides[i];
        shares.push_back(right / 34);
    }
    std::vector<double> across, up;
    Names numbers;
    for (const auto& [a, b] : club.friends)
        for (const double end : {double(a), double(b), -1.0}) {
            across.push_back(end < 0 ? NAN : club.x[std::size_t(end)]);
            up.push_back(end < 0 ? NAN : club.y[std::size_t(end)]);
        }
    for (int i = 1; i <= 34; ++i) numbers.push_back(std::to_string(i));
    Figure figure("fig-karate");
    figure
        .describe(
            "The graph of the karate club: 34 numbered dots and 78 lines. A slider "
            "sets the training step. At the end the "
            "dots on the left are blue, those on the right ochre. Few stand inside a "
            "frame of the wrong colour.")
        .height(380)
        .slider("training", stops, "training step", 100)
        .line("", across, up,
              {.color = figure::grey,
               .dash = figure::solid,
               .width = 0.8,
               .opacity = 0.6,
               .points = false});
    const auto found = karate(0, stops);
    for (std::size_t k = 0; k < stops.size(); ++k) {
        figure.at(stops[k]);
        for (const Index side : {0, 1}) {
            std::vector<double> x = {NAN}, y = x, wrong_x = x,
                                wrong_y = x;  // at least one dot, which is not drawn
            for (std::size_t i = 0; i < 34; ++i) {
                if (found[k][i] != side) continue;
                x.push_back(club.x[i]), y.push_back(club.y[i]);
                if (club.sides[i] != side)
                    wrong_x.push_back(club.x[i]), wrong_y.push_back(club.y[i]);
            }
            figure.dots(
                "wrong", wrong_x, wrong_y,
                {.color = figure::red, .shape = figure::Shape::square, .width = 13});
            figure.dots(side ? "officer's side" : "instructor's side", x, y,
                        {.color = side ? figure::ochre : figure::blue,
                         .shape = figure::Shape::circle,
                         .width = 10,
                         .opacity = 0.5});
        }
    }
    figure.always()
        .words("", club.x, club.y, numbers, {.color = figure::ink, .width = 11})
        .xlim(-5, 105)
        .ylim(-6, 106)
        .bare()
        .save(
            "The side that a network of three layers finds for each member. It was "
            "told the sides of the instructor (1) and the "
            "officer (34). A red frame marks a wrong side. Move the slider: the first "
            "steps colour the graph from the two labels outwards.");
    book::report("sys-gnn/d",
                 "share of the 34 members whose side is found, the two labelled ones "
                 "included, five draws of the weights",
                 over_seeds(shares));
}
//-

// ## A convolution without geometry
//
// On a grid, a [convolution](../components/convolution.cpp) also computes each value from the neighbours, with the same
// weights everywhere. The difference is geometry: a $3 \times 3$ kernel has one weight for the left neighbour and
// another for the right one. Give a graph this knowledge. Its vertices are pixels, and an edge has one of nine
// **types**, the offset from its target to its source. Then each type has its own matrix:
Edges shifted(Index rows, Index columns, Index down, Index right) {
    Edges edges;
    for (Index r = std::max<Index>(0, -down); r < rows - std::max<Index>(0, down); ++r)
        for (Index c = std::max<Index>(0, -right);
             c < columns - std::max<Index>(0, right); ++c)
            edges.emplace_back((r + down) * columns + c + right, r * columns + c);
    return edges;
}
Tensor typed(const Tensor& x, const Tensor& kernel, Index rows, Index columns) {
    Tensor y = zeros({rows * columns, kernel.size(0)});
    for (Index down = -1; down <= 1; ++down)
        for (Index right = -1; right <= 1; ++right) {
            const nn::Graph graph(rows * columns, shifted(rows, columns, down, right));
            const Tensor weights = select(select(kernel, 3, right + 1), 2, down + 1);
            y = y + matmul(sum_neighbours(x, graph.senders), transpose(weights));
        }
    return y;
}

// The result is the convolution with zero padding. Now forget the types. All eight neighbours share the matrix $V$, and
// the pixel itself has $W$: a graph convolution that adds. It equals a convolution whose kernel has $W$ in the middle
// and $V$ at the eight other places. Such a kernel is **isotropic**, the same in all directions. It can blur, or
// compare a pixel with its surroundings, but it cannot find vertical edges. This is the price of having no geometry.
//- both against conv2d()
void grid() {
    Generator random(book::seed());
    const Index rows = 7, columns = 9, in = 3, out = 4;
    const Tensor image = random.normal({1, in, rows, columns}),
                 kernel = random.normal({out, in, 3, 3}),
                 x = transpose(reshape(image, {in, rows * columns}));
    const auto convolved = [&](const Tensor& k, const Tensor& bias) {
        return transpose(
            reshape(conv2d(image, k, bias, {.padding = 1}), {out, rows * columns}));
    };
    claim("claim-gnn-is-convolution/a",
          "with edge types, the largest difference from a 3 × 3 convolution",
          largest(typed(x, kernel, rows, columns) - convolved(kernel, Tensor())),
          "<=", 1e-5);
    Edges all;
    for (Index down = -1; down <= 1; ++down)
        for (Index right = -1; right <= 1; ++right)
            if (down != 0 || right != 0)
                for (const auto& edge : shifted(rows, columns, down, right))
                    all.push_back(edge);
    const nn::GraphConv layer(in, out, random, {.mean = false});
    Tensor isotropic = clone(expand(
        reshape(layer.lin_rel.weight.detach(), {out, in, 1, 1}), {out, in, 3, 3}));
    select(select(isotropic, 3, 1), 2, 1).copy_(layer.lin_root.weight.detach());
    claim("claim-gnn-is-convolution/b",
          "without edge types, the largest difference from the isotropic convolution",
          largest(layer(x, nn::Graph(rows * columns, all)) -
                  convolved(isotropic, layer.lin_rel.bias)),
          "<=", 1e-5);
}
//-

void page() {
    small_graph();
    against_matrices();
    degrees();
    relabelled();
    two_groups();
    karate_club();
    grid();
}

// ## Limits and history
//
// A layer that averages makes the values of neighbours more alike. With many layers, all vertices of a connected graph
// may become alike {cite:p}`li2018graphs`. This page stops at four layers. The edges of our block model agree with the
// groups; where neighbours are mostly of different groups, an average of them helps less. {cite:t}`scarselli2009` named
// and described the graph neural network, trained with gradients. {cite:t}`fleuret2023` names proteins, meshes and
// social graphs as their data.
//
// ## Summary
//
// A graph network computes the new value of each vertex from its own value and the average or the sum of its
// neighbours, with the same weights everywhere. So its parameters fit graphs of all sizes, and a new numbering of the
// vertices only permutes the result. On a grid it is a convolution; without edge types, an isotropic one.
//
// ## What is missing
//
// Here an edge had one fixed weight. [The next page](edges_and_attention.cpp) gives edges values of their own, and lets
// the network compute the weights.
//
// ```{try}
// - Smaller graphs: `--vertices 60`. How much accuracy is left on the graph of 120 vertices?
// - Shorter training: `--steps 30`. Which curve needs more steps?
// ```
