"""How the process keeps memory that arrays have left, so that the next ones need not wait for it.

A filter on a million rows makes masks of a megabyte, and lets them go. By default the C library
gives such memory back to the system at once, and taking it again costs many times what is done
with it: the kernel has to clear each page.
"""

import ctypes
import sys
from functools import cache
from typing import Final


@cache
def keep_freed_memory() -> bool:
    """Let the C library keep some megabytes that were freed; tell whether it can be told to.

    It holds for the whole process, from then on, all threads included. Only glibc knows these
    settings.
    """
    if sys.platform != "linux":
        return False
    try:
        set_option = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False
    return all(set_option(option, size) == 1 for option, size in _SETTINGS)


# Their numbers in glibc's malloc.h: M_ARENA_MAX, for threads that share one heap leave each other's
# memory to use, where heaps of their own would all grow; M_TRIM_THRESHOLD, from where on memory is
# given back; M_TOP_PAD, what is kept then; M_MMAP_THRESHOLD, up to which blocks come from the heap,
# which is what glibc goes up to by itself.
_SETTINGS: Final = ((-8, 1), (-1, 48 << 20), (-2, 12 << 20), (-3, 32 << 20))
