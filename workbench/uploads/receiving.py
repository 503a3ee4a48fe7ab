"""Django's upload handler: writes a file to the disk in pieces and stops at the limits."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import SkipFile, TemporaryFileUploadHandler
from django.http import HttpRequest

from workbench.languages.sentences import say
from workbench.limits.selectors import limits_now
from workbench.machine.disk import NoRoom, full_disk_refused, require_room
from workbench.uploads.refusals import FileTooBig


class BoundedFileUploadHandler(TemporaryFileUploadHandler):
    """Writes each uploaded file to a temporary one, limited by the maximum file size whatever the request states."""

    def __init__(self, request: HttpRequest | None = None) -> None:
        super().__init__(request)
        self._most: int | None = None

    def new_file(self, *args: Any, **options: Any) -> None:
        """Skips the files of visitors: each is kept open until its request ends, and a short form holds thousands.

        The API asks for a token before it reads a body.
        """
        if self.request is not None and not self.request.path.startswith("/api/") and _is_visitor(self.request):
            raise SkipFile
        super().new_file(*args, **options)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> Any:
        if self._most is None:
            self._most = limits_now().file_bytes
        with self._discarded_when_refused():
            if start + len(raw_data) > self._most:
                raise FileTooBig(
                    say("{file_name} is larger than {most} bytes.", file_name=self.file_name, most=self._most)
                )
            require_room(len(raw_data))
            with full_disk_refused(len(raw_data)):
                return super().receive_data_chunk(raw_data, start)

    def file_complete(self, file_size: int) -> Any:
        with self._discarded_when_refused(), full_disk_refused(file_size):  # data may still be buffered
            return super().file_complete(file_size)

    @contextlib.contextmanager
    def _discarded_when_refused(self) -> Iterator[None]:
        """Deletes the temporary file at once: the logged exception would keep it alive."""
        try:
            yield
        except (RequestDataTooBig, NoRoom):
            with contextlib.suppress(OSError):  # closing writes the buffer once more
                self.file.close()
            Path(self.file.temporary_file_path()).unlink(missing_ok=True)
            raise


def _is_visitor(request: HttpRequest) -> bool:
    """Whether the request comes from nobody who signed in."""
    user = getattr(request, "user", None)
    return user is not None and not user.is_authenticated
