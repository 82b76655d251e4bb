"""The pages for a reader's browser: compiled to WebAssembly by ziglang, and packed as scripts, which are all that a page from
file:// may load. `build/web/programs.json` says of each page what it needs, or why it runs on a processor only.
"""
import base64
import gzip
import os
import shutil
import subprocess
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
ABSENT = "ziglang is not here: the book is made without programs for the browser (./recto book --web installs it)"
COMPARED = {"double": "pages64"}                  # precisions whose pages tests/wasm/compare.py has compared, and their modules
LARGE = 8 << 20                                   # bytes of a data file, packed, that the book does not carry

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
    """Where a page in a browser finds a file: frozen studies in /figures, all others where they lie here."""
    return f"/figures/{path.name}" if path.parent.name == "figures" else str(path)


def needs(page: Page) -> Needs:
    """What a page needs, by its standard run: a module and files, or the reason why it cannot run in a browser."""
    end = finished(read_trace(RUNS / page.name))
    if end is None:
        return {"why": "it has not run here yet"}
    if ".cuh>" in page.source.read_text(encoding="utf-8"):
        return {"why": "its CUDA kernels need the emulator, which reads the tables of a Linux program"}
    data = [Path(path) for path in end["data"]]
    if end["precision"] not in COMPARED:
        return {"why": "its numbers, in single precision, have not yet been compared there with those of a processor"}
    for path in data:
        if path.stat().st_size > LARGE:
            return {"why": f"it reads {path.stat().st_size >> 20} MB of {path.parent.name}, which this book does not carry"}
    return {"program": page.name, "module": COMPARED[end["precision"]],
            "files": {mounted(path): path.name.partition(".")[0] for path in data}}


def script(name: str, content: bytes) -> str:
    """A script that leaves these bytes in `recto_packed`."""
    packed = base64.b64encode(gzip.compress(content, 9, mtime=0)).decode()
    return f'(window.recto_packed ??= {{}})["{name}"] = "{packed}";\n'


def pack(sources: dict[str, Path]) -> None:
    """Writes the scripts whose files have changed, and removes those of others."""
    known = read_json(WEB / "packed.json", {})
    now = {name: sha256(path) for name, path in sources.items()}
    for name, path in sources.items():
        if known.get(name) != now[name] or not (PROGRAMS / f"{name}.js").exists():
            content = path.read_bytes()
            write(PROGRAMS / f"{name}.js", script(name, gzip.decompress(content) if path.suffix == ".gz" else content))
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
        for path in (finished(read_trace(RUNS / page.name)) or {}).get("data", []) if page.name in able else []:
            sources[Path(path).name.partition(".")[0]] = Path(path)
    pack(sources)
    write_json(LISTED, listed)
    return worked
