#!/usr/bin/env python3
"""Makes the files in this folder: what PyTorch computes, forward and backward, in double, written as float32.

    python3 tests/golden/make.py [OP...]          with torch, numpy and safetensors installed; nothing else needs them

Every OP is a function of this module that yields its settings: {option: value}, {name: input}, a function of the inputs.
Inputs are rounded to float32 first, so that both sides start from the same numbers. A name that ends in _ is an
input without gradient (labels, masks, positions), and loses its underscore in the file.
"""
import pathlib
import sys

import torch
from safetensors.numpy import save_file

HERE = pathlib.Path(__file__).resolve().parent


def normal(*shape, seed=0, scale=1.0):
    """Normal draws, the same for the same arguments."""
    generator = torch.Generator().manual_seed(1000 * seed + sum(7 ** i * n for i, n in enumerate(shape)))
    return scale * torch.randn(*shape, generator=generator, dtype=torch.float64)


OPS = {}


def op(function):
    """Registers a function as an operation with a file of its own."""
    OPS[function.__name__] = function
    return function


@op
def linear():
    """Rows times a weight, plus a bias."""
    for shape, out in [((7,), 3), ((1, 1), 1), ((4, 7), 5), ((2, 3, 5), 2), ((33, 17), 31), ((128, 9), 1),
                       ((1, 129), 4), ((3, 1), 127)]:
        yield ({}, {"x": normal(*shape), "weight": normal(out, shape[-1], seed=1), "bias": normal(out, seed=2)},
               torch.nn.functional.linear)


@op
def pad():
    """A border of one value around the last axes (PyTorch names the last axis first), and mirror images."""
    for shape, borders, value in [((3,), (1, 2), 0), ((2, 3), (0, 2), 1.5), ((2, 3), (1, 0, 2, 3), 0),
                                  ((2, 3, 4), (2, 2, 1, 1), -0.5), ((2, 1, 3, 5), (1, 1, 0, 3), 0),
                                  ((1, 1), (2, 3, 64, 65), 2), ((2, 2, 2), (1, 0, 0, 1, 2, 0), 0.25)]:
        back = [n for i in range(len(borders) - 2, -2, -2) for n in borders[i:i + 2]]
        yield ({"op": "pad", "borders": ",".join(map(str, borders)), "value": value}, {"x": normal(*shape)},
               lambda x, back=back, value=value: torch.nn.functional.pad(x, back, value=value))
    for shape, axes in [((5,), (0,)), ((2, 3, 4), (1, 2)), ((2, 129), (-1,))]:
        yield ({"op": "flip", "axes": ",".join(map(str, axes))}, {"x": normal(*shape)},
               lambda x, axes=axes: torch.flip(x, axes))


def convolution(op, x, weight, bias=True, **options):
    """One setting of a convolution or a transposed one."""
    outputs = weight[1] * options.get("groups", 1) if "transpose" in op else weight[0]
    inputs = {"x": normal(*x), "weight": normal(*weight, seed=1)} | ({"bias": normal(outputs, seed=2)} if bias else {})
    text = {k: ",".join(map(str, v)) if isinstance(v, tuple) else v for k, v in options.items()}
    return ({"op": op} | text, inputs, lambda *given: getattr(torch.nn.functional, op)(*given, **options))


@op
def conv():
    """Convolutions of images and series: odd sizes, strides, borders, gaps, groups."""
    yield convolution("conv2d", (2, 3, 7, 9), (4, 3, 3, 3))
    yield convolution("conv2d", (1, 3, 8, 7), (5, 3, 3, 3), padding=1)
    yield convolution("conv2d", (1, 2, 9, 8), (3, 2, 3, 2), stride=2, bias=False)
    yield convolution("conv2d", (2, 2, 9, 11), (3, 2, 3, 5), stride=(2, 3), padding=(1, 2))
    yield convolution("conv2d", (1, 2, 10, 9), (2, 2, 3, 3), dilation=(2, 3), padding=(1, 3))
    yield convolution("conv2d", (1, 4, 6, 6), (6, 2, 3, 3), groups=2, padding=1)
    yield convolution("conv2d", (2, 4, 7, 7), (8, 1, 3, 3), groups=4, stride=2, padding=1, bias=False)
    yield convolution("conv2d", (1, 5, 6, 7), (5, 1, 5, 5), groups=5, padding=2)
    yield convolution("conv2d", (3, 4, 3, 5), (7, 4, 1, 1))
    yield convolution("conv2d", (2, 3, 5, 5), (2, 3, 5, 5))
    yield convolution("conv2d", (1, 1, 4, 3), (9, 1, 2, 3), padding=(2, 4), dilation=2)
    yield convolution("conv1d", (2, 3, 12), (4, 3, 3))
    yield convolution("conv1d", (1, 3, 129), (2, 3, 4), stride=3, padding=2, bias=False)
    yield convolution("conv1d", (1, 4, 20), (4, 2, 3), dilation=4, padding=4, groups=2)


