// # The compute gap: training a model, and running it
//
// ```{rows} claim-compute-schism
// ```
//
// The weights of many large language models can be downloaded. Then the questions begin. Do they fit into the memory of
// your laptop? Can you train them further? How long do you wait for an answer? {numref}`fig-schism` computes the memory
// for five things that you may want to do with a model. Move the slider to its size. The two lines are a laptop and a large
// GPU. What is below a line fits.
//
// ```{opening} fig-schism
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/base/block_formats.hpp>
#include <recto/base/float_formats.hpp>
#include <recto/book/page.hpp>
#include <recto/book/table.hpp>
#include <recto/core/integers.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/gpt.hpp>
#include <recto/nn/module.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>

#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::say;
using figure::Figure, figure::Names;

const book::Option<Index> billions("billions", 7,
                                   "parameters of the model, in billions",
                                   {.least = 1, .most = 200});
//-

// ## Bytes for each weight
//
// A model of 7 billion parameters stores 7 billion numbers. In FP16 each takes two bytes, so the weights take
// $7 \cdot 10^9 \cdot 2 = 14 \cdot 10^9$ bytes, 14 GB. To *run* the model, this and a little memory for the text are
// enough. To *train* it, each weight needs more: a gradient, and for [Adam](../training/optimisers.cpp) the running means
// of the gradient and of its square. In FP32 these are four numbers of four bytes for each weight. We do not have to believe
// this. Train a small GPT for one step, and count the bytes of all the tensors that must stay:
double training_bytes_per_weight() {
    Generator random(book::seed());
    const nn::Gpt net({.tokens = 30, .time = 8, .layers = 2, .width = 32, .heads = 2},
                      random);
    optim::Adam adam(nn::parameters(net));
    const Integers text = random.integers({4, 8}, 0, 30);
    cross_entropy(reshape(net(text), {32, 30}), text.reshape({32})).backward();
    adam.step();
    double numbers = 0;
    for (const NamedTensor& p : nn::parameters(net))
        numbers += double(p.tensor.numel() + p.tensor.grad().numel());
    adam.visit([&](const char*, auto& list) {  // the two lists of running means
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(list)>,
                                     std::vector<Tensor>>)
            for (const Tensor& mean : list) numbers += double(mean.numel());
    });
    return numbers * sizeof(float) / double(nn::count(net));  // each number in FP32
}
// Large models are trained with weights and gradients of 16 bits, and keep a copy of the weights and the two means in FP32.
// This is $2 + 2 + 4 + 4 + 4 = 16$ bytes again {cite:p}`rajbhandari2020`. The activations of a batch come on top.
//
// Between the two lies [low-rank adaptation](low_rank.cpp): the weights stay as they are, and only a small correction is
// trained, here with one number for 200 weights. And weights can be stored with
// [fewer bits](block_formats.cpp), for example 4.5 of them. For five tasks, the memory of a model of $P$ parameters is $P$
// times
struct Task {
    const char* name;
    double bytes;       // of memory for each parameter
    double operations;  // for each parameter and each token
};
std::vector<Task> all_tasks() {
    const double half = fp16.bits() / 8.0, train = 16, trained_share = 1.0 / 200;
    return {{"training", train, 6},
            {"fine-tuning", train, 6},
            {"low-rank adaptation", half + trained_share * train, 4},
            {"inference, FP16", half, 2},
            {"inference, Q4_0", q4_0.bits_per_weight() / 8, 2}};
}
double gigabytes(double parameters, double bytes) { return parameters * bytes / 1e9; }
//- the first figure, and what is checked
void memory() {
    Names names;
    std::vector<double> heights;
    for (const Task& task : all_tasks()) {
        names.push_back(task.name);
        heights.push_back(gigabytes(1e9 * double(billions()), task.bytes));
    }
    Figure("fig-schism")
        .describe(
            "Bars for the memory of training, fine-tuning, low-rank adaptation and "
            "inference with 16 and with 4.5 bits, and lines at 16 and 80 GB. A "
            "slider sets the number of parameters. At 7 billion, training and "
            "fine-tuning lie above both lines, and the others below.")
        .slider(billions, "billions of parameters")
        .bars("", names, heights, {.color = figure::blue})
        .rule_y(16, "a laptop")
        .rule_y(80, "a large GPU")
        .y("memory, GB")
        .save(
            "Memory for five tasks, without activations. The laptop has 16 GB and the "
            "GPU 80 GB. Q4_0 stores each weight in 4.5 bits. Low-rank adaptation "
            "trains one number for 200 weights, and keeps the weights in FP16.");
    claim("claim-compute-schism/a", "weights of 7 billion parameters in FP16, GB",
          gigabytes(7e9, fp16.bits() / 8.0), "==", 14);
    claim("claim-compute-schism/b",
          "bytes of FP32 for each parameter that a training with Adam keeps, counted",
          training_bytes_per_weight(), ">=", 16);
}
//-
// Before you read on, place a bet on the time:
//- the question
void how_fast() {
    const double ratio = fp16.bits() / q4_0.bits_per_weight();
    ask("A laptop writes a text with a model of 7 billion parameters, once in FP16 and "
        "once "
        "with 4.5 bits for each weight. The operations are equally many. What happens "
        "to the time for each token, if the program unpacks the weights fast enough?",
        {{"It stays about the same, as the operations do.", ratio > 0.8 && ratio < 1.2,
          "That holds where the arithmetic takes longest, as in training."},
         {"It falls to between a quarter and a third.", ratio >= 3 && ratio <= 4,
          "For each token all weights are read from memory once. As long as this takes "
          "longer than the arithmetic, the time falls as the bytes do."},
         {"It grows: each weight must be unpacked before it is used.", ratio <= 0.8,
          "Unpacking takes arithmetic, and a slow program can lose the gain by it. A "
          "fast "
          "one unpacks while the memory is read."}});
}
//-
// ## Operations for each token
//
// Memory decides what fits, and time decides what is worth trying. A forward pass multiplies and adds once for each weight
// and token, two operations. [Training](../training/compute.cpp) takes three times as many: $6 P$ for each token
// {cite:p}`kaplan2020`. If most weights are frozen, their gradients are not needed, and $4P$ remain. A common rule for
// training from scratch is about 20 tokens for each parameter {cite:p}`hoffmann2022`. So a model of 7 billion parameters
// reads 140 billion tokens, and needs $6 \cdot 7 \cdot 10^9 \cdot 1.4 \cdot 10^{11} \approx 5.9 \cdot 10^{21}$ operations.
//
// Writing text is different. For each token all weights are read from memory once, and each is used for one multiplication
// only. If the reading takes longer, the time is the bytes of the weights divided by the bandwidth of the memory. This is
// the best case: [decoding](decoding.cpp) measures that fewer bits do save time, but less than in proportion to the bytes,
// since the weights must be unpacked.
//
// Take the model of 7 billion parameters on a laptop whose memory delivers 50 GB a second. In FP16 each token
// reads 14 GB, and takes $14 / 50 = 0.28$ seconds. With 4.5 bits it reads 3.9 GB, and takes 0.08 seconds at best, twelve
// tokens a second. Now adapt the model to a collection of 10 million tokens, the length of many books. With low-rank
// corrections the memory is $14 + 16 \cdot 7 / 200 = 14.6$ GB. The operations are
// $4 \cdot 7 \cdot 10^9 \cdot 10^7 = 2.8 \cdot 10^{17}$, and at $5 \cdot 10^{11}$ in a second they take 560,000 seconds,
// more than six days. So the same laptop writes comfortably and learns slowly: a text to write has a thousand tokens, and
// a collection to learn from has ten million. {numref}`schism-times` does this for three sizes and two machines.
//- the table
struct Machine {
    const char* name;
    double gigabytes, operations, bandwidth;  // operations and bytes for each second
};
std::string duration(double seconds) {
    struct Unit {
        double size;
        const char* name;
    };
    for (const Unit& unit : {Unit{365.25 * 86400, "years"}, Unit{86400, "days"},
                             Unit{3600, "hours"}, Unit{60, "minutes"}})
        if (seconds >= 2 * unit.size)
            return fmt::format("{:.0f} {}", seconds / unit.size, unit.name);
    return fmt::format("{:.2g} s", seconds);
}
std::string rounded(double number) {
    return number < 100 ? fmt::format("{:.3g}", number) : fmt::format("{:.0f}", number);
}
void times() {
    const std::vector<Machine> machines = {{"laptop", 16, 5e11, 5e10},
                                           {"GPU", 80, 4e14, 3.35e12}};
    std::vector<std::vector<book::Cell>> rows;
    for (const double P : {1.24e8, 7e9, 7e10})
        for (const Task& task : all_tasks()) {
            const bool writes = std::string(task.name).starts_with("inference");
            const double tokens = writes                                 ? 1000
                                  : std::string(task.name) == "training" ? 20 * P
                                                                         : 1e7;
            std::vector<book::Cell> row = {
                P < 1e9 ? "124 million" : fmt::format("{:.0f} billion", P / 1e9),
                task.name, rounded(gigabytes(P, task.bytes))};
            for (const Machine& machine : machines) {
                const double seconds =
                    writes ? tokens * P * task.bytes / machine.bandwidth
                           : tokens * P * task.operations / machine.operations;
                row.push_back(gigabytes(P, task.bytes) > machine.gigabytes
                                  ? "does not fit"
                                  : duration(seconds));
            }
            rows.push_back(row);
        }
    book::table(
        "schism-times",
        "Memory in GB, and time on a laptop (16 GB, $5\\cdot10^{11}$ operations "
        "and 50 GB a second) and on a GPU (80 GB, $4\\cdot10^{14}$ operations and "
        "3,350 GB a second): training on 20 tokens for each parameter, "
        "fine-tuning on 10 million tokens, and writing 1,000 tokens, if only the "
        "memory limits it.",
        {"parameters", "task", "GB", "laptop", "GPU"}, rows);
    book::shows("claim-compute-schism/c", "schism-times");
}
//-
// The table assumes two machines: a laptop that reaches $5 \cdot 10^{11}$ operations in a second, and a GPU that reaches
// $4 \cdot 10^{14}$, about two fifths of the peak of an H100 in BF16. Read it from the bottom of each block. Running a
// model of 7 billion parameters is easy with few bits, and possible in FP16. Adapting it with low-rank corrections just
// fits the laptop, but then the arithmetic takes days. Fine-tuning all weights fits neither machine. And training from
// scratch is beyond both, in memory and in time: such models are trained on many GPUs together.
//
// ## The gap
//
// **Few train large models, and many use them.** *The Little Book of Deep Learning* {cite:p}`fleuret2023` calls this the
// compute schism, and the methods of this chapter are answers to it. [Few bits](quantisation.cpp) make a model fit.
// [Low-rank corrections](low_rank.cpp) make it trainable. [Merging](merging.cpp) combines what others have trained,
// without any training. And a good [prompt](prompting.cpp) changes what a model does without touching a weight.
//
// ## Limits
//
// The table counts what must be there, and leaves out activations, the keys and values of a long text, and the
// system itself. Real trainings reach fewer operations than a product of large matrices. States can be split over many GPUs,
// moved to the memory of the processor or stored with fewer bits, and each of these moves the lines a little. None of them
// removes a factor of a thousand.
//
// ## What to remember
//
// Running a model takes the bytes of its weights, two for each in FP16. Training with Adam takes 16 bytes for each weight
// and six operations for each weight and token. So a machine that runs a model comfortably cannot train it, and this
// chapter is about what it can do instead.
//
// ## What is missing
//
// The lowest bar needs weights of 4.5 bits. [The next page](block_formats.cpp) says how they are stored.
//
// ```{try}
// - The largest model that fits the GPU for inference with few bits: `--billions 140`.
// ```

void page() {
    memory();
    how_fast();
    times();
}
