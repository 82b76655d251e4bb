#!/usr/bin/env python3
"""Compiles every source with the newest compilers of a Debian release, as far as that is not proven yet.

    newest.py [SUITE] [--write] [--again|--sample] [--seconds N] [--folder FOLDER] [SOURCE...]

SUITE is a release, trixie (Debian 13) if none is named. Every source is checked by its newest g++ with libstdc++ and by its
newest clang++ with libc++, in both precisions and with warnings as errors, but no code is generated. The compilers run in a
chroot, FOLDER (/var/tmp/recto-SUITE), which tests/chroot.sh makes when it is not there.

What compiled is kept, with --write, in tests/receipts/proofs/SUITE.json: one proof for each source, which is fresh until
the source, or a file of this project that it includes, or a file of CMake's in FLAGS changes. Only sources without a fresh
proof are compiled, with --sample a tenth of the others too, with --again all of them, and with SOURCE... these.

Exit 0: every source is proven. 1: a source does not compile. 2: wrong usage. 3: some are not proven, because no chroot is
possible here or --seconds were over; the last line says why.
"""
import argparse
import concurrent.futures
import ctypes
import json
import os
import shlex
import subprocess
import sys
import time
import tomllib
from pathlib import Path

from recto import proofs
from recto.includes import closure
from recto.place import ROOT

FLAGS = ("cmake/RectoTargets.cmake", "cmake/RectoKernels.cmake")      # where the flags of all sources are
SOURCES = ("bench/*.cpp", "chapters/*/*.cpp", "inspect/*.cpp", "lib/**/*.cpp", "tests/fuzz/*.cpp", "tests/install/*.cpp",
           "tests/kernels/*.cpp", "tools/recto/judge/*.cpp", "exercises/kit/*.cpp", "exercises/*/*/driver.cpp")
TREE, BUILD = "/srv/recto", "/srv/build"                              # in the chroot
NEW_MOUNTS = 0x20000                                                  # CLONE_NEWNS of unshare(2)


class Cannot(Exception):
    """This machine cannot compile with those compilers; the message says why."""


def answers() -> list[Path]:
    """What a student is given to complete, and the reference, of every exercise."""
    found = []
    for about in sorted(ROOT.glob("exercises/*/*/exercise.toml")):
        name = tomllib.loads(about.read_text(encoding="utf-8"))["file"]
        found += [about.parent / name, ROOT / "solutions" / about.parent.relative_to(ROOT / "exercises") / name]
    return [path for path in found if path.exists()]


def sources() -> list[str]:
    """Every source that is compiled, as a path from the root."""
    found = {path for pattern in SOURCES for path in ROOT.glob(pattern)} | set(answers())
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


def places(source: str) -> list[Path]:
    """Where the headers of a source that CMake does not know are looked for."""
    parts = Path(source).parts
    exercise = [ROOT / top / Path(*parts[1:3]) for top in ("exercises", "solutions") if parts[0] in ("exercises", "solutions")]
    return [ROOT / "lib", ROOT / "tests/kernels", ROOT / "exercises/kit", *exercise]


def inputs(source: str) -> str:
    """The digest of a source, of every file of this project that it includes, directly or not, and of the flags."""
    return proofs.digest(ROOT, closure([ROOT / name for name in (*FLAGS, source)], tuple(places(source))))


