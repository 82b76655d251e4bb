"""What this machine is and has."""
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

from recto.place import MAIN, PAGES, ROOT

# With these in the environment every x86 processor that has AVX2 computes the same bits: kernels are chosen by name, not by the
# processor. Long trainings magnify the rounding of another order of additions a thousandfold.
COMMON = {"RECTO_CPU": "avx2", "OPENBLAS_CORETYPE": "Haswell"}
CLASSES = (("avx512", {"avx512f", "avx512dq", "avx512bw", "avx512vl"}), ("avx2", {"avx2", "fma"}))


def words_of(command: list[str]) -> str:
    """The output of a command; empty if the command is missing or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def gpu() -> str:
    """The name of the first NVIDIA GPU, or nothing."""
    listed = words_of(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"])
    return listed.splitlines()[0] if listed else ""


def cuda_built() -> bool:
    """Whether this build has its CUDA side."""
    cache = MAIN / "CMakeCache.txt"
    return cache.exists() and bool(re.search(r"^RECTO_CUDA:BOOL=(ON|1|TRUE)$", cache.read_text(), re.M))


def processor() -> tuple[str, str]:
    """The processor: (its name, the instruction-set class that the library uses)."""
    info = Path("/proc/cpuinfo")
    text = info.read_text() if info.exists() else ""
    name = re.search(r"^model name\s*: (.*)$", text, re.M)
    flags = re.search(r"^flags\s*: (.*)$", text, re.M)
    has = set(flags[1].split()) if flags else set()
    kind = next((kind for kind, needs in CLASSES if needs <= has), "plain")
    return (name[1] if name else platform.machine()), kind


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def has_catch2() -> bool:
    """Whether Catch2 version 3 is installed (version 2 has a different header)."""
    return any((Path(home) / "include/catch2/catch_all.hpp").exists() for home in ("/usr", "/usr/local"))


def blas() -> str:
    """Which OpenBLAS the programs are linked with."""
    for program in [*sorted(PAGES.glob("*")), MAIN / "recto_tests"]:
        found = re.search(r"libopenblas\S* => (\S+)", words_of(["ldd", str(program)])) if program.is_file() else None
        if found:
            return str(Path(found[1]).resolve())
    found = sorted(Path("/usr/lib").glob("*/openblas-pthread/libopenblas.so"))
    return str(found[0].resolve()) if found else ""


def fashion_mnist() -> bool:
    """Whether the data of the distribution's package are installed."""
    return Path("/usr/share/datasets/fashion-mnist").is_dir()


def packages() -> list[tuple[str, str]]:
    """(group, package) of everything ./recto may install."""
    lines = (ROOT / "tools" / "packages.txt").read_text().splitlines()
    return [(group, name) for group, name in (line.split() for line in lines if line and line[0] != "#")]


def installed(names: list[str]) -> dict[str, str]:
    """The installed ones of these packages: name to version."""
    if not shutil.which("dpkg-query"):
        return {}
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${db:Status-Status} ${Version}\n", *names],
                          capture_output=True, text=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    return {row[0]: row[2] for row in rows if len(row) == 3 and row[1] == "installed"}


def describe(most: str = "avx512") -> str:
    """One line: the machine that a time was measured on, and the class of its instructions, of which `most` were asked for."""
    name, kind = processor()
    order = ["plain", *(kind for kind, _ in reversed(CLASSES))]
    return f"{cores()} cores of {name} ({min(kind, most, key=order.index)})"
