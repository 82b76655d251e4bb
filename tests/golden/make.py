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

# Optimisers: the parameters after one step for each of the gradients.

def steps_of(optimiser, shape, count=8, before_step=lambda w: None, seed=0, scale=1.0, **settings):
    """One setting: `start` and `gradients` in, the parameters after the last step out."""
    def run(start, gradients):
        w = torch.nn.Parameter(start.clone())
        one = optimiser([w], **settings)
        for g in gradients:
            w.grad = g.clone()
            before_step(w)
            one.step()
        return w.detach()
    return {"start_": normal(*shape, seed=seed), "gradients_": normal(count, *shape, seed=seed + 1, scale=scale)}, run


@op
def sgd():
    """Gradient descent: plain, momentum, Nesterov, weight decay."""
    for shape, momentum, nesterov, decay in [((5,), 0, 0, 0), ((3, 2), 0.9, 0, 0), ((1,), 0.9, 1, 0), ((7, 3), 0.5, 1, 0),
                                             ((4,), 0, 0, 0.1), ((2, 3), 0.8, 0, 0.05), ((129,), 0.9, 1, 0.01),
                                             ((2, 2, 2), 0.99, 0, 0)]:
        options = {"rate": 0.1, "momentum": momentum, "nesterov": nesterov, "decay": decay}
        yield options, *steps_of(torch.optim.SGD, shape, lr=0.1, momentum=momentum, nesterov=bool(nesterov),
                                 weight_decay=decay)


def adam_settings(optimiser, decays):
    """The settings of Adam and AdamW."""
    for n, (shape, rate, beta1, beta2, epsilon) in enumerate([
            ((5,), 1e-3, 0.9, 0.999, 1e-8), ((3, 2), 0.1, 0.9, 0.999, 1e-8), ((1,), 0.01, 0.5, 0.9, 1e-3),
            ((7, 3), 0.01, 0, 0.99, 1e-8), ((4,), 0.05, 0.9, 0, 1e-6), ((129,), 1e-2, 0.8, 0.95, 1e-8),
            ((2, 2, 2), 1, 0.9, 0.98, 1e-9), ((6,), 0, 0.9, 0.999, 1e-8)]):
        decay = decays[n % len(decays)]
        yield ({"rate": rate, "beta1": beta1, "beta2": beta2, "epsilon": epsilon, "decay": decay},
               *steps_of(optimiser, shape, seed=n, lr=rate, betas=(float(beta1), float(beta2)), eps=epsilon, weight_decay=decay))


@op
def adam():
    """Adam without decay."""
    yield from adam_settings(torch.optim.Adam, [0])


@op
def adamw():
    """Adam with decoupled decay."""
    yield from adam_settings(torch.optim.AdamW, [0.01, 0.1, 0.5])


@op
def rmsprop():
    """RMSProp, with and without momentum and decay."""
    for n, (shape, rate, alpha, epsilon, momentum, decay) in enumerate([
            ((5,), 0.01, 0.99, 1e-8, 0, 0), ((3, 2), 0.1, 0.9, 1e-8, 0.9, 0), ((1,), 0.01, 0.5, 1e-3, 0, 0.1),
            ((7, 3), 1e-3, 0, 1e-6, 0, 0), ((4,), 0.05, 0.99, 1e-2, 0.5, 0.01), ((129,), 0.02, 0.95, 1e-8, 0.8, 0),
            ((2, 2, 2), 1, 0.9, 1e-8, 0, 0), ((6,), 0, 0.99, 1e-8, 0.9, 0)]):
        yield ({"rate": rate, "alpha": alpha, "epsilon": epsilon, "momentum": momentum, "decay": decay},
               *steps_of(torch.optim.RMSprop, shape, seed=n, lr=rate, alpha=alpha, eps=epsilon, momentum=momentum,
                         weight_decay=decay))


