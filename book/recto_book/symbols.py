"""One symbol, one meaning: the table of symbols (book/symbols.toml), and a warning for a formula whose symbol is not in it."""
import functools
import pathlib
import re
import tomllib

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from recto_book import katex_build
from recto_book.elements import LATE, esc, lately, words
from recto_book.equations import reading_order

log = logging.getLogger(__name__)
GREEK = ("alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi "
         "varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega ell Pr hbar imath jmath").split()
WORDS = r"\\(?:mathrm|text|textbf|mathtt|mathsf|operatorname\*?|begin|end)\s*\{[^{}]*\}"      # words, and no symbols
ACCENT = r"\\(?:hat|bar|tilde|vec|dot|mathbb|mathbf|mathcal|mathscr|boldsymbol)(?![A-Za-z])"
ACCENTED = ACCENT + r"\s*(?:\{[^{}]*\}|\\[A-Za-z]+|[A-Za-z])"
OTHERS = "api/", "tests/", "exercises/"    # a statement names what its code names, each by itself
PAGES = 3                                 # as many pages of a symbol stand open, more of them in a fold


@functools.cache
def table(folder):
    """The meanings for the whole book as {heading: {symbol: meaning}}, and those of one page as {page: {symbol: meaning}}."""
    listed = tomllib.loads((pathlib.Path(folder) / "symbols.toml").read_text(encoding="utf-8"))
    everywhere = {heading: split(group) for heading, group in listed.pop("book").items()}
    return everywhere, {f"{chapter}/{page}": split(own) for chapter, pages in listed.items() for page, own in pages.items()}


def split(group):
    """Symbols that share a meaning stand with commas between them."""
    return {plain(symbol): meaning for symbols, meaning in group.items() for symbol in symbols.split(", ")}


def plain(tex):
    r"""Formulas in one spelling: \hat{y} and \hat  y are \hat y."""
    return re.sub(rf"({ACCENT})\s*\{{(\w|\\[A-Za-z]+)\}}", r"\1 \2", re.sub(r"\s+", " ", tex))


def used(tex, known=(), macros=()):
    """The symbols of a formula in their order: those that are known as they are written, longest first; beside them every letter,
    every Greek one, every one with an accent, and the book's own macros."""
    longest = sorted(known, key=len, reverse=True)
    entries = [re.escape(k) + (r"(?![A-Za-z])" if re.search(r"\\[A-Za-z]+$", k) else "") for k in longest]
    symbol = {*(rf"\{name}" for name in GREEK), *macros, *longest}
    found = []
    for piece in re.finditer("|".join([*entries, WORDS, ACCENTED, r"\\[A-Za-z]+", r"\\.", "[A-Za-z]"]), plain(tex)):
        name = piece[0]
        letter = re.fullmatch("[A-Za-z]", name) or re.fullmatch(ACCENTED, name)
        if (letter or name in symbol) and name not in found:
            found.append(name)
    return found


def collect(app, document):
    """The symbols of a page's formulas; a warning for each that has no meaning here."""
    doc, everywhere = app.env.docname, table(app.confdir)[0]
    app.env.note_dependency(str(pathlib.Path(app.confdir) / "symbols.toml"))
    if doc.startswith(OTHERS):
        return
    own = table(app.confdir)[1].get(doc, {})
    known = {symbol for group in everywhere.values() for symbol in group} | set(own)
    seen = app.env.recto_symbols[doc] = []
    for node in document.findall(lambda n: isinstance(n, (nodes.math, nodes.math_block))):
        for symbol in used(node.astext(), known, app.config.katex_macros):
            if symbol not in seen:
                seen.append(symbol)
                if symbol not in known:
                    log.warning("symbols: %s has no meaning: add it to book/symbols.toml, or write the formula in symbols that are there",
                                symbol, location=node)


def unused(app, env):
    """Every entry of the table is used: a page that is gone, or a symbol, leaves no line behind."""
    everywhere, pages = table(app.confdir)
    anywhere = {symbol for listed in env.recto_symbols.values() for symbol in listed}
    for symbol in (s for group in everywhere.values() for s in group if s not in anywhere):
        log.warning("symbols.toml: no formula uses %s", symbol)
    for page, own in pages.items():
        for symbol in (s for s in own if s not in env.recto_symbols.get(page, ())):
            log.warning("symbols.toml: no formula of %s uses %s", page, symbol)


class SymbolTable(SphinxDirective):
    """Every symbol of the book with its meaning and the pages whose formulas use it."""

    def run(self):
        return [lately(self.env, "symbol-table")]


def table_key(env, _arg):
    return table(env.app.confdir), sorted(env.recto_symbols.items()), reading_order(env), sorted(
        (d, t.astext()) for d, t in env.titles.items() if d in env.recto_symbols)


def linked(env, doc):
    return f'<a href="@ROOT@{doc}.html">{esc(env.titles[doc].astext())}</a>'


def folded(env, docs):
    """The pages of a symbol: a few as they are, many behind a line."""
    links = "<br>".join(linked(env, d) for d in docs)
    return links if len(docs) <= PAGES else f"<details><summary>{len(docs)} pages</summary>{links}</details>"


def html(translator, _node):
    env = translator.builder.env
    everywhere, pages = table(env.app.confdir)
    order = {d: n for n, d in enumerate(reading_order(env))}
    docs = sorted(env.recto_symbols, key=lambda d: order.get(d, 1e9))

    def row(symbol, meaning, where):
        shown = katex_build.html(translator, nodes.math("", symbol), False)
        return (f'<tr><th scope="row"><span class="math">{shown}</span></th><td>{meaning}</td>'
                f'<td class="in">{folded(env, where)}</td></tr>')

    def listing(heading, rows):
        return (f'<table><caption>{esc(heading)}</caption><thead><tr><th scope="col">Symbol</th><th scope="col">Meaning</th>'
                f'<th scope="col">Pages</th></tr></thead><tbody>{"".join(rows)}</tbody></table>')

    out = [listing(heading, [row(s, words(meaning, translator), [d for d in docs if s in env.recto_symbols[d]
                                                                 and s not in pages.get(d, {})])
                             for s, meaning in group.items()]) for heading, group in everywhere.items()]
    own = sorted(((s, order.get(d, 1e9), meaning, d) for d, listed in pages.items() for s, meaning in listed.items()),
                 key=lambda entry: (entry[0].strip("\\").lower(), entry[:2]))
    out.append(listing("On one page only", [row(s, words(meaning, translator), [d]) for s, _, meaning, d in own]))
    return f'<div class="rx-listing rx-symbols">{"".join(out)}</div>'


def setup(app):
    app.add_directive("symbol-table", SymbolTable)
    app.connect("doctree-read", collect)
    app.connect("env-updated", unused)
    LATE["symbol-table"] = table_key, html
