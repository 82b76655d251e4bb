// # Graph readout and pooling: one answer for a whole graph
//
// ```{rows} sys-graph-pooling sys-graph-readout
// ```
//
// Is a molecule poisonous? Does a network of computers hide an attack? Such a question has one answer for a whole
// graph, but a [graph network](graph_networks.cpp) returns one for each vertex. The **readout** makes one answer of
// many. On the way to it, **graph pooling** can make the graph smaller, as pooling makes an image smaller.
// {numref}`fig-coarsening` shows two ways to coarsen a graph. Move the sliders: how many vertices are left after three
// rounds, and which of the two keeps the form of the graph?
//
// ```{opening} fig-coarsening
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/graph.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/indexing/top_k.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::claim_true, book::over_seeds,
    book::say;
using figure::Figure, figure::Names;
using Edges = std::vector<
    std::pair<Index, Index>>;  // source and target; both directions of each edge

const book::Option<Index> level("level", 1,
                                "how often the graph of the figure is coarsened",
                                {.least = 0, .most = 5});
const book::Option<Index> which("graph", 1, "which random graph the figure shows",
                                {.least = 1, .most = 20});
const book::Option<Index> graphs("graphs", 300, "graphs of a training set",
                                 {.quick = 40, .least = 10, .most = 5000});
const book::Option<Index> rounds("steps", 200, "steps of each training run",
                                 {.quick = 5, .least = 1, .most = 5000});

// Defined further down:
struct Coarse;
Coarse finish(Coarse made, const Tensor& x, const Edges& edges,
              const std::vector<Index>& part);

double largest(const Tensor& x) { return double(max(abs(x)).item()); }
//-

// ## Coarsening: merge or delete
//
// Pooling of images merges $2 \times 2$ pixels. A graph has no such blocks, but it has edges. **Greedy matching** goes
// through the edges, the best first, and merges the two ends of an edge if both are still free. Take a path of four
// vertices, $a$ to $d$, whose edges have the scores 1, 3 and 2. The middle edge is best, so $b$ and $c$ merge. Then $a$
// and $d$ have no free neighbour, and three vertices are left. In other orders two are left. This needs an order of the
// edges that does not depend on how the vertices are numbered: we take scores that are computed from the values of the
// vertices.
struct Coarse {
    Tensor x;
    Edges edges;
    std::vector<std::pair<Index, Index>> parts;  // one or two old vertices in each
};
Coarse match(const Tensor& x, const Edges& edges, const std::vector<Real>& score) {
    std::vector<std::size_t> order(edges.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order,
                             [&](auto a, auto b) { return score[a] > score[b]; });
    std::vector<Index> part(std::size_t(x.size(0)), -1);
    Coarse made;
    const auto merge = [&](Index a, Index b) {
        part[std::size_t(a)] = part[std::size_t(b)] = Index(made.parts.size());
        made.parts.emplace_back(a, b);
    };
    for (const std::size_t e : order)
        if (const auto [a, b] = edges[e];
            a != b && part[std::size_t(a)] < 0 && part[std::size_t(b)] < 0)
            merge(a, b);
    for (Index i = 0; i < x.size(0); ++i)
        if (part[std::size_t(i)] < 0) merge(i, i);
    return finish(std::move(made), x, edges, part);
}

// A merged vertex takes the mean of the values, and there is an edge between two new vertices if there was one between
// their parts. **Top-k pooling** deletes instead. Each vertex gets a score, $p^\top x_i$ with a
// vector $p$ that can be trained. The better half stays, and with it the edges between its vertices. The values that stay
// are multiplied by the $\tanh$ of their score, as in PyTorch Geometric, so that $p$ gets a gradient. ({cite:t}`gao2019`
// divide the score by the length of $p$ and take a sigmoid.)
Coarse keep_best(const Tensor& x, const Edges& edges, const Tensor& p) {
    const Tensor score = reshape(matmul(x, p), {x.size(0)});
    const TopK best = top_k(score, (x.size(0) + 1) / 2);
    std::vector<Index> part(std::size_t(x.size(0)), -1);
    Coarse made;
    for (const Index kept : best.places.values()) {
        part[std::size_t(kept)] = Index(made.parts.size());
        made.parts.emplace_back(kept, kept);
    }
    return finish(std::move(made), x * reshape(tanh(score), {x.size(0), 1}), edges,
                  part);
}
//- the new values and edges, the figure, and what is checked
Coarse finish(Coarse made, const Tensor& x, const Edges& edges,
              const std::vector<Index>& part) {
    std::vector<Index> first, second;
    for (const auto& [a, b] : made.parts) first.push_back(a), second.push_back(b);
    const Index n = Index(first.size());
    made.x =
        (index_rows(x, Integers({n}, first)) + index_rows(x, Integers({n}, second))) *
        0.5;
    for (const auto& [from, to] : edges) {
        const Index a = part[std::size_t(from)], b = part[std::size_t(to)];
        if (a >= 0 && b >= 0 && a != b) made.edges.emplace_back(a, b);
    }
    std::ranges::sort(made.edges);
    made.edges.erase(std::unique(made.edges.begin(), made.edges.end()),
                     made.edges.end());
    return made;
}

