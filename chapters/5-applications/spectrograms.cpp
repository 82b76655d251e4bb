// # The spectrogram: sound as an image
//
// ```{rows} sys-spectrogram
// ```
//
// A second of speech is 8,000 numbers or more: the pressure at the microphone, again and again. Two recordings of one
// word differ in nearly all of them. What they share is which frequencies sound at which moment. A **spectrogram** shows
// this: time runs along one axis, frequency along the other, and the colour is the energy. {numref}`fig-spectrogram` is
// that of four invented words, in which every letter is a whistle. It also hides a choice: over how many samples should a
// frequency be measured? Move the slider to both ends before you read on.
//
// ```{opening} fig-spectrogram
// ```
//- includes, names and options
#include <recto/book/page.hpp>
#include <recto/classic/fourier.hpp>
#include <recto/core/random.hpp>
#include <recto/core/tensor.hpp>
#include <recto/data/tone_words.hpp>
#include <recto/figure/figure.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/reduce.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::say;
using classic::Complex, classic::Spectrogram, classic::SpectrogramOptions;
using figure::Figure, figure::Names;
using std::numbers::pi;

const book::Option<std::string> text("text", "bagi tuko zepa dosu",
                                     "what is spoken: words of the letters "
                                     "abdegikopstuz");
const book::Option<double> decibels("decibels", 20,
                                    "ratio of speech to noise, in decibels",
                                    {.least = -20, .most = 60});
const book::Option<Index> tenths("tenths", 105,
                                 "tenths of a period of the tone in a frame",
                                 {.least = 50, .most = 200});
//-

//- the spoken sentence, and how the first figure is drawn
// The sound of the option's text, with the length of two letters before and after it.
Tensor spoken(Generator& random) {
    const std::vector<double> speech = data::tone_speech("  " + text() + "  ");
    return data::with_noise({speech}, std::ssize(speech), {decibels()}, random);
}

// Energies in decibels, at least -50 from the loudest, a row for each band from the highest to the lowest.
std::vector<double> picture(const Tensor& energies) {
    const Index T = energies.size(1), D = energies.size(2);
    const std::vector<Real> all = energies.values();
    const double most = double(*std::ranges::max_element(all));
    std::vector<double> cells;
    for (Index d = D - 1; d >= 0; --d)
        for (Index t = 0; t < T; ++t) {
            const double ratio = double(all[std::size_t(t * D + d)]) / most;
            cells.push_back(std::round(10 * std::log10(std::max(ratio, 1e-5))));
        }
    return cells;
}

void opening() {
    Generator random(book::seed());
    const Tensor sound = spoken(random);
    const SpectrogramOptions options{.window = 1024, .hop = 128, .bands = 36};
    Spectrogram made(options);
    Names across, down;
    const Index T = made.frames(sound.size(1));
    for (Index t = 0; t < T; ++t)
        across.push_back(fmt::format(
            "{:.0f}",
            1000 * double(t * options.hop + options.window / 2) / data::tone_rate));
    for (const double f : made.centres)
        down.insert(down.begin(), fmt::format("{:.0f}", f));
    const std::vector<double> windows = {64, 128, 256, 512, 1024};
    Figure figure("fig-spectrogram");
    figure
        .describe(
            "A matrix of colours, time across and frequency upwards. Bright strokes "
            "stand for letters: level ones for vowels, rising and falling ones for "
            "consonants. With short windows the strokes are tall and blurred, with "
            "long windows they are thin and run into each other.")
        .slider("window", windows, "samples in a window", 256)
        .height(330);
    for (const double length : windows) {
        // A shorter window in the middle of a frame of 1,024 samples, with zeros beside it.
        std::vector<Real> window(1024, Real(0));
        const std::vector<Real> softly = classic::hann_window(Index(length)).values();
        std::ranges::copy(softly, window.begin() + (1024 - long(length)) / 2);
        made.window = Tensor({1024}, window);
        figure.at(length).heatmap("energy, dB", across, down, picture(made(sound)), -50,
                                  0);
    }
    figure.always()
        .x("time, ms")
        .y("frequency, Hz")
        .save(fmt::format(
            "The spectrogram of “{}”, spoken with noise, for five lengths of the "
            "window at 8,000 samples per second. The bands are those of the mel scale. "
            "Each frame has its own column, and the colour is the energy relative to "
            "the loudest cell.",
            text()));
    book::shows("sys-spectrogram/a", "fig-spectrogram");
    say("{} samples became {} frames of {} bands", sound.size(1), T, options.bands);
}
//-

