"""Sphinx settings of the book. Not run by hand: `book/build.py` gathers the sources and calls Sphinx
(pages are chapters/*/NAME.cpp, their runs build/runs/NAME; see recto_book/gather.py and recto_book/weave.py)."""
import hashlib
import os
import pathlib

from recto_book.tools import SOURCES

HERE = pathlib.Path(__file__).resolve().parent

project = "Recto"
author = "The Recto authors"
copyright = "the Recto authors"
extensions = ["myst_parser", "breathe", "sphinxcontrib.bibtex", "sphinx_copybutton", "recto_book.extension", "recto_book.katex_build"]

# Ours
recto_root = os.environ.get("RECTO_ROOT", str(HERE.parent))
recto_build = os.environ.get("RECTO_BUILD", str(HERE.parent / "build"))
recto_strict = bool(os.environ.get("RECTO_STRICT"))
recto_code = hashlib.sha256(b"".join(p.read_bytes() for p in sorted((*(HERE / "recto_book").glob("*.py"), *SOURCES)))).hexdigest()

# Sphinx
add_function_parentheses = False
nitpicky = True
nitpick_ignore_regex = [("cpp:.*", r"(std|fmt|xt|nlohmann)(::.*)?|size_t|u?int\d+_t|FILE|(cuda|cublas)\w+")]
numfig = True
numfig_format = {"figure": "Figure %s", "table": "Table %s"}
numfig_secnum_depth = 1                      # figures and equations count through a chapter
math_numfig = True
html_math_renderer = "katex"
katex_macros = {r"\Loss": r"\mathscr{L}", r"\R": r"\mathbb{R}", r"\E": r"\mathbb{E}"}
highlight_language = "cpp"

# MyST
myst_enable_extensions = ["dollarmath", "amsmath", "deflist", "smartquotes", "attrs_inline"]
myst_heading_anchors = 3
myst_links_external_new_tab = False

# Breathe: only the XML that Doxygen wrote
breathe_projects = {"recto": str(pathlib.Path(recto_build) / "doxygen" / "xml")}
breathe_default_project = "recto"
breathe_default_members = ("members",)
breathe_show_include = False
cpp_id_attributes = ["RECTO_HD"]

# Citations
bibtex_bibfiles = ["references.bib"] if (HERE / "references.bib").exists() else []
bibtex_default_style = "plain"
bibtex_reference_style = "author_year"

# The look
html_theme = "furo"
html_title = "Recto"
html_static_path = ["_static"]
html_css_files = ["recto.css", "parts.css", "back.css", "settings.css"]
html_js_files = [("recto.js", {"defer": "defer"}), ("live.js", {"defer": "defer"}), ("register.js", {"defer": "defer"}),
                 ("try.js", {"defer": "defer"}), ("driven.js", {"defer": "defer"})]
html_logo = "_static/recto.svg"
html_favicon = "_static/recto.svg"
html_show_sphinx = False
html_show_search_summary = False              # the excerpts are fetched, and a file may not fetch
html_copy_source = False
html_secnumber_suffix = " "
html_domain_indices = False
pygments_style = "recto_book.highlighting.Light"
pygments_dark_style = "recto_book.highlighting.Dark"
copybutton_selector = "div.highlight pre, code.rx-command"
copybutton_exclude = ".linenos, .gp"
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}
