"""Runs a command: `python3 tools COMMAND`, as ./recto does. Python then looks for modules here, and never in the
folder that the command is called in, which may be a student's."""
import signal
import sys

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)        # Ctrl-C during the imports ends the program without a traceback

from recto.cli.main import main

sys.exit(main(sys.argv[1:]))
