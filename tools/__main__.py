"""Runs a command: `python3 tools COMMAND`, as ./recto does. Python then looks for modules here, and never in the
folder that the command is called in, which may be a student's."""
import sys

from recto.cli.main import main

sys.exit(main(sys.argv[1:]))
