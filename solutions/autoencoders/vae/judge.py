"""The bound from its definition in plain Python; its derivatives by steps along the imaginary axis; then a training on images."""
import cmath
import gzip
import hashlib
import os
from math import exp, inf, isfinite, log
from pathlib import Path

from recto.judge.comparing import show
from recto.judge.judging import REAL, Array, Misconception, NotHere, array_of, part

ALONE = 1e-12       # a few roundings of numbers of about one
WITHIN = 1e-10      # sums over pixels and latents
STEEP = 1e-9        # the same for derivatives, which pass two networks
STEP = 1e-100
THRESHOLD = -260.0  # in nats; the reference reaches -256.3 to -257.1, with four seeds of the training
GRADIENT = 1e-6     # of the register


def rows_of(array):
    return [array.numbers[at * array.shape[1]:(at + 1) * array.shape[1]] for at in range(array.shape[0])]


def kl(mean, log_variance, half=0.5, minus=1.0, sign=1.0, spread=cmath.exp):
    return half * sum(m * m + spread(v) - minus - sign * v for m, v in zip(mean, log_variance))


def divergence(mean, log_variance, **ways):
    found = [kl(*pair, **ways).real for pair in zip(rows_of(mean), rows_of(log_variance))]
    return Array((len(found),), found)


def latents(mean, log_variance, noise, deviation=lambda v: exp(v / 2)):
    return Array(mean.shape, [m + deviation(v) * e for m, v, e in zip(mean.numbers, log_variance.numbers, noise.numbers)])


# The loss. The weights come as lists; complex numbers pass through.

def network(layers, row):
    for at, (weight, bias) in enumerate(layers):
        width = len(bias)
        row = [bias[col] + sum(row[k] * weight[k * width + col] for k in range(len(row))) for col in range(width)]
        if at + 1 < len(layers):
            row = [cmath.tanh(value) for value in row]
    return row


def pixel(s, x):
    """-log of the probability of a pixel, in a form that does not overflow."""
    small = cmath.exp(-s if s.real > 0 else s)
    return (s if s.real > 0 else 0) + cmath.log(1 + small) - x * s


def loss_of(encoder, decoder, x, noise, kl_of=kl, z_of=None, of_pixel=pixel, by=len, scale=lambda pixels: 1.0, detach=()):
    """`detach` cuts the derivative of some quantities."""
    sum_ = 0.0
    for row, draws in zip(x, noise):
        out = network(encoder, row)
        mean, log_variance = out[:len(draws)], out[len(draws):]
        if z_of:
            z = [z_of(m, v, e) for m, v, e in zip(mean, log_variance, draws)]
        else:
            through_mean = [m.real if "mean" in detach else m for m in mean]
            through_spread = [v.real if "spread" in detach else v for v in log_variance]
            z = [m + cmath.exp(v / 2) * e for m, v, e in zip(through_mean, through_spread, draws)]
        of_kl = kl_of(mean, log_variance)
        sum_ += scale(len(row)) * sum(of_pixel(s, p) for s, p in zip(network(decoder, z), row))
        sum_ += of_kl.real if "kl" in detach else of_kl
    return sum_ / by(x)


def lists(arrays):
    """(encoder, decoder, x, noise) from the arguments of a question."""
    found, at = [], 0
    for _ in range(2):
        layers, at = arrays[at], at + 1
        found.append([(list(arrays[at + 2 * k].numbers), list(arrays[at + 2 * k + 1].numbers)) for k in range(layers)])
        at += 2 * layers
    return *found, rows_of(arrays[at]), rows_of(arrays[at + 1])


def loss(*arrays, **ways):
    return loss_of(*lists(arrays), **ways).real


def naive_pixel(s, x):
    """With logarithms of the probabilities, in double precision."""
    p = 1 / (1 + exp(-s.real)) if s.real > -700 else 0.0
    terms = [0.0 * inf if not q and not part_ else part_ * (log(q) if q else -inf) for part_, q in ((x, p), (1 - x, 1 - p))]
    return -sum(terms)


def gradient(*arrays, times=1.0, none=(), **ways):
    """All derivatives; those of the networks in `none` are 0."""
    encoder, decoder, x, noise = lists(arrays)
    shaped = [array for array in arrays if isinstance(array, Array)][:-2]
    found = []
    for which, layers in enumerate((encoder, decoder)):
        for pair in layers:
            for numbers in pair:
                derivatives = []
                for at, before in enumerate(numbers):
                    numbers[at] = before + STEP * 1j
                    derivatives.append(0.0 if which in none else times * (loss_of(encoder, decoder, x, noise, **ways) / STEP).imag)
                    numbers[at] = before
                found.append(Array(shaped[len(found)].shape, derivatives))
    return tuple(found)


