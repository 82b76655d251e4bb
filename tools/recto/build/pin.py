"""Writes book/requirements.txt from book/requirements.in, and book/requirements-web.txt from requirements-web.in: every package
that is needed, with the hashes of its wheels for Python 3.11 to 3.13 on x86-64 and 64-bit ARM Linux.

For maintainers, after editing a list:  PYTHONPATH=tools python3 -m recto.build.pin   (needs pip and the network)
"""
import hashlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from recto.place import ROOT

PYTHONS = ("3.11", "3.12", "3.13")
MACHINES = ("x86_64", "aarch64")
GLIBC = (17, 24, 26, 27, 28, 31, 34, 35, 36)          # what wheels for Debian 12 may ask for


def download(listed: Path, python: str, machine: str, folder: Path) -> None:
    """Downloads the wheels that one Python version on one machine would install, in the installed versions."""
    chosen = folder / "chosen.txt"
    chosen.write_text("\n".join(pinned(folder)))
    platforms = [f"manylinux_2_{minor}_{machine}" for minor in GLIBC] + [f"manylinux2014_{machine}"]
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
                    "--only-binary", ":all:", "--python-version", python, "--dest", str(folder),
                    "--constraint", str(chosen),
                    *[word for platform in platforms for word in ("--platform", platform)],
                    "--requirement", str(listed)], check=True)


def pinned(folder: Path) -> dict[str, dict[str, str]]:
    """Maps name==version to {wheel: hash} for all wheels in a folder."""
    found: dict[str, dict[str, str]] = {}
    for wheel in sorted(folder.glob("*.whl")):
        name, version = wheel.name.split("-")[:2]
        name = re.sub(r"[-_.]+", "-", name).lower()
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        found.setdefault(f"{name}=={version}", {})[wheel.name] = digest
    return found


def pin(listed: Path) -> None:
    """Downloads and hashes all wheels of a list, and writes the list of hashes beside it."""
    with tempfile.TemporaryDirectory() as name:
        for python in PYTHONS:
            for machine in MACHINES:
                download(listed, python, machine, Path(name))
        wheels = pinned(Path(name))
    lines = [f"# Written by recto.build.pin from {listed.name}: wheels for Python 3.11 to 3.13, x86-64 and ARM."]
    for package, hashes in sorted(wheels.items()):
        lines.append(package + "".join(f" \\\n    --hash=sha256:{digest}" for digest in sorted(set(hashes.values()))))
    target = listed.with_suffix(".txt")
    target.write_text("\n".join(lines) + "\n")
    print(f"book/{target.name}: {len(wheels)} packages")


def main() -> None:
    """Both lists, or those that are named."""
    for name in sys.argv[1:] or ["requirements", "requirements-web"]:
        pin(ROOT / "book" / f"{name}.in")


if __name__ == "__main__":
    main()
