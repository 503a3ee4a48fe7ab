"""Memory limit for reading a range, so that a hostile file fails by itself without harming the machine."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MOST_READING_BYTES = 3 * 1024**3
"""Memory beyond the process's current use. Our choice: Arrow's allocator reserves 1 GiB before it uses any, and the
largest document that a format reads takes 0.7 GiB as objects.
"""

_PAGES = Path("/proc/self/statm")


@contextmanager
def bounded_memory(most: int = MOST_READING_BYTES) -> Iterator[None]:
    """Limit this process's memory within the block; Python and Arrow raise MemoryError above it.

    No limit on systems that do not report a process's memory (Linux does).
    """
    if not _PAGES.exists():
        yield
        return
    before, hard = resource.getrlimit(resource.RLIMIT_DATA)
    held = int(_PAGES.read_text().split()[5]) * resource.getpagesize()
    bound = held + most if hard == resource.RLIM_INFINITY else min(held + most, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (bound, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (before, hard))
