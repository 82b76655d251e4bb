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
    return scale * torch.randn(shape, generator=generator, dtype=torch.float64)


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


F = torch.nn.functional


@op
def unary():
    """One number in, one out; slopes and limits by name."""
    x = {"x": normal(5, 26, scale=3.0)}
    plain = {"exp": torch.exp, "tanh": torch.tanh, "sigmoid": torch.sigmoid, "relu": torch.relu,
             "softplus": F.softplus, "gelu": F.gelu, "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
             "silu": F.silu, "abs": torch.abs, "square": torch.square}
    for name, f in plain.items():
        yield {"op": name}, {"x": normal(5, 26, scale=1.0)} if name == "exp" else x, f
    for slope in (0.01, 0.0, 0.3):
        yield {"op": "leaky_relu", "slope": slope}, x, lambda x, s=slope: F.leaky_relu(x, s)
    for low, high in ((-1.0, 1.0), (0.0, 6.0), ("-inf", 0.5)):
        yield ({"op": "clamp", "low": low, "high": high}, x,
               lambda x, a=float(low), b=float(high): torch.clamp(x, a, b))


@op
def binary():
    """Two numbers in, one out, stretched; equal numbers in the largest and smallest; the choice by a mask."""
    for name in ("add", "sub", "mul", "div", "maximum", "minimum"):
        b = normal(7, seed=1)
        yield ({"op": name}, {"a": normal(3, 2, 7), "b": b + 3 * b.sign() if name == "div" else b},
               getattr(torch, name))
    for name in ("maximum", "minimum"):
        yield ({"op": name}, {"a": torch.round(normal(6, 1, 9)), "b": torch.round(normal(5, 1, seed=1))},
               getattr(torch, name))
    for mask, a, b in (((4, 5), (4, 5), (4, 5)), ((4, 1), (5,), (1,)), ((5,), (2, 4, 5), (4, 1))):
        yield ({"op": "where"}, {"mask_": (normal(*mask, seed=3) > 0).double(), "a": normal(*a), "b": normal(*b, seed=1)},
               lambda m, a, b: torch.where(m != 0, a, b))


@op
def reduce():
    """Many numbers to one along some axes."""
    axes = {"last": (-1,), "first": (0,), "outer": (0, 2), "all": (0, 1, 2)}
    f = {"sum": torch.sum, "mean": torch.mean, "max": torch.amax, "min": torch.amin, "logsumexp": torch.logsumexp,
         "norm": torch.linalg.vector_norm}
    for n, (name, function) in enumerate(f.items()):
        for chosen in ("last", "outer") if n % 2 else ("first", "all"):
            yield ({"op": name, "axes": chosen}, {"x": normal(4, 5, 7, seed=n)},
                   lambda x, function=function, dim=axes[chosen]: function(x, dim=dim))
    for chosen, dim in axes.items():
        for correction in (0, 1):
            yield ({"op": "variance", "axes": chosen, "correction": correction}, {"x": 2 + normal(4, 5, 7)},
                   lambda x, dim=dim, c=correction: torch.var(x, dim=dim, correction=c))


def whole(*shape, below, seed=0):
    """Whole numbers from 0 to below - 1, the same for the same arguments."""
    return torch.randint(below, shape, generator=torch.Generator().manual_seed(1000 * seed + sum(shape) + below))


@op
def gather():
    """Picking, adding and selecting along an axis."""
    for shape, axis, count in (((7,), 0, 9), ((4, 5), 0, 2), ((4, 5), 1, 8), ((3, 4, 5), 1, 6), ((3, 4, 5), 2, 1)):
        to = shape[:axis] + (count,) + shape[axis + 1:]
        places = whole(*to, below=shape[axis])
        yield ({"op": "gather", "axis": axis}, {"x": normal(*shape), "places_": places},
               lambda x, p, axis=axis: torch.gather(x, axis, p))
        yield ({"op": "scatter_add", "axis": axis}, {"x": normal(*shape), "values": normal(*to, seed=1), "places_": places},
               lambda x, v, p, axis=axis: torch.scatter_add(x, axis, p, v))
        yield ({"op": "top_k", "axis": axis, "k": min(count, 3)}, {"x": normal(*shape)},
               lambda x, k=min(count, 3), axis=axis: torch.topk(x, k, dim=axis).values)


