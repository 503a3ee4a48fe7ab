"""What a diagnosis says to do first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diagnostics.diagnosis.missing import needs
from diagnostics.language import in_reader_language, say
from diagnostics.wording.phrase import within_sentence

UNDECIDED, UNEXPLAINED = "inconclusive", "unexplained_error"
LOG = "jobmanager-log"
"""The kind of evidence whose records would show trouble."""


def first_step_of(document: Mapping[str, Any]) -> str | None:
    """The first step of the root cause; without one, that of what is seen and nothing explains.

    Where nothing stands out and the files do not show whether the job is well: to change nothing, and the one file that
    decides.

    document  of an analysis, in the reader's language
    """
    findings = document["findings"]
    leading = [each for each in findings if each["role"] == "root_cause"] or [
        each
        for each in findings
        if each["role"] == "consequence" and each["caused_by"] is None and each["severity"] != "info"
    ]
    stated = next((each["first_step"] for each in leading if each.get("first_step")), None)
    return stated if stated or leading else _step_for_quiet_files(document)


def _step_for_quiet_files(document: Mapping[str, Any]) -> str | None:
    """Not to act on logs without trouble, and what to add; None where something stands out, or no file would help."""
    missing = document.get("split") or next(iter(document.get("missing_evidence", ())), None)
    stands_out = any(
        each["severity"] != "info" or each["symptom_class"] == UNEXPLAINED for each in document["findings"]
    )
    log = in_reader_language(needs()[LOG].what)
    was_read = any(each["read"] and each["evidence"] == log for each in document.get("looked_at", ()))
    if stands_out or not was_read or missing is None or document["verdict"]["symptom_class"] != UNDECIDED:
        return None
    return say(
        "Change nothing on account of these files: no record of them is known to ask for it. Whether the job is well"
        " they cannot show; one file decides: {what} ({how}).",
        what=within_sentence(missing["what"]),
        how=missing["how"],
    )
