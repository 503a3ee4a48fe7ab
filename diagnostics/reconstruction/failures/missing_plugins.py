"""Failures because a connector, a format or a file system is not there."""

from __future__ import annotations

from diagnostics.reconstruction.failures.incident_log import IncidentLog, LogEvent
from diagnostics.vocabulary.message_remedies import STATEMENT, shown_by_message


def missing_plugins(log: IncidentLog) -> list[LogEvent]:
    """Records with an exception about a missing connector, format or file system."""
    return [each for each in log.of("missing_plugin") if each.exception_class and not _is_of_a_statement(each)]


def _is_of_a_statement(event: LogEvent) -> bool:
    """Whether the message is known to blame the statement, such as a SELECT from a connector that only writes."""
    said = f"{event.root_cause_class or event.exception_class}: {event.root_cause_message or event.exception_message}"
    return shown_by_message("\n".join(filter(None, (event.causes, said)))) == STATEMENT