@op
def cross_entropy():
    """Scores to a loss, with ignored labels and smoothing; -1 is the ignored label."""
    for shape in ((1, 2), (4, 7), (2, 3, 5), (33, 10)):
        for smoothing in (0.0, 0.1):
            for ignore in (False, True):
                labels = whole(*shape[:-1], below=shape[-1])
                if ignore and labels.numel() > 1:
                    labels.view(-1)[1::3] = -1
                yield ({"ignored": -1, "smoothing": smoothing}, {"x": normal(*shape, scale=2.0), "labels_": labels},
                       lambda x, t, e=smoothing: F.cross_entropy(x.reshape(-1, x.shape[-1]), t.reshape(-1),
                                                                 ignore_index=-1, label_smoothing=e))


@op
def pairwise_loss():
    """Losses that compare numbers, distributions or distances."""
    for shape in ((1,), (4, 7), (2, 3, 5)):
        two = {"a": normal(*shape), "b": normal(*shape, seed=1)}
        yield {"op": "l1_loss"}, two, F.l1_loss
        for delta in (0.3, 1.0):
            yield {"op": "huber_loss", "delta": delta}, two, lambda a, b, delta=delta: F.huber_loss(a, b, delta=delta)
        yield ({"op": "kl_divergence"}, {k: torch.log_softmax(v, -1) for k, v in two.items()},
               lambda p, q: F.kl_div(q, p, reduction="batchmean", log_target=True))
    for shape in ((1, 3), (5, 2), (9, 16)):
        for margin in (0.2, 1.0):
            yield ({"op": "triplet_loss", "margin": margin},
                   {"a": normal(*shape), "b": normal(*shape, seed=1), "c": normal(*shape, seed=2)},
                   lambda a, b, c, margin=margin: F.triplet_margin_loss(a, b, c, margin=margin, eps=0.0))


@op
def layer_norm():
    """Normalisation over the last axes: layer and root mean square."""
    for n, (shape, axes) in enumerate([((4,), 1), ((5, 7), 1), ((5, 7), 2), ((2, 3, 5), 1), ((2, 3, 5), 2), ((33, 16), 1),
                                       ((3, 129), 1), ((2, 2, 3, 4), 3)]):
        sample, epsilon = shape[-axes:], (1e-5, 0.1)[n % 2]
        affine = {"weight": normal(*sample, seed=1), "bias": normal(*sample, seed=2)}
        yield ({"op": "layer_norm", "axes": axes, "epsilon": epsilon}, {"x": 2 + normal(*shape)} | (affine if n % 3 else {}),
               lambda x, w=None, b=None, s=sample, e=epsilon: F.layer_norm(x, s, w, b, e))
        affine.pop("bias")
        yield ({"op": "rms_norm", "axes": axes, "epsilon": epsilon}, {"x": 2 + normal(*shape)} | (affine if n % 3 else {}),
               lambda x, w=None, s=sample, e=epsilon: F.rms_norm(x, s, w, e))


@op
def batch_norm():
    """Normalisation of channels, with the running statistics behind the result; and in groups."""
    def batch(x, mean, variance, w=None, b=None, *, training, momentum, epsilon):
        mean, variance = mean.clone(), variance.clone()
        y = F.batch_norm(x, mean, variance, w, b, training, momentum, epsilon)
        return torch.cat([y.flatten(), mean, variance])

    for n, shape in enumerate([(2, 1), (7, 4), (3, 2, 5), (2, 3, 4, 5), (1, 4, 3, 3), (5, 2, 1, 9)]):
        c = shape[1]
        affine = {"weight": normal(c, seed=1), "bias": normal(c, seed=2)} if n % 3 else {}
        for training in (1, 0):
            options = {"training": training, "momentum": (0.1, 0.5)[n % 2], "epsilon": (1e-5, 0.1)[n % 2]}
            yield ({"op": "batch_norm"} | options,
                   {"x": 2 + normal(*shape), "running_mean_": normal(c, seed=3),
                    "running_variance_": 0.5 + normal(c, seed=4) ** 2} | affine,
                   lambda *given, o=options: batch(*given, **{k: bool(v) if k == "training" else v for k, v in o.items()}))
        for groups in {1, c}:
            if shape != (2, 1) and not (len(shape) == 2 and groups == c):
                yield ({"op": "group_norm", "groups": groups, "epsilon": 0.01}, {"x": 2 + normal(*shape)} | affine,
                       lambda x, w=None, b=None, g=groups: F.group_norm(x, g, w, b, 0.01))


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