// The score of an edge: the product of two numbers computed from its ends.
std::vector<Real> edge_scores(const Tensor& x, const Edges& edges, const Tensor& p) {
    const std::vector<Real> own = matmul(x, p).detach().values();
    std::vector<Real> scores;
    for (const auto& [a, b] : edges)
        scores.push_back(own[std::size_t(a)] * own[std::size_t(b)]);
    return scores;
}
// How many connected parts a graph has.
Index connected_parts(Index n, const Edges& edges) {
    std::vector<Index> part(static_cast<std::size_t>(n));
    std::iota(part.begin(), part.end(), 0);
    for (const auto& [a, b] : edges) {
        const Index gone = part[std::size_t(a)], stays = part[std::size_t(b)];
        std::ranges::replace(part, gone, stays);
    }
    std::ranges::sort(part);
    return std::unique(part.begin(), part.end()) - part.begin();
}
Coarse coarsen(bool by_matching, const Tensor& x, const Edges& edges, const Tensor& p) {
    return by_matching ? match(x, edges, edge_scores(x, edges, p))
                       : keep_best(x, edges, p);
}

Edges random_edges(Index n, double probability, Generator& random) {
    Edges edges;
    for (Index a = 0; a < n; ++a)
        for (Index b = a + 1; b < n; ++b)
            if (random.next_uniform() < probability)
                edges.emplace_back(a, b), edges.emplace_back(b, a);
    return edges;
}

