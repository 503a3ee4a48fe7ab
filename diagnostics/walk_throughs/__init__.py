"""The walk-throughs, one per file. A file in this folder is registered by its `WALK_THROUGH`."""

from __future__ import annotations

import sys

from diagnostics.registry import registered
from diagnostics.walk_throughs.walk_through import WalkThrough

WALK_THROUGHS: dict[str, WalkThrough] = {
    each.id: each
    for each in sorted(
        (found for _, found in registered(sys.modules[__name__], "WALK_THROUGH")), key=lambda each: each.order
    )
}
"""Id -> walk-through, in reading order."""
