"""`recto generate`: a model whose next token is known, and damaged files."""
import re
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

from recto.place import MAIN

PROGRAM = MAIN / "recto_generate"
LETTERS = [chr(ord("a") + i) for i in range(26)] + ["<end>", "Ġ", "!", "Ã", "¶", "ab"]      # 32 tokens; Ã¶ are the bytes of ö
END = 26


def text(word: str) -> bytes:
    """A string of a GGUF file."""
    return struct.pack("<Q", len(word.encode())) + word.encode()


def note(key: str, value) -> bytes:
    """A note of a GGUF file: text, a whole number, or a list of words or of whole numbers."""
    if isinstance(value, str):
        return text(key) + struct.pack("<I", 8) + text(value)
    if isinstance(value, int):
        return text(key) + struct.pack("<II", 4, value)
    if isinstance(value[0], str):
        return text(key) + struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(text, value))
    return text(key) + struct.pack(f"<IIQ{len(value)}i", 9, 5, len(value), *value)


def model(**changed) -> bytes:
    """A GPT-2 with one block that does nothing: after each token comes the next one of the vocabulary."""
    n = len(LETTERS)
    notes = {"general.architecture": "gpt2", "gpt2.context_length": 16, "gpt2.block_count": 1, "gpt2.embedding_length": n,
             "gpt2.feed_forward_length": 32, "gpt2.attention.head_count": 4, "tokenizer.ggml.model": "gpt2",
             "tokenizer.ggml.tokens": LETTERS, "tokenizer.ggml.merges": ["a b"], "tokenizer.ggml.eos_token_id": END,
             "tokenizer.ggml.token_type": [3 if i == END else 1 for i in range(n)]}
    notes |= changed
    one_hot = [[float(i == j) for j in range(n)] for i in range(n)]
    after = [[8.0 * (j == (i - 1) % n) for j in range(n)] for i in range(n)]
    zero = {"position_embd.weight": (16, n), "blk.0.attn_qkv.weight": (3 * n, n), "blk.0.attn_qkv.bias": (3 * n,),
            "blk.0.attn_output.weight": (n, n), "blk.0.attn_output.bias": (n,), "blk.0.ffn_up.weight": (32, n),
            "blk.0.ffn_up.bias": (32,), "blk.0.ffn_down.weight": (n, 32), "blk.0.ffn_down.bias": (n,),
            "blk.0.attn_norm.bias": (n,), "blk.0.ffn_norm.bias": (n,), "output_norm.bias": (n,)}
    tensors = {name: (shape, [0.0] * (shape[0] * (shape[1] if len(shape) > 1 else 1))) for name, shape in zero.items()}
    for name in ("blk.0.attn_norm.weight", "blk.0.ffn_norm.weight", "output_norm.weight"):
        tensors[name] = ((n,), [1.0] * n)
    tensors["token_embd.weight"] = ((n, n), sum(one_hot, []))
    tensors["output.weight"] = ((n, n), sum(after, []))
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(notes)) + b"".join(note(*pair) for pair in notes.items())
    data = b""
    for name, (shape, numbers) in tensors.items():
        head += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape[::-1], 0, len(data))
        data += struct.pack(f"<{len(numbers)}f", *numbers)
        data += bytes(-len(data) % 32)
    return head + bytes(-len(head) % 32) + data


@unittest.skipUnless(PROGRAM.exists(), "recto_generate is not built")
class Generate(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "model.gguf"
        self.path.write_bytes(model())

    def tearDown(self):
        self.folder.cleanup()

    def generate(self, *words) -> subprocess.CompletedProcess:
        return subprocess.run([str(PROGRAM), *map(str, words)], capture_output=True, timeout=120, stdin=subprocess.DEVNULL)

    def says(self, *words) -> str:
        done = self.generate(self.path, *words)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout.decode()

    def test_the_next_letters(self):
        self.assertEqual(self.says("--prompt", "cab", "--temperature", 0, "--tokens", 5), "cababcde\n")   # 'ab' is the last of 32

    def test_it_ends(self):
        self.assertEqual(self.says("--prompt", "x", "--temperature", 0), "xyz\n")
        self.assertEqual(self.says("--prompt", "x", "--temperature", 0, "--tokens", 0), "x\n")
        long = self.says("--prompt", "abca", "--temperature", 0)                # 'ab' is one token: 3 are read, 13 are left
        self.assertEqual(long, "abca" + "bcdefghijklmn\n")

    def test_a_character_of_two_tokens(self):
        self.assertEqual(self.says("--prompt", "!", "--temperature", 0, "--tokens", 2), "!ö\n")

    def test_the_same_seed_gives_the_same_text(self):
        words = ("--prompt", "a", "--temperature", 50, "--tokens", 8)
        self.assertEqual(self.generate(self.path, *words, "--seed", 5).stdout, self.generate(self.path, *words, "--seed", 5).stdout)
        self.assertEqual(len({self.generate(self.path, *words, "--seed", s).stdout for s in range(5)}), 5)

    def test_usage(self):
        self.assertEqual(self.generate().returncode, 2)
        self.assertEqual(self.generate(self.path, "--what").returncode, 2)
        self.assertEqual(self.generate(self.path, "--tokens", "many").returncode, 2)
        self.assertIn(b"--temperature", self.generate("--help").stdout)

    def test_what_it_refuses(self):
        for says, content in ((b"wants a tensor 'output_norm.weight'", model().replace(b"output_norm.weight", b"output_norm.waight")),
                              (b"wanted the tokenizer gpt2 or llama, got 'bert'", model(**{"tokenizer.ggml.model": "bert"})),
                              (b"merge 0: wanted tokens of earlier merges", model(**{"tokenizer.ggml.merges": ["aa b"]})),
                              (b"wanted the architecture gpt2 or llama", model(**{"general.architecture": "mamba"})),
                              (b"tensors are declared", model()[:40]), (b"does not fit into the file", model()[:-64]),
                              (b"wanted the letters GGUF", b"what is this?"),
                              (b"has shape (32, 32), wanted", model(**{"gpt2.embedding_length": 64}))):
            self.path.write_bytes(content)
            done = self.generate(self.path, "--prompt", "a")
            self.assertEqual((done.returncode, done.stdout), (1, b""), says)
            self.assertRegex(done.stderr, rb"\A[^\n]+: byte \d+: [^\n]+\n\Z")
            self.assertIn(says, done.stderr)
        self.path.write_bytes(model())
        done = self.generate(self.path, "--prompt", "a" * 40)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, rb"the model reads 16 tokens at most, the prompt has 40\n\Z")
        done = self.generate(self.path, "--prompt", "A")
        self.assertRegex(done.stderr, rb"the vocabulary has no token for byte 65\n\Z")


if __name__ == "__main__":
    unittest.main()
