"""The faces of Winnow: each builds itself from the table of operations."""
