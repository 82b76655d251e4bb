// # Transformer blocks: mix the positions, then work on each
//
// ```{rows} fig-5.6 sys-feedforward-block sys-self-attention-block sys-cross-attention-block claim-encoder-decoder-names claim-prenorm-vs-postnorm
// ```
//
// [The last page](soft_switch.cpp) ended with a layer that moves data between positions and hardly computes with them.
// A **Transformer** {cite:p}`vaswani2017` alternates two kinds of blocks. One mixes the positions of a sequence, the other
// works on each position alone. Both are residual blocks, and they keep the shape of the sequence. So you can stack as
// many as you like. {numref}`fig-block-reach` changes one position of a sequence and shows which outputs change. Move the
// slider: which block lets the change spread, and in which direction?
//
// ```{opening} fig-block-reach
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/words.hpp>
#include <recto/figure/diagram.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/layers.hpp>
#include <recto/nn/embedding.hpp>
#include <recto/nn/gpt.hpp>
#include <recto/nn/influence.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/model_tape.hpp>
#include <recto/nn/module.hpp>
#include <recto/nn/norm.hpp>
#include <recto/nn/positions.hpp>
#include <recto/nn/transformer.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say,
    book::Study;
using figure::Figure, figure::Names;

const book::Option<Index> changed("changed", 4, "the position that is changed",
                                  {.least = 1, .most = 8});
