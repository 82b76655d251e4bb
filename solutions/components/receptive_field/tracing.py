"""The right answers by tracing: which places does an output read, layer by layer down to the input?"""
from recto.judge.judging import integers


def windows(size, layer):
    """The number of windows along an axis."""
    kernel, stride, padding, dilation = layer
    return len(range(-padding, size + padding - dilation * (kernel - 1), stride))


def sizes(size, layers):
    """The sizes of all stages; the list ends where no window fits."""
    found = [size]
    for layer in layers:
        if not found[-1]:
            break
        found.append(windows(found[-1], layer))
    return found


def read(place, layer):
    """The places that the window of an output reads."""
    kernel, stride, padding, dilation = layer
    return [place * stride - padding + dilation * tap for tap in range(kernel)]


def traced(layers, output):
    """The input places that an output reads if the padding of every layer is an output of the layer below."""
    seen = {output}
    for layer in reversed(layers):
        seen = {below for place in seen for below in read(place, layer)}
    return seen


def stages(size, layers):
    """The sizes, jumps, fields and starts of all stages."""
    found = [], [], [], []
    for count, length in enumerate(sizes(size, layers)):
        first, second = traced(layers[:count], 0), traced(layers[:count], 1)
        for column, number in zip(found, (length, min(second) - min(first), max(first) - min(first) + 1, min(first))):
            column.append(number)
    return tuple(map(integers, found))


def span(size, layers, output):
    seen = traced(layers, output)
    return min(seen), max(seen)


def places(size, layers, output):
    seen = {output}
    for layer, length in reversed(list(zip(layers, sizes(size, layers)))):
        seen = {below for place in seen for below in read(place, layer) if 0 <= below < length}
    return sorted(seen)


def refuses(length, layers):
    return int(0 in sizes(length, layers))
