"""Where everything is kept: `base` says what a store is, `sqlite` is the one on disk."""
