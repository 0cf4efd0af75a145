"""Which store a program has opened: another may come to its place."""

from pathlib import Path

from winnow.errors import StoreError


class Origin:
    """Remembers the first origin that it is told; what is known of rows is about those of it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._first = ""

    def require(self, origin: str) -> None:
        """Refuse to go on with another store."""
        self._first = self._first or origin
        if origin != self._first:
            raise StoreError(
                f"{self._path}: a backup has taken the place of this store; open it again, or start"
                " this program again"
            )
