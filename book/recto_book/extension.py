"""The extension of this book: each idea in a file of its own, set up in order."""
from recto_book import (ask, assets, claims, elements, equations, examples, exercise, figures, glossary, header, ladder,
                        listings, maps, mistakes, navigation, numbering, profile, program, prose, reference, register_page, skeletons, snippets,
                        spacing, speed, symbols, taught, thumbnails, weave)


def setup(app):
    for name, value in {"recto_root": "", "recto_build": "", "recto_strict": False,
                        "recto_fonts": "/usr/share/fonts-sil-charis/woff2"}.items():
        app.add_config_value(name, value, "")
    app.add_config_value("recto_code", "", "env")       # reads everything again when this code changes
    for part in (elements, weave, program, claims, ask, header, equations, prose, figures, reference, register_page, listings,
                 exercise, mistakes, skeletons, navigation, numbering, speed, profile, ladder, thumbnails, glossary, taught, maps, snippets, examples,
                 symbols, spacing, assets):
        part.setup(app)
    return {"env_version": 2, "parallel_read_safe": True, "parallel_write_safe": True}
