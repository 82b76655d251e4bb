"""Where a student's program runs, and the compiler that reads what the student wrote: alone, within limits.

With bubblewrap: own user, process, network, IPC and host names, an empty network, /usr read-only, small private /tmp and
/dev/shm, no other file. `warden.cpp` is process 1 inside. Where the machine forbids namespaces only the limits are left,
and every report says so.
"""
import dataclasses
import functools
import os
import selectors
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from place import BUILD, Failure

from judge.frames import LARGEST, Garbled

HERE = Path(__file__).resolve().parent
NOBODY = 65534                  # who runs a sandbox that root asked for: limits on processes do not bind root
KEPT_OUTPUT = 64 << 10          # bytes of what a program prints
FULL, LIMITS = "namespaces", "limits"


@dataclasses.dataclass(frozen=True)
class Limits:
    """What a program may use."""
    cpu: int = 10               # seconds
    wall: float = 20            # seconds; a busy machine makes waiting longer than working
    memory: int = 1024          # MiB, resident, of all processes together
    address: int = 0            # MiB of addresses; 0 is no limit
    processes: int = 64         # threads count too
    file: int = 16              # MiB


@dataclasses.dataclass(frozen=True)
class End:
    """How a program ended: `how` is exit, signal, memory, time (it was ended from outside) or lost."""
    how: str
    code: int = 0
    cpu_ms: int = 0
    memory_kb: int = 0


def warden() -> Path:
    """The first process of a sandbox, compiled when it is asked for the first time."""
    source = HERE / "warden.cpp"
    built = BUILD / "judge" / "warden"
    if not built.exists() or built.stat().st_mtime < source.stat().st_mtime:
        built.parent.mkdir(parents=True, exist_ok=True)
        fresh = built.with_suffix(f".{os.getpid()}")
        done = subprocess.run(["g++", "-std=c++20", "-O1", "-static", "-o", str(fresh), str(source)],
                              capture_output=True, text=True)
        if done.returncode:
            raise Failure(f"the judge's own warden did not compile: {done.stderr.strip().splitlines()[0]}")
        fresh.replace(built)
    return built


def user() -> dict:
    """Who runs it: nobody if root asks, else whoever asks."""
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}


def wrap(read_only: dict[str, Path], writable: dict[str, Path]) -> list[str]:
    """The words of bubblewrap for a sandbox with these folders and files in it."""
    words = [shutil.which("bwrap") or "bwrap", "--unshare-all", "--unshare-user", "--as-pid-1", "--die-with-parent",
             "--new-session", "--cap-drop", "ALL", "--clearenv", "--hostname", "judge",
             "--setenv", "PATH", "/usr/bin", "--setenv", "LC_ALL", "C.UTF-8", "--setenv", "TMPDIR", "/tmp",
             "--ro-bind", "/usr", "/usr"]
    for link in ("bin", "lib", "lib64", "lib32"):
        if Path("/", link).is_symlink():
            words += ["--symlink", f"usr/{link}", f"/{link}"]
        elif Path("/", link).is_dir():
            words += ["--ro-bind", f"/{link}", f"/{link}"]
    for path in ("/etc/alternatives", "/etc/ld.so.cache"):
        words += ["--ro-bind-try", path, path]
    words += ["--proc", "/proc", "--dev", "/dev", "--size", str(16 << 20), "--tmpfs", "/dev/shm",
              *(word for inside, outside in read_only.items() if inside.startswith("/dev/")
                for word in ("--dev-bind", str(outside), inside)), "--remount-ro", "/dev",
              "--size", str(64 << 20), "--tmpfs", "/tmp", "--ro-bind", str(warden()), "/warden"]
    for inside, outside in read_only.items():
        if not inside.startswith("/dev/"):      # a device stays one only where it is bound as such
            words += ["--ro-bind", str(outside), inside]
    for inside, outside in writable.items():
        words += ["--bind", str(outside), inside]
    return [*words, "--remount-ro", "/", "--chdir", "/tmp"]


