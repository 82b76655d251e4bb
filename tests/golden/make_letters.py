#!/usr/bin/env python3
"""Makes lib/recto/text/letters.inc: the ranges of code points that Unicode calls letters and numbers.

    python3 tests/golden/make_letters.py          with any Python 3; the file says which version of Unicode it knows
"""
import pathlib
import unicodedata

HERE = pathlib.Path(__file__).resolve().parents[2] / "lib" / "recto" / "text" / "letters.inc"


def ranges(kind):
    """First and last code point of each range whose category begins with this letter."""
    found = []
    for code in range(0x110000):
        if unicodedata.category(chr(code))[0] != kind:
            continue
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return found


def main():
    """Writes the file."""
    lines = [f"// Made by tests/golden/make_letters.py from Unicode {unicodedata.unidata_version}: first and last code points."]
    for name, kind in (("letter_ranges", "L"), ("number_ranges", "N")):
        cells = [f"{{0x{a:X}, 0x{b:X}}}" for a, b in ranges(kind)]
        lines.append(f"constexpr Range {name}[] = {{")
        line = ""
        for cell in cells:
            if len(line) + len(cell) > 110:
                lines.append("    " + line.rstrip())
                line = ""
            line += cell + ", "
        lines += ["    " + line.rstrip().rstrip(",") + "};"]
    HERE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(len(lines), "lines")


if __name__ == "__main__":
    main()
