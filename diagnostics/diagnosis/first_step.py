"""What a diagnosis says to do first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def first_step_of(document: Mapping[str, Any]) -> str | None:
    """The first step of the root cause; without one, that of what is seen and nothing explains.

    document  of an analysis, in the reader's language
    """
    findings = document["findings"]
    leading = [each for each in findings if each["role"] == "root_cause"] or [
        each
        for each in findings
        if each["role"] == "consequence" and each["caused_by"] is None and each["severity"] != "info"
    ]
    return next((each["first_step"] for each in leading if each.get("first_step")), None)
