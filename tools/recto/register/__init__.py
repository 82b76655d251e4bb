"""The register: the evidence for its rows, and the verdicts."""