@op
def clip():
    """Gradients clipped by norm or by value, then plain descent."""
    for n, (shape, by, most) in enumerate([((5,), "norm", 1), ((3, 2), "norm", 2.5), ((129,), "norm", 8),
                                           ((4,), "norm", 1000), ((5,), "value", 0.5), ((7, 3), "value", 1),
                                           ((2,), "value", 0), ((2, 2), "norm", 0)]):
        cut = torch.nn.utils.clip_grad_norm_ if by == "norm" else torch.nn.utils.clip_grad_value_
        yield ({"by": by, "most": most},
               *steps_of(torch.optim.SGD, shape, seed=n, lr=0.1, before_step=lambda w, cut=cut, most=most: cut([w], most)))


@op
def average():
    """The exponential moving average of weights that descend."""
    for n, (shape, beta) in enumerate([((5,), 0), ((3, 2), 0.5), ((1,), 0.9), ((7, 3), 0.99), ((4,), 0.999),
                                       ((129,), 0.75), ((2, 2, 2), 0.25), ((6,), 0.1)]):
        inputs, _ = steps_of(torch.optim.SGD, shape, seed=n, lr=0.1)

        def run(start, gradients, beta=beta):
            model = torch.nn.Module()
            model.w = torch.nn.Parameter(start.clone())
            mean = torch.optim.swa_utils.AveragedModel(
                model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(beta))
            mean.update_parameters(model)
            for g in gradients:
                with torch.no_grad():
                    model.w -= 0.1 * g
                mean.update_parameters(model)
            return mean.module.w.detach()
        yield {"beta": beta}, inputs, run


@op
def schedule():
    """The rates of 40 steps."""
    def rates(make, largest):
        def run(start):
            one = torch.optim.SGD([torch.nn.Parameter(start)], lr=largest)
            plan, found = make(one), []
            for _ in range(40):
                found.append(one.param_groups[0]["lr"])
                one.step()
                plan.step()
            return torch.tensor(found, dtype=torch.float64)
        return {"start_": torch.zeros(1, dtype=torch.float64)}, run
    plans = torch.optim.lr_scheduler

    def warmed(warmup, least):
        return lambda one: plans.SequentialLR(one, [
            plans.LinearLR(one, 1 / (warmup + 1), 1.0, warmup), plans.CosineAnnealingLR(one, 39 - warmup, least)], [warmup])
    for every, factor in [(10, 0.1), (7, 0.5), (1, 0.9)]:
        yield ({"plan": "step_decay", "rate": 1, "every": every, "factor": factor},
               *rates(lambda one, e=every, f=factor: plans.StepLR(one, e, f), 1))
    for rate, least in [(1, 0), (0.5, 0.1)]:
        yield ({"plan": "cosine", "rate": rate, "least": least},
               *rates(lambda one, least=least: plans.CosineAnnealingLR(one, 39, least), rate))
    for rate, warmup, least in [(1, 5, 0), (2, 9, 0.5)]:
        yield {"plan": "warmup_cosine", "rate": rate, "warmup": warmup, "least": least}, *rates(warmed(warmup, least), rate)
    for rate, rising, start, end in [(1, 0.3, 25, 1e4), (2, 0.5, 10, 100)]:
        yield ({"plan": "one_cycle", "rate": rate, "rising": rising, "start": 1 / start, "end": 1 / start / end},
               *rates(lambda one, r=rate, u=rising, s=start, e=end: plans.OneCycleLR(
                   one, r, total_steps=41, pct_start=u, div_factor=s, final_div_factor=e), rate))


# Attention.

def allowed(*shape, seed=0):
    """A boolean mask in which about two thirds may be seen, as 0 and 1."""
    return (normal(*shape, seed=seed) > -0.4).double()


