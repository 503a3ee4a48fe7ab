"""Signals: measurements of the evidence, one phenomenon per file. Signals measure; rules judge.

A file in this folder is registered by its `SIGNALS`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

from diagnostics.registry import registered
from diagnostics.signals.signal import SignalDefinition


def _definitions() -> dict[str, SignalDefinition]:
    by_key: dict[str, SignalDefinition] = {}
    for module, definitions in registered(sys.modules[__name__], "SIGNALS"):
        for definition in definitions:
            if definition.key in by_key:
                raise TypeError(f"signals/{module}.py: the key {definition.key!r} is taken by another file")
            by_key[definition.key] = definition
    return by_key


DEFINITIONS: Mapping[str, SignalDefinition] = _definitions()
"""Every signal by key."""
