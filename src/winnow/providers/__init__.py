"""Other sources of recall, such as Onyx, and the language model that classifies memories.

Nothing here fails a recall or a write: what goes wrong becomes a remark, or no answer.
"""

from winnow.providers.base import Found, Opener, Provider
from winnow.providers.registry import find_provider
from winnow.providers.sources import Answers, Remark, Sources

__all__ = ["Answers", "Found", "Opener", "Provider", "Remark", "Sources", "find_provider"]
