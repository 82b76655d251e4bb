// # Numbers in boxes
//
// ```{rows} sys-tensor sys-tensor-layouts sys-tensor-views
// ```
//
// [The last page](double_descent.cpp) took pictures for rows of numbers and asked no questions. What is a
// picture to the machine? A picture, a sentence, a sound, the weights of a model, everything the model
// computes on its way: they are all the same thing, real numbers arranged along a few axes. Such a box is a
// *tensor*, an element of $\mathbb R^{N_1 \times \dots \times N_D}$ {cite:p}`fleuret2023`. One kind of
// box for everything is a great simplification, and this page looks inside it. Two questions matter:
// which axis means what, and where the numbers lie.
//- includes and names
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/images.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/layout.hpp>
#include <recto/ops/shapes/views.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::claim_true, book::say;
using data::Batches, data::Examples;
using figure::Figure, figure::Images, figure::Names;
//-

// Three things can be changed:
const book::Option<Index> pictures("pictures", 60'000,
                                   "how many pictures the mean is taken over",
                                   {.quick = 3000, .least = 1, .most = 60'000});
const book::Option<int> garment("garment", 0,
                                "which picture is read with wrong strides",
                                {.least = 0, .most = 999});
const book::Option<int> stride("stride", 29, "a wrong distance between its rows",
                               {.least = 0, .most = 100});

// And two tensors shall count as equal only if every bit is:
bool same_bits(const Tensor& a, const Tensor& b) {
    const std::vector<Real> x = a.values(), y = b.values();
    return a.shape() == b.shape() &&
           std::memcmp(x.data(), y.data(), x.size() * sizeof(Real)) == 0;
}

void page() {
    // ## A batch of pictures
    //
    // Our pictures are those of Fashion-MNIST {cite:p}`xiao2017`: 70,000 photographs of clothes, small
    // and grey, each with one of ten names. A model never reads just one. It reads a *batch*, and the
    // batch is always the first axis:
    const Examples& train = data::fashion_mnist(data::Part::train);
    const Index B = 100;
    const Examples batch = Batches(train, B)[0];
    say("all of them: {}", train.x.shape());
    say("one batch:   {}", batch.x.shape());
    claim_true("sys-tensor-layouts/c",
               "a batch of B pictures has the shape B × 1 × 28 × 28",
               batch.x.shape() == Shape{B, 1, 28, 28});

    // Four axes, from the left: which picture, which channel, which row, which column. A grey picture has
    // one channel, a colour picture would have three. {numref}`fig-garments` shows one of each class.
    const std::vector<Index> labels = batch.labels.values();
    Images garments("fig-garments", 5);
    for (Index label = 0; label < 10; ++label) {
        const Index first =
            std::find(labels.begin(), labels.end(), label) - labels.begin();
        garments.add(std::string(data::fashion_names[std::size_t(label)]), 28, 28,
                     select(batch.x, 0, first).values());
    }
    garments.negative()
        .describe(
            "Ten small grey pictures in two rows, each with its name: a T-shirt, "
            "trousers, a pullover, a dress, a coat, a sandal, a shirt, a sneaker, a "
            "bag and an ankle boot.")
        .save(
            "The first picture of each class, as a negative: ink on paper. In the "
            "tensor, 0 is the background and 1 the brightest spot.");

    // ## Two numbers about all of them
    //
    // The whole training set is one tensor of 47 million numbers. What are they like? We walk through it
    // batch by batch and sum the pixels and their squares, which is all that a mean and a standard
    // deviation need.
    const Examples some = data::slice(train, 0, pictures());
    double total = 0, squares = 0;
    for (const Examples& part : Batches(some, 1000)) {
        total += double(sum(part.x).item());
        squares += double(sum(square(part.x)).item());
    }
    const double mean = total / double(some.x.numel());
    const double deviation = std::sqrt(squares / double(some.x.numel()) - mean * mean);
    say("{} pixels: mean {:.4f}, standard deviation {:.4f}", some.x.numel(), mean,
        deviation);
    claim_in("sys-tensor-layouts/d", "the mean of the training pixels", mean, 0.2859,
             0.2861);
    claim_in("sys-tensor-layouts/e", "the standard deviation of the training pixels",
             deviation, 0.3529, 0.3531);

    // You will meet these two again. Whoever subtracts the first from every pixel and divides by the second
    // hands the model numbers around zero, of size one, and training likes such numbers.
    //
    // ## A box is a strip, and a way to walk it
    //
    // Memory has one axis only. So a tensor is two things: a *storage*, which is a strip of numbers, and a
    // rule where to find the number with the indices $i_1, \dots, i_D$. The rule is the simplest there is:
    // start at an offset, and for each axis go its *stride* times the index,
    // $\mathrm{address} = \mathrm{offset} + i_1 s_1 + \dots + i_D s_D$.
    const Tensor x({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    const auto say_strides = [](const char* what, const Tensor& t) {
        say("{:<26} shape {}, strides ({}, {})", what, t.shape(), t.strides()[0],
            t.strides()[1]);
    };
    say_strides("x", x);

    // The last axis has stride 1: its neighbours are neighbours in memory. One step down is a whole row,
    // four numbers. Now look what happens when we change nothing but the rule:
    const Tensor turned = transpose(x);
    const Tensor thinned = slice(x, 1, 0, 4, 2);
    const Tensor folded = reshape(x, {2, 6});
    say_strides("transpose(x)", turned);
    say_strides("every other column", thinned);
    say_strides("x as two rows of six", folded);

    // In this storage every number is its own address, so a grid of the numbers shows where each was read:
    const auto names = [](Index n) {
        Names made;
        for (Index i = 0; i < n; ++i) made.push_back(std::to_string(i));
        return made;
    };
    const auto add = [&](Figure& figure, const std::string& title, const Tensor& t) {
        figure.panel(title).heatmap("", names(t.size(1)), names(t.size(0)), t.values(),
                                    0, 11);
    };
    //- what the figure says to whoever cannot see it
    Figure strides("fig-strides");
    strides.describe(
        "Six grids of coloured cells. The first is the strip of storage, numbered 0 to "
        "11. In the others every cell shows the address it reads: x in rows of four; "
        "its transpose in rows of three, stepping by four; every other column, "
        "stepping by two; two rows of six; and row 1 three times.");
    strides.height(130);
    //-

    // Five walks, then, beside the strip itself. The last repeats one row; its first stride is 0.
    add(strides, "the storage", reshape(x, {1, 12}));
    add(strides, "x: strides 4, 1", x);
    add(strides, "transpose(x): strides 1, 4", turned);
    add(strides, "every other column: strides 4, 2", thinned);
    add(strides, "two rows of six: strides 6, 1", folded);
    add(strides, "row 1, repeated: strides 0, 1", expand(select(x, 0, 1), {3, 4}));
    strides.save(
        "One storage and five ways to walk it. The number in a cell is the address "
        "that it reads.");

    // In {numref}`fig-strides` no number has moved. All these tensors are *views*: handles with a shape and
    // strides of their own on one storage. That is why {cpp:func}`~recto::transpose` of the whole training set
    // takes no longer than that of twelve numbers.
    claim_true("sys-tensor-views/a",
               "reshape, transpose and slice point at the same storage",
               turned.data() == x.data() && thinned.data() == x.data() &&
                   folded.data() == x.data());

    // Sharing has a price, and it is the same thing: there is only one set of numbers. Who writes
    // through a view writes into the base.
    Tensor shared = clone(x);
    transpose(shared).set({3, 0}, 50);
    say("shared at (0, 3) is now {}", shared.at({0, 3}));
    claim_true("sys-tensor-views/b",
               "what is written through the transpose is seen in the base",
               shared.at({0, 3}) == Real(50));

    // And not every walk has strides. Try to read the transpose row after row as one line of twelve: 0, 4,
    // 8, 1, 5, 9, … There is no single step from one to the next. In such a case our
    // {cpp:func}`~recto::reshape` copies; it says so in its contract, and a copy is a new storage.
    const Tensor line = reshape(turned, {12});
    ask("Four tensors are made from x. Which one cannot be a view and has to copy the "
        "numbers?",
        {{"Its transpose: rows become columns.", turned.data() != x.data(),
          "The two strides change places, and that is all."},
         {"Every other column: there are gaps between the numbers.",
          thinned.data() != x.data(),
          "A gap is a larger stride. Two steps instead of one."},
         {"Its transpose, made into one line of twelve.", line.data() != x.data(),
          "The addresses run 0, 4, 8, then back to 1. No single stride does that, so "
          "the numbers must be laid out anew."},
         {"x as two rows of six.", folded.data() != x.data(),
          "The strip is read from end to end as before, only with a break "
          "elsewhere."}});
    claim_true(
        "sys-tensor-views/c",
        "making one line of the transpose copies, and leaves the base alone",
        line.data() != x.data() && x.at({0, 1}) == Real(1) && line.at({1}) == Real(4));

    // ## Wrong strides
    //
    // Strides are believed, not understood. Give a picture the wrong ones and you get another picture, made
    // of the right numbers. If you ever read an image file by hand, you have seen the third one of
    // {numref}`fig-wrong-strides`.
    const Tensor picture = train.x.view({28, 28}, {28, 1}, 784 * garment());
    const auto read = [&](Index down, Index across, Index offset = 0) {
        return picture.view({27, 27}, {down, across}, offset).values();
    };
    const auto words = [](Index down, Index across) {
        return fmt::format("strides {}, {}", down, across);
    };
    const Index middle = 14 * 28;
    Images("fig-wrong-strides", 5)
        .describe(
            "Five readings of one picture of a garment: upright; mirrored along its "
            "diagonal; sheared so that it leaves at one side and comes in at the "
            "other, in either direction; and one row of pixels repeated, which makes "
            "vertical stripes.")
        .negative()
        .add(words(28, 1), 27, 27, read(28, 1))
        .add(words(1, 28), 27, 27, read(1, 28))
        .add(words(stride(), 1), 27, 27, read(stride(), 1))
        .add(words(27, 1), 27, 27, read(27, 1))
        .add(words(0, 1), 27, 27, read(0, 1, middle))
        .save(
            "One storage, five pairs of strides. A stride of 0 is allowed, and useful: "
            "it repeats a number as often as you like without storing it twice.");

    // The stride of 0 is no joke. {cpp:func}`~recto::expand` makes such views; the last grid of
    // {numref}`fig-strides` is one, and [the next page](vocabulary.cpp) rests on them.
    //
    // ## Which axis means what
    //
    // A tensor does not know. It is a convention, and there are two for nearly everything. A time series
    // of $T$ steps with $D$ features each is stored as $T \times D$ or as $D \times T$; a picture with $D$
    // channels as $D \times H \times W$, *channels first*, or as $H \times W \times D$, *channels last*. We
    // keep channels first, as {cite:t}`fleuret2023` does, and put time first. Files and other libraries may
    // think otherwise, so there is a way there and back, and it loses nothing.
    Generator random(book::seed());
    const Tensor series = random.normal({50, 8}),
                 photograph = random.uniform({3, 28, 28});
    const Tensor other = time_last(series), last = channels_last(photograph);
    say("series {} to {}, picture {} to {}", series.shape(), other.shape(),
        photograph.shape(), last.shape());
    claim_true("sys-tensor-layouts/a",
               "a series turned from T × D to D × T and back has the same bits",
               other.shape() == Shape{8, 50} && same_bits(time_first(other), series));
    claim_true("sys-tensor-layouts/b",
               "a picture turned from channels first to channels last and back has the "
               "same bits",
               last.shape() == Shape{28, 28, 3} &&
                   same_bits(channels_first(last), photograph));

    // ## Which machine
    //
    // One question is left: *whose* memory? A tensor lives on a device, and an operation runs where its
    // tensors are. Asking the host for numbers that lie elsewhere is an error, never a silent copy; a copy
    // is asked for by name. Recto brings a make-believe GPU, whose memory the host may not touch, so that
    // this can be tried on any machine:
    const Tensor away = batch.x.to(Device::sim);
    say("the batch lives on {}, its copy on {}", batch.x.device(), away.device());
    claim_true("", "a batch sent to the make-believe GPU and back has the same bits",
               same_bits(away, batch.x));
}

// The same for a real GPU is part of the register; it is *not run: no GPU*.
//
// ## What is missing
//
// We have boxes, and can turn and cut them. We cannot yet *compute* with them. Three verbs are enough
// for most of what a network does: [a small vocabulary](vocabulary.cpp).
//
// ```{try}
// - Slant another picture, the other way: `--garment 9 --stride 26`. Why does it lean as it does?
// - Let the two numbers rest on fewer pictures: `--pictures 100`. How far off are they?
// - Read with `--stride 56`. Why are there two garments, and why are they flat?
// ```
