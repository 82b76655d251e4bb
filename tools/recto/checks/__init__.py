"""`recto test`: running every kind of test, and reading the results."""
