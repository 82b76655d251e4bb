"""What students with a misconception answer: each formula with a single change; and what to say to them."""
from recto.judge.judging import WRONG, Misconception, integers

from .tracing import places, read, sizes, stages, traced, windows


def walk(size=lambda n, k, s, p, d: (n + 2 * p - d * (k - 1) - 1) // s + 1, jump=lambda j, k, s, p, d: j * s,
         field=lambda r, j, k, s, p, d: r + d * (k - 1) * j, start=lambda t, j, k, s, p, d: t - p * j):
    """All stages by these four rules; None where a size is not positive."""
    def answer(length, flat):
        rows = [(length, 1, 1, 0)]
        for layer in unflat(flat):
            n, j, r, t = rows[-1]
            rows.append((size(n, *layer), jump(j, *layer), field(r, j, *layer), start(t, j, *layer)))
            if rows[-1][0] < 1:
                return None
        return tuple(map(integers, zip(*rows)))
    return answer


def stride_before(length, flat):
    """Each layer is scaled by the stride of the layer before it alone."""
    rows, last = [(length, 1, 1, 0)], 1
    for kernel, stride, padding, dilation in unflat(flat):
        n, j, r, t = rows[-1]
        count = windows(n, (kernel, stride, padding, dilation))
        rows.append((count, j * stride, r + dilation * (kernel - 1) * last, t - padding * last))
        last = stride
    return tuple(map(integers, zip(*rows)))


def size_of_input(length, flat):
    """The number of windows of each layer is computed from the size of the input."""
    right = stages(length, unflat(flat))
    counts = [length] + [windows(length, layer) for layer in unflat(flat)]
    return (integers(counts), *right[1:]) if min(counts) > 0 else None


def truncated(length, flat):
    """Whether a layer is refused if a negative quotient is rounded towards zero before it is tested."""
    for kernel, stride, padding, dilation in unflat(flat):
        rest = length + 2 * padding - dilation * (kernel - 1) - 1
        length = int(rest / stride) + 1
        if length < 1:
            return 1
    return 0


def unflat(flat):
    """The layers of an argument, which has four numbers for each."""
    numbers = getattr(flat, "numbers", flat)
    return [tuple(numbers[at:at + 4]) for at in range(0, len(numbers), 4)]


def of_stages(rule):
    """span by a rule for (size, jump, field, start of the last stage; output; size of the input; its last layer)."""
    def answer(length, flat, output):
        layers = unflat(flat)
        top = (column.numbers[-1] for column in stages(length, layers))
        return rule(*top, output, length, layers[-1] if layers else (1, 1, 0, 1))
    return answer


def of_places(rule):
    """places by a rule for (size, layers, output)."""
    return lambda length, flat, output: integers(rule(length, unflat(flat), output))


def clipped_above(length, layers, output):
    """What a layer reads is clipped to the number of its own outputs instead of its inputs."""
    seen, counts = {output}, sizes(length, layers)
    for layer, count in reversed(list(zip(layers, counts[1:]))):
        seen = {below for place in seen for below in read(place, layer) if 0 <= below < count}
    return sorted(seen)


def every_path(length, layers, output):
    """A place for every path, from the lowest tap to the highest."""
    seen = [output]
    for layer, size in reversed(list(zip(layers, sizes(length, layers)))):
        seen = [below for place in seen for below in read(place, layer) if 0 <= below < size]
    return sorted(seen)


def filled(seen):
    """The range from the first to the last."""
    return list(range(min(seen), max(seen) + 1)) if seen else []


def inside(seen, length):
    return sorted(place for place in seen if 0 <= place < length)


def unpadded(length, layers, output):
    """The places without the shift by the padding."""
    return inside(traced([(k, s, 0, d) for k, s, _, d in layers], output), length)


