// # One letter back
//
// ```{rows} sys-bigram-softmax fig-003-bigram-onehot fig-003-bigram-counts claim-bigram-nn-equals-counts ex-tp2-1-bigram-count ex-tp2-2-bigram-nll
// ```
//
// [The last page](sequences.cpp) took the probability of a sequence apart, exactly: each symbol is guessed from all
// that stand before it. The guesser was left open. This page puts in the smallest one that is of any use. It looks
// back by a single letter. Such a model can be had in two ways, by counting and by gradient descent, and since
// counting is exact, we can watch how near a network comes to the best that there is.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/table.hpp>
#include <recto/core/random.hpp>
#include <recto/data/words.hpp>
#include <recto/figure/figure.hpp>
#include <recto/linalg/matrix.hpp>
#include <recto/nn/module.hpp>
#include <recto/ops/indexing/gather.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/log_softmax.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/fit.hpp>
#include <recto/optim/sgd.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::claim_true, book::say;
using data::alphabet, data::Contexts;
using figure::Figure, figure::Names;
using linalg::Matrix;
using Words = std::vector<std::string>;
//-

// Four things can be changed:
const book::Option<std::string> word("word", "edith",
                                     "the name whose arrays are drawn");
const book::Option<double> rate("rate", 50, "length of a step", {.least = 0.0});
const book::Option<Index> steps_made("steps", 2000, "how many steps the network makes",
                                     {.quick = 100, .least = 10, .most = 100'000});
const book::Option<Index> made("made", 12, "how many names to make up",
                               {.least = 1, .most = 1000});

// ## A table of pairs
//
// The words of this page are first names, from a list that comes with Debian. There are 27 *symbols*: the letters
// from a to z are numbers 1 to 26, and number 0 is a dot, which stands before and behind every name. With the dot a
// name also says how names begin and how they end. A {term}`bigram` is a pair of neighbours, such as a letter and the one
// that follows it. {cpp:func}`~recto::data::contexts` lists all of them; so to count is a loop of one line.
Matrix count(const Contexts& pairs) {
    const std::vector<Index> before = pairs.before.values(), next = pairs.next.values();
    Matrix counts(27, 27);
    for (std::size_t n = 0; n < next.size(); ++n) ++counts(before[n], next[n]);
    return counts;
}

// Divide each row by its sum, and row $i$ is a distribution: of all places behind symbol $i$, the share where $j$
// came next. We leave a door open, and let something be added to every count first. It will be needed.
Matrix probabilities(Matrix counts, double smoothing = 0) {
    for (Index i = 0; i < counts.rows; ++i) {
        double sum = 0;
        for (Index j = 0; j < 27; ++j) sum += counts(i, j) += smoothing;
        for (Index j = 0; j < 27; ++j) counts(i, j) /= sum;
    }
    return counts;
}

// How good is a table $p$? By the rule of this chapter it is judged by the likelihood of what came true: the mean
// of $-\log p_{ij}$ over all $N$ pairs, in nats. A pair that the table holds for impossible makes it infinite.
double nll(const Matrix& p, const Contexts& pairs) {
    const std::vector<Index> before = pairs.before.values(), next = pairs.next.values();
    double sum = 0;
    for (std::size_t n = 0; n < next.size(); ++n)
        sum -= std::log(p(before[n], next[n]));
    return sum / double(next.size());
}

// And a table can write. It begins behind a dot, draws a letter from the dot's row, then one from the row of that
// letter, and so on until it draws a dot: the sampling of the last page, with a very short memory.
std::string make_up(const Matrix& p, Generator& random) {
    std::string name;
    for (Index at = 0;;) {
        const std::vector<Real> row(p.row(at), p.row(at) + 27);
        at = random.multinomial(row, 1)[0];
        if (at == 0) return name;
        name += alphabet[std::size_t(at)];
    }
}
//- several names on a line
std::string several(const Matrix& p, Index how_many, Generator& random) {
    std::string line;
    for (Index n = 0; n < how_many; ++n)
        line += (n > 0 ? ", " : "") + make_up(p, random);
    return line;
}
Names letters() {
    Names found;
    for (const char c : alphabet) found.emplace_back(1, c);
    return found;
}
//-

// ## The same table as a network
//
// Now the other way. Turn the letter into a row of 27 numbers, a 1 in its own place and 0 elsewhere: a {term}`one-hot` row.
// Multiply by a matrix $W$ of $27\times27$ weights. Of the whole product only one row of $W$ is left, the one that
// belongs to the letter. Its numbers are scores for the next letter, its {term}`logits <logit>`, and the softmax makes
// probabilities of them. $N$ letters at once are a matrix $X$ of shape $N\times27$, and
//
// $$ \theta = \mathrm{softmax}(X W) $$
//
// has a distribution in every row. That is all there is: one layer, no bias, no hidden units.
struct BigramNet {
    Tensor w = zeros({27, 27}).requires_grad_();

    Tensor logits(const Tensor& x) const { return matmul(x, w); }
    Tensor theta(const Tensor& x) const { return softmax(logits(x)); }
    void visit(auto&& part) { part("w", w); }
};

void page() {
    const Words& names = data::names();
    const Contexts pairs = data::contexts(names, 1);
    say("{} names: {}, {}, {}, ..., {}", names.size(), names[0], names[1], names[2],
        names.back());

    // Somebody had fun with the list, which names a galaxy's president as well. It makes so many pairs:
    const Matrix counts = count(pairs);
    double total = 0, seen = 0, begins = 0, ends = 0;
    for (const double n : counts.values) total += n, seen += n > 0;
    for (Index i = 0; i < 27; ++i) begins += counts(0, i), ends += counts(i, 0);
    claim("fig-003-bigram-counts/a", "pairs in all names", total, "==", 9972);
    claim("fig-003-bigram-counts/b", "different pairs, of 729", seen, "==", 451);
    claim_true("fig-003-bigram-counts/c",
               "as many pairs begin with the dot as end with it, one for each name",
               begins == ends && begins == double(names.size()));

    // {numref}`fig-003-bigram-counts` is the whole model. Read a row: behind `j` comes a vowel, or not much. Read the first
    // column: names like to end in `n`, `e`, `y` and `a`.
    Figure("fig-003-bigram-counts")
        .describe(
            "A table of 27 by 27 cells: a row for each symbol, a column for the "
            "symbol that follows it. Few cells are bright, such as a then n; more "
            "than a third hold a zero.")
        .heatmap("", letters(), letters(), counts.values, 0, 200)
        .numbers()
        .height(600)
        .x("the symbol that follows")
        .y("a symbol")
        .save(
            "How often each symbol (row) is followed by each other one (column) in "
            "the names; the dot is the boundary of a name. Point at a cell to read "
            "it. Counts above 200 have the last colour. After "
            "{cite:t}`transformers-slides`.");
    book::shows("fig-003-bigram-counts/d", "fig-003-bigram-counts");

    // A model that knows nothing gives every symbol the same chance, and its loss is $\log 27$. What is the
    // table's? And what do both write?
    const Matrix table = probabilities(counts), even = Matrix(27, 27, 1.0 / 27);
    const double floor = nll(table, pairs);
    say("all the same: {:.4f} nats", nll(even, pairs));
    claim_in("claim-bigram-nn-equals-counts/a",
             "the negative log-likelihood of the counts", floor, 2.463, 2.465);
    Generator random(book::seed());
    say("all the same: {}", several(even, 3, random));
    say("pairs: {}", several(table, made(), random));

    // Nobody is called so. But these can be pronounced, most of them, and their lengths are about right, though
    // nothing in the table has ever seen a length. What the table cannot know is where in a name it is.
    //
    // ## What was never seen
    //
    // Many letters never meet. To the table a pair that it has not seen is impossible, and one such pair makes
    // the loss of a whole list infinite. That happens as soon as we look at other names. So we hold back a fifth of
    // them, count the rest, and pretend to have seen every pair a little. That is {term}`smoothing`.
    const Words shuffled = data::sample(names, Index(names.size()), random);
    const auto cut = shuffled.begin() + std::ptrdiff_t(shuffled.size() * 4 / 5);
    const Contexts train = data::contexts({shuffled.begin(), cut}, 1),
                   held_out = data::contexts({cut, shuffled.end()}, 1);
    std::vector<std::vector<book::Cell>> rows;
    for (const double added : {0.0, 0.01, 0.1, 1.0, 10.0, 100.0}) {
        const Matrix p = probabilities(count(train), added);
        const auto in_words = [](double x) {
            return std::isfinite(x) ? fmt::format("{:.4f}", x) : "infinite";
        };
        rows.push_back({fmt::format("{}", added), in_words(nll(p, train)),
                        in_words(nll(p, held_out))});
    }
    book::table("smoothing",
                "The negative log-likelihood in nats of the names that were "
                "counted, and of those that were held back.",
                {"added to each count", "counted", "held back"}, rows);

    // Smoothing costs a little on what was counted, and on anything new it is the difference between a
    // model and none. Too much of it is ignorance again. On held-back names we shall use 0.1.
    //
    // ## Downhill to the table
    //
    // We train the network on all names, with the whole list in every step. It begins with $W = 0$, which makes all
    // symbols equally likely. The rate looks huge; but the loss is a mean over all pairs, and a letter that few of
    // them contain moves little. Now and then we keep a copy of the weights, to look at them later.
    BigramNet net;
    const Tensor x = one_hot(pairs.before.reshape({pairs.size()}), 27);
    claim("sys-bigram-softmax/a", "parameters of the network", nn::count(net),
          "==", 729);
    std::vector<double> losses;
    std::map<Index, Tensor> kept = {{0, clone(net.w.detach())}};
    const std::set<Index> looks = {1, 3, 10, 30, 100, 300, 1000, steps_made()};
    optim::Sgd sgd(nn::parameters(net), {.lr = rate()});
    const auto loss = [&] { return cross_entropy(net.logits(x), pairs.next); };
    optim::fit(sgd, loss, {.steps = steps_made()}, [&](const optim::Progress& now) {
        book::progress(now.step, steps_made(), fmt::format("loss {:.3f}", now.loss));
        losses.push_back(now.loss);  // before this step
        if (looks.contains(now.step)) kept[now.step] = clone(net.w.detach());
    });
    losses.push_back(double(loss().item()));
    const double lowest = std::ranges::min(losses), last = losses.back();

    // Nobody has shown it the counts. Before you look on:
    ask("The network minimises the same negative log-likelihood as the table. With "
        "enough steps, can its loss fall below that of the counts?",
        {{"Yes: its weights adapt to the names, and counting adapts nothing.",
          lowest < floor,
          "The table has 729 numbers as well, and they are already those that make "
          "the names as likely as they can be."},
         {"No. It comes as near as it likes, and never below.", lowest >= floor,
          "In each row the best distribution is the shares that were counted. But a "
          "share of zero asks for a logit of minus infinity."},
         {"No. It gets stuck at some distance, in a local minimum.", false,
          "There are none: row by row, the loss is a convex function of the logits."}});

    // ## Looking up a row
    //
    // {numref}`fig-003-bigram-onehot` follows one name through the network: the rows of $X$ pick rows of $W$, and the
    // softmax turns them into $\theta$. In each row of $\theta$ a red frame marks the symbol that really came next. All
    // that training wants is to make the framed cells bright.
    const Contexts places = data::contexts({word()}, 1);
    const std::vector<Index> before = places.before.values(),
                             next = places.next.values();
    const Tensor rows_of_word = one_hot(places.before.reshape({places.size()}), 27);
    Names inputs, targets;
    for (std::size_t n = 0; n < next.size(); ++n) {
        inputs.emplace_back(1, alphabet[std::size_t(before[n])]);
        targets.emplace_back(1, alphabet[std::size_t(next[n])]);
        for (std::size_t m = 0; m < n; ++m)  // two rows of one name would be one row
            if (inputs[m] == inputs[n]) inputs[n] += "\u2032";
    }
    std::vector<double> stops;
    for (const auto& [step, w] : kept) stops.push_back(double(step));
    const auto theta_at = [&](Index step) {
        return softmax(matmul(rows_of_word, kept.at(step)));
    };

    // Three heat maps, one above the other. The slider goes through the steps that we kept.
    Figure arrays("fig-003-bigram-onehot");
    arrays
        .describe(
            "Three arrays of 27 columns. Above, one-hot rows for the dot and the "
            "letters of a name. In the middle the weights, 27 rows. Below, the "
            "probabilities, a row for each letter of the name, with a red frame "
            "around the letter that follows. A slider counts training steps; the "
            "framed cells grow brighter as it moves.")
        .columns(1)
        .slider("step", stops, "step", stops.back())
        .panel("X: a name, one-hot")
        .tall(110)
        .heatmap("", letters(), inputs, rows_of_word.values(), 0, 1)
        .panel("W: the weights")
        .tall(400);
    for (const auto& [step, w] : kept)
        arrays.at(double(step)).heatmap("", letters(), letters(), w.values(), -4, 4);
    arrays.always().panel("θ = softmax(XW)").tall(110);
    for (const auto& [step, w] : kept)
        arrays.at(double(step))
            .heatmap("", letters(), inputs, theta_at(step).values(), 0, 0.5);
    arrays.always()
        .frame(targets, inputs)
        .x("the symbol that follows")
        .save(
            "A 1 in a row of $X$ picks a row of $W$; the softmax of that is the row "
            "of $\\theta$ below. Red frames: what came next in the name. Go back to "
            "the first steps to see how it began. After "
            "{cite:t}`transformers-slides`.");
    book::shows("fig-003-bigram-onehot/c", "fig-003-bigram-onehot");

    // To multiply by a one-hot row is nothing but to look up a row. To the last bit, what is drawn for `d`, symbol 4,
    // is the softmax of row 4 of $W$:
    const Tensor theta = theta_at(steps_made());
    double worst = 0;
    const Tensor sums = sum(net.theta(x).detach(), {1});
    for (const Real total_of_row : sums.values())
        worst = std::max(worst, std::abs(double(total_of_row) - 1));
    claim("sys-bigram-softmax/b",
          "the largest distance of the sum of a row of θ from one", worst, "<=", 1e-6);
    for (std::size_t n = 0; n < before.size(); ++n)
        if (before[n] == 4)
            claim_true("fig-003-bigram-onehot/a",
                       "the row of θ for d is the softmax of row 4 of W",
                       select(theta, 0, Index(n)).values() ==
                           softmax(select(net.w.detach(), 0, 4)).values());

    // ## The framed cells
    //
    // The loss of the name is read off the frames: the mean of their logarithms, with a minus sign. Logarithms of
    // probabilities are negative, so the loss is positive, and the better the model, the smaller.
    const auto mean_log = [&](const Tensor& p) {
        double sum_of_logs = 0;
        for (std::size_t n = 0; n < next.size(); ++n)
            sum_of_logs += std::log(double(p.at({Index(n), next[n]})));
        return sum_of_logs / double(next.size());
    };
    const double untrained = mean_log(theta_at(0)), trained = mean_log(theta);
    const Tensor by_library =
        cross_entropy(matmul(rows_of_word, net.w.detach()), places.next);
    say("mean logarithm of the framed cells: at first {:.4f}, trained {:.4f}",
        untrained, trained);
    claim(
        "fig-003-bigram-onehot/b",
        "the distance of the loss from the negative mean logarithm of the framed cells",
        std::abs(double(by_library.item()) + trained), "<=", 1e-6);
    claim("fig-003-bigram-onehot/b",
          "how much higher the better model stands without the minus sign",
          trained - untrained, ">", 0);

    // Who takes the formula of the slides at its word and walks *down* the mean logarithm makes the names as
    // unlikely as possible. A few steps are enough to see it:
    BigramNet wrong;
    optim::Sgd down(nn::parameters(wrong), {.lr = rate()});
    const auto without_minus = [&] {
        return mean(gather(log_softmax(wrong.logits(x)), 1,
                           pairs.next.reshape({x.size(0), 1})));
    };
    optim::fit(down, without_minus, {.steps = 10});
    const double ruined = double(cross_entropy(wrong.logits(x), pairs.next).item());
    claim("fig-003-bigram-onehot/b",
          "how much the loss grew in ten steps down the mean logarithm",
          ruined - std::log(27.0), ">", 0);

    // ```{erratum} The loss of the bigram network
    // :row: fig-003-bigram-onehot
    // :source: {cite:t}`transformers-slides`, practical 2
    // :printed: $\Loss = \frac1N \sum_n \log \theta_{n, y_n}$, the mean of the logarithms of the red values
    // :correct: $\Loss = -\frac1N \sum_n \log \theta_{n, y_n}$
    //
    // The minus sign is missing. As printed, better models have higher values, and gradient descent looks for the worst.
    // ```
    //
    // ## How near it comes
    //
    // {numref}`fig-bigram-descent` shows all steps, and the loss of the counts as a floor.
    std::vector<double> when, above;
    for (std::size_t n = 0; n < losses.size(); ++n)
        if (n <= 100 || n % 20 == 0)  // late steps lie close together
            when.push_back(double(n + 1)), above.push_back(losses[n]);
    Figure("fig-bigram-descent")
        .describe(
            "The loss falls steeply from 3.3 within some ten steps, then ever more "
            "slowly, and comes to lie on a horizontal line, the loss of the counts.")
        .line("network", when, above, {.points = false})
        .rule_y(floor, "counts")
        .log_x()
        .x("step, counted from 1")
        .y("negative log-likelihood in nats")
        .save(
            "The network's loss over its steps, and that of the counts. The line "
            "comes as near as one likes, and never below.");
    book::shows("claim-bigram-nn-equals-counts/d", "fig-bigram-descent");
    claim("claim-bigram-nn-equals-counts/b",
          "the loss of the network less that of the counts, the least of all steps",
          lowest - floor, ">=", 0);
    claim("claim-bigram-nn-equals-counts/c", "the same after the last step",
          last - floor, "<=", 0.003);

    // Why there, of all tables? Let $n_{ij}$ be the counts and $n_i$ the sum of row $i$. The derivative of the
    // softmax with the logarithm is short, and over all pairs it adds up to
    //
    // $$ \frac{\partial \Loss}{\partial W_{ij}} = \frac{n_i}{N} \left( \theta_{ij} - \frac{n_{ij}}{n_i} \right) : $$
    //
    // what the model expects, less what was counted. It vanishes for one table only, that of the shares. We check
    // it against the tape, at the weights as they are now:
    net.w.zero_grad();
    loss().backward();
    const std::vector<Real> slope = net.w.grad().values(),
                            now = softmax(net.w.detach()).values();
    double off = 0;
    for (Index i = 0; i < 27; ++i) {
        double row = 0;
        for (Index j = 0; j < 27; ++j) row += counts(i, j);
        for (Index j = 0; j < 27; ++j) {
            const std::size_t at = std::size_t(i * 27 + j);
            off = std::max(
                off, std::abs(slope[at] - (row * now[at] - counts(i, j)) / total));
        }
    }
    claim("", "the largest difference between formula and tape", off, "<=", 1e-6);

    // The rest of the way is endless. Where a pair was never seen, the slope is always positive, and its logit sinks for
    // ever, slower and slower. That has a good side: a network that stops early has smoothed its table,
    // and no pair is impossible for it. What it writes is what the table writes, or nearly:
    Matrix learned(27, 27);
    std::ranges::copy(now, learned.values.begin());
    Generator again(book::seed()), same(book::seed());
    say("pairs:   {}", several(table, made(), again));
    say("network: {}", several(learned, made(), same));
}

// ## What is missing
//
// For pairs, counting wins: it is exact, and done in one pass. But look at the names. They lack what one letter of
// memory cannot give. Counting three letters back would take a table of $27^4$ numbers, most of which would never see
// a name. The network has no such end: [the next page](contexts.cpp) gives it three letters and a hidden layer, and
// hardly more weights. Counting and the network are also the first two exercises on language; they are named above.
//
// ```{try}
// - Follow your own name through the network: `--word yourname`, in small letters.
// - Take the step that one would think of first: `--rate 1`. How far does it come in 2000 steps? And `--rate 500`?
// - Stop early, `--steps 30`, and compare what both write.
// ```