@op
def attention():
    """Scaled dot products: causal, padded and arbitrary masks, other widths of values, other scales."""
    dot = torch.nn.functional.scaled_dot_product_attention
    for n, (batch, heads, queries, keys, width, wide, kind) in enumerate([
            (2, 3, 7, 7, 5, 5, "none"), (1, 1, 1, 1, 1, 1, "none"), (2, 1, 5, 9, 4, 3, "scale"),
            (1, 2, 9, 9, 4, 4, "causal"), (1, 1, 70, 70, 3, 3, "causal"), (3, 2, 5, 5, 3, 3, "lengths"),
            (2, 2, 6, 4, 3, 5, "added"), (2, 2, 6, 6, 3, 3, "allowed"), (1, 1, 3, 129, 2, 2, "allowed"),
            (2, 2, 5, 5, 2, 2, "all"), (1, 2, 3, 8, 4, 4, "first")]):
        inputs = {"q": normal(batch, heads, queries, width, seed=3 * n), "k": normal(batch, heads, keys, width, seed=3 * n + 1),
                  "v": normal(batch, heads, keys, wide, seed=3 * n + 2)}
        options = {"kind": kind}
        if kind == "none":
            yield options, inputs, dot
        elif kind == "scale":
            yield options | {"scale": 0.25}, inputs, lambda q, k, v: dot(q, k, v, scale=0.25)
        elif kind == "causal":
            yield options, inputs, lambda q, k, v: dot(q, k, v, is_causal=True)
        elif kind == "lengths":
            lengths = torch.tensor([5, 2, 1])
            yield options, inputs | {"lengths_": lengths}, lambda q, k, v, lengths: dot(
                q, k, v, attn_mask=(torch.arange(5) < lengths[:, None])[:, None, None, :])
        elif kind == "added":
            yield options, inputs | {"mask": normal(heads, 1, keys, seed=77)}, lambda q, k, v, mask: dot(
                q, k, v, attn_mask=mask.expand(heads, queries, keys))
        elif kind == "allowed":
            yield options, inputs | {"mask_": allowed(queries, keys)}, lambda q, k, v, mask: dot(
                q, k, v, attn_mask=mask > 0)
        elif kind == "all":
            seen = allowed(batch, 1, queries, keys)
            seen[:, :, 1], seen[1, :, 4] = 0, 0
            yield options, inputs | {"mask_": seen}, lambda q, k, v, mask: dot(q, k, v, attn_mask=mask > 0)
        else:  # queries 5, 6 and 7 of a causal sequence of 8
            yield options | {"first": 5}, inputs, lambda q, k, v: dot(
                q, k, v, attn_mask=torch.ones(3, 8, dtype=torch.bool).tril(5))


@op
def rotary():
    """Pairs turned by angles, written with PyTorch's complex numbers and slices."""
    def turn(first, head, base, pairs):
        def run(x):
            time, half = x.shape[-2], head // 2
            angle = torch.arange(first, first + time, dtype=torch.float64)[:, None] * base ** (
                -torch.arange(half, dtype=torch.float64) / half)
            split = x.unflatten(-1, (-1, head))
            pair = split.unflatten(-1, (half, 2) if pairs == "neighbours" else (2, half))
            pair = pair if pairs == "neighbours" else pair.transpose(-1, -2)
            turned = torch.view_as_real(torch.view_as_complex(pair.contiguous()) * torch.polar(torch.ones_like(angle), angle)[:, None])
            turned = turned if pairs == "neighbours" else turned.transpose(-1, -2)
            return turned.reshape(x.shape)
        return run
    for n, (shape, head, first, base) in enumerate([((1, 2), 2, 0, 10000), ((5, 4), 4, 0, 10000), ((2, 3, 8), 4, 7, 100),
                                                    ((2, 2, 3, 6), 6, 1, 10000), ((129, 2), 2, 0, 50)]):
        for pairs in ("neighbours", "halves"):
            yield ({"head": head, "first": first, "base": base, "pairs": pairs, "length": 140},
                   {"x": normal(*shape, seed=n)}, turn(first, head, base, pairs))


