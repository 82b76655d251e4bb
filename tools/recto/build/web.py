"""The pages for a reader's browser: compiled to WebAssembly by ziglang, and packed as scripts, which are all that a page from
file:// may load. `build/web/programs.json` says of each page what it needs, or why it runs on a processor only.
"""
import base64
import gzip
import math
import os
import shutil
import struct
import subprocess
from collections.abc import Collection
from pathlib import Path
from typing import Any

from recto import term
from recto.build import cmake, environment
from recto.pages.pages import Page
from recto.pages.trace import finished, read_trace
from recto.place import BUILD, ROOT, RUNS, VENV, Failure, read_json, sha256, write, write_json

WEB = BUILD / "web"
PROGRAMS = WEB / "programs"                       # the scripts
LISTED = WEB / "programs.json"                    # which page needs which of them
REQUIREMENTS = ROOT / "book" / "requirements-web.txt"
MODULES = {"double": "pages64", "float": "pages32"}       # one for each precision
LARGE = 8 << 20                                   # bytes of a data file, packed, that the book does not carry
CLOTHES = "fashion-mnist"                         # the folder of Fashion-MNIST, of which the book carries the first images:
CARRIED = {"train": (6000, 60_000, "training"), "t10k": (2000, 10_000, "test")}      # how many, of how many
SIZES = {"pictures": "train", "judges": "t10k"}   # options that ask for as many images

Needs = dict[str, Any]


def here() -> bool:
    """Whether the compiler is installed."""
    return any(VENV.glob("lib/python3*/site-packages/ziglang/zig"))


def install() -> None:
    """Installs the compiler into the book's Python environment: 100 MB, once."""
    term.progress("ziglang ...")
    environment.call([str(environment.PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input",
                      "--no-deps", "--only-binary", ":all:", "--require-hashes", "--requirement", str(REQUIREMENTS)])
    term.clear()


def forget() -> None:
    """Leaves a book that is made now without programs; what was compiled stays for the next."""
    LISTED.unlink(missing_ok=True)
    shutil.rmtree(PROGRAMS, ignore_errors=True)


def mounted(path: Path) -> str:
    """Where a page in a browser finds a file: frozen studies in /figures, models in /models, all others where they lie here."""
    return f"/{path.parent.name}/{path.name}" if path.parent.name in ("figures", "models") else str(path)


def packed(path: Path) -> str:
    """The name of the script of a file; a model and its study share the name of the file."""
    return path.name.partition(".")[0] + "-model" * (path.parent.name == "models")


def needs(page: Page) -> Needs:
    """What a page needs, by its standard run: a module and files, or the reason why it cannot run in a browser."""
    end = finished(read_trace(RUNS / page.name))
    if end is None:
        return {"why": "it has not run here yet"}
    text = page.source.read_text(encoding="utf-8")
    if ".cuh>" in text:
        return {"why": "its CUDA kernels need the emulator, which reads the tables of a Linux program"}
    if "<recto/optim/mpi.hpp>" in text:
        return {"why": "its ranks are threads or processes, and a browser has one thread"}
    data = list(map(Path, end["data"]))
    for path in data:
        if path.parent.name != CLOTHES and path.stat().st_size > LARGE:
            return {"why": f"it reads {path.stat().st_size >> 20} MB of {path.parent.name}, which this book does not carry"}
    need = {"program": page.name, "module": MODULES[end["precision"]],
            "files": {mounted(path): packed(path) for path in data}}
    parts = {path.name.partition("-")[0] for path in data if path.parent.name == CLOTHES}
    if parts:
        need["part"] = carried(parts)
        need["start"] = {option["name"]: str(CARRIED[SIZES[option["name"]]][0]) for option in end["options"]
                         if option["name"] in SIZES and int(option["default"]) > CARRIED[SIZES[option["name"]]][0]}
    return need


def carried(parts: Collection[str]) -> str:
    """How much of these parts of Fashion-MNIST the book carries, in words."""
    return " and ".join(f"{some:,} of {whole:,} {name} images" for part, (some, whole, name) in CARRIED.items() if part in parts)


def first_images(path: Path) -> bytes:
    """The first images, or their labels, of a file of Fashion-MNIST: an IDX file of fewer images."""
    with gzip.open(path) as file:
        head = file.read(8)
        axes, count = head[3], CARRIED[path.name.partition("-")[0]][0]
        extents = file.read(4 * (axes - 1))
        size = math.prod(struct.unpack(f">{axes - 1}I", extents))
        return head[:4] + struct.pack(">I", count) + extents + file.read(count * size)


def content(path: Path) -> bytes:
    """What a page in a browser reads in the place of a file: unpacked, and of Fashion-MNIST the part that the book carries."""
    if path.parent.name == CLOTHES:
        return first_images(path)
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def script(name: str, data: bytes) -> str:
    """A script that leaves these bytes in `recto_packed`."""
    packed = base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()
    return f'(window.recto_packed ??= {{}})["{name}"] = "{packed}";\n'


def pack(sources: dict[str, Path]) -> None:
    """Writes the scripts whose files have changed, and removes those of others."""
    known = read_json(WEB / "packed.json", {})
    now = {name: sha256(path) + str(CARRIED) * (path.parent.name == CLOTHES) for name, path in sources.items()}
    for name, path in sources.items():
        if known.get(name) != now[name] or not (PROGRAMS / f"{name}.js").exists():
            write(PROGRAMS / f"{name}.js", script(name, content(path)))
    for path in PROGRAMS.glob("*.js"):
        if path.stem not in sources:
            path.unlink()
    write_json(WEB / "packed.json", now)


def configure(pages: list[str]) -> None:
    """Runs CMake when it has not been run for these pages; Ninja calls it again when its files change."""
    stamp, key = WEB / "recto.configured", "|".join(sorted(pages))
    if stamp.exists() and stamp.read_text().strip() == key and (WEB / "build.ninja").exists():
        return
    term.progress("configuring ...")
    done = subprocess.run(["cmake", "--preset", "web", f"-DRECTO_WEB_PAGES={key}"], cwd=ROOT / "web", capture_output=True,
                          text=True, errors="replace")
    if done.returncode:
        raise Failure(f"CMake could not configure the programs for the browser:\n{done.stdout}{done.stderr}".rstrip())
    write(stamp, key + "\n")


def build(found: list[Page], at_once: int | None) -> bool:
    """Brings the scripts up to date; whether anything was compiled."""
    listed = {page.name: needs(page) for page in found}
    able = {name: need for name, need in listed.items() if "module" in need}
    for kept in ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR"):         # otherwise it fills the home folder
        os.environ.setdefault(kept, str(WEB / "zig"))
    configure(list(able))
    modules = sorted({need["module"] for need in able.values()})
    worked = cmake.compile(modules, at_once, WEB)
    sources = {name: WEB / f"{name}.wasm" for name in modules}
    for page in found:
        end = finished(read_trace(RUNS / page.name))
        for path in map(Path, end["data"]) if end and page.name in able else []:
            sources[packed(path)] = path
    pack(sources)
    write_json(LISTED, listed)
    return worked
