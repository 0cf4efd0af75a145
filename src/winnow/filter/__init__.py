"""The filter language: one tree, several spellings, checked against a schema."""
