"""`recto run PAGE --ranks N`: two ranks on this machine train as one process does, a rank that dies ends the run with one sentence
and a checkpoint, and any number of ranks continues from it."""
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

from recto.book import own, ranks
from recto.pages.pages import Page
from recto.place import PAGES, Failure, Mistake

PAGE = Page("several_machines", "Several machines", (), Path("chapters/5-applications/several_machines.cpp"))
SUM = re.compile(r"the sum of all weights is (\S+)")
KILLED = """--------------------------------------------------------------------------
mpirun noticed that process rank 1 with PID 0 on node vm exited on signal 9 (Killed).
--------------------------------------------------------------------------
"""
ENDED = """mpirun detected that one or more processes exited with non-zero status, causing
the job to be terminated. The first process to do so was:

  Process name: [[12006,1],3]
  Exit code:    1
"""


class Array(unittest.TestCase):
    """`--full --array N`: a job array of Slurm, whose tasks are started here one after another."""

    def test_the_script_starts_every_share(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(own, "BUILD", Path(folder)), \
                mock.patch("recto.term.say") as say, mock.patch.object(Page, "program", Path(folder, "a page")):
            Path(folder, "a page").write_text('#!/bin/sh\necho "$RECTO_CPU $OPENBLAS_CORETYPE $*"\n')
            Path(folder, "a page").chmod(0o755)
            self.assertEqual(own.study(PAGE, ["--full", "--array", "3"]), 0)
            script = Path(folder, "array", "several_machines.sh")
            self.assertIn(f"sbatch {script} starts 3 tasks", say.call_args[0][0])
            self.assertIn("#SBATCH --array=0-2\n", script.read_text())
            for task in "02":
                done = subprocess.run(["sh", str(script)], env=os.environ | {"SLURM_ARRAY_TASK_ID": task}, capture_output=True, text=True)
                self.assertEqual(done.stdout, f"avx2 Haswell --full --task {task}/3\n")

    def test_what_it_wants(self):
        for options, why in (["--array", "3"], "--full beside it"), (["--full", "--array", "0"], "from 1 to 1000, got '0'"), \
                (["--full", "--array=many"], "got 'many'"):
            with self.assertRaisesRegex(Mistake, why):
                own.study(PAGE, options)


class Words(unittest.TestCase):
    def test_options(self):
        self.assertEqual(ranks.take(["--seed", "2", "--ranks", "4"], "ranks"), ("4", ["--seed", "2"]))
        self.assertEqual(ranks.take(["--ranks=4", "--quick"], "ranks"), ("4", ["--quick"]))
        self.assertEqual(ranks.take(["--ranks"], "ranks"), ("", []))
        self.assertEqual(ranks.take(["--quick"], "ranks"), (None, ["--quick"]))

    def test_wrong_numbers(self):
        for word in ("0", "two", "", "-1", "20000"):
            with self.assertRaisesRegex(Mistake, f"--ranks wants a number from 1 to 10000, got '{word}'"):
                ranks.run(PAGE, ["--ranks", word], Path("nowhere"))

    def test_which_rank_ended(self):
        self.assertEqual(ranks.ended(PAGE, 2, 137, KILLED), "rank 1 of 2 was stopped by signal 9")
        self.assertEqual(ranks.ended(PAGE, 4, 1, ENDED), "rank 3 of 4 ended with status 1")
        self.assertEqual(ranks.ended(PAGE, 4, 1, "several_machines: it is full\nrank 3 of 4 failed and stops all ranks\n"), "rank 3 of 4 failed: it is full")
        self.assertEqual(ranks.ended(PAGE, 4, 2, f"several_machines: --x: no\n{ENDED}"), "--x: no")
        self.assertEqual(ranks.ended(PAGE, 1, 1, "several_machines: it is full\n"), "it is full")
        self.assertEqual(ranks.ended(PAGE, 2, -9, ""), "mpirun was stopped by signal 9")
        self.assertEqual(ranks.ended(PAGE, 2, 1, "too few\nslots"), "too few slots")

    def test_threads(self):
        with mock.patch.dict(os.environ, {"SLURM_CPUS_PER_TASK": "6"}):
            self.assertEqual(ranks.threads(4), 6)
        with mock.patch.dict(os.environ, {"SLURM_JOB_NUM_NODES": "2", "SLURM_CPUS_PER_TASK": ""}), mock.patch("recto.machine.cores", return_value=8):
            self.assertEqual([ranks.threads(n) for n in (2, 4, 5, 64)], [8, 4, 2, 1])

    def test_without_mpi(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(ranks, "LIBRARY", Path(folder) / "mpi.so"), \
                mock.patch.dict(os.environ, {"PATH": folder}), self.assertRaisesRegex(Failure, "--ranks wants MPI, and there is no mpicxx here"):
            ranks.run(PAGE, ["--ranks", "2"], Path(folder) / "checkpoint")


@unittest.skipUnless(shutil.which("mpirun") and shutil.which("mpicxx"), "MPI is not installed (libopenmpi-dev, openmpi-bin)")
@unittest.skipUnless((PAGES / PAGE.name).exists(), "the page several_machines is not built")
class Training(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "training.checkpoint"

    def command(self, count: int, *options: str) -> subprocess.Popen:
        """Starts the ranks as `recto run` does."""
        words = ranks.command(PAGE, count, ["--width", "32", *options])
        return subprocess.Popen(words, env=ranks.surroundings(count), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def train(self, count: int, *options: str) -> str:
        """What the first rank prints."""
        said, complaints = self.command(count, *options).communicate(timeout=120)
        self.assertEqual(complaints, "")
        return said

    def sum_of(self, said: str) -> float:
        """The number by which two trainings are compared."""
        return float(SUM.search(said)[1])

    def test_two_ranks_are_one_process(self):
        one, two = (self.train(count, "--steps", "60", "--checkpoint", str(self.path.with_suffix(f".{count}"))) for count in (1, 2))
        self.assertAlmostEqual(self.sum_of(one), self.sum_of(two), delta=1e-4)
        self.assertEqual(two, self.train(2, "--steps", "60"))      # the same bits, and rank 1 prints nothing
        self.assertEqual(two.count("step 60"), 1)

    def test_one_rank_continues_what_two_began(self):
        whole = self.train(1, "--steps", "80", "--checkpoint", str(self.path.with_suffix(".whole")))
        self.train(2, "--steps", "40", "--checkpoint", str(self.path))
        rest = self.train(1, "--steps", "80", "--checkpoint", str(self.path))
        self.assertIn("continues after step 40", rest)
        self.assertAlmostEqual(self.sum_of(rest), self.sum_of(whole), delta=1e-4)

    def test_a_rank_dies(self):
        process = self.command(2, "--steps", "10000000", "--checkpoint", str(self.path))
        patience = time.monotonic() + 60
        while not self.path.exists():
            self.assertLess(time.monotonic(), patience)
            self.assertIsNone(process.poll())
            time.sleep(0.05)
        os.kill(self.process_of(1), signal.SIGKILL)
        _, complaints = process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(ranks.ended(PAGE, 2, process.returncode, complaints), "rank 1 of 2 was stopped by signal 9")
        step = int(re.search(r"continues after step (\d+)", self.train(3, "--steps", "1", "--checkpoint", str(self.path)))[1])
        self.assertEqual(step % 20, 0)

    def process_of(self, rank: int) -> int:
        """The process of a rank that trains with this test's checkpoint."""
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                mine = str(self.path).encode() in (entry / "cmdline").read_bytes()
                if mine and f"OMPI_COMM_WORLD_RANK={rank}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                    return int(entry.name)
            except OSError:
                continue
        self.fail(f"there is no process of rank {rank}")

    def test_the_sentence_of_a_rank_that_fails(self):
        self.path.write_text("no checkpoint")
        with self.assertRaisesRegex(Failure, r"^rank [01] of 2 failed: .*: byte 0: .*; any number of ranks continues from "):
            ranks.run(PAGE, ["--ranks", "2", "--checkpoint", str(self.path)], self.path)
        with self.assertRaisesRegex(Failure, r"^rank [0-8] of 9 failed: data parallel: wanted at least one example for each of 9 ranks, "
                                             r"got a batch of 4; there is no checkpoint yet$"):
            ranks.run(PAGE, ["--ranks", "9", "--batch", "4"], self.path.with_suffix(".none"))

    def test_the_own_checkpoint_is_removed_at_the_end(self):
        with mock.patch.object(own, "OWN", self.path.parent):
            self.assertEqual(ranks.run(PAGE, ["--ranks", "1", "--steps", "20", "--width", "8"], self.path), 0)
        self.assertFalse(self.path.exists())


if __name__ == "__main__":
    unittest.main()
