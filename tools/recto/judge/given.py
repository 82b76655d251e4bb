"""The files that a student's file may include: the given headers, and the library headers that the exercise lists."""
import contextlib
import fcntl
import functools
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from recto.build import cmake
from recto import machine
from recto.place import BUILD, MAIN, ROOT, Failure

from recto.judge import catalogue, folders
from recto.judge.catalogue import Exercise

LIBRARY = ROOT / "lib"
EMULATOR = ROOT / "lib" / "recto" / "emulator"
KERNEL_HEADERS = [f"{name}.hpp" for name in ("cuda_on_cpu", "words", "on_cpu", "on_gpu")]
# What every tensor stands on: it comes with whatever rooms of the library an exercise lists.
BASE = (*(f"base/{word}" for word in ("check", "shape", "flops")),
        *(f"device/{word}" for word in ("device", "cpu_class", "threads", "fault", "block_cache", "recording", "draws", "storage",
                                        "cuda/absent")),
        "core/tensor", "core/named_tensors", "core/integers", "kernels/cuda/gemm_absent", "autograd/tape", "autograd/sweep",
        "autograd/profile")


def headers(exercise: Exercise) -> list[tuple[str, Path]]:
    """What the student's file may include: (name, file)."""
    found = [(name, catalogue.KIT / name) for name in ("matrix.hpp", "not_written.hpp")]
    for name in exercise.given:                 # what several exercises are given lies in the kit
        own = exercise.folder / name
        found.append((name, own if own.exists() else catalogue.KIT / name))
    if exercise.cuda:
        found += [(f"recto/emulator/{name}", EMULATOR / name) for name in KERNEL_HEADERS]
    found += [(str(path.relative_to(LIBRARY)), path) for path in library_headers(exercise.library)]
    if exercise.file.endswith(".hpp"):
        found.append(("driver.hpp", catalogue.KIT / "driver.hpp"))
    return found


@functools.cache
def library_headers(rooms: tuple[str, ...]) -> list[Path]:
    """The headers of these rooms of the library, and those that they include."""
    if not rooms:
        return []
    asked = "".join(f'#include "recto/{room}.hpp"\n' for room in rooms)
    command = ["g++", "-std=c++20", "-I.", "-MM", "-x", "c++", "-"]     # relative names: where the tree lies may hold spaces
    done = subprocess.run(command, input=asked, capture_output=True, text=True, cwd=LIBRARY)
    if done.returncode:
        raise Failure(f"the library has no such room: {done.stderr.strip().splitlines()[0]}")
    return [LIBRARY / word for word in done.stdout.replace("\\\n", " ").split() if word.endswith(".hpp")]


@functools.cache
def library_objects(rooms: tuple[str, ...]) -> dict[str, Path]:
    """The object files of these rooms and of the base, by the names that they get: all that can be linked."""
    if not rooms:
        return {}
    make(BUILD / "judge")
    with (BUILD / "judge" / "library.lock").open("w") as lock:      # two builds at once would meet
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (MAIN / "build.ninja").exists():
            cmake.configure(machine.has_catch2())
        cmake.compile(["recto"])
    compiled = MAIN / "lib" / "CMakeFiles" / "recto.dir" / "recto"
    return {f"{room.replace('/', '-')}.o": compiled / f"{room}.cpp.o" for room in sorted({*BASE, *rooms})}


def digest(*parts: bytes | str) -> str:
    """A name for the result of these inputs."""
    sum_ = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        sum_.update(len(data).to_bytes(8, "little") + data)
    return sum_.hexdigest()[:24]


def given(exercise: Exercise) -> Path:
    """A folder that holds the headers and nothing else."""
    found = headers(exercise)
    key = digest(*(part for name, path in found for part in (name, path.read_bytes())))
    folder = BUILD / "judge" / "given" / f"{exercise.name}-{key}"
    if not folder.exists():
        with folders.held(make(folder.parent), "making-") as fresh:
            for name, path in found:
                (fresh / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, fresh / name)
            settle(fresh, folder)
    return folder


def make(folder: Path) -> Path:
    """The folder, made if it was not there."""
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def settle(fresh: Path, home: Path) -> None:
    """Gives a finished folder its name, unless another grading was faster; every user may read it."""
    for path in [fresh, *fresh.rglob("*")]:
        path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
    with contextlib.suppress(OSError):
        fresh.rename(home)