// ## Which frequencies are in it?
//
// Take four samples: 1, 0, −1, 0. This is a cosine that fits once into the four. To find out, compare the samples with
// waves that fit 0, 1, 2 and 3 times. A wave that fits $k$ times turns by a $k$-th of a full circle from sample to
// sample, so for $k = 1$ it is $1, -i, -1, i$. The products with our samples are 1, 0, 1, 0, and their sum is 2. For
// $k = 0$ the wave is 1, 1, 1, 1, and the sum is 0. So the samples contain the wave $k = 1$ and no constant. For $N$
// samples these sums are the **discrete Fourier transform**:
//
// $$ X_k = \sum_{n=0}^{N-1} x_n\, e^{-2 \pi i k n / N}, \qquad k = 0, \dots, N - 1 . $$
//
// The size of $X_k$ says how much of the wave there is, its angle when the wave begins. For real samples $X_{N-k}$
// mirrors $X_k$, so we keep the frequencies from 0 to $N/2$. The highest has two samples for each period. The definition
// is a double loop:
std::vector<std::complex<double>> by_definition(
    const std::vector<std::complex<double>>& x) {
    const std::size_t N = x.size();
    std::vector<std::complex<double>> X(N);
    for (std::size_t k = 0; k < N; ++k)
        for (std::size_t n = 0; n < N; ++n)
            X[k] += x[n] * std::polar(1.0, -2 * pi * double(k * n % N) / double(N));
    return X;
}

// ## The fast transform
//
// Split the samples into those at even places, 1 and −1, and those at odd places, 0 and 0. Each half has a transform of
// two numbers: the sum and the difference, here 0, 2 and 0, 0. The wave $k$ meets the odd samples one step later, so
// their transform $O_k$ is turned by a $k$-th part of the circle before it is added to that of the even ones, $E_k$:
//
// $$ X_k = E_k + e^{-2 \pi i k / N} O_k, \qquad X_{k + N/2} = E_k - e^{-2 \pi i k / N} O_k . $$
//
// Half of the circle is a factor of −1, so one product serves two frequencies. The halves are split again, down to single
// samples, which are their own transforms. This is the **fast Fourier transform** {cite:p}`cooley1965`; Gauss knew it in
// 1805 {cite:p}`heideman1984`. The library runs it on many frames at once. Each round joins pairs of shorter transforms:
//
// ```{excerpt} recto/classic/fourier.cpp transform
// ```
//
// It is made of slices, products and sums of tensors. So it runs on every device without another line.
//- what is checked
std::vector<std::complex<double>> complex_row(const Complex& x, Index row) {
    const std::vector<Real> re = x.re.values(), im = x.im.values();
    const Index N = x.re.size(1);
    std::vector<std::complex<double>> found;
    for (Index n = row * N; n < (row + 1) * N; ++n)
        found.emplace_back(double(re[std::size_t(n)]), double(im[std::size_t(n)]));
    return found;
}
double energy(const std::vector<std::complex<double>>& x) {
    double sum = 0;
    for (const std::complex<double>& one : x) sum += std::norm(one);
    return sum;
}