@op
def multi_head_attention():
    """torch.nn.MultiheadAttention: self and cross, causal, padded, without biases."""
    for n, (batch, time, keys, width, heads, causal, padded, bias) in enumerate([
            (2, 5, 0, 6, 3, 0, 0, 1), (1, 1, 0, 2, 1, 0, 0, 1), (2, 7, 0, 4, 2, 1, 0, 1), (3, 4, 0, 6, 2, 0, 1, 1),
            (2, 5, 3, 4, 4, 0, 0, 1), (2, 3, 6, 6, 2, 0, 1, 1), (1, 6, 0, 4, 1, 1, 0, 0), (2, 4, 5, 4, 2, 0, 0, 0),
            (3, 4, 0, 4, 2, 1, 1, 1)]):
        inputs = {"x": normal(batch, time, width, seed=n), "in_weight": normal(3 * width, width, seed=n + 20, scale=0.5),
                  "out_weight": normal(width, width, seed=n + 40, scale=0.5)}
        if bias:
            inputs |= {"in_bias": normal(3 * width, seed=n + 60), "out_bias": normal(width, seed=n + 80)}
        if keys:
            inputs["memory"] = normal(batch, keys, width, seed=n + 100)
        seen = keys or time
        if padded:
            inputs["lengths_"] = torch.tensor([seen, seen - 2, 1][:batch])

        def run(*given, names=list(inputs), heads=heads, causal=causal, seen=seen, width=width):
            at = dict(zip((k.removesuffix("_") for k in names), given))
            layer = torch.nn.MultiheadAttention(width, heads, bias="in_bias" in at, batch_first=True, dtype=torch.float64)
            parts = {"in_proj_weight": at["in_weight"], "out_proj.weight": at["out_weight"]}
            if "in_bias" in at:
                parts |= {"in_proj_bias": at["in_bias"], "out_proj.bias": at["out_bias"]}
            memory = at.get("memory", at["x"])
            return torch.func.functional_call(layer, parts, (at["x"], memory, memory), {
                "need_weights": False, "is_causal": bool(causal),
                "attn_mask": torch.ones(seen, seen, dtype=torch.bool).triu(1) if causal else None,
                "key_padding_mask": torch.arange(seen) >= at["lengths"][:, None] if "lengths" in at else None})[0]
        yield {"heads": heads, "causal": causal}, inputs, run


@op
def affine_scan():
    """h_t = a_t h_{t-1} + b_t, a step at a time."""
    for n, (shape, start) in enumerate([((1, 1), 0), ((5, 3), 0), ((5, 3), 1), ((2, 7, 2), 1), ((3, 1, 4), 0), ((3, 1, 4), 1),
                                        ((2, 2, 6, 2), 1), ((130, 2), 0), ((600, 1), 1)]):
        inputs = {"a": normal(*shape, seed=n, scale=0.7), "b": normal(*shape, seed=n + 20)}
        if start:
            inputs["h0"] = normal(*shape[:-2], shape[-1], seed=n + 40)

        def run(a, b, h0=None):
            h, states = h0, []
            for t in range(a.shape[-2]):
                h = b[..., t, :] if h is None else a[..., t, :] * h + b[..., t, :]
                states.append(h)
            return torch.stack(states, -2) + 0 * a  # the first coefficient has the gradient 0
        yield {}, inputs, run


@op
def sum_neighbours():
    """Sums of the rows of neighbours: index_add of the edges."""
    for n, (sources, targets, edges, rest) in enumerate([(1, 1, 1, ()), (4, 3, 7, (2,)), (5, 5, 0, (3,)), (3, 9, 20, (1,)),
                                                         (9, 2, 5, (2, 3)), (2, 2, 30, (7,)), (130, 10, 40, (2,)),
                                                         (6, 129, 200, ())]):
        generator = torch.Generator().manual_seed(n)
        to = torch.randint(targets, (edges,), generator=generator).sort().values
        offsets = torch.cat([torch.zeros(1, dtype=torch.long), torch.bincount(to, minlength=targets).cumsum(0)])
        yield ({}, {"x": normal(sources, *rest, seed=n), "offsets_": offsets,
                    "places_": torch.randint(sources, (edges,), generator=generator)},
               lambda x, offsets, places, to=to, targets=targets: torch.zeros(
                   targets, *x.shape[1:], dtype=torch.float64).index_add(0, to, x[places]))


