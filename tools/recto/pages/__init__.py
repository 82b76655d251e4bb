"""The pages as programs: finding them, their snapshots, their runs and the traces of these."""
