// # Metric learning: a map from comparisons
//
// ```{rows} eq-contrastive-triplet claim-contrastive-positive-unless
// ```
//
// So far every sample came with its target. Often there is no fixed list of classes. There are millions of faces, and
// tomorrow's new face has no score in any network. But we can say that two images show *the same* person, and that
// a third does not. Are such comparisons enough to train a network? In **metric learning** a network maps every image to
// a point, its **embedding**, and learns from comparisons only: similar images should lie close together. Move the
// slider of {numref}`fig-embedding`: a network arranges images of shoes that it was not trained on.
//
// ```{opening} fig-embedding
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/table.hpp>
#include <recto/core/random.hpp>
#include <recto/data/curves.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/pairwise_loss.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

using namespace recto;
using book::ask, book::claim, book::median, book::over_seeds, book::say;
using data::even_grid, data::Examples, data::Part;
using figure::Figure;
using Numbers = std::vector<double>;
using Rows = std::vector<Index>;

const book::Option<int> gallery("gallery", 60, "number of images in the gallery",
                                {.least = 3, .most = 1000});
const book::Option<int> lessons("lessons", 600, "training steps for each embedding",
                                {.quick = 60, .least = 10, .most = 20'000});
const book::Option<int> draws("draws", 5, "number of repetitions of each experiment",
                              {.quick = 1, .least = 1, .most = 50});
//-

//- how the figure is drawn
const Rows shoes = {5, 7, 9};  // sandals, sneakers, boots

struct Snapshot {
    Index step;
    std::vector<Real> points;  // two coordinates for each image
};

void draw_map(const std::vector<Snapshot>& maps, const Rows& labels) {
    Numbers looks;
    double reach = 0;
    for (const Snapshot& map : maps) {
        looks.push_back(double(map.step));
        for (std::size_t i = 0; i < 2 * 300; ++i)
            reach = std::max(reach, std::ceil(std::abs(double(map.points[i]))));
    }
    Figure shown("fig-embedding");
    shown
        .describe(
            "Three hundred held-out images as points in the plane, in three colours. "
            "Before training they are one cloud in which the colours are mixed; "
            "after it there are three clusters apart from each other, with some "
            "points in between.")
        .slider("step", looks, "training steps", looks.back())
        .height(640)  // as wide as high, so that distances are true
        .xlim(-reach, reach)
        .ylim(-reach, reach);
    for (const Snapshot& map : maps) {
        shown.at(double(map.step));
        for (const Index shoe : shoes) {
            Numbers x, y;
            for (std::size_t i = 0; i < 300; ++i)
                if (labels[i] == shoe)
                    x.push_back(map.points[2 * i]), y.push_back(map.points[2 * i + 1]);
            shown.dots(std::string(data::fashion_names[std::size_t(shoe)]), x, y,
                       {.opacity = 0.7});
        }
    }
    shown.always()
        .x("first coordinate")
        .y("second coordinate")
        .save(
            "Held-out images on the plane, before training (0 steps) and after. Only "
            "comparisons determined this layout. Rotating the plane leaves the loss "
            "unchanged.");
    book::shows("eq-contrastive-triplet/d", "fig-embedding");
}
//-

// ## Nearer by a margin
//
// A comparison has three samples: an **anchor** $a$, a **positive** $b$ of the same class, and a **negative** $c$ of
// another class. The positive should be nearer to the anchor than the negative, by a margin of one. For example, let all
// three lie on a line, the anchor at 0, the positive at 1 and the negative at 1.5. The distances are 1 and 1.5. The
// negative is only 0.5 further away, 0.5 short of the margin, and this shortfall is the loss:
// $\max(0,\; 1 - 1.5 + 1) = 0.5$. With the negative at 2 or beyond, the loss is zero.
//
// In general, let $f(x, x'; w)$ be the distance of the two points to which a network maps $x$ and $x'$. The loss is
// the sum over all triplets {cite:p}`weinberger2009,schroff2015`:
//
// ```{equation} eq-contrastive-triplet
// :function: recto::triplet_loss
// :test: triplet_loss: nothing is left to gain where the negative is exactly one further
// \sum_{\substack{(a, b, c) \cr y_a = y_b \ne y_c}} \max\big(0,\; 1 - f(x_a, x_c; w) + f(x_a, x_b; w)\big)
// ```
//
// This is the **triplet loss** (the library takes the mean over the given triplets), one of the **contrastive losses**,
// which compare samples with each other. Its gradient is simple. A triplet with a positive loss pulls the anchor and
// the positive together and pushes the anchor and the negative apart, both with the same force at every distance. A
// triplet with a loss of zero does nothing. {numref}`fig-triplet` shows where the negative is pushed.
//- how the figure is drawn
void draw_triplet() {
    Figure drawn("fig-triplet");
    drawn
        .describe(
            "A plane with the anchor in the middle and the positive to its right, at a "
            "distance set by the slider. A disc around the anchor is shaded; its "
            "radius is one larger than that distance.")
        .slider("near", even_grid(9, 0, 2), "distance of the positive", 1)
        .height(640)  // as wide as high, so that circles are round
        .xlim(-3.2, 3.2)
        .ylim(-3.2, 3.2);
    for (const double near : even_grid(9, 0, 2)) {
        Numbers x, low, high;
        for (const double turn : even_grid(121, 0, std::numbers::pi)) {
            x.push_back(-(1 + near) * std::cos(turn));
            high.push_back((1 + near) * std::sin(turn));
            low.push_back(-high.back());
        }
        drawn.at(near)
            .band("negatives pushed", x, low, high, {.color = figure::red})
            .dots("positive", {near}, {0}, {.color = figure::blue, .width = 4});
    }
    drawn.always()
        .dots("anchor", {0}, {0}, {.color = figure::ink, .width = 4})
        .x("first coordinate")
        .y("second coordinate")
        .save(
            "A triplet has a gradient while the negative lies in the shaded disc. Its "
            "radius is the distance of the positive plus one, so a positive that "
            "comes nearer also frees negatives.");
}
//-

// So a triplet pulls *unless* the negative is at least one further away than the positive. The program compares the
// library's loss with this sentence on a hundred thousand pairs of distances, and then on the border itself:
//- what is checked, and a question
void when_it_pulls() {
    Generator random(book::seed());
    const auto loss = [](double near, double far) {
        return triplet_loss(zeros({1, 1}), full({1, 1}, Real(near)),
                            full({1, 1}, Real(far)))
            .item();
    };
    const NoGrad only_asking;
    Index exceptions = 0, beyond = 0;
    for (int i = 0; i < 100'000; ++i) {
        const auto near = Real(3 * random.next_uniform()),
                   far = Real(3 * random.next_uniform());
        exceptions += (loss(near, far) > 0) != (far < 1 + near);
    }
    claim("claim-contrastive-positive-unless/a",
          "of 100 000 pairs of distances, those that contradict: the loss is "
          "positive exactly if the dissimilar sample is less than one further away",
          exceptions, "==", 0);
    for (int i = 0; i < 1000; ++i) {
        const double near = double(i) / 8;
        beyond += loss(near, near + 1) != 0;
    }
    claim("claim-contrastive-positive-unless/b",
          "of 1000 pairs exactly on the border, those whose loss is not 0", beyond,
          "==", 0);
    const double collapsed =
        triplet_loss(zeros({1, 2}), zeros({1, 2}), zeros({1, 2})).item();
    ask("A lazy network could map every image to the same point. Which loss does a "
        "triplet have on such a map?",
        {{"0: no image is far from any other.", collapsed == 0,
          "The positive is near, but so is the negative. The loss wants a difference "
          "of two distances, and this difference is zero."},
         {"1, the margin.", collapsed == 1,
          "Both distances are zero, so the negative lacks the whole margin. A loss "
          "that only pulled similar images together would be zero here."},
         {"It grows without bound.", collapsed > 1,
          "The loss of a triplet is at most the distance of the positive plus one, "
          "and that distance is zero here."}});
}
//-

// The push is essential. A loss that only rewards short distances between similar images is smallest when all images
// share one point; this failure is called **collapse**.
//
// ## A map of shoes
//
// We take three classes of Fashion-MNIST that look alike: sandals, sneakers and boots. A network with a hidden
// layer maps each image to a point of the *plane*, so that we can look at it. The network never sees a label.
// Labels only choose the triplets: this image is more like that one than like the third.
//- the images of the chosen classes
Examples only(const Rows& classes, Part part) {
    const Examples& all = data::fashion_mnist(part);
    const Rows labels = all.labels.values();
    Rows rows;
    for (std::size_t i = 0; i < labels.size(); ++i)
        if (std::ranges::count(classes, labels[i])) rows.push_back(Index(i));
    Examples found = data::flat(data::select(all, rows));
    found.x = (found.x - 0.286) / 0.353;
    return found;
}

std::vector<Rows> by_class(const Examples& set, const Rows& classes) {
    std::vector<Rows> rows(classes.size());
    const Rows labels = set.labels.values();
    for (std::size_t i = 0; i < labels.size(); ++i)
        rows[std::size_t(std::ranges::find(classes, labels[i]) - classes.begin())]
            .push_back(Index(i));
    return rows;
}
//-

// Triplets are drawn at random: a class, another class, two images of the first and one of the second. They are
// stored as three lists of rows.
std::array<Integers, 3> draw_triplets(const std::vector<Rows>& images, Index count,
                                      Generator& random) {
    std::array<Rows, 3> drawn;
    for (Index i = 0; i < count; ++i) {
        const Index like = random.next_integer(0, 3),
                    unlike = (like + random.next_integer(1, 3)) % 3;
        for (std::size_t role = 0; role < 3; ++role) {
            const Rows& from = images[std::size_t(role < 2 ? like : unlike)];
            drawn[role].push_back(
                from[std::size_t(random.next_integer(0, Index(from.size())))]);
        }
    }
    return {Integers({count}, drawn[0]), Integers({count}, drawn[1]),
            Integers({count}, drawn[2])};
}

// Training is the usual loop, with 128 new triplets in each step. All three images of a triplet pass through the same
// network, and their points go into the loss:
//- the network
using Look = std::function<void(Index step, const nn::Mlp& now)>;

nn::Mlp embed(const Examples& set, const Rows& classes, Generator& random,
              const Look& look) {
    const nn::Mlp net({784, 64, 2}, relu, random);
    const std::vector<Rows> images = by_class(set, classes);
    //-
    optim::Adam adam(nn::parameters(net));
    const auto loss = [&] {
        const auto [a, b, c] = draw_triplets(images, 128, random);
        const auto place = [&](const Integers& rows) {
            return net(index_rows(set.x, rows));
        };
        return triplet_loss(place(a), place(b), place(c));
    };
    //- the loop over the steps, and the repetition
    for (Index step = 0; step < lessons(); ++step) {
        look(step, net);
        adam.options.lr = 2e-3 * (1 - double(step) / double(lessons()));
        optim::train_step(adam, loss);
    }
    look(lessons(), net);
    return net;
}

struct Study {
    Examples fresh;               // held-out images
    std::vector<Snapshot> maps;   // of the first draw
    std::vector<Numbers> active;  // for each map the share of triplets, in each draw
    std::vector<Tensor> points;   // the embeddings of each draw
    std::vector<Rows> orders;     // and an order of the images, for a gallery
};

Study learn_shoes() {
    Study study{only(shoes, Part::test), {}, {}, {}, {}};
    const Examples train = only(shoes, Part::train);
    Generator chosen(book::seed() + 30);
    const auto [a, b, c] = draw_triplets(by_class(study.fresh, shoes), 1000, chosen);
    for (int draw = 0; draw < draws(); ++draw) {
        book::progress(draw + 1, draws(), "maps");
        Generator random(book::seed() + 10 + std::uint64_t(draw));
        std::size_t looks = 0;
        const Look look = [&](Index step, const nn::Mlp& now) {
            const bool shown =
                step <= 4 ? step % 2 == 0 : std::has_single_bit(std::uint64_t(step));
            if (!shown && step < lessons()) return;
            const NoGrad only_asking;
            const Tensor points = now(study.fresh.x);
            if (draw == 0) {
                study.maps.push_back({step, points.values()});
                study.active.emplace_back();
            }
            const auto distance = [&](const Integers& other) {
                const Tensor apart = index_rows(points, a) - index_rows(points, other);
                return sqrt(sum(square(apart), {1}));
            };
            const Tensor loss = relu(1 + distance(b) - distance(c));
            const std::vector<Real> each = loss.values();
            study.active[looks++].push_back(
                double(std::ranges::count_if(each, [](Real l) { return l > 0; })) /
                double(each.size()));
        };
        const nn::Mlp net = embed(train, shoes, random, look);
        const NoGrad only_asking;
        study.points.push_back(net(study.fresh.x));
        study.orders.push_back(random.permutation(study.fresh.size()));
    }
    return study;
}
//-

// ## Most triplets soon stop teaching
//
// A triplet teaches only while its loss is positive. {numref}`fig-active` follows a thousand triplets of held-out
// images through the training of each network.
//- how the figure is drawn
void active_triplets(const Study& study) {
    Numbers steps, middle, low, high;
    for (std::size_t k = 1; k < study.maps.size(); ++k) {  // all before the first step
        steps.push_back(double(study.maps[k].step));
        middle.push_back(100 * median(study.active[k]));
        low.push_back(100 * std::ranges::min(study.active[k]));
        high.push_back(100 * std::ranges::max(study.active[k]));
    }
    Figure("fig-active")
        .describe(
            "The share of triplets with a positive loss against the training steps, on "
            "a logarithmic axis. It falls from nearly half after two steps to a "
            "seventh "
            "after 600 steps.")
        .band("", steps, low, high, {.color = figure::blue})
        .line("", steps, middle, {.color = figure::blue})
        .log_x()
        .ylim(0, 60)
        .x("training steps")
        .y("triplets with a gradient, %")
        .height(240)
        .save(
            "How many of a thousand held-out triplets still have a positive loss: the "
            "median of the draws and their range. Most triplets are settled early.");
    claim("", "after training, the share of held-out triplets with a positive loss",
          over_seeds(study.active.back()), "<", 0.25);
}
//-

// Before training all points lie so close together that nearly every triplet lacks most of the margin. After two
// steps about half of the triplets still have a gradient, and after 600 steps one in seven. At this share, about 110
// of the 128 triplets of a mini-batch are computed for nothing. The triplets that remain are the hard ones, such as a
// sandal that looks like a sneaker. This is why large systems search each mini-batch for **hard negatives**,
// dissimilar images that lie too near. The hardest of all can drive the network into collapse early in training, so
// {cite:t}`schroff2015` take *semi-hard* ones, which lie further away than the positive, but by less than the margin.
//
// ## Search by the map
//
// We judge the map by its use. You have a **gallery**, a few new images whose classes are known, and for other new
// images you look up the nearest one of the gallery. The share of these queries for which the nearest image is of the
// right class is the **precision at one**. For comparison, we do the same with distances of raw pixels. Each draw takes
// new queries, a new gallery and a new network, and tests galleries from small to large.
//- the precision at one, and the study of the shoes
double precision(const Tensor& points, const Rows& labels, const Rows& order,
                 Index size) {
    const std::vector<Real> x = points.values();
    const std::size_t width = std::size_t(points.size(1));
    double right = 0;
    // the book carries fewer images for the browser
    const std::size_t questions = std::min<std::size_t>(500, order.size() / 2);
    for (std::size_t q = 0; q < questions; ++q) {
        const std::size_t at = std::size_t(order[order.size() - 1 - q]);
        Real nearest = std::numeric_limits<Real>::infinity();
        Index name = 0;
        for (std::size_t g = 0; g < std::min(std::size_t(size), order.size() / 2);
             ++g) {
            const std::size_t with = std::size_t(order[g]);
            Real distance = 0;
            for (std::size_t i = 0; i < width; ++i) {
                const Real gap = x[at * width + i] - x[with * width + i];
                distance += gap * gap;
            }
            if (distance < nearest) nearest = distance, name = labels[with];
        }
        right += double(name == labels[at]) / double(questions);
    }
    return right;
}

void search(const Study& study) {
    const Rows labels = study.fresh.labels.values();
    std::vector<Index> sizes = {15, 30, 60, 120, 250, 500, 1000};
    std::erase_if(sizes, [&](Index n) { return n > study.fresh.size() / 2; });
    std::vector<Numbers> by_pixels(sizes.size()), by_map(sizes.size());
    Numbers learned, gained;
    for (std::size_t draw = 0; draw < study.points.size(); ++draw) {
        const auto score = [&](const Tensor& points, Index size) {
            return precision(points, labels, study.orders[draw], size);
        };
        for (std::size_t k = 0; k < sizes.size(); ++k) {
            by_pixels[k].push_back(score(study.fresh.x, sizes[k]));
            by_map[k].push_back(score(study.points[draw], sizes[k]));
        }
        learned.push_back(score(study.points[draw], gallery()));
        gained.push_back(learned.back() - score(study.fresh.x, gallery()));
    }
    say("a gallery of {} images", gallery());
    claim("",
          "shoes: the share of held-out images whose nearest neighbour on the map is "
          "of their class",
          over_seeds(learned), ">=", 0.9);
    claim("eq-contrastive-triplet/c",
          "shoes: that share is above the share for raw pixels by", over_seeds(gained),
          ">=", 0.1);
    //-

    // The size of the gallery matters a great deal for pixels, and hardly for the map ({numref}`fig-gallery`). Pixels
    // need an image that looks nearly the same, and so a large gallery. On the map any shoe of the same class will
    // do, because the class lies in one place. And since the network has no score for a class, the gallery could
    // contain a fourth class of shoes. We did not measure how well the map would place it.
    //- how the figure is drawn
    Numbers across, pixels, map;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        across.push_back(double(sizes[k]));
        pixels.push_back(median(by_pixels[k])), map.push_back(median(by_map[k]));
    }
    Figure("fig-gallery")
        .describe(
            "Precision against the size of the gallery, from 15 to 1000 images. For "
            "the map it is level, between 0.90 and 0.92. For pixels it rises from "
            "0.7 to nearly 0.9 and stays below the map.")
        .line("on the map", across, map)
        .line("by pixels", across, pixels)
        .rule_x(double(gallery()), "the gallery above")
        .log_x()
        .ylim(0.6, 1)
        .x("images in the gallery")
        .y("precision at one")
        .save(
            "How often the nearest image of the gallery is of the right class: 2 "
            "learned coordinates against 784 pixels.");
}
//-

// ## Other classes
//
// We picked these three classes after looking at eight choices. Where the nearest image by its pixels is usually right,
// a map has little to add, and shirts, coats and pullovers were too hard for the map. Shoes lie in between. To show
// how much this choice matters, we also draw three classes at random, five times, with one network each.
//- the study of other classes
void other_classes() {
    Generator random(book::seed() + 20);
    std::vector<std::vector<book::Cell>> rows;
    Numbers leads, right;
    for (int choice = 0; choice < (book::quick() ? 1 : 5); ++choice) {
        Rows classes = random.permutation(10);
        classes.resize(3);
        std::ranges::sort(classes);
        const Examples fresh = only(classes, Part::test);
        const nn::Mlp net = embed(only(classes, Part::train), classes, random,
                                  [](Index, const nn::Mlp&) {});
        const NoGrad only_asking;
        const Rows labels = fresh.labels.values(),
                   order = random.permutation(fresh.size());
        const double on_map = precision(net(fresh.x), labels, order, gallery()),
                     by_pixels = precision(fresh.x, labels, order, gallery());
        leads.push_back(on_map - by_pixels), right.push_back(on_map);
        std::string names;
        for (const Index k : classes)
            names += (names.empty() ? "" : ", ") +
                     std::string(data::fashion_names[std::size_t(k)]);
        rows.push_back(
            {names, fmt::format("{:.3f}", on_map), fmt::format("{:.3f}", by_pixels)});
    }
    book::table(
        "tab-choices",
        "The precision at one for three classes drawn at random, on the map and by "
        "pixels.",
        {"classes", "on the map", "by pixels"}, rows);
    claim("", "classes drawn at random: the smallest lead of the map over pixels",
          std::ranges::min(leads), ">", 0);
    claim("eq-contrastive-triplet/b",
          "classes drawn at random: the share of held-out images whose nearest "
          "neighbour on the map is of their class",
          over_seeds(right), ">=", 0.9);
    say("classes drawn at random: that share is above the share for raw pixels by {}",
        book::brief(over_seeds(leads)));
}
//-

// For four of the five choices pixels are right for 87 to 96 % of the images, which leaves the map little to
// gain. The fifth, T-shirts, pullovers and shirts, is hard for both: 73 % on the map, 65 % by pixels.
void page() {
    draw_triplet();
    when_it_pulls();
    const Study study = learn_shoes();
    draw_map(study.maps, study.fresh.labels.values());
    active_triplets(study);
    search(study);
    other_classes();
}

// ## Summary
//
// Comparisons are enough to train a network. The triplet loss asks that a similar image be nearer than a dissimilar one
// by a margin, and a triplet that keeps the margin has no gradient. On the learned plane the nearest neighbour is usually
// of the same class, even with a gallery of fifteen images.
//
// ## What is missing
//
// So far all inputs of a model had the same size. A sentence has any length, its parts stand in an order, and the most
// useful label for its beginning is what comes next. [The next pages](sequences.cpp) learn from sequences.
//
// ```{try}
// - A tiny gallery: `--gallery 9`. How precise are pixels and the map now?
// - Train longer: `--lessons 3000`. How many triplets still have a gradient, and does the precision rise?
// - Train hardly at all: `--lessons 20`. Which part of the map comes first?
// ```
