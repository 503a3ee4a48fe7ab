"""Quantities for comparing two snapshots, one file per group. A file in this folder is registered by its listing."""

from __future__ import annotations

import sys

from diagnostics.proof.quantity import Quantity
from diagnostics.registry import registered

GROUPS: dict[str, tuple[Quantity, ...]] = dict(registered(sys.modules[__name__], "QUANTITIES"))
"""File name -> its quantities."""
