"""Vaults: folders of Markdown notes, what stands in them, and how a store follows them."""
