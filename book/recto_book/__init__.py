"""The Sphinx extension of the book: the weaver of pages, the directives, the look of figures and formulas."""
