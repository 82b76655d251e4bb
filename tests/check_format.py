"""Is all C++ in the shape of .clang-format, and does formatting leave the prose of the pages alone?

Ends with one line, N passed, N failed, N skipped.
"""
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def prose(text: str) -> list[str]:
    """The full-line comments of a page: what the weaver makes Markdown of."""
    return [line.strip() for line in text.splitlines() if line.strip().startswith("//")]


def main() -> int:
    tool = shutil.which("clang-format")
    if not tool:
        print("clang-format is not installed: nothing was checked")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    files = sorted(p for top in ("lib", "chapters", "tests", "bench", "inspect", "web") for p in (ROOT / top).rglob("*")
                   if p.suffix in (".cpp", ".hpp", ".cu", ".cuh"))
    passed = failed = 0
    for path in files:
        text = path.read_text(encoding="utf-8")
        formatted = subprocess.run([tool, f"--assume-filename={path}"], input=text, text=True, capture_output=True,
                                   check=True).stdout
        name = path.relative_to(ROOT)
        if path.is_relative_to(ROOT / "chapters") and prose(text) != prose(formatted):
            print(f"{name}: formatting changes its prose")
            failed += 1
        elif text != formatted:
            print(f"{name}: not formatted; clang-format -i {name}")
            failed += 1
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
