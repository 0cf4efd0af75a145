"""Exports of other systems, read as plain objects that an import takes."""