void coarsening() {
    Generator random{std::uint64_t(which())};
    const Index n = 40;
    const Tensor places = random.uniform({n, 2}), x = random.uniform({n, 1}, 0.5, 1),
                 p = ones({1, 1});
    Edges edges;
    for (Index a = 0; a < n; ++a)
        for (Index b = 0; b < n; ++b)
            if (a != b &&
                std::hypot(double(places.at({a, 0}) - places.at({b, 0})),
                           double(places.at({a, 1}) - places.at({b, 1}))) < 0.25)
                edges.emplace_back(a, b);
    Figure figure("fig-coarsening");
    figure
        .describe(
            "Two drawings of the same graph of 40 points in a square, in which near "
            "points are joined, after as many rounds "
            "of coarsening as the slider says. With matching, pairs of points merge "
            "and the shape of the graph remains. With "
            "top-k pooling points disappear, and some of the rest are isolated.")
        .slider(level, "rounds of coarsening")
        .slider(which, "graph")
        .height(300);
    for (const bool by_matching : {true, false}) {
        Coarse now{x, edges, {}};
        std::vector<double> across, up;
        for (Index i = 0; i < n; ++i)
            across.push_back(double(places.at({i, 0}))),
                up.push_back(double(places.at({i, 1})));
        for (Index round = 0; round < level(); ++round) {
            now = coarsen(by_matching, now.x, now.edges, p);
            std::vector<double> new_x, new_y;
            for (const auto& [a, b] : now.parts) {
                new_x.push_back((across[std::size_t(a)] + across[std::size_t(b)]) / 2);
                new_y.push_back((up[std::size_t(a)] + up[std::size_t(b)]) / 2);
            }
            across = new_x, up = new_y;
        }
        std::vector<double> line_x = {NAN}, line_y = {NAN};
        for (const auto& [a, b] : now.edges) {
            line_x.insert(line_x.end(),
                          {across[std::size_t(a)], across[std::size_t(b)], NAN});
            line_y.insert(line_y.end(), {up[std::size_t(a)], up[std::size_t(b)], NAN});
        }
        figure.panel(by_matching ? "greedy matching" : "top-k pooling")
            .line("", line_x, line_y,
                  {.color = figure::grey,
                   .dash = figure::solid,
                   .width = 1,
                   .points = false})
            .dots("", across, up,
                  {.color = figure::blue, .shape = figure::Shape::circle, .width = 5})
            .words("", std::vector<double>{0.5}, std::vector<double>{-0.08},
                   Names{fmt::format("{} vertices, parts: {}", across.size(),
                                     connected_parts(now.x.size(0), now.edges))},
                   {.color = figure::ink})
            .xlim(-0.05, 1.05)
            .ylim(-0.15, 1.05)
            .bare();
    }
    figure.save(
        "A random graph in the plane, coarsened. Matching merges neighbours, and a "
        "merged vertex is drawn in the middle of its "
        "parts. Top-k pooling keeps the vertices with the largest scores. Where their "
        "neighbours are deleted, the graph falls apart: count the connected parts.");

    std::vector<double> ratios;
    for (std::uint64_t draw = 0; draw < 5; ++draw) {
        Generator other(book::seed() + draw);
        const Index size = 200;
        const Edges all = random_edges(size, 6.0 / double(size), other);
        const Tensor p = other.normal({4, 1}), values = other.normal({size, 4});
        const Coarse half = coarsen(true, values, all, p);
        ratios.push_back(double(half.x.size(0)) / double(size));
    }
    const auto [low, high] = std::ranges::minmax(ratios);
    claim_in("sys-graph-pooling/a",
             "vertices after greedy matching over vertices before, five random graphs "
             "with six neighbours on average",
             book::Measured(book::median(ratios), low, high, 5), 0.5, 0.7);
}

void any_order() {
    Generator random(book::seed());
    const Index n = 60;
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
    const Tensor x = random.normal({n, 3});
    Tensor p = random.normal({8, 1});
    const nn::GraphConv first(3, 8, random), second(8, 4, random);
    const auto readout = [&](bool by_matching, bool pool, const Tensor& values,
                             const Edges& all) {
        const Tensor hidden = tanh(first(values, nn::Graph(n, all)));
        const Coarse half =
            pool ? coarsen(by_matching, hidden, all, p) : Coarse{hidden, all, {}};
        return mean(second(half.x, nn::Graph(half.x.size(0), half.edges)), {0});
    };
    const Tensor other = index_rows(x, Integers({n}, old));
    double pooled = 0;
    for (const bool by_matching : {true, false})
        pooled = std::max(pooled, largest(readout(by_matching, true, x, edges) -
                                          readout(by_matching, true, other, moved)));
    claim("sys-graph-pooling/b",
          "vertices in another order: the largest change of the readout after either "
          "way of pooling",
          pooled, "<=", 1e-6);
    p.requires_grad_();
    sum(readout(false, true, x, edges)).backward();
    claim("", "the largest gradient of p by top-k pooling", largest(p.grad()), ">",
          1e-6);
    const NoGrad only_asking;
    claim("sys-graph-readout/a", "the same without pooling",
          largest(readout(true, false, x, edges) - readout(true, false, other, moved)),
          "<=", 1e-6);
}
//-

// On random graphs with six neighbours on average, one round of matching leaves a little more than half of the
// vertices: some find no free neighbour.
//
// ## The readout is a mean
//
// The simplest readout averages the values of all vertices. Two vertices with the values 1 and 3 give 2, in either
// order. In general, for a graph with $n$ vertices,
//
// $$ \bar x = \frac{1}{n} \sum_{i=1}^n x_i . $$
//
// A mean does not depend on the numbering, as the checks above confirm, with and without pooling. A perceptron then
// turns it into scores. Many graphs can be stacked into one large graph without edges between them. Then one pass
// computes all of them, and each graph has its own mean:
struct GraphClassifier {
    nn::GraphConv first, second, third;
    nn::Mlp head;
    explicit GraphClassifier(Generator& random)
        : first(1, 16, random, {.mean = false}),
          second(16, 16, random, {.mean = false}),
          third(16, 16, random, {.mean = false}),
          head({16, 16, 2}, relu, random) {}
    Tensor operator()(const Tensor& x, const nn::Graph& all, const Neighbours& members,
                      const Tensor& sizes) const {
        const Tensor deep = relu(third(relu(second(relu(first(x, all)), all)), all));
        return head(sum_neighbours(deep, members) / sizes);
    }
    void visit(auto&& part) {
        part("first", first), part("second", second), part("third", third),
            part("head", head);
    }
};

