"""Typed columns in memory, made from the store's rows."""
