"""Exceptions that state, for the user, why a file is not accepted."""

from __future__ import annotations

from django.core.exceptions import RequestDataTooBig

from workbench.languages.sentences import say


class UploadRefused(Exception):
    """A file is refused; the text is for the user."""


class TooLarge(UploadRefused):
    """A limit on sizes or numbers is exceeded; the text names it."""


class FileTooBig(RequestDataTooBig):
    """A file exceeds its limit while it arrives; the text names both."""


class AlreadyInCase(UploadRefused):
    """The case has this file already, under the same path; `name` is the earlier one's."""

    def __init__(self, name: str) -> None:
        super().__init__(say("The same file is already in this case as {name}.", name=name))
        self.name = name
