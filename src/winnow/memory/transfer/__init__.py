"""Memories and entities on their way out and in, as lines of JSON."""
