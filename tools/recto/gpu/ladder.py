"""The kernels of the two ladders: a measurement speaks only for those that it saw.

`python3 -m recto.gpu.ladder HEADER` writes their digest into a C++ header, for `recto_ladder`, which measures. What it prints is kept in
bench/ladder.json, shown by the pages, and is evidence for parts of the register.
"""
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recto.gpu.receipts import number, word
from recto.lexer import digest
from recto.place import ROOT

KEPT = "bench/ladder.json"         # what it measured, from the root of the tree
KERNELS = ("lib/recto/ladder/products.cuh", "lib/recto/ladder/reductions.cuh")
NEAR = 1e-4                 # what sys-blocked-matmul/d asks of every product
PARTS = ("sys-blocked-matmul/d", "claim-gpu-peak/b", "claim-gpu-peak/c", "claim-transfer-bottleneck/b",
         "claim-transfer-bottleneck/c")                     # register parts that it may prove


def mark(root: Path = ROOT) -> str:
    """The digest of the present kernels."""
    return digest(*((root / name).read_text(encoding="utf-8") for name in KERNELS))


@dataclass(frozen=True)
class Found:
    """What the measurement says about one part of the register."""
    part: str
    holds: bool
    text: str
    measured: float
    wanted: str


def accept(path: Path) -> dict[str, Any]:
    """Reads and checks the untrusted output of `recto_ladder`. Raises ValueError if it is invalid."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        for name in ("kernels", "date", "device", "capability", "toolkit", "driver"):
            word(data[name], 100)
        for name in ("size", "count", "gibibytes", "copy", "cublas_asum"):
            number(data[name])
        for name in ("gflops", "error"):
            number(data["cublas"][name])
        for name in ("size", "stays", "copied", "copy"):
            number(data["transfer"][name])
        for step in data["products"]:
            word(step["step"], 60), number(step["gflops"]), number(step["of_cublas"]), number(step["error"])
        for step in data["sums"]:
            word(step["step"], 60), number(step["gbytes_per_s"]), number(step["of_copy"]), number(step["different_of_8"])
        for line in data["peaks"]:
            word(line["precision"], 10), number(line["gflops"]), line["peak"] is None or number(line["peak"])
    except (OSError, KeyError, TypeError, RecursionError, AttributeError) as error:
        raise ValueError(f"{path.name}: is no measurement of the ladders: {error!r:.80}") from error
    if not data["products"] or not data["sums"] or not data["peaks"]:
        raise ValueError(f"{path.name}: measured no steps")
    return data


def found(root: Path = ROOT) -> list[Found]:
    """What bench/ladder.json proves of the register; empty if the file is missing or belongs to other kernels."""
    path = root / KEPT
    if not path.exists():
        return []
    data = accept(path)
    if data["kernels"] != mark(root):
        return []
    errors = [float(step["error"]) for step in (data["cublas"], *data["products"])]
    shares = [line["gflops"] / line["peak"] for line in data["peaks"] if line["peak"]]
    told = [Found("sys-blocked-matmul/d", all(error <= NEAR for error in errors), f"every product and cuBLAS against sums in double, on {data['device']}",
                  max(errors), f"<= {NEAR:g}"),
            Found("claim-gpu-peak/c", True, f"the memory of {data['device']}, in GiB", data["gibibytes"], "a number")]
    transfer = data["transfer"]
    slower = transfer["copied"] / transfer["stays"]
    told += [Found("claim-transfer-bottleneck/b", slower >= 2, f"the time with a copy before every product as a multiple of that without, on {data['device']}",
                   slower, ">= 2"),
             Found("claim-transfer-bottleneck/c", True, f"the time of a copy as a multiple of that of the product of matrices of {transfer['size']:g} rows, on {data['device']}",
                   transfer["copy"] / transfer["stays"], "a number")]
    if shares:
        told.append(Found("claim-gpu-peak/b", max(shares) <= 1, f"the largest share of the peak in three precisions, on {data['device']}",
                          max(shares), "<= 1"))
    return told


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python3 -m recto.gpu.ladder HEADER")
    Path(sys.argv[1]).write_text(f'#pragma once\ninline constexpr const char* ladder_kernels = "{mark()}";\n', encoding="utf-8")