void fast_and_slow() {
    Generator random(book::seed());
    double worst = 0, unequal = 0;
    for (Index N = 1; N <= 1024; N *= 2) {
        const Complex x{random.normal({3, N}), random.normal({3, N})};
        const Complex X = classic::fourier(x);
        for (Index row = 0; row < 3; ++row) {
            const auto samples = complex_row(x, row), fast = complex_row(X, row),
                       slow = by_definition(samples);
            double most = 0, apart = 0;
            for (std::size_t k = 0; k < slow.size(); ++k) {
                most = std::max(most, std::abs(slow[k]));
                apart = std::max(apart, std::abs(slow[k] - fast[k]));
            }
            worst = std::max(worst, apart / most);
            const double before = energy(samples), after = energy(fast) / double(N);
            unequal = std::max(unequal, std::abs(after - before) / before);
        }
    }
    claim("sys-spectrogram/d",
          "the fast transform against the definition, for 1 to 1,024 samples: largest "
          "difference, relative to the largest number",
          worst, "<=", 1e-4);
    claim("sys-spectrogram/b",
          "the energy of samples and of their transform: largest relative difference",
          unequal, "<=", 1e-5);
    const Index N = 256, rounds = std::bit_width(std::size_t(N)) - 1;
    say("complex products for {} samples: {} by the definition, {} by halving", N,
        N * N, N / 2 * rounds);
}
//-

// Nothing is lost on the way. The four samples have the energy $1 + 0 + 1 + 0 = 2$, the transform $0, 2, 0, 2$ has
// $4 + 4 = 8$, which is four times as much. In general the energies differ by the factor $N$, which is the theorem of
// **Parseval**:
//
// $$ \sum_{n=0}^{N-1} x_n^2 = \frac{1}{N} \sum_{k=0}^{N-1} |X_k|^2 . $$
//
// So $|X_k|^2$ may be called the energy at frequency $k$.
//
// ## A frame needs a soft edge
//
// A spectrogram cuts the sound into overlapping **frames**, here 256 samples each, and transforms each of them. The cut
// has a price. A tone rarely fits a whole number of times into a frame. Place your bet on a tone that fits 10.5 times:
//- the question, and how the figure is drawn
// The energies of a tone with this many periods in 256 samples, and those under a Hann window, as shares of their sums.
std::vector<double> shares(double periods, bool window) {
    const Index N = 256;
    std::vector<Real> tone;
    for (Index n = 0; n < N; ++n)
        tone.push_back(Real(std::sin(2 * pi * periods * double(n) / double(N) + 1)));
    const Tensor x({1, N}, tone);
    const Tensor power =
        classic::power_spectrum(window ? x * classic::hann_window(N) : x);
    const double all = double(sum(power).item());
    std::vector<double> found;
    for (const Real p : power.values()) found.push_back(double(p) / all);
    return found;
}
// How many frequencies hold at least a ten-thousandth of the energy.
Index holding(double periods, bool window) {
    return std::ranges::count_if(shares(periods, window),
                                 [](double share) { return share >= 1e-4; });
}

void leak() {
    const Index whole = holding(10, false), between = holding(10.5, false),
                softly = holding(10.5, true);
    ask("A tone that fits exactly 10 times puts all of its energy into one of the 129 "
        "frequencies. The tone now fits 10.5 times. Into how many frequencies does it "
        "put at least a ten-thousandth of its energy?",
        {{"Two: the 10th and the 11th.", between == 2,
          "They hold most of it. The rest decays slowly over all others."},
         {"About five, like a bell around 10.5.", between > 2 && between < 10,
          "It decays far more slowly than a bell, with the inverse square of the "
          "distance."},
         {"More than twenty.", between > 20,
          "The transform sees the frame as one period of an endless sound. At its edge "
          "the tone of 10.5 periods jumps, and a jump contains all frequencies."}});
    say("frequencies with at least a ten-thousandth of the energy: {} for 10 periods, "
        "{} "
        "for 10.5, {} for 10.5 in a Hann window",
        whole, between, softly);
    std::vector<double> k, hard, soft;
    const double periods = double(tenths()) / 10;
    const auto a = shares(periods, false), b = shares(periods, true);
    for (std::size_t i = 0; i <= 40; ++i) {
        k.push_back(double(i));
        hard.push_back(std::max(a[i], 1e-8)), soft.push_back(std::max(b[i], 1e-8));
    }
    Figure("fig-window-leak")
        .describe(
            "Shares of the energy against the frequency, on a logarithmic axis. The "
            "line without a window has a peak and long slopes on both sides. The line "
            "with a Hann window has a wider peak and falls steeply beside it.")
        .slider(tenths, "tenths of a period")
        .line("cut off", k, hard, {.color = figure::red})
        .line("Hann window", k, soft, {.color = figure::blue})
        .log_y()
        .ylim(1e-8, 1)
        .x("frequency k, periods in a frame")
        .y("share of the energy")
        .save(
            "The energy of one tone in a frame of 256 samples. The slider sets how "
            "often the tone fits, in tenths. Only whole numbers stay in one place "
            "without a window. With the window the energy stays within a few "
            "frequencies, for any tone.");
    claim("", "frequencies that the window saves from the tone of 10.5 periods",
          between - softly, ">", 10);
}
//-

