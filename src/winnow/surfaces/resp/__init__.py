"""The Redis protocol: Klyro's memory commands over the same store, for any Redis client."""
