"""The state of a store in memory: what is derived from its rows, kept fresh."""
