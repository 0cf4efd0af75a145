"""What one does to a store now and then: vaults, settings, vectors, keys, health."""
