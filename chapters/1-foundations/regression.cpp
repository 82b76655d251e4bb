// # Regression: how much, where
//
// ```{rows} sys-cat-regression
// ```
//
// Whatever we want to know about a signal, the answer has a form, and the form decides how we ask. This page
// and the next two take three forms one by one, and a fourth page mixes them. The first form is a *number*, or a few
// numbers: how warm, how far, how much, where. Predicting numbers from a signal is called **regression** {cite:p}`fleuret2023`.
// [Fitting a curve](fit_curve.cpp) was regression from one number to one number. Here the signal is an image.
//
// How does a network learn where a bar lies and how it is turned? Step through the training:
//
// ```{opening} fig-bars
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/stopwatch.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/drawings.hpp>
#include <recto/figure/enlarge.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say, book::timing,
    book::timing_claim;
using data::Batches, data::Examples;
using figure::Figure, figure::enlarged;
using std::numbers::pi;

const book::Option<Index> pictures("pictures", 10'000, "how many images to learn from",
                                   {.quick = 3000, .least = 1, .most = 100'000});
const book::Option<Index> epochs("epochs", 20, "how often each image is seen",
                                 {.quick = 5, .least = 1, .most = 200});
const book::Option<Index> hidden("hidden", 128, "width of the two hidden layers",
                                 {.least = 1, .most = 2048});
const book::Option<double> rate("rate", 2e-3, "learning rate of the first steps",
                                {.least = 0.0});
//-

// ## The task
//
// An image of 16 × 16 pixels shows a bar. Where is its centre, and at which angle does the bar lie? The answer
// is three numbers: column, row, angle. The program draws the images ({cpp:func}`~recto::data::bars`), so the
// truth is known exactly and the supply is unlimited.
//
// ## What to ask for
//
// A network answers with a row of numbers, and the mean squared error judges that row, as before. The choice of
// **targets** seems obvious: column, row and angle, each scaled to a size of about one, so that none of them
// dominates the sum. We write both directions, to the targets and back, as a function of one row.
//- a function applied to every row
Tensor table_of(const Tensor& rows, Index columns, const auto& row) {
    const std::vector<Real> from = rows.values();
    std::vector<Real> to;
    for (Index i = 0; i < rows.size(0); ++i)
        for (const double number : row(&from[std::size_t(i * rows.size(1))]))
            to.push_back(Real(number));
    return Tensor({rows.size(0), columns}, to);
}

//-
Tensor plainly(const Tensor& answers) {
    return table_of(answers, 3, [](const Real* a) {
        return std::array{(a[0] - 7.5) / 2, (a[1] - 7.5) / 2, a[2] - pi / 2};
    });
}
//- the same from targets to answers
Tensor plainly_back(const Tensor& y) {
    return table_of(y, 3, [](const Real* v) {
        return std::array{7.5 + 2 * v[0], 7.5 + 2 * v[1], v[2] + pi / 2};
    });
}
//-

// But watch a bar while it turns. At 179° it lies almost as at 1°, because a bar has no front: its angle has *period*
// $\pi$. The two images are nearly the same, and the two numbers are as far apart as they can be. We would ask a smooth
// function to jump. The cure is a target that does not jump: the point $(\cos 2a, \sin 2a)$ on a circle. The point goes
// round the circle once while the bar makes half a turn, so neighbouring bars have neighbouring points. One number has
// become two, and the arc tangent reads the angle off them, however far the point lies from the origin.
Tensor on_circle(const Tensor& answers) {
    return table_of(answers, 4, [](const Real* a) {
        return std::array{(a[0] - 7.5) / 2, (a[1] - 7.5) / 2, std::cos(2.0 * a[2]),
                          std::sin(2.0 * a[2])};
    });
}
Tensor from_circle(const Tensor& y) {
    return table_of(y, 3, [](const Real* v) {
        return std::array{7.5 + 2 * v[0], 7.5 + 2 * v[1],
                          std::atan2(double(v[3]), double(v[2])) / 2};
    });
}

// ## Training
//
// The model is a plain **multilayer perceptron**: the pixels in one row, two **hidden layers** (each a [linear
// layer](modules.cpp) with 128 outputs, followed by `relu`), and one output for every target. The loop is that of
// [the page on model classes](models.cpp), over **mini-batches** of 64 images in an order drawn afresh for every
// **epoch** (one pass over all images), with a learning rate that falls to zero along a cosine.
//- the optimiser, its learning rate, and the epochs
template <class Model>
void train(const Model& model, Examples set, const Tensor& wanted, Generator& random,
           const auto& after_step) {
    set.targets = wanted;
    optim::Adam adam(nn::parameters(model));
    const double last = double(epochs() * ((set.size() + 63) / 64));
    Index step = 0;
    const auto shorter = [&](Index) {
        return rate() * (1 + std::cos(pi * double(step++) / last)) / 2;
    };
    for (Index epoch = 1; epoch <= epochs(); ++epoch) {
        book::progress(epoch, epochs(), "epochs");
        //-
        optim::fit(
            adam, Batches(set, 64, random),
            [&](const Examples& batch) {
                return mse_loss(model(batch.x), batch.targets);
            },
            {.lr = shorter}, [&](const optim::Progress&) { after_step(step); });
    }
}

// Two errors measure an answer: the distance between the centres, in pixels, and the angle between the two
// bars, at most 90°. Of each we report the root mean square.
//- the two errors
double angle_between(double a, double b) {
    return std::abs(std::remainder(a - b, pi)) * 180 / pi;
}

struct Errors {
    double place = 0, angle = 0;       // in pixels, in degrees
    std::vector<double> angles, each;  // of all bars: the true angle, and the error
};
Errors errors(const Tensor& answers, const Tensor& truth) {
    const std::vector<Real> said = answers.values(), right = truth.values();
    Errors e;
    for (std::size_t i = 0; i < said.size(); i += 3) {
        const double off = angle_between(said[i + 2], right[i + 2]);
        e.place +=
            std::pow(said[i] - right[i], 2) + std::pow(said[i + 1] - right[i + 1], 2);
        e.angle += off * off;
        e.angles.push_back(right[i + 2] * 180 / pi);
        e.each.push_back(off);
    }
    e.place = std::sqrt(e.place / double(truth.size(0)));
    e.angle = std::sqrt(e.angle / double(truth.size(0)));
    return e;
}
//-

void page() {
    // Here is the whole experiment. We watch six test images from the start, to see later how the network came
    // to its answers.
    Generator random(book::seed());
    const Examples lessons = data::flat(data::bars(pictures(), random));
    const Examples test = data::flat(data::bars(2000, random));
    const nn::Mlp network({256, hidden(), hidden(), 4}, relu, random);
    //- training, with six test images watched
    say("images {}, targets {}, weights {}", lessons.x.shape(), lessons.targets.shape(),
        nn::count(network));

    const auto ask_model = [&](const auto& model, const auto& back, const Tensor& x) {
        const NoGrad only_asking;
        return back(model(x));
    };
    const Tensor watched = slice(test.x, 0, 0, 6);
    std::vector<double> settings = {0};
    std::vector<std::vector<Real>> seen = {
        ask_model(network, from_circle, watched).values()};
    const double start = book::now();
    train(network, lessons, on_circle(lessons.targets), random, [&](Index step) {
        if (step % 5 != 0 || step > 100) return;
        settings.push_back(double(step));
        seen.push_back(ask_model(network, from_circle, watched).values());
    });
    const double seconds = book::seconds_since(start);
    const Errors circle = errors(ask_model(network, from_circle, test.x), test.targets);
    say("on 2000 new images: {:.3f} pixels, {:.2f} degrees", circle.place,
        circle.angle);
    //-

    // To rule out luck, two more networks start from other weights and learn from other images:
    //- two more networks, and what is checked
    std::vector<double> places = {circle.place};
    for (std::uint64_t draw = 1; draw <= 2; ++draw) {
        Generator other(1000 * draw + book::seed());
        const Examples theirs = data::flat(data::bars(pictures(), other));
        const nn::Mlp another({256, hidden(), hidden(), 4}, relu, other);
        train(another, theirs, on_circle(theirs.targets), other, [](Index) {});
        places.push_back(
            errors(ask_model(another, from_circle, test.x), test.targets).place);
    }
    claim("sys-cat-regression/a",
          "the root mean squared error of the position on new images, in pixels",
          over_seeds(places), "<", 0.5);
    timing_claim("sys-cat-regression/b", "training the network, in seconds", seconds,
                 "<", 30);
    //-

    // The network locates the centre to a twentieth of a pixel, because the brightness of the bar's soft edge
    // gives the position between pixels. We draw how the network came to its answers.
    Figure figure("fig-bars");
    figure
        .describe(
            "Six small images of a bar, each with a red line, the network's answer. "
            "Before training all lines are near the middle of the image; a slider "
            "counts training steps, and after a hundred every line lies on its bar.")
        .slider("step", settings, "steps", std::min(20.0, settings.back()))
        .columns(3)
        .height(170);
    for (Index p = 0; p < 6; ++p) {
        figure.always().panel("").field(
            -0.5, 15.5, -0.5, 15.5, 96,
            enlarged(select(watched, 0, p).values(), 16, 6));
        figure.bare();
        for (std::size_t i = 0; i < seen.size(); ++i) {
            const Real* a = &seen[i][std::size_t(3 * p)];
            const double x = a[0], y = 15 - a[1], dx = 4 * std::cos(double(a[2])),
                         dy = 4 * std::sin(double(a[2]));
            figure.at(settings[i])
                .line("answer", {x - dx, x, x + dx}, {y + dy, y, y - dy},
                      {.color = figure::red, .dash = figure::solid, .width = 3});
        }
    }
    figure.save(
        "Six test images and the network's answers (red). Move the slider: at 0 the "
        "network knows nothing; it soon finds the place, and only then the angle.");

    // ## What the layers and the circle are worth
    //
    // The place is learned before the angle because it is the easier function. To see how much easier, we train a
    // model without a hidden layer, **linear** in the pixels, in the same way.
    const nn::Linear straight(256, 4, random);
    train(straight, lessons, on_circle(lessons.targets), random, [](Index) {});
    const Errors line = errors(ask_model(straight, from_circle, test.x), test.targets);

    // To see what the circle is worth, a second network, the same but for its outputs, learns the plain angle.
    const nn::Mlp other({256, hidden(), hidden(), 3}, relu, random);
    train(other, lessons, plainly(lessons.targets), random, [](Index) {});
    const Errors plain = errors(ask_model(other, plainly_back, test.x), test.targets);

    ask("The linear model is asked for the centre and for the point on the circle, "
        "like the network. What can it do?",
        {{"Neither: images need hidden layers.", line.place >= 0.5 && line.angle > 30,
          "The centre of a bar is the mean position of its ink, and a mean is linear."},
         {"The position, but not the angle.", line.place < 0.5 && line.angle > 30,
          "The centre is the mean position of the ink: column numbers weighted with "
          "pixels, a linear function. For the angle a pixel says little by itself; its "
          "meaning depends on the other pixels."},
         {"Both, only a little worse.", line.place < 0.5 && line.angle <= 30,
          "For the angle each pixel matters only together with others: turn the bar "
          "about any of its pixels, and that pixel does not change. A linear function "
          "adds up what each pixel says alone."}});
    //- the table
    using Row = std::vector<book::Cell>;
    const auto row = [](const char* who, const Errors& e) {
        return Row{who, fmt::format("{:.3f}", e.place), fmt::format("{:.1f}", e.angle)};
    };
    book::table("tab-bars", "Errors on 2000 new images: root mean squares.",
                {"model", "position in pixels", "angle in degrees"},
                {row("linear", line), row("network, angle as a number", plain),
                 row("network, angle on the circle", circle)});
    double near = 0, far = 0;  // squared errors of the linear model's angle
    int near_bars = 0, far_bars = 0;
    for (std::size_t i = 0; i < line.each.size(); ++i) {
        const bool middle = std::hypot(test.targets.at({Index(i), 0}) - 7.5,
                                       test.targets.at({Index(i), 1}) - 7.5) < 2;
        (middle ? near : far) += line.each[i] * line.each[i];
        ++(middle ? near_bars : far_bars);
    }
    say("linear, angle: {:.0f} degrees within two pixels of the middle, {:.0f} "
        "elsewhere",
        std::sqrt(near / near_bars), std::sqrt(far / far_bars));
    //-

    // For the position the linear model is as good as the network. For the angle, a guess errs by anything up to 90°, a
    // root mean square of $180/\sqrt{12} \approx 52$ degrees. The linear model's error of 36.7° is smaller, because ink
    // near the border suggests a bar that points outwards. Bars near the middle do not reach the border, and for these the model
    // is no better than a guess: 58° within two pixels of the middle, 25° elsewhere. The network trained on the plain
    // angle is far better than a guess and still 25 times worse than the circle. {numref}`fig-angles` shows where it
    // errs.
    //- what is checked, and how the figure is drawn
    claim("", "the angle's error on the circle, as a share of that of the plain angle",
          circle.angle / plain.angle, "<", 0.5);
    const auto first = [](const std::vector<double>& all) {
        return std::vector(all.begin(), all.begin() + 800);
    };
    Figure("fig-angles")
        .describe(
            "Error of the angle against the true angle for 800 bars. With the circle "
            "the error is small everywhere. With the plain angle it is small in the "
            "middle and shoots up to 90 degrees at both ends, near 0 and 180 degrees.")
        .dots("angle as a number", first(plain.angles), first(plain.each),
              {.color = figure::ochre, .width = 2, .opacity = 0.7})
        .dots("on the circle", first(circle.angles), first(circle.each),
              {.color = figure::blue, .width = 2, .opacity = 0.7})
        .x("true angle in degrees")
        .y("error in degrees")
        .save(
            "The same network and the same images, with two ways to write the angle. "
            "Near the jump the plain angle goes through all values between 0° and "
            "180°, and is wrong by up to 90°.");
}
//-

// A smooth function that must get from nearly 180° to 0° passes through 90°, and there its error is the largest
// possible. More layers or more images leave the jump in place; a different target removes it. How an answer is
// *written down* is part of the model.
//
// ## Summary
//
// Regression predicts numbers, and the mean squared error judges them. A network with two hidden layers finds the centre
// of a bar to a twentieth of a pixel, and its angle if the angle is written as a point on a circle. Written as one number
// that jumps, the same angle is learned 25 times worse.
//
// ## What is missing
//
// The squared error makes two choices for us: an error of two is four times as bad as an error of one, and the
// best single answer to several possible ones is their mean. For a bar's centre that is sensible. For a name it
// is meaningless: between a shirt and a shoe there is no mean. The next form of answer therefore needs another
// loss: [classification](classification.cpp).
//
// ```{try}
// - Learn from few images: `--pictures 300`. Which of the two answers suffers more?
// - Make the hidden layers narrow, `--hidden 8`, and then as wide as you have patience for.
// - Stop early: `--epochs 2`. Compare the two errors with those of 20 epochs.
// ```
