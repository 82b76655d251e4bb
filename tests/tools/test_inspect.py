"""`recto inspect`: what it says of good files, and how it refuses those that strangers made."""
import gzip
import json
import os
import pty
import re
import resource
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from recto.place import MAIN, TOOLS

PROGRAM = MAIN / "recto_inspect"
MEBI = 1 << 20


def idx(code: int, extents: list[int], numbers: bytes) -> bytes:
    """An IDX file."""
    return bytes([0, 0, code, len(extents)]) + b"".join(struct.pack(">I", n) for n in extents) + numbers


def safetensors(header: dict | bytes, numbers: bytes = b"") -> bytes:
    """A safetensors file."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + numbers


def gguf(notes: list[bytes], tensors: list[bytes], numbers: bytes = b"") -> bytes:
    """A GGUF file of version 3; numbers begin at a multiple of 32."""
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(notes)) + b"".join(notes) + b"".join(tensors)
    return head + bytes(-len(head) % 32) + numbers


def word(text: str) -> bytes:
    """A string of a GGUF file."""
    return struct.pack("<Q", len(text.encode())) + text.encode()


def declared(name: str, extents: list[int], code: int, offset: int) -> bytes:
    """What a GGUF file says of one tensor; the contiguous axis comes first."""
    return word(name) + struct.pack(f"<I{len(extents)}QIQ", len(extents), *extents, code, offset)


def entry(kind: str, shape: list[int], begin: int, end: int) -> dict:
    """What a header says of one tensor."""
    return {"dtype": kind, "shape": shape, "data_offsets": [begin, end]}


@unittest.skipUnless(PROGRAM.exists(), "recto_inspect is not built")
class Inspect(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.home = Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def file(self, name: str, content: bytes) -> Path:
        path = self.home / name
        path.write_bytes(content)
        return path

    def inspect(self, *words) -> subprocess.CompletedProcess:
        """Runs the program where it may not take more than 200 MiB of address space."""
        def limits():
            resource.setrlimit(resource.RLIMIT_AS, (200 * MEBI, 200 * MEBI))
        return subprocess.run([str(PROGRAM), *map(str, words)], capture_output=True, text=True, timeout=120,
                              preexec_fn=limits, stdin=subprocess.DEVNULL)

    def rows(self, text: str) -> dict[str, list[str]]:
        """The table's rows by name; a shape has no spaces."""
        lines = [re.sub(r", ", ",", line).split() for line in text.splitlines()[1:] if "note" not in line]
        return {words[0]: words[1:] for words in lines}

    def refuses(self, path, *says: str):
        """One line, a place, nothing on standard output, at once."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = self.inspect(path)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        # Of the processor's time, since other work may keep it waiting; it never waits by itself (timeout).
        self.assertLess(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 2)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"\A[^\n]+: byte \d+: [^\n]+\n\Z")
        for words in says:
            self.assertIn(words, done.stderr)

    def test_idx(self):
        plain = idx(8, [3, 4], bytes(range(12)))
        for name, content in (("a", plain), ("a.gz", gzip.compress(plain))):
            done = self.inspect(self.file(name, content))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(": IDX, 12 numbers, 24 bytes", done.stdout)
            self.assertEqual(self.rows(done.stdout)["numbers"], ["U8", "(3,4)", "12", "24", "0", "5.5", "11", "-"])
        for code, form, values in ((9, "b", [-128, 3]), (11, "h", [-2, 258]), (12, "i", [-2**31, 5]),
                                   (13, "f", [-2.5, 0.5]), (14, "d", [-2.5, 0.5])):
            done = self.inspect(self.file("b", idx(code, [2], struct.pack(f">2{form}", *values))))
            row = self.rows(done.stdout)["numbers"]
            self.assertEqual([float(row[4]), float(row[6])], values)
            self.assertEqual(row[5], f"{sum(values) / 2:.6g}")
        self.assertEqual(self.rows(self.inspect(self.file("c", idx(13, [0, 2], b""))).stdout)["numbers"][4:],
                         ["-", "-", "-", "0"])

    def test_safetensors(self):
        nan, inf = float("nan"), float("inf")
        kinds = {"F64": ("d", [1e308, 1.5e308]), "F32": ("f", [nan, 2, nan]), "F16": ("e", [-inf, 1]), "I8": ("b", [-3, 4]),
                 "U64": ("Q", [2**64 - 1, 0]), "I64": ("q", [-2**63, 1]), "BOOL": ("B", [0, 1]), "U16": ("H", [])}
        header, numbers = {"__metadata__": {"format": "pt\n"}}, b""
        for kind, (form, values) in kinds.items():
            begin = len(numbers)
            numbers += struct.pack(f"<{len(values)}{form}", *values)
            header["w." + kind] = entry(kind, [len(values)], begin, len(numbers))
        content = safetensors(header, numbers)
        done = self.inspect(self.file("all", content))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("\n  note format: pt\\u000a\n", done.stdout)
        rows = self.rows(done.stdout)
        start = len(content) - len(numbers)
        self.assertEqual(rows["w.F64"], ["F64", "(2)", str(start), str(start + 16), "1e+308", "1.25e+308", "1.5e+308", "0"])
        self.assertEqual(rows["w.F32"][4:], ["2", "2", "2", "2"])
        self.assertEqual(rows["w.F16"][4:], ["-inf", "-inf", "1", "0"])
        self.assertEqual(rows["w.I8"][4:], ["-3", "0.5", "4", "-"])
        self.assertEqual(rows["w.U64"][4:], ["0", "9.22337e+18", str(2**64 - 1), "-"])
        self.assertEqual(rows["w.I64"][4], str(-2**63))
        self.assertEqual(rows["w.BOOL"][4:], ["0", "0.5", "1", "-"])
        self.assertEqual(rows["w.U16"][4:], ["-", "-", "-", "-"])

    def test_gguf(self):
        notes = [word("general.name") + struct.pack("<I", 8) + word("tiny\n"), word("n") + struct.pack("<IQ", 10, 1 << 40),
                 word("yes") + struct.pack("<IB", 7, 1), word("x") + struct.pack("<If", 6, 0.25),
                 word("words") + struct.pack("<IIQ", 9, 8, 2) + word("a") + word("b")]
        scale = struct.pack("<e", 0.5)
        block = scale + bytes([0x98] * 16)             # codes 0 and 1
        tensors = [declared("w", [2, 3], 0, 0), declared("q", [32], 2, 32), declared("k", [256], 12, 64)]
        numbers = struct.pack("<6f", *range(6)) + bytes(8) + block + bytes(14) + bytes(144)
        content = gguf(notes, tensors, numbers)
        done = self.inspect(self.file("model", content))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(f": GGUF, 3 tensors, 294 numbers, {len(content)} bytes\n", done.stdout)
        for note in ("general.name: tiny\\u000a", f"n: {1 << 40}", "yes: true", "x: 0.25", "words: a list of 2 elements"):
            self.assertIn(f"\n  note {note}\n", done.stdout)
        rows, start = self.rows(done.stdout), len(content) - len(numbers)
        self.assertEqual(rows["w"], ["F32", "(3,2)", str(start), str(start + 24), "0", "2.5", "5", "0"])
        self.assertEqual(rows["q"][0], "Q4_0")
        self.assertEqual(rows["q"][4:], ["0", "0.25", "0.5", "0"])
        self.assertEqual(rows["k"][4:], ["-"] * 4)
        self.refuses(self.file("cut", content[:-1]), "'k' does not fit into the file")
        self.refuses(self.file("many", gguf([], [])[:16] + b"\xff" * 8), "notes are declared")
        self.refuses(self.file("x.gguf", b"hello, world"), "wanted the letters GGUF")

    def test_names_do_not_steer_the_terminal(self):
        name = "a\x1b[31m\nb\u202e\x9b"
        path = self.file("c\x1b]0;d\x07\ne", safetensors({name: entry("U8", [1], 0, 1)}, b"x"))
        done = self.inspect(path)
        self.assertEqual(done.returncode, 0)
        self.assertIn("a\\u001b[31m\\u000ab\\u202e\\u009b", done.stdout)
        self.assertIn("c\\u001b]0;d\\u0007\\u000ae: safetensors", done.stdout)
        for text in (done.stdout, self.inspect(self.file("\x1b[2J", b"")).stderr):
            self.assertNotRegex(text, r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]")

    def test_several_files(self):
        good, bad = self.file("good", idx(8, [1], b"x")), self.file("bad", b"what is this?")
        done = self.inspect(good, bad, good)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.count(": IDX, 1 number, 9 bytes"), 2)
        self.assertEqual(done.stderr, f"{bad}: byte 0: this is neither an IDX nor a safetensors nor a GGUF file\n")

    def test_usage(self):
        done = self.inspect()
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
        self.assertEqual(self.inspect("--what").returncode, 2)
        self.assertIn("usage", self.inspect("--help").stdout)
        self.assertEqual(self.inspect("--", "--help").returncode, 1)
        done = subprocess.run([sys.executable, str(TOOLS), "inspect"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))

    def test_what_is_no_file(self):
        pipe = self.home / "pipe"
        os.mkfifo(pipe)
        for path, says in ((self.home, "a directory"), (pipe, "a pipe"), ("/dev/zero", "a device"),
                           (self.home / "none", "No such file"), ("/proc/self/mem", "empty"), ("/proc/kmsg", "")):
            self.refuses(path, says)

    def test_what_is_mistaken_for_data(self):
        for content, says in ((b"<!DOCTYPE html>\n<title>404</title>", "an HTML page"),
                              (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n", "a Git LFS pointer"),
                              (b"\x80\x02}q\x00.", "a pickle"), (b"\x80\x05\x95\x03\0\0\0\0\0\0\0}\x94.", "a pickle"),
                              (b"PK\x03\x04\0\0\x08\x08" + bytes(18) + b"archive/data.pkl", "torch.save"), (b"", "empty")):
            self.refuses(self.file("x", content), says)
            self.refuses(self.file("x.safetensors", content))
            if content:
                self.refuses(self.file("x.gz", gzip.compress(content)), says)

    def test_damaged_gzip(self):
        whole = gzip.compress(idx(8, [2000], os.urandom(2000)))
        for content in (whole[:-1], whole[:-9], whole[:100], whole[:10], whole[:-8] + bytes(8), whole[:50] + whole[60:]):
            self.refuses(self.file("x", content), "the gzip data are damaged")
        self.refuses(self.file("x", whole + b"more"), "more bytes follow after the end of the gzip data")

    def test_bombs_and_promises(self):
        bomb = gzip.compress(bytes(100 * MEBI), compresslevel=1)
        self.refuses(self.file("a", bomb))
        self.refuses(self.file("b", gzip.compress(idx(8, [100 * MEBI], bytes(100 * MEBI)), compresslevel=1)), "bomb")
        self.refuses(self.file("c", gzip.compress(idx(8, [1], bytes(100 * MEBI)), compresslevel=1)), "more bytes follow")
        self.refuses(self.file("d", idx(8, [2**32 - 1] * 4, b"")), "2^62")
        self.refuses(self.file("e", struct.pack("<Q", 2**63) + b"{}"))
        self.refuses(self.file("f", safetensors({"a": entry("F32", [2**62, 4], 0, 0)})), "impossible shape")

    def test_bad_headers(self):
        one = entry("F32", [1], 0, 4)
        for content in (safetensors({"a": one}, bytes(5)), safetensors({"a": one}, bytes(3)),
                        safetensors({"a": one, "b": one}, bytes(4)), safetensors({"a": entry("F32", [1], 4, 8)}, bytes(8)),
                        safetensors({"a": entry("C128", [1], 0, 16)}, bytes(16)),
                        safetensors(b'{"a":{"dtype":"U8","shape":[],"data_offsets":[0,1]},'
                                    b'"a":{"dtype":"U8","shape":[],"data_offsets":[1,2]}}', bytes(2)),
                        safetensors(b"{" + b'"a":{' * 100000), safetensors(b'{"a\xff":1}'), safetensors(b"{}\0")):
            self.refuses(self.file("x.safetensors", content))

    def test_memory_is_bounded_by_the_buffer(self):
        """Far larger than the program may hold, and mostly a hole: still read through, in bounded memory."""
        path = self.file("x", idx(8, [1 << 28], b""))
        os.truncate(path, 8 + (1 << 28))
        done = self.inspect(path)
        self.assertEqual(done.returncode, 0, done.stderr)
        os.truncate(path, 8 + (1 << 28) - 1)
        self.refuses(path, "1 bytes too early")
        many = {f"{n:x}": entry("U8", [0], 0, 0) for n in range(100000)}
        done = self.inspect(self.file("many", safetensors(many)))
        self.assertEqual((done.returncode, done.stdout.count("\n")), (0, 100002))

    def test_progress_on_a_terminal_only(self):
        path = self.file("x", idx(8, [1 << 26], b""))
        os.truncate(path, 8 + (1 << 26))
        self.assertEqual(self.inspect(path).stderr, "")
        primary, secondary = pty.openpty()
        done = subprocess.Popen([str(PROGRAM), str(path)], stdout=subprocess.PIPE, stderr=secondary,
                                env={**os.environ, "TERM": "xterm"})
        os.close(secondary)
        seen = b""
        try:
            while piece := os.read(primary, 4096):
                seen += piece
        except OSError:
            pass  # the other end is closed
        os.close(primary)
        self.assertIn(b"IDX, 67108864 numbers", done.communicate()[0])
        self.assertEqual(done.returncode, 0)
        self.assertIn(b" %", seen)
        self.assertTrue(seen.endswith(b"\r\x1b[K"), seen[-80:])


if __name__ == "__main__":
    unittest.main()
