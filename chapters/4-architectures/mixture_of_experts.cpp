// # Mixture of experts: a router chooses who computes
//
// ```{rows} sys-moe eq-moe sys-moe-shared-experts
// ```
//
// A larger network predicts better, but each token is multiplied by all of its weights. Is that necessary? A question
// about French grammar needs no weights about chemistry. A **mixture of experts** replaces the perceptron of a
// transformer block by many small perceptrons, the **experts**. A **router** chooses a few of them for each token, and
// only these run. The network has many weights, and each token pays for few. {numref}`fig-experts` shows a trained
// mixture that reads four made-up languages. Switch its experts off, one at a time, and watch which language suffers.
//
// ```{opening} fig-experts
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/base/flops.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/attention.hpp>
#include <recto/nn/embedding.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/mixture_of_experts.hpp>
#include <recto/nn/norm.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/top_k.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/log_softmax.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using figure::Figure, figure::Names;

const book::Option<Index> passes("steps", 400, "steps of a training",
                                 {.quick = 20, .least = 1, .most = 100'000});
const book::Option<int> draws("draws", 5, "trainings, each with its own languages",
                              {.quick = 1, .least = 1, .most = 50});
const book::Option<Index> experts("experts", 8, "routed experts",
                                  {.least = 2, .most = 16});
const book::Option<Index> chosen("chosen", 2, "experts chosen for each token",
                                 {.least = 1, .most = 2});

const Index width = 32, hidden = 8, time_steps = 15, languages = 4, own = 8, common = 4,
            letters = languages * own + common;
const double noise = 0.1, strength = 0.01;

// Defined further down:
struct Model;
Tensor by_loop(const nn::MixtureOfExperts& layer, const Tensor& x);
//-

//- the languages
// Letters 8 d to 8 d + 7 belong to language d, and the last four to all languages.
struct Languages {
    std::vector<std::vector<Index>> next;  // the successor of each letter, by language

    explicit Languages(Generator& random) {
        for (Index d = 0; d < languages; ++d) {
            const std::vector<Index> order = random.permutation(own + common);
            next.emplace_back(letters);
            for (Index i = 0; i < own + common; ++i)
                next.back()[std::size_t(letter(d, i))] =
                    letter(d, order[std::size_t(i)]);
        }
    }
    static Index letter(Index d, Index i) {
        return i < own ? own * d + i : own * (languages - 1) + i;
    }
};

struct Text {
    Integers letters, language;  // (batch, time)
    Integers answers;            // (batch * time): the next letters
};
Text write(const Languages& rules, Index batch, Generator& random) {
    std::vector<Index> read, spoken, answers;
    for (Index b = 0; b < batch; ++b) {
        const Index d = random.next_integer(0, languages);
        const auto any = [&] {
            return Languages::letter(d, random.next_integer(0, own + common));
        };
        Index now = any();
        for (Index t = 0; t < time_steps; ++t) {
            read.push_back(now), spoken.push_back(d);
            now = random.next_uniform() < noise
                      ? any()
                      : rules.next[std::size_t(d)][std::size_t(now)];
            answers.push_back(now);
        }
    }
    const Shape shape = {batch, time_steps};
    return {Integers(shape, read), Integers(shape, spoken),
            Integers({batch * time_steps}, answers)};
}
//-

// ## Choose, weigh, add
//
// A token $x$ comes in. The router is a single matrix: it gives a score to each of the $E$ experts, and a
// [softmax](../training/softmax.cpp) turns the scores into probabilities $g_1(x), \dots, g_E(x)$, the **gates**.
// Suppose that there are four experts and their gates are $0.5$, $0.3$, $0.1$ and $0.1$. With **top-2 routing** only
// the two experts with the largest gates run. Let them return $4$ and $10$. The layer returns
// $0.5 \cdot 4 + 0.3 \cdot 10 = 5$, and experts three and four are never computed. A **shared expert** runs for every
// token and has no gate. If it returns $1$, the layer returns $6$. In general
//
// ```{equation} eq-moe
// :function: recto::nn::MixtureOfExperts
// :test: MixtureOfExperts: the formula, token by token
// y = \sum_{e \,\in\, \text{top-}k(g(x))} g_e(x)\, f_e(x) \;+\; \sum_{s} f_s(x)
// ```
//
// where $f_e$ are the routed experts and $f_s$ the shared ones. As a loop over tokens it takes a few lines:
Tensor by_loop(const nn::MixtureOfExperts& layer, const Tensor& x) {
    const Tensor gates = softmax(layer.router(x));
    std::vector<Tensor> rows;
    for (Index t = 0; t < x.size(0); ++t) {
        const Tensor token = slice(x, 0, t, t + 1), gate = select(gates, 0, t);
        Tensor y = zeros(token.shape());
        for (const Index e : top_k(gate, layer.chosen).places.values())
            y = y + select(gate, 0, e) * layer.experts[std::size_t(e)](token);
        for (const nn::Expert& expert : layer.shared) y = y + expert(token);
        rows.push_back(y);
    }
    return concat(rows);
}

// {cpp:class}`~recto::nn::MixtureOfExperts` computes the same result faster. It collects the tokens of each expert,
// sends them through the expert as one batch, and puts the results back in order. The choice itself has no derivative:
// a small change of the router's weights changes no choice. But the gates are factors in the sum, so the router still
// gets a gradient: if a chosen expert was useful, its gate grows.
//
// Place a bet on a detail of the gates:
//- the question
void normalised_gates() {
    Generator random(book::seed());
    const nn::MixtureOfExperts layer(
        {.width = width, .hidden = hidden, .experts = experts(), .chosen = 1}, random);
    const Tensor x = random.normal({64, width});
    const nn::Routing routing = layer.route(x);
    const Tensor ones = routing.gates / sum(routing.gates, {1}, Keep::yes);
    const Tensor y = layer.mix(x, {routing.probabilities, ones, routing.experts});
    sum(y * y).backward();
    const double largest = double(max(abs(layer.router.weight.grad())).item());
    ask("Some mixtures divide the chosen gates by their sum, so that they add up to "
        "one. "
        "With k = 1, what does the router then learn from the prediction loss?",
        {{"More than before: its only gate counts fully.", false,
          "The gate is larger, but it can no longer change."},
         {"The same: a factor changes only the length of the gradient.", largest > 1e-6,
          "The factor depends on the gate itself, and cancels it."},
         {"Nothing: its gradient is zero.", largest <= 1e-6,
          "A single gate divided by itself is one, whatever the router says. This is "
          "why "
          "our layer does not divide."}});
}
//-

//- the layer against the loop
void by_hand() {
    Generator random(book::seed());
    const nn::MixtureSize size{.width = width,
                               .hidden = hidden,
                               .experts = experts(),
                               .chosen = chosen(),
                               .shared = 1};
    const nn::MixtureOfExperts layer(size, random);
    const Tensor x = random.normal({64, width});
    claim("eq-moe/a", "the layer against the loop, largest difference",
          max(abs(layer(x) - by_loop(layer, x))).item(), "<=", 1e-6);

    nn::MixtureOfExperts all = layer;  // every expert, as a sum without a choice
    all.chosen = experts();
    const Tensor gates = softmax(all.router(x));
    Tensor dense = all.shared[0](x);
    for (Index e = 0; e < experts(); ++e)
        dense = dense + slice(gates, 1, e, e + 1) * all.experts[std::size_t(e)](x);
    claim("sys-moe/b", "with k = E, the layer against the dense mixture",
          max(abs(all(x) - dense)).item(), "<=", 1e-6);

    const Tensor token = slice(x, 0, 0, 1);
    sum(layer(token)).backward();
    const std::vector<Index> picked = layer.route(token).experts.values();
    Index wrong = !layer.router.weight.grad().defined();
    for (Index e = 0; e < experts(); ++e)
        for (const NamedTensor& p : nn::parameters(layer.experts[std::size_t(e)]))
            wrong += p.tensor.grad().defined() !=
                     (std::ranges::find(picked, e) != picked.end());
    claim("eq-moe/b",
          "of one token: parameters of chosen experts and of the router without a "
          "gradient, and of other experts with one",
          wrong, "==", 0);

    const NoGrad forward_only;
    nn::MixtureOfExperts routed = layer;
    routed.shared.clear();
    const Tensor gap = layer(x) - routed(x) - layer.shared[0](x);
    Index missed = 0;
    for (const Real worst : max(abs(gap), {1}).values()) missed += !(worst <= 1e-5);
    claim("sys-moe-shared-experts/a",
          "of 64 tokens, those that the shared expert missed", missed, "==", 0);

    const auto count = [&](Index k) {
        routed.chosen = k;
        const nn::Routing routing = routed.route(x);
        const FlopCount counted;  // after the router
        routed.mix(x, routing);
        return counted.multiply_adds();
    };
    const Index few = count(chosen()), every = count(experts());
    say("multiplications of the routed experts for each token: {} of {}", few / 64,
        every / 64);
    claim("sys-moe/c", "E times the work with k experts, minus k times that with all",
          experts() * few - chosen() * every, "==", 0);
}
//-

// Our experts have a width of 32 and 8 hidden units, so an expert makes $2 \cdot 32 \cdot 8 = 512$ multiplications for
// a token. Eight experts would make 4,096, and two of them make 1,024. The router adds $32 \cdot 8 = 256$. With large
// experts the router's share vanishes, and the ratio of the work is $k / E$.
//
// ## Four languages
//
// To watch a router, we need texts of known kinds. Each of four languages has eight letters of its own, and all share
// four common letters. A language is a random table that says which of its twelve letters follows which. The common
// letters are false friends: in each language they have other successors. One letter in ten is drawn at random.
//
// The network is one transformer block that predicts the next letter. A token is the embedding of its letter, plus that
// of its place, plus that of its language:
struct Model {
    nn::Embedding letter, language, place;
    nn::LayerNorm before_attention, before_experts, last;
    nn::MultiHeadAttention attention;
    nn::MixtureOfExperts mixture;
    nn::Linear head;

    Tensor attend(const Text& text) const {
        const Tensor x = letter(text.letters) + language(text.language) + place.weight;
        const Tensor seen = x + attention(before_attention(x), {.causal = true});
        return reshape(seen, {text.answers.numel(), width});
    }
    Tensor scores(const Tensor& x, const Tensor& mixed) const {
        return head(last(x + mixed));
    }
    //-
    explicit Model(Generator& random)
        : letter(letters, width, random, {.deviation = 0.3}),
          language(languages, width, random, {.deviation = 0.1}),
          place(time_steps, width, random, {.deviation = 0.1}),
          before_attention({width}),
          before_experts({width}),
          last({width}),
          attention(width, 4, random),
          mixture({.width = width,
                   .hidden = hidden,
                   .experts = experts(),
                   .chosen = chosen(),
                   .shared = 1},
                  random),
          head(width, letters, random) {}
    void visit(auto&& part) {
        part("letter", letter), part("language", language), part("place", place);
        part("before_attention", before_attention);
        part("before_experts", before_experts), part("last", last);
        part("attention", attention), part("mixture", mixture), part("head", head);
    }
    //-
};

// ## Keep them all busy
//
// A router can fall into a habit. An expert that is chosen often learns fast, becomes better than the others, and is
// chosen more often {cite:p}`shazeer2017`. The cure is a second loss, which asks for **load balancing**
// {cite:p}`fedus2022`. Let $u_e$ be the share of the choices that fell on expert $e$ in a batch, and $\bar g_e$ its
// mean gate. The **balance loss** is
//
// $$ E \sum_{e=1}^{E} u_e\, \bar g_e . $$
//
// Two experts with the shares $0.75$ and $0.25$ and the mean gates $0.6$ and $0.4$ have $2\,(0.45 + 0.1) = 1.1$. With
// equal shares the loss is $1$. If all choices fall on one expert with a gate of 1, which needs $k = 1$, it is $E$. The
// shares have no derivative, but the gates have one: the gates of busy experts are pushed down. We add a hundredth of
// this loss to the cross-entropy:
Tensor loss_of(const Model& net, const Text& text) {
    const Tensor x = net.attend(text), normed = net.before_experts(x);
    const nn::Routing routing = net.mixture.route(normed);
    const Tensor scores = net.scores(x, net.mixture.mix(normed, routing));
    return cross_entropy(scores, text.answers) + nn::balance_loss(routing) * strength;
}

//- a training, and what is measured after it
// A test text on its way: before the mixture, and what the router decides.
struct Halfway {
    Tensor x, normed;
    nn::Routing routing;
};
Halfway halfway(const Model& net, const Text& text) {
    const Tensor x = net.attend(text), normed = net.before_experts(x);
    return {x, normed, net.mixture.route(normed)};
}

// The surprise at each letter of a text, -log p.
std::vector<double> surprises(const Model& net, const Halfway& at,
                              const nn::MixtureOfExperts& mixture,
                              const nn::Routing& routing, const Text& text) {
    const Tensor logs = log_softmax(net.scores(at.x, mixture.mix(at.normed, routing)));
    const std::vector<Real> all = logs.values();
    const std::vector<Index> right = text.answers.values();
    std::vector<double> found;
    for (std::size_t i = 0; i < right.size(); ++i)
        found.push_back(-double(all[i * std::size_t(letters) + std::size_t(right[i])]));
    return found;
}

// The same with an expert switched off: the router chooses among the others. Expert E is the shared one.
std::vector<double> without(const Model& net, const Halfway& at, Index e,
                            const Text& text) {
    nn::MixtureOfExperts mixture = net.mixture;
    if (e == experts()) {
        mixture.shared.clear();
        return surprises(net, at, mixture, at.routing, text);
    }
    Tensor off = zeros({experts()});
    off.set({e}, -1e9);
    const Tensor gates = softmax(mixture.router(at.normed) + off);
    const TopK best = top_k(gates, mixture.chosen);
    return surprises(net, at, mixture, {gates, best.values, best.places}, text);
}

double mean_of(const std::vector<double>& numbers) {
    double sum = 0;
    for (const double x : numbers) sum += x / double(numbers.size());
    return sum;
}

// The mutual information of language and expert in bits, over all choices.
double information(const nn::Routing& routing, const Text& text) {
    const std::vector<Index> choice = routing.experts.values(),
                             spoken = text.language.values();
    std::vector<double> of_language(languages),
        of_expert(experts.limits().most.value());
    std::vector<std::vector<double>> joint(languages, of_expert);
    const double each = 1 / double(choice.size());
    for (std::size_t i = 0; i < choice.size(); ++i) {
        const auto d = std::size_t(spoken[i / std::size_t(chosen())]),
                   e = std::size_t(choice[i]);
        joint[d][e] += each, of_language[d] += each, of_expert[e] += each;
    }
    double bits = 0;
    for (std::size_t d = 0; d < joint.size(); ++d)
        for (std::size_t e = 0; e < joint[d].size(); ++e)
            if (joint[d][e] > 0)
                bits += joint[d][e] *
                        std::log2(joint[d][e] / (of_language[d] * of_expert[e]));
    return bits;
}

// The same information if a letter always goes to the same experts, which are drawn for each letter.
double sorted_at_random(const Text& text, Generator& random) {
    std::vector<std::vector<Index>> order;
    for (Index l = 0; l < letters; ++l) order.push_back(random.permutation(experts()));
    std::vector<Index> choice;
    for (const Index l : text.letters.values())
        for (Index k = 0; k < chosen(); ++k)
            choice.push_back(order[std::size_t(l)][std::size_t(k)]);
    const Index tokens = text.letters.numel();
    return information({Tensor(), Tensor(), Integers({tokens, chosen()}, choice)},
                       text);
}

// The load of the busiest expert, relative to an equal share.
double busiest(const nn::Routing& routing) {
    std::vector<double> load(routing.probabilities.size(1));
    const std::vector<Index> choice = routing.experts.values();
    for (const Index e : choice) load[std::size_t(e)] += 1 / double(choice.size());
    return std::ranges::max(load) * double(experts());
}

struct Trained {
    Model net;
    Text test;
    double untrained_bits = 0;
};
Trained train(std::uint64_t seed, bool balanced) {
    Generator random(seed);
    const Languages rules(random);
    Generator fresh(seed + 1'000'000);
    Trained done{Model(random), write(rules, 1000, fresh)};
    {
        const NoGrad only_asking;
        done.untrained_bits =
            information(halfway(done.net, done.test).routing, done.test);
    }
    optim::Adam adam(nn::parameters(done.net));
    for (Index step = 0; step < passes(); ++step) {
        adam.options.lr = 0.01 * (1 - double(step) / double(passes()));
        const Text text = write(rules, 64, random);
        optim::train_step(adam, [&] {
            if (balanced) return loss_of(done.net, text);
            const Halfway at = halfway(done.net, text);
            return cross_entropy(
                done.net.scores(at.x, done.net.mixture.mix(at.normed, at.routing)),
                text.answers);
        });
    }
    return done;
}
//-

//- how the figure is drawn
void switches(const Trained& done) {
    const NoGrad only_asking;
    const Halfway at = halfway(done.net, done.test);
    Names rows, columns;
    for (Index d = 0; d < languages; ++d)
        rows.push_back(fmt::format("language {}", "ABCD"[d]));
    rows.push_back("common letters");
    for (Index e = 1; e <= experts(); ++e) columns.push_back(std::to_string(e));
    const std::vector<Index> read = done.test.letters.values(),
                             choice = at.routing.experts.values();
    std::vector<double> share(rows.size() * columns.size()), total(rows.size());
    for (std::size_t i = 0; i < choice.size(); ++i) {
        const auto row = std::size_t(read[i / std::size_t(chosen())] / own);
        ++share[row * columns.size() + std::size_t(choice[i])], ++total[row];
    }
    for (std::size_t i = 0; i < share.size(); ++i)
        share[i] /= total[i / columns.size()];

    std::vector<double> stops;
    for (Index e = 0; e <= experts() + 1; ++e) stops.push_back(double(e));
    Figure figure("fig-experts");
    figure
        .describe(
            "Left, a table of colours: the share of the choices of each expert, for "
            "letters of "
            "four languages and for common letters. Each language has one to three "
            "favourite experts. Right, five bars: how much the mean surprise at the "
            "next letter "
            "rises when one expert is switched off.")
        .height(230)
        .slider("off", stops,
                fmt::format("expert switched off (0: none, {}: the shared one)",
                            experts() + 1),
                6)
        .panel("use of the experts")
        .heatmap("share", columns, rows, share, 0, 0.5)
        .x("routed expert");
    const Names five = {"1", "2", "3", "4", "5"};
    for (Index e = 1; e <= experts(); ++e)
        figure.at(double(e)).frame(Names(rows.size(), std::to_string(e)), rows);
    figure.always()
        .panel("harm")
        .x("letters of")
        .y("rise of the surprise, nats")
        .ylim(0, 0.2);
    const std::vector<double> whole =
        surprises(done.net, at, done.net.mixture, at.routing, done.test);
    for (const double stop : stops) {
        const std::vector<double> now =
            stop == 0 ? whole : without(done.net, at, Index(stop) - 1, done.test);
        std::vector<double> rise(rows.size()), counted(rows.size());
        for (std::size_t i = 0; i < now.size(); ++i) {
            const auto row = std::size_t(read[i] / own);
            rise[row] += now[i] - whole[i], ++counted[row];
        }
        for (std::size_t i = 0; i < rise.size(); ++i) rise[i] /= counted[i];
        figure.at(stop).bars("", Names{"A", "B", "C", "D", "common"}, rise);
    }
    figure.always().save(
        "A trained mixture of eight experts, of which two run for each letter, and a "
        "shared one. *use*: which experts the router chooses. *harm*: how much worse "
        "the "
        "network predicts when an expert is switched off and the router must choose "
        "among "
        "the others.");
    book::shows("sys-moe/a", "fig-experts");
}
//-

// ## What the router learns
//
// Look at {numref}`fig-experts` again. Expert 6 is the favourite of language C: nearly half of the choices for its own
// letters fall on it. Switch it off, and only language C and the common letters suffer. The training asked for right
// predictions and for equal load. It said nothing about languages.
//
// How clear is the sorting? The **mutual information** of expert and language says how many bits you learn about the
// language when you hear which expert was chosen. Four languages have two bits. If the choice tells the language, the
// mutual information is two bits, and if the choice has nothing to do with it, zero. We measure it before and after the
// training.
//
// The shared expert runs for every token. It helps some languages more than others: switch it off (stop 9), and C and A
// suffer most. What does it cost to lose it? We switch it off, and
// compare with the routed experts, where the router may choose a replacement.
//- the trainings, and what is checked
void measure(const Trained& first) {
    std::vector<double> bits, untrained, at_random, load, free_load, gap, surprise;
    for (int draw = 0; draw < draws(); ++draw) {
        book::progress(draw + 1, draws(), "draws");
        const std::uint64_t seed = book::seed() + std::uint64_t(draw);
        const Trained done = draw == 0 ? first : train(seed, true);
        const Trained free = train(seed, false);
        const NoGrad only_asking;
        const Halfway at = halfway(done.net, done.test);
        const double whole =
            mean_of(surprises(done.net, at, done.net.mixture, at.routing, done.test));
        double total = 0, most = 0;
        for (Index e = 0; e < experts(); ++e) {
            const double rise = mean_of(without(done.net, at, e, done.test)) - whole;
            total += rise, most = std::max(most, rise);
        }
        const double routed = total / double(experts()),
                     shared =
                         mean_of(without(done.net, at, experts(), done.test)) - whole;
        surprise.push_back(whole), gap.push_back(shared - routed);
        bits.push_back(information(at.routing, done.test));
        untrained.push_back(done.untrained_bits);
        Generator letters_drawn(seed + 2'000'000);
        at_random.push_back(sorted_at_random(done.test, letters_drawn));
        load.push_back(busiest(at.routing));
        free_load.push_back(busiest(halfway(free.net, free.test).routing));
        say("draw {}: switching off the shared expert costs {:.3f} nats, a routed one "
            "{:.3f} in the mean and {:.3f} at most",
            draw + 1, shared, routed, most);
    }
    const double p = noise / double(own + common), right = 1 - noise + p;
    say("surprise at the next letter: {} nats; of the exact law {:.3f}",
        book::brief(over_seeds(surprise)),
        -right * std::log(right) - double(own + common - 1) * p * std::log(p));
    say("bits before any training: {}; with letters sorted at random: {}",
        book::brief(over_seeds(untrained)), book::brief(over_seeds(at_random)));
    say("load of the busiest expert without the balance loss: {}",
        book::brief(over_seeds(free_load)));
    claim("sys-moe/d", "bits that the chosen expert tells about the language",
          over_seeds(bits), ">", 0.5);
    claim("sys-moe/e", "load of the busiest expert, relative to an equal share",
          over_seeds(load), "<=", 2);
    claim(
        "sys-moe-shared-experts/b",
        "cost of switching off the shared expert, minus the mean cost of a routed one",
        over_seeds(gap), ">", 0);
}
//-

// A router that sorts the letters at random tells 0.12 bits about the language. The untrained router tells about a
// quarter of a bit, since the embedding of the language is a part of its input. Training raises this to 0.63 bits in
// the median of five draws. In the draw with the weakest sorting it is 0.43 bits. The rest of the choice depends on the
// letter: the router also sorts letters within a language. The text is predicted about as well as the exact law allows,
// so the mixture has learned the languages. (The median is a little below the law: the test has 15,000 letters, and its
// mean surprise varies by about 0.01 from draw to draw.)
//
// With the balance loss the busiest expert has 1.2 times its equal share. Without it the median is 1.6 times, and 2.0
// in one draw: more unequal, but far from a collapse, which would be 4 times with two choices among eight experts. So
// the bound of 2 alone does not show that the loss is needed; the difference does.
//
// To lose the shared expert costs more than to lose a routed one, in each of the five draws: it sees every token, and a
// routed expert sees a quarter of them on average. This compares with the *mean* routed expert. The most useful routed
// expert is about as valuable as the shared one.
//
// ## Limits and history
//
// The idea is old: {cite:t}`jacobs1991` trained a gating network with its experts. {cite:t}`shazeer2017` chose a few
// out of thousands of experts, and {cite:t}`fedus2022` chose one. Mixtral has 8 experts in each layer and chooses 2; it
// has 47 billion parameters, of which a token uses 13 billion {cite:p}`jiang2024`. DeepSeekMoE keeps shared
// experts beside many small ones {cite:p}`dai2024`.
//
// Our languages differ in everything, and their names are part of the input. The experts of a large model are less
// tidy: {cite:t}`jiang2024` looked for experts of topics such as mathematics or biology and found no clear pattern. And
// the weights that do not run must still be stored: a mixture saves multiplications, not memory.
//
// ## Summary
//
// A mixture of experts holds many small perceptrons, and a router chooses $k$ of $E$ for each token, so the experts'
// work shrinks by $k / E$. The gates of the chosen experts are factors of their results, and through them the router
// learns. A balance loss keeps all experts in use, and shared experts run for every token.
//
// ## What is missing
//
// All our language models so far read from left to right. [The next page](masked_language_model.cpp) reads in both
// directions.
//
// ```{try}
// - One expert for each token: `--chosen 1`. Do the experts sort the languages more clearly?
// - Fewer experts than languages: `--experts 3`. Which languages share one?
// - A longer training: `--steps 2000`. Does the mutual information rise?
// ```

void page() {
    const Trained first = train(book::seed(), true);
    switches(first);
    by_hand();
    normalised_gates();
    measure(first);
}
