"""Recto's tools: a package for each concern, and in this folder what all of them use."""
