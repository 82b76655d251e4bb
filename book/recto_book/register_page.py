"""The register: every row of the sources, what was asked of it, what was measured, how it stands."""
import json
import re

from sphinx.util.docutils import SphinxDirective

from recto_book import program
from recto_book import runs
from recto_book.elements import LATE, STATES, esc, icon, lately, number, words

CHAPTERS = {1: "Foundations", 2: "Training", 3: "Components", 4: "Architectures", 5: "Applications", 6: "Fine-tuning"}


class Register(SphinxDirective):
    def run(self):
        return [lately(self.env, "register")]


def cited(env, key):
    """Fleuret (2023), as far as the bibliography knows."""
    entry = env.domains["cite"].bibdata.data.entries.get(key)
    if not entry:
        return key
    names = [" ".join(p.last_names) for p in entry.persons.get("author", ())]
    who = " and ".join(names) if len(names) < 3 else f"{names[0]} and others"
    who, year = re.sub(r"[{}]", "", who or entry.fields.get("key") or entry.fields.get("title", key)), entry.fields.get("year")
    return f"{who} ({year})" if year else who


def source(env, row):
    """Where a row comes from."""
    listed = [f'<a href="@ROOT@sources.html">{esc(cited(env, s["key"]))}</a>' + (f', {esc(s["where"])}' if s.get("where") else "")
              for s in row.get("sources", ())]
    return "; ".join(listed)


def bound(text, translator):
    """`<= 1e-8` as it is written on paper."""
    text = words(str(text).replace("<=", "≤").replace(">=", "≥").replace("+-", "±"), translator)
    power = lambda m: ("" if m[1] == "1" else f"{m[1]} × ") + f'10<sup>{str(int(m[2])).replace("-", chr(0x2212))}</sup>'
    return re.sub(r"(?<![\w.])(\d+(?:\.\d+)?)e([+-]?\d+)", power, text)


STANDS = {"holds": "reproduced", "held": "reproduced", "passed": "reproduced", "reproduced": "reproduced",
          "missed": "time", "broken": "broken", "failed": "broken", "not reproduced": "differs", "not run": "not-run",
          "stale": "stale", "erratum": "erratum"}


def devices(known):
    """The state of a part on each device; as a mark with its word."""
    if not known:
        return ""
    pairs = known.items() if isinstance(known, dict) else [(d, "holds") for d in known]
    return '<span class="rx-devices">' + " ".join(
        f'<span class="rx-device {STANDS.get(str(state), "open")}">{esc(device)}'
        f'<span class="rx-hidden"> {esc(str(state))}</span></span>' for device, state in pairs if state) + "</span>"


def measured(value):
    if value in (None, "", [], {}):
        return ""
    if isinstance(value, list):
        return ", ".join(filter(None, map(measured, value)))
    if isinstance(value, dict):
        return measured(value.get("measured", value.get("value")))
    return number(value)


def part(translator, row, p):
    state = STANDS.get(str(p.get("state") or p.get("verdict") or "open").split(" (")[0], "open")
    told = [f'measured <b>{measured(p.get("measured"))}</b>' if measured(p.get("measured")) else "",
            f'asked {bound(p["bound"], translator)}' if p.get("bound") else "",
            f'{p["seeds"]} seeds' if (p.get("seeds") or 1) > 1 else f'once: {esc(p["once"])}' if p.get("once") else "",
            esc(p.get("type", ""))]
    proofs = p.get("proofs", [])
    tests = list(dict.fromkeys(q["test"] for q in proofs if q.get("test")))
    proof = ""
    if tests:
        proof = '<span class="rx-tests">tests: ' + ", ".join(
            program.test_anchor(translator, t) for t in tests) + "</span>"
    for study in p.get("frozen", []):
        proof += f'<span class="rx-tests">frozen: {esc(study)}</span>'
    tried = "".join(f'<span class="rx-tried">Tried: {esc(q["tried"])}</span>' for q in proofs if q.get("tried"))
    shown = devices(p.get("devices")) if p.get("proofs") else ""
    if p.get("receipt"):
        proof += f'<span class="rx-tests">CUDA beside the CPU: {esc(p["receipt"])}</span>'
    return (f'<li class="{state}"><span class="rx-hidden">{STATES[state][0]}: </span>'
            f'<b>{esc(p["id"])}</b> {words(p.get("what", ""), translator)} '
            f'<span class="rx-told">{"; ".join(t for t in told if t)}</span> {shown}{proof}{tried}</li>')


def line(translator, row):
    verdict = row.get("verdict") or "open"
    look = runs.key(verdict)
    page = row.get("page") or ""
    name = esc(runs.label(row["id"]))
    if page:
        name = f'<a href="@ROOT@{esc(page)}.html">{name}</a>'
    chapter = CHAPTERS.get(row.get("chapter"), str(row.get("chapter", "")))
    parts = row.get("parts", [])
    fold = ""
    if parts:
        basis = row.get("basis")
        rests = f'<p>Rests on {esc(basis if isinstance(basis, str) else json.dumps(basis))}.</p>' if basis and basis != "build" else ""
        fold = (f'<details class="rx-parts"><summary>{len(parts)} part{"s" * (len(parts) != 1)}'
                f'<span class="rx-hidden"> of {esc(runs.label(row["id"]))}</span></summary>'
                f'<ul>{"".join(part(translator, row, p) for p in parts)}</ul><p>{source(translator.builder.env, row)}</p>{rests}</details>')
    value = measured(row.get("measured"))
    want = row.get("wanted")
    told = (f"<b>{value}</b>" if value else "") + (f" <span>{bound(want, translator)}</span>" if want else "")
    return (f'<tr id="row-{esc(row["id"])}" data-part="{esc(chapter)}" data-kind="{esc(row["kind"])}" data-verdict="{look}">'
            f'<th scope="row">{name}<small>{esc(row["kind"])}, {esc(chapter)}</small></th>'
            f'<td>{words(row.get("says", ""), translator)}{fold}</td><td>{told}</td>'
            f'<td><span class="rx-chip {look}">{icon(look)}{esc(verdict)}</span></td></tr>')


def table(translator, node):
    rows = runs.rows(translator.builder.config).values()
    if not rows:
        return "<p>The register is empty: <code>book/register/</code> holds no rows.</p>"
    head = "".join(f'<th scope="col"><button type="button">{h}</button></th>'
                   for h in ("Row", "What it says", "Measured", "Verdict"))
    looks = json.dumps({k: [w, icon(k)] for k, (w, _) in STATES.items()})
    body = "".join(line(translator, r) for r in rows)
    return (f'<div class="rx-register" data-verdicts="{esc(looks)}"><table><thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table></div>")


def table_key(env, _arg):
    return json.dumps(runs.rows(env.config)), sorted(env.recto_stamps), sorted(runs.catalogue(env.config.recto_build))


def setup(app):
    app.add_directive("register", Register)
    LATE["register"] = table_key, table
