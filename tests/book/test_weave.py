"""What the weaver makes of a program and its trace, as data:  build/venv/bin/python -m pytest tests/book"""
import json
import pathlib
import tempfile
import types
import unittest
from unittest import mock

from docutils import nodes
from recto import lexer
from recto.place import ROOT
from recto_book import claims, elements, figures, gather, katex_build, ladder, navigation, numbering, plumbing, program, register_page, runs, spacing, symbols
from recto_book.tools import palette
from recto_book.weave import weave
from sphinx import addnodes

PROGRAM = """\
// # A title
//- names
#include <a>
//-
void page() {
    // Words.
    say("x");

    // More.
    //-
    claim("hidden");
    //-
}
"""


def kinds(page):
    """The directives of a page with the line each came from."""
    return [(line[9:].split("}")[0], at) for line, at in zip(page.lines, page.origin) if line.startswith("`" * 8 + "{")]


class Letters(unittest.TestCase):
    def test_a_picture_is_never_so_narrow_that_its_letters_are_below_ten_pixels(self):
        picture = '<svg width="640" height="99" viewBox="0 0 640 99"><text font-size="16"/><text style="font-size: {}px"/></svg>'
        for size, narrowest in ((20, 402), (13, 494), (8, 640)):            # at most as wide as it is
            self.assertEqual(figures.least(picture.format(size)), narrowest)


class Spacing(unittest.TestCase):
    def test_a_number_keeps_its_per_cent_sign(self):
        words, code = nodes.Text("from 25 % to 30 %"), nodes.Text("25 % 7")
        document = nodes.paragraph("", "", words, nodes.literal("", "", code))
        spacing.keep(None, document)
        self.assertEqual(document.astext(), "from 25\xa0% to 30\xa0%25 % 7")