# Recurrent layers.

def recurrent(kind):
    """One layer of torch.nn.RNN, LSTM or GRU: outputs of all steps, then the last states as one more step each."""
    gates = {"RNN": 1, "LSTM": 4, "GRU": 3}[kind]
    for n, (batch, time, width, hidden, start, bias) in enumerate([
            (1, 1, 1, 1, 1, 1), (2, 5, 3, 4, 1, 1), (3, 4, 2, 3, 0, 1), (1, 12, 2, 2, 1, 1), (2, 3, 5, 1, 1, 0),
            (4, 2, 1, 7, 0, 0), (1, 2, 3, 17, 1, 1), (5, 7, 2, 3, 1, 1)]):
        inputs = {"x": normal(batch, time, width, seed=n), "weight_ih": normal(gates * hidden, width, seed=n + 10, scale=0.5),
                  "weight_hh": normal(gates * hidden, hidden, seed=n + 20, scale=0.5)}
        if bias:
            inputs |= {"bias_ih": normal(gates * hidden, seed=n + 30, scale=0.5),
                       "bias_hh": normal(gates * hidden, seed=n + 40, scale=0.5)}
        if start:
            inputs["h0"] = normal(batch, hidden, seed=n + 50)
            if kind == "LSTM":
                inputs["c0"] = normal(batch, hidden, seed=n + 60)

        def run(*given, names=list(inputs), hidden=hidden, width=width):
            at = dict(zip(names, given))
            layer = getattr(torch.nn, kind)(width, hidden, bias="bias_ih" in at, batch_first=True, dtype=torch.float64)
            states = tuple(at[k][None] for k in ("h0", "c0") if k in at)
            y, last = torch.func.functional_call(
                layer, {k + "_l0": v for k, v in at.items() if "_" in k},
                (at["x"], None if not states else states if kind == "LSTM" else states[0]))
            return torch.cat([y, *(s.transpose(0, 1) for s in (last if kind == "LSTM" else (last,)))], 1)
        yield {}, inputs, run


@op
def rnn():
    """torch.nn.RNN with tanh."""
    yield from recurrent("RNN")


@op
def lstm():
    """torch.nn.LSTM."""
    yield from recurrent("LSTM")


@op
def gru():
    """torch.nn.GRU."""
    yield from recurrent("GRU")


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
def adaptive_pool():
    """Largest and mean of the windows that a size asks for."""
    for kind in ("avg", "max"):
        for shape, size in [((2, 3, 6, 6), (2, 3)), ((1, 2, 7, 9), (3, 4)), ((2, 1, 5, 8), (1, 1)), ((1, 2, 3, 4), (5, 7))]:
            yield ({"op": f"adaptive_{kind}_pool2d", "rows": size[0], "columns": size[1]}, {"x": normal(*shape)},
                   lambda x, f=getattr(F, f"adaptive_{kind}_pool2d"), size=size: f(x, size))
        for shape, size in [((2, 2, 9), 4), ((1, 2, 129), 7)]:
            yield ({"op": f"adaptive_{kind}_pool1d", "columns": size}, {"x": normal(*shape)},
                   lambda x, f=getattr(F, f"adaptive_{kind}_pool1d"), size=size: f(x, size))


