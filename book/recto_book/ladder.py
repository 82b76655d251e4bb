"""What a GPU has measured of the kernel ladders, its peaks and its link: bench/ladder.json, as recto_ladder wrote it, if it is of these kernels."""
import pathlib

from sphinx.util.docutils import SphinxDirective

from recto_book import runs
from recto_book.elements import LATE, esc, icon, lately, number
from recto_book.speed import table
from recto_book.tools import kernel_ladder

HOW = ("<code>cmake --preset cuda && cmake --build build/cuda -t recto_ladder && build/cuda/recto_ladder &gt; "
       "bench/ladder.json</code> measures them where there is one.")


def standing(root):
    """(what was measured, why it is not shown): one of the two."""
    measured = runs.load(root / "bench" / "ladder.json", {})
    if not measured:
        return None, "Not run: no GPU has measured these kernels."
    if measured["kernels"] != kernel_ladder.mark(root):
        return None, f"Stale: the kernels have changed since {measured['device']} measured them on {measured['date']}."
    return measured, ""


def products(m):
    rows = [(s["step"], s["gflops"], s["of_cublas"], s["error"]) for s in m["products"]]
    rows.append(("cuBLAS", m["cublas"]["gflops"], 1, m["cublas"]["error"]))
    return ("step", "GFLOP/s", "of cuBLAS", "error, relative"), rows, f"matrices of {m['size']} x {m['size']}"


def sums(m):
    rows = [(s["step"], s["gbytes_per_s"], s["of_copy"], s["different_of_8"]) for s in m["sums"]]
    rows.append(("cuBLAS, sum of magnitudes", m["cublas_asum"], m["cublas_asum"] / m["copy"], ""))
    return ("step", "GB/s", "of a copy's", "different sums in 8 runs"), rows, f"{m['count']:,} numbers"


def peaks(m):
    rows = [(line["precision"], line["gflops"] / 1000, line["peak"] / 1000 if line["peak"] else "", line["gflops"] / line["peak"] if line["peak"] else "")
            for line in m["peaks"]]
    return ("cuBLAS in", "TFLOP/s", "peak, TFLOP/s", "of the peak"), rows, f"matrices of {2 * m['size']} x {2 * m['size']}; {m['gibibytes']:.0f} GiB of memory"


def transfer(m):
    t = m["transfer"]
    rows = [("product, both matrices on the device", 1000 * t["stays"], 1), ("copy of one matrix to the device", 1000 * t["copy"], t["copy"] / t["stays"]),
            ("copy, then product", 1000 * t["copied"], t["copied"] / t["stays"])]
    return ("step", "ms", "multiple of the first"), rows, f"matrices of {t['size']} x {t['size']}"


WHAT = {"products": products, "sums": sums, "peaks": peaks, "transfer": transfer}


def ladder(translator, node):
    """Returns one of the tables, or the reason why it is missing."""
    measured, why = standing(pathlib.Path(translator.builder.config.recto_root))
    if why:
        return f'<p class="rx-note">{icon("not-run")}<span>{esc(why)} {HOW}</span></p>'
    heads, rows, size = WHAT[node["arg"]](measured)
    body = "".join(f'<tr><th scope="row">{esc(name)}</th>' + "".join(f'<td class="num">{number(n, 3)}</td>' for n in numbers) + "</tr>"
                   for name, *numbers in rows)
    return table(heads, body) + f"<p>Measured with {size} on {esc(measured['device'])}, {esc(measured['toolkit'])}, on {esc(measured['date'])}.</p>"


class Ladder(SphinxDirective):
    """`{ladder} products`: what a GPU has measured."""
    required_arguments = 1

    def run(self):
        if self.arguments[0] not in WHAT:
            raise self.error(f"ladder: wanted {' or '.join(WHAT)}, got {self.arguments[0]}")
        return [lately(self.env, "ladder", self.arguments[0])]


def setup(app):
    LATE["ladder"] = (lambda env, arg: standing(pathlib.Path(env.config.recto_root))), ladder
    app.add_directive("ladder", Ladder)
