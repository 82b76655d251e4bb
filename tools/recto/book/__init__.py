"""What a reader sees: `recto book`, and `recto run` with the page of one run."""
