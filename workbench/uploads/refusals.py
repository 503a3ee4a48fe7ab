"""Exceptions that state, for the user, why a file is not accepted."""

from __future__ import annotations


class UploadRefused(Exception):
    """A file is not taken; the text says why, for the user."""


class TooLarge(UploadRefused):
    """A bound on sizes or numbers was reached; the text names the bound."""


class AlreadyInCase(UploadRefused):
    """The case has this file already, under the same path; `name` is that of the earlier one."""

    def __init__(self, name: str) -> None:
        super().__init__(f"The same file is already in this case as {name}.")
        self.name = name
