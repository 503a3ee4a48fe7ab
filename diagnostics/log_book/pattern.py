"""Patterns of log messages: their text with numbers, ids and addresses masked."""

from __future__ import annotations

import hashlib

import pyarrow as pa
import pyarrow.compute as pc

MOST_PATTERN = 300
"""Characters of a pattern. Our choice: later differences are enumerations more often than different messages."""

MASKS = (
    (
        r"\b(?:[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{32,64}(?:_[0-9a-fA-F]{32})?(?:_\d+)*)",
        "<id>",
    ),
    (r"\b0x[0-9a-fA-F]+\b|@[0-9a-f]{5,16}\b", "<hex>"),
    (r"\d+(?:[.,:]\d+)*", "<n>"),
)
"""RE2 expressions to mask, in this order; their time is linear in the text."""


def patterns_of(messages: pa.Array) -> pa.Array:
    """The pattern of each message; null stays null."""
    told = messages.dictionary_encode()
    masked = pc.utf8_slice_codeunits(told.dictionary, 0, MOST_PATTERN * 2)
    for expression, mask in MASKS:
        masked = pc.replace_substring_regex(masked, expression, mask)
    return pc.utf8_slice_codeunits(masked, 0, MOST_PATTERN).take(told.indices)


def pattern_id(pattern: str) -> str:
    """A short id of a pattern, the same in every analysis, so that links with it stay valid."""
    return hashlib.blake2s(pattern.encode("utf-8", "replace"), digest_size=5).hexdigest()
