"""The table of `recto bench --profile`: shares, rates, and the limit that applies to each row."""
import json
import tempfile
import unittest
from pathlib import Path

from recto.gpu import profile

LIMITS = [{"limit": "multiply-add", "value": 200, "unit": "GFLOP/s"}, {"limit": "product of 1024 x 1024", "value": 300, "unit": "GFLOP/s"},
          {"limit": "memory, a = b + s c", "value": 20, "unit": "GB/s", "bytes": 800_000_000},
          {"limit": "a = b + s c, 3 MB in all", "value": 50, "unit": "GB/s", "bytes": 3_000_000},
          {"limit": "a = b + s c, 48 MB in all", "value": 25, "unit": "GB/s", "bytes": 48_000_000}]


def row(operation, which, ms, mflop=0., mbytes=0., calls=1.):
    return {"operation": operation, "pass": which, "calls": calls, "ms": ms, "mflop": mflop, "mbytes": mbytes}


FOUND = {"profile": "net", "unit": "sample", "per_step": 64, "steps": 9, "step_ms_alone": 9.5, "step_ms": 10.0, "threads": 2,
         "device": "cpu", "rows": [
             row("between operations", "", 1.0, calls=0), row("linear", "forward", 3.0, 300, 3), row("linear", "backward", 4.0, 600, 9),
             row("add", "forward", 0.5, mbytes=10, calls=4), row("copy", "forward", 1.49, mbytes=16), row("reshape", "forward", 0.0),
             row("slice", "forward", 0.006, mbytes=0.1), row("sum", "forward", 0.004)]}


class Profile(unittest.TestCase):
    def setUp(self):
        self.judged = profile.profile(FOUND, LIMITS)

    def one(self, operation, which="forward"):
        [found] = [r for r in self.judged["rows"] if (r["operation"], r["pass"]) == (operation, which)]
        return found

    def test_the_shares_add_up_and_the_longest_is_first(self):
        self.assertAlmostEqual(sum(r["share"] for r in self.judged["rows"]), 1)
        self.assertEqual([r["operation"] for r in self.judged["rows"]][:2], ["linear", "linear"])
        self.assertEqual(self.judged["rows"][0]["pass"], "backward")
        self.assertEqual(self.judged["rows"][-1]["operation"], "between operations")

    def test_a_product_is_limited_by_multiply_adds(self):
        found = self.one("linear")
        self.assertEqual((found["rate"], found["unit"], found["limit"], found["of_limit"]), (100, "GFLOP/s", "multiply-add", 0.5))

    def test_a_product_of_few_operations_is_limited_by_its_bytes(self):
        found = profile.judged(row("linear", "forward", 10, mflop=10, mbytes=100), LIMITS, 10)
        self.assertEqual((found["rate"], found["unit"], found["limit"], found["of_limit"]), (1, "GFLOP/s", "memory", 0.5))

    def test_what_fits_into_a_cache_is_limited_by_the_cache(self):
        add, copy = self.one("add"), self.one("copy")      # 2.5 MB a call, 16 MB a call
        self.assertEqual((add["rate"], add["unit"], add["limit"], add["of_limit"]), (20, "GB/s", "cache", 0.4))
        self.assertEqual((copy["limit"], round(copy["of_limit"], 3)), ("memory", round(16 / 25 / 1.49, 3)))

    def test_what_neither_counts_nor_takes_time_has_no_limit(self):
        for operation, which in (("between operations", ""), ("reshape", "forward"), ("sum", "forward")):
            self.assertNotIn("limit", self.one(operation, which))

    def test_more_than_was_measured_is_memory(self):
        self.assertEqual(profile.traffic(LIMITS, 5000), ("memory", 20))
        self.assertEqual(profile.traffic(LIMITS, 0.001), ("cache", 50))

    def test_on_a_gpu_the_fastest_product_is_the_most(self):
        self.assertEqual(profile.most_flops(LIMITS[1:]), 300)

    def test_the_table(self):
        head, names, *lines = profile.table(self.judged)
        self.assertEqual(head, "net: 9.5 ms a step, 6736.8 samples/s; 10 ms with the profile, 2 threads")
        self.assertEqual(lines, [
            "linear               backward      1          4   40.0%   150.0 GFLOP/s   75% of multiply-add",
            "linear               forward       1          3   30.0%   100.0 GFLOP/s   50% of multiply-add",
            "copy                 forward       1       1.49   14.9%    10.7 GB/s      43% of memory",
            "add                  forward       4        0.5    5.0%    20.0 GB/s      40% of cache",
            "3 others                           3       0.01    0.1%",
            "between operations                            1   10.0%",
            "a step                                       10  100.0%"])
        self.assertEqual(len({line.index("%") for line in lines}), 1)        # aligned
        self.assertEqual(names.index("share") + len("share"), lines[0].index("%") + 1)

    def test_no_row_is_lost_or_shown_twice(self):
        large, others = profile.shown(self.judged)
        self.assertAlmostEqual(sum(r["ms"] for r in large) + others["ms"], 10)
        self.assertEqual(len(large) + 3, len(FOUND["rows"]))

    def test_what_the_book_keeps(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "profile.json")
            profile.keep(LIMITS, [self.judged], 0.123, path)
            kept = json.loads(path.read_text())
        self.assertRegex(kept["date"], r"^\d{4}-\d\d-\d\d$")
        self.assertEqual((kept["threads"], kept["load"], kept["limits"], kept["profiles"]), (2, 0.1, LIMITS, [self.judged]))
        self.assertTrue(kept["machine"])


class Kept(unittest.TestCase):
    """The committed measurement."""

    def test_it_accounts_for_every_microsecond(self):
        kept = json.loads(profile.KEPT.read_text())
        self.assertEqual([found["profile"] for found in kept["profiles"]], list(profile.WORKLOADS))
        for found in kept["profiles"]:
            with self.subTest(found["profile"]):
                self.assertAlmostEqual(sum(r["share"] for r in found["rows"]), 1, places=3)
                self.assertEqual(found["rows"][-1]["operation"], profile.BETWEEN)
                self.assertEqual(profile.profile(found, kept["limits"]), found)
                self.assertLess(found["step_ms"], 1.5 * found["step_ms_alone"])
                for r in found["rows"]:
                    self.assertLess(r.get("of_limit", 0), 2, r["operation"])


if __name__ == "__main__":
    unittest.main()
