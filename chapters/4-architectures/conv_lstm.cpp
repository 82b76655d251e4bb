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
using figure::Figure, figure::Names;

const book::Option<Index> training("steps", 300, "training steps of each network",
                                   {.quick = 5, .least = 1, .most = 10'000});
const book::Option<Index> which("video", 0, "which test video is drawn",
                                {.least = 0, .most = 199});

using Numbers = std::vector<double>;
const Index frames = 10, side = data::bouncing_size;
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
// faster the kernel must be larger, or the image smaller. This is a reason to put the cell inside an **autoencoder**: an
// encoder halves height and width, the cell runs on $8 \times 8$ places, and a decoder doubles them again.
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
//- training and judging
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
        const Tensor videos = data::bouncing(16, frames, random);
        adam.zero_grad();
        mse_loss(predict(net, videos, memory), slice(videos, 1, 1, frames)).backward();
        optim::clip_norm(adam.parameters(), 1);
        adam.step();
    }
    return net;
}
// Mean squared error of the frames from the third on, whose motion can be seen.
double error(const Tensor& predicted, const Tensor& videos) {
    return double(mse_loss(slice(predicted, 1, 1, frames - 1),
                           slice(videos, 1, 2, frames)).item());
}
//-
#include <ctime>
void page() {
    Generator random(book::seed() + 50);
    const Tensor videos = data::bouncing(200, frames, random);
    const double copy = error(slice(videos, 1, 0, frames - 1), videos), zero = error(zeros({200, frames - 1, 1, side, side}), videos);
    say("copy {} zero {}", copy, zero);
    for (const Memory m : {kept, cleared}) {
        const double begin = double(clock());
        const Predictor net = trained(m, book::seed());
        const NoGrad no;
        say("{:.4f} {:.3f} s {:.1f}", error(predict(net, videos, m), videos), error(predict(net, videos, m), videos) / copy, (double(clock()) - begin) / 1e6);
    }
}