// The layers add instead of averaging, so that their results depend on the degrees: all vertices have the same value, 1. All that the
// network sees is the form of the graph.
//
// ## Hidden cliques and small trees
//
// A **clique** is a set of vertices that are all joined. The first task is to tell random graphs of 24 vertices from
// those in which 8 vertices form a planted clique. To make it a fair task, both kinds have 69 edges on average. The
// second task is about trees that look like the carbon atoms of a molecule: 12 vertices, none with more than four
// neighbours. The question is whether two branching vertices, those with at least three neighbours, are joined.
//- the graphs, the training
struct Batch {
    nn::Graph all;
    Neighbours members;
    Tensor x, sizes;
    Integers labels;
};

Edges clique_graph(bool planted, Generator& random) {
    const Index n = 24, size = 8, pairs = n * (n - 1) / 2,
                inside = size * (size - 1) / 2;
    const double expected = 0.25 * double(pairs);
    const std::vector<Index> order = random.permutation(n);
    Edges edges;
    for (Index a = 0; a < n; ++a)
        for (Index b = a + 1; b < n; ++b) {
            const bool in =
                order[std::size_t(a)] < size && order[std::size_t(b)] < size;
            const double p = !planted ? 0.25
                             : in
                                 ? 1
                                 : (expected - double(inside)) / double(pairs - inside);
            if (random.next_uniform() < p)
                edges.emplace_back(a, b), edges.emplace_back(b, a);
        }
    return edges;
}

// Grows trees until one has two joined branching vertices, or has none.
Edges tree(bool joined, Generator& random) {
    for (;;) {
        Edges edges;
        std::vector<int> degree(12);
        for (Index made = 1; made < 12;) {
            const Index to = random.next_integer(0, made);
            if (degree[std::size_t(to)] == 4) continue;
            edges.emplace_back(made, to), edges.emplace_back(to, made);
            ++degree[std::size_t(to)], ++degree[std::size_t(made++)];
        }
        const auto branches = [&](Index i) { return degree[std::size_t(i)] >= 3; };
        if (std::ranges::any_of(edges, [&](const auto& e) {
                return branches(e.first) && branches(e.second);
            }) == joined)
            return edges;
    }
}

Batch draw(Index count, bool trees, Generator& random) {
    const Index n = trees ? 12 : 24;
    Edges all;
    std::vector<Index> offsets, places(std::size_t(count * n)), labels;
    for (Index k = 0; k < count; ++k) {
        labels.push_back(k % 2);
        for (const auto& [from, to] :
             trees ? tree(k % 2, random) : clique_graph(k % 2, random))
            all.emplace_back(from + k * n, to + k * n);
    }
    for (Index k = 0; k <= count; ++k) offsets.push_back(k * n);
    std::iota(places.begin(), places.end(), 0);
    return {nn::Graph(count * n, all),
            Neighbours(Integers({count + 1}, offsets), Integers({count * n}, places),
                       count * n),
            ones({count * n, 1}), full({count, 1}, Real(n)), Integers({count}, labels)};
}

double learn(bool trees, std::uint64_t seed) {
    Generator random(book::seed() + 100 * seed);
    const Batch train = draw(graphs(), trees, random),
                judge = draw(graphs(), trees, random);
    const GraphClassifier net(random);
    const auto scores = [&](const Batch& of) {
        return net(of.x, of.all, of.members, of.sizes);
    };
    optim::Adam adam(nn::parameters(net), {.lr = 0.01});
    const auto falling = [](Index step) {
        return 0.01 * (1 - double(step) / double(rounds()));
    };
    optim::fit(adam, [&] { return cross_entropy(scores(train), train.labels); },
               {.steps = rounds(), .lr = falling});
    const NoGrad only_asking;
    return nn::accuracy(scores(judge), judge.labels);
}

