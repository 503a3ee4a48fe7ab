"""Errors with texts that a user can act on."""

from __future__ import annotations


class DiagnosticsError(Exception):
    """Base of all errors whose text may be shown to a user."""


class UnreadableInput(DiagnosticsError):
    """A file cannot be read: truncated, encrypted, or not what its name says.

    The reason names what was expected and what the file holds; the caller adds the file's name.
    """


class LimitExceeded(UnreadableInput):
    """A bound of `diagnostics.intake.limits` was reached; the text names the bound and its value."""


class UnknownFormat(DiagnosticsError):
    """A format id that no file in `diagnostics/formats` registers."""


class NoUsableInput(DiagnosticsError):
    """No file of the upload could be used; the text has one line for each file and its reason."""


class InvalidRule(DiagnosticsError):
    """A rule does not load. `errors` holds every reason, each as `file line N: what`."""

    def __init__(self, errors: list[str]) -> None:
        super().__init__("\n".join(errors))
        self.errors = errors


class AnalysisInterrupted(DiagnosticsError):
    """The Spark work of this analysis was cancelled from outside."""


class SparkUnavailable(DiagnosticsError):
    """Spark cannot be reached or started; the text says what was tried."""


class ServerLost(SparkUnavailable):
    """The Spark server ended, hangs or is missing; the work it did is not at fault."""
