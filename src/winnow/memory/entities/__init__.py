"""Questions about typed entities: the exact set that a filter on a schema describes."""