// The variance of the degrees times the square of their number, which is a whole number:
// no rounding decides between two graphs that are equally near.
std::vector<Real> spreads(const Batch& of) {
    const Index count = of.labels.numel(), n = of.x.size(0) / count;
    const Tensor degrees = reshape(of.all.degrees, {count, n});
    return (sum(square(degrees), {1}) * double(n) - square(sum(degrees, {1}))).values();
}
// Accuracy without a network: a vote of the 25 training graphs whose degrees have the
// nearest variance.
double by_degrees(bool trees, std::uint64_t seed) {
    Generator random(book::seed() + 100 * seed);
    const Batch train = draw(graphs(), trees, random),
                judge = draw(graphs(), trees, random);
    const std::vector<Real> known = spreads(train), asked = spreads(judge);
    const std::vector<Index> labels = train.labels.values(),
                             right = judge.labels.values();
    std::vector<std::size_t> nearest(known.size());
    double found = 0;
    for (std::size_t k = 0; k < asked.size(); ++k) {
        std::iota(nearest.begin(), nearest.end(), 0);
        std::ranges::stable_sort(
            nearest, {}, [&](std::size_t i) { return std::abs(known[i] - asked[k]); });
        Index votes = 0;
        for (std::size_t i = 0; i < 25; ++i) votes += labels[nearest[i]];
        found += (votes > 12) == (right[k] == 1);
    }
    return found / double(asked.size());
}

void tasks() {
    std::vector<double> cliques, trees, least, degrees_of_cliques, degrees_of_trees;
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        degrees_of_cliques.push_back(by_degrees(false, seed));
        degrees_of_trees.push_back(by_degrees(true, seed));
        cliques.push_back(learn(false, seed)), trees.push_back(learn(true, seed));
        least.push_back(std::min(cliques.back(), trees.back()));
    }
    say("accuracy on planted cliques: {}", book::brief(over_seeds(cliques)));
    say("accuracy on trees: {}", book::brief(over_seeds(trees)));
    say("accuracy of the variance of the degrees alone: on planted cliques {}, on "
        "trees "
        "{}",
        book::brief(over_seeds(degrees_of_cliques)),
        book::brief(over_seeds(degrees_of_trees)));
    claim("sys-graph-readout/b",
          "accuracy on new graphs, the smaller one of the two tasks", over_seeds(least),
          ">=", 0.9);
}
//-

