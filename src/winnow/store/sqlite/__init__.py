"""The store in one SQLite file, and the files beside it."""
