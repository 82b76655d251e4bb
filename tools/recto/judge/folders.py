"""Temporary folders: the process that works in a folder locks it, and a folder without a lock is removed."""
import contextlib
import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path


def temporary(user: int | None = None) -> Path:
    """The place of temporary folders: programs must be able to run there, and another user must be able to reach it."""
    places = [Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp")]
    for place in places:
        if place.is_dir() and (user is None or open_to_all(place)) and not os.statvfs(place).f_flag & os.ST_NOEXEC:
            return place
    return places[0]


def open_to_all(path: Path) -> bool:
    """Whether every user can read this."""
    try:
        mine = path.stat().st_mode
        return bool(mine & 0o004) and all(above.stat().st_mode & 0o001 for above in path.resolve().parents)
    except OSError:
        return False


@contextlib.contextmanager
def held(parent: Path, prefix: str) -> Iterator[Path]:
    """A new folder, removed afterwards unless it was renamed. Folders whose owner was killed are removed first."""
    sweep(parent, prefix)
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        try:
            number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:       # another process removed it as a leftover
            continue
        lock(number, wait=True)
        if folder.exists():
            break
        os.close(number)
    try:
        yield folder
    finally:
        remove(folder)
        os.close(number)


def lock(number: int, wait: bool) -> bool:
    """Locks an open folder; False if another process holds the lock, or if locks do not work here."""
    try:
        fcntl.flock(number, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        return True
    except OSError:
        return False


def sweep(parent: Path, prefix: str) -> None:
    """Removes our folders of this name that no process has locked."""
    for folder in parent.glob(f"{prefix}*"):
        try:
            number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            if os.fstat(number).st_uid == os.getuid() and lock(number, wait=False):
                remove(folder)
        finally:
            os.close(number)


def remove(folder: Path) -> None:
    """Removes a folder with everything that a stranger's program may have put there: too deep, or closed to its owner."""
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        pass
    except (OSError, RecursionError):
        subprocess.run(["chmod", "-R", "u+rwx", "--", str(folder)], capture_output=True)
        subprocess.run(["rm", "-rf", "--", str(folder)], capture_output=True)
