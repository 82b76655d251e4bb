// # Three letters back
//
// ```{rows} sys-context-dataset eq-bengio-2003 fig-bengio-2003-1 claim-init-loss-is-log-k claim-bengio-beats-bigram ex-tp2-3-missing ex-tp2-4-bengio-mlp ex-tp2-5-batchnorm-star
// ```
//
// [One letter of memory](bigrams.cpp) makes poor words. More letters are easily asked for and hard to count: every
// further letter makes the table 27 times as large, and soon nearly all contexts are new. In 2003 Bengio, Ducharme,
// Vincent and Jauvin found a way out {cite:p}`bengio2003` that every language model still takes. Do not treat each
// context as a name of its own. Describe each symbol by a few numbers, and let a network read the descriptions.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/book/apart.hpp>
#include <recto/book/page.hpp>
#include <recto/book/stopwatch.hpp>
#include <recto/book/table.hpp>
#include <recto/core/random.hpp>
#include <recto/data/context_table.hpp>
#include <recto/data/words.hpp>
#include <recto/figure/diagram.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/embedding.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/model_tape.hpp>
#include <recto/nn/norm.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/fit.hpp>
#include <recto/optim/sgd.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::claim_true, book::over_seeds,
    book::say;
using data::alphabet, data::Contexts;
using figure::Figure, figure::Names;
using Words = std::vector<std::string>;
//-

