"""The page How fast is it: what was measured once beside other libraries, and what this machine does."""
import pathlib

from recto_book import runs
from recto_book.elements import LATE, esc, number
from recto_book.listings import directive

HOME = pathlib.Path(__file__).resolve().parents[2]


def known(env, _arg=None):
    """(measured once and kept in the repository, the same on a GPU, measured by the reader)."""
    return (runs.load(HOME / "bench" / "measured.json", {}), runs.load(HOME / "bench" / "measured-cuda.json", {}),
            runs.load(pathlib.Path(env.config.recto_build) / "bench.json", {}))


def share(row, limits):
    """Which part of the processor's multiply-adds a workload's products came to."""
    most = next((x["value"] for x in limits if x["limit"] == "multiply-add"), 0)
    return f'{row["gflops"] / most:.0%}' if most and row.get("gflops") else ""


def speed(translator, node):
    """Three tables: the race, the race on a GPU, then the reader's own numbers."""
    kept, gpu, own = known(translator.builder.env)
    out = ""
    if kept:
        rows = "".join(
            f'<tr><th scope="row"><code>{esc(r["workload"])}</code></th><td class="num">{number(r["ours"])}</td>'
            f'<td class="num">{number(r["peer"]) if r.get("peer") else "not run"}</td>'
            f'<td class="num">{number(r["ratio"], 3) if r.get("ratio") else ""}</td>'
            f'<td class="num">{number(r["floor"], 3)}</td><td class="num">{share(r, kept["limits"])}</td></tr>'
            for r in kept["workloads"])
        out += table(("Workload", f"Recto, {esc(kept['unit'])}", "Fastest peer", "Ratio", "Wanted", "Of the limit"), rows)
        out += (f'<p>Measured on {esc(kept["machine"])}, {esc(str(kept["threads"]))} threads, on {esc(kept["date"])}, '
                f'{esc(kept["peers"])}. A ratio above 1 means that Recto is faster; <em>wanted</em> is what we set out '
                f'to reach. {esc(kept["note"])}</p>') + measures(kept)
    out += on_gpu(gpu)
    if not own:
        return out + "<p>On this machine nothing was measured yet: <code>./recto bench</code> does it.</p>"
    rows = "".join(
        f'<tr><th scope="row"><code>{esc(r["workload"])}</code></th><td class="num">{number(r["samples_per_s"])}</td>'
        f'<td>{esc(r["unit"])}s/s</td><td class="num">{number(r["step_ms_median"])}</td>'
        f'<td class="num">{share(r, own["limits"])}</td><td class="num">{number(r["peak_rss_mib"])}</td></tr>'
        for r in own["workloads"])
    limits = "; ".join(f'{esc(x["limit"])}: {number(x["value"])} {esc(x["unit"])}' for x in own["limits"])
    return (out + f'<p>On this machine ({esc(own["machine"])}, {esc(own["date"])}):</p>' +
            table(("Workload", "Rate", "", "ms a step", "Of the limit", "MiB"), rows) +
            f"<p>The limits: {limits}.</p>" + measures(own))


def on_gpu(known):
    """The same networks on a GPU, and its products beside PyTorch's, or a note that they were not run."""
    if not known:
        return "<p>On a GPU: not run. Where there is one, <code>./recto bench --device cuda</code> does it.</p>"
    rated = [(x["workload"], x["ours"], x["peer"], "a second") for x in known["workloads"]]
    rated += [(x["limit"], x["value"], x["peer"], x["unit"]) for x in known["limits"]]
    rows = "".join(
        f'<tr><th scope="row"><code>{esc(name)}</code></th><td class="num">{number(ours)}</td><td>{esc(unit)}</td>'
        f'<td class="num">{number(peer) if peer else "not run"}</td>'
        f'<td class="num">{number(ours / peer, 3) if peer else ""}</td></tr>' for name, ours, peer, unit in rated)
    peers = f'{esc(known["peers"])} in eager mode' if known["peers"] else "PyTorch was not run"
    return (table(("On a GPU", "Recto", "", "PyTorch", "Ratio"), rows) +
            f'<p>Measured on {esc(known["machine"])}, on {esc(known["date"])}, at commit <code>{esc(known["commit"][:12])}</code>; {peers}, both in IEEE single precision.</p>')


def measures(known):
    """What is no rate: the start of a program, memory, a busy neighbour."""
    rows = "".join(
        f'<tr><th scope="row">{esc(m["measure"])}</th><td class="num">{number(m["value"], 3)}</td><td>{esc(m["unit"])}</td>'
        f'<td class="num">{number(m["wanted"])}</td></tr>' for m in known.get("measures", ()))
    return table(("Around the workloads", "Measured", "", "Wanted at most"), rows) if rows else ""


def table(heads, rows):
    cells = "".join(f'<th scope="col"{" class=num" if i else ""}>{h}</th>' if h else "<td></td>" for i, h in enumerate(heads))
    return ('<div class="rx-listing" tabindex="0" role="region" aria-label="speed"><table><thead><tr>'
            f"{cells}</tr></thead><tbody>{rows}</tbody></table></div>")


def setup(app):
    LATE["speed"] = known, speed
    app.add_directive("speed", directive("speed"))
