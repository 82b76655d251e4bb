#!/usr/bin/env python3
"""Makes block_formats.safetensors: the bytes that the package gguf, which llama.cpp's converters use, makes of weights.

    python3 tests/golden/make_blocks.py          with gguf, numpy and safetensors installed; nothing else needs them

As in make.py, a setting has options and tensors: the weights `x`, the numbers `bytes` of their blocks, and `y`, the weights
that gguf restores from these bytes.
"""
import importlib.metadata
import pathlib

import numpy as np
from gguf import GGMLQuantizationType as Type
from gguf.quants import dequantize, quantize
from safetensors.numpy import save_file

HERE = pathlib.Path(__file__).resolve().parent
FORMATS = ("Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0")


def edges(random):
    """Blocks in which something is equal, empty, tiny or very large."""
    ramp = np.arange(32, dtype=np.float32)
    one = np.zeros(32, dtype=np.float32)
    one[7] = -3
    return np.stack([
        np.zeros(32), np.full(32, 0.7), np.full(32, -0.7), ramp, -ramp, ramp - 16, one, -one,
        (ramp - 15.5) / 31,                      # many codes halfway between two
        np.where(ramp % 2, 1, -1) * 0.5,         # two weights of largest size, with different signs
        1e-6 * random.normal(size=32),           # a scale that is subnormal in FP16
        1e-9 * random.normal(size=32),           # a scale that FP16 rounds to zero
        2e4 * random.uniform(-1, 1, size=32)]).astype(np.float32)


def kinds():
    """Weights of several kinds, each a matrix with rows of whole blocks."""
    random = np.random.default_rng(1)
    yield "normal", (0.02 * random.normal(size=(4, 96))).astype(np.float32)
    yield "heavy", random.standard_t(2, size=(3, 128)).astype(np.float32)
    yield "positive", random.uniform(0.5, 1, size=(12, 32)).astype(np.float32)
    yield "edges", edges(random)


def main():
    """Writes the file."""
    notes = {"made by": f"tests/golden/make_blocks.py, gguf {importlib.metadata.version('gguf')}"}
    tensors = {}
    for kind, x in kinds():
        for name in FORMATS:
            n = len(notes) - 1
            blocks = quantize(x, Type[name])
            notes[str(n)] = f"format={name} kind={kind}"
            tensors |= {f"{n}.x": x, f"{n}.bytes": blocks.astype(np.float32), f"{n}.y": dequantize(blocks, Type[name])}
    save_file(tensors, HERE / "block_formats.safetensors", metadata=notes)
    print(f"{len(notes) - 1} settings, {(HERE / 'block_formats.safetensors').stat().st_size} bytes")


if __name__ == "__main__":
    main()
