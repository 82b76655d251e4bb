// # Bigram language models: one letter back
//
// ```{rows} sys-bigram-softmax fig-003-bigram-onehot fig-003-bigram-counts claim-bigram-nn-equals-counts ex-tp2-1-bigram-count ex-tp2-2-bigram-nll
// ```
//
// [The last page](sequences.cpp) took the probability of a text apart: a **language model** predicts each symbol
// from the symbols before it. This page builds about the smallest language model that is of any use. It looks back by a
// single letter, so all it can learn is which letter follows which. You can find such a **bigram** model in two
// ways: count pairs of letters, or train a network. This page does both, and compares what they find.
//
// Which letter follows which? Point at the bright cells:
//
// ```{opening} fig-003-bigram-counts
// ```
//- includes, names and options
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

const book::Option<std::string> word("word", "edith", "name whose arrays are drawn");
const book::Option<double> rate("rate", 50, "learning rate", {.least = 0.0});
const book::Option<Index> steps_made("steps", 2000, "number of training steps",
                                     {.quick = 100, .least = 10, .most = 100'000});
const book::Option<Index> made("made", 12, "number of names to make up",
                               {.least = 1, .most = 1000});
//-

// ## A table of pairs
//
// Our words are 1,513 first names, from a list that comes with Debian. (The list has its jokes: *zaphod* and
// *slartibartfast* are in it.) There are 27 *symbols*: the letters a to z are numbers 1 to 26, and number 0 is a dot,
// which stands before and after every name. Thanks to the dot, the model also learns how names begin and end. A
// {term}`bigram` is a pair of neighbouring symbols; $n$ neighbours are an **n-gram**.
//
// Take a single name, *ada*. With its dots it is `.ada.`, and its bigrams are `.a`, `ad`, `da` and `a.`. The dot was
// followed by `a`, and so was `d`. The letter `a` was followed once by `d` and once by the dot. So the table of this
// tiny list says: after `a` comes `d` or the dot, each with probability $\frac12$; after `d` or the dot comes `a`.
//
// {cpp:func}`~recto::data::contexts` lists all pairs of a list of names. Counting them takes one loop:
Matrix count(const Contexts& pairs) {
    const std::vector<Index> before = pairs.before.values(), next = pairs.next.values();
    Matrix counts(27, 27);
    for (std::size_t n = 0; n < next.size(); ++n) ++counts(before[n], next[n]);
    return counts;
}

// Now divide each row by its sum. Row $i$ becomes a distribution: of all positions after symbol $i$, the share where
// symbol $j$ came next. The second argument is added to every count first; the section on smoothing uses it.
Matrix probabilities(Matrix counts, double smoothing = 0) {
    for (Index i = 0; i < counts.rows; ++i) {
        double sum = 0;
        for (Index j = 0; j < 27; ++j) sum += counts(i, j) += smoothing;
        for (Index j = 0; j < 27; ++j) counts(i, j) /= sum;
    }
    return counts;
}

// How good is a table $p$? We judge it by its {term}`negative log-likelihood`: the mean of $-\log p_{ij}$ over all $N$
// pairs, in nats. For *ada* and its own table two pairs have probability 1 and two have $\frac12$, so the loss is
// $\frac14 (0 + \log 2 + 0 + \log 2) = 0.347$. One pair with zero probability makes the loss infinite.
double nll(const Matrix& p, const Contexts& pairs) {
    const std::vector<Index> before = pairs.before.values(), next = pairs.next.values();
    double sum = 0;
    for (std::size_t n = 0; n < next.size(); ++n)
        sum -= std::log(p(before[n], next[n]));
    return sum / double(next.size());
}

// A table can also write. It starts at a dot, draws a letter from the dot's row, draws the next letter from the row of
// that letter, and stops when it draws a dot. This is the sampling of the last page, with a memory of one letter.
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
// Now the second way. Encode a letter as a {term}`one-hot` row: 27 numbers, with a 1 at the index of the letter and 0
// elsewhere. Multiply this row by a matrix $W$ of $27\times27$ weights. The product is a single row of $W$, that of the
// letter. Its entries are scores for the next letter, the {term}`logits <logit>`, and the
// [softmax](softmax.cpp) turns them into probabilities. For $N$ letters at once, the one-hot rows form a matrix
// $X$ of shape $N\times27$, and each row of
//
// $$ \theta = \mathrm{softmax}(X W) $$
//
// is a distribution. The network has one layer, no bias and no hidden units. Its $27 \cdot 27 = 729$ weights are as
// many numbers as the table has:
struct BigramNet {
    Tensor w = zeros({27, 27}).requires_grad_();

    Tensor logits(const Tensor& x) const { return matmul(x, w); }
    Tensor theta(const Tensor& x) const { return softmax(logits(x)); }
    void visit(auto&& part) { part("w", w); }
};

//-
void page() {
    //-
    // ## The counts
    //
    // We count the pairs of all names.
    const Words& names = data::names();
    const Contexts pairs = data::contexts(names, 1);
    say("{} names: {}, {}, {}, ..., {}", names.size(), names[0], names[1], names[2],
        names.back());

    //- how many pairs there are
    const Matrix counts = count(pairs);
    double total = 0, seen = 0, begins = 0, ends = 0;
    for (const double n : counts.values) total += n, seen += n > 0;
    for (Index i = 0; i < 27; ++i) begins += counts(0, i), ends += counts(i, 0);
    claim("fig-003-bigram-counts/a", "pairs in all names", total, "==", 9972);
    claim("fig-003-bigram-counts/b", "different pairs, of 729", seen, "==", 451);
    claim_true("fig-003-bigram-counts/c",
               "as many pairs begin with the dot as end with it, one for each name",
               begins == ends && begins == double(names.size()));
    //-

    // {numref}`fig-003-bigram-counts` is the whole model. Read a row: of 145 symbols after a `j`, 141 are vowels. Read
    // the first column: names most often end in `n`, `e`, `y` or `a`.
    Figure("fig-003-bigram-counts")
        .describe(
            "A table of 27 by 27 cells: a row for each symbol, a column for the "
            "symbol that follows it. Few cells are bright, such as a followed by n; "
            "more than a third hold a zero.")
        .heatmap("count", letters(), letters(), counts.values, 0, 200)
        .numbers()
        .height(600)
        .x("the symbol that follows")
        .y("a symbol")
        .save(
            "How often each symbol (row) is followed by each symbol (column) in the "
            "names; the dot marks both ends of a name. A few bright cells carry most "
            "of the counts. Point at a cell to read it; all counts above 200 have the "
            "same colour. After {cite:t}`transformers-slides`.");
    book::shows("fig-003-bigram-counts/d", "fig-003-bigram-counts");

    // A model that knows nothing gives every symbol the same probability, and its loss is $\log 27$. What is the loss
    // of the table? And what do both write?
    const Matrix table = probabilities(counts), even = Matrix(27, 27, 1.0 / 27);
    const double floor = nll(table, pairs);
    say("all the same: {:.4f} nats", nll(even, pairs));
    claim_in("claim-bigram-nn-equals-counts/a",
             "the negative log-likelihood of the counts", floor, 2.463, 2.465);
    Generator random(book::seed());
    say("all the same: {}", several(even, 3, random));
    say("pairs: {}", several(table, made(), random));

    // The table's loss of 2.464 nats is a [perplexity](sequences.cpp) of $e^{2.464} = 11.8$: the table is as uncertain
    // as a fair draw among 12 symbols, in place of 27. About half of the table's names above can be pronounced, and
    // `jen` is in the list. Their lengths run from 1 to 22 letters, because the table knows only the last letter, and
    // not how long a name has become.
    //
    // ## Smoothing: pairs that were never seen
    //
    // 278 of the 729 pairs never occur. The table gives them zero probability, and one such pair in a new name makes
    // the loss of the whole list infinite. So we hold out a fifth of the names, count the rest, and add a little to
    // every count, as if each pair had been seen that often. This is {term}`smoothing`.
    //- hold out a fifth of the names, and judge each table by both parts
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
                "counted, and of those that were held out.",
                {"added to each count", "counted", "held out"}, rows);
    //-

    // Without smoothing the held-out loss is infinite. With 0.1 or 1 added it is 2.53, and the loss of the counted names
    // rises by only 0.004 and 0.03. With 100 added the counts hardly matter: 3.07 is close to the $\log 27 = 3.30$ of
    // knowing nothing. The next page smooths its tables with 0.1.
    //
    // ## Training the network
    //
    // We train the network on all names by [gradient descent](descent.cpp), which a later page explains: every step
    // changes all weights a little, in the direction in which the loss falls fastest. Each of the 2,000 steps uses the
    // whole list. Training starts with $W = 0$, so that all symbols are equally likely.
    //
    // The learning rate of 50 looks huge. But the loss is a mean over all 9,972 pairs, so row $i$ of $W$ moves in
    // proportion to the share of the pairs that begin with symbol $i$: 15 % for the dot, 0.07 % for `q`, which occurs 7
    // times.
    BigramNet net;
    const Tensor x = one_hot(pairs.before.reshape({pairs.size()}), 27);
    //- how many parameters it has, and at which steps its weights are kept
    claim("sys-bigram-softmax/a", "parameters of the network", nn::count(net),
          "==", 729);
    std::vector<double> losses;
    std::map<Index, Tensor> kept = {{0, clone(net.w.detach())}};
    const std::set<Index> looks = {1, 3, 10, 30, 100, 300, 1000, steps_made()};
    //-
    optim::Sgd sgd(nn::parameters(net), {.lr = rate()});
    const auto loss = [&] { return cross_entropy(net.logits(x), pairs.next); };
    optim::fit(sgd, loss, {.steps = steps_made()}, [&](const optim::Progress& now) {
        book::progress(now.step, steps_made(), fmt::format("loss {:.3f}", now.loss));
        losses.push_back(now.loss);  // before this step
        if (looks.contains(now.step)) kept[now.step] = clone(net.w.detach());
    });
    //- the loss after the last step
    losses.push_back(double(loss().item()));
    const double lowest = std::ranges::min(losses), last = losses.back();
    //-

    // The network never sees the counts. Before you read on:
    ask("The network minimises the same negative log-likelihood as the table. With "
        "enough steps, can its loss fall below that of the counts?",
        {{"Yes: training adapts its weights to the names, and counting adapts nothing.",
          lowest < floor,
          "The table has 729 numbers too, and they are already those that make the "
          "names as likely as possible."},
         {"No. It comes as close as you like, but never below.", lowest >= floor,
          "In each row the counted shares are the best distribution. But a share of "
          "zero needs a logit of minus infinity."},
         {"No. It gets stuck at some distance, in a local minimum.", false,
          "Row by row, the loss is a convex function of the logits, and a convex "
          "function has no local minimum above its lowest value."}});

    // ## Looking up a row
    //
    // {numref}`fig-003-bigram-onehot` follows one name through the network. Each row of $X$ selects a row of $W$, and the
    // softmax turns that row into a row of $\theta$, in which a red frame marks the symbol that came next.
    // Training makes the framed cells brighter.
    //- how the figure is drawn
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
        arrays.at(double(step))
            .heatmap("weight", letters(), letters(), w.values(), -4, 4);
    arrays.always().panel("θ = softmax(XW)").tall(110);
    for (const auto& [step, w] : kept)
        arrays.at(double(step))
            .heatmap("probability", letters(), inputs, theta_at(step).values(), 0, 0.5);
    arrays.always()
        .frame(targets, inputs)
        .x("the symbol that follows")
        .save(
            "The 1 in a row of $X$ selects a row of $W$; the softmax of that row is "
            "the row of $\\theta$ below. Red frames mark what came next in the name. "
            "Move the slider from step 0: all cells start equal, and training moves "
            "probability into the frames. After {cite:t}`transformers-slides`.");
    book::shows("fig-003-bigram-onehot/c", "fig-003-bigram-onehot");
    //-

    // Multiplying by a one-hot row only looks up a row of $W$. We check one row: what is drawn for `d`, symbol 4, equals
    // the softmax of row 4 of $W$ to the last bit.
    //- the rows of θ, checked
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
    //-

    // ## The loss, and its sign
    //
    // You can read the loss of the name off the frames: it is *minus* the mean of their logarithms. Logarithms of
    // probabilities are negative, so the minus makes the loss positive. The better the model, the smaller the loss.
    //- the loss of one name from the framed cells, and from the library
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

    //-

    // The slides from which this network comes print its loss without the minus sign. Gradient descent on *that*
    // quantity makes the names as unlikely as it can: after ten steps, the true loss has risen by 6.4 nats.
    //- ten steps down the mean logarithm
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
    //-

    // ```{erratum} The loss of the bigram network
    // :row: fig-003-bigram-onehot
    // :source: {cite:t}`transformers-slides`, practical 2
    // :printed: $\Loss = \frac1N \sum_n \log \theta_{n, y_n}$, the mean of the logarithms of the red values
    // :correct: $\Loss = -\frac1N \sum_n \log \theta_{n, y_n}$
    //
    // The minus sign is missing. As printed, better models have higher values, and gradient descent finds the worst.
    // ```
    //
    // ## How close it comes
    //
    // {numref}`fig-bigram-descent` shows the loss at every step, and the loss of the counts as a floor.
    //- how the figure is drawn
    std::vector<double> when, above;
    for (std::size_t n = 0; n < losses.size(); ++n)
        if (n <= 100 || n % 20 == 0)  // late steps lie close together
            when.push_back(double(n + 1)), above.push_back(losses[n]);
    Figure("fig-bigram-descent")
        .describe(
            "The loss falls steeply from 3.3 within the first ten steps, then ever "
            "more slowly, and approaches a horizontal line, the loss of the counts.")
        .line("network", when, above, {.points = false})
        .rule_y(floor, "counts")
        .log_x()
        .x("step, counted from 1")
        .y("negative log-likelihood in nats")
        .save(
            "The network's loss over its steps (curve) and the loss of the counts "
            "(horizontal line). The curve approaches the line and never crosses it: "
            "no table of pairs is better than the counts.");
    book::shows("claim-bigram-nn-equals-counts/d", "fig-bigram-descent");
    //-
    claim("claim-bigram-nn-equals-counts/b",
          "the loss of the network minus that of the counts, the least of all steps",
          lowest - floor, ">=", 0);
    claim("claim-bigram-nn-equals-counts/c",
          "the loss of the network minus that of the counts, after the last step",
          last - floor, "<=", 0.003);

    // Why does the network end at this table? Let $n_{ij}$ be the counts, and $n_i$ the sum of row $i$. The derivative of
    // [softmax with cross-entropy](cross_entropy.cpp) is the predicted probability minus the target. Summed over all pairs:
    //
    // $$ \frac{\partial \Loss}{\partial W_{ij}} = \frac{n_i}{N} \left( \theta_{ij} - \frac{n_{ij}}{n_i} \right) . $$
    //
    // The bracket is the predicted share minus the counted share. All brackets are zero for one table only, that of the
    // counted shares. We compare the formula with the derivatives that the library computes, at the current weights:
    //- the largest difference between the formula and the library
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
    claim("", "the largest difference between the formula and the library's derivative",
          off, "<=", 1e-6);

    //-

    // The gap never closes completely. For a pair that never occurs, the derivative is positive at any finite weight, so
    // its logit keeps falling, ever more slowly. After 2,000 steps the loss of the network is 0.0013 nats above that of the
    // counts. The gap has a good side: training that stops early leaves every pair possible, so it smooths the table.
    // After all steps the difference is so small that both tables make up the same names from the same random numbers:
    //- what both write
    Matrix learned(27, 27);
    std::ranges::copy(now, learned.values.begin());
    Generator again(book::seed()), same(book::seed());
    say("pairs:   {}", several(table, made(), again));
    say("network: {}", several(learned, made(), same));
    //-
}

// ## Summary and what is missing
//
// A bigram model predicts each symbol from the one before it. Counting finds the table with the smallest loss in one
// pass, and needs smoothing for pairs that were never seen. A network of one layer approaches the same table from above,
// because the derivative of its loss is the predicted share minus the counted share.
//
// For pairs, counting wins: it is exact and fast. But one letter of memory makes poor names. A table for three letters
// of context has $27^4 = 531{,}441$ entries, and 1,513 names contribute only 9,972 counts to it. [The next page](contexts.cpp) gives
// the network three letters and a hidden layer, with 11,897 weights.
//
// ```{exercises}
// - [Count the pairs, and write names](/exercises/language/bigram_count.md)
// - [The same model by gradient descent](/exercises/language/bigram_gradient.md)
// ```
//
// ```{try}
// - Follow your own name through the network: `--word yourname`, in small letters.
// - Try an ordinary learning rate: `--rate 1`. How far does the loss fall in 2000 steps? And with `--rate 500`?
// - Stop early, `--steps 30`, and compare what the table and the network write.
// ```
