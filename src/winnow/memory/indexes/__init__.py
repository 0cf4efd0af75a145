"""Namespaces as the Redis protocol has them: indexes, each with a mode, weights and a life."""
