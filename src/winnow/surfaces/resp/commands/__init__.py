"""The commands, a table for each group."""
