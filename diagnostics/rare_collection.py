"""Unused cycles of objects are looked for rarely where many objects are made that live on, and hardly any cycle."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

OBJECTS_UNTIL_COLLECTION = 500_000
"""New objects after which Python looks for unused cycles among them, some 100 MB. Measured: with the default of 700 a
quarter of the driver's processor time after reading a log of 500 MB; with 50,000, a tenth after 1 M samples of metrics.
A start of Django, which imports the program and reads its catalogues, took 2.05 s with the default and 1.7 s with this.
"""


@contextmanager
def rare_collection() -> Iterator[None]:
    """For a start or an analysis; afterwards it is as before."""
    before = gc.get_threshold()
    gc.set_threshold(OBJECTS_UNTIL_COLLECTION, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
