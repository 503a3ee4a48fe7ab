"""The key that signs sessions, stored beside the data and readable by its owner only."""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
import tempfile
from pathlib import Path


def kept_secret(path: Path) -> str:
    """The secret that the file holds; made when there is none.

    Several processes may start at once: the file appears whole or not at all, and the first one to make it wins.
    Ends the program with a sentence where the file cannot be made.
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