const book::Option<Index> passes("steps", 2000, "steps of the two short trainings",
                                 {.quick = 20, .least = 5, .most = 100'000});
const book::Option<int> seeds("seeds", 5, "fresh stacks for the gradients",
                              {.quick = 2, .least = 1, .most = 50});

const Index length = 8, width = 16, hidden = 64;
const AttentionOptions causal = {.causal = true};
//-

//- how the figure is drawn
Tensor replaced(const Tensor& x, Index place, Generator& random) {
    return concat({slice(x, 1, 0, place), random.normal({1, 1, x.size(2)}),
                   slice(x, 1, place + 1, x.size(1))},
                  1);
}
// The largest change at each position of the result.
std::vector<double> changes(const Tensor& before, const Tensor& after) {
    const std::vector<Real> most = max(abs(after - before), {0, 2}).values();
    return {most.begin(), most.end()};
}

void one_change() {
    const NoGrad only_asking;
    Generator random(book::seed());
    const nn::FeedForwardBlock alone(width, hidden, random);
    const nn::SelfAttentionBlock mixing(width, 2, random);
    const Tensor x = random.normal({1, length, width}),
                 other = replaced(x, changed() - 1, random);
    std::vector<double> places;
    for (Index t = 1; t <= length; ++t) places.push_back(double(t));
    Figure figure("fig-block-reach");
    figure
        .describe(
            "Three panels of up to eight dots, how much each output changes when one "
            "input "
            "position changes. In the feed-forward block only the changed position has "
            "a dot. In self-attention all positions have one. With the causal mask the "
            "changed position and all later ones have one. A slider sets the position.")
        .columns(3)
        .slider(changed, "changed position");
    const auto draw = [&](const char* title, const Tensor& before,
                          const Tensor& after) {
        figure.panel(title)
            .tall(200)
            .xlim(0.5, 8.5)
            .log_y()
            .ylim(1e-4, 10)
            .dots("", places, changes(before, after), {.color = figure::blue})
            .x("position")
            .y("change of the output");
    };
    draw("feed-forward", alone(x), alone(other));
    draw("self-attention", mixing(x), mixing(other));
    draw("causal self-attention", mixing(x, causal), mixing(other, causal));
    figure.save(
        "One input position gets another random vector. A dot shows how much the "
        "output "
        "changes at a position, and no dot means not at all. The feed-forward block "
        "keeps the change where it is. Self-attention spreads it to all positions, and "
        "with a causal mask to later positions only.");
}
//-

// ## One position at a time
//
// A sequence of $T$ positions is a matrix with $T$ rows of $D$ numbers. The **feed-forward block** sends each row through
// the same small network, a linear layer to more numbers, a [GELU](../components/rectifiers.cpp) and a linear layer back.
// It adds the result to the row. A row of $D = 16$ numbers widened to 64 takes $16 \cdot 64 + 64$ parameters there and
// $64 \cdot 16 + 16$ back, 2,128 together. [Layer normalisation](../components/layer_norm.cpp) before it has 32. The
// number $T$ appears nowhere: the block reads sequences of any length.
//
// ```{excerpt} recto/nn/transformer.hpp FeedForwardBlock
// ```
//
// If you change the order of the rows, you get the same results in the new order.
//- what is checked
void alone() {
    const NoGrad only_asking;
    Generator random(book::seed());
    const nn::FeedForwardBlock block(width, hidden, random);
    const Tensor x = random.normal({1, length, width}), y = block(x);
    const auto in_order = [&](const Tensor& rows) {
        std::vector<Tensor> parts;
        for (const Index t : {3, 7, 0, 5, 1, 6, 2, 4})
            parts.push_back(slice(rows, 1, t, t + 1));
        return concat(parts, 1);
    };
    claim("sys-feedforward-block/a",
          "shuffled positions against shuffled outputs, largest difference",
          max(abs(block(in_order(x)) - in_order(y))).item(), "<=", 1e-6);
    Index wrong = 0;
    for (Index t = 0; t < length; ++t) {
        const std::vector<double> moved = changes(y, block(replaced(x, t, random)));
        for (Index s = 0; s < length; ++s)
            wrong += (moved[std::size_t(s)] > 0) != (s == t);
    }
    claim("sys-feedforward-block/b",
          "pairs of a changed position and an output where the output changes "
          "elsewhere, or stays",
          wrong, "==", 0);
    say("parameters: {}", nn::count(block));
}
//-

// ## Mixing positions
//
// The **self-attention block** is the other kind. It normalises the sequence, applies
// [multi-head attention](../components/multi_head.cpp) and adds the result:
//
// ```{excerpt} recto/nn/transformer.cpp SelfAttentionBlock::operator()
// ```
//
// The option `causal` hides all later positions from each position. The **cross-attention block** reads two sequences.
// Queries come from the first, keys and values from the second, the *memory*:
//
// ```{excerpt} recto/nn/transformer.cpp CrossAttentionBlock::operator()
// ```
//
// Its output is as long as the first sequence, whatever the length of the memory. With the first sequence as memory, it
// is self-attention. {numref}`fig-5.6` shows all three blocks.
//- what is checked
// How many outputs each change reaches: at earlier positions, at its own, and later.
std::array<Index, 3> reached(const Tensor& influence) {
    std::array<Index, 3> found = {};
    for (Index t = 0; t < influence.size(0); ++t)
        for (Index s = 0; s < influence.size(1); ++s)
            found[t < s ? 0 : t == s ? 1 : 2] += influence.at({t, s}) != 0;
    return found;
}
const std::array<Index, 3> everywhere = {28, 8, 28}, onwards = {0, 8, 28};

void mixing() {
    const NoGrad only_asking;
    Generator random(book::seed());
    const nn::SelfAttentionBlock block(width, 2, random);
    const auto pattern = [&](const AttentionOptions& options) {
        return reached(nn::vector_influence(
            [&](const Tensor& x) { return block(x, options); }, length, width, random));
    };
    claim_true("sys-self-attention-block/a", "every output depends on every position",
               pattern({}) == everywhere);
    claim_true("sys-self-attention-block/b",
               "with the causal mask the dependencies are a lower triangle",
               pattern(causal) == onwards);

    const nn::CrossAttentionBlock cross(width, 2, random);
    const Tensor x = random.normal({1, length, width}),
                 memory = random.normal({1, 5, width}), y = cross(x, memory);
    claim_true("sys-cross-attention-block/a",
               "8 queries and 5 keys give 8 outputs, 5 queries and 8 keys give 5",
               y.shape() == x.shape() && cross(memory, x).shape() == memory.shape());
    const Tensor by_query = nn::vector_influence(
                     [&](const Tensor&z) { return cross(z, memory); }, length, width,
                     random),
                 by_memory = nn::vector_influence(
                     [&](const Tensor&z) { return cross(x, z); }, 5, width, random);
    const std::array<Index, 3> own = {0, length, 0};
    claim_true("sys-cross-attention-block/b",
               "an output depends on its own query and on every position of the memory",
               reached(by_query) == own && min(by_memory).item() > 0);
    nn::SelfAttentionBlock same = block;
    same.norm = cross.norm, same.attention = cross.attention;
    claim(
        "sys-cross-attention-block/c",
        "with one sequence as both inputs, against self-attention, largest difference",
        max(abs(cross(x, x) - same(x))).item(), "<=", 1e-6);
}
//-

//- how the diagram is drawn, and what is checked
// A cross-attention block whose memory is a tensor of the model, so that a tape shows it.
struct WithMemory {
    nn::CrossAttentionBlock block;
    Tensor memory;
    Tensor operator()(const Tensor& x) const { return block(x, memory); }
    void visit(auto&& part) { part("block", block), part("memory", memory); }
};

struct Checked {
    Index late = 0;              // inputs that reach something before a normalisation
    std::vector<Shape> results;  // of the boxes, in order
};
// Draws the boxes of one block in a frame.
Checked draw_block(figure::Diagram& diagram, const std::string& title,
                   const figure::LayerColumn& column, const Shape& size) {
    const auto id = [&](Index box) {
        return title + (box == -2 ? " memory"
                        : box < 0 ? " input"
                                  : std::to_string(box));
    };
    const auto words = [](const Shape& of) {
        return fmt::format("{} × {}", of[0], of[1]);
    };
    Checked found;
    std::vector<std::string> framed;
    diagram.node(id(-1), "input", figure::Box::plain);
    for (std::size_t i = 0; i < column.boxes.size(); ++i) {
        const figure::LayerBox& box = column.boxes[i];
        const std::string name = box.words == "layer_norm" ? "layer norm"
                                 : box.words == "add"      ? "+"
                                                           : box.words;
        diagram.node(id(Index(i)), name, figure::Box::round,
                     box.complex ? figure::blue : figure::grey);
        framed.push_back(id(Index(i)));
        found.results.push_back(box.result);
        std::vector<Index> from = box.inputs;
        std::ranges::sort(from);  // compilers differ in which projection comes first
        if (from.empty())
            from = {-2}, diagram.node(id(-2), "memory", figure::Box::plain);
        for (const Index one : from) {
            const bool outside = one < 0;
            const Shape& carried = one == -2 ? box.result
                                   : outside ? size
                                             : column.boxes[std::size_t(one)].result;
            const bool told = outside ? box.words != "add" : carried != size;
            diagram.edge(id(one), id(Index(i)), told ? words(carried) : "");
            found.late += outside && box.words != "layer_norm" && box.words != "add";
        }
    }
    diagram.node(title + " output", "output", figure::Box::plain)
        .edge(id(Index(column.boxes.size()) - 1), title + " output",
              words(found.results.back()))
        .group(title, framed);
    return found;
}

void three_blocks() {
    Generator random(book::seed());
    const nn::FeedForwardBlock alone(width, hidden, random);
    const nn::SelfAttentionBlock mixing(width, 2, random);
    const WithMemory cross{nn::CrossAttentionBlock(width, 2, random),
                           random.normal({1, 5, width})};
    const Tensor x = random.normal({1, length, width});
    const Shape rows = {length, width}, keys = {5, width}, wide = {length, hidden};
    figure::Diagram diagram("fig-5.6");
    diagram.describe(
        "Three diagrams side by side. In each, the input goes to a layer normalisation "
        "and, past it, to a sum. Between the normalisation and the sum stand two "
        "linear "
        "layers, or attention. In the third, a memory is normalised too and enters the "
        "attention.");
    const std::vector<std::string> whole = {"attention"};
    const Checked found[] = {
        draw_block(diagram, "feed-forward", figure::layer_column(nn::tape_of(alone, x)),
                   rows),
        draw_block(diagram, "self-attention",
                   figure::layer_column(nn::tape_of(mixing, x), whole), rows),
        draw_block(diagram, "cross-attention",
                   figure::layer_column(nn::tape_of(cross, x), whole), rows)};
    diagram.save(
        "The three blocks, drawn from objects that ran, after *The Little Book of Deep "
        "Learning* {cite:p}`fleuret2023`. Each begins with layer normalisation, and an "
        "arrow leads past it to the sum. Sizes are numbers of positions and of numbers "
        "in each.");
    book::shows("fig-5.6/a", "fig-5.6");
    claim("fig-5.6/b", "inputs that enter a branch without a layer normalisation",
          found[0].late + found[1].late + found[2].late, "==", 0);
    const Checked wanted[] = {{0, {rows, wide, rows, rows}},
                              {0, {rows, rows, rows}},
                              {0, {rows, keys, rows, rows}}};
    Index differ = 0;
    for (const std::size_t which : {0, 1, 2})
        differ += found[which].results != wanted[which].results;
    claim("fig-5.6/c", "blocks in which a drawn size is not that of the run", differ,
          "==", 0);
}
//-

// ## Where the normalisation stands
//
// Layer normalisation stands *first* in these branches (**pre-norm**), as in GPT {cite:p}`radford2019`. In the first
// Transformer it stood *last*, after the sum (**post-norm**). Take the row $x = (3, 1)$ and a branch $f$ that returns
// $(1, 1)$. Pre-norm gives $(4, 2)$: the row is still there, with something added. Post-norm normalises $(4, 2)$ to
// $(1, -1)$, and the size of the row is lost. In formulas, with the normalisation $n$:
//
// $$ x + f(n(x)) \qquad \text{and} \qquad n(x + f(x)) . $$
//
// The derivative of the first is $I + J$, where $I$ is the identity and $J$ the Jacobian of the branch. So a gradient can
// pass all blocks unchanged. The second multiplies $I + J$ by the Jacobian of the normalisation, in every block.
//- the Jacobians, and what is checked
// A row for each number of the result, a column for each number of the input.
std::vector<double> jacobian(const auto& f, const Tensor& x) {
    std::vector<double> found;
    const Index n = x.numel();
    for (Index row = 0; row < n; ++row) {
        const Tensor in = x.detach().requires_grad_();
        Tensor only = zeros({n});
        only.set({row}, 1);
        sum(reshape(f(in), {n}) * only).backward();
        for (const Real slope : in.grad().values()) found.push_back(double(slope));
    }
    return found;
}
// The largest difference of a Jacobian from the identity plus another one.
double from_identity(const std::vector<double>& whole,
                     const std::vector<double>& branch, Index n) {
    double most = 0;
    for (std::size_t i = 0; i < whole.size(); ++i)
        most = std::max(most, std::abs(whole[i] - branch[i] -
                                       double(Index(i) / n == Index(i) % n)));
    return most;
}

Tensor norm_last(const nn::SelfAttentionBlock& block, const Tensor& x) {
    return block.norm(x + block.attention(x, causal));
}
Tensor norm_last(const nn::FeedForwardBlock& block, const Tensor& x) {
    return block.norm(x + block.branch(x));
}

void jacobians() {
    Generator random(book::seed());
    const Index T = 3, D = 4;
    const nn::SelfAttentionBlock mixing(D, 2, random);
    const nn::FeedForwardBlock alone(D, 16, random);
    const Tensor x = random.normal({1, T, D});
    const auto attend = [&](const Tensor& z) { return mixing.attention(z, causal); };
    const auto think = [&](const Tensor& z) { return alone.branch(z); };
    const auto apart = [&](const auto& block, const auto& branch) {
        return from_identity(jacobian(block, x), jacobian(branch, x), T * D);
    };
    const double first =
        std::max(apart([&](const Tensor& z) { return mixing(z, causal); },
                       [&](const Tensor& z) { return attend(mixing.norm(z)); }),
                 apart([&](const Tensor& z) { return alone(z); },
                       [&](const Tensor& z) { return think(alone.norm(z)); }));
    const double last =
        std::min(apart([&](const Tensor& z) { return norm_last(mixing, z); }, attend),
                 apart([&](const Tensor& z) { return norm_last(alone, z); }, think));
    claim("claim-prenorm-vs-postnorm/b",
          "pre-norm: Jacobian of a block minus identity and branch, largest entry",
          first, "<=", 1e-6);
    claim("claim-prenorm-vs-postnorm/c", "post-norm: the same", last, ">", 1e-3);
}
//-

// We stack twelve blocks of attention and twelve feed-forward blocks, between an embedding of letters and a linear layer
// for scores. The network reads 32 letters of a list of words and predicts the next letter at each position. Both orders
// have the same parameters. One more normalisation stands before the first post-norm block, or after the last pre-norm
// block:
const Index layers = 12, wide = 32, window = 32, batch = 16;
struct Stack {
    bool norm_first;
    nn::Embedding words;
    nn::LearnedPositions places;
    std::vector<nn::SelfAttentionBlock> attend;
    std::vector<nn::FeedForwardBlock> think;
    nn::LayerNorm once;
    nn::Linear scores;

    Tensor operator()(const Integers& letters) const {
        Tensor x = places(words(letters));
        if (!norm_first) x = once(x);
        for (std::size_t i = 0; i < attend.size(); ++i)
            x = norm_first ? think[i](attend[i](x, causal))
                           : norm_last(think[i], norm_last(attend[i], x));
        return scores(norm_first ? once(x) : x);
    }
    void visit(auto&& part) {
        part("words", words), part("places", places), part("attend", attend);
        part("think", think), part("once", once), part("scores", scores);
    }
};
//- fresh stacks, batches of letters, and the study
Stack fresh(bool norm_first, Generator& random) {
    Stack net{norm_first,
              nn::Embedding(27, wide, random),
              nn::LearnedPositions(window, wide, random),
              {},
              {},
              nn::LayerNorm({wide}),
              nn::Linear(wide, 27, random)};
    for (Index i = 0; i < layers; ++i) {
        net.attend.emplace_back(wide, 2, random);
        net.think.emplace_back(wide, 4 * wide, random);
    }
    return net;
}

struct Letters {
    Integers before, next;  // (batch, window), and the letter after each
};
const std::vector<Index>& text() {  // all words in a random order, a dot before each
    static const std::vector<Index> all = [] {
        Generator random(2);
        std::vector<Index> found;
        for (const std::string& word :
             data::sample(data::words(), std::ssize(data::words()), random)) {
            found.push_back(0);
            for (const Index letter : data::symbols(word)) found.push_back(letter);
        }
        return found;
    }();
    return all;
}
Letters some_letters(Index count, Generator& random, Index length = window) {
    std::vector<Index> before, next;
    for (Index n = 0; n < count; ++n) {
        const Index start = random.next_integer(0, std::ssize(text()) - length);
        for (Index t = start; t < start + length; ++t) {
            before.push_back(text()[std::size_t(t)]);
            next.push_back(text()[std::size_t(t + 1)]);
        }
    }
    return {Integers({count, length}, before), Integers({count * length}, next)};
}
Tensor loss_of(const Stack& net, const Letters& seen) {
    return cross_entropy(reshape(net(seen.before), {seen.next.numel(), 27}), seen.next);
}

const Index each = 20, looks = 20;  // steps between two looks at the loss
const std::vector<double> rates = {0.002, 0.008};
std::vector<Study::Row> all_cells() {
    std::vector<Study::Row> cells;
    for (const double norm_first : {1.0, 0.0})
        for (const double rate : rates)
            for (const double draw : {1.0, 2.0, 3.0, 4.0, 5.0})
                cells.push_back({norm_first, rate, draw});
    return cells;
}
// The mean training loss of every 20 steps.
Study::Row train_one(const Study::Row& cell) {
    Generator random(book::seed() * 100 + std::uint64_t(cell[2]));
    const Stack net = fresh(cell[0] == 1, random);
    optim::Adam adam(nn::parameters(net), {.lr = cell[1]});
    Study::Row losses;
    for (Index look = 0; look < looks; ++look) {
        double total = 0;
        for (Index step = 0; step < each; ++step) {
            const Letters seen = some_letters(batch, random);
            total += double(
                optim::train_step(adam, [&] { return loss_of(net, seen); }).item());
        }
        losses.push_back(total / double(each));
    }
    return losses;
}
std::vector<std::string> names_of_looks() {
    std::vector<std::string> names;
    for (Index look = 1; look <= looks; ++look)
        names.push_back(fmt::format("step {}", look * each));
    return names;
}
const Study study({"norm_order",
                   {"norm_first", "rate", "draw"},
                   names_of_looks(),
                   {"claim-prenorm-vs-postnorm/a", "claim-prenorm-vs-postnorm/d"},
                   0.02},
                  all_cells(), train_one);

// The gradient of each block of a fresh stack, as the norm over all its parameters. All parameters of its branches
// are multiplied by a factor first.
std::vector<double> gradients(bool norm_first, std::uint64_t seed, double factor = 1) {
    Generator random(seed);
    Stack net = fresh(norm_first, random);
    for (std::size_t i = 0; i < net.attend.size(); ++i)
        for (const NamedTensors& half :
             {nn::parameters(net.attend[i].attention),
              nn::parameters(net.think[i].widen), nn::parameters(net.think[i].narrow)})
            for (const NamedTensor& p : half) {
                const NoGrad only_scaling;
                Tensor weights = p.tensor;
                weights.copy_(weights * factor);
            }
    loss_of(net, some_letters(batch, random)).backward();
    std::vector<double> norms;
    for (std::size_t i = 0; i < net.attend.size(); ++i) {
        double squares = 0;
        for (const NamedTensors& half :
             {nn::parameters(net.attend[i]), nn::parameters(net.think[i])})
            for (const NamedTensor& p : half)
                for (const Real g : p.tensor.grad().values())
                    squares += double(g) * double(g);
        norms.push_back(std::sqrt(squares));
    }
    return norms;
}
// Both orders at a rate, a row of losses for each draw.
std::vector<std::vector<double>> losses_at(double norm_first, double rate) {
    std::vector<std::vector<double>> found;
    for (const Study::Row& row : study.frozen().rows)
        if (row[0] == norm_first && row[1] == rate)
            found.emplace_back(row.begin() + 3, row.begin() + 3 + looks);
    return found;
}
//-

// Place your bet before you look at the gradients of fresh stacks:
//- the question, how the figure is drawn, and what is checked
void two_orders() {
    std::vector<std::vector<double>> norms[2];  // post-norm, pre-norm
    std::vector<double> across[2];              // of the first block over the last
    std::vector<double> strong;  // the same for post-norm, with larger branches
    for (const bool norm_first : {false, true})
        for (int draw = 0; draw < seeds(); ++draw) {
            norms[norm_first].push_back(
                gradients(norm_first, book::seed() * 100 + std::uint64_t(draw) + 1));
            across[norm_first].push_back(norms[norm_first].back().front() /
                                         norms[norm_first].back().back());
        }
    for (int draw = 0; draw < seeds(); ++draw) {
        const std::vector<double> of =
            gradients(false, book::seed() * 100 + std::uint64_t(draw) + 1, 3);
        strong.push_back(of.front() / of.back());
    }
    const double last = book::median(across[0]);
    ask("A fresh stack of twelve post-norm blocks gets its first batch. How large is "
        "the "
        "gradient of the first block, compared with that of the last?",
        {{"Less than a tenth: each normalisation shrinks it.", last < 0.1,
          "Each normalisation rescales the gradient. But a fresh branch is small, so "
          "the "
          "normalisation divides by about 1."},
         {"Between a tenth and ten times.", last >= 0.1 && last <= 10,
          "A fresh branch adds little to a normalised row, so each normalisation "
          "divides "
          "by about 1, and the gradient keeps its size."},
         {"More than ten times: all blocks add to it.", last > 10,
          "The gradients of all blocks arrive along one path, which has the same width "
          "everywhere."}});
    std::vector<double> block, steps;
    for (Index i = 1; i <= layers; ++i) block.push_back(double(i));
    for (Index look = 1; look <= looks; ++look) steps.push_back(double(look * each));
    const double larger = rates.back();
    Figure figure("fig-norm-order");
    figure
        .describe(
            "Left: the norm of the gradient of each of twelve blocks, five lines for "
            "each order. Right: the training loss against the step at the larger "
            "learning rate, five lines for each order.")
        .panel("gradients of fresh stacks")
        .lines("pre-norm", block, norms[1], {.color = figure::blue})
        .lines("post-norm", block, norms[0], {.color = figure::red})
        .log_y()
        .x("block")
        .y("norm of the gradient")
        .panel(fmt::format("training at the rate {}", larger))
        .lines("pre-norm", steps, losses_at(1, larger), {.color = figure::blue})
        .lines("post-norm", steps, losses_at(0, larger), {.color = figure::red})
        .x("step")
        .y("training loss, nats")
        .save(
            "Stacks of twelve blocks in both orders, without a warm-up of the learning "
            "rate. Both train on the same batches from the same weights, five times.");
    book::shows("claim-prenorm-vs-postnorm/a", "fig-norm-order");
    Index slower = 0;
    std::vector<double> gap;
    for (const double rate : rates) {
        const auto first = losses_at(1, rate), after = losses_at(0, rate);
        std::vector<double> ends[2];
        slower = 0, gap.clear();
        for (std::size_t draw = 0; draw < first.size(); ++draw) {
            ends[0].push_back(first[draw].back()),
                ends[1].push_back(after[draw].back());
            gap.push_back(after[draw].back() - first[draw].back());
            slower += !(after[draw].back() <= first[draw].back());  // or not a number
        }
        say("rate {}: loss of the last 20 steps, pre-norm {}, post-norm {}", rate,
            book::brief(over_seeds(ends[0])), book::brief(over_seeds(ends[1])));
    }
    Generator random(book::seed());
    const Stack net = fresh(true, random);
    const Tensor row = net.once(random.normal({1, window, wide}));
    say("a fresh branch adds to the mean square of a normalised row: feed-forward "
        "{:.3f}, "
        "attention {:.3f}",
        mean(square(net.think[0].branch(row))).item(),
        mean(square(net.attend[0].attention(row, causal))).item());
    say("gradient of the first block over that of the last: pre-norm {}, post-norm {}",
        book::brief(over_seeds(across[1])), book::brief(over_seeds(across[0])));
    say("the same for post-norm, all parameters of the branches multiplied by 3: {}",
        book::brief(over_seeds(strong)));
    claim(
        "claim-prenorm-vs-postnorm/d",
        "draws of five in which post-norm diverges or is slower at the larger rate",
        book::Measured(double(slower), double(slower), double(slower), int(gap.size())),
        ">=", 3);
}
//-

// At the smaller rate both orders learn nearly alike. At the larger rate pre-norm still learns, and post-norm gets stuck
// at the loss of a network that knows the frequencies of letters and nothing else. The trouble comes with the first large
// steps. The remedy is to start with a tiny learning rate and to raise it slowly, a **warm-up**. {cite:t}`xiong2020`
// explain why post-norm needs it: in a fresh post-norm stack the gradients near the output are large. Pre-norm can do
// without a warm-up. Our small stacks do not show this cause: the gradients of a fresh post-norm stack are about equal in
// all blocks. With branches three times as large they differ more from draw to draw, but they still have no common trend.
//
// ## Encoders and decoders
//
// The first Transformer had an **encoder**, whose positions see the whole sequence, and a **decoder**, whose positions
// see only earlier ones. Today the two words mostly name a way of training. A decoder learns to predict the next token
// {cite:p}`radford2019`. An encoder learns to fill gaps: some tokens are hidden, and it predicts them from both sides
// {cite:p}`devlin2019`. The blocks are the same. The mask is an option of the call and has no parameters. We take one
// stack of two blocks and train a copy of it in each way:
//- both losses, and what is checked
const Index gap = 27;  // the token in place of a hidden letter

struct Question {
    Integers tokens, answers;  // an answer of -1 is not asked for
};
Question masked(const Letters& seen, Generator& random) {
    std::vector<Index> tokens = seen.before.values(), answers(tokens.size(), -1);
    for (std::size_t i = 0; i < tokens.size(); ++i)
        if (random.next_uniform() < 0.15) answers[i] = std::exchange(tokens[i], gap);
    return {Integers(seen.before.shape(), tokens),
            Integers({std::ssize(answers)}, answers)};
}
Tensor loss_of(const nn::Gpt& net, const Question& question,
               const AttentionOptions& how) {
    const Index asked = question.answers.numel();
    return cross_entropy(reshape(net(question.tokens, how), {asked, 28}),
                         question.answers, {.ignored = -1});
}

// The mean loss of the last fifty steps.
double trained(nn::Gpt net, bool autoregressive, std::uint64_t seed) {
    Generator random(seed);
    optim::Adam adam(nn::parameters(net), {.lr = 0.004});
    double total = 0;
    const Index last = std::min<Index>(50, passes());
    for (Index step = 0; step < passes(); ++step) {
        const Letters seen = some_letters(64, random, length);
        const Question question =
            autoregressive ? Question{seen.before, seen.next} : masked(seen, random);
        const double loss =
            double(optim::train_step(adam, [&] {
                       return loss_of(net, question, {.causal = autoregressive});
                   }).item());
        if (step >= passes() - last) total += loss / double(last);
    }
    return total;
}

void two_names() {
    Generator random(book::seed());
    const nn::Gpt net(
        {.tokens = 28, .time = length, .layers = 2, .width = wide, .heads = 2}, random),
        one({.tokens = 28, .time = length, .layers = 1, .width = wide, .heads = 2},
            random);
    const auto pattern = [&](const AttentionOptions& how) {
        const NoGrad only_asking;
        return reached(nn::influence([&](const Integers& x) { return net(x, how); },
                                     length, 27, random, 2));
    };
    const Integers x = some_letters(1, random, length).before;
    const auto last_row = [&](const AttentionOptions& how) {
        const NoGrad only_asking;
        return select(one(x, how), 1, length - 1).values();
    };
    claim_true("claim-encoder-decoder-names/a",
               "the dependencies are full without the mask, and a triangle with it",
               pattern({}) == everywhere && pattern(causal) == onwards);
    claim_true(
        "claim-encoder-decoder-names/a",
        "the last position sees everything either way: bit-equal scores after one "
        "block",
        last_row({}) == last_row(causal));
    const auto used = [&](const AttentionOptions& how) {
        const nn::Gpt copy = nn::clone(net);
        sum(copy(x, how)).backward();
        Names found;
        for (const NamedTensor& p : nn::parameters(copy))
            if (p.tensor.grad().defined()) found.push_back(p.name);
        return found;
    };
    claim_true(
        "claim-encoder-decoder-names/a",
        fmt::format("all {} parameters get a gradient with the mask, and the "
                    "same parameters without it",
                    nn::count(net)),
        used(causal) == used({}) && used({}).size() == nn::parameters(net).size());

    std::vector<double> share(27);
    for (const Index letter : text())
        share[std::size_t(letter)] += 1 / double(text().size());
    double entropy = 0;
    for (const double p : share) entropy -= p * std::log(p);
    say("the loss of a guess from the frequencies of letters: {:.2f}", entropy);
    std::vector<double> next, hidden_ones;
    for (const std::uint64_t draw : {1, 2, 3}) {
        next.push_back(trained(nn::clone(net), true, book::seed() * 100 + draw));
        hidden_ones.push_back(
            trained(nn::clone(net), false, book::seed() * 100 + draw));
    }
    claim("claim-encoder-decoder-names/b", "next letter: the loss after training",
          over_seeds(next), "<=", entropy);
    claim("claim-encoder-decoder-names/b", "hidden letters: the loss after training",
          over_seeds(hidden_ones), "<=", entropy);
}
//-

// Both losses fall below that of a guess from the frequencies of letters, with the same program and the same start. The
// encoder sees both sides of each gap, but its loss is the higher one: 2.57 against 2.34. The losses belong to two
// different tasks. And in each step the decoder answers for all letters, the encoder only for the 15 % that are hidden. A
// decoder can write, since it never needs a later token. An encoder can use both sides, so it suits tasks that have the
// whole text, such as classifying it.
//
void page() {
    one_change();
    alone();
    mixing();
    three_blocks();
    jacobians();
    two_orders();
    two_names();
}

// ## Limits and origins
//
// {cite:t}`vaswani2017` put normalisation last, and trained with a warm-up. {cite:t}`radford2019` put it first. Our
// comparison covers twelve narrow layers, one task, two learning rates and 400 steps. It says nothing about which order
// ends better after a long training with a warm-up. In the cross-attention block one normalisation serves both
// sequences. Other programs normalise the memory once, where the encoder ends.
//
// ## Summary
//
// A Transformer alternates blocks that mix positions with blocks that work on each position alone. All are residual
// branches of the same shape. With normalisation first, the Jacobian of a block is the identity plus that of its branch,
// and a stack of twelve blocks trained without a warm-up. Encoder and decoder are the same stack, with another mask and another loss.
//
// ## What is missing
//
// Each block works alone so far. [The next page](encoder_decoder.cpp) stacks all three kinds into an encoder and a decoder,
// and lets them translate.
//
// ```{try}
// - Change the last position: `--changed 8`. Why does causal self-attention now look like the feed-forward block?
// - Train both names longer: `--steps 8000`. Which loss falls further?
// ```
