"""Evaluators of filters: `reference` is the meaning, the others have to agree with it."""
