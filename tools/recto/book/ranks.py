"""`recto run PAGE --ranks N`: N processes train one model together, started by mpirun, on one machine or in a Slurm allocation."""
import os
import re
import subprocess
from pathlib import Path

from recto import machine, term
from recto.pages.pages import Page
from recto.place import BUILD, ROOT, Failure, Mistake, shown

LIBRARY = BUILD / "mpi" / "recto_mpi.so"        # ranks/mpi.cpp, which programs load
SOURCES = (ROOT / "ranks" / "mpi.cpp", ROOT / "lib" / "recto" / "optim" / "transport.h")
# The words of mpirun, in versions 4 and 5 of Open MPI.
SIGNAL = re.compile(r"process rank (\d+) .*exited on signal (\d+)", re.S)
STATUS = re.compile(r"Process name: \[.*,(\d+)\]\s+Exit code:\s+(\d+)")
ALONE = re.compile(r"^rank (\d+) of \d+ failed and stops all ranks$", re.M)       # said by lib/recto/optim/mpi.cpp
QUIET = {"OMPI_MCA_btl_vader_single_copy_mechanism": "none",    # containers forbid it, and Open MPI then complains
         "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}       # in a container everything is root's


def take(options: list[str], name: str) -> tuple[str | None, list[str]]:
    """The value of `--name VALUE` or `--name=VALUE`, if it is there, and the other options."""
    for i, word in enumerate(options):
        if word == f"--{name}":
            return (options[i + 1] if i + 1 < len(options) else ""), options[:i] + options[i + 2:]
        if word.startswith(f"--{name}="):
            return word.partition("=")[2], options[:i] + options[i + 1:]
    return None, options


def library() -> Path:
    """The shared library with MPI, compiled if it is not up to date."""
    if LIBRARY.exists() and LIBRARY.stat().st_mtime > max(source.stat().st_mtime for source in SOURCES):
        return LIBRARY
    term.progress("compiling ranks/mpi.cpp ...")
    LIBRARY.parent.mkdir(parents=True, exist_ok=True)
    fresh = LIBRARY.with_suffix(f".{os.getpid()}")
    try:
        done = subprocess.run(["mpicxx", "-std=c++20", "-O2", "-shared", "-fPIC", f"-I{ROOT / 'lib'}", str(SOURCES[0]), "-o", str(fresh)],
                              capture_output=True, text=True, errors="replace")
    except FileNotFoundError:
        raise Failure("--ranks wants MPI, and there is no mpicxx here (packages libopenmpi-dev and openmpi-bin)") from None
    finally:
        term.clear()
    if done.returncode:
        raise Failure(f"mpicxx could not compile ranks/mpi.cpp:\n{done.stderr.rstrip()}")
    fresh.replace(LIBRARY)
    return LIBRARY


def surroundings(ranks: int) -> dict[str, str]:
    """The environment of mpirun. A rank that waits gives its core to others, except in a Slurm job, whose cores are its own."""
    if ranks == 1:
        return dict(os.environ)
    share = {} if "SLURM_JOB_ID" in os.environ else {"OMPI_MCA_mpi_yield_when_idle": "1"}
    return {**QUIET, **share, **os.environ, "RECTO_MPI": str(library())}


def threads(ranks: int) -> int:
    """How many threads each rank gets: the cores of a machine are shared among its ranks, unless Slurm says how many each may use."""
    asked = os.environ.get("SLURM_CPUS_PER_TASK", "")
    machines = int(os.environ.get("SLURM_JOB_NUM_NODES", "1"))
    return int(asked) if asked.isdigit() else max(1, machine.cores() // -(-ranks // machines))


def command(page: Page, ranks: int, options: list[str]) -> list[str]:
    """What starts the ranks; the first of them prints."""
    count, _ = take(options, "threads")
    words = [str(page.program), "--ranks", str(ranks), *options, *([] if count else ["--threads", str(threads(ranks))])]
    return words if ranks == 1 else ["mpirun", "--map-by", ":OVERSUBSCRIBE", "--bind-to", "none", "-n", str(ranks), *words]


def ended(page: Page, ranks: int, code: int, said: str) -> str:
    """Which rank ended the run, and how, in one sentence without a full stop."""
    words = next((line.removeprefix(f"{page.name}: ") for line in said.splitlines() if line.startswith(f"{page.name}: ")), "")
    signal, status, alone = SIGNAL.search(said), STATUS.search(said), ALONE.search(said)
    rank = next((found[1] for found in (alone, signal, status) if found), "")
    who = f"rank {rank} of {ranks}" if rank else "a rank"
    if words and code == 2:     # wrong options, which all ranks read alike
        return words
    if words:
        return f"{who} failed: {words}" if ranks > 1 else words
    if signal:
        return f"{who} was stopped by signal {signal[2]}"
    if code < 0:
        return f"{'mpirun' if ranks > 1 else page.name} was stopped by signal {-code}"
    if rank:
        return f"{who} ended with status {status[2] if status else 1}"
    return " ".join(said.split()) or f"ended with status {code}"


def run(page: Page, options: list[str], checkpoint: Path) -> int:
    """Trains a page's model on the ranks that `--ranks` asks for. They keep a checkpoint, from which the same command continues if
    a rank dies; it is removed when the training is done."""
    asked, options = take(options, "ranks")
    if not asked or not asked.isdigit() or not 1 <= int(asked) <= 10000:
        raise Mistake(f"--ranks wants a number from 1 to 10000, got '{asked}'")
    ranks = int(asked)
    own, _ = take(options, "checkpoint")
    path = Path(own) if own else checkpoint
    path.parent.mkdir(parents=True, exist_ok=True)
    words = command(page, ranks, options if own else [*options, "--checkpoint", str(path)])
    try:
        done = subprocess.run(words, env=surroundings(ranks), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              errors="replace")
    except FileNotFoundError:
        raise Failure("--ranks wants mpirun, which is not here (package openmpi-bin)") from None
    if done.returncode == 0:
        if not own:
            path.unlink(missing_ok=True)
        return 0
    why = ended(page, ranks, done.returncode, done.stderr)
    if done.returncode == 2:
        raise Mistake(why)
    rest = f"any number of ranks continues from {shown(path)}" if path.exists() else "there is no checkpoint yet"
    raise Failure(f"{why}; {rest}")
