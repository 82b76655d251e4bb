// # Convolutional LSTM: predicting video
//
// ```{rows} sys-conv-lstm
// ```
//
// A video is a sequence of images, so it has an order *and* neighbours. A recurrent network knows about order, and a
// convolution about neighbours. A **convolutional LSTM** is both: its memory is an image. Small videos show a disc and
// a square that fly through a box and bounce off its walls, and the task is to draw the next frame. {numref}`fig-video`
// shows what a trained network draws, frame by frame. Move the slider. After the sixth frame the network sees no
// more frames, only its own predictions.
//
// ```{opening} fig-video
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/bouncing.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/conv_lstm.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/clip.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::say;
using book::Study;
using figure::Figure, figure::Names;

const book::Option<Index> training("steps", 300, "training steps of each network",
                                   {.quick = 5, .least = 1, .most = 10'000});
const book::Option<Index> which("video", 0, "which test video is drawn",
                                {.least = 0, .most = 199});

using Numbers = std::vector<double>;
const Index frames = 10, longest = 13, side = data::bouncing_size;
//-

// ## A memory that is an image
//
// An [LSTM](gates.cpp) reads a vector and keeps a vector. Its gates are dense layers: every number of the state reads
// every input. For an image of $16 \times 16$ pixels and a state of $8 \times 8$ places with 16 channels each, one gate
// alone would have $1024 \cdot (256 + 1024)$ weights, 1.3 million. And what it learns about a disc in one corner says
// nothing about a disc in another.
//
// In a convolutional LSTM {cite:p}`shi2015` the state is an image of the same height and width as its input, with some
// channels. The products of the gates become [convolutions](../components/convolution.cpp), written $*$:
//
// $$ i, f, o = \sigma(W_{i,f,o} * [x_t, h_{t-1}] + b_{i,f,o}), \qquad g = \tanh(W_g * [x_t, h_{t-1}] + b_g) $$
//
// $$ c_t = f\, c_{t-1} + i\, g, \qquad h_t = o \tanh c_t $$
//
// Each place looks at a small window of the input and of the state. Take one place, with the memory $c = 0.8$. Its window
// says that a disc is leaving: the forget gate is $f = 0.1$ and the input gate $i = 0$. The new memory is $0.08$. At the
// neighbouring place $f = 0.1$, $i = 0.9$ and $g = 0.9$, and a memory of 0 becomes $0.81$. So a bump in the memory has moved
// by one place, and the same rule moves it anywhere in the image.
//
// One step moves what is known by at most half of a kernel: with a $3 \times 3$ kernel, by one place. For something
// faster the kernel must be larger, or the image smaller. This is a reason to put the cell inside an **autoencoder**, a
// network with one part that makes its input small and another one that makes it large again. Here the encoder
// is a convolution that halves height and width, the cell runs on $8 \times 8$ places, and the decoder doubles them by a
// [transposed convolution](../components/transposed_convolution.cpp):
struct Predictor {
    nn::Conv2d encoder;
    nn::ConvLstm cell;
    nn::ConvTranspose2d decoder;

    explicit Predictor(Generator& random)
        : encoder(1, 8, 4, random, {.stride = 2, .padding = 1}),
          cell(8, 16, 3, random),
          decoder(16, 1, 4, random, {.stride = 2, .padding = 1}) {}
    // The next frame, and the state after this one.
    Tensor operator()(const Tensor& frame, nn::ConvLstmState& state) const {
        state = cell(relu(encoder(frame)), state);
        return sigmoid(decoder(state.h));
    }
    void visit(auto&& part) {
        part("encoder", encoder), part("cell", cell), part("decoder", decoder);
    }
};
//- training, judging and the study
enum Memory { kept, cleared };
// Predictions of frames 1 to T - 1 from those before: (batch, T - 1, 1, 16, 16).
Tensor predict(const Predictor& net, const Tensor& videos, Memory memory) {
    nn::ConvLstmState state;
    std::vector<Tensor> found;
    for (Index t = 0; t + 1 < videos.size(1); ++t) {
        if (memory == cleared) state = {};
        found.push_back(net(select(videos, 1, t), state));
    }
    return stack(found, 1);
}
Predictor trained(Memory memory, std::uint64_t seed) {
    Generator random(seed);
    Predictor net(random);
    optim::Adam adam(nn::parameters(net));
    for (Index step = 0; step < training(); ++step) {
        adam.options.lr = 5e-3 * (1 - double(step) / double(training()));
        const Tensor videos = data::bouncing(12, frames, random);
        adam.zero_grad();
        mse_loss(predict(net, videos, memory), slice(videos, 1, 1, frames)).backward();
        optim::clip_norm(adam.parameters(), 1);
        adam.step();
    }
    return net;
}
// Mean squared error of the frames from the third on, whose motion can be seen.
double error(const Tensor& predicted, const Tensor& videos) {
    return double(
        mse_loss(slice(predicted, 1, 1, frames - 1), slice(videos, 1, 2, frames))
            .item());
}
Tensor test_videos() {
    Generator random(book::seed() + 50);
    return data::bouncing(200, longest, random);
}
// The errors of both networks, relative to that of copying the last frame.
Study::Row compare(const Predictor& net, const Predictor& blind) {
    const NoGrad only_asking;
    const Tensor videos = slice(test_videos(), 1, 0, frames);
    const double copy = error(slice(videos, 1, 0, frames - 1), videos);
    return {error(predict(net, videos, kept), videos) / copy,
            error(predict(blind, videos, cleared), videos) / copy};
}
Study::Row train_both(const Study::Row& cell) {
    const std::uint64_t seed = book::seed() + std::uint64_t(cell[0]) - 1;
    return compare(trained(kept, seed), trained(cleared, seed));
}
const Study study(
    {"conv_lstm", {"draw"}, {"with", "without"}, {"sys-conv-lstm/b"}, 0.04},
    {{1}, {2}, {3}}, train_both);
//-

// Encoder, cell and decoder are convolutions throughout, so no weight knows where it is. If the video moves by a few
// places, the state moves with it. Only at the border, where zeros are padded, may the two differ. We check this for the
// cell, with three frames of random numbers:
//- the check
void translations() {
    Generator random(book::seed() + 10);
    const nn::ConvLstm cell(8, 16, 3, random);
    const Index size = 16, down = 2, across = 3, seen = 3;
    const Tensor canvas =
        random.normal({seen, 1, 8, size + down, size + across});  // both lie inside it
    const auto crop = [](const Tensor& x, Index row, Index col, Index rows,
                         Index cols) {
        return slice(slice(x, 2, row, row + rows), 3, col, col + cols);
    };
    const NoGrad only_asking;
    nn::ConvLstmState here, there;
    for (Index t = 0; t < seen; ++t) {
        const Tensor frame = select(canvas, 0, t);
        here = cell(crop(frame, 0, 0, size, size), here);
        there = cell(crop(frame, down, across, size, size), there);
    }
    const auto apart = [&](Index margin) {
        const Index rows = size - down - 2 * margin, cols = size - across - 2 * margin;
        return double(max(abs(crop(here.h, down + margin, across + margin, rows, cols) -
                              crop(there.h, margin, margin, rows, cols)))
                          .item());
    };
    say("largest difference between the state of a moved video and the moved state: "
        "{:.1e} in the interior, {:.2f} at the border",
        apart(seen), apart(0));
    claim("sys-conv-lstm/c",
          "the state of a moved video against the moved state, largest difference at "
          "least three places from the border",
          apart(seen), "<=", 1e-5);
}
//-

// ## The next frame
//
// The discs have a radius of two pixels, the squares a side of four, and both move by 0.8 to 1.6 pixels per frame in any
// direction. Networks train on new videos of ten frames in each step, and predict each frame from those before it. The
// loss is the mean squared error over all pixels. The simplest prediction is that nothing moves: **copy the last
// frame**. Errors below are relative to this one, on 200 new videos, from the third frame on. The first two frames show
// where the shapes are and where they go.
//
// The rival is the same network without a memory: its state is cleared before each frame. It has the same weights to
// train, the same videos and the same number of steps. It sees where the shapes are, and not where they go. We train three
// networks of each kind. Place your bet:
//- the question, the figures, and what is checked
// Predictions that see the first `seen` frames and then their own results.
Tensor roll_out(const Predictor& net, const Tensor& videos, Index seen, Memory memory) {
    nn::ConvLstmState state;
    std::vector<Tensor> found;
    Tensor last;
    for (Index t = 0; t + 1 < videos.size(1); ++t) {
        if (memory == cleared) state = {};
        last = net(t < seen ? select(videos, 1, t) : last, state);
        found.push_back(last);
    }
    return stack(found, 1);
}

void next_frames() {
    const Predictor net = trained(kept, book::seed()),
                    blind = trained(cleared, book::seed());
    const NoGrad only_asking;
    const Index seen = 6;
    const Tensor videos = test_videos();
    const Study::Row drawn = compare(net, blind);
    const Numbers with_each = study.frozen().column("with"),
                  without_each = study.frozen().column("without");
    const double without = book::median(without_each);
    ask("How large is the error of the network without a memory, relative to copying "
        "the last frame?",
        {{"Larger than 1: it cannot know the direction, and every guess is wrong.",
          without > 1,
          "It need not guess a direction. It can return the mean over all of them."},
         {"About 1: without a direction, staying is the best guess.",
          without <= 1 && without > 0.9,
          "The mean of all frames that may come next has a smaller squared error than "
          "any single one of them."},
         {"Between a half and nine tenths.", without <= 0.9 && without > 0.5,
          "The best answer to an unknown direction is a blurred ring: the mean over "
          "all directions. It is wrong everywhere, by less."},
         {"Below a half: the blur is nearly as good as the truth.", without <= 0.5,
          "A blur is never right at an edge, and the edges are where the error is."}});
    say("weights: {}; error relative to copying the last frame: {} with a memory, {} "
        "without",
        nn::count(net), book::brief(book::over_seeds(with_each)),
        book::brief(book::over_seeds(without_each)));
    claim("sys-conv-lstm/b",
          "mean squared error of the next frame over that of copying the last frame",
          book::over_seeds(with_each), "<=", 0.5);
    Numbers over;
    for (std::size_t i = 0; i < with_each.size(); ++i)
        over.push_back(with_each[i] / without_each[i]);
    claim("", "the same with a memory over that without", book::over_seeds(over), "<",
          1);
    say("the networks of the figure: {:.3f} with a memory, {:.3f} without", drawn[0],
        drawn[1]);
    if (training() == 300)
        claim(
            "",
            "the networks of the figure, trained again, against the kept ones, larger "
            "relative difference",
            std::max(std::abs(drawn[0] / with_each[0] - 1),
                     std::abs(drawn[1] / without_each[0] - 1)),
            "<=", 0.04);

    Names places;
    for (Index i = 1; i <= side; ++i) places.push_back(std::to_string(i));
    const Index video = which();
    const Tensor rolled = roll_out(net, videos, seen, kept),
                 blurred = roll_out(blind, videos, seen, cleared);
    const auto pixels = [&](const Tensor& of, Index t) {
        const std::vector<Real> all = select(select(of, 0, video), 0, t).values();
        return Numbers(all.begin(), all.end());
    };
    Numbers stops;
    for (Index t = 2; t < longest; ++t) stops.push_back(double(t + 1));
    Figure figure("fig-video");
    figure
        .describe(
            "Three panels of 16 by 16 pixels: a frame with a disc and a square, the "
            "prediction of a network with a memory, and that of one without. A slider "
            "sets the frame. The first prediction has both shapes in their places with "
            "soft edges. The second one is blurred in all directions. After the "
            "seventh "
            "frame both fade.")
        .columns(3)
        .height(190)
        .slider("frame", stops, "frame", 6);
    const auto panel = [&](const char* title, const Tensor& of, Index earlier) {
        figure.panel(title);
        for (const double stop : stops)
            figure.at(stop).heatmap("", places, places,
                                    pixels(of, Index(stop) - 1 - earlier), 0, 1);
        figure.always().bare();
    };
    panel("the video", videos, 0), panel("with a memory", rolled, 1);
    panel("without a memory", blurred, 1);
    figure.save(
        "A test video, and what two networks predict for each frame. Up to frame 7 "
        "they "
        "have seen all frames before it. From frame 8 on they continue from their own "
        "predictions.");
    book::shows("sys-conv-lstm/a", "fig-video");

    Numbers ahead, far, far_without, stay;
    const Tensor held = select(videos, 1, seen - 1);
    for (Index k = 1; seen - 1 + k < longest; ++k) {
        const Tensor truth = select(videos, 1, seen - 1 + k);
        const auto against = [&](const Tensor& of) {
            return double(mse_loss(of, truth).item());
        };
        ahead.push_back(double(k));
        far.push_back(against(select(rolled, 1, seen - 2 + k)));
        far_without.push_back(against(select(blurred, 1, seen - 2 + k)));
        stay.push_back(against(held));
    }
    Figure("fig-ahead")
        .describe(
            "Three rising curves against the number of frames ahead. Copying the last "
            "frame is the worst. The network with a memory begins far below and rises "
            "towards the error of an empty frame.")
        .line("copying the last frame", ahead, stay, {.color = figure::ochre})
        .line("without a memory", ahead, far_without, {.color = figure::red})
        .line("with a memory", ahead, far, {.color = figure::blue})
        .rule_y(double(mean(square(videos)).item()), "an empty frame")
        .x("frames ahead")
        .y("mean squared error")
        .ylim(0, 0.2)
        .save(
            "How well the frames after the sixth are predicted, if no frame after it "
            "is "
            "seen. An empty frame is always available, and a prediction above its line "
            "is worse than none.");
}
//-

// With a memory the error is less than half of that of copying. Without one it is about three quarters: the network
// returns a blur, the mean of all that may come. The state is what tells it the direction: it can keep the last frame in
// some channels and compare. No layer of the network was told about speed.
//
// {numref}`fig-ahead` asks for more than the next frame. The network was never trained on its own predictions, and
// each of them is a little blurred. The blur becomes the next input, and the shapes fade. About six frames ahead the
// prediction is hardly better than an empty frame. Without a memory it is worse than an empty frame from the third frame
// ahead on. But no curve rises above the one of copying: a shape that is drawn in a wrong place costs twice, where it is
// and where it should be. A faded shape costs once.
//
// ## Limits
//
// The mean squared error asks for the mean of what may come. If a shape may go two ways, the best answer is two half
// shapes, which no video has ever shown. The [variational autoencoders](variational_autoencoders.cpp) of a later page blur
// for the same reason, and a [discriminator](gan.cpp) is one remedy.
//
// The reach of the cell is one place per step, two pixels of the video. A shape that crosses half of the box between two
// frames is out of reach. And the convolutional LSTM waits for each frame as every [recurrence](scans.cpp) does.
//
// {cite:t}`shi2015` made it to predict rain: from the radar images of half an hour it predicts those of the next hour and a
// half.

void page() {
    translations();
    next_frames();
}

// ## Summary
//
// A convolutional LSTM is an LSTM whose state is an image and whose products are convolutions. It has few weights, because
// all places share them, and it treats a moved video like the video. Its memory tells it where things go, which
// a single frame cannot. Inside an autoencoder it runs on a smaller image, and so reaches further with each step.
//
// ## What is missing
//
// A recurrent network must wait for each step before it can begin the next. [The next page](scans.cpp) asks which
// recurrences can do without.
//
// ```{try}
// - Another video: `--video 7`. Does the network foresee a bounce?
// - Longer training: `--steps 1500`. How far do both errors fall?
// ```
