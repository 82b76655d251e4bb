// # Broadcasting, reductions and one-hot codes: a small vocabulary
//
// ```{rows} sys-elementwise-reduce-broadcast claim-keepdim-trap sys-one-hot sys-multinomial
// ```
//
// Three kinds of operations describe most of what a network does. An **elementwise operation** maps each number to
// another. A **reduction** turns many numbers into one, such as their sum. **Broadcasting** uses one number in many places.
// These operations are short and combine freely, but broadcasting has a trap: a missing axis gives wrong numbers and
// no error. This page falls into the trap once, on purpose. Then it builds two things from these operations: a
// **one-hot encoding**, which selects a row of a matrix, and **multinomial sampling**, which rolls a die.
//
// How many rolls does it take until the rolled shares of a loaded die agree with its probabilities? Move the slider:
//
// ```{opening} fig-die
// ```
//- includes, names and options
#include <recto/book/page.hpp>
#include <recto/classic/chi_squared.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/norms/normalize_rows.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>

#include <algorithm>
#include <cmath>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::claim_true, book::say;
using figure::Figure, figure::Names;

const book::Option<Index> draws("draws", 100'000, "how often each die is rolled",
                                {.quick = 10'000, .least = 1});
const book::Option<std::string> word("word", "recto",
                                     "a word in small letters, shown letter by letter");
const book::Option<int> faces("faces", 8, "how many faces a die has",
                              {.least = 3, .most = 100});
//-

//- how a refusal becomes a text
std::string refused(const auto& what) {  // the message, or nothing
    try {
        what();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}
double largest(const Tensor& x) { return double(max(abs(x)).item()); }
//-

void page() {
    // ## Map and reduce
    //
    // To **reduce** a tensor is to name an axis and remove it. For the matrix $\begin{pmatrix} 1 & 1 \cr 2 & 6
    // \end{pmatrix}$ the sum along axis 1, the columns, gives one number per row: $(2, 8)$. The sum along axis 0 gives one
    // number per column: $(3, 7)$. The axis that you name disappears.
    //
    // Now the same with forty-nine numbers from a lecture {cite:p}`transformers-slides`, where the sum of each row is
    // printed beside them.
    //- the numbers and the printed sums
    const Tensor x({7, 7},
                   {1.2555,  0.6821,  0.9131,  -0.7238, 0.5636,  -2.8689, -0.4744,  //
                    2.1393,  -0.8737, 2.4039,  0.0056,  0.6169,  -0.2245, -0.2242,  //
                    0.1821,  -0.4250, -0.1115, -0.3568, -2.2182, 0.9574,  1.9415,   //
                    -0.2646, 1.7013,  -2.7297, 0.3786,  -1.7883, 0.8484,  -0.1894,  //
                    -0.5430, -0.2352, 0.4820,  -0.0737, 0.8632,  0.1648,  1.1864,   //
                    1.3596,  -0.6411, 2.9097,  0.9422,  -0.0167, -0.1453, -0.6059,  //
                    -0.4946, 0.2705,  0.5348,  -1.8176, -1.3861, -1.0276, -1.0050});
    const Tensor printed({7},
                         {-0.6527, 3.8434, -0.0306, -2.0437, 1.8446, 3.8025, -4.9256});
    //-

    // The shape is $7 \times 7$. Summing along axis 1 leaves seven numbers:
    const Tensor sums = sum(x, {1});
    say("x {} reduced along axis 1 gives {}", x.shape(), sums.shape());
    claim("sys-elementwise-reduce-broadcast/a",
          "the largest difference between our row sums and the printed ones",
          largest(sums - printed), "<=", 1.5e-4);

    // The last digit may differ: every printed number was rounded to four decimals, and the roundings of a row
    // add up. An **elementwise** operation, or **map**, is simpler still. It treats each number by itself, and the shape
    // stays. The exponential makes all numbers positive:
    const Tensor p = exp(x);
    say("smallest {:.4f}, largest {:.4f}", double(negative(max(negative(p))).item()),
        double(max(p).item()));

    // ## Broadcasting
    //
    // Two tensors of the same shape are added number by number. Other pairs of shapes can fit, too. Line the two shapes
    // up at their *last* axis. Where one has a size of 1, or no axis at all, it is repeated until it has the size of
    // the other. This is **broadcasting**, and it copies nothing: the repeated axis has a [stride of 0](tensors.cpp).
    //
    // For example, $\begin{pmatrix} 1 & 2 & 3 \end{pmatrix} + \begin{pmatrix} 10 \cr 20 \end{pmatrix} =
    // \begin{pmatrix} 11 & 12 & 13 \cr 21 & 22 & 23 \end{pmatrix}$: shape $(1, 3)$ and shape $(2, 1)$ become
    // $(2, 3)$. We try five pairs:
    //- how a pair is tried
    const auto stretch = [](const Shape& a, const Shape& b) {
        const std::string refusal = refused([&] { ones(a) + ones(b); });
        const std::string outcome =
            refusal.empty() ? to_string((ones(a) + ones(b)).shape()) : refusal;
        say("{:<9} and {:<6}: {}", to_string(a), to_string(b), outcome);
    };
    //-
    stretch({4, 3}, {3});
    stretch({4, 3}, {4, 1});
    stretch({4, 1}, {3});
    stretch({5, 4, 3}, {4, 1});
    stretch({4, 3}, {4});

    // Look again at the last line. A matrix of four rows and a vector of four numbers do not fit, although you may have
    // meant one number per row. The vector is lined up with the columns, and there are three of them. You are lucky to
    // get an error. If the matrix is square, the shapes fit and you get none.
    //
    // ## The keepdim trap
    //
    // We want every row of our positive matrix to sum to one. So we divide by the row sums. The matrix has shape
    // $(7, 7)$, the sums have shape $(7)$, and the shapes fit:
    const Tensor wrong = p / sum(p, {1});
    const Tensor wrong_sums = sum(wrong, {1});
    //- what is checked, printed and asked
    std::string listed;
    for (const Real each : wrong_sums.values()) listed += fmt::format(" {:.3f}", each);
    say("sums of the rows:{}", listed);
    claim_in("claim-keepdim-trap/b", "the smallest row sum",
             -double(max(-wrong_sums).item()), 0.3665, 0.3675);
    claim_in("claim-keepdim-trap/c", "the largest row sum",
             double(max(wrong_sums).item()), 2.2445, 2.2455);

    const Tensor row_sums = sum(p, {1});
    const auto divided_by = [&](Index i, Index j, const Tensor& y, Index which) {
        return y.at({i, j}) == p.at({i, j}) / row_sums.at({which});
    };
    ask("The matrix has shape (7, 7), the row sums have shape (7). By what was the "
        "number in row 2, column 5 divided?",
        {{"By the sum of row 2.", divided_by(2, 5, wrong, 2),
          "This was the intention. But a vector has no second axis, so it is lined up "
          "with the last axis of the matrix, the columns."},
         {"By the sum of row 5.", divided_by(2, 5, wrong, 5),
          "The vector lies along the columns, so column 5 meets entry 5 of the vector: "
          "the sum of row 5."},
         {"By the sum of column 5.",
          wrong.at({2, 5}) == p.at({2, 5}) / sum(p, {0}).at({5}),
          "This would need a sum along axis 0. These are sums of rows, lined up with "
          "the wrong axis."}});
    //-

    // The program ends without an error, and no row sums to one. The small matrix from above shows why. Its row sums
    // $(2, 8)$ lie along the *columns*, so column 0 is divided by 2 and column 1 by 8:
    //
    // $$ \begin{pmatrix} 1/2 & 1/8 \cr 2/2 & 6/8 \end{pmatrix} \quad \text{in place of} \quad
    //    \begin{pmatrix} 1/2 & 1/2 \cr 2/8 & 6/8 \end{pmatrix} . $$
    //
    // The remedy is to keep the reduced axis with a size of 1, which other libraries call *keepdim*. The shape
    // $(7, 1)$ fits in one way only, along the rows:
    const Tensor right = p / sum(p, {1}, Keep::yes);
    say("shape of the sums: {}", sum(p, {1}, Keep::yes).shape());
    claim("claim-keepdim-trap/a",
          "with the axis kept, the largest difference of a row sum from one",
          largest(sum(right, {1}) - 1), "<=", 1e-12);

    // {numref}`fig-keepdim` shows both results, each with the sums of its rows.
    //- how the figure is drawn
    const auto with_sums = [](const Tensor& y) {
        std::vector<double> cells;
        const auto add = [&](double v) { cells.push_back(std::round(100 * v) / 100); };
        for (Index i = 0; i < 7; ++i) {
            for (Index j = 0; j < 7; ++j) add(y.at({i, j}));
            add(sum(y, {1}).at({i}));
        }
        return cells;
    };
    const Names columns = {"0", "1", "2", "3", "4", "5", "6", "sum"},
                rows(columns.begin(), columns.end() - 1);
    Figure("fig-keepdim")
        .describe(
            "Two coloured grids of seven rows with their sums at the right. With the "
            "axis kept every sum is 1. Without it the sums run from 0.37 to 2.24.")
        .panel("axis kept")
        .heatmap("share", columns, rows, with_sums(right), 0, 2.25)
        .x("column")
        .y("row")
        .panel("axis removed")
        .heatmap("share", columns, rows, with_sums(wrong), 0, 2.25)
        .x("column")
        .y("row")
        .save(
            "The same matrix, divided by row sums of shape (7, 1) in the first panel "
            "and of shape (7) in the second. Single cells look plausible in both. Only "
            "the sums in the last column show the error, so check sums, not cells.");
    //-

    // A library can prevent this mistake. Our function {cpp:func}`~recto::normalize_rows` accepts only sums with the
    // axis kept, and its message says what to do:
    const std::string message = refused([&] { normalize_rows(p, sum(p, {1})); });
    say("{}", message);
    claim_true("claim-keepdim-trap/d",
               "the checked normalisation refuses sums without the axis",
               !message.empty());

    // ## One-hot codes: selecting a row
    //
    // A letter is not a number. Calling *d* the number 3 and *c* the number 2 would say that *d* is larger. So we give
    // every letter an axis of its own: the **one-hot code** of a letter is a vector with a single 1, at the place of
    // the letter. In an alphabet of three letters, *b* is $(0, 1, 0)$. {numref}`fig-one-hot` shows a whole word.
    std::vector<Index> letters;
    for (const char c : word()) letters.push_back(c - 'a');
    const Integers spelled({Index(letters.size())}, letters);
    const Tensor code = one_hot(spelled, 26);
    say("one-hot code of \"{}\": {}", word(), code.shape());

    //- how the figure is drawn
    Names alphabet, places;
    for (char c = 'a'; c <= 'z'; ++c) alphabet.push_back(std::string(1, c));
    for (std::size_t i = 0; i < word().size(); ++i)
        places.push_back(fmt::format("{}: {}", i, word()[i]));
    Figure("fig-one-hot")
        .describe(
            "A grid with one row for each letter of the word and one column for each "
            "letter of the alphabet. Every row has a single bright cell, in the column "
            "of its letter.")
        .heatmap("", alphabet, places, code.values(), 0, 1)
        .height(170)
        .x("letter of the alphabet")
        .y("place in the word")
        .save(
            "A word as a matrix: one row per letter, with a single 1 in the column of "
            "the letter. Two equal letters would give two equal rows.");
    //-

    // What is such a code good for? Multiply it by a matrix $W$ with one row per letter: in
    // $(0, 1, 0)\, W$ the zeros remove rows 0 and 2, and the 1 selects row 1. So looking up a row of a table is a
    // linear map, and the table can be trained like any other weights:
    Generator random(book::seed());
    const Tensor W = random.normal({26, 4});
    const Tensor product = matmul(code, W), looked_up = index_rows(W, spelled);
    say("product {}, rows looked up {}", product.shape(), looked_up.shape());
    claim_true(
        "sys-one-hot/a",
        "the product with one-hot rows and the rows looked up have the same bits",
        product.values() == looked_up.values());

    // Programs look rows up instead of multiplying: the look-up reads four numbers per letter, the product 104. And a
    // letter outside the alphabet must be an error, not a row of some other memory:
    const std::string outside = refused([] { one_hot(Integers({1}, {26}), 26); });
    say("{}", outside);
    claim_true("sys-one-hot/b", "a class out of range is refused", !outside.empty());

    // ## Multinomial sampling: rolling a die
    //
    // The opposite step goes from a row of probabilities to one index, and needs chance. Take the probabilities 0.2, 0.5 and
    // 0.3. Laid end to end they divide the unit interval at 0.2 and 0.7. A uniform random number such as 0.64 falls into the
    // second piece, so the result is index 1. {cpp:func}`~recto::Generator::multinomial` works in this way, and has to
    // search for the piece.
    //
    // The **alias method** needs no search {cite:p}`walker1977`. It cuts the probabilities into columns of equal height, so
    // that each column holds at most two indices. For $\frac12, \frac13, \frac16$ the columns have height $\frac13$. Column
    // 2 holds index 2, and index 0 fills its other half. To roll, choose a column, then one of its two indices.
    // {cpp:class}`~recto::AliasTable` works in this way.
    //
    // Do both methods follow the same distribution? Ten random dice, each with one face of probability zero, are rolled
    // 100,000 times by both. The $\chi^2$ **test** judges each result: its *p-value* is the probability that a correct
    // die deviates at least as much from the expected counts.
    double smallest = 1;
    Index impossible = 0;
    const auto judge = [&](const std::vector<Index>& rolled,
                           const std::vector<Real>& die) {
        smallest = std::min(smallest, classic::chi_squared_p_value(rolled, die));
        impossible += std::ranges::count(rolled, 0);
    };
    for (int i = 0; i < 10; ++i) {
        std::vector<Real> die = random.uniform({faces()}).values();
        die[0] = 0;
        judge(random.multinomial(die, draws()), die);
        judge(AliasTable(die).draw(random, draws()), die);
    }
    //- what is checked and printed
    say("smallest of 20 p-values: {:.3f}", smallest);
    claim("sys-multinomial/a", "the smallest p-value of ten dice and two samplers",
          smallest, ">", 1e-3);
    claim("sys-multinomial/b", "rolls of the face of probability zero", impossible,
          "==", 0);

    //-

    // The smallest of twenty p-values is 0.064. For correct samplers p-values are spread evenly from 0 to 1, so the
    // smallest of twenty is about 0.05 on average. {numref}`fig-die` shows one die in detail. The typical error is
    // inversely proportional to the square root of the number of rolls, so each further correct digit costs a hundred
    // times as many rolls.
    //- how the figure is drawn
    const std::vector<Real> die = {0, 0.05, 0.1, 0.3, 0.15, 0.2, 0.15, 0.05};
    Names numbers;
    for (std::size_t i = 0; i < die.size(); ++i) numbers.push_back(std::to_string(i));
    const std::vector<double> counts = {100, 1000, 10'000, 100'000};
    Figure settling("fig-die");
    settling
        .describe(
            "Two bars for each of eight faces: its probability, and how often it was "
            "rolled. With a hundred rolls they differ visibly, with a hundred thousand "
            "they do not. Face 0 has neither.")
        .slider("rolls", counts, "rolls", counts[0])
        .x("face")
        .y("share");
    for (const double n : counts) {
        std::vector<double> share(die.size());
        for (const Index face : random.multinomial(die, Index(n)))
            share[std::size_t(face)] += 1 / n;
        settling.at(n).bars("probability", numbers, die).bars("rolled", numbers, share);
    }
    settling.save(
        "A loaded die: its probabilities, and the shares that were rolled. Choose more "
        "rolls: the bars become equal, with an error ten times smaller for a hundred "
        "times as many rolls.");
    //-
}

// Every roll here comes from a counter and a seed, so your dice fall as ours do, on any number of threads.
//
// ## Summary
//
// Elementwise operations keep the shape, reductions remove the axis that you name, and broadcasting lines shapes up at
// the last axis. If you divide by a reduction, keep its axis; otherwise a square matrix gives wrong numbers without an
// error. A one-hot code makes looking up a row a matrix product, and multinomial sampling draws an
// index from probabilities.
//
// ## What is missing
//
// The exercise [The keepdim trap](/exercises/foundations/keepdim.md) asks you to write the rules of broadcasting
// yourself. We can now say what to compute, but not yet what to learn. A **model** is a computation with open numbers in it,
// its parameters, and training finds them: [a family and a choice](models.cpp).
//
// ```{try}
// - Spell your own name: `--word ada`. Which words have two equal rows?
// - Roll only a hundred times: `--draws 100`. Does the test still accept the dice?
// - Try another seed: `--seed 7`. The smallest of twenty p-values changes a lot. Should it?
// ```
