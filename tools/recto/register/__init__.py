"""The register: what speaks for its rows, and the verdicts."""
