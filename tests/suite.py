#!/usr/bin/env python3
"""Runs the library's tests where `recto test` does not: under sanitizers, or on 64-bit Arm, as far as that is not proven yet.

    PYTHONPATH=tools python3 tests/suite.py sanitize|arm [--again|--sample] [--write] [--seconds N] [TESTS...]

`sanitize`: built by clang, under AddressSanitizer and UBSan, without sweeps over all numbers. `arm`: cross-built without BLAS
and what stands on it, and run under qemu (tests/arm.sh fetches the compiler and Arm's libraries). In both precisions.

There is one proof for each precision and file of tests. It is fresh until the tests, what they include, or a source of the
library that they may link changes (recto/proofs.py). Only what is due is built. --write puts the proofs into
tests/receipts/proofs/KIND.json. TESTS... (as `float conv.test`) runs only these, receipt or not.

Exit 0: all that was asked for passed. 1: a test failed. 2: wrong usage. 3: some were not run, for --seconds were over or
tests/arm.sh failed; the last line says how many, and why.
"""
import argparse
import collections
import concurrent.futures
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from recto import proofs
from recto.includes import LIBRARY, flags, linked
from recto.place import ROOT

CORES = os.cpu_count() or 1
READ = {"RECTO_BIBLIOGRAPHY": ROOT / "book/references.bib"}     # what tests read that say this word
PROGRAMS = {"float": "recto_tests", "double": "recto_tests64"}


class Kind(NamedTuple):
    """A way to run the tests."""
    compiler: str
    left_out: str                   # what Catch2 must not run; the reason stands above
    absent: tuple[str, ...] = ()    # folders of the library that are not built
    before: tuple[str, ...] = ()    # words in front of the program
    prepare: tuple[str, ...] = ()   # a command that must succeed first


KINDS = {
    "sanitize": Kind("clang++", "~[speed]~[sweep]"),
    # qemu 7.2 itself gives up (plugins/core.c:221) when a process that has threads forks and the child starts another.
    "arm": Kind("aarch64-linux-gnu-g++", "~[speed]~threads: a process that forked*", ("linalg", "classic", "xt"),
                ("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"), ("tests/arm.sh",)),
}


def files(kind: Kind) -> dict[str, list[Path]]:
    """The files of tests by the name that Catch2 has for them; two files may have one name."""
    found = collections.defaultdict(list)
    for path in sorted((LIBRARY / "recto").rglob("*.test.cpp")):
        if path.relative_to(LIBRARY / "recto").parts[0] not in kind.absent:
            found[path.stem].append(path)
    return found


def shared() -> set[Path]:
    """What all tests rest on: the program around them, golden files, the list of sources, how they are compiled."""
    folders = (LIBRARY / "recto/testing", ROOT / "tests/kernels", ROOT / "tests/golden")
    return {path for folder in folders for path in folder.iterdir() if path.is_file()} | flags(ROOT / "tests")


def inputs_of(paths: list[Path], common: set[Path]) -> str:
    """The digest of what decides how these tests come out."""
    sources = "".join(path.read_text(encoding="utf-8") for path in paths)
    return proofs.digest(ROOT, common | linked(paths) | {path for word, path in READ.items() if word in sources})


def build(name: str, kind: Kind, programs: set[str], tests: list[Path]) -> str:
    """Builds these programs with these tests; empty, or what went wrong."""
    names = ";".join(path.relative_to(LIBRARY / "recto").as_posix() for path in tests)
    commands = [("cmake", "--preset", name, f"-DRECTO_TEST_FILES={names}"),
                 ("cmake", "--build", f"build/{name}", "-j", str(CORES), "-t", *sorted(programs))]
    for command in commands:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
        if done.returncode:
            said = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
            return f"{' '.join(command)[:80]}:\n" + "\n".join(
                [line for line in said if "error" in line.lower()][:20] or said[-20:])
    return ""


def run(name: str, kind: Kind, subject: str) -> tuple[str, str, float]:
    """Runs one file of tests in one precision: `passed` or what went wrong, the end of what it printed, the seconds."""
    precision, tests = subject.split()
    begin = time.monotonic()
    done = subprocess.run([*kind.before, ROOT / "build" / name / PROGRAMS[precision], "--filenames-as-tags",
                           "--allow-running-no-tests", f"[#{tests}]~[.]{kind.left_out}"],
                          cwd=ROOT, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    said = (done.stdout + done.stderr).strip().splitlines()[-60:]
    outcome = proofs.PASSED if done.returncode == 0 else f"exit {done.returncode}: {' '.join(said[-2:])}"
    return outcome, "\n".join(said), time.monotonic() - begin


def main() -> int:
    """Runs the test files that no fresh receipt covers and reports the failures."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("kind", choices=KINDS)
    words.add_argument("--again", action="store_true", help="also what a receipt says passed")
    words.add_argument("--sample", action="store_true", help="also a tenth of it")
    words.add_argument("--write", action="store_true", help="writes the receipt that is committed")
    words.add_argument("--seconds", type=float, default=float("inf"), help="begin no further file after this time")
    words.add_argument("tests", metavar="TESTS", nargs="*", help="as `float conv.test`, each in quotes")
    asked = words.parse_args()
    kind = KINDS[asked.kind]
    tests, common = files(kind), shared()
    inputs = {f"{precision} {name}": inputs_of(paths, common)
              for name, paths in tests.items() for precision in PROGRAMS}
    if unknown := set(asked.tests) - set(inputs):
        words.error(f"wanted a precision and a file of tests, such as 'float {next(iter(tests))}', got {', '.join(sorted(unknown))}")
    kept = proofs.Kept(asked.kind)
    known = kept.known(inputs)
    plan = proofs.plan(known, inputs, asked.again, asked.sample, lambda subject: subject.split()[0])
    now = asked.tests or plan.now
    by_receipt = 0 if asked.tests else len(plan.by_receipt)
    passed, failed, compiler = [], [], ""
    if now and kind.prepare:
        done = subprocess.run(kind.prepare, cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode:
            print(f"{len(now)} not run: {(done.stderr or done.stdout).strip()[-300:]}; {by_receipt} by receipt")
            return 3
    if now:
        wanted = {subject.split()[1] for subject in now}
        wrong = build(asked.kind, kind, {PROGRAMS[subject.split()[0]] for subject in now},
                      [path for name in sorted(wanted) for path in tests[name]])
        if wrong:
            print(f"{wrong}\n0 passed, {len(now)} failed: they do not build; {by_receipt} by receipt")
            return 1
        compiler = subprocess.run([kind.compiler, "--version"], capture_output=True, text=True).stdout.split("\n")[0]
    longest = sorted(now, key=lambda subject: -known[subject].measured["seconds"] if subject in known else -1e9)
    end = time.monotonic() + asked.seconds
    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        def one(subject: str) -> tuple[str, str, float] | None:
            return run(asked.kind, kind, subject) if time.monotonic() < end else None
        for subject, result in zip(longest, pool.map(one, longest)):
            if result is None:
                continue
            outcome, said, seconds = result
            (passed if outcome == proofs.PASSED else failed).append(subject)
            kept.keep({subject: proofs.proof(inputs[subject], outcome, compiler, {"seconds": round(seconds, 1)})})
            if outcome != proofs.PASSED:
                print(f"- {subject}:\n{said}", flush=True)
    if asked.write:
        kept.commit(inputs)
    late = len(now) - len(passed) - len(failed)
    print(f"{len(passed)} passed, {len(failed)} failed, {late} not run for want of time, {by_receipt} by receipt")
    return 1 if failed else 3 if late else 0


if __name__ == "__main__":
    sys.exit(main())