class Weaving(unittest.TestCase):
    def test_comments_are_prose_and_the_rest_is_code(self):
        page = weave(PROGRAM, [])
        self.assertIn("Words.", page.lines)
        self.assertEqual(kinds(page), [("cpp-code", 7)])
        self.assertFalse(any("hidden" in line for line in page.lines))

    def test_results_stand_under_the_block_that_made_them(self):
        page = weave(PROGRAM, [{"kind": "say", "line": 7, "text": "x"}, {"kind": "claim", "line": 11, "text": "c", "holds": True}])
        self.assertEqual([k for k, _ in kinds(page)], ["cpp-code", "said", "claims"])

    def test_results_stand_in_the_order_in_which_they_were_printed(self):
        said = {"kind": "say", "line": 7, "text": "x"}
        claim = {"kind": "claim", "line": 7, "text": "c", "holds": True}
        page = weave("void page() {\n}\n// Words.\n\n\n\nf(1);\n", [claim, said, said, {"kind": "table", "line": 7}, claim])
        self.assertEqual([k for k, _ in kinds(page)][1:], ["claims", "said", "data-table", "claims"])

    def test_an_opening_figure_stands_before_the_code_that_draws_it(self):
        text = "// # A title\n//\n// ```{opening} fig-a\n// ```\n// Words.\nvoid page() {\n    f(1);\n}\n"
        page = weave(text, [{"kind": "figure", "line": 7, "spec": "fig-a.vl.json"}])
        self.assertEqual(kinds(page), [("vega", 3), ("cpp-code", 6)])
        self.assertIn("This draws {numref}`fig-a`, at the top of the page.", page.lines)
        self.assertNotIn("```", page.lines)
        self.assertEqual([at for at, _ in weave(text, [{"kind": "say", "line": 7, "text": "x"}]).limits()], [3])
        self.assertEqual(list(weave(text, []).limits()), [])              # a page that has not run

    def viewed(self, *listed):
        listed = [{"kind": "claim", "line": n, "text": "", "holds": True} | c for n, c in enumerate(listed)]
        view = claims.in_view(listed)
        return [c["line"] for c in listed if id(c) in view]

    def test_of_the_claims_that_hold_four_are_in_view(self):
        self.assertEqual(self.viewed(*[{}] * 9), [0, 1, 2, 3])
        self.assertEqual(self.viewed(*[{}] * 3, *[{"part": "a/b"}] * 5), [3, 4, 5, 6])
        self.assertEqual(self.viewed(*[{}] * 5, {"holds": False}, {"timing": True}), [0, 1, 2, 3, 5, 6])

    def test_several_seeds_come_first_and_each_row_once(self):
        rows = [{"part": "a/a"}, {"part": "a/b", "seeds": 3}, {"part": "a/c", "seeds": 3}, {"part": "b/a", "seeds": 3},
                {"part": "c/a", "seeds": 5}, {"part": "c/b"}]
        self.assertEqual(self.viewed(*rows), [1, 2, 3, 4])
        self.assertEqual(self.viewed(*rows, {"part": "d/a", "seeds": 3}), [1, 3, 4, 6])

    def test_one_measurement_that_proves_two_parts_is_one_claim(self):
        same = {"text": "x", "holds": True, "measured": 2, "relation": "<", "bound": 3}
        shown = claims.one(same, ["a/a", "b/c"], ["claim-a-a", "claim-b-c"])
        self.assertEqual((shown.count("<li"), shown.count("a/a</a>"), shown.count("b/c</a>")), (1, 1, 1))

    def test_folded_claims_say_what_they_are(self):
        claim = {"text": "the gap.", "holds": True, "measured": 2, "relation": "<", "bound": 3}
        self.assertIn("The gap: <b>2</b>", claims.checks([("<li>", claim)], False))
        self.assertEqual(claims.checks([("<li>", claim)] * 3, True).count("The gap"), 3)
        self.assertIn("4 more checks pass", claims.checks([("<li>", claim)] * 4, True))

    def test_no_result_is_lost(self):
        page = weave(PROGRAM, [{"kind": "say", "line": n, "text": "x"} for n in (1, 6, 12, 99)])
        self.assertEqual(sum(k == "said" for k, _ in kinds(page)), 3)      # 1 and 6 come before the first block has ended

    def test_questions_come_first(self):
        page = weave(PROGRAM, [{"kind": "say", "line": 7, "text": "x"}, {"kind": "ask", "line": 7, "question": "?"}])
        found = [k for k, _ in kinds(page)]
        self.assertLess(found.index("ask"), found.index("said"))

    def test_a_question_stands_above_its_key(self):
        program = """\
void page() {
    say("x");
    ask("So ) ;?",  // why (((
        {{"yes;", ')' == 41, R"(be"cause)"}});
    say("y");
}
"""
        page = weave(program, [{"kind": "say", "line": 2, "text": "x"}, {"kind": "ask", "line": 3, "question": "So?"},
                               {"kind": "say", "line": 5, "text": "y"}])
        self.assertEqual([k for k, _ in kinds(page)], ["cpp-code", "said", "ask", "cpp-code", "cpp-code", "said"])
        self.assertIn(":fold: the question as code", page.lines)
        self.assertNotIn(3, [first for first, _ in page.open])

    def test_a_brace_after_a_question_is_no_block_of_its_own(self):
        page = weave('void page() {\n    say("x");\n    ask("So?",\n        {{"yes", true, "because"}});\n}\n\n// Words.\n', [])
        self.assertEqual([at for _, at in kinds(page)], [1, 3])
        self.assertEqual(page.blocks, [(1, 2, False), (3, 3, False)])
        self.assertEqual(page.open, [(1, 2)])
        self.assertIn("Words.", page.lines)

    def test_where_the_page_begins_and_ends_is_not_shown_by_itself(self):
        page = weave("void page() {\n// Words.\n    f();\n    // More.\n}\n", [])
        self.assertEqual(page.open, [(3, 1)])

    def test_every_line_knows_where_it_came_from(self):
        page = weave(PROGRAM, [])
        page.frame()
        self.assertEqual(len(page.lines), len(page.origin))

    def test_the_foot_holds_the_rows(self):
        page = weave("// # A title\n//\n// ```{rows} fig-1.1\n// ```\n//- names\n#include <a>\n//-\n// Words.\n", [])
        page.frame()
        found = [line for line in page.lines if line.strip("`")]
        top, words, foot, names, rows = map(found.index, (
            "{page-top}".rjust(18, "`"), "Words.", "## Behind this page", ":fold: names", "```{rows} fig-1.1"))
        self.assertTrue(top < words < foot < names < rows)


