"""The key that signs sessions: made once, kept beside the data, readable by nobody else."""

from __future__ import annotations

import contextlib
import os
import secrets
import tempfile
from pathlib import Path


def kept_secret(path: Path) -> str:
    """The secret that the file holds; made when there is none.

    Several processes may start at once: the file appears whole or not at all, and the first one to make it wins.
    """
    with contextlib.suppress(FileNotFoundError):
        return path.read_text("ascii").strip()
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".secret-")
    with os.fdopen(handle, "w") as opened:
        opened.write(secrets.token_urlsafe(50))
    with contextlib.suppress(FileExistsError):
        os.link(draft, path)
    Path(draft).unlink()
    return path.read_text("ascii").strip()
