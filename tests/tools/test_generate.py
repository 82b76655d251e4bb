"""`recto generate`: a model whose next token is known, and damaged files."""
import http.server
import json
import os
import shutil
import struct
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

from recto.cli import generation
from recto.place import MAIN

PROGRAM = MAIN / "recto_generate"
LETTERS = [chr(ord("a") + i) for i in range(26)] + ["<end>", "Ġ", "!", "Ã", "¶", "ab"]      # 32 tokens; Ã¶ are the bytes of ö
END = 26


def text(word: str) -> bytes:
    """A string of a GGUF file."""
    return struct.pack("<Q", len(word.encode())) + word.encode()


def note(key: str, value) -> bytes:
    """A note of a GGUF file: text, a truth value, a whole number, or a list of words or of whole numbers."""
    if isinstance(value, str):
        return text(key) + struct.pack("<I", 8) + text(value)
    if isinstance(value, bool):
        return text(key) + struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return text(key) + struct.pack("<II", 4, value)
    if isinstance(value[0], str):
        return text(key) + struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(text, value))
    return text(key) + struct.pack(f"<IIQ{len(value)}i", 9, 5, len(value), *value)


def model(kind: str = "gpt2", **changed) -> bytes:
    """A model with one block that does nothing: after each token comes the next one of the vocabulary."""
    n = len(LETTERS)
    notes = {"general.architecture": kind, f"{kind}.context_length": 16, f"{kind}.block_count": 1,
             f"{kind}.embedding_length": n, f"{kind}.feed_forward_length": 32, f"{kind}.attention.head_count": 4,
             "tokenizer.ggml.model": "gpt2",
             "tokenizer.ggml.tokens": LETTERS, "tokenizer.ggml.merges": ["a b"], "tokenizer.ggml.eos_token_id": END,
             "tokenizer.ggml.token_type": [3 if i == END else 1 for i in range(n)]}
    notes |= changed
    one_hot = [[float(i == j) for j in range(n)] for i in range(n)]
    after = [[8.0 * (j == (i - 1) % n) for j in range(n)] for i in range(n)]
    zero = {"position_embd.weight": (16, n), "blk.0.attn_qkv.weight": (3 * n, n), "blk.0.attn_qkv.bias": (3 * n,),
            "blk.0.attn_output.weight": (n, n), "blk.0.attn_output.bias": (n,), "blk.0.ffn_up.weight": (32, n),
            "blk.0.ffn_up.bias": (32,), "blk.0.ffn_down.weight": (n, 32), "blk.0.ffn_down.bias": (n,),
            "blk.0.attn_norm.bias": (n,), "blk.0.ffn_norm.bias": (n,), "output_norm.bias": (n,)}
    if kind == "llama":
        zero = {f"blk.0.{name}.weight": (n, n) for name in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up",
                                                            "ffn_down")}       # 32 numbers are hidden, and 32 are embedded
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