@op
def upsample():
    """Images of another size: nearest, and bilinear with align_corners=False."""
    for mode in ("nearest", "bilinear"):
        for shape, size in [((1, 2, 3, 4), (6, 8)), ((2, 1, 3, 5), (9, 5)), ((1, 2, 4, 3), (7, 10)), ((1, 1, 1, 1), (3, 2)),
                            ((1, 2, 8, 6), (4, 3)), ((1, 1, 7, 9), (3, 4)), ((1, 1, 2, 129), (3, 130)), ((1, 1, 5, 2), (1, 1))]:
            yield ({"mode": mode, "size": f"{size[0]},{size[1]}"}, {"x": normal(*shape)},
                   lambda x, size=size, mode=mode: torch.nn.functional.interpolate(x, size=size, mode=mode))


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
    for alpha in (1.0, 0.3):
        yield {"op": "elu", "alpha": alpha}, x, lambda x, a=alpha: F.elu(x, a)
    yield {"op": "selu"}, x, F.selu
    for low, high in ((-1.0, 1.0), (0.0, 6.0), ("-inf", 0.5)):
        yield ({"op": "clamp", "low": low, "high": high}, x,
               lambda x, a=float(low), b=float(high): torch.clamp(x, a, b))
    for name in ("log", "sqrt", "negative"):
        yield {"op": name}, {"x": normal(5, 26, seed=1).abs() + 0.05}, getattr(torch, name)


@op
def prelu():
    """A learned slope below 0: one for all, or one for each channel."""
    for shape in ((7,), (1, 1), (4, 3), (2, 5, 7), (2, 3, 4, 5), (3, 129)):
        for slopes in {1, shape[1] if len(shape) > 1 else 1}:
            yield {}, {"x": normal(*shape), "weight": normal(slopes, seed=1)}, F.prelu


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
    """Picking and adding along an axis."""
    for shape, axis, count in (((7,), 0, 9), ((4, 5), 0, 2), ((4, 5), 1, 8), ((3, 4, 5), 1, 6), ((3, 4, 5), 2, 1)):
        to = shape[:axis] + (count,) + shape[axis + 1:]
        places = whole(*to, below=shape[axis])
        yield ({"op": "gather", "axis": axis}, {"x": normal(*shape), "places_": places},
               lambda x, p, axis=axis: torch.gather(x, axis, p))
        yield ({"op": "scatter_add", "axis": axis}, {"x": normal(*shape), "values": normal(*to, seed=1), "places_": places},
               lambda x, v, p, axis=axis: torch.scatter_add(x, axis, p, v))


@op
def top_k():
    """The largest numbers along an axis."""
    for shape, axis, k in (((7,), 0, 3), ((4, 5), 0, 2), ((4, 5), 1, 3), ((3, 4, 5), 1, 3), ((3, 4, 5), 2, 1), ((129,), 0, 129),
                           ((64, 33), 1, 10), ((5, 1), 1, 1), ((2, 3, 4, 2), 2, 4)):
        yield ({"op": "top_k", "axis": axis, "k": k}, {"x": normal(*shape)},
               lambda x, k=k, axis=axis: torch.topk(x, k, dim=axis).values)


@op
def index_rows():
    """Rows by their places, most of them several times; labels as rows with a single one."""
    for shape, to in (((7, 3), (5,)), ((1, 4), (2, 3)), ((4, 1), (33,)), ((5, 2, 3), (2, 2)), ((129, 2), (9,)), ((6,), (4, 3)),
                      ((3, 129), (7,)), ((10, 5), (1,)), ((2, 3, 1, 2), (8,))):
        yield ({"op": "index_rows"}, {"x": normal(*shape), "places_": whole(*to, below=shape[0])},
               lambda x, p: F.embedding(p, x) if x.dim() == 2 else x[p])
    for to, classes in (((5,), 3), ((2, 3), 1), ((1,), 129)):
        yield ({"op": "one_hot", "classes": classes}, {"places_": whole(*to, below=classes)},
               lambda p, c=classes: F.one_hot(p, c).double())


ROWS = ((1,), (7,), (4, 7), (3, 1), (2, 3, 5), (2, 1, 129), (3, 127), (33, 2))


