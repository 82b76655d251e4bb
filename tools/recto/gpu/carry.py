"""`recto carry`: what measures a GPU, as a folder to be carried to a machine that has one; and taking what came back.

The programs are linked so that they need little: of the machine its C library, its driver and cuBLAS.
"""
import json
import re
import shutil
import statistics
import subprocess
from pathlib import Path
from typing import Any

from recto import machine, term
from recto.build import cmake
from recto.gpu import ladder, receipts
from recto.place import BUILD, ROOT, Failure, replace_folder, shown, write_json

PORTABLE = BUILD / "portable"       # preset `carry`
HOME = BUILD / "carry"
LADDER = ROOT / "bench" / "ladder.json"
MEASURED = ROOT / "bench" / "measured-cuda.json"
PROGRAMS = ("recto_parity", "recto_bench", "recto_ladder")
SCRIPTS = ("run.sh", "peers.py")
THERE = re.compile(r"(libc|libm|libdl|librt|libpthread|libgcc_s|libcublas|libcublasLt)\.so")   # what any such machine has
MOST = 64 << 20                     # bytes of a folder that people carry


def loaded(program: Path) -> set[str]:
    """The shared libraries that a program loads."""
    return set(re.findall(r"^\s*(\S+) => ", machine.words_of(["ldd", str(program)]), re.M)) - {"linux-vdso.so.1"}


def newest(program: Path) -> str:
    """The oldest version of the C library with which a program runs."""
    versions = set(re.findall(r"GLIBC_(\d+)\.(\d+)", machine.words_of(["objdump", "-T", str(program)])))
    return ".".join(max(versions, key=lambda v: tuple(map(int, v)), default=("0", "0")))


def carry() -> int:
    """Builds the folder and prints what the machine must have."""
    if not shutil.which("nvcc"):
        raise Failure("carry wants nvcc to compile with, which is not here")
    cmake.preset(PORTABLE, "carry")
    cmake.compile(list(PROGRAMS), folder=PORTABLE)
    wanted = set().union(*(loaded(PORTABLE / program) for program in PROGRAMS))
    if others := sorted(name for name in wanted if not THERE.match(name)):
        raise Failure(f"the programs load what another machine may lack: {' '.join(others)}")
    fresh = HOME.with_name("carry.fresh")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir()
    for program in PROGRAMS:
        shutil.copy(PORTABLE / program, fresh)
        subprocess.run(["strip", str(fresh / program)], check=True)
    glibc = max((newest(fresh / program) for program in PROGRAMS), key=lambda v: tuple(map(int, v.split("."))))
    for script in SCRIPTS:
        shutil.copy(ROOT / "bench" / "carry" / script, fresh)
    replace_folder(fresh, HOME)
    for path in sorted(HOME.iterdir()):
        term.say(f"{path.name:<24} {path.stat().st_size / 2**20:8.1f} MiB")
    size = sum(path.stat().st_size for path in HOME.iterdir())
    term.say(f"There it wants: glibc {glibc} or newer, an NVIDIA driver, and {' '.join(sorted(wanted))}")
    term.say(f"{shown(HOME)}, {size / 2**20:.1f} MiB: carry it there and run   sh carry/run.sh FOLDER")
    term.say("then bring FOLDER back:   ./recto carry --back FOLDER")
    if size > MOST:
        raise Failure(f"{shown(HOME)} is larger than {MOST >> 20} MiB")
    return 0


def lines(path: Path) -> list[dict[str, Any]]:
    """Reads a file of JSON lines from another machine, which is untrusted."""
    try:
        found = [json.loads(text) for text in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError, RecursionError) as error:
        raise Failure(f"{shown(path)}: {error}") from error
    if any(not isinstance(record, dict) for record in found):
        raise Failure(f"{shown(path)}: wanted an object on every line")
    return found


def rates(records: list[dict[str, Any]]) -> dict[str, float]:
    """The median rate of each workload over the rounds."""
    found: dict[str, list[float]] = {}
    for record in records:
        if "samples_per_s" in record:
            found.setdefault(receipts.word(record.get("workload"), 60), []).append(receipts.number(record["samples_per_s"]))
    return {name: statistics.median(all_of_it) for name, all_of_it in found.items()}


def measured(folder: Path, receipt: receipts.Receipt) -> dict[str, Any]:
    """The measurements for the page *How fast is it*."""
    ours, theirs = lines(folder / "bench.jsonl"), lines(folder / "peers.jsonl")
    try:
        peer = rates(theirs)
        limits = [{"limit": receipts.word(record.get("limit"), 60), "value": receipts.number(record.get("value")),
                   "unit": receipts.word(record.get("unit"), 20)} for record in ours if "limit" in record]
        rows = [{"workload": name, "ours": rate, "peer": theirs_, "ratio": rate / theirs_ if theirs_ else None}
                for name, rate in rates(ours).items() for theirs_ in [peer.get(name.removesuffix(" (captured)"))]]
        for limit in limits:
            limit["peer"] = peer.get(limit["limit"])
        names = {receipts.word(record.get("framework"), 60) for record in theirs}
    except ValueError as error:
        raise Failure(f"{shown(folder)}: {error}") from error
    return {"machine": f"{receipt.name}, {receipt.toolkit}", "date": receipt.date, "commit": receipt.commit,
            "peers": ", ".join(sorted(names)), "workloads": rows, "limits": limits}


def back(folder: Path) -> int:
    """Imports the results of run.sh: the receipt and the rates."""
    receipt = receipts.accept(folder / "parity.json")
    table = measured(folder, receipt)
    try:
        steps = ladder.accept(folder / "ladder.json")
    except ValueError as error:
        raise Failure(f"{shown(folder)}: {error}") from error
    term.say(f"kept {shown(receipts.keep(folder / 'parity.json'))}")
    if bad := receipt.differing():
        term.say(f"differing: {', '.join(bad)}")
    for path, kept in ((MEASURED, table), (LADDER, steps)):
        write_json(path, kept)
        term.say(f"kept {shown(path)}")
    return 1 if bad else 0
