#!/usr/bin/env python3
"""Makes gguf.safetensors: files that the package gguf, llama.cpp's own writer, makes, and the numbers in them.

    python3 tests/golden/make_gguf.py          with gguf, numpy and safetensors installed; nothing else needs them

As in make.py, a setting has options and tensors: the `bytes` of a file, and the numbers of each of its tensors by name.
"""
import importlib.metadata
import pathlib
import tempfile

import numpy as np
from gguf import GGMLQuantizationType as Type
from gguf import GGUFWriter
from gguf.quants import dequantize, quantize
from safetensors.numpy import save_file

HERE = pathlib.Path(__file__).resolve().parent
FORMATS = ("Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "F16", "BF16")


def one(path, alignment):
    """Writes a file with every type of note that the package writes, and returns the numbers of its tensors."""
    random = np.random.default_rng(1)
    writer = GGUFWriter(path, "test")
    writer.add_custom_alignment(alignment)
    writer.add_uint8("u8", 200)
    writer.add_int8("i8", -100)
    writer.add_uint16("u16", 60000)
    writer.add_int16("i16", -30000)
    writer.add_int32("i32", -2_000_000_000)
    writer.add_uint64("u64", 1 << 40)
    writer.add_float32("f32", 0.25)
    writer.add_float64("f64", 0.1)
    writer.add_bool("yes", True)
    writer.add_string("text", "größer")
    writer.add_array("words", ["the", "", "Ġend"])
    writer.add_array("whole", [1, -2, 3])
    writer.add_array("scores", [0.5, -1.5])
    numbers = {"plain": random.normal(size=(3, 5)).astype(np.float32), "cube": random.normal(size=(2, 3, 4)).astype(np.float32),
               "row": random.normal(size=7).astype(np.float32)}
    for name, x in numbers.items():
        writer.add_tensor(name, x)
    for name in FORMATS:
        x = random.normal(size=(2, 64)).astype(np.float32)
        stored = quantize(x, Type[name])
        writer.add_tensor(name, stored, raw_dtype=Type[name])
        numbers[name] = dequantize(stored, Type[name])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return numbers


def main():
    """Writes the file."""
    notes = {"made by": f"tests/golden/make_gguf.py, gguf {importlib.metadata.version('gguf')}"}
    tensors = {}
    for n, alignment in enumerate((32, 128)):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "one.gguf"
            numbers = one(path, alignment)
            tensors[f"{n}.bytes"] = np.frombuffer(path.read_bytes(), dtype=np.uint8).astype(np.float32)
        notes[str(n)] = f"alignment={alignment}"
        tensors |= {f"{n}.{name}": x.astype(np.float32) for name, x in numbers.items()}
    save_file(tensors, HERE / "gguf.safetensors", metadata=notes)
    print(f"{len(notes) - 1} settings, {(HERE / 'gguf.safetensors').stat().st_size} bytes")


if __name__ == "__main__":
    main()
