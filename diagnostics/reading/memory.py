"""The bound of the memory that reading a range takes: a file that means harm costs itself and not the machine."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MOST_READING_BYTES = 3 * 1024**3
"""Beyond what the process has already. Our choice: Arrow's allocator reserves 1 GiB before it uses any, and the largest
document that a format reads takes 0.7 GiB as objects."""

_PAGES = Path("/proc/self/statm")


@contextmanager
def bounded_memory(most: int = MOST_READING_BYTES) -> Iterator[None]:
    """While the block lasts, this process is refused more memory, which Python and Arrow raise as MemoryError.

    Nothing is bounded where the system does not say how much a process has (Linux does).
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
