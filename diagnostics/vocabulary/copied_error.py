"""Whether a copied text without any layout names a cause: what a person pastes of a shell, a client or a message."""

from __future__ import annotations

from functools import cache

from diagnostics.vocabulary.fault_origins import origins
from diagnostics.vocabulary.incident_kinds import KINDS
from diagnostics.vocabulary.setting_faults import setting_faults

LEAST_CHARACTERS = 12
"""Shorter texts of the catalogues are in too many other files to name a cause alone. Our choice."""
THROWN = ("Exception", "Error")
KINDS_OF_CAUSES = ("oom", "killed", "no_resource", "buffers", "exclusive_buffers", "managed_refused", "frame_size")
"""Kinds of events that say by themselves what is wrong."""


def _is_said(text: str) -> bool:
    """Whether a text is words or an exception; packages and options are in configuration files, too."""
    return len(text) >= LEAST_CHARACTERS and (" " in text or text.endswith(THROWN))


@cache
def _texts() -> tuple[str, ...]:
    of_origins = [text for each in origins() for text in each.in_chain]
    of_settings = [text for each in setting_faults() for text in each.texts]
    of_kinds = [text for kind in KINDS_OF_CAUSES for text in KINDS[kind].texts]
    return (*of_kinds, *(text for text in (*of_origins, *of_settings) if _is_said(text)))


def names_cause(text: str) -> bool:
    """Whether a text of the catalogues of setting faults, fault origins or telling kinds of events is in it."""
    return any(part in text for part in _texts())
