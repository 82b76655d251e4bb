"""Handing out: a tree without the answers, and the bundle with which a teacher grades in it.

    recto release DIR                           writes DIR, and DIR.bundle.zip beside it
    recto grade EXERCISE --bundle FILE          grades with that bundle, in the tree that was handed out

A bundle is a zip file: `solutions/...` and `manifest.json`, which names every file with its SHA-256, the commit that it
was made from and the version of this form. It is opened as a stranger's file: what does not look as we would have
written it is refused, in one line.
"""
import atexit
import functools
import hashlib
import json
import os
import re
import shutil
import stat
import struct
import subprocess
import tempfile
import zipfile
import zlib
from pathlib import Path

from recto import term
from recto.judge import bank, catalogue, released
from recto.place import ROOT, Failure, Mistake, read_json, sha256, shown

HIDDEN = ("solutions", "tests/exercises", "tests/judge")    # what a tree that is handed out does not hold
MARK = Path("exercises", "handed-out.json")                 # in such a tree: what it was made from
MANIFEST, FORM, VERSION = "manifest.json", "recto bundle", 1
NAME = re.compile(r"solutions(/[A-Za-z0-9_][A-Za-z0-9_.-]*)+", re.ASCII)
MOST_FILES = 5000
LARGEST_FILE, LARGEST_TREE, LARGEST_BUNDLE = 4 << 20, 64 << 20, 32 << 20
NOTE = """> **This tree was handed out.** It is Recto at {commit}, without the answers: no references, no wrong
> answers, no judges. `./recto start` begins an exercise. The teacher keeps the bundle and grades with it:
> `./recto grade EXERCISE --bundle FILE`.
"""


def git(*words: str) -> str:
    """The output of a git command in this tree; a Failure if this is no working tree of git."""
    try:
        done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        raise Failure("release: git is not installed") from None
    if done.returncode:
        raise Failure(f"release: {(done.stderr.strip().splitlines() or ['git failed'])[0]}")
    return done.stdout


@functools.cache
def commit() -> str:
    """The commit of this tree, with `-dirty` if files have changed since; empty if unknown."""
    handed_out = read_json(ROOT / MARK)
    if handed_out:
        return handed_out.get("commit", "")
    try:
        top = git("rev-parse", "--show-toplevel").strip()
        return git("describe", "--always", "--dirty", "--abbrev=12", "--exclude=*").strip() if Path(top) == ROOT else ""
    except Failure:
        return ""


def tracked() -> dict[str, bool]:
    """The existing files that git tracks, and whether each is executable."""
    if (ROOT / MARK).exists():
        raise Failure("release: this tree was handed out, it holds no answers to leave out")
    if Path(git("rev-parse", "--show-toplevel").strip()) != ROOT:
        raise Failure("release: wants the repository itself, this tree is a copy")
    found = {}
    for entry in filter(None, git("ls-files", "--stage", "-z").split("\0")):
        about, name = entry.split("\t", 1)
        if about.split()[0] not in ("100644", "100755"):
            raise Failure(f"release: {name} is no ordinary file")
        if (ROOT / name).is_file():
            found[name] = about.startswith("100755")
    return found


def hidden(name: str) -> bool:
    """Whether the judge keeps this file to itself."""
    return name.startswith(tuple(f"{folder}/" for folder in HIDDEN))


def release(target: Path) -> int:
    """Writes a tree without solutions, and a bundle with them beside it (`recto release`)."""
    target = target.absolute()
    bundle = target.with_name(target.name + ".bundle.zip")
    if target.is_symlink() or target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise Mistake(f"release: {target} is there already, and it is not an empty folder")
    if bundle.exists():
        raise Mistake(f"release: {bundle} is there already")
    files = tracked()
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as folder:
        fresh, zipped = Path(folder, "tree"), Path(folder, "bundle.zip")
        write_tree(fresh, {name: runs for name, runs in files.items() if not hidden(name)})
        secret = [name for name in files if name.startswith("solutions/")]
        refuse_answers(fresh, secret)
        count = write_bundle(zipped, secret)
        fresh.chmod(0o755)
        fresh.rename(target)
        zipped.rename(bundle)
    term.say(f"{target}: to hand out")
    term.say(f"{bundle}: to keep ({term.plural(count, 'file')}); ./recto grade EXERCISE --bundle FILE in that tree")
    return 0


def write_tree(home: Path, files: dict[str, bool]) -> None:
    """The tree to hand out."""
    for name, runs in files.items():
        copy = home / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, copy)
        copy.chmod(0o755 if runs else 0o644)
    released.rewrite(home)
    readme = home / "README.md"
    title, _, rest = readme.read_text(encoding="utf-8").partition("\n")
    readme.write_text(f"{title}\n\n{NOTE.format(commit=commit())}{rest}", encoding="utf-8")
    mark = {"form": "recto handed out", "version": VERSION, "commit": commit()}
    (home / MARK).write_text(json.dumps(mark, indent=1) + "\n", encoding="utf-8")


