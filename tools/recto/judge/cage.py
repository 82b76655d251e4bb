"""The walls of the sandbox. With bubblewrap: own user, process, network, IPC and host names, an empty network, /usr
read-only, small private /tmp and /dev/shm, no other file. `warden.cpp` is process 1 inside, and `calls.hpp` says what may
not be asked of the kernel. Where the machine forbids namespaces only the limits are left, and every report says so.
"""
import atexit
import contextlib
import functools
import hashlib
import os
import shutil
import subprocess
import threading
from pathlib import Path

from recto.place import BUILD, ROOT, Failure

from recto.judge import folders

HERE = Path(__file__).resolve().parent
NOBODY = 65534                  # who runs a sandbox that root asked for: limits on processes do not bind root
FULL, LIMITS = "namespaces", "limits"
DEVICES = ("null", "random", "urandom")     # /dev/zero is not among them: shared, it is memory that counts nowhere


def compile_ours(words: list[str]) -> subprocess.CompletedProcess:
    """Runs the compiler on what is ours, outside any sandbox."""
    try:
        return subprocess.run(["g++", "-std=c++20", *words], capture_output=True, text=True, errors="replace",
                              stdin=subprocess.DEVNULL)
    except OSError as error:
        raise Failure(f"the compiler g++ does not run: {error.strerror}") from None


def warden() -> Path:
    """The first process of a sandbox, compiled when it is asked for the first time."""
    sources = [HERE / "warden.cpp", HERE / "calls.hpp"]
    key = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    built = BUILD / "judge" / f"warden-{key}"
    if not built.exists():
        built.parent.mkdir(parents=True, exist_ok=True)
        with folders.held(built.parent, "making-warden-") as fresh:
            done = compile_ours(["-O1", "-static", "-o", str(fresh / "warden"), str(sources[0])])
            if done.returncode:
                raise Failure(f"the judge's own warden did not compile: {(done.stderr.strip().splitlines() or ['?'])[0]}")
            (fresh / "warden").chmod(0o755)
            (fresh / "warden").replace(built)
    return within_reach(built)


def user() -> dict:
    """The user of the sandbox: `nobody` if the caller is root, else the caller."""
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}


_copies: dict[tuple, Path] = {}
_copying = threading.Lock()


@functools.cache
def copies() -> Path:
    """A folder that lasts as long as this program, for copies of files that only their owner can read."""
    stack = contextlib.ExitStack()
    atexit.register(stack.close)
    folder = stack.enter_context(folders.held(folders.temporary(NOBODY), "recto-reach-"))
    folder.chmod(0o755)
    return folder


def within_reach(path: Path) -> Path:
    """The file or folder itself if who runs the sandbox can read it; else a copy (root's own home is closed, say)."""
    if os.getuid() or folders.open_to_all(path):
        return path
    with _copying:
        about = path.stat()
        key = (path, about.st_mtime_ns, about.st_ino)
        if key not in _copies:
            copy = copies() / str(len(_copies)) / path.name
            copy.parent.mkdir(mode=0o755)
            copy.parent.chmod(0o755)
            (shutil.copytree if path.is_dir() else shutil.copy)(path, copy)
            for file in [copy, *copy.rglob("*")]:
                file.chmod(0o755 if file.is_dir() or os.access(file, os.X_OK) else 0o644)
            _copies[key] = copy
        return _copies[key]


def wrap(read_only: dict[str, Path], writable: dict[str, Path]) -> list[str]:
    """The arguments of bubblewrap for a sandbox with these folders and files."""
    words = [shutil.which("bwrap") or "bwrap", "--unshare-all", "--unshare-user", "--as-pid-1", "--die-with-parent",
             "--new-session", "--cap-drop", "ALL", "--clearenv", "--hostname", "judge",
             "--setenv", "PATH", "/usr/bin", "--setenv", "LC_ALL", "C.UTF-8", "--setenv", "TMPDIR", "/tmp",
             "--ro-bind", "/usr", "/usr"]
    if ROOT.is_relative_to("/usr"):
        words += ["--tmpfs", str(ROOT)]     # the solutions lie here
    for link in ("bin", "lib", "lib64", "lib32"):
        if Path("/", link).is_symlink():
            words += ["--symlink", f"usr/{link}", f"/{link}"]
        elif Path("/", link).is_dir():
            words += ["--ro-bind", f"/{link}", f"/{link}"]
    for path in ("/etc/alternatives", "/etc/ld.so.cache"):
        words += ["--ro-bind-try", path, path]
    words += ["--proc", "/proc", "--size", str(1 << 16), "--tmpfs", "/dev"]
    for name in DEVICES:
        words += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    for name, number in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        words += ["--symlink", f"/proc/self/fd{number}", f"/dev/{name}"]
    words += ["--size", str(16 << 20), "--tmpfs", "/dev/shm",
              *(word for inside, outside in read_only.items() if inside.startswith("/dev/")
                for word in ("--dev-bind", str(outside), inside)), "--remount-ro", "/dev",
              "--size", str(64 << 20), "--tmpfs", "/tmp", "--ro-bind", str(warden()), "/warden"]
    for inside, outside in read_only.items():
        if not inside.startswith("/dev/"):      # a device stays one only where it is bound as such
            words += ["--ro-bind", str(outside), inside]
    for inside, outside in writable.items():
        words += ["--bind", str(outside), inside]
    return [*words, "--remount-ro", "/", "--chdir", "/tmp"]


def isolation() -> str:
    """The isolation that this machine allows, found by a trial: FULL or LIMITS."""
    return FULL if not why_not_full() else LIMITS


@functools.cache
def why_not_full() -> str:
    """The reason why full isolation is missing; empty if it is available. RECTO_ISOLATION=limits does without it."""
    if os.environ.get("RECTO_ISOLATION") == LIMITS:
        return "RECTO_ISOLATION=limits asks for it"
    if not shutil.which("bwrap"):
        return "bubblewrap is not installed"
    try:
        done = subprocess.run([*wrap({}, {}), "/warden", "1", "-1", "9", "99", "0", "9", "9", "--", "/usr/bin/true"],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd="/", **user())
    except (Failure, OSError) as error:
        return str(error)
    if done.returncode == 0 and done.stdout.startswith("exit 0 "):
        return ""
    said = done.stderr.strip().splitlines()
    return said[-1] if said else "this kernel cannot filter system calls" if done.returncode == 0 else "bubblewrap does not run"


def insist() -> None:
    """Refuses to go on if strangers' programs cannot be isolated."""
    if isolation() != FULL:
        raise Failure(f"--untrusted: this machine has no full isolation ({why_not_full()}), so nothing was run")
