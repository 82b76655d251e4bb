"""The kernels of the two ladders: a measurement speaks only for those that it saw.

`ladder.py HEADER` writes their digest into a C++ header, for the program that measures.
"""
import sys
from pathlib import Path

from snapshot import digest

ROOT = Path(__file__).resolve().parent.parent
KERNELS = [ROOT / "lib/recto/cuda/ladder" / name for name in ("products.cuh", "reductions.cuh")]

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: ladder.py HEADER")
    mark = digest(*(path.read_text(encoding="utf-8") for path in KERNELS))
    Path(sys.argv[1]).write_text(f'#pragma once\ninline constexpr const char* ladder_kernels = "{mark}";\n', encoding="utf-8")
