"""The command `winnow`."""