def refuse_answers(home: Path, secret: list[str]) -> None:
    """Checks that the tree holds no file of the bank under another name, and no program made by its patches."""
    answers = {sha256(ROOT / name): name for name in secret if (ROOT / name).stat().st_size}
    answers |= {hashlib.sha256(answer.text().encode()).hexdigest(): shown(answer.path)
                for exercise in catalogue.exercises() for answer in bank.wrong_answers(exercise)}
    for path in home.rglob("*"):
        name = path.relative_to(home)
        if path.is_dir():
            continue
        if name.parts[0] == "exercises" and (name.name == "judge.py" or {"wrong", "right"} & set(name.parts[:-1])):
            raise Failure(f"release: {name} looks like an answer; it belongs into solutions/")
        if sha256(path) in answers:
            raise Failure(f"release: {name} is the same as {answers[sha256(path)]}")


def write_bundle(path: Path, secret: list[str]) -> int:
    """The bundle of these files; the same files give the same bytes. Says how many there are."""
    contents = {name: (ROOT / name).read_bytes() for name in sorted(secret)}
    for name in contents:
        if not NAME.fullmatch(name):
            raise Failure(f"release: {name!r} is no name for a file in a bundle")
    manifest = {"form": FORM, "version": VERSION, "commit": commit(),
                "files": {name: hashlib.sha256(data).hexdigest() for name, data in contents.items()}}
    entries = {MANIFEST: (json.dumps(manifest, indent=1) + "\n").encode(), **contents}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            about = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            about.compress_type = zipfile.ZIP_DEFLATED
            about.external_attr = (stat.S_IFREG | 0o600) << 16
            archive.writestr(about, data)
    path.chmod(0o600)
    return len(contents)


def open_bundle(path: Path) -> Path:
    """Unpacks a bundle into a private folder, removed when this program ends; returns the folder to use as catalogue.SOLUTIONS."""
    try:
        contents = read_bundle(path)
    except (zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, RuntimeError, EOFError, OSError,
            ValueError, OverflowError) as error:
        raise Failure(f"bundle {path}: {getattr(error, 'strerror', None) or error}") from None
    home = Path(tempfile.mkdtemp(prefix="recto-bundle-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    for name, data in contents.items():
        copy = home / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(data)
    return home / "solutions"


def read_bundle(path: Path) -> dict[str, bytes]:
    """The files of a bundle, all of them checked; ValueError says what is wrong with it."""
    if not path.exists():
        raise Mistake(f"bundle {path}: there is no such file")
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    about = os.fstat(number)
    if not stat.S_ISREG(about.st_mode):
        os.close(number)
        raise ValueError("is no ordinary file")
    with open(number, "rb") as file:
        if about.st_size > LARGEST_BUNDLE:
            raise ValueError(f"has {about.st_size} bytes, {LARGEST_BUNDLE} are the most")
        with zipfile.ZipFile(file) as archive:
            entries = archive.infolist()
            check_entries(entries)
            contents = {entry.filename: read_entry(archive, entry) for entry in entries}
    return check_digests(contents)


def check_entries(entries: list[zipfile.ZipInfo]) -> None:
    """Refuses what a bundle of ours never holds, before anything of it is unpacked."""
    if len(entries) > MOST_FILES:
        raise ValueError(f"has {len(entries)} files, {MOST_FILES} are the most")
    if sum(entry.file_size for entry in entries) > LARGEST_TREE:
        raise ValueError(f"holds more than {LARGEST_TREE >> 20} MiB")
    seen = set()
    for entry in entries:
        name = entry.orig_filename
        if name != MANIFEST and not NAME.fullmatch(name):
            raise ValueError(f"holds {ascii(name)}, which is no name for a file in a bundle")
        if name.lower() in seen:
            raise ValueError(f"holds {name} twice")
        seen.add(name.lower())
        if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG):
            raise ValueError(f"holds {name}, which is no ordinary file")
        if entry.flag_bits & 1:
            raise ValueError(f"holds {name} encrypted")
        if entry.file_size > LARGEST_FILE:
            raise ValueError(f"holds {name} of {entry.file_size} bytes, {LARGEST_FILE} are the most")


def read_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """One file of a bundle, not longer than it says."""
    with archive.open(entry) as file:
        data = file.read(entry.file_size + 1)
    if len(data) != entry.file_size:
        raise ValueError(f"holds {entry.filename}, which is not as long as it says")
    return data


def check_digests(contents: dict[str, bytes]) -> dict[str, bytes]:
    """The files, if they are exactly those of the manifest."""
    manifest = json.loads(contents.pop(MANIFEST, b"null"))
    if not isinstance(manifest, dict) or manifest.get("form") != FORM or not isinstance(manifest.get("files"), dict):
        raise ValueError("has no manifest: is it a bundle of recto release?")
    if manifest.get("version") != VERSION:
        raise ValueError(f"is of version {manifest.get('version')}, this tree reads version {VERSION}")
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in contents.items()}
    for name in sorted({*digests, *manifest["files"]}):
        if digests.get(name) != manifest["files"].get(name):
            what = "is missing" if name not in digests else "is not as its manifest says"
            raise ValueError(f"{ascii(name)} {what}")
    return contents
