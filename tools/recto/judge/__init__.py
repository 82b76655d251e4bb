"""The judge: runs a student's program on inputs of its own, away from everything else, and compares the answers here."""
