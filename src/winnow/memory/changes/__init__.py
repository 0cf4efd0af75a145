"""Changes of memories: storing, updating, deleting, and giving kinds."""