// Energy that turns up at frequencies far away is called **leakage**. A **window** lets the frame begin and end softly.
// That of Hann multiplies sample $n$ by $\sin^2(\pi n / N)$, in a frame of four by 0, ½, 1 and ½. The peak becomes about
// two frequencies wider, and the rest of the leakage nearly vanishes.
//
// ## Bands like those of an ear
//
// 129 frequencies at equal distances are not what an ear uses. From 100 to 200 Hz is an octave, from 3,900 to 4,000 Hz is
// hardly a difference. On the **mel scale** equal steps are meant to sound equal {cite:p}`stevens1937`. A common formula
// for a frequency of $f$ hertz is
//
// $$ \mathrm{mel}(f) = 2595 \log_{10}(1 + f / 700) . $$
//
// It gives 150 mel for 100 Hz, 283 for 200 Hz, but only 24 more from 3,900 to 4,000 Hz. A **mel filter** collects the
// energy around a centre, with weights that fall to zero at the neighbouring centres. The whole spectrogram is then two
// lines: `cut` takes the frames, and the filters are a matrix.
//
// ```{excerpt} recto/classic/fourier.cpp Spectrogram::operator()
// ```
//
// Its result has the shape $T \times D$, a vector of $D$ energies for each of $T$ frames: the input that a sequence model
// expects. Energies span many powers of ten, so networks get their logarithm.
//- how the figure is drawn, and what is checked
// The band in which a tone of this frequency has most of its energy, over all frames.
Index loudest(const Spectrogram& made, double hertz) {
    std::vector<Real> tone;
    for (Index n = 0; n < 2 * made.options.window; ++n)
        tone.push_back(Real(std::sin(2 * pi * hertz * double(n) / made.options.rate)));
    const Tensor energies = made(Tensor({1, std::ssize(tone)}, tone));
    const std::vector<Real> bands = sum(energies, {0, 1}).values();
    return std::ranges::max_element(bands) - bands.begin();
}
// Tones at five places of every band: how many have their peak in another one.
Index misplaced(Index window) {
    const Spectrogram made(
        {.window = window, .hop = window / 2, .bands = 32, .rate = data::tone_rate});
    const double step = classic::mel(made.options.rate / 2) / 33;
    Index wrong = 0;
    for (Index d = 0; d < 32; ++d)
        for (const double place : {-0.4, -0.2, 0.0, 0.2, 0.4})
            wrong += loudest(made, classic::hertz(step * (double(d + 1) + place))) != d;
    return wrong;
}

void bands() {
    const Spectrogram few({.window = 1024, .hop = 512, .bands = 12});
    const std::vector<Real> weights = few.filters.values();
    std::vector<double> f;
    std::vector<std::vector<double>> triangles(12);
    for (Index k = 0; k <= 512; k += 2) {
        f.push_back(double(k) * few.options.rate / 1024);
        for (Index d = 0; d < 12; ++d)
            triangles[std::size_t(d)].push_back(
                double(weights[std::size_t(k * 12 + d)]));
    }
    Figure("fig-mel")
        .describe(
            "Twelve triangles along the frequencies from 0 to 4,000 Hz. The first are "
            "narrow, the last ones are several times as wide.")
        .lines("", f, triangles, {.color = figure::blue})
        .height(180)
        .x("frequency, Hz")
        .y("weight in the band")
        .ylim(0, 1)
        .save(
            "Twelve mel filters. Each is a column of the matrix, and each centre is "
            "the foot of both neighbours.");
    claim(
        "sys-spectrogram/c",
        "tones at five places of each of 32 bands whose peak is in another band, with "
        "windows of 256 and of 1,024 samples",
        misplaced(256) + misplaced(1024), "==", 0);
    say("with a window of 128 samples, {} of 160 tones have their peak in another band",
        misplaced(128));
}
//-