class Plumbing(unittest.TestCase):
    """What of a block is folded, and under which words."""

    def folded(self, code):
        return [(first, end, words) for first, end, words in plumbing.parts(code.splitlines()) if words]

    def test_what_a_page_is_about_stays_open(self):
        code = "double f(double x) {\n    if (x > 0) {\n        return x;\n    }\n    return -x;\n}\n"
        self.assertEqual(plumbing.parts(code.splitlines()), [(0, 6, "")])

    def test_checks_fold_with_the_brace_below_them(self):
        code = 'void f() {\n    int n = 1;\n    n += 2;\n    n += 3;\n    n += 4;\n    claim("a",\n          "b (;",\n          n);\n}\n'
        self.assertEqual(plumbing.parts(code.splitlines()), [(0, 5, ""), (5, 9, plumbing.CHECKS)])

    def test_two_lines_are_not_worth_a_fold(self):
        self.assertEqual(self.folded('int n = 1;\nsay("{}",\n    n);\n'), [])

    def test_a_figure_and_the_loops_that_draw_into_it(self):
        code = "Figure race(\"a\");\nrace.line(x);\nfor (int i : x) {\n    y.push_back(i);\n    race.dots(y);\n}\nf();\n"
        self.assertEqual(self.folded(code), [(0, 6, plumbing.FIGURE)])

    def test_a_function_that_mostly_draws_is_folded_whole(self):
        code = "void draw() {\n    int n = 1;\n    Figure(\"a\")\n        .line(n)\n        .save();\n}\nint other;\n"
        self.assertEqual(self.folded(code), [(0, 6, plumbing.FIGURE)])

    def test_neighbours_share_a_fold_that_names_both(self):
        code = "Figure(\"a\")\n    .save();\n\nclaim(\"a\",\n      1);\n"
        self.assertEqual(self.folded(code), [(0, 5, f"{plumbing.FIGURE}, and {plumbing.CHECKS}")])

    def test_options_studies_and_the_list_of_all(self):
        code = ("const book::Option<int> a(\n    {.least = 1},\n    2);\n\nint f();\nint g();\nconst Study s(\n    {},\n    {});\n"
                "void page() {\n    f();\n    g();\n}\n")
        self.assertEqual(self.folded(code), [(0, 3, plumbing.OPTIONS), (6, 13, f"{plumbing.STUDY}, and {plumbing.ORDER}")])

    def test_a_function_whose_prose_stands_inside_it(self):
        code = 'void page() {\n    int n = 1;\n    report("a",\n           "b",\n           n);\n'
        self.assertEqual(self.folded(code), [(2, 5, plumbing.CHECKS)])


def lines(count, indent=""):
    return "".join(f"{indent}f({n});\n" for n in range(count))


