"""Where everything is kept: what a store is, and in `sqlite` the one on disk."""
