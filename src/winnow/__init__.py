"""Typed memory for AI agents: filters decide, ranking only orders."""

__version__ = "0.1.0"
