"""The names that object files define: no file of a student's may define one that the other half of its program defines too.

Two strong definitions do not link anyway. A strong one in a student's file would silently replace a weak one of ours, which is what
the functions of templates and classes are.
"""
import functools
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

SECTION, SYMBOL = struct.Struct("<IIQQQQIIQQ"), struct.Struct("<IBBHQQ")
SYMBOLS, STRONG, LOCAL = 2, 1, 0        # ELF's words: SHT_SYMTAB, STB_GLOBAL, STB_LOCAL


class Unlike(Exception):
    """An object file as no compiler of ours writes it."""


def defined(path: Path) -> Iterator[tuple[bytes, int]]:
    """The names that an object file defines for others, each with its binding; versions cut off."""
    data = path.read_bytes()
    try:
        start, size, count = struct.unpack_from("<Q", data, 40)[0], *struct.unpack_from("<HH", data, 58)
        if data[:5] != b"\x7fELF\x02" or size != SECTION.size or not count:
            raise Unlike
        sections = [SECTION.unpack_from(data, start + number * size) for number in range(count)]
        for _, kind, _, _, at, length, names, *_ in sections:
            if kind != SYMBOLS:
                continue
            text = sections[names][4]
            for name, about, _, section, _, _ in SYMBOL.iter_unpack(data[at:at + length]):
                if section and about >> 4 != LOCAL:
                    yield data[text + name:data.index(b"\0", text + name)].partition(b"@")[0], about >> 4
    except (struct.error, IndexError, ValueError):
        raise Unlike from None


@functools.cache
def names(path: Path) -> frozenset[bytes]:
    """All names that one of our object files defines."""
    return frozenset(name for name, _ in defined(path))


def taken(student: Path, ours: list[Path]) -> str:
    """A name of ours that a student's object file defines strongly, as it is written in C++; empty without such a name."""
    strong = {name for name, binding in defined(student) if binding == STRONG}
    found = min((name for path in ours for name in strong & names(path)), default=b"")
    return subprocess.run(["c++filt", "--", found.decode()], capture_output=True, text=True).stdout.strip() if found else ""
