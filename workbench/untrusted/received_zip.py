"""Opens untrusted zip archives within limits, with one error for every defect."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from diagnostics.errors import LimitExceeded
from diagnostics.intake.zip_archive import zip_directory
from workbench.languages.sentences import say

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Methods of our own exports and common tools. LZMA allocates as much memory as the archive states."""


class UnreadableZip(Exception):
    """The archive or one of its entries is unreadable; the text is for the user."""


@contextmanager
def opened_zip(content: BinaryIO) -> Iterator[zipfile.ZipFile]:
    """The archive, for reading its entries within the `with` block.

    Raises UnreadableZip, also for defects that appear only while an entry is unpacked.
    """
    try:
        zip_directory(content)  # zipfile would load a directory of any size into memory
        with zipfile.ZipFile(content) as archive:
            for entry in archive.infolist():
                if entry.compress_type not in METHODS or entry.header_offset < 0:
                    name = entry.filename[:100]
                    raise UnreadableZip(say("{name!r} in it is packed in a way that is not read here.", name=name))
            yield archive
    except LimitExceeded as error:
        raise UnreadableZip(say("It holds too many files: {error}", error=error)) from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise UnreadableZip(say("It is no zip archive that can be read: {error}", error=error)) from None
