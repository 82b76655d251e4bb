"""The kernel sources: everything of the library that runs on a GPU, or tells it what to run, and what proves it there.

`python3 -m recto.gpu.kernels HEADER` writes their digests and the commit into a C++ header, for programs that leave receipts. A digest
is that of a file's tokens: comments and white space do not count.
"""
import hashlib
import re
import subprocess
import sys
from pathlib import Path

from recto.lexer import stream, without_comments
from recto.place import ROOT, write

LAUNCH = "recto/device/launch.hpp"
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"](recto/[^>"]+)[>"]', re.M)
PROOF = ("recto/testing/every_op.cpp", "recto/testing/parity.cpp")      # what is compared, and how closely


def included(lib: Path) -> dict[str, set[str]]:
    """Every file of the library, and the library's headers that it includes."""
    files = {path.relative_to(lib).as_posix(): path for pattern in ("*.hpp", "*.cpp", "*.cu", "*.cuh")
             for path in lib.rglob(pattern) if not path.name.endswith(".test.cpp")}
    return {name: set(INCLUDE.findall(without_comments(path.read_text(encoding="utf-8")))) & files.keys()
            for name, path in files.items()}


def reached(start: str, edges: dict[str, set[str]]) -> set[str]:
    """A file and all that it includes, directly or not."""
    found, todo = set(), [start]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += edges[name]
    return found


def sources(root: Path = ROOT) -> list[str]:
    """The kernel sources, as paths from `root`: operations, what launches kernels or calls CUDA, and their headers."""
    lib = root / "lib"
    edges = included(lib)
    found: set[str] = set()
    for name in edges:
        if name.endswith(".hpp"):
            continue
        all_of_it = reached(name, edges)
        calls = name.endswith(".cu") or any("/cuda/" in header for header in edges[name]) and not name.endswith("absent.cpp")
        if calls or LAUNCH in all_of_it or name.startswith("recto/ops/") or name in PROOF:
            found |= all_of_it
    return sorted(f"lib/{name}" for name in found)


def digest(source: str) -> str:
    """Sixteen letters that change when the program does: spaces count only where two signs would become one."""
    kept, directive, before = [], False, ""
    for token in stream(source):
        word = token.strip(" ")
        signs = not (word[:1].isalnum() or before[-1:].isalnum() or word[:1] in "_\"'" or before[-1:] in "_\"'")
        directive = (directive or word == "#") and word != "\n"
        kept.append(token if directive or signs else word)
        before = word
    return hashlib.sha256("\0".join(kept).encode()).hexdigest()[:16]


def digests(root: Path = ROOT) -> dict[str, str]:
    """Each kernel source with its digest."""
    return {name: digest((root / name).read_text(encoding="utf-8")) for name in sources(root)}


def total(files: dict[str, str]) -> str:
    """One digest for all kernel sources."""
    return hashlib.sha256("".join(f"{name} {files[name]}\n" for name in sorted(files)).encode()).hexdigest()


def commit(root: Path = ROOT) -> str:
    """The commit that is checked out, and whether files were changed since."""
    said = subprocess.run(["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"], cwd=root,
                          capture_output=True, text=True)
    return said.stdout.strip() or "unknown"


def header(root: Path = ROOT) -> str:
    """The C++ header with the digests."""
    files = digests(root)
    lines = "".join(f'    {{"{name}", "{mark}"}},\n' for name, mark in files.items())
    return ("#pragma once\n// Written by recto.gpu.kernels while building.\n\n"
            "struct KernelSource { const char *path, *digest; };\n"
            f"inline constexpr KernelSource kernel_sources[] = {{\n{lines}}};\n"
            f'inline constexpr const char* kernel_digest = "{total(files)}";\n'
            f'inline constexpr const char* built_from = "{commit(root)}";\n')


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python3 -m recto.gpu.kernels HEADER")
    write(Path(sys.argv[1]), header())
