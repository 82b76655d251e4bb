#!/usr/bin/env python3
"""Compiles the library and the kernel ladders as CUDA with nvcc, as far as that is not proven yet.

    PYTHONPATH=tools python3 tests/cuda.py [--again|--sample] [--write] [--jobs N] [SOURCE...]

For the oldest card that CUDA knows and one of the day, the host's side unoptimised; warnings are errors, and a kernel that
spills registers warns. No GPU is needed. There is one proof for each source, fresh until the source, what it includes, or how it
is compiled changes (recto/proofs.py). --write puts the proofs into tests/receipts/proofs/cuda.json; SOURCE... compiles these.

Exit 0: every source is proven. 1: a source does not compile. 2: wrong usage. 3: there is no nvcc here.
"""
import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from recto import proofs
from recto.includes import closure, flags
from recto.place import ROOT

BUILD = ROOT / "build/cuda-compiles"
OPTIONS = ("-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0", "-DCMAKE_CUDA_FLAGS_DEBUG=-O0", "-DRECTO_PAGES=OFF",
           "-DRECTO_TESTS=OFF", "-DCMAKE_CUDA_ARCHITECTURES=OFF", "-DCMAKE_CUDA_FLAGS=-gencode=arch=compute_75,code=[sm_75,sm_90]")
TARGETS = ("CMakeFiles/recto.dir/", "CMakeFiles/recto_ladder.dir/")      # where the objects of these targets lie


def objects() -> dict[str, str]:
    """The object that each source is compiled to."""
    done = subprocess.run(["cmake", "--preset", "cuda", "-B", BUILD, *OPTIONS], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"CMake could not configure:\n{done.stdout}{done.stderr}")
    listed = json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8"))
    found = {}
    for entry in listed:
        words = shlex.split(entry["command"])
        made = words[words.index("-o") + 1]
        if any(target in made for target in TARGETS):
            found[Path(entry["file"]).relative_to(ROOT).as_posix()] = made
    return dict(sorted(found.items()))


def ninja(*words: str) -> subprocess.CompletedProcess[str]:
    """Runs Ninja in the folder of the build."""
    return subprocess.run(["ninja", "-C", str(BUILD), *words], capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)


def main() -> int:
    """The command."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--again", action="store_true", help="also what a receipt says compiles")
    words.add_argument("--sample", action="store_true", help="also a tenth of it")
    words.add_argument("--write", action="store_true", help="writes the receipt that is committed")
    words.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="how many compilers run at once")
    words.add_argument("only", metavar="SOURCE", nargs="*", help="as lib/recto/kernels/gemm.cpp")
    asked = words.parse_args()
    if not shutil.which("nvcc"):
        print("nvcc is not installed")
        return 3
    made = objects()
    if strange := set(asked.only) - set(made):
        words.error(f"{', '.join(sorted(strange))}: not a source of the library or of the ladders")
    compiled_by = flags(ROOT / "bench") | {ROOT / "tests/cuda.py"}
    digests = {source: proofs.digest(ROOT, compiled_by | closure([ROOT / source])) for source in made}
    kept = proofs.Kept("cuda")
    plan = proofs.plan(kept.known(digests), digests, asked.again, asked.sample)
    now = asked.only or plan.now
    for source in now:
        (BUILD / made[source]).unlink(missing_ok=True)
    print(ninja("-k", "0", "-j", str(asked.jobs), *(made[source] for source in now)).stdout[-20000:], flush=True)
    failed = [source for source in now if not (BUILD / made[source]).exists()]
    if not failed and any(source.endswith("ladder.cu") for source in now) and ninja("recto_ladder").returncode:
        failed = [source for source in now if source.endswith("ladder.cu")]
    by = subprocess.run(["nvcc", "--version"], capture_output=True, text=True).stdout.splitlines()[-2]
    kept.keep({source: proofs.proof(digests[source], "it does not compile" if source in failed else proofs.PASSED, by) for source in now})
    if asked.write:
        kept.commit(digests)
    print(f"{len(now) - len(failed)} passed, {len(failed)} failed{': ' if failed else ''}{', '.join(failed)}; "
          f"{0 if asked.only else len(plan.by_receipt)} by receipt")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