// A tone has its peak in the band that holds its frequency, if the window is long enough. With 128 samples the
// frequencies are 62.5 Hz apart, and the lowest bands have their centres 45 Hz from each other. Some tones near a border
// then cross it.
//
// ## Long or short?
//
// Back to the slider. Two tones of 1,000 and 1,040 Hz differ by one period in 25 ms. A frame must be longer than that,
// and by a factor of about two because of the window, before it can tell them apart for any phases. But a frame of 50 ms
// shows two letters of 45 ms as one chord. A window of $N$ samples at a rate of $R$ per second blurs times by about
// $N / R$ and frequencies by about $R / N$. The product of the two does not depend on $N$: sharp in both is impossible.
//- what is checked
// Whether the spectrum of two tones in one window has two peaks, a dip of at least a factor of 2 between them, for any of
// 16 differences of their phases.
bool two_tones(Index window) {
    for (int phase = 0; phase < 16; ++phase) {
        std::vector<Real> both;
        for (Index n = 0; n < window; ++n) {
            const double t = (double(n) - double(window) / 2) / data::tone_rate;
            both.push_back(Real(std::sin(2 * pi * 1000 * t + pi / 8 * phase) +
                                std::sin(2 * pi * 1040 * t)));
        }
        // Zeros beside the window give frequencies in between.
        std::vector<Real> padded(8192, Real(0));
        const std::vector<Real> framed =
            (Tensor({window}, both) * classic::hann_window(window)).values();
        std::ranges::copy(framed, padded.begin());
        const std::vector<Real> power =
            classic::power_spectrum(Tensor({1, 8192}, padded)).values();
        const auto around = [&](double f) {
            return double(power[std::size_t(std::lround(f * 8192 / data::tone_rate))]);
        };
        double least = around(1020);
        for (double f = 1000; f <= 1040; f += 1) least = std::min(least, around(f));
        if (!(2 * least < std::min(around(1000), around(1040)))) return false;
    }
    return true;
}
// How many samples around a click have frames that show at least half of its loudest energy.
Index click_width(Index window) {
    Index wide = 0;
    for (const Real w : square(classic::hann_window(window)).values()) wide += w >= 0.5;
    return wide;
}
void long_or_short() {
    Index first = 0;
    for (Index window = 2048; window >= 64; window /= 2) {
        const bool apart = two_tones(window);
        if (apart) first = window;
        say("window of {:4} samples: tones of 1,000 and 1,040 Hz are {}; a click is "
            "{:.1f} ms long",
            window, apart ? "two" : "one",
            1000 * double(click_width(window)) / data::tone_rate);
    }
    claim("", "samples of the shortest of these windows that tells the tones apart",
          first, "==", 512);
}
//-

void page() {
    opening();
    fast_and_slow();
    leak();
    bands();
    long_or_short();
}

// ## Summary
//
// The Fourier transform says how much of each frequency a frame of sound contains, and by halving it takes $N \log N$
// operations. A spectrogram transforms overlapping frames under a soft window and collects the energy in mel bands. The
// length of the window trades sharpness in time for sharpness in frequency.
//
// ## What is missing
//
// No network has read the spectrogram yet. [The next page](speech.cpp) trains a Transformer that turns spectrograms into
// words. Networks can also learn their filters from the samples themselves; the spectrogram saves them the work.
//
// ```{try}
// - Your own words: `--text "soda pizi"`. Read the letters off the figure, then change the text and check.
// - More noise: `--decibels -5`. Up to which window can you still see the letters?
// ```
