"""A student's file, read once and as a stranger's."""
import dataclasses
import errno
import hashlib
import os
import stat
from pathlib import Path

from recto.judge.sandbox import one_line

LARGEST = 256 << 10     # bytes of a student's file


class Unreadable(Exception):
    """The student's file is not one that can be graded: one line."""


@dataclasses.dataclass(frozen=True)
class Source:
    """A student's file, read once: what is graded is this text, whatever becomes of the file."""
    name: str
    text: bytes

    def digest(self) -> str:
        """A short name for the text."""
        return digest(self.text)


def digest(text: bytes) -> str:
    """A short name for a text: another text has another one."""
    return hashlib.sha256(text).hexdigest()[:16]


def read_source(path: Path, name: str) -> Source:
    """The student's file. Refuses what is no ordinary text file of a sensible size."""
    called = one_line(str(path))
    try:
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise Unreadable(f"{called}: there is no such file") from None
    except OSError as error:
        link = error.errno == errno.ELOOP       # O_NOFOLLOW says so
        raise Unreadable(f"{called}: is a symbolic link" if link else f"{called}: {error.strerror}") from None
    about = os.fstat(number)
    if not stat.S_ISREG(about.st_mode):
        os.close(number)
        raise Unreadable(f"{called}: is no ordinary file")
    with open(number, "rb") as file:
        if about.st_size > LARGEST:
            raise Unreadable(f"{called}: has {about.st_size} bytes, {LARGEST} are the most")
        try:
            text = file.read(LARGEST + 1)
        except OSError as error:                # such as /proc/self/mem
            raise Unreadable(f"{called}: {error.strerror}") from None
    if len(text) > LARGEST:
        raise Unreadable(f"{called}: has more than {LARGEST} bytes")
    if b"\0" in text:
        raise Unreadable(f"{called}: is no text, byte {text.index(0)} is zero")
    return Source(name, text)
