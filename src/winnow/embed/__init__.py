"""Embedders: what turns texts into vectors, each behind the same few methods."""
