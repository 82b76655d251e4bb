"""The command line: the table of commands, what reads it, and the small commands."""
