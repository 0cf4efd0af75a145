"""Questions about memories and pieces of notes: what conditions describe, ranked or listed."""
