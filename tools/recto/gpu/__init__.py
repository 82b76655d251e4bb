"""Measuring: benchmarks, parity with a GPU, what is carried to one, and the receipts of what it computed."""
