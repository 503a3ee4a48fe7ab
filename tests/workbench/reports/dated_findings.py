"""Findings with the moment at which they began, and lines that show it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.analyses.models import Analysis


def line_at(time: str, text: str) -> dict[str, Any]:
    """A cited line of a log."""
    return {"file": "logs/jm.log", "line": 1, "kind": "log", "ts": f"2026-11-20T{time}Z", "text": text}


def with_findings(analysis: Analysis, *changes: Mapping[str, Any]) -> Analysis:
    """The analysis with one finding for each of the changes of its own."""
    base = analysis.document["findings"][0]
    analysis.document["findings"] = [{**base, "subject": {}, **each} for each in changes]
    analysis.save(update_fields=["document"])
    return analysis


def began(time: str, at_start: bool = False) -> dict[str, Any]:
    return {"ts": f"2026-11-20T{time}Z", "at_start": at_start}
