"""The key that signs sessions, stored beside the data and readable by its owner only."""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
import tempfile
from pathlib import Path


def kept_secret(path: Path) -> str:
    """The secret in the file; generated when there is none.

    Safe for several processes that start at once: the file appears only when complete, and the first process wins.
    Exits with a message when the file cannot be written.
    """
    with contextlib.suppress(FileNotFoundError):
        return path.read_text("ascii").strip()
    try:
        _make(path)
    except OSError as error:
        sys.exit(f"{path} cannot be written: {error.strerror or error}.")
    return path.read_text("ascii").strip()


def _make(path: Path) -> None:
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".secret-")
    try:
        with os.fdopen(handle, "w") as opened:
            opened.write(secrets.token_urlsafe(50))
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    finally:
        Path(draft).unlink()