@op
def softmax():
    """Rows of scores to probabilities."""
    for n, shape in enumerate(ROWS):
        yield {}, {"x": normal(*shape, scale=(1.0, 5.0, 20.0)[n % 3])}, lambda x: torch.softmax(x, -1)


@op
def log_softmax():
    """Rows of scores to the logarithms of probabilities."""
    for n, shape in enumerate(ROWS):
        yield {}, {"x": normal(*shape, scale=(1.0, 5.0, 20.0)[n % 3])}, lambda x: torch.log_softmax(x, -1)


@op
def normalize_rows():
    """Rows divided by their sums."""
    for shape in ROWS:
        yield {}, {"x": normal(*shape).abs() + 0.1}, lambda x: x / x.sum(-1, keepdim=True)


@op
def matmul():
    """Products of matrices, and of batches of them."""
    for lead, (m, k, n) in (((), (1, 1, 1)), ((), (3, 4, 5)), ((), (1, 17, 7)), ((), (7, 1, 3)), ((), (9, 33, 1)),
                            ((), (17, 129, 2)), ((2,), (4, 3, 5)), ((3, 2), (2, 5, 3)), ((1, 2), (1, 7, 1))):
        yield {}, {"a": normal(*lead, m, k), "b": normal(*lead, k, n, seed=1)}, torch.matmul
    for a, b in (((4, 3, 5), (5, 2)), ((3, 5), (4, 5, 2)), ((2, 1, 3, 5), (4, 5, 2)), ((1, 3, 5), (2, 4, 5, 1))):
        yield {}, {"a": normal(*a), "b": normal(*b, seed=1)}, torch.matmul


@op
def views():
    """The same numbers in other shapes, parts of them, several put together."""
    for name, f in {"reshape": lambda x: x.reshape(4, 1, 15), "flatten": lambda x: x.flatten(1),
                    "permute": lambda x: x.permute(2, 0, 1), "transpose": lambda x: x.transpose(0, 2),
                    "slice": lambda x: x[:, :, 1:5:2], "select": lambda x: x[:, 2],
                    "expand": lambda x: x[:, None].expand(4, 2, 3, 5), "split": lambda x: x.split([1, 3, 1], 2)[1]}.items():
        yield {"op": name}, {"x": normal(4, 3, 5)}, f
    for axis in (0, 1, 2):
        yield ({"op": "concat", "axis": axis}, {"a": normal(4, 3, 5), "b": normal(*(2 if i == axis else n for i, n in enumerate((4, 3, 5))))},
               lambda a, b, axis=axis: torch.cat([a, b], axis))
        yield ({"op": "stack", "axis": axis}, {"a": normal(4, 3), "b": normal(4, 3, seed=1)},
               lambda a, b, axis=axis: torch.stack([a, b], axis))


@op
def mse_loss():
    """The mean squared difference."""
    for shape in ROWS:
        yield {}, {"a": normal(*shape), "b": normal(*shape, seed=1)}, F.mse_loss


@op
def binary_cross_entropy():
    """Scores of yes-or-no questions; the targets are probabilities, some of them 0 and 1."""
    for n, shape in enumerate(ROWS):
        yield ({}, {"x": normal(*shape, scale=(1.0, 6.0)[n % 2]), "targets": normal(*shape, seed=1).add(0.5).clamp(0, 1)},
               F.binary_cross_entropy_with_logits)


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
    for reduction in ("mean", "sum", "none"):
        for smoothing in (0.0, 0.1):
            labels = whole(9, below=5)
            labels[1::3] = -1
            for weight in ({}, {"weight_": normal(5, seed=3).abs()}):
                yield ({"ignored": -1, "smoothing": smoothing, "reduction": reduction},
                       {"x": normal(9, 5, scale=2.0), "labels_": labels} | weight,
                       lambda x, t, w=None, e=smoothing, r=reduction: F.cross_entropy(
                           x, t, w, ignore_index=-1, label_smoothing=e, reduction=r))


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
