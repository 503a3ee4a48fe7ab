"""supervisord in a variant that survives when its log cannot be written.

When a line cannot be logged, it prints the error to the same full disk, and would die of that error together with all
its programs.
"""

from __future__ import annotations

import contextlib
import sys
from typing import TextIO, cast

from supervisor.supervisord import main


class LossyOutput:
    """A stream that drops what cannot be written."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Writes what it can; gives the length of all of it."""
        with contextlib.suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """As of a stream."""
        with contextlib.suppress(OSError):
            self._stream.flush()

    def fileno(self) -> int:
        """As of a stream."""
        return self._stream.fileno()


if __name__ == "__main__":
    sys.stdout, sys.stderr = cast(TextIO, LossyOutput(sys.stdout)), cast(TextIO, LossyOutput(sys.stderr))
    main()
