"""Where the time of a training step goes, as `recto bench --profile --write` measured it: tables and a roofline."""
import json
import pathlib

from recto_book import runs
from recto_book.elements import LATE, esc, icon, number, raw
from recto_book.figures import Vega
from recto_book.listings import directive
from recto_book.speed import table
from recto_book.tools import profile as measured

NAMES = {  # in the figure and above the tables
    "mlp_784_256_128_10_b64": "perceptron", "lenet_lbdl_b64": "LeNet", "resnet16x4_b64": "residual network",
    "chargpt_4L_d128_h4_T64_b32": "small GPT", "chargpt_6L_d384_h6_T256_b8": "larger GPT"}
TABLES = ("resnet16x4_b64", "chargpt_4L_d128_h4_T64_b32", "chargpt_6L_d384_h6_T256_b8")
PART = 0.01                           # of a step: smaller products are left out of the figure
NOT_RUN = "Not run: <code>./recto bench --profile --write</code> measures it."


def known(root):
    """What is kept in the repository."""
    return runs.load(pathlib.Path(root) / "bench" / "profile.json", {})


def line(row):
    """A row of a table."""
    rate = f'{number(row["rate"], 3)} {esc(row["unit"])}' if "rate" in row else ""
    limit = f'{row["of_limit"]:.0%} of {esc(row["limit"])}' if "limit" in row else ""
    calls = number(row["calls"]) if row["calls"] else ""
    return (f'<tr><th scope="row">{esc(row["operation"])}</th><td>{esc(row["pass"])}</td><td class="num">{calls}</td>'
            f'<td class="num">{number(row["ms"], 3)}</td><td class="num">{row["share"]:.1%}</td><td class="num">{rate}</td>'
            f'<td class="num">{limit}</td></tr>')


def profiles(translator, node):
    """A table for each of some workloads."""
    kept = known(translator.builder.config.recto_root)
    if not kept:
        return f'<p class="rx-note">{icon("not-run")}<span>{NOT_RUN}</span></p>'
    out = ""
    for found in kept["profiles"]:
        if found["profile"] not in TABLES:
            continue
        large, others = measured.shown(found)
        name = NAMES[found["profile"]]
        heads = (f"{name[0].upper()}{name[1:]}", "Pass", "Calls", "ms", "Share", "Rate", "Of the limit")
        out += table(heads, "".join(map(line, [*large[:-1], *[others] * bool(others["calls"]), *large[-1:]])))
        out += (f'<p>A step took {number(found["step_ms"], 3)} ms, and {number(found["step_ms_alone"], 3)} ms without the '
                f'profile.</p>')
    busy = f' beside other programs (a load of {number(kept["load"])} before)' if kept["load"] >= 1 else ""
    limits = "; ".join(f'{esc(x["limit"])}: {number(x["value"], 3)} {esc(x["unit"])}' for x in kept["limits"])
    return out + (f'<p>Measured on {esc(kept["machine"])}, {esc(str(kept["threads"]))} threads, on {esc(kept["date"])}'
                  f'{busy}. The limits: {limits}.</p>')


def points(kept):
    """The products that take a part of the step worth a point of the roofline."""
    return [{"network": NAMES[found["profile"]], "operation": row["operation"], "pass": row["pass"],
             "operations per byte": row["mflop"] / row["mbytes"], "GFLOP/s": row["rate"], "share": row["share"]}
            for found in kept["profiles"] for row in found["rows"] if row["mflop"] and row["share"] >= PART]


