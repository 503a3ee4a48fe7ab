"""Receives a dropped file in pieces, straight to disk, and stops as soon as it is too large."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.http import HttpRequest

from workbench.limits.selectors import limits_now


class BoundedFileUploadHandler(TemporaryFileUploadHandler):
    """A temporary file for each uploaded one; the limit of one file bounds each, whatever the request promised."""

    def __init__(self, request: HttpRequest | None = None) -> None:
        super().__init__(request)
        self._most: int | None = None

    def receive_data_chunk(self, raw_data: bytes, start: int) -> Any:
        if self._most is None:
            self._most = limits_now().file_bytes
        if start + len(raw_data) > self._most:
            self.upload_interrupted()
            raise RequestDataTooBig(f"{self.file_name} is larger than {self._most} bytes.")
        return super().receive_data_chunk(raw_data, start)
