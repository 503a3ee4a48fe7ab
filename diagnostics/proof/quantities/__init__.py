"""What two snapshots are compared by: one file for each group, registered by being here."""

from __future__ import annotations

import sys

from diagnostics.proof.quantity import Quantity
from diagnostics.registry import registered

GROUPS: dict[str, tuple[Quantity, ...]] = dict(registered(sys.modules[__name__], "QUANTITIES"))
"""File name -> its quantities."""