def count(arrays):
    return arrays[-1].shape[0]


def in_loss(name, says, **ways):
    """A mistake that shows in the loss."""
    return Misconception(name, "loss", lambda *a: loss(*a, **ways), says)


def in_gradient(name, says, when=lambda a: True, **ways):
    """A mistake that shows in the derivatives alone."""
    return Misconception(name, "gradient", lambda *a: gradient(*a, **ways) if when(a) else None, says)


def half_missing(m, v, e):
    """The derivative of the deviation twice as steep: its value is right."""
    return m + exp(v.real / 2) * e + exp(v.real / 2) * e * (v - v.real)


misconceptions = [
    # divergence
    Misconception("no-half", "divergence", lambda m, v: divergence(m, v, half=1.0), "the factor 1/2 is missing"),
    Misconception("one-forgotten", "divergence", lambda m, v: divergence(m, v, minus=0.0),
                  "the 1 is not subtracted: the standard normal distribution itself must have the divergence 0"),
    Misconception("spread-added", "divergence", lambda m, v: divergence(m, v, sign=-1.0),
                  "the logarithm of the variance was added. It is subtracted: small variances are expensive"),
    Misconception("deviation-for-variance", "divergence", lambda m, v: divergence(m, v, spread=lambda v: exp(v / 2)),
                  "the standard deviation stands where the variance belongs: exp of the whole logarithm"),
    Misconception("divergence-negative", "divergence", lambda m, v: divergence(m, v, half=-0.5),
                  "the sign is wrong: a divergence is never negative"),
    Misconception("mean-over-latents", "divergence",
                  lambda m, v: Array((m.shape[0],), [one / m.shape[1] for one in divergence(m, v).numbers]),
                  "this is the mean over the latents. The divergence of a product of distributions is the sum"),
    # latents
    Misconception("variance-for-deviation", "latents", lambda m, v, e: latents(m, v, e, deviation=exp),
                  "the noise was multiplied by the variance. Multiply it by the standard deviation, exp of half the logarithm"),
    Misconception("logarithm-for-deviation", "latents", lambda m, v, e: latents(m, v, e, deviation=lambda v: v),
                  "the noise was multiplied by the logarithm of the variance itself: take exp of half of it"),
    Misconception("no-spread", "latents", lambda m, v, e: latents(m, v, e, deviation=lambda v: 1.0),
                  "every code has the deviation 1: multiply the noise by exp of half the logarithm of the variance"),
    Misconception("no-noise", "latents", lambda m, v, e: m,
                  "these are the means: without noise this is an ordinary autoencoder"),
    # loss
    in_loss("divergence-missing", "only the pixels are in the loss: the divergence of the codes is missing", kl_of=lambda m, v: 0.0),
    in_loss("divergence-subtracted", "the divergence was subtracted. The bound is log-likelihood minus divergence, and the loss is minus "
                                     "the bound", kl_of=lambda m, v: -kl(m, v)),
    in_loss("mean-over-pixels", "the pixels were averaged. The log-likelihood of an image is the sum over its pixels: with the mean, the "
                                "divergence has too much weight", scale=lambda pixels: 1 / pixels),
    Misconception("sum-over-images", "loss", lambda *a: loss(*a, by=lambda x: 1),
                  "this is the sum over the images. Take the mean"),
    in_loss("squared-error", "the squared error of the pixels is in the loss. The decoder gives the score of a probability: use minus the "
                             "logarithm of the probability", of_pixel=lambda s, x: (1 / (1 + cmath.exp(-s)) - x) ** 2),
    in_loss("scores-as-pixels", "the squared error between scores and pixels is in the loss. A score belongs to the probability "
                                "1/(1 + exp(-s)), and the loss is minus its logarithm", of_pixel=lambda s, x: (s - x) ** 2),
    in_loss("white-pixels-only", "only x times the logarithm of p is in the loss. The other term, (1 - x) log(1 - p), is missing",
            of_pixel=lambda s, x: x * pixel(s, 1)),
    in_loss("without-the-draw", "the decoder saw the means. It must see the drawn latents",
            z_of=lambda m, v, e: m),
    in_loss("overflow", "large scores give infinity or NaN: the probability is rounded to 0 or 1, and its logarithm is infinite. Write "
                        "the loss of a pixel as max(s, 0) + log(1 + exp(-|s|)) - x s", of_pixel=naive_pixel),
    # gradient
    in_gradient("encoder-forgotten", "all gradients of the encoder are 0: call its backward", none=(0,)),
    in_gradient("decoder-forgotten", "all gradients of the decoder are 0: call its backward", none=(1,)),
    in_gradient("divergence-not-derived", "the derivatives of the divergence are missing in those of the codes", detach=("kl",)),
    in_gradient("pixels-end-at-the-decoder", "the encoder gets the derivatives of the divergence alone: what decoder.backward returns are "
                                             "the derivatives with respect to the latents, and they go on to both halves of the code",
                detach=("mean", "spread")),
    in_gradient("mean-cut", "the derivatives with respect to the means lack those of the latents: z is mean plus something, so they pass "
                            "unchanged", detach=("mean",)),
    in_gradient("spread-cut", "the derivatives with respect to the logarithms of the variances lack those of the latents: the draw "
                              "passes them, times exp(v/2) times noise, times one half", detach=("spread",)),
    in_gradient("half-forgotten", "the derivative of exp(v/2) is half of it: this half is missing where the latents pass their "
                                  "derivatives to the logarithms of the variances", z_of=half_missing),
    Misconception("gradient-of-the-sum", "gradient", lambda *a: gradient(*a, by=lambda x: 1) if count(a) > 1 else None,
                  "the derivatives are those of the sum over the images. The loss is the mean"),
    in_gradient("uphill", "all derivatives have the wrong sign: training would raise the loss", times=-1.0),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's autoencoder is not allowed here: write it yourself"),
]