def publish(folder: Path, **changed) -> Path:
    """Such a model in GPT-2's layout, with its tokenizer beside it. The path of the weights."""
    n = len(LETTERS)
    flat = {"wte.weight": (n, n), "wpe.weight": (16, n), "h.0.attn.c_attn.weight": (n, 3 * n), "h.0.attn.c_attn.bias": (3 * n,),
            "h.0.attn.c_proj.weight": (n, n), "h.0.mlp.c_fc.weight": (n, n), "h.0.mlp.c_proj.weight": (n, n)}
    flat |= {f"{name}.bias": (n,) for name in ("h.0.attn.c_proj", "h.0.mlp.c_fc", "h.0.mlp.c_proj", "h.0.ln_1", "h.0.ln_2", "ln_f")}
    tensors = {name: (shape, [0.0] * (shape[0] * (shape[1] if len(shape) > 1 else 1))) for name, shape in flat.items()}
    for name in ("h.0.ln_1", "h.0.ln_2", "ln_f"):
        tensors[f"{name}.weight"] = ((n,), [1.0] * n)
    for name in ("wte", "h.0.mlp.c_fc"):
        tensors[f"{name}.weight"] = ((n, n), [float(i == j) for i in range(n) for j in range(n)])
    # (in, out): what token i has written is token i + 1
    tensors["h.0.mlp.c_proj.weight"] = ((n, n), [8.0 * (j == (i + 1) % n) for i in range(n) for j in range(n)])
    head, data = {}, b""
    for name, (shape, numbers) in tensors.items():
        head[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + 4 * len(numbers)]}
        data += struct.pack(f"<{len(numbers)}f", *numbers)
    words = json.dumps(head).encode()
    files = {"model.safetensors": struct.pack("<Q", len(words)) + words + data,
             "vocab.json": json.dumps({"<|endoftext|>" if i == END else word: i for i, word in enumerate(LETTERS)}).encode(),
             "merges.txt": b"#version: 0.2\na b\n", "config.json": b'{"a": {"n_head": 5, "b": "}"}, "n_head": 4, "c": 1e-5}'}
    for name, content in (files | changed).items():
        if content is None:
            (folder / name).unlink(missing_ok=True)
        else:
            (folder / name).write_bytes(content)
    return folder / "model.safetensors"


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
        self.assertEqual(len({self.generate(self.path, *words, "--seed", 5, "--threads", n).stdout for n in (1, 2, 7)}), 1)
        self.assertEqual(len({self.generate(self.path, *words, "--seed", s).stdout for s in range(5)}), 5)

    def test_any_bytes_as_a_prompt(self):
        letters = [chr(c) for c in [*range(256, 289), *range(33, 127), *range(289, 323), *range(161, 173), 323, *range(174, 256)]]
        with mock.patch.dict(globals(), LETTERS=letters + ["ab"] + [f"x{i}" for i in range(31)]):
            self.path.write_bytes(model())
        for prompt in (b"\xff\xfe A", b"[a,b]", b"{}", b"-x", b"--", b'"', b"--seed"):
            done = subprocess.run([PROGRAM, self.path, "--tokens", "0", "--prompt", prompt], capture_output=True)
            self.assertEqual((done.returncode, done.stdout), (0, prompt + b"\n"))

    def test_the_command_passes_an_empty_prompt(self):
        with mock.patch.object(generation, "cmake"), mock.patch.object(generation.subprocess, "run") as run:
            generation.generate(str(self.path), {"--prompt": "", "--tokens": "0", "--seed": None})
        self.assertEqual(self.generate(*run.call_args.args[0][1:]).stdout, b"\n")

    def test_it_takes_memory_for_the_text_that_is_asked_for(self):
        self.path.write_bytes(model("llama", **{"llama.context_length": 1 << 20}))     # keys and values of all of it: 268 MB
        with subprocess.Popen([PROGRAM, self.path, "--prompt", "a", "--tokens", "4", "--temperature", "0"],
                              stdout=subprocess.PIPE) as process:
            self.assertEqual(process.stdout.read(), b"abcde\n")
            _, process.returncode, used = os.wait4(process.pid, 0)
        self.assertLess(used.ru_maxrss, 180_000)

    def test_a_model_is_never_downloaded(self):
        """[row:ex-tp4-llm-on-cpu-star/d] The address of a server that has a model is the name of a file that is missing."""
        asked = []

        class Server(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                self.send_response(200)
                self.end_headers()
                self.wfile.write(model())

            def log_message(self, *words):
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            address = f"http://127.0.0.1:{server.server_port}/model.gguf"
            done = self.generate(address, "--prompt", "a")
            run = subprocess.run
            with (mock.patch.object(generation, "cmake"),
                  mock.patch.object(subprocess, "run", lambda words: run(words, stderr=subprocess.DEVNULL))):
                by_command = generation.generate(address, {"--prompt": "a", "--tokens": "0"})
            server.shutdown()
        self.assertEqual((done.returncode, done.stdout, by_command, asked), (1, b"", 1, []))
        self.assertRegex(done.stderr, rb"\A[^\n]+cannot be opened \(No such file or directory\)\n\Z")

    @unittest.skipUnless(shutil.which("nm"), "binutils are missing")
    def test_it_can_open_no_connection_and_start_no_program(self):
        """[row:ex-tp4-llm-on-cpu-star/d] Of the functions that a download takes, the program imports none."""
        imports = subprocess.run(["nm", "-D", "--undefined-only", PROGRAM], capture_output=True, text=True, check=True).stdout
        names = {line.split()[-1].partition("@")[0] for line in imports.splitlines()}
        self.assertIn("open", {name.removesuffix("64") for name in names})
        self.assertEqual(names & {"socket", "connect", "getaddrinfo", "gethostbyname", "system", "popen", "fork", "vfork", "execv",
                                  "execve", "execvp", "execl", "execlp", "posix_spawn", "posix_spawnp", "dlopen"}, set())

    def test_usage(self):
        self.assertEqual(self.generate().returncode, 2)
        self.assertEqual(self.generate(self.path, "--what").returncode, 2)
        for option, word in (("--tokens", "many"), ("--tokens", "1\n2"), ("--temperature", "nan"), ("--temperature", "-1"),
                             ("--seed", "-1"), ("--seed", 1 << 64), ("--threads", 0), ("--what\n", "")):
            done = self.generate(self.path, option, word)
            self.assertEqual((done.returncode, done.stdout), (2, b""), (option, word))
            self.assertRegex(done.stderr, rb"\Arecto_generate: [^\n]+\n\Z")
        self.assertIn(b"--temperature", self.generate("--help").stdout)

    def test_what_it_refuses(self):
        for says, content in ((b"wants a tensor 'output_norm.weight'", model().replace(b"output_norm.weight", b"output_norm.waight")),
                              (b"wanted the tokenizer gpt2 or llama, got 'bert'", model(**{"tokenizer.ggml.model": "bert"})),
                              (b"merge 0: wanted tokens of the vocabulary", model(**{"tokenizer.ggml.merges": ["aa b"]})),
                              (b"the tokenizer has 31 tokens, the model 32",
                               model(**{"tokenizer.ggml.tokens": LETTERS[:30] + ["ab"],
                                        "tokenizer.ggml.token_type": [1] * 31})),
                              (b"eos_token_id is 32, wanted a token from 0 to 31", model(**{"tokenizer.ggml.eos_token_id": 32})),
                              (b"bos_token_id is 4294967295, wanted", model(**{"tokenizer.ggml.bos_token_id": 0xFFFFFFFF})),
                              (b"has 2 kinds, wanted one for each of 32 tokens", model(**{"tokenizer.ggml.token_type": [1, 3]})),
                              (b"wanted text to be split as by gpt-2, got 'llama-bpe'", model(**{"tokenizer.ggml.pre": "llama-bpe"})),
                              (b"wanted a tokenizer that puts a space before a text",
                               model(**{"tokenizer.ggml.model": "llama", "tokenizer.ggml.add_space_prefix": False})),
                              (b"got 'no: byte 1'", model(**{"tokenizer.ggml.merges": ["no: byte 1"]})),
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

    def test_gpt2_as_it_is_published(self):
        self.path = publish(Path(self.folder.name))
        self.assertEqual(self.says("--prompt", "cab", "--temperature", 0, "--tokens", 5), "cababcde\n")   # 'ab' is the last of 32
        self.assertEqual(self.says("--prompt", "x", "--temperature", 0), "xyz\n")
        self.assertEqual(self.says("--temperature", 0, "--tokens", 2), " !\n")                 # it begins as if a text had ended

    def test_what_it_refuses_of_published_files(self):
        folder = Path(self.folder.name)
        for says, changed in ((b"two tokens have the number 0", {"vocab.json": b'{"a": 0, "b": 0}'}),
                              (b"the tokenizer has 2 tokens, the model 32", {"vocab.json": b'{"a": 0, "b": 1}', "merges.txt": b""}),
                              (b"merge 0: wanted tokens of the vocabulary", {"merges.txt": b"aa b"}),
                              (b"wanted two tokens with a space", {"merges.txt": b"ab"}),
                              (b"cannot be opened", {"merges.txt": None}), (b"cannot be opened", {"vocab.json": None}),
                              (b"wanted heads that divide the width 32, got 0", {"config.json": None}),
                              (b"wanted heads that divide the width 32, got 5", {"config.json": b'{"n_head": 5}'}),
                              (b"wanted a whole number n_head from 1 on", {"config.json": b'{"n_head": -4}'}),
                              (b"wanted a JSON object of settings", {"config.json": b'{"n_head": 4'}),
                              (b'wanted activation_function "gelu_new", as in GPT-2, got another',
                               {"config.json": b'{"n_head": 4, "activation_function": "relu"}'}),
                              (b"wanted a whole number n_head from 1 on", {"config.json": b'{"a": "\\"n_head", "b": "n_head"}'})):
            done = self.generate(publish(folder, **changed), "--prompt", "a")
            self.assertEqual((done.returncode, done.stdout), (1, b""), says)
            self.assertRegex(done.stderr, rb"\A[^\n]+: [^\n]+\n\Z")
            self.assertIn(says, done.stderr)


if __name__ == "__main__":
    unittest.main()