// Six numbers can be changed:
const book::Option<Index> list("words", 32'000, "how many words in all",
                               {.quick = 2000, .least = 100, .most = 196'185});
const book::Option<Index> context("context", 3, "how many letters back",
                                  {.least = 1, .most = 12});
const book::Option<Index> width("width", 10, "how many numbers describe a symbol",
                                {.least = 1, .most = 100});
const book::Option<Index> units("hidden", 200, "width of the hidden layer",
                                {.least = 1, .most = 2000});
const book::Option<Index> steps_made("steps", 40'000, "steps on the words",
                                     {.quick = 1000, .least = 100, .most = 1'000'000});
const book::Option<int> seeds("seeds", 5, "how often small experiments are repeated",
                              {.quick = 1, .least = 1, .most = 100});

// ## Windows
//
// The words are from Webster's dictionary of 1934, a sample of 32,000. Every place of a word is an example: what stands
// there is the target, and the {term}`context`, a window of three symbols before it, is the input. Before the word
// there are dots. We part *words* and then cut windows, not the other way round. A word whose first half is in the one part and whose
// second half in the other would be known before it is judged.
struct Parts {
    Words lessons, judges;

    Parts(const Words& drawn) {
        const auto cut = drawn.begin() + std::ptrdiff_t(drawn.size() * 4 / 5);
        lessons.assign(drawn.begin(), cut), judges.assign(cut, drawn.end());
    }
};

// ## A network that reads descriptions
//
// The network of Bengio and his colleagues guesses the next symbol $w_t$. It has a table $C$ with a row of numbers
// for each symbol, its {term}`embedding`. The context's rows are joined, and an ordinary network $g$ makes a
// probability of them for each symbol $i$:
//
// ```{equation} eq-bengio-2003
// :function: recto::nn::Embedding; recto::data::contexts
// :test: Embedding: a vector for every token; index: a row's gradient is the sum over its uses
// f(i, w_{t-1}, \dots, w_{t-n+1}) = g\big(i, C(w_{t-1}), \dots, C(w_{t-n+1})\big)
// ```
//
// The same $C$ serves all places. What one place finds out about a letter helps wherever that letter stands, and two
// letters with similar rows are treated alike in every context, also in one that never came up. Our $g$ has one hidden
// layer with a tanh. All linear maps are the library's; two of them start with numbers of our own, of which more below.
struct Bengio {
    nn::Embedding C;
    nn::Linear hidden, scores;

    Bengio(Index length, Index wide, Generator& random, Real last = Real(0.01),
           double spread = 1)
        : C(27, wide, random, {.deviation = spread}),
          hidden(length * wide, units(), random, {.weights = nn::zeros_init}),
          scores(units(), 27, random, {.weights = nn::zeros_init}) {
        const Real size = 5 / (3 * std::sqrt(Real(length * wide)));
        hidden.weight.copy_(random.normal({units(), length * wide}, 0, size));
        scores.weight.copy_(random.normal({27, units()}, 0, last));
    }
    Tensor operator()(const Integers& before) const {  // (n, length) to (n, 27)
        return scores(tanh(hidden(flatten(C(before)))));
    }
    void visit(auto&& part) {
        part("C", C), part("hidden", hidden), part("scores", scores);
    }
};

// A picture of it comes from the model itself. The tape knows what a model did with one input; we walk through its steps
// and draw a box for each, and an arrow for everything that one passes to the next, with its shape.
figure::Diagram drawn(const Bengio& model, const Integers& before, Names& on_edges) {
    const nn::Tape tape =
        nn::tape_of(model, [&](const Bengio& m) { return softmax(m(before)); });
    figure::Diagram picture("fig-bengio-2003-1");
    std::map<std::uint64_t, std::string> ids;
    picture.node("w", "symbols", figure::Box::plain, figure::ink);
    for (const Step& step : tape.steps) {
        const std::string id = std::to_string(ids.size());
        ids[step.id] = id;
        const auto leaf = tape.leaves.find(step.id);
        if (leaf != tape.leaves.end()) {
            const std::string name = leaf->second.name;  // hidden.w for hidden.weight
            picture.node(id, name.substr(0, name.find('.') + 2), figure::Box::box,
                         figure::ochre);
            continue;
        }
        picture.node(id, std::string(step.name), figure::Box::round, figure::blue);
        if (step.name == "index_rows") {
            on_edges.push_back(fmt::format("{}", before.shape()));
            picture.edge("w", id, on_edges.back());
        }
        for (std::size_t i = 0; i < step.inputs.size(); ++i) {
            on_edges.push_back(fmt::format("{}", step.input_shapes[i]));
            picture.edge(ids.at(step.inputs[i]), id, on_edges.back());
        }
    }
    return picture;
}

// It is judged as the table is, and trained by stochastic gradient descent: batches of 64 windows, drawn at random, at
// a rate of 0.1, and of 0.01 for the last two fifths of the way.
double nll(const Bengio& model, const Contexts& places) {
    const NoGrad only_asking;
    return double(cross_entropy(model(places.before), places.next).item());
}

// Twenty times on the way the model is asked how it does, on some of what it learns from and on some of what it does not.
struct Course {
    std::vector<double> steps, lessons, judges;
};
template <class Look>
Course train(const Bengio& model, const Parts& parts, Index steps, Generator& random,
             const Look& look) {
    const Index length = model.hidden.weight.size(1) / model.C.weight.size(1);
    const Contexts lessons = data::contexts(parts.lessons, length),
                   judges = data::contexts(parts.judges, length);
    const auto some = [](const Contexts& all) {
        const Index count = std::min<Index>(all.size(), 10'000);
        return Contexts{all.before.slice(0, count), all.next.slice(0, count)};
    };
    const Contexts old = some(lessons), fresh = some(judges);
    Course course;
    const auto ask_it = [&](Index step) {
        course.steps.push_back(double(step));
        course.lessons.push_back(nll(model, old));
        course.judges.push_back(nll(model, fresh));
        look(step);
    };
    ask_it(0);
    optim::Sgd sgd(nn::parameters(model));
    const auto rate = [&](Index step) { return step < steps * 3 / 5 ? 0.1 : 0.01; };
    const auto loss = [&] {
        const Contexts now = data::draw(lessons, 64, random);
        return cross_entropy(model(now.before), now.next);
    };
    optim::fit(
        sgd, loss, {.steps = steps, .lr = rate}, [&](const optim::Progress& now) {
            book::progress(now.step, steps, fmt::format("loss {:.3f}", now.loss));
            if (now.step % std::max<Index>(steps / 20, 1) == 0) ask_it(now.step);
        });
    return course;
}

// Whoever has nothing to look at meanwhile leaves that out.
Course train(const Bengio& model, const Parts& parts, Index steps, Generator& random) {
    return train(model, parts, steps, random, [](Index) {});
}
//- how a model makes up words, and two numbers about layers
bool is_vowel(std::size_t symbol) {
    return std::string_view("aeiou").find(alphabet[symbol]) != std::string_view::npos;
}
double vowels_apart(const std::vector<Real>& plane) {
    double among = 0, across = 0, pairs_among = 0, pairs_across = 0;
    for (std::size_t i = 1; i < 27; ++i)
        for (std::size_t j = 1; j < 27; ++j) {
            if (i == j || !is_vowel(i)) continue;
            const double distance = std::hypot(plane[2 * i] - plane[2 * j],
                                               plane[2 * i + 1] - plane[2 * j + 1]);
            (is_vowel(j) ? among : across) += distance;
            (is_vowel(j) ? pairs_among : pairs_across) += 1;
        }
    return (among / pairs_among) / (across / pairs_across);
}
double share_stuck(const Tensor& z) {
    double count = 0;
    for (const Real value : tanh(z).values()) count += std::abs(value) > 0.97;
    return count / double(z.numel());
}
std::string several(const Bengio& model, Index how_many, Generator& random) {
    const NoGrad only_asking;
    const Index length = model.hidden.weight.size(1) / model.C.weight.size(1);
    std::string line;
    for (Index n = 0; n < how_many; ++n) {
        if (n > 0) line += ", ";
        for (std::vector<Index> window(std::size_t(length), 0);;) {
            const Tensor p = softmax(model(Integers({1, length}, window)));
            const Index next = random.multinomial(p.values(), 1)[0];
            if (next == 0) break;
            line += alphabet[std::size_t(next)];
            window.erase(window.begin()), window.push_back(next);
        }
    }
    return line;
}
//-

void page() {
    Generator random(book::seed());
    const Parts parts(data::sample(data::words(), list(), random));
    const Contexts lessons = data::contexts(parts.lessons, context());
    say("{} words make {} windows {}", parts.lessons.size(), lessons.size(),
        lessons.before.shape());

    // By hand, for a word as short as `ada`: four places, and what stands before each.
    const Contexts ada = data::contexts({"ada"}, 3);
    for (Index n = 0; n < ada.size(); ++n) {
        const std::vector<Index> row = ada.before.slice(n, n + 1).values();
        say("{} {} {}  ->  {}", row[0], row[1], row[2],
            ada.next.values()[std::size_t(n)]);
    }
    claim_true("sys-context-dataset/a", "a word of three letters gives four rows",
               ada.size() == 4 && ada.before.shape() == Shape{4, 3});
    claim_true(
        "sys-context-dataset/b", "the first row is zero, and then the window moves on",
        ada.before.values() == std::vector<Index>{0, 0, 0, 0, 0, 1, 0, 1, 4, 1, 4, 1});

    // ## How far counting goes
    //
    // Let us first see what we must beat: {cpp:class}`~recto::data::ContextTable`, the table of the last page for
    // contexts of any length. 0.1 is added to each count, and a context that was never seen gives all symbols the
    // same chance.
    std::vector<double> counted;
    std::vector<std::vector<book::Cell>> rows;
    for (Index length = 1; length <= 5; ++length) {
        const data::ContextTable table(data::contexts(parts.lessons, length), 0.1);
        const Contexts judges = data::contexts(parts.judges, length);
        counted.push_back(table.nll(judges));
        rows.push_back({length, 27 * table.size(),
                        fmt::format("{:.2f} %", 100 * table.unseen(judges)),
                        fmt::format("{:.4f}", counted.back())});
    }
    book::table(
        "counting",
        "Tables for contexts of one to five letters: the numbers in rows that were "
        "ever counted, how often a held-out place has a context that was not, and "
        "the negative log-likelihood there.",
        {"letters", "numbers", "new contexts", "held out"}, rows);
    claim_in("claim-bengio-beats-bigram/a", "the held-out loss of the bigram",
             counted[0], 2.54, 2.58);

    // More letters help, up to a point. Then the table knows too few of the contexts that it meets. Where that point
    // is depends on how many words there are, and a vocabulary of words in place of letters is past it at once.
    //
    // ## What it is made of
    //
    // Now the network: its parameters, counted, and two things that the equation says of it. The order of the context
    // matters. And $C$ is one table, so its gradient gathers what all places ask of it. To see that, we give each
    // place a copy of its own and add up what the copies get.
    const Bengio model(context(), width(), random);
    say("{}", nn::summary(nn::state(model)));
    claim("eq-bengio-2003/a", "parameters of the network", nn::count(model),
          "==", 11897);
    const Contexts few = data::draw(lessons, 64, random);
    std::vector<Index> forth(static_cast<std::size_t>(context()));
    std::iota(forth.begin(), forth.end(), 1);  // a, b, c
    const std::vector<Index> back(forth.rbegin(), forth.rend());
    const auto scores_of = [&](const std::vector<Index>& letters) {
        return model(Integers({1, context()}, letters)).values();
    };
    claim_true("eq-bengio-2003/b", "a, b, c and c, b, a get different scores",
               scores_of(forth) != scores_of(back));

    // The copies:
    cross_entropy(model(few.before), few.next).backward();
    std::vector<Tensor> copies, joined;
    for (Index k = 0; k < context(); ++k) {
        std::vector<Index> column;
        for (Index n = 0; n < few.size(); ++n)
            column.push_back(few.before.data()[n * context() + k]);
        copies.push_back(clone(model.C.weight.detach()).requires_grad_());
        joined.push_back(index_rows(copies.back(), Integers({few.size()}, column)));
    }
    cross_entropy(model.scores(tanh(model.hidden(concat(joined, 1)))), few.next)
        .backward();
    std::vector<Real> apart = model.C.weight.grad().values();
    for (const Tensor& copy : copies) {
        const std::vector<Real> one = copy.grad().values();
        for (std::size_t i = 0; i < apart.size(); ++i) apart[i] -= one[i];
    }
    claim("eq-bengio-2003/c",
          "largest difference of the gradient of C to that of all copies",
          std::max(std::ranges::max(apart), -std::ranges::min(apart)), "<=", 1e-6);

    // {numref}`fig-bengio-2003-1` is not drawn by hand. The program asks the tape what the model did with one context, and
    // draws that. The shapes beside the arrows are those of the tensors; we take the same steps once more and compare.
    Names on_edges, at_run_time;
    const Integers one = few.before.slice(0, 1);
    figure::Diagram picture = drawn(model, one, on_edges);
    const Tensor found = model.C(one), row = flatten(found), h = model.hidden(row),
                 bent = tanh(h), y = model.scores(bent);
    for (const Shape& shape :
         {one.shape(), model.C.weight.shape(), found.shape(), row.shape(),
          model.hidden.weight.shape(), model.hidden.bias.shape(), h.shape(),
          bent.shape(), model.scores.weight.shape(), model.scores.bias.shape(),
          y.shape()})
        at_run_time.push_back(fmt::format("{}", shape));
    std::ranges::sort(on_edges), std::ranges::sort(at_run_time);
    claim_true("fig-bengio-2003-1/a", "the shapes on the arrows are those at run time",
               on_edges == at_run_time);
    picture
        .describe(
            "A graph from top to bottom: the symbols before and the table C enter "
            "index_rows, then come reshape, linear, tanh, linear and softmax. Each "
            "arrow carries a shape.")
        .save(
            "What the network does with one context, drawn by the program from the "
            "model. In ochre weights w and biases b; on the arrows the shapes of "
            "what is passed on. After Figure 1 of {cite:t}`bengio2003`, without the "
            "connections that they let lead past the hidden layer.");

    // ## Fair at the start
    //
    // Before any training no symbol should be much likelier than another, since nothing is known. So we know the first
    // loss of any classifier that starts well:
    book::ask_number(
        "A network is to choose among 27 symbols and has learned nothing, so it "
        "gives each the same probability. What is its loss, in nats?",
        std::log(27.0), 0.05,
        "Minus the logarithm of 1/27. It costs one glance at the first line of a "
        "training's output, and finds many mistakes.");

    // Ours starts there, since its output weights are small: their standard deviation is 0.01. With larger ones it begins
    // by being sure, of nonsense, and the first steps of training go into taking that back.
    const Contexts many = data::draw(lessons, 4096, random);
    std::vector<double> small, unit;
    for (int s = 0; s < seeds(); ++s) {
        const Bengio fair(context(), width(), random),
            sure(context(), width(), random, 1);
        small.push_back(std::abs(nll(fair, many) - std::log(27.0)));
        unit.push_back(nll(sure, many));
    }
    claim("claim-init-loss-is-log-k/a",
          "with small output weights, distance from log 27", over_seeds(small),
          "<=", 0.02);
    claim("claim-init-loss-is-log-k/b", "with weights of unit variance, the first loss",
          over_seeds(unit), ">", 10);

    // ## Learning the dictionary
    //
    // Now the training. For comparison we also train networks that look one and five letters back.
    const double start = book::now();
    train(model, parts, steps_made(), random);
    book::timing_claim("ex-tp2-4-bengio-mlp/e", "the training on the CPU, in seconds",
                       book::seconds_since(start), "<=", 90);
    const Contexts judges = data::contexts(parts.judges, context());
    std::map<Index, double> by_length = {{context(), nll(model, judges)}};
    say("loss on what it learned from {:.4f}, held out {:.4f}", nll(model, lessons),
        by_length.at(context()));

    // Two more networks of the same kind, with other first weights and other batches:
    std::vector<double> held_out = {by_length.at(context()), 0, 0};
    book::each_apart(
        2, 2,
        [&](Index i) {
            Generator other(1000 * std::uint64_t(i + 1) + book::seed());
            const Bengio again(context(), width(), other);
            train(again, parts, steps_made(), other);
            return std::vector{nll(again, judges)};
        },
        [&](Index i, const std::vector<double>& loss) {
            held_out[std::size_t(i) + 1] = loss[0];
        });
    claim("claim-bengio-beats-bigram/b", "the held-out loss of the network",
          over_seeds(held_out), "<=", 2.30);
    for (const Index length : {1, 5}) {
        const Bengio other(length, width(), random);
        train(other, parts, steps_made(), random);
        by_length[length] = nll(other, data::contexts(parts.judges, length));
    }

    // {numref}`fig-contexts` sets them beside the tables.
    Figure beside("fig-contexts");
    std::vector<double> lengths, networks;
    for (const auto& [length, loss] : by_length)
        lengths.push_back(double(length)), networks.push_back(loss);
    beside
        .describe(
            "The held-out loss against the length of the context. The line of the "
            "tables falls to three letters and rises again. That of the networks "
            "begins at the same height and falls all the way.")
        .line("table of counts", {1, 2, 3, 4, 5}, counted)
        .line("network", lengths, networks)
        .x("letters of context")
        .y("held-out loss in nats")
        .save(
            "Words that neither has seen. With one letter, table and network can "
            "say the same. Tables are good as long as every context comes up often; "
            "the network has no such limit.");

    // It beats the bigram by far. It does *not* beat counting at three letters: the words fill that table well
    // enough, and it has many times the numbers. But of five letters the table makes less, and the network more.
    // That is what decides when symbols are words, since no text is long enough to have seen all their pairs.
    claim("", "the loss of the network less that of the table, three letters",
          by_length.at(context()) - counted[2], ">", 0);
    claim("", "the loss of the table less that of the network, five letters",
          counted[4] - by_length.at(5), ">", 0);
    say("made up: {}", several(model, 8, random));

    // ## What it found out about letters
    //
    // Nobody has told the network which letters are vowels. With only two numbers for each symbol we can look at
    // $C$ itself. They start close together, so that what parts them is learned.
    std::vector<double> nearer, stops;
    std::vector<std::vector<Real>> planes;
    for (int s = 0; s < seeds(); ++s) {
        const Bengio flat(context(), 2, random, Real(0.01), 0.1);
        train(flat, parts, steps_made() / 5, random, [&](Index step) {
            if (s > 0) return;
            stops.push_back(double(step)), planes.push_back(flat.C.weight.values());
        });
        nearer.push_back(vowels_apart(flat.C.weight.values()));
    }
    ask("Where will the five vowels be in the plane?",
        {{"Anywhere: letters are only names, and names have no likeness.",
          book::median(nearer) >= 1,
          "To the network a letter is what it does to the next one, and in that "
          "some letters are alike."},
         {"Together: the same letters follow them.", book::median(nearer) < 1,
          "Behind a vowel a consonant is likely, whichever vowel it was. Similar "
          "rows of C let one weight say so for all of them."},
         {"In the alphabet's order: a first, u last.", false,
          "The numbers of the letters were never shown to the network; it sees only "
          "which row to take."}});

    // {numref}`fig-plane` shows the first of these planes; the slider goes through its training.
    Figure plane("fig-plane");
    plane
        .describe(
            "Letters in a plane; a slider counts steps. At first they lie together "
            "in the middle. Then the red vowels leave the consonants.")
        .slider("step", stops, "steps", stops.back())
        .height(440);
    for (std::size_t n = 0; n < stops.size(); ++n)
        for (std::size_t i = 0; i < 27; ++i)
            plane.at(stops[n]).words(
                "", {planes[n][2 * i]}, {planes[n][2 * i + 1]},
                {std::string(1, alphabet[i])},
                {.color = is_vowel(i) ? figure::red : figure::ink, .width = 16});
    plane.x("first number")
        .y("second number")
        .save(
            "The two numbers of each symbol. Vowels are red; the dot ends a word. "
            "Move the slider: nobody tells them where to go.");
    book::shows("fig-bengio-2003-1/c", "fig-bengio-2003-1");
    book::shows("fig-bengio-2003-1/c", "fig-plane");
    claim("fig-bengio-2003-1/b",
          "distance between vowels, as a share of that to consonants, in the mean",
          over_seeds(nearer), "<", 1);

    // ## Too few names
    //
    // The same network on the names of the last page. It has more parameters than there are windows to learn
    // from. We ask it often, and note when {term}`early stopping` would end: at the best of all looks so far, once four looks
    // in a row were no better.
    std::vector<double> best, final, best_loss, last_loss;
    Course shown;
    double pairs_of_names = 0;
    for (int s = 0; s < seeds(); ++s) {
        const Parts few_names(data::sample(data::names(), 1513, random));
        const data::ContextTable table(data::contexts(few_names.lessons, 1), 0.1);
        const double bigram = table.nll(data::contexts(few_names.judges, 1));
        const Bengio net(context(), width(), random);
        const Course now = train(net, few_names, steps_made() / 2, random);
        best_loss.push_back(std::ranges::min(now.judges));
        last_loss.push_back(now.judges.back());
        best.push_back(best_loss.back() - bigram);
        final.push_back(last_loss.back() - bigram);
        say("bigram {:.3f}, network: best {:.3f}, last {:.3f}", bigram,
            best_loss.back(), last_loss.back());
        if (s > 0) continue;
        shown = now, pairs_of_names = bigram;
        say("({} parameters, {} windows to learn from)", nn::count(net),
            data::contexts(few_names.lessons, context()).size());
    }
    std::size_t stopped = 0;
    for (std::size_t n = 1; n < shown.judges.size() && n <= stopped + 4; ++n)
        if (shown.judges[n] < shown.judges[stopped]) stopped = n;

    // {numref}`fig-names` shows the first of these trainings.
    Figure("fig-names")
        .describe(
            "Two curves over the steps. The loss on the names it learns from falls "
            "to the end; that on held-out names falls at first, has its lowest "
            "point early, at a vertical line, and then rises above a horizontal "
            "line, the bigram.")
        .line("lessons", shown.steps, shown.lessons)
        .line("held out", shown.steps, shown.judges)
        .rule_y(pairs_of_names, "bigram, held out")
        .rule_x(shown.steps[stopped], "stop here")
        .ylim(1.4, 3.4)
        .x("step")
        .y("negative log-likelihood in nats")
        .save(
            "Fifteen hundred names are soon known by heart. Early stopping keeps "
            "the parameters of the vertical line.");
    book::shows("claim-bengio-beats-bigram/e", "fig-names");
    claim("claim-bengio-beats-bigram/c",
          "names: the best held-out loss of the network less that of the bigram",
          over_seeds(best), "<", 0);
    claim_in("claim-bengio-beats-bigram/c",
             "names: the best held-out loss of the network", over_seeds(best_loss),
             2.34, 2.54);
    claim("claim-bengio-beats-bigram/d", "names: the last one less that of the bigram",
          over_seeds(final), ">", 0);
    report("claim-bengio-beats-bigram/d", "names: the last held-out loss",
           over_seeds(last_loss));

    // How bad the end is depends on which names are held out, and on the network: with half of the hidden units it is
    // about as good as the bigram. Early stopping need not know.
    //
    // ## When the hidden layer is stuck
    //
    // One more thing can go wrong at the start. Where a tanh is near 1 or $-1$ it is flat, and no gradient passes.
    // Weights of deviation 1 before the hidden layer are enough for that, and most units are in {term}`saturation`. {term}`Batch normalisation <batch normalisation>` {cite:p}`ioffe2015`
    // repairs it: it brings every hidden unit to mean 0 and variance 1 over the batch. Here we only look at what it
    // does to the start.
    std::vector<double> stuck, freed;
    for (int s = 0; s < seeds(); ++s) {
        Bengio bad(context(), width(), random);
        bad.hidden.weight.copy_(random.normal({units(), context() * width()}));
        const Tensor z =
            bad.hidden(flatten(bad.C(data::draw(lessons, 1000, random).before)));
        stuck.push_back(share_stuck(z));
        freed.push_back(share_stuck(nn::BatchNorm(units())(z)));
    }
    claim("ex-tp2-5-batchnorm-star/d", "the share of hidden units beyond 0.97 at first",
          over_seeds(stuck), ">", 0.30);
    claim("ex-tp2-5-batchnorm-star/e", "the same behind batch normalisation",
          over_seeds(freed), "<", 0.05);

    // The layer keeps four numbers for each unit that it normalises: a gain, a bias, and a running mean and spread for
    // the time after training. Units of the *hidden* layer are normalised, so there are as many of each as it is
    // wide.
    const Tensor z = model.hidden(flatten(model.C(few.before)));
    bool refused = false;
    try {
        nn::BatchNorm{width()}(z);
    } catch (const Error& error) {
        refused = true;
        say("{}", error.what());
    }
    claim_true(
        "ex-tp2-5-batchnorm-star/f",
        "buffers of the embedding's width are refused, those of the hidden width fit",
        refused && nn::BatchNorm(units())(z).shape() == z.shape());
}

// ```{erratum} The buffers of batch normalisation
// :row: ex-tp2-5-batchnorm-star
// :source: {cite:t}`transformers-slides`, slide on the buffers of batch normalisation
// :printed: 1 \times \mathrm{emb\_size}
// :correct: 1 \times \mathrm{hidden\_size}
//
// With the size of the embedding nothing fits, as the program shows.
// ```
//
// ## What is missing
//
// Four exercises follow this page. The practical numbers its own 1, 2 and 4; number 3, the windows and a split that does
// not leak, is ours. The network can be built by hand in number 4, within ninety seconds of training, and number 5
// adds the normalisation.
//
// A window ends somewhere, and whatever is further back is lost; how a network may choose what to remember of a long past
// takes a chapter of its own. And our symbols are letters. Is that wise? A text is long in letters, and
// a letter says little. [The next page](tokenizers.cpp) chooses other symbols.
//
// ```{try}
// - Look further: `--context 8`. What does the loss gain, and what do the made-up words?
// - Make the descriptions tiny: `--width 1`. How much is lost?
// - Take fewer words: `--words 3000`. Where is the best table now, and who wins at three letters?
// - Take half of the hidden units, `--hidden 100`: what becomes of the names?
// ```
