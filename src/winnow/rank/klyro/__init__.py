"""How Klyro finds and ranks, for whoever asks over its protocol: its words, and its scores."""
