"""Where the server listens unless told otherwise, and how much it takes on."""

from typing import Final

DEFAULT_PORT: Final = 7171
MOST_CLIENTS: Final = 1_000
"""Connections at a time, each with a thread of its own."""
GRACE_SECONDS: Final = 5.0
"""Seconds that a command may take which is running when the server stops."""