def some(student, *shape, size=1.0):
    total = 1
    for extent in shape:
        total *= extent
    return Array(shape, [round(student.random.uniform(-size, size), 3) for _ in range(total)])


def of_layers(name, count):
    """The names of weights and biases, layer by layer."""
    return [f"layers of the {name}", *(f"{word} of layer {at}" for at in range(count) for word in ("weights", "biases"))]


def call_of(function, arguments):
    """A call with the names of its arguments."""
    names = {"divergence": ("mean", "log_variance"), "latents": ("mean", "log_variance", "noise"), "train": ("images", "seed")}.get(function)
    if not names:
        encoder = arguments[0]
        decoder = arguments[1 + 2 * encoder]
        last = ("images", "seed") if function == "mean_loss" else ("x", "noise")
        names = [*of_layers("encoder", encoder), *of_layers("decoder", decoder), *last]
    return f"{function}({', '.join(f'{name} {show(value)}' for name, value in zip(names, arguments))})"


@part("divergence")
def judge_divergence(student):
    student.call = call_of
    cases = [(Array((1, 2), [1.0, 0.0]), Array((1, 2), [0.0, -log(4)])), (Array((1, 1), [0.0]), Array((1, 1), [0.0]))]
    cases += [(some(student, rows, k, size=2), some(student, rows, k, size=2)) for rows, k in [(1, 2), (3, 1), (2, 4), (5, 3)]]
    largest = 0.0
    for mean, log_variance in [cases[2], *cases]:
        right = divergence(mean, log_variance)
        got = student.expect("divergence", mean, log_variance, gives=right, within=ALONE * 10, about="the divergences")
        if got.shape == right.shape:
            largest = max(largest, *(abs(a - b) for a, b in zip(got.numbers, right.numbers)))
    student.measured = largest


@part("latents")
def judge_latents(student):
    student.call = call_of
    cases = [(Array((1, 2), [1.0, 0.0]), Array((1, 2), [0.0, -log(4)]), Array((1, 2), [-1.0, 3.0]))]
    cases += [(some(student, rows, k), some(student, rows, k, size=3), some(student, rows, k, size=2))
              for rows, k in [(1, 1), (3, 2), (2, 4)]]
    for case in cases[1:] + cases[:1]:
        student.expect("latents", *case, gives=latents(*case), within=ALONE * 10, about="the latents")


def small(student, rows, pixels, hidden, k, size=1.0):
    """Two networks, images and noise, so small that all derivatives are fast."""
    arrays = []
    for sizes in ((pixels, *hidden, 2 * k), (k, *hidden, pixels)):
        arrays.append(len(sizes) - 1)
        for pair in zip(sizes, sizes[1:]):
            arrays += [some(student, *pair, size=size), some(student, 1, pair[1], size=size)]
    x = Array((rows, pixels), [round(student.random.random(), 3) for _ in range(rows * pixels)])
    return *arrays, x, some(student, rows, k, size=2)


HAND = (1, Array((1, 2), [1.0, 0.0]), Array((1, 2), [0.0, -log(4)]), 1, Array((1, 1), [2.0]), Array((1, 1), [0.0]),
        Array((1, 1), [1.0]), Array((1, 1), [-1.0]))


