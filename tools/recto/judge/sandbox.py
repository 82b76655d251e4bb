"""A student's program, or the compiler that reads what the student wrote, in a sandbox (cage.py), with its pipes."""
import contextlib
import dataclasses
import io
import os
import re
import select
import selectors
import struct
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

from recto.place import Failure

from recto.judge import folders
from recto.judge.cage import FULL, LIMITS, NOBODY, insist, isolation, user, warden, why_not_full, within_reach, wrap
from recto.judge.frames import LARGEST, Garbled
from recto.judge.strangers import harmless, one_line

__all__ = ["FULL", "LIMITS", "NOBODY", "End", "Limits", "Process", "Stopped", "harmless", "insist", "isolation", "one_line",
           "run", "warden", "why_not_full"]

KEPT_OUTPUT = 48 << 10          # bytes of what a program prints first
KEPT_END = 16 << 10             # and last: a sanitizer's report stands there
LAST = 20                       # seconds that a sandbox gets to clear up, on a busy machine
LONGEST_MARK = 120
MARKED = re.compile(rb"\x1e([^\n\x1e]{0,%d})\n" % LONGEST_MARK)     # how far a training has come, or where a program is
PLACE = re.compile(rb"at((?: [0-9a-f]{1,8})+)")


class Stopped(Exception):
    """Raised when the caller has stopped waiting."""


@dataclasses.dataclass(frozen=True)
class Limits:
    """The limits of a program."""
    cpu: int = 10               # seconds, of all processes together
    wall: float = 20            # seconds; a busy machine makes waiting longer than working
    memory: int = 1024          # MiB, resident, of all processes together
    address: int = 0            # MiB of addresses; 0 is no limit
    processes: int = 64         # threads count too
    file: int = 16              # MiB


@dataclasses.dataclass(frozen=True)
class End:
    """How a program ended: `how` is exit, signal, memory, time, processes (it was ended from outside) or lost."""
    how: str
    code: int = 0
    cpu_ms: int = 0
    memory_kb: int = 0