// Both tasks are nearly solved on new graphs. How much of this needs a network? Take only the variance of the degrees,
// and let the training graphs with the nearest variance vote. In a graph without a clique, a vertex has 5.75 neighbours
// on average. With a planted clique, each of its eight members has seven neighbours inside it, and the other edges are
// rarer. So the degrees differ more, and their variance alone decides 98 % of these graphs: a clique in so small a graph
// is hardly hidden. Of the trees it decides only 75 %. For the rest a vertex must know the degrees of its neighbours,
// which takes two layers: one to count the neighbours, and one to hear their counts.
//
// ## Two graphs that look the same
//
// Now to a pair of graphs that you tell apart at a glance: one ring of six vertices, and two rings of three. All
// vertices have the value 1. Place your bet:
//- the question, the check, the figure
void rings() {
    const auto ring = [](Index first, Index size, Edges& edges) {
        for (Index k = 0; k < size; ++k) {
            const Index a = first + k, b = first + (k + 1) % size;
            edges.emplace_back(a, b), edges.emplace_back(b, a);
        }
    };
    Edges one, two;
    ring(0, 6, one), ring(0, 3, two), ring(3, 3, two);
    const Neighbours members(Integers({2}, {0, 6}), Integers({6}, {0, 1, 2, 3, 4, 5}),
                             6);
    const Tensor same = ones({6, 1}), six = full({1, 1}, 6);
    Index differ = 0;
    for (std::uint64_t draw = 0; draw < 20; ++draw) {
        Generator random(book::seed() + draw);
        const GraphClassifier net(random);
        const Tensor a = net(same, nn::Graph(6, one), members, six),
                     b = net(same, nn::Graph(6, two), members, six);
        differ += a.values() != b.values();
    }
    ask("Can a graph network with three layers that add tell the ring of six from the "
        "two rings of three?",
        {{"Yes: after three layers the news has gone round the small rings.", false,
          "The news that comes round says the same as the news of any other neighbour: "
          "my value is 1 and I have two neighbours."},
         {"Yes, but only with suitable weights.", differ > 0,
          "No weights help: in each layer all vertices compute the same from the same "
          "numbers."},
         {"No: the results are equal, bit for bit.", differ == 0,
          "Each vertex has the value 1 and two neighbours with the value 1. So after "
          "each layer all vertices of both graphs still have equal values."}});
    claim_true("sys-graph-readout/c",
               "one ring of six and two rings of three give equal bits, for 20 draws "
               "of the weights",
               differ == 0);

    Generator random(book::seed());
    const GraphClassifier net(random);
    Figure figure("fig-rings");
    figure
        .describe(
            "Left a hexagon, right two triangles. At each of their vertices stands the "
            "same number.")
        .height(220);
    for (const bool whole : {true, false}) {
        const nn::Graph graph(6, whole ? one : two);
        const Tensor deep =
            net.third(relu(net.second(relu(net.first(same, graph)), graph)), graph);
        std::vector<double> x, y, line_x, line_y;
        Names words;
        for (int k = 0; k < 6; ++k) {
            const double angle = 2 * 3.14159265358979 * (whole ? k / 6.0 : k / 3.0);
            x.push_back((whole ? 1.6 : 0.8) * std::cos(angle) + (whole   ? 0
                                                                 : k < 3 ? -1.2
                                                                         : 1.2));
            y.push_back((whole ? 0.9 : 0.8) * std::sin(angle));
            words.push_back(fmt::format("{:.2f}", double(deep.at({k, 0}))));
        }
        for (const auto& [a, b] : whole ? one : two) {
            line_x.insert(line_x.end(), {x[std::size_t(a)], x[std::size_t(b)], NAN});
            line_y.insert(line_y.end(), {y[std::size_t(a)], y[std::size_t(b)], NAN});
        }
        figure.panel(whole ? "one ring of six" : "two rings of three")
            .line("", line_x, line_y,
                  {.color = figure::grey,
                   .dash = figure::solid,
                   .width = 1.5,
                   .points = false})
            .dots("", x, y,
                  {.color = figure::blue,
                   .shape = figure::Shape::circle,
                   .width = 15,
                   .opacity = 0.35})
            .words("", x, y, words, {.color = figure::ink})
            .xlim(-2.4, 2.4)
            .ylim(-1.2, 1.2)
            .bare();
    }
    figure.save(
        "The first number of each vertex after three layers with random weights. All "
        "twelve are equal, so no readout can tell the "
        "two graphs apart.");
}
//-

// A network of this kind sees a vertex as its neighbours describe it, and they as theirs do. The test of **Weisfeiler
// and Leman** colours vertices in this way, and two graphs with equal colours are equal to the network
// {cite:p}`xu2019`. Random or numbered features would break the tie, at the price of equivariance.

void page() {
    coarsening();
    any_order();
    tasks();
    rings();
}

// ## Limits and history
//
// A mean forgets the size of a graph: two copies of a graph side by side have the readout of one. A sum of the values
// remembers it. {cite:t}`defferrard2016` coarsened graphs by greedy matching between their convolutions, and
// {cite:t}`gao2019` trained top-k pooling. The classifier of this page uses no pooling: its graphs are small.
//
// ## Summary
//
// A readout averages the values of all vertices, so that it does not depend on their order. Pooling coarsens a graph:
// greedy matching merges pairs of neighbours, and top-k pooling deletes half of the vertices. A network without vertex
// features cannot tell graphs apart in which all vertices have equal surroundings.
//
// ## What is missing
//
// Graphs come with their edges. If no edges are given, each vertex can be a neighbour of each other one, and the
// weights decide who counts. This is [attention](../components/attention.cpp).
//
// Our graphs came with labels. [The next page](autoencoders.cpp) learns from images alone.
//
// ```{try}
// - Fewer graphs to learn from: `--graphs 60`. Which task suffers more?
// - Another graph in the figure: `--graph 7 --level 3`. How many vertices are left on both sides?
// ```