def roofline(kept, name):
    """The specification of the figure."""
    peak = measured.most_flops(kept["limits"])
    rates = {"memory": measured.traffic(kept["limits"], 1e9)[1], "cache": measured.traffic(kept["limits"], 0)[1]}
    dots = points(kept)
    low, high = peak / rates["memory"] / 6, max(d["operations per byte"] for d in dots) * 2
    ground = min([min(peak, rates["memory"] * low)] + [d["GFLOP/s"] for d in dots]) / 1.3
    roofs = [{"roof": roof, "operations per byte": x, "GFLOP/s": min(peak, rate * x)} for roof, rate in rates.items()
             for x in sorted({low, max(low, min(high, peak / rate)), high})]
    words = [{"roof": roof, "operations per byte": x, "GFLOP/s": rate * x} for roof, rate in rates.items()
             for x in [(low * peak / rate) ** 0.5]]                    # halfway up the slope

    def axis(field, domain):
        marks = [n * 10 ** power for power in range(-2, 6) for n in (1, 2, 5) if domain[0] <= n * 10 ** power <= domain[1]]
        return {"field": field, "type": "quantitative", "title": field, "axis": {"values": marks, "format": "~g"},
                "scale": {"type": "log", "domain": domain, "nice": False}}

    x, y = axis("operations per byte", [low, high]), axis("GFLOP/s", [ground, 1.3 * peak])
    number_of = {"type": "quantitative", "format": ".3~g"}
    tooltip = [{"field": field, "type": "nominal"} for field in ("network", "operation", "pass")]
    tooltip += [{"field": "operations per byte", **number_of}, {"field": "GFLOP/s", **number_of},
                {"field": "share", "type": "quantitative", "format": ".0%"}]
    return {
        "description": f"The products of {len(kept['profiles'])} networks under the roofline of the machine, on axes with logarithmic "
                       f"scales: rate against operations per byte. The roof rises with the traffic of the memory or of the "
                       f"nearest cache and is flat at {peak:.0f} GFLOP/s; every point lies below it.",
        "usermeta": {"recto": {"name": name, "caption":
                               "The roofline of this machine: what a product could do at most with a number of operations for each byte that it "
                               "must read and write, if these bytes come from memory or from the nearest cache (dashed), and what the products of each "
                               "network reached, forward (circles) and backward (triangles); a larger mark takes more of the step. Both axes are "
                               "logarithmic."}},
        "height": 320,
        "layer": [
            {"data": {"name": "roofs", "values": roofs}, "mark": {"type": "line", "color": "#6B6357"},
             "encoding": {"x": x, "y": y, "strokeDash": {"field": "roof", "type": "nominal", "scale": {
                 "domain": list(rates), "range": [[1, 0], [5, 4]]}, "legend": None}}},
            {"data": {"name": "words", "values": words}, "mark": {"type": "text", "align": "left", "dx": 8, "dy": 6},
             "encoding": {"x": x, "y": y, "text": {"field": "roof", "type": "nominal"}}},
            {"data": {"name": "products", "values": dots}, "mark": {"type": "point", "filled": True, "opacity": 0.85},
             "encoding": {"x": x, "y": y, "color": {"field": "network", "type": "nominal", "scale": {
                 "domain": list(NAMES.values())}, "legend": {"orient": "top", "title": None}},
                 "shape": {"field": "pass", "type": "nominal", "legend": None, "scale": {
                     "domain": ["forward", "backward"], "range": ["circle", "triangle-up"]}},
                 "size": {"field": "share", "type": "quantitative", "legend": None, "scale": {"range": [30, 300]}},
                 "tooltip": tooltip}}]}


class Roofline(Vega):
    """`{roofline} fig-NAME`: the products of all profiles as points under the limits of the machine."""

    def run(self):
        path = pathlib.Path(self.config.recto_root) / "bench" / "profile.json"
        self.env.note_dependency(str(path))
        kept = known(self.config.recto_root)
        if not kept:
            return [raw(f'<p class="rx-note">{icon("not-run")}<span>{NOT_RUN}</span></p>')]
        return self.drawn(json.dumps(roofline(kept, self.arguments[0]), ensure_ascii=False, indent=1))


def setup(app):
    LATE["profiles"] = (lambda env, arg: known(env.config.recto_root)), profiles
    app.add_directive("profiles", directive("profiles"))
    app.add_directive("roofline", Roofline)