@functools.cache
def isolation() -> str:
    """Which isolation this machine allows: FULL or LIMITS. Tried, not guessed."""
    return FULL if not why_not_full() else LIMITS


@functools.cache
def why_not_full() -> str:
    """Why this machine has no full isolation; empty if it has."""
    if not shutil.which("bwrap"):
        return "bubblewrap is not installed"
    done = subprocess.run([*wrap({}, {}), "/usr/bin/true"], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          cwd="/", **user())
    return "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["bubblewrap does not run"])[-1]


class Process:
    """A program in a sandbox, with its pipes. Use it in a `with`: nothing of it outlives the block."""

    def __init__(self, words: list[str], limits: Limits, read_only: dict[str, Path], writable: dict[str, Path] | None = None,
                 environment: dict[str, str] | None = None, talks: bool = False):
        self.limits = limits
        self.output = bytearray()           # what it printed, both streams as they came
        self.dropped = 0                    # bytes beyond what is kept
        self.progress: list[str] = []       # how far it says it has come
        self.answers = bytearray()
        self.report = bytearray()
        self.talks = talks
        self.scratch = None
        report_out, report_in = os.pipe()
        answers_out, answers_in = os.pipe() if talks else (-1, -1)
        numbers = [limits.cpu, limits.memory, limits.address, limits.processes, limits.file]
        outside = {**read_only, **(writable or {})}
        if isolation() == FULL:
            command = wrap(read_only, writable or {})
            for name, value in (environment or {}).items():
                command += ["--setenv", name, value]
            command += ["/warden", str(report_in), str(answers_in), *map(str, numbers), "--", *words]
            env, cwd = None, "/"
        else:
            self.scratch = tempfile.TemporaryDirectory(prefix="recto-judge-")
            places = sorted(outside.items(), key=lambda pair: -len(pair[0]))
            words = [replace_places(word, places) for word in words]
            command = [str(warden()), str(report_in), str(answers_in), *map(str, numbers), "--", *words]
            env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TMPDIR": self.scratch.name, **(environment or {})}
            cwd = self.scratch.name
            if os.getuid() == 0:
                os.chown(cwd, NOBODY, NOBODY)
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE if talks else subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, pass_fds=[report_in, *([answers_in] if talks else [])], env=env, cwd=cwd,
            start_new_session=True, **user())
        os.close(report_in)
        self.selector = selectors.DefaultSelector()
        self.sources = {self.process.stdout.fileno(): self.take_output, report_out: self.report.extend}
        self.mine = [report_out]
        if talks:
            os.close(answers_in)
            self.sources[answers_out] = self.answers.extend
            self.mine.append(answers_out)
            os.set_blocking(self.process.stdin.fileno(), False)
        for source in self.sources:
            os.set_blocking(source, False)
            self.selector.register(source, selectors.EVENT_READ)

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *_) -> None:
        self.kill()
        self.process.wait()
        self.selector.close()
        for number in self.mine:
            os.close(number)
        for stream in (self.process.stdin, self.process.stdout):
            try:
                if stream:
                    stream.close()
            except OSError:
                pass
        if self.scratch:
            self.scratch.cleanup()

    def kill(self) -> None:
        """Ends it, and with it whatever it started."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL if isolation() == FULL else signal.SIGTERM)
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()

    def take_output(self, data: bytes) -> None:
        """Keeps what a program prints, as far as there is room; lines that begin with the mark are progress."""
        room = KEPT_OUTPUT - len(self.output)
        self.output += data[:room]
        self.dropped += len(data) - min(len(data), room)
        while b"\x1e" in self.output:
            at = self.output.index(b"\x1e")
            end = self.output.find(b"\n", at)
            if end < 0:
                break
            self.progress.append(self.output[at + 1:end].decode("ascii", errors="replace"))
            del self.output[at:end + 1]

    def pump(self, until: float) -> bool:
        """Takes what has come, waiting for it until then; False when there is nothing left to come."""
        for key, _ in self.selector.select(max(0, min(0.1, until - time.monotonic()))):
            if key.fd not in self.sources:
                continue                    # its input is ready: whoever writes looks itself
            data = os.read(key.fd, 1 << 16)
            if data:
                self.sources[key.fd](data)
            else:
                self.selector.unregister(key.fd)
                del self.sources[key.fd]
            if len(self.answers) > LARGEST + 64:
                raise Garbled(f"an answer of more than {LARGEST >> 20} MiB")
        return bool(self.sources)

    def ask(self, frame: bytes, seconds: float, watch=None) -> bytes | None:
        """The frame that answers this one, without its length; None if the program ended or ran out of time first."""
        until = time.monotonic() + seconds
        rest = memoryview(frame)
        writing = self.process.stdin.fileno()
        self.selector.register(writing, selectors.EVENT_WRITE)
        try:
            while time.monotonic() < until:
                if rest:
                    try:
                        rest = rest[os.write(writing, rest[:1 << 16]):]
                    except BlockingIOError:
                        pass
                    except BrokenPipeError:
                        rest = rest[len(rest):]
                    if not rest:
                        self.selector.unregister(writing)
                alive = self.pump(until)
                if watch and self.progress:
                    watch(self.progress[-1])
                if len(self.answers) >= 4:
                    length = struct.unpack("<I", self.answers[:4])[0]
                    if length > LARGEST:
                        raise Garbled(f"an answer that says it has {length} bytes")
                    if len(self.answers) >= 4 + length:
                        answer = bytes(self.answers[4:4 + length])
                        del self.answers[:4 + length]
                        return answer
                if not alive or self.report:
                    return None
        finally:
            if writing in self.selector.get_map():
                self.selector.unregister(writing)
        return None

    def end(self, seconds: float) -> End:
        """Waits until it is over, and says how it ended."""
        if self.process.stdin:
            try:
                self.process.stdin.close()
            except OSError:
                pass
        until = time.monotonic() + seconds
        while not self.report.endswith(b"\n") and time.monotonic() < until:
            if not self.pump(until):
                break
        late = not self.report.endswith(b"\n") and time.monotonic() >= until
        self.kill()
        while self.pump(time.monotonic() + 0.05) and self.sources and not late:
            if self.process.poll() is not None and not self.selector.select(0):
                break
        words = self.report.decode("ascii", errors="replace").split()
        if late:
            return End("time")
        if len(words) != 4:
            return End("lost")
        return End(words[0], *map(int, words[1:]))

    def printed(self) -> str:
        """What it printed, as text that does no harm to a terminal."""
        text = harmless(self.output.decode("utf-8", errors="replace"))
        return text + (f"\n[{self.dropped} more bytes]" if self.dropped else "")


def replace_places(word: str, places: list[tuple[str, Path]]) -> str:
    """A word of a command with the sandbox's paths replaced by those outside."""
    for inside, outside in places:
        if word == inside or word.startswith(inside + "/"):
            return str(outside) + word[len(inside):]
        if word.startswith("-I" + inside):
            return "-I" + str(outside) + word[2 + len(inside):]
    return word


def harmless(text: str) -> str:
    """The text without what moves a cursor, colours, or rings: each such character becomes visible."""
    return "".join(c if c in "\n\t" or (c.isprintable() and c != "\x7f") else c.encode("unicode_escape").decode() for c in text)


def run(words: list[str], limits: Limits, read_only: dict[str, Path], writable: dict[str, Path] | None = None,
        environment: dict[str, str] | None = None) -> tuple[End, str]:
    """Runs a program that is not spoken to: (how it ended, what it printed)."""
    with Process(words, limits, read_only, writable, environment) as process:
        end = process.end(limits.wall)
        return end, process.printed()


if __name__ == "__main__":
    sys.exit("the judge's sandbox is no program")
