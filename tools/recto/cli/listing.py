"""`recto list`: the pages in the order of the book, each with its rows."""
from recto import term
from recto.pages import pages


def list_pages() -> int:
    """Runs `recto list`: prints all pages and their rows, chapter by chapter."""
    found = pages.all_pages()
    chapter = ""
    for page in found:
        if page.source.parent.name != chapter:
            chapter = page.source.parent.name
            term.say(("" if page is found[0] else "\n") + term.paint(chapter, "bold"))
        term.say(f"  {page.name:<24} {page.title}")
        if page.rows:
            term.say(f"  {'':<24} {term.paint(' '.join(page.rows), 'dim')}")
    if not found:
        term.say("there are no pages yet")
    return 0
