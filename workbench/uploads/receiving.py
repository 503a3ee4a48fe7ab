"""Receives a dropped file in pieces, straight to disk, and stops as soon as it is too large."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import TemporaryFileUploadHandler


class BoundedFileUploadHandler(TemporaryFileUploadHandler):
    """A temporary file for each uploaded one; MOST_FILE_BYTES bounds each, whatever the request promised."""

    def receive_data_chunk(self, raw_data: bytes, start: int) -> Any:
        if start + len(raw_data) > settings.MOST_FILE_BYTES:
            self.upload_interrupted()
            raise RequestDataTooBig(f"{self.file_name} is larger than {settings.MOST_FILE_BYTES} bytes.")
        return super().receive_data_chunk(raw_data, start)
