"""The word lists of the distribution, for judges that send words."""
import functools
import gzip
import re
from pathlib import Path

from recto.judge.judging import NotHere

FOLDER = Path("/usr/share/dict")


def read(name: str) -> list[str]:
    """The lines of a list, in small letters."""
    path = FOLDER / name
    try:
        text = gzip.decompress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes()
    except OSError:
        raise NotHere(f"{path} is not here: the package miscfiles brings it") from None
    return text.decode("ascii", errors="replace").lower().split()


@functools.cache
def names() -> tuple[str, ...]:
    """1513 first names, of letters alone."""
    return tuple(name for name in read("propernames.gz") if re.fullmatch("[a-z]+", name))


@functools.cache
def words() -> tuple[str, ...]:
    """The words of two to twelve letters in Webster's second edition, each once: about 196 000."""
    return tuple(dict.fromkeys(word for word in read("web2") if re.fullmatch("[a-z]{2,12}", word)))