@op
def conv_transpose():
    """Transposed convolutions of images and series, likewise."""
    yield convolution("conv_transpose2d", (2, 3, 4, 5), (3, 2, 3, 3))
    yield convolution("conv_transpose2d", (2, 3, 4, 5), (3, 2, 3, 3), stride=2, padding=1, output_padding=1)
    yield convolution("conv_transpose2d", (1, 4, 3, 4), (4, 3, 4, 2), stride=(3, 2), padding=(1, 0), bias=False)
    yield convolution("conv_transpose2d", (2, 4, 4, 4), (4, 3, 3, 3), groups=2, dilation=2, padding=1)
    yield convolution("conv_transpose2d", (1, 3, 5, 5), (3, 1, 2, 2), groups=3, stride=2)
    yield convolution("conv_transpose2d", (1, 2, 6, 6), (2, 9, 3, 3), padding=2)
    yield convolution("conv_transpose2d", (1, 2, 3, 1), (2, 2, 2, 4), stride=(1, 4), output_padding=(0, 1))
    yield convolution("conv_transpose1d", (2, 3, 7), (3, 2, 4), stride=2, padding=1)
    yield convolution("conv_transpose1d", (1, 4, 9), (4, 2, 3), stride=3, output_padding=2, dilation=2, groups=2, bias=False)


@op
def pool():
    """Largest and mean of windows. Inputs are whole thirds, so that some windows have two that are largest."""
    for kind in ("max", "avg"):
        for shape, kernel, stride, padding in [((2, 2, 6, 6), 2, 2, 0), ((1, 2, 7, 9), 3, 2, 0), ((1, 2, 7, 8), 3, 1, 1),
                                               ((2, 1, 5, 8), (2, 3), (1, 3), (1, 0)), ((1, 1, 4, 3), (4, 3), 1, 0),
                                               ((1, 1, 9, 8), (3, 2), (4, 5), (1, 1))]:
            text = {k: v if isinstance(v, int) else ",".join(map(str, v))
                    for k, v in [("kernel", kernel), ("stride", stride), ("padding", padding)]}
            x = torch.round(normal(*shape) * 3) / 3
            yield ({"op": kind + "_pool2d"} | text, {"x": x}, lambda x, f=getattr(torch.nn.functional, kind + "_pool2d"),
                   o=(kernel, stride, padding): f(x, *o))
        for shape, o in [((2, 2, 9), (2, 2, 0)), ((1, 2, 129), (5, 3, 2))]:
            yield ({"op": kind + "_pool1d", "kernel": o[0], "stride": o[1], "padding": o[2]}, {"x": normal(*shape)},
                   lambda x, f=getattr(torch.nn.functional, kind + "_pool1d"), o=o: f(x, *o))


@op
def upsample():
    """Images of another size: nearest, and bilinear with align_corners=False."""
    for mode in ("nearest", "bilinear"):
        for shape, size in [((1, 2, 3, 4), (6, 8)), ((2, 1, 3, 5), (9, 5)), ((1, 2, 4, 3), (7, 10)), ((1, 1, 1, 1), (3, 2)),
                            ((1, 2, 8, 6), (4, 3)), ((1, 1, 7, 9), (3, 4)), ((1, 1, 2, 129), (3, 130)), ((1, 1, 5, 2), (1, 1))]:
            yield ({"mode": mode, "size": f"{size[0]},{size[1]}"}, {"x": normal(*shape)},
                   lambda x, size=size, mode=mode: torch.nn.functional.interpolate(x, size=size, mode=mode))


def make(name):
    """Writes the file of one operation."""
    tensors, notes = {}, {"made by": f"tests/golden/make.py, torch {torch.__version__.split('+')[0]}"}
    for n, (options, inputs, function) in enumerate(OPS[name]()):
        notes[str(n)] = " ".join(f"{k}={v}" for k, v in options.items())
        given = {}
        for key, value in inputs.items():
            if value.is_floating_point():
                value = value.float().double().requires_grad_(not key.endswith("_"))
            given[key.removesuffix("_")] = value
        y = function(*given.values())
        written = {**given, "y": y}
        wanting = [(k, v) for k, v in given.items() if v.requires_grad]
        if wanting:
            dy = normal(*y.shape, seed=9).float().double()
            gradients = torch.autograd.grad((y * dy).sum(), [v for _, v in wanting], allow_unused=False)
            written |= {"dy": dy} | {"d" + k: g for (k, _), g in zip(wanting, gradients)}
        tensors |= {f"{n}.{k}": v.detach().to(torch.float32).contiguous().numpy() for k, v in written.items()}
    save_file(tensors, HERE / f"{name}.safetensors", metadata=notes)
    print(f"{name}: {n + 1} settings, {(HERE / f'{name}.safetensors').stat().st_size} bytes")


if __name__ == "__main__":
    for wanted in sys.argv[1:] or OPS:
        make(wanted)
