// # A small vocabulary
//
// ```{rows} sys-elementwise-reduce-broadcast claim-keepdim-trap sys-one-hot sys-multinomial
// ```
//
// A language of boxes needs verbs. Three of them say most of what a network does: *map* every number
// to another, *reduce* many numbers to one, *stretch* one number over many. They are short, they compose,
// and the third has a trap in it that has cost many people an afternoon. We fall into it once, here,
// on purpose. Then two phrases made of these verbs: pointing at a row of a matrix, and rolling a die.
//- includes and names
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
//-

// Three things can be changed:
const book::Option<Index> draws("draws", 100'000, "how often the dice are rolled",
                                {.quick = 10'000, .least = 1});
const book::Option<std::string> word("word", "recto",
                                     "a word in small letters, shown letter by letter");
const book::Option<int> faces("faces", 8, "how many faces a die has",
                              {.least = 3, .most = 100});

// When an operation refuses its tensors, we want to read what it says, and go on:
std::string refused(const auto& what) {  // the message, or nothing
    try {
        what();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}
double largest(const Tensor& x) { return double(max(abs(x)).item()); }

void page() {
    // ## Map and reduce
    //
    // Forty-nine numbers, as they stand on a lecturer's slide {cite:p}`transformers-slides`, and the sum of
    // each row, printed beside them.
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

    // To *reduce* is to name an axis and be rid of it. The shape is $7 \times 7$; summing along axis 1, the
    // columns, leaves one number per row:
    const Tensor sums = sum(x, {1});
    say("x {} reduced along axis 1 gives {}", x.shape(), sums.shape());
    claim("sys-elementwise-reduce-broadcast/a",
          "the farthest of our row sums from the printed one", largest(sums - printed),
          "<=", 1.5e-4);

    // The last digit need not agree: every printed number was rounded to four decimals, and seven such
    // roundings add up. To *map* is simpler still, every number by itself and the shape stays. The
    // exponential makes all of them positive:
    const Tensor p = exp(x);
    say("smallest {:.4f}, largest {:.4f}", double(negative(max(negative(p))).item()),
        double(max(p).item()));

    // ## Stretch
    //
    // To add two tensors, number by number, they should have one shape. They need not. Line the two shapes
    // up at their *last* axis; where one has an extent of 1, or no axis at all, it is repeated until it fits.
    // This is *broadcasting*, and it copies nothing: the repeated axis has a [stride of 0](tensors.cpp).
    const auto stretch = [](const Shape& a, const Shape& b) {
        const std::string refusal = refused([&] { ones(a) + ones(b); });
        const std::string outcome =
            refusal.empty() ? to_string((ones(a) + ones(b)).shape()) : refusal;
        say("{:<9} and {:<6}: {}", to_string(a), to_string(b), outcome);
    };
    stretch({4, 3}, {3});
    stretch({4, 3}, {4, 1});
    stretch({4, 1}, {3});
    stretch({5, 4, 3}, {4, 1});
    stretch({4, 3}, {4});

    // The last line is worth a second look. A matrix of four rows and a vector of four numbers do not fit,
    // although one number per row is surely what was meant. The vector is lined up with the columns, and
    // there are three. We were warned. Now make the matrix square.
    //
    // ## The trap
    //
    // We want every row of our positive matrix to sum to one. So we divide by the row sums, and the shapes
    // fit: seven by seven, and seven.
    const Tensor wrong = p / sum(p, {1});
    const Tensor wrong_sums = sum(wrong, {1});
    std::string listed;
    for (const Real each : wrong_sums.values()) listed += fmt::format(" {:.3f}", each);
    say("sums of the rows:{}", listed);
    claim_in("claim-keepdim-trap/b", "the smallest row sum",
             -double(max(-wrong_sums).item()), 0.3665, 0.3675);
    claim_in("claim-keepdim-trap/c", "the largest row sum",
             double(max(wrong_sums).item()), 2.2445, 2.2455);

    // No error, no warning, and no row sums to one.
    const Tensor row_sums = sum(p, {1});
    const auto divided_by = [&](Index i, Index j, const Tensor& y, Index which) {
        return y.at({i, j}) == p.at({i, j}) / row_sums.at({which});
    };
    ask("Seven by seven, divided by seven row sums. By what was the number in row 2, "
        "column 5 divided?",
        {{"By the sum of row 2.", divided_by(2, 5, wrong, 2),
          "That was the intention. But a vector without a second axis is lined up with "
          "the last axis, the columns."},
         {"By the sum of row 5.", divided_by(2, 5, wrong, 5),
          "The vector lies along the columns, so column 5 meets its entry 5, which is "
          "the sum of row 5."},
         {"By the sum of column 5.",
          wrong.at({2, 5}) == p.at({2, 5}) / sum(p, {0}).at({5}),
          "It would be so had we reduced along axis 0. The sums are those of rows; "
          "they only meet the wrong axis."}});

    // The cure is to reduce without being rid of the axis: it stays, with an extent of 1. Seven by one can
    // only be stretched in one way.
    const Tensor right = p / sum(p, {1}, Keep::yes);
    say("shape of the sums: {}", sum(p, {1}, Keep::yes).shape());
    claim("claim-keepdim-trap/a",
          "with the axis kept, the farthest of a row sum from one",
          largest(sum(right, {1}) - 1), "<=", 1e-12);

    // {numref}`fig-keepdim` puts the two side by side, each with the sums of its rows.
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
    //- how the figure is drawn
    Figure("fig-keepdim")
        .describe(
            "Two coloured grids of seven rows with their sums at the right. With the "
            "axis kept every sum is 1. Without it the sums run from 0.37 to 2.24.")
        .panel("axis kept")
        .heatmap("share", columns, rows, with_sums(right), 0, 2.25)
        .x("column")
        .y("row")
        .panel("axis gone")
        .heatmap("share", columns, rows, with_sums(wrong), 0, 2.25)
        .x("column")
        .y("row")
        .save(
            "The same matrix, divided in the way we meant (left) and in the way we "
            "wrote (right). Nothing on the right looks broken until you sum its rows.");
    //-

    // A library can do more than document this. Ours has a function for the job,
    // {cpp:func}`~recto::normalize_rows`, which wants its sums with the axis kept, and says so:
    const std::string message = refused([&] { normalize_rows(p, sum(p, {1})); });
    say("{}", message);
    claim_true("claim-keepdim-trap/d",
               "the checked normalisation refuses sums without the axis",
               !message.empty());

    // ## Pointing at a row
    //
    // A letter is not a number. It is one of twenty-six, and calling *d* the number 3 would make it larger
    // than *c*. So we give every letter an axis of its own, and write it as a vector with a single 1, its
    // *one-hot* code. {numref}`fig-one-hot` spells a word.
    std::vector<Index> letters;
    for (const char c : word()) letters.push_back(c - 'a');
    const Integers spelled({Index(letters.size())}, letters);
    const Tensor code = one_hot(spelled, 26);
    say("one-hot code of \"{}\": {}", word(), code.shape());

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
        .save("A word as a matrix: one row per letter, one 1 per row.");

    // What is such a code good for? Multiply it by a matrix $W$ with one row per letter. All zeros drop out,
    // and the single 1 selects a row. So "look up a row of a table" is a linear map, and whatever can be
    // learned about linear maps can be learned about tables.
    Generator random(book::seed());
    const Tensor W = random.normal({26, 4});
    const Tensor product = matmul(code, W), looked_up = index_rows(W, spelled);
    say("product {}, rows looked up {}", product.shape(), looked_up.shape());
    claim_true(
        "sys-one-hot/a",
        "the product with one-hot rows and the rows looked up have the same bits",
        product.values() == looked_up.values());

    // Nobody computes the product, of course: looking up touches four numbers per letter, the product a
    // hundred. And a letter that is not in the alphabet is an error, not a row of some other memory:
    const std::string outside = refused([] { one_hot(Integers({1}, {26}), 26); });
    say("{}", outside);
    claim_true("sys-one-hot/b", "a class out of range is refused", !outside.empty());

    // ## Rolling a die
    //
    // The way back, from a row of probabilities to one index, needs chance. Lay the probabilities end to
    // end; they fill the unit interval. Throw a uniform number on it and see in whose piece it falls. That
    // is {cpp:func}`~recto::Generator::multinomial`, and it has to search for the piece. {cite:t}`walker1977`
    // found a way without a search. Cut everything into columns of one height, so that each holds at most
    // two indices. Choose a column, then one of its two. It is our {cpp:class}`~recto::AliasTable`.
    //
    // Two ways, one distribution? Ten dice, loaded at random, each with a face of probability zero, rolled
    // by both. For each we ask how likely counts this far from the expected ones are, were the die what it
    // claims to be: the $\chi^2$ test.
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
    say("smallest of 20 p-values: {:.3f}", smallest);
    claim("sys-multinomial/a", "the smallest p-value of ten dice and two samplers",
          smallest, ">", 1e-3);
    claim("sys-multinomial/b", "rolls of the face of probability zero", impossible,
          "==", 0);

    // Watch one die settle in {numref}`fig-die`. A hundred rolls say little; each digit more of the
    // probabilities costs a hundred times as many.
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
        "A loaded die: what it should do, and what it did. Choose more rolls, and the "
        "bars grow equal.");
}

// Every draw here comes from a counter and a seed, so your dice fall as ours do, on any number of
// threads. On a GPU they would fall the same way: *not run: no GPU*.
//
// ## What is missing
//
// We can say what to compute. A *model* is a sentence in this language with blanks in it, and training
// is filling in the blanks: [a family and a choice](models.cpp).
//
// ```{try}
// - Spell your own name: `--word ada`. Which words would have two equal rows?
// - Roll only a hundred times: `--draws 100`. Does the test notice that the dice are still good?
// - Try another seed: `--seed 7`. The smallest of twenty p-values moves a lot. Should it?
// ```
