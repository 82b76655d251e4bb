"""The page How fast is it: what was measured once beside other libraries, and what this machine does."""
import pathlib

from recto_book import runs
from recto_book.elements import LATE, esc, number
from recto_book.listings import directive

HOME = pathlib.Path(__file__).resolve().parents[2]
CAPTURED = " (captured)"             # how `recto bench --captured` marks a workload
PERCEPTRON = "784 inputs, 256 and 128 hidden units, 10 classes; stochastic gradient descent"
WORKLOADS = {  # by the name that `recto bench` gives it: (what is done, its sizes)
    "mlp_784_256_128_10_b64": ("Training a perceptron, 64 images a batch", PERCEPTRON),
    "mlp_784_256_128_10_b256": ("Training a perceptron, 256 images a batch", PERCEPTRON),
    "mlp_784_256_128_10_infer_b64": ("Classifying with a perceptron, 64 images a batch", PERCEPTRON.partition(";")[0]),
    "mlp_784_256_128_10_infer_b256": ("Classifying with a perceptron, 256 images a batch", PERCEPTRON.partition(";")[0]),
    "tiny_tensor_mlp_3_4_4_1": ("Training micrograd's network on tensors", "3 inputs, 4 and 4 hidden units, 1 output; 4 samples a step"),
    "tiny_scalar_mlp_3_4_4_1": ("Training micrograd's network on single numbers",
                                "3 inputs, 4 and 4 hidden units, 1 output; 4 samples a step; against PyTorch, number by number"),
    "lenet_lbdl_b64": ("Training a convolutional network, 64 images a batch",
                       "LeNet as in The Little Book: two convolutions with 32 and 64 channels, two fully connected layers; 28 × 28 pixels"),
    "resnet16x4_b64": ("Training a residual network, 64 images a batch",
                       "four blocks of two convolutions with 16 channels and batch normalisation; 28 × 28 pixels"),
    "chargpt_4L_d128_h4_T64_b32": ("Training a small GPT on letters, 32 texts a batch",
                                   "4 blocks, width 128, 4 heads, 64 letters a text; AdamW"),
    "chargpt_6L_d384_h6_T256_b8": ("Training a larger GPT on letters, 8 texts a batch",
                                   "6 blocks, width 384, 6 heads, 256 letters a text; AdamW"),
    "gpt2_124M_decode_kv64": ("Writing with GPT-2, one token after another",
                              "124 million parameters, random; 64 tokens before, keys and values kept"),
    "gpt2_124M_decode_q8_0_kv64": ("The same with eight bits for each weight", "matrices in blocks of Q8_0"),
    "gpt2_124M_decode_q4_0_kv64": ("The same with four bits for each weight", "matrices in blocks of Q4_0"),
    "checkpoint_save_100mb": ("Saving a checkpoint", "100 MB"),
    "checkpoint_load_100mb": ("Loading a checkpoint", "100 MB"),
}


def known(env, _arg=None):
    """(measured once and kept in the repository, the same on a GPU, measured by the reader)."""
    return (runs.load(HOME / "bench" / "measured.json", {}), runs.load(HOME / "bench" / "measured-cuda.json", {}),
            runs.load(pathlib.Path(env.config.recto_build) / "bench.json", {}))


def named(workload, unit):
    """A workload in words, with what is counted."""
    what, sizes = WORKLOADS.get(workload.removesuffix(CAPTURED), (workload, ""))
    sizes += "; each step a recorded one" if workload.endswith(CAPTURED) else ""
    return f'<th scope="row">{esc(what)}<small>{esc("; ".join(filter(None, (sizes, unit))))}</small></th>'


def counted(workload):
    """What a workload's rate counts."""
    return ("steps" if workload.startswith("tiny") else "tokens" if "gpt" in workload else
            "MB" if workload.startswith("checkpoint") else "images")


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
            f'<tr>{named(r["workload"], counted(r["workload"]) + " a second")}<td class="num">{number(r["ours"])}</td>'
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
        f'<tr>{named(r["workload"], "")}<td class="num">{number(r["samples_per_s"])}</td>'
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
    rated = [(named(x["workload"], ""), x["ours"], x["peer"], f'{counted(x["workload"])} a second') for x in known["workloads"]]
    rated += [(f'<th scope="row">{esc(x["limit"])}</th>', x["value"], x["peer"], x["unit"]) for x in known["limits"]]
    rows = "".join(
        f'<tr>{name}<td class="num">{number(ours)}</td><td>{esc(unit)}</td>'
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
