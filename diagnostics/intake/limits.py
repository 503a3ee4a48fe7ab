"""The limits of an upload with their reasons, and the allowance that one upload consumes."""

from __future__ import annotations

import time
from dataclasses import dataclass

from diagnostics.errors import LimitExceeded
from diagnostics.language import say

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB

STREAM_BYTES = 64 * KIB
"""Minimum average of decompressed bytes per concatenated compressed stream: bgzip's blocks have this size (SAM/BAM
format specification, 4.1), and more streams only cost time.
"""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one upload. All are our choice unless a source is given; sizes are decompressed.

    files             a cluster of 200 machines with 20 rotated logs each has 4,000; more is an error or an attack
    total_bytes       what the engine reads in minutes on two cores
    file_bytes        as the web side's bound for one uploaded file
    ratio             decompressed to compressed. DEFLATE reaches 1,032 (zlib.net, "Technical Details") on one repeated
                      byte; logs, scrapes and JSON that we measured stay below 60
    ratio_from_bytes  below this nothing is called a bomb: a short file may repeat one line
    line_bytes        longer lines of a text are shortened: a hundred times the longest stack frame seen
    nesting           archives within archives, the outer one counted: a bundle of bundles, as support tools make them
    compressions      compressions directly over one another: `x.log.gz` that a browser compressed again
    name_characters   longer names are refused: no file system of Linux has longer paths than 4,096 bytes
    spooled_bytes     a zip within an archive up to this size stays in memory, a larger one goes to the workspace
    """

    files: int = 5_000
    total_bytes: int = 10 * GIB
    file_bytes: int = 2 * GIB
    ratio: int = 200
    ratio_from_bytes: int = 10 * MIB
    line_bytes: int = MIB
    nesting: int = 2
    compressions: int = 2
    name_characters: int = 1_024
    spooled_bytes: int = 8 * MIB

    @property
    def entries(self) -> int:
        """Entries of one archive or folder that are read, including folders: four per file is generous."""
        return 4 * self.files

    @property
    def decompressed_bytes(self) -> int:
        """Output of all decompressors: each nested archive decompresses the same bytes again."""
        return (self.nesting + 1) * self.total_bytes


USUAL = Limits()
"""The default limits."""


class Spent(LimitExceeded):
    """Raised when the rest of this uploaded file is not read."""


class AllSpent(Spent):
    """Raised when nothing more is read, of any uploaded file."""


class Allowance:
    """The unused part of the limits while an upload is unpacked."""

    def __init__(
        self, limits: Limits, most_decompressed_bytes: int | None = None, seconds: float | None = None
    ) -> None:
        """`seconds` limits the time while a user waits; background work has no time limit."""
        self.limits = limits
        self._seconds = seconds
        self._begun = time.monotonic()
        self._most_decompressed = most_decompressed_bytes or limits.decompressed_bytes
        self._total = 0
        self._most_streams = min(self._most_decompressed, limits.total_bytes) // STREAM_BYTES
        self._decompressed = 0
        self._streams = 0
        self._upload = 0
        self._upload_decompressed = 0
        self._upload_stored = 0

    def require_time(self) -> None:
        """Raises AllSpent when the time is over. Every read and decompression calls it."""
        if self._seconds is not None and time.monotonic() - self._begun > self._seconds:
            raise AllSpent(
                say(
                    "not read further after {seconds:g} seconds, which is the bound while somebody waits",
                    seconds=self._seconds,
                )
            )

    def begin_upload(self, stored_bytes: int) -> None:
        """Begin another uploaded file with that size on disk."""
        self._upload = 0
        self._upload_decompressed = 0
        self._upload_stored = stored_bytes

    def spend(self, size: int) -> None:
        """Count bytes read of a file. Raises Spent or AllSpent when they are too many."""
        self.require_time()
        self._total += size
        self._upload += size
        limits = self.limits
        if self._total > limits.total_bytes:
            raise AllSpent(
                say(
                    "more than {total} decompressed in one upload, which is the bound",
                    total=in_words(limits.total_bytes),
                )
            )
        if self._upload > limits.ratio_from_bytes and self._upload > limits.ratio * self._upload_stored:
            raise Spent(expands(limits))

    def another_stream(self) -> None:
        """Count another concatenated compressed stream. Raises AllSpent: even empty ones take time."""
        self._streams += 1
        if self._streams > self._most_streams:
            raise AllSpent(several(self._most_streams))

    def decompressed(self, size: int) -> None:
        """Count bytes from any decompressor, including skipped ones. Raises Spent or AllSpent.

        Entries of a zip may share their bytes: thousands of them, each below the bound of one file, cost minutes.
        """
        self.require_time()
        self._decompressed += size
        self._upload_decompressed += size
        most = max(self.limits.ratio * self._upload_stored, self.limits.ratio_from_bytes)
        if self._upload_decompressed > (self.limits.nesting + 1) * most:
            raise Spent(expands(self.limits))
        if self._decompressed > self._most_decompressed:
            bound = in_words(self._most_decompressed)
            raise AllSpent(
                say("archives within archives decompress to more than {bound}, which is the bound", bound=bound)
            )


def several(most: int) -> str:
    """The message about a file with too many compressed parts."""
    return say("more than {most:,} compressed parts after one another, which is the bound", most=most)


def expands(limits: Limits) -> str:
    """The message about a decompression bomb."""
    return say(
        "expands to more than {ratio} times its size (looked at from {ratio_from} on): "
        "taken for a decompression bomb and not read further",
        ratio=limits.ratio,
        ratio_from=in_words(limits.ratio_from_bytes),
    )


def unexpected(error: Exception) -> str:
    """The reason for a file on which our own code fails, so that the other files are still read."""
    return say("cannot be read further: {name}: {error}", name=type(error).__name__, error=error)[:300]


def in_words(size: int) -> str:
    """A number of bytes for people: `10 GiB`."""
    for unit, name in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if size >= unit:
            return f"{size / unit:,.1f}".removesuffix(".0") + f" {name}"
    return f"{size} bytes"