class Limits(unittest.TestCase):
    """A page loses no prose, shows at most 100 lines of its code, at most 25 in a row, and leaves out at most a tenth of it."""

    def said(self, source):
        return list(weave(source, []).limits())

    def test_open_lines_are_counted_without_blank_lines_folds_and_prose(self):
        page = weave(f"// # A\n//- names\n{lines(3)}\n// kept as code\n//-\n// Words.\n{lines(5)}\n\n{lines(2)}", [])
        self.assertEqual(page.open, [(10, 7)])
        self.assertEqual(page.blocks, [(3, 4, False), (10, 7, False)])

    def test_twenty_five_lines_may_stand_open_in_a_row_and_no_more(self):
        self.assertEqual(self.said(f"// # A\n{lines(25)}\n// Words.\n{lines(25)}"), [])
        self.assertEqual(self.said(f"// # A\n\n{lines(13)}\n{lines(13)}"),
                         [(3, "26 open lines of code in a row; at most 25 may stand together")])

    def test_a_fold_may_be_long(self):
        self.assertEqual(self.said(f"// # A\n//- names\n{lines(200)}//-\n{lines(5)}"), [])

    def test_a_hundred_lines_of_a_page_may_be_open_and_no_more(self):
        self.assertEqual(self.said("// # A\n" + 4 * f"// Words.\n{lines(25)}"), [])
        self.assertEqual(self.said("// # A\n" + 4 * f"// Words.\n{lines(25)}" + f"// Words.\n{lines(1)}"),
                         [(3, "101 open lines of code on the page; at most 100 may be")])

    def test_a_line_of_prose_that_myst_would_drop_is_named(self):
        self.assertEqual(self.said("// # A\n// About 5\n// % of the images, 5 % of all.\n"),
                         [(3, "a line of prose begins with %, which makes it a comment of MyST, and its words are lost: "
                              "break the line elsewhere")])

    def test_a_tenth_may_be_left_out_and_no_more(self):
        self.assertEqual(self.said(f"// # A\n//-\n{lines(2)}//-\n{lines(18)}"), [])
        self.assertEqual(self.said(f"// # A\n//-\n{lines(2)}//-\n{lines(17)}"),
                         [(3, "2 of 19 lines of code are left out (11%); at most 10% may be")])

    def test_the_code_of_a_question_is_folded(self):
        page = weave(f'// # A\n{lines(2)}ask("?",\n    {{{{"yes", true, "why"}}}});\n', [])
        self.assertEqual(page.open, [(2, 2)])


class Symbols(unittest.TestCase):
    """One symbol, one meaning: what a formula uses is in book/symbols.toml."""
    TABLE = """
[book.Training]
'w, w^\\ast' = "weights"
'\\eta' = "the learning rate"
[training.descent]
'h' = "the height of the ridge"
"""

    def complaints(self, tex, page="training/descent"):
        with tempfile.TemporaryDirectory() as home, self.assertLogs("sphinx.recto_book.symbols") as heard:
            pathlib.Path(home, "symbols.toml").write_text(self.TABLE, encoding="utf-8")
            env = types.SimpleNamespace(docname=page, recto_symbols={}, note_dependency=lambda _: None)
            app = types.SimpleNamespace(env=env, confdir=home, config=types.SimpleNamespace(katex_macros={r"\Loss": ""}))
            document = nodes.section("", nodes.paragraph("", "", nodes.math("", tex)))
            symbols.log.warning("begin")
            symbols.collect(app, document)
            symbols.unused(app, env)
        return [record.getMessage() for record in heard.records][1:]

    def test_the_symbols_of_a_formula(self):
        found = {r"w_n - \eta\,\nabla\Loss(w_n)": ["w", "n", r"\eta", r"\Loss"], r"\hat{y}_n + \bar p": [r"\hat y", "n", r"\bar p"],
                 r"\operatorname*{argmin}_w \exp(x) \mathrm{d} t": ["w", "x", "t"], r"w^\ast, w": [r"w^\ast", "w"],
                 r"\begin{aligned} \frac12 \cdots \cr \dots \end{aligned}": [], r"\mathbb{R}^N": [r"\mathbb R", "N"]}
        for tex, wanted in found.items():
            self.assertEqual(symbols.used(tex, [r"w^\ast"], [r"\Loss"]), wanted)

    def test_a_symbol_without_a_meaning_is_a_warning(self):
        every = r"w^\ast, w - \eta h"
        self.assertEqual(self.complaints(every), [])
        self.assertEqual([c.split(" has")[0] for c in self.complaints(every + r" + \omega")], [r"symbols: \omega"])
        self.assertIn("symbols: h has no meaning", self.complaints(every, "training/batches")[0])

    def test_an_entry_that_no_formula_uses_is_a_warning(self):
        self.assertEqual(self.complaints(r"w + h + w^\ast"), [r"symbols.toml: no formula uses \eta"])
        self.assertEqual(self.complaints(r"w^\ast, w \eta"), ["symbols.toml: no formula of training/descent uses h"])