class Process:
    """A program in a sandbox, with its pipes. Use it in a `with`: nothing of it outlives the block."""

    def __init__(self, words: list[str], limits: Limits, read_only: dict[str, Path], writable: dict[str, Path] | None = None,
                 environment: dict[str, str] | None = None, talks: bool = False, stop: threading.Event | None = None,
                 line: int | None = None):
        self.limits = limits
        self.output = bytearray()           # what it printed first, both streams as they came
        self.last = bytearray()             # what it printed last
        self.dropped = 0                    # bytes between them
        self.begun = b""                    # a line of progress that is not complete
        self.progress: list[str] = []       # how far it says it has come: the last it said
        self.place: list[str] = []          # where in its file it says it was when its time was over, innermost call first
        self.answers = bytearray()
        self.flooded = False                # whether it wrote more answers than the judge reads
        self.report = bytearray()
        self.sources: dict[int, Callable] = {}      # who takes what comes from which pipe
        self.stop = stop
        self.places: list[tuple[str, Path]] = []    # without namespaces: (path inside, path outside)
        self.lasting = contextlib.ExitStack()       # what ends with it
        with contextlib.ExitStack() as undo:
            undo.callback(self.lasting.close)
            self.start(words, {inside: within_reach(path) for inside, path in read_only.items()}, writable or {},
                       environment or {}, talks, line)
            undo.pop_all()

    def start(self, words: list[str], read_only: dict[str, Path], writable: dict[str, Path], environment: dict[str, str],
              talks: bool, line: int | None) -> None:
        """Starts the program and opens its pipes; `line` is a file descriptor that the program may keep."""
        self.selector = self.lasting.enter_context(selectors.DefaultSelector())
        self.report_pipe, report = self.pipe()
        pipes, theirs = [(self.report_pipe, self.report.extend)], [report]
        if talks:
            answers_pipe, answers = self.pipe()
            pipes.append((answers_pipe, self.take_answers))
            theirs.append(answers)
        limits = self.limits
        numbers = [report.fileno(), answers.fileno() if talks else -1,
                   limits.cpu, limits.memory, limits.address, limits.processes, limits.file]
        told = [*map(str, numbers), "--"]
        if isolation() == FULL:
            command = wrap(read_only, writable)
            for name, value in environment.items():
                command += ["--setenv", name, value]
            command += ["/warden", *told, *words]
            env, cwd = None, "/"
        else:
            cwd = str(self.scratch())
            self.places = sorted({**read_only, **writable}.items(), key=lambda pair: -len(pair[0]))
            command = [str(warden()), *told, *(self.outside(word) for word in words)]
            env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TMPDIR": cwd, **environment}
        try:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE if talks else subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, pass_fds=[end.fileno() for end in theirs] + ([] if line is None else [line]), env=env, cwd=cwd,
                start_new_session=True, bufsize=0, **user())
        except OSError as error:
            raise Failure(f"the sandbox does not start: {error}") from None
        self.lasting.callback(self.close)
        for end in theirs:
            end.close()
        if talks:
            os.set_blocking(self.process.stdin.fileno(), False)
        for pipe, taker in [(self.process.stdout, self.take_output), *pipes]:
            os.set_blocking(pipe.fileno(), False)
            self.sources[pipe.fileno()] = taker
            self.selector.register(pipe, selectors.EVENT_READ)

    def pipe(self) -> tuple[io.FileIO, io.FileIO]:
        """A pipe: our end, and that of the program."""
        out, into = os.pipe()
        ends = io.FileIO(out), io.FileIO(into, "w")
        for end in ends:
            self.lasting.callback(end.close)
        return ends

    def scratch(self) -> Path:
        """The folder where the program may write if it has no private /tmp."""
        held = self.lasting.enter_context(folders.held(folders.temporary(NOBODY if user() else None), "recto-judge-"))
        folder = held / "tmp"
        folder.mkdir()
        if user():
            held.chmod(0o755)
            os.chown(folder, NOBODY, NOBODY)
        return folder

    def outside(self, word: str) -> str:
        """A word of a command with the sandbox's paths replaced by those outside."""
        for inside, path in self.places:
            for before in ("", "-I"):
                if word == before + inside or word.startswith(f"{before}{inside}/"):
                    return before + str(path) + word[len(before + inside):]
        return word

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *_) -> None:
        self.lasting.close()

    def close(self) -> None:
        """Ends the program and closes its pipes."""
        self.kill()
        for stream in (self.process.stdin, self.process.stdout):
            try:
                if stream:
                    stream.close()
            except OSError:
                pass

    def kill(self) -> None:
        """Ends it and everything that it started: the warden does this when its report pipe is closed."""
        if not self.report_pipe.closed:
            if self.report_pipe.fileno() in self.sources:
                self.forget(self.report_pipe.fileno())
            self.report_pipe.close()
        if self.process.poll() is None:
            try:
                with io.FileIO(os.pidfd_open(self.process.pid)) as ended:   # wait() with a timeout looks only now and then
                    late = not select.select([ended], [], [], LAST)[0]
            except OSError:
                late = False
            if late:
                self.process.kill()
            self.process.wait()

    def forget(self, source: int) -> None:
        """Stops reading from one of its pipes."""
        self.selector.unregister(source)
        del self.sources[source]

    def take_output(self, data: bytes) -> None:
        """Keeps the output of a program up to the limit; lines that begin with the mark are progress."""
        data = self.begun + data
        said = MARKED.findall(data)
        if said:
            where = PLACE.fullmatch(said[-1])
            if where:
                self.place = where[1].decode().split()
            else:
                self.progress = [said[-1].decode("ascii", errors="replace")]
            data = MARKED.sub(b"", data)
        at = data.rfind(b"\x1e")
        whole = at < 0 or len(data) - at > LONGEST_MARK + 1 or b"\n" in data[at:]
        data, self.begun = (data, b"") if whole else (data[:at], data[at:])
        room = KEPT_OUTPUT - len(self.output)
        self.output += data[:room]
        self.last += data[room:]
        if len(self.last) > KEPT_END:
            self.dropped += len(self.last) - KEPT_END
            del self.last[:-KEPT_END]

    def take_answers(self, data: bytes) -> None:
        """Keeps incoming answers, as far as they will be read."""
        self.flooded = self.flooded or len(self.answers) + len(data) > LARGEST + 64
        if not self.flooded:
            self.answers += data

    def pump(self, until: float) -> bool:
        """Reads available output, waiting at most until the deadline; False after the end of all pipes."""
        self.take(max(0, min(0.1, until - time.monotonic())))
        if self.stop and self.stop.is_set():
            raise Stopped
        return bool(self.sources)

    def take(self, seconds: float) -> bool:
        """Takes what has come, waiting for it so long; was there anything? (That its input is ready is no news here.)"""
        ready = [key.fd for key, _ in self.selector.select(seconds) if key.fd in self.sources]
        for source in ready:
            data = os.read(source, 1 << 16)
            if data:
                self.sources[source](data)
            else:
                self.forget(source)
        return bool(ready)

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
                over = not self.pump(until)
                if self.report:
                    over = True
                    while self.take(0):     # what it wrote before it ended
                        pass
                if watch and self.progress:
                    watch(self.progress.pop())
                if self.flooded:
                    raise Garbled(f"more than {LARGEST >> 20} MiB of answers")
                if len(self.answers) >= 4:
                    length = struct.unpack("<I", self.answers[:4])[0]
                    if length > LARGEST:
                        raise Garbled(f"an answer that says it has {length} bytes")
                    if len(self.answers) >= 4 + length:
                        answer = bytes(self.answers[4:4 + length])
                        del self.answers[:4 + length]
                        return answer
                if over:
                    return None
        finally:
            if writing in self.selector.get_map():
                self.selector.unregister(writing)
        return None

    def end(self, seconds: float) -> End:
        """Waits for the end of the program, and returns how it ended."""
        if self.process.stdin:
            try:
                self.process.stdin.close()
            except OSError:
                pass
        until = time.monotonic() + seconds
        while not self.report.endswith(b"\n") and time.monotonic() < until:
            if not self.pump(until):
                break
        words = self.report.decode("ascii", errors="replace").split()
        late = not words and time.monotonic() >= until
        self.kill()
        while self.take(0):                 # what is still in the pipes; those who wrote it are gone
            pass
        if late:
            return End("time")
        if len(words) != 4:
            return End("lost")
        return End(words[0], *map(int, words[1:]))

    def printed(self) -> str:
        """The program's output, as text that is safe for a terminal, with the paths of the sandbox."""
        between = f"\n[{self.dropped} more bytes]\n".encode() if self.dropped else b""
        text = (self.output + between + self.last).decode("utf-8", errors="replace")
        for inside, path in self.places:
            text = text.replace(str(path), inside)
        return harmless(text)


def run(words: list[str], limits: Limits, read_only: dict[str, Path], writable: dict[str, Path] | None = None,
        environment: dict[str, str] | None = None, stop: threading.Event | None = None) -> tuple[End, str]:
    """Runs a program without questions: (how it ended, its output)."""
    with Process(words, limits, read_only, writable, environment, stop=stop) as process:
        end = process.end(limits.wall)
        return end, process.printed()
