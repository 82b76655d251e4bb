"""Texts that a stranger wrote, made fit for a terminal and a report. HTML and XML are escaped by who writes them."""


def harmless(text: str) -> str:
    """The text without what moves a cursor, colours, or rings: each such character becomes visible."""
    return "".join(c if c in "\n\t" or (c.isprintable() and c != "\x7f") else c.encode("unicode_escape").decode() for c in text)


def one_line(text: str, most: int = 300) -> str:
    """A stranger's text as part of a sentence: harmless, on one line, and not long."""
    text = harmless(text[:most + 1]).replace("\n", "\\n").replace("\t", " ")
    return text if len(text) <= most else f"{text[:most]}..."
