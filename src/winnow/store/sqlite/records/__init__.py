"""Records in SQLite: the part of the store that `winnow.store.memories` describes."""
