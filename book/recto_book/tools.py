"""What the extension takes from the project's tools in tools/recto: nothing else here imports them."""
import pathlib

from recto import lexer
from recto.book import palette
from recto.gpu import ladder as kernel_ladder
from recto.gpu import profile
from recto.pages import snapshot

__all__ = ["SOURCES", "kernel_ladder", "lexer", "palette", "profile", "snapshot"]
SOURCES = tuple(pathlib.Path(module.__file__) for module in (lexer, palette, kernel_ladder, profile, snapshot))
