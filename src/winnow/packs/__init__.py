"""Packs: files of schemas; those in this folder ship with Winnow."""

from winnow.packs.loading import builtin_packs, load_pack

__all__ = ["builtin_packs", "load_pack"]