@part("loss")
def judge_loss(student):
    student.call = call_of
    for rows, pixels, hidden, k in [(1, 2, (), 1), (1, 3, (2,), 2), (3, 2, (3,), 1), (4, 5, (2, 3), 2)]:
        case = small(student, rows, pixels, hidden, k)
        student.expect("loss", *case, gives=loss(*case), within=WITHIN, about="the loss")
    student.expect("loss", *HAND, gives=loss(*HAND), within=WITHIN, about="the loss of the statement's example")
    for score in (50.0, -50.0, 800.0, -800.0):
        case = (1, Array((1, 2), [0.0, 0.0]), Array((1, 2), [0.0, 0.0]), 1, Array((1, 1), [0.0]), Array((1, 1), [score]),
                Array((2, 1), [0.25, 1.0]), Array((2, 1), [0.0, 0.5]))
        student.expect("loss", *case, gives=loss(*case), within=WITHIN, relative=1e-12, about=f"the loss for scores of {score:g}")


@part("gradient")
def judge_gradient(student):
    student.call = call_of
    largest = 0.0
    for rows, pixels, hidden, k in [(1, 2, (), 1), (2, 3, (2,), 1), (3, 2, (2,), 2), (4, 3, (2, 2), 2)]:
        case = small(student, rows, pixels, hidden, k)
        right = gradient(*case)
        got = student.ask("gradient", *case, gives=tuple(array_of(*array.shape) for array in right))
        student.compare(got, right, STEEP, 0, "the derivatives of the encoder, then of the decoder, layer by layer", "gradient", case)
        size = max(abs(one) for array in right for one in array.numbers)
        largest = max([largest, *(abs(a - b) / size for mine, theirs in zip(right, got) for a, b in zip(mine.numbers, theirs.numbers))])
    student.measured = largest
    student.check(largest <= GRADIENT, "the relative error of the gradient", "at most 1e-6", f"{largest:.2g}")
    case = (1, Array((1, 2), [0.0, 0.0]), Array((1, 2), [0.0, 0.0]), 1, Array((1, 1), [0.5]), Array((1, 1), [800.0]),
            Array((1, 1), [0.25]), Array((1, 1), [1.0]))
    right = gradient(*case)
    got = student.ask("gradient", *case, gives=tuple(array_of(*array.shape) for array in right))
    student.compare(got, right, STEEP, 0, "the derivatives for a score of 800", "gradient", case)


# The training.

FOLDER = "/usr/share/datasets/fashion-mnist"
FILES = {   # the SHA-256 of the content
    "train-images-idx3-ubyte": "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
    "t10k-images-idx3-ubyte": "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
}


def images(name):
    """The pixels of a file of Fashion-MNIST, one byte each."""
    folder = Path(os.environ.get("RECTO_FASHION_MNIST") or FOLDER)
    try:
        packed = folder / f"{name}.gz"
        data = gzip.decompress(packed.read_bytes()) if packed.exists() else (folder / name).read_bytes()
    except (OSError, EOFError):
        raise NotHere(f"Fashion-MNIST is not in {folder}; get it with: apt-get install dataset-fashion-mnist") from None
    if hashlib.sha256(data).hexdigest() != FILES[name]:
        raise NotHere(f"{folder / name} is not the file of Fashion-MNIST; get it with: apt-get install dataset-fashion-mnist")
    return data[16:]


@part("training")
def judge_training(student):
    student.call = call_of
    learn, unseen = images("train-images-idx3-ubyte"), images("t10k-images-idx3-ubyte")
    shapes = [(784, 100), (1, 100), (100, 16), (1, 16), (8, 100), (1, 100), (100, 784), (1, 784)]
    got = student.ask("train", learn, student.random.randrange(1000), gives=tuple(array_of(*shape) for shape in shapes), again=False)
    student.check(all(isfinite(number) for array in got for number in array.numbers), "the weights after the training", "finite numbers",
                  "NaN or infinity")
    vae = 2, *got[:4], 2, *got[4:]
    few = [byte / 255 for byte in unseen[:784 * 5]]
    case = (*vae, Array((5, 784), few), some(student, 5, 8))
    student.expect("loss", *case, gives=loss(*case), within=1e-8, relative=1e-10, about="the loss of five images after the training",
                   again=False)
    bound = -student.ask("mean_loss", *vae, unseen, student.random.randrange(1000), gives=REAL, again=False)
    student.report = [f"a bound of {bound:.1f} nats per image on 10,000 unseen images, after three epochs"]
    student.measured = bound
    student.check(bound >= THRESHOLD, "the bound on 10,000 unseen images", f"at least {THRESHOLD:g} nats", f"{bound:.1f}")