misconceptions = [
    Misconception("number-of-stages", says="there is one stage for the input and one after each layer, in this order"),
    Misconception("rounds-up", "stages", walk(size=lambda n, k, s, p, d: -(-(n + 2 * p - d * (k - 1) - 1) // s) + 1),
                  "the number of windows is rounded up: the last one does not fit completely. Round down"),
    Misconception("no-first-window", "stages", walk(size=lambda n, k, s, p, d: (n + 2 * p - d * (k - 1) - 1) // s),
                  "the first window is missing: what is left, divided by the stride, counts the steps"),
    Misconception("padding-once", "stages", walk(size=lambda n, k, s, p, d: (n + p - d * (k - 1) - 1) // s + 1),
                  "the padding is added once to the size, but there are zeros on both sides"),
    Misconception("size-without-dilation", "stages", walk(size=lambda n, k, s, p, d: (n + 2 * p - k) // s + 1),
                  "the dilation is missing from the size: a window spans dilation * (kernel - 1) + 1 places"),
    Misconception("size-of-the-input", "stages", size_of_input,
                  "every layer was measured with the size of the input: the windows of a layer slide over the outputs of the "
                  "layer below, so take the size of the stage before"),
    Misconception("own-stride", "stages",
                  walk(field=lambda r, j, k, s, p, d: r + d * (k - 1) * j * s, start=lambda t, j, k, s, p, d: t - p * j * s),
                  "a layer was scaled by its own stride: its taps and its padding are outputs of the layer below, which "
                  "lie as far apart as the jump *before* this layer says. Change the jump last"),
    Misconception("own-stride-in-field", "stages", walk(field=lambda r, j, k, s, p, d: r + d * (k - 1) * j * s),
                  "the field grew by steps of the layer's own outputs: its taps are outputs of the layer below, which lie "
                  "as far apart as the jump *before* this layer says"),
    Misconception("stride-of-the-layer-before", "stages", stride_before,
                  "the step is the stride of the layer before alone: a step is as long as the product of all strides "
                  "before this layer"),
    Misconception("strides-added", "stages", walk(jump=lambda j, k, s, p, d: j + s - 1),
                  "the strides were added: a step of 2 over outputs that are 3 places apart moves by 6 places, so strides "
                  "multiply"),
    Misconception("jump-of-one-layer", "stages", walk(jump=lambda j, k, s, p, d: s),
                  "the jump is the stride of this layer alone: the jump counts places of the input, so all strides multiply"),
    Misconception("dilation-jumps", "stages", walk(jump=lambda j, k, s, p, d: j * s * d),
                  "the dilation multiplied the jump: it moves the taps of a window apart, not the windows"),
    Misconception("kernel-of-steps", "stages", walk(field=lambda r, j, k, s, p, d: r + d * k * j),
                  "a kernel of K taps adds K steps here: there are K - 1 steps from the first tap to the last"),
    Misconception("window-of-K-dilations", "stages", walk(field=lambda r, j, k, s, p, d: r + (d * k - 1) * j),
                  "a dilated window spans dilation * (kernel - 1) + 1 places, not dilation * kernel"),
    Misconception("fields-multiply", "stages", walk(field=lambda r, j, k, s, p, d: r * (d * (k - 1) + 1)),
                  "the field was multiplied by the window: neighbouring outputs share most of what they see, so a window "
                  "adds to the field"),
    Misconception("stride-forgotten", "stages", walk(field=lambda r, j, k, s, p, d: r + d * (k - 1)),
                  "each layer added dilation * (kernel - 1) places, as if its taps were places of the input: behind a "
                  "stride they lie `jump` places apart"),
    Misconception("dilation-forgotten", "stages", walk(field=lambda r, j, k, s, p, d: r + (k - 1) * j),
                  "the dilation is missing from the field: K taps reach over dilation * (K - 1) steps"),
    Misconception("from-the-wrong-end", "stages", walk(field=lambda r, j, k, s, p, d: (r - 1) * s + d * (k - 1) + 1),
                  "the rule (field - 1) * stride + window is right from the last layer down to the first. Here the layers "
                  "were taken from the first to the last: then a window adds (window - 1) * jump"),
    Misconception("padding-in-field", "stages", walk(field=lambda r, j, k, s, p, d: r + (d * (k - 1) - 2 * p) * j),
                  "the padding was subtracted from the field: padding moves a field, and its size stays the same"),
    Misconception("padding-not-scaled", "stages", walk(start=lambda t, j, k, s, p, d: t - p),
                  "the start moved by `padding` places of the input: the zeros are beside outputs of the layer below, "
                  "which lie `jump` places apart"),
    Misconception("padding-moves-right", "stages", walk(start=lambda t, j, k, s, p, d: t + p * j),
                  "the padding moves the first window to the left, before the input: the start decreases"),
    Misconception("own-stride-in-start", "stages", walk(start=lambda t, j, k, s, p, d: t - p * j * s),
                  "the start moved by steps of the layer's own outputs: the zeros are beside outputs of the layer below, "
                  "which lie as far apart as the jump *before* this layer says"),
    Misconception("dilation-in-start", "stages", walk(start=lambda t, j, k, s, p, d: t - p * d * j),
                  "the dilation multiplied the padding: it moves the taps of a window apart, and there are `padding` zeros "
                  "before the first output of the layer below, whatever the dilation is"),
    Misconception("no-start", "stages", walk(start=lambda t, j, k, s, p, d: 0),
                  "the start is always 0 here: with padding, output 0 sees places before the input"),
    Misconception("centre-as-start", "stages", walk(start=lambda t, j, k, s, p, d: t + d * (k - 1) * j // 2 - p * j),
                  "this is the middle of the field of output 0. The start is its first place"),
    Misconception("truncated-quotient", "stages_refuses", truncated,
                  "a window that is too large by less than a stride is accepted: C++ rounds a negative quotient towards "
                  "zero, so -1 / 2 + 1 is 1. Test before you divide"),
    Misconception("first-layer-tested", "stages_refuses",
                  lambda n, flat: int(bool(unflat(flat)) and windows(n, unflat(flat)[0]) == 0),
                  "only the first layer was tested: a later window may be larger than what its layers below leave"),
    Misconception("never-refuses", "stages_refuses", lambda n, flat: 0,
                  "a window is larger than the padded input of its layer: throw std::invalid_argument"),
    Misconception("refuses-what-fits", "stages", outcome=WRONG, matches="threw an exception",
                  says="all windows fit: a window spans dilation * (kernel - 1) + 1 places, and the padded input of its "
                       "layer has size + 2 padding, where size is that of the stage before"),
    Misconception("end-excluded", "span", of_stages(lambda n, j, r, t, at, length, layer: (t + at * j, t + at * j + r)),
                  "the last place belongs to the range: a field of r places ends r - 1 places after its first"),
    Misconception("output-not-scaled", "span", of_stages(lambda n, j, r, t, at, length, layer: (t + at, t + at + r - 1)),
                  "the field of the next output begins `jump` places further, not one"),
    Misconception("output-times-stride", "span",
                  of_stages(lambda n, j, r, t, at, length, layer: (t + at * layer[1], t + at * layer[1] + r - 1)),
                  "the output was multiplied by the stride of the last layer: the jump is the product of all strides"),
    Misconception("start-forgotten", "span", of_stages(lambda n, j, r, t, at, length, layer: (at * j, at * j + r - 1)),
                  "the field of output 0 begins at the start of the last stage, which is below 0 if there is padding"),
    Misconception("clipped", "span",
                  of_stages(lambda n, j, r, t, at, length, layer: (max(0, t + at * j), min(length - 1, t + at * j + r - 1))),
                  "the range was clipped to the input: span counts the padding too"),
    Misconception("centred", "span", of_stages(lambda n, j, r, t, at, length, layer: (at * j - r // 2, at * j - r // 2 + r - 1)),
                  "the field was centred on place output * jump, which is right only for paddings of half a window: begin "
                  "at start + output * jump"),
    Misconception("padding-listed", "places", of_places(lambda n, layers, at: sorted(traced(layers, at))),
                  "places outside the input are listed: those are padding"),
    Misconception("clipped-once", "places", of_places(lambda n, layers, at: inside(traced(layers, at), n)),
                  "the places were clipped at the input only. Every layer has its own padding: what an output reads "
                  "beside the outputs of the layer below is a zero, which depends on nothing. Clip to the size of each "
                  "stage on the way down"),
    Misconception("clipped-above", "places", of_places(clipped_above),
                  "what a layer reads was clipped to the number of its own outputs: a layer reads outputs of the stage "
                  "before it, so clip to the size of that one"),
    *(Misconception("gaps-filled", "places", of_places(rule),
                    "every place between the first and the last is listed: dilations and strides leave gaps. Follow each tap")
      for rule in (lambda n, layers, at: filled(places(n, layers, at)),
                   lambda n, layers, at: inside(filled(traced(layers, at)), n))),
    Misconception("places-repeated", "places", of_places(every_path),
                  "places are listed once for every path that leads to them: each counts once"),
    Misconception("padding-not-subtracted", "places", of_places(unpadded),
                  "the padding is missing on the way down: tap a of output t reads place t * stride - padding + a * "
                  "dilation"),
    Misconception("decreasing", "places", of_places(lambda n, layers, at: places(n, layers, at)[::-1]),
                  "the places are in decreasing order"),
    Misconception("layers-in-order", "places", of_places(lambda n, layers, at: places_upwards(n, layers, at)),
                  "the layers were taken from the first to the last: an output belongs to the last layer, so begin there "
                  "and go down"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's convolution is not allowed here, not even to try which outputs change: follow the "
                       "places yourself"),
]


def places_upwards(length, layers, output):
    """The layers in the wrong order, each with its own size."""
    seen = {output}
    for layer, size in zip(layers, sizes(length, layers)):
        seen = {below for place in seen for below in read(place, layer) if 0 <= below < size}
    return sorted(seen)