class Showing(unittest.TestCase):
    def test_a_row_with_a_number_says_whose_number_it_is(self):
        shown = {"fig-3.4/a": "lbdl:fig-3.4/a", "eq-4.1": "lbdl:eq-4.1", "fig-udl-9.5": "udl:fig-9.5", "ex-tp1-micrograd": "ex-tp1-micrograd",
                 "claim-fc-256rgb-4e10": "claim-fc-256rgb-4e10"}
        self.assertEqual({row: runs.label(row) for row in shown}, shown)

    def test_numbers(self):
        shown = {0.0218: "0.0218", 0.8115: "0.8115", 79510: "79,510", 60965224: "60,965,224", 1989: "1989", 1e-8: "10<sup>−8</sup>", 2.575e-16: "2.6 × 10<sup>−16</sup>",
                 "nan": "not a number", "-inf": "−∞", -0.5: "−0.5", 0: "0"}
        for value, text in shown.items():
            self.assertEqual(elements.number(value), text)

    def test_numbers_that_a_program_wrote_with_an_e(self):
        shown = {"5.01e-11": "5.01 × 10<sup>−11</sup>", "below 1e-12": "below 10<sup>−12</sup>", "65.2e9 times -1.4e+12":
                 "65.2 × 10<sup>9</sup> times −1.4 × 10<sup>12</sup>", "claim-fc-256rgb-4e10": "claim-fc-256rgb-4e10", "0x1e3": "0x1e3"}
        for text, wanted in shown.items():
            self.assertEqual(elements.number(text), wanted)
            self.assertEqual(elements.words(text, None), wanted)
        self.assertEqual(elements.words("`--rate 1e-3`", None), "<code>--rate 1e-3</code>")

    def test_a_table_shows_formulas_and_puts_numbers_to_the_right(self):
        made = claims.cells("", table={"name": "a", "columns": ["step", "$\\eta$"], "rows": [["by $w^2$, 1e-3", -0.5], ["5 $ < `x`", "inf"]]})
        page = types.SimpleNamespace(body=[])
        with mock.patch.object(katex_build, "html", lambda _, node, display: f"[{node.astext()}]"), self.assertRaises(nodes.SkipNode):
            claims.visit_cells(page, made)
        for wanted in ('<th scope="col" class="num"><span class="math">[\\eta]</span></th>', '<td class="num">∞</td>', '<td class="num">−0.5</td>',
                       '<th scope="row">by <span class="math">[w^2]</span>, 10<sup>−3</sup></th>', '<th scope="row">5 $ &lt; <code>x</code></th>'):
            self.assertIn(wanted, page.body[0])

    def test_colours_that_are_computed_from_stay(self):
        spec = {"mark": {"type": "line", "color": "#165CC8"}, "encoding": {"color": {
            "field": "z", "type": "quantitative", "scale": {"range": ["#165CC8", "#B03A2A"]}}}}
        shown = palette.dress(spec)
        self.assertEqual(shown["mark"]["color"], "var(--fig-blue)")
        self.assertEqual(shown["encoding"]["color"]["scale"]["range"], ["#165CC8", "#B03A2A"])

    def test_tests_are_found_by_name(self):
        found = list(gather.CASE.finditer('TEST_CASE("a: b", "[row:fig-1.1/a][devices]") {\nGRADIENT_TEST("relu") {\n'))
        self.assertEqual([m[1] for m in found], ["a: b", "relu"])

    def test_a_row_leads_to_its_own_page(self):
        row = {"id": "eq-nll", "kind": "equation", "chapter": "training", "page": "training/likelihood"}
        self.assertIn('<a href="@ROOT@training/likelihood.html">eq-nll</a>', register_page.line(None, row))

    def test_bounds_as_they_are_written_on_paper(self):
        self.assertEqual(register_page.bound("<= 1e-8", None), "≤ 10<sup>−8</sup>")
        self.assertEqual(register_page.bound("1 +- 2e-6", None), "1 ± 2 × 10<sup>−6</sup>")

    def test_the_navigation_keeps_titles_and_the_pages_below(self):
        def entry(*below):
            return nodes.list_item("", addnodes.compact_paragraph(), *below)
        sections = nodes.bullet_list("", entry(nodes.bullet_list("", entry())), addnodes.toctree())
        contents = nodes.bullet_list("", entry(sections), entry(nodes.bullet_list("", entry())))
        first, second = navigation.titles(contents).children
        self.assertEqual([type(child) for child in first[1].children], [addnodes.toctree])
        self.assertEqual(len(second), 1)
        self.assertEqual(len(contents[1]), 2)       # what Sphinx keeps stays whole

    def test_a_chapter_has_the_number_of_its_folder(self):
        known = numbering.chapters(ROOT)
        self.assertEqual((known["foundations"], known["fine-tuning"]), (1, 6))
        self.assertEqual(numbering.moved((5, 2), 6), (6, 2))
        self.assertEqual(numbering.moved([5], 6), [6])
        self.assertEqual(numbering.moved((), 6), ())

    def test_a_ladder_is_shown_only_as_it_was_measured(self):
        with tempfile.TemporaryDirectory() as home:
            root = pathlib.Path(home)
            (root / "lib/recto/ladder").mkdir(parents=True)
            (root / "bench").mkdir()
            for name in ("products.cuh", "reductions.cuh"):
                (root / "lib/recto/ladder" / name).write_text("int f();  // a comment\n")
            measured = {"kernels": lexer.digest("int f();", "int f();"), "device": "A GPU", "date": "2026-11-21",
                        "toolkit": "CUDA 13.0", "size": 4096, "cublas": {"gflops": 100, "error": 1e-7},
                        "products": [{"step": "naive", "gflops": 2.5, "of_cublas": 0.025, "error": 2e-7}]}
            shown = lambda: ladder.ladder(types.SimpleNamespace(builder=types.SimpleNamespace(
                config=types.SimpleNamespace(recto_root=home))), {"arg": "products"})
            self.assertIn("Not run: no GPU has measured these kernels.", shown())
            (root / "bench/ladder.json").write_text(json.dumps(measured))
            self.assertIn('<td class="num">0.025</td>', shown())
            self.assertIn("on A GPU, CUDA 13.0, on 2026-11-21", shown())
            (root / "lib/recto/ladder/products.cuh").write_text("int g();\n")
            self.assertIn("Stale: the kernels have changed since A GPU measured them on 2026-11-21.", shown())

    def test_a_definition_is_found_without_its_comment(self):
        text = """\
/// Says f(x).
__global__ void f(int x) {
    f(x);
}

constexpr int side = 8;  ///< of f() and g()
template <class T>
T g(T x) {
    return x;
}""".splitlines()
        self.assertEqual(program.definition(text, "f"), (2, text[1:4]))
        self.assertEqual(program.definition(text, "side"), (6, text[5:6]))
        self.assertEqual(program.definition(text, "g"), (7, text[6:]))
        self.assertEqual(program.definition(text, "h"), (None, []))


if __name__ == "__main__":
    unittest.main()
