"""`recto bench --profile`: the time of every operation as a table, and what the book keeps of it."""
import datetime
from pathlib import Path
from typing import Any

from recto import machine
from recto.place import ROOT, write_json

KEPT = ROOT / "bench" / "profile.json"
WORKLOADS = ("mlp_784_256_128_10_b64", "lenet_lbdl_b64", "resnet16x4_b64", "chargpt_4L_d128_h4_T64_b32",
             "chargpt_6L_d384_h6_T256_b8")      # those that the book keeps
BETWEEN = "between operations"
SMALL = 0.001                                   # rows of a smaller share are one row of the table
Found = dict[str, Any]


def most_flops(limits: list[Found]) -> float:
    """GFLOP/s at most: the multiply-adds of the CPU, elsewhere the fastest product."""
    known = {limit["limit"]: limit["value"] for limit in limits if limit["unit"] == "GFLOP/s"}
    return known.get("multiply-add") or max(known.values())


def traffic(limits: list[Found], mbytes: float) -> tuple[str, float]:
    """(cache or memory, GB/s) for an operation that moves this many megabytes in a call.

    The same loop was measured over several amounts of data; what counts is the smallest that is not less. It is called a
    cache if it is half as fast again as the largest amount, which no cache holds. Whether the data were still there when the
    operation began is not known: weights that are read once a step come from memory, and the limit is then too high.
    """
    sizes = sorted((limit["bytes"] / 1e6, limit["value"]) for limit in limits if "bytes" in limit)
    rate = next((rate for size, rate in sizes if size >= mbytes), sizes[-1][1])
    return ("cache" if rate > 1.5 * sizes[-1][1] else "memory"), rate


def judged(row: Found, limits: list[Found], step_ms: float) -> Found:
    """A row with its share of the step, its rate, and how near it comes to its limit, the one that it meets first."""
    out = row | {"share": row["ms"] / step_ms}
    if row["ms"] <= 0 or not row["calls"]:
        return out
    least = []                                  # (ms that this limit alone demands, its name)
    if row["mflop"]:
        least.append((row["mflop"] / most_flops(limits), "multiply-add"))
    if row["mbytes"]:
        name, rate = traffic(limits, row["mbytes"] / row["calls"])
        least.append((row["mbytes"] / rate, name))
    if not least:
        return out
    demanded, limit = max(least)
    rate, unit = (row["mflop"], "GFLOP/s") if row["mflop"] else (row["mbytes"], "GB/s")
    return out | {"rate": rate / row["ms"], "unit": unit, "limit": limit, "of_limit": demanded / row["ms"]}


def profile(found: Found, limits: list[Found]) -> Found:
    """What the program measured, with every row judged; the longest first, what lies between operations last."""
    rows = [judged(row, limits, found["step_ms"]) for row in found["rows"]]
    rows.sort(key=lambda row: (row["operation"] == BETWEEN, -row["ms"]))
    return found | {"rows": rows}


def shown(found: Found) -> tuple[list[Found], Found]:
    """(the rows worth a line, the others as one row)."""
    large = [row for row in found["rows"] if row["share"] >= SMALL or row["operation"] == BETWEEN]
    small = [row for row in found["rows"] if row not in large]
    others = {"operation": f"{len(small)} others", "pass": "", "calls": sum(row["calls"] for row in small),
              "ms": sum(row["ms"] for row in small), "share": sum(row["share"] for row in small)}
    return large, others


def table(found: Found) -> list[str]:
    """The lines of the table for people."""
    rate = found["per_step"] / found["step_ms_alone"] * 1000
    out = [f"{found['profile']}: {found['step_ms_alone']:.4g} ms a step, {rate:.1f} {found['unit']}s/s; "
           f"{found['step_ms']:.4g} ms with the profile, {found['threads']} threads",
           f"{'operation':<20} {'pass':<8} {'calls':>6} {'ms a step':>10} {'share':>7} {'rate':>15}   of the limit"]
    large, others = shown(found)
    for row in [*large[:-1], *[others] * bool(others["calls"]), *large[-1:]]:
        speed = f"{row['rate']:>7.1f} {row['unit']:<7}" if "rate" in row else ""
        limit = f"{row['of_limit']:>5.0%} of {row['limit']}" if "limit" in row else ""
        calls = f"{row['calls']:.4g}" if row["calls"] else ""
        out.append(f"{row['operation']:<20} {row['pass']:<8} {calls:>6} {row['ms']:>10.4g} {row['share']:>7.1%} "
                   f"{speed:>15} {limit}".rstrip())
    whole = sum(row["ms"] for row in found["rows"])
    out.append(f"{'a step':<20} {'':<8} {'':>6} {whole:>10.4g} {whole / found['step_ms']:>7.1%}")
    return out


def keep(limits: list[Found], profiles: list[Found], load: float, path: Path = KEPT) -> None:
    """Writes what the page How fast is it shows. The load is that of the machine before; on a quiet one it is below 1."""
    write_json(path, {"machine": machine.processor()[0], "threads": profiles[0]["threads"],
                      "date": datetime.date.today().isoformat(), "load": round(load, 1), "limits": limits, "profiles": profiles})
