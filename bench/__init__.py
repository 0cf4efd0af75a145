"""Benchmarks: `make bench`, or `python -m bench recall index startup import`."""
