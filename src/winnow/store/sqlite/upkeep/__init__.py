"""Looking after a store that is an SQLite file: checking, mending, copying, restoring."""
