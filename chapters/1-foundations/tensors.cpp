// # Tensors: shape, strides and views
//
// ```{rows} sys-tensor sys-tensor-layouts sys-tensor-views
// ```
//
// An image, a sentence, a sound, the weights of a model: to a program they are all the same thing, real numbers
// arranged along a few axes. Such an array is a **tensor**, an element of $\mathbb R^{N_1 \times \dots \times N_D}$
// {cite:p}`fleuret2023`. Every operation in this book takes tensors and returns tensors. This page looks inside one. Two
// questions matter: what does each axis mean (its **shape**), and where in memory do the numbers lie (its **strides**)?
// The answer to the second explains why some operations cost nothing, why two tensors can share their numbers, and how
// **broadcasting** works.
//
// Both images below read the same storage. Which strides turn the garment on its side, slant it, halve it, or repeat one
// row? Move the sliders:
//
// ```{opening} fig-your-strides
// ```
//- includes, names and options
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

const book::Option<Index> pictures("pictures", 60'000,
                                   "number of images for the mean and the deviation",
                                   {.quick = 3000, .least = 1, .most = 60'000});
const book::Option<int> garment("garment", 0, "which image is read with wrong strides",
                                {.least = 0, .most = 999});
const book::Option<int> stride("stride", 29, "a wrong distance between its rows",
                               {.least = 0, .most = 100});
const book::Option<Index> down("down", 28, "distance in memory from row to row",
                               {.least = 0, .most = 60});
const book::Option<Index> across("across", 1, "distance from column to column",
                                 {.least = 0, .most = 30});
const book::Option<Index> start("start", 0, "address of the first number",
                                {.least = 0, .most = 783});
//-

//- how the figure above is drawn
void your_strides() {
    const Tensor& images = data::fashion_mnist(data::Part::train).x;
    const auto read = [&](Index row, Index column, Index offset) {
        return images.view({27, 27}, {row, column}, 784 * garment() + offset).values();
    };
    Names places;
    for (Index i = 0; i < 27; ++i) places.push_back(std::to_string(i));
    Figure figure("fig-your-strides");
    figure
        .describe(
            "Two images of a garment, side by side and equal, and sliders for the "
            "stride between rows, the stride between columns and the address of the "
            "first number, which change the second one.")
        .slider(down, "down")
        .slider(across, "across")
        .slider(start, "start");
    figure.panel("strides 28 and 1")
        .bare()
        .heatmap("", places, places, read(28, 1, 0), 0, 1);
    figure.panel("your strides")
        .bare()
        .heatmap("", places, places, read(down(), across(), start()), 0, 1);
    figure.save(
        "One image in memory, read twice: as it is meant, and with strides and a first "
        "address that you choose. The answers stand in the section on wrong strides.");
}
//-

//- when two tensors have the same bits
bool same_bits(const Tensor& a, const Tensor& b) {
    const std::vector<Real> x = a.values(), y = b.values();
    return a.shape() == b.shape() &&
           std::memcmp(x.data(), y.data(), x.size() * sizeof(Real)) == 0;
}

void page() {
    your_strides();
    //-
    // ## Shape: a batch of images
    //
    // The images are those of Fashion-MNIST {cite:p}`xiao2017`: 70,000 small grey photographs of clothes, 60,000 of
    // them for training, each with one of ten labels. A model reads a **batch** of images at once, and in this
    // book the batch is always the first axis:
    const Examples& train = data::fashion_mnist(data::Part::train);
    const Index B = 100;
    const Examples batch = Batches(train, B)[0];
    say("training set: {}", train.x.shape());
    say("one batch:    {}", batch.x.shape());
    claim_true("sys-tensor-layouts/c",
               "a batch of B images has the shape B × 1 × 28 × 28",
               batch.x.shape() == Shape{B, 1, 28, 28});

    // There are four axes, from left to right: the image, the channel, the row, the column. A grey image has one channel;
    // a colour image has three. {numref}`fig-garments` shows one image of each class.
    //- how the figure is drawn
    const std::vector<Index> labels = batch.labels.values();
    Images garments("fig-garments", 4);
    for (Index label = 0; label < 10; ++label) {
        const Index first =
            std::find(labels.begin(), labels.end(), label) - labels.begin();
        garments.add(std::string(data::fashion_names[std::size_t(label)]), 28, 28,
                     select(batch.x, 0, first).values());
    }
    garments.negative()
        .describe(
            "Ten small grey images, each with its label: a T-shirt, "
            "trousers, a pullover, a dress, a coat, a sandal, a shirt, a sneaker, a "
            "bag and an ankle boot.")
        .save(
            "The first image of each class in the batch, as a negative. In the tensor "
            "0 is the background and 1 the brightest pixel.");
    //-

    // ## The mean and the standard deviation of all pixels
    //
    // The whole training set is one tensor of 47 million numbers. To learn how large they are, we go through it batch
    // by batch and sum the pixels and their squares:
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

    // You will meet these two numbers again: later pages subtract 0.286 from each pixel and divide by 0.353, so that the
    // inputs of a network have a mean of zero and a standard deviation of one.
    //
    // ## Strides: how a tensor lies in memory
    //
    // Memory has only one axis. So a tensor consists of a **storage**, a row of numbers, and a rule that finds the
    // number with the indices $i_1, \dots, i_D$ in it. Take three rows of four numbers, stored row by row. The number at
    // row 2, column 1 (counted from 0) comes after two full rows and one more number: address $2 \cdot 4 + 1 = 9$. In
    // general each axis has a **stride**, the distance in memory between neighbours along this axis, and
    //
    // $$ \text{address} = \text{offset} + i_1 s_1 + \dots + i_D s_D . $$
    //
    const Tensor x({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    //- how strides are printed
    const auto say_strides = [](const char* what, const Tensor& t) {
        say("{:<26} shape {}, strides ({}, {})", what, t.shape(), t.strides()[0],
            t.strides()[1]);
    };
    say_strides("x", x);

    //-

    // The strides of `x` are 4 and 1: one step down is a whole row, and neighbours in a row are neighbours in memory. We
    // make four more tensors from `x`, the last one from its transpose:
    const Tensor turned = transpose(x);
    const Tensor thinned = slice(x, 1, 0, 4, 2);
    const Tensor folded = reshape(x, {2, 6});
    const Tensor line = reshape(turned, {12});
    ask("A tensor can read the numbers of another without a copy if one stride for "
        "each axis describes their order. Which tensor made from x needs a copy?",
        {{"Its transpose: rows become columns.", turned.data() != x.data(),
          "The two strides change places, and that is all."},
         {"Every other column: there are gaps between the numbers.",
          thinned.data() != x.data(), "A gap is a larger stride: two instead of one."},
         {"Its transpose, made into one line of twelve.", line.data() != x.data(),
          "The addresses run 0, 4, 8, then back to 1. No single stride does that, so "
          "the numbers must be copied in the new order."},
         {"x as two rows of six.", folded.data() != x.data(),
          "The storage is read from end to end as before; only the rows break "
          "elsewhere."}});
    //- the strides of those that need no copy
    say_strides("transpose(x)", turned);
    say_strides("every other column", thinned);
    say_strides("x as two rows of six", folded);

    //-

    // Three of the four change only the rule. The transpose exchanges the strides. Every other column doubles the
    // last stride. Two rows of six have strides 6 and 1. In this storage every number equals its own address, so
    // {numref}`fig-strides` can show where each number is read. It adds a row that is repeated.
    //- how the figure is drawn
    const auto names = [](Index n) {
        Names made;
        for (Index i = 0; i < n; ++i) made.push_back(std::to_string(i));
        return made;
    };
    const auto add = [&](Figure& figure, const std::string& title, const Tensor& t) {
        figure.panel(title).heatmap("", names(t.size(1)), names(t.size(0)), t.values(),
                                    0, 11);
    };
    Figure strides("fig-strides");
    strides.describe(
        "Six grids of coloured cells. The first is the strip of storage, numbered 0 to "
        "11. In the others every cell shows the address it reads: x in rows of four; "
        "its transpose in rows of three, stepping by four; every other column, "
        "stepping by two; two rows of six; and row 1 three times.");
    strides.height(130);

    add(strides, "the storage", reshape(x, {1, 12}));
    add(strides, "x: strides 4, 1", x);
    add(strides, "transpose(x): strides 1, 4", turned);
    add(strides, "every other column: strides 4, 2", thinned);
    add(strides, "two rows of six: strides 6, 1", folded);
    add(strides, "row 1, repeated: strides 0, 1", expand(select(x, 0, 1), {3, 4}));
    strides.save(
        "One storage and five tensors that read it; the number in a cell is the "
        "address. No number has moved: only shape and strides differ.");
    //-

    // ## Views: many tensors, one storage
    //
    // The tensors of {numref}`fig-strides` are **views**: each has its own shape and strides, and they share one
    // storage. Therefore {cpp:func}`~recto::transpose` takes no longer for the whole training set than for twelve
    // numbers.
    claim_true("sys-tensor-views/a",
               "reshape, transpose and slice point at the same storage",
               turned.data() == x.data() && thinned.data() == x.data() &&
                   folded.data() == x.data());

    // Sharing has a price: if you write through a view, the numbers of all other views change.
    Tensor shared = clone(x);
    transpose(shared).set({3, 0}, 50);
    say("shared at (0, 3) is now {}", shared.at({0, 3}));
    claim_true("sys-tensor-views/b",
               "what is written through the transpose is seen in the base",
               shared.at({0, 3}) == Real(50));

    // Not every tensor that we make from `x` can be a view. {cpp:func}`~recto::reshape` gives a view where it can, and
    // copies the numbers into a new storage where no strides describe the new order. To read the transpose row after
    // row as one line of twelve, you would visit the addresses 0, 4, 8, 1, 5, 9, and so on. A tensor whose numbers lie
    // in memory in the order in which its indices count is called **contiguous**: `x` is, its transpose is not.
    claim_true(
        "sys-tensor-views/c",
        "one line made from the transpose is a copy, and x is unchanged",
        line.data() != x.data() && x.at({0, 1}) == Real(1) && line.at({1}) == Real(4));

    // ## Wrong strides
    //
    // A tensor does not know whether its strides make sense. With wrong strides you get another image, made of the
    // right numbers, as {numref}`fig-wrong-strides` shows. The slanted ones appear when a program reads an image file
    // and takes the wrong number for its width. The sliders of {numref}`fig-your-strides` make all of them: 1 down and
    // 28 across is the transpose, which turns the garment on its side; 29 or 27 down slants it; 0 down repeats one row.
    // With 56 down and 2 across you read every second number of every second row, so the garment shrinks to half its
    // size. Beside it stands a second copy, read from the other rows, and below them the next image in memory.
    //- how the figure is drawn
    const Tensor picture = train.x.view({28, 28}, {28, 1}, 784 * garment());
    const auto read = [&](Index down, Index across, Index offset = 0) {
        return picture.view({27, 27}, {down, across}, offset).values();
    };
    const auto words = [](Index down, Index across) {
        return fmt::format("strides {}, {}", down, across);
    };
    const Index middle = 14 * 28;
    Images("fig-wrong-strides", 3)
        .describe(
            "Five readings of one image of a garment: upright; mirrored along its "
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
            "One storage, five pairs of strides: the image, its transpose, two slanted "
            "images whose rows are one number too long or too short, and one row "
            "repeated by a stride of 0.");
    //-

    // ## Broadcasting: a stride of 0
    //
    // With a stride of 0, all indices along an axis read the same number. {cpp:func}`~recto::expand` makes such views; the
    // last grid of {numref}`fig-strides` is one: row 1 appears three times and is stored once. **Broadcasting** rests on
    // this: to add one row to every row of a matrix, the row is expanded, not copied. It is a topic of [the next
    // page](vocabulary.cpp).
    //
    // ## Which axis means what
    //
    // The order of the axes is a convention, and there are two conventions for nearly everything. A time series of $T$
    // steps with $D$ features each is stored as $T \times D$ or as $D \times T$. An image with $D$ channels is stored as $D
    // \times H \times W$, *channels first*, or as $H \times W \times D$, *channels last*. This book puts channels first, as
    // {cite:t}`fleuret2023` does, and time first. Image files and some libraries put channels last. We convert in both
    // directions; nothing is lost:
    Generator random(book::seed());
    const Tensor series = random.normal({50, 8}),
                 photograph = random.uniform({3, 28, 28});
    const Tensor other = time_last(series), last = channels_last(photograph);
    //- the shapes, and whether all bits return
    say("series {} to {}, image {} to {}", series.shape(), other.shape(),
        photograph.shape(), last.shape());
    claim_true("sys-tensor-layouts/a",
               "a series turned from T × D to D × T and back has the same bits",
               other.shape() == Shape{8, 50} && same_bits(time_first(other), series));
    claim_true("sys-tensor-layouts/b",
               "an image turned from channels first to channels last and back has the "
               "same bits",
               last.shape() == Shape{28, 28, 3} &&
                   same_bits(channels_first(last), photograph));

    //-

    // ## Device: in whose memory?
    //
    // A GPU has its own memory. A tensor lives on one **device**, and an operation runs where its tensors are. An operation
    // on tensors of two devices is an error, never a silent copy. You ask for copies: `to` copies a tensor to another
    // device, `values` and `item` copy its numbers to the host. The device `sim` imitates a GPU whose memory the host must
    // not touch, so you can try this on any machine:
    const Tensor away = batch.x.to(Device::sim);
    say("the batch lives on {}, its copy on {}", batch.x.device(), away.device());
    claim_true("", "a batch sent to the simulated GPU and back has the same bits",
               same_bits(away, batch.x));
}

// `recto parity` makes the same check on a real GPU; [the register](../register.md) says on which card it did.
//
// ## Summary
//
// A tensor is a storage with a shape, an offset and one stride for each axis. Transposes, slices and expanded tensors are
// views: each has a shape, an offset and strides of its own and shares the numbers, so they cost next to nothing, and a
// write through one is seen in all. A copy is needed only where no strides describe the new order.
//
// ## What is missing
//
// We can cut and turn tensors, but we do not compute with them yet. A few kinds of operations are enough for most of what a
// network does: [the next page](vocabulary.cpp).
//
// [An exercise](../exercises/cuda/transpose.md) writes a transpose that does move the numbers, on a GPU.
//
// ```{try}
// - Slant another image to the other side: `--garment 9 --stride 26`. Why does it lean to that side?
// - Take the mean of fewer images: `--pictures 100`. How far from 0.286 is it?
// - Read with `--stride 56`. Why are there two garments, and why are they flat?
// ```
