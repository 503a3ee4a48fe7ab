"""Reads the token of a source from the header `Authorization`, as the systems are able to write it."""

from __future__ import annotations

import base64
import binascii


def token_in(header: str) -> str:
    """The secret of `Bearer SECRET`, `Token SECRET`, or the password of `Basic`; empty for anything else."""
    scheme, _, value = header.strip().partition(" ")
    if scheme.lower() in ("bearer", "token"):
        return value.strip()
    if scheme.lower() != "basic":
        return ""
    try:
        return base64.b64decode(value.strip(), validate=True).decode().partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        return ""