class Compilers:
    """The compilers of a release, in a chroot that sees this tree, read-only."""

    def __init__(self, suite: str, folder: Path):
        made = subprocess.run([ROOT / "tests/chroot.sh", suite, folder], capture_output=True, text=True)
        said = made.stdout.strip().splitlines() or [made.stderr.strip()]
        if made.returncode:
            raise Cannot(said[-1])
        self.folder, self.names = folder, said[-1].split()
        self.mount()
        self.commands: dict[str, list[tuple[str, str]]] = {}         # of each source: (folder, command)
        for name in self.names:
            self.configure(name)
        self.by = ", ".join(self.inside(f"{name} --version").splitlines()[0] for name in self.names) + " with libc++"

    def mount(self) -> None:
        """Shows the tree to the chroot, in a namespace that ends with this process."""
        if os.getuid() or ctypes.CDLL(None, use_errno=True).unshare(NEW_MOUNTS):
            raise Cannot("only root can enter a chroot")
        tree, build = f"{self.folder}{TREE}", f"{self.folder}{BUILD}"
        for path in (tree, build):
            Path(path).mkdir(parents=True, exist_ok=True)
        for words in (["--make-rprivate", "/"], ["--bind", ROOT, tree], ["-o", "remount,bind,ro", tree],
                      ["-t", "proc", "proc", f"{self.folder}/proc"], ["-t", "tmpfs", "tmpfs", build]):
            done = subprocess.run(["mount", *words], capture_output=True, text=True)
            if done.returncode:
                raise Cannot(done.stderr.strip())

    def run(self, command: str, at: str = TREE) -> subprocess.CompletedProcess[str]:
        """Runs a command line in the chroot."""
        clean = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"]
        return subprocess.run(["chroot", self.folder, *clean, "sh", "-c", f"cd {at} && {command}"],
                              capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)

    def inside(self, command: str) -> str:
        """What a command says that must succeed."""
        done = self.run(command)
        if done.returncode:
            raise Cannot(f"{command[:60]}: {(done.stderr or done.stdout).strip()[-300:]}")
        return done.stdout

    def configure(self, name: str) -> None:
        """Asks CMake how each source is compiled, once for each program that it is in."""
        at = f"{BUILD}/{name}"
        library = " -DCMAKE_CXX_FLAGS=-stdlib=libc++" if name.startswith("clang") else ""
        self.inside(f"cmake --preset ci -B {at} -DCMAKE_CXX_COMPILER={name} -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON{library}")
        self.inside(f"cmake --build {at} -t kernel_sources")
        for entry in json.loads(Path(f"{self.folder}{at}/compile_commands.json").read_text(encoding="utf-8")):
            # A page is compiled from a copy of itself.
            source = entry["file"].removeprefix(f"{TREE}/").removeprefix(f"{at}/")
            words = shlex.split(entry["command"].replace(f"{at}/chapters", f"{TREE}/chapters"))
            place = words.index("-o")
            del words[place:place + 2]
            words[words.index("-c")] = "-fsyntax-only"
            self.commands.setdefault(source, []).append((entry["directory"], shlex.join(words)))

    def plain(self, source: str) -> list[tuple[str, str]]:
        """How a source is compiled that CMake does not know: what belongs to exercises, their judge and the fuzzer."""
        shown = [f"-I{TREE}/{place.relative_to(ROOT)}" for place in places(source)]
        kind = {".hpp": ["-x", "c++-header"], ".cu": ["-x", "c++"]}
        words = ["-std=c++20", "-Wall", "-Wextra", "-Wno-unknown-pragmas", "-DRECTO_CUDA_ON_CPU", "-fsyntax-only", *shown,
                 *kind.get(Path(source).suffix, []), source]
        return [(TREE, shlex.join([name, *(["-stdlib=libc++"] if name.startswith("clang") else []), *words]))
                for name in self.names]

    def outcome(self, source: str) -> str:
        """`passed`, or the errors of the first compiler that has some."""
        for at, command in self.commands.get(source) or self.plain(source):
            done = self.run(f"nice -n 19 {command}", at)
            if done.returncode:
                lines = [line for line in done.stderr.replace(f"{TREE}/", "").splitlines() if "error" in line]
                return "\n".join([f"{Path(shlex.split(command)[0]).name}:", *(lines[:3] or [done.stderr[-300:]])])
        return proofs.PASSED


def compile_all(due: list[str], compilers: Compilers, known: dict[str, proofs.Proof], digests: dict[str, str],
                seconds: float, receipt: Path | None) -> list[str]:
    """Compiles what is due, adds the proofs to those known, and returns what time did not suffice for."""
    end, left = time.monotonic() + seconds, []

    def one(source: str) -> tuple[str, str]:
        return source, compilers.outcome(source) if time.monotonic() < end else ""

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for number, (source, outcome) in enumerate(pool.map(one, due), 1):
            if not outcome:
                left.append(source)
                continue
            known[source] = proofs.proof(digests[source], outcome, compilers.by)
            if outcome != proofs.PASSED:
                print(f"{source}: {outcome}", flush=True)
            if receipt and number % 20 == 0:
                proofs.write(receipt, "compiles", known)
    return left


def main() -> int:
    words = argparse.ArgumentParser(usage=(__doc__ or "").split("\n")[2].strip())
    words.add_argument("suite", nargs="?", default="trixie", choices=("bookworm", "trixie"))
    words.add_argument("--write", action="store_true")
    words.add_argument("--again", action="store_true")
    words.add_argument("--sample", action="store_true")
    words.add_argument("--seconds", type=float, default=float("inf"))
    words.add_argument("--folder", type=Path)
    words.add_argument("only", metavar="SOURCE", nargs="*")
    asked = words.parse_intermixed_args()
    receipt = proofs.COMMITTED / f"{asked.suite}.json"
    everything = sources()
    if strange := set(asked.only) - set(everything):
        words.error(f"{', '.join(sorted(strange))}: no source of this project")
    try:
        known = proofs.read(receipt, "compiles")
    except proofs.BadReceipt as error:
        print(error, file=sys.stderr)
        return 1
    digests = {source: inputs(source) for source in everything}
    fresh = proofs.standing(known, digests).passed
    due = asked.only or proofs.plan(known, digests, asked.again, asked.sample).now
    known = {source: known[source] for source in known if source in digests}
    left, why = due, ""
    if due:
        try:
            compilers = Compilers(asked.suite, asked.folder or Path(f"/var/tmp/recto-{asked.suite}"))
            left = compile_all(due, compilers, known, digests, asked.seconds, receipt if asked.write else None)
            why = f"{asked.seconds:.0f} s were over" if left else ""
        except Cannot as error:
            why = str(error)
    if asked.write:
        proofs.write(receipt, "compiles", known)
    failed = [source for source in due if source not in left and known[source].outcome != proofs.PASSED]
    by_receipt = len(set(fresh) - set(due))
    print(f"{asked.suite}: of {len(everything)} sources {by_receipt} are proven by receipt, {len(due) - len(left) - len(failed)} compile "
          f"now, {len(failed)} do not, {len(left)} were not tried{f': {why}' if why else ''}")
    return 1 if failed else 3 if left else 0


if __name__ == "__main__":
    sys.exit(main())
