"""Advice goes to the system that the measurements name."""

from __future__ import annotations

import re
from typing import Any

import pytest

from diagnostics.runbook import fill, runbooks

SUBJECT = {"job": "f" * 32, "vertex": "enrich", "vertex_id": "e" * 32}


def commands_for(system: str) -> str:
    """All commands of the runbook for look-ups in this system."""
    signal: dict[str, Any] = {"key": "blocking_calls", "level": "vertex", "subject": SUBJECT}
    signal |= {"facts": {"system": system}, "citations": [], "citation_count": 0}
    filled = fill(runbooks()["slow-dimension-join"], {"subject": SUBJECT}, [signal])
    return "\n".join(look["command"] for step in filled["steps"] for look in step["look"])


@pytest.mark.parametrize("system", ["HTTP", "Redis", "MySQL"])
def test_only_look_ups_in_postgresql_get_its_commands(system: str) -> None:
    assert "psql" in commands_for("PostgreSQL")
    assert "psql" not in commands_for(system)


def test_psql_gets_a_user_and_a_database() -> None:
    assert "-U <database-user> -d <database> -c" in commands_for("PostgreSQL")


def test_no_code_names_the_state_of_a_job_that_the_evidence_does_not_show() -> None:
    """A made-up name compiles, and the job then starts with empty state without an error."""
    changes = [change for book in runbooks().values() for step in book.steps for change in step.changes]
    named = re.compile(r'StateDescriptor<>\("(?!\{job_code\.state_name\}(?:-ttl)?"|<)')
    assert not [change for change in changes if named.search(change.before + change.after)]
