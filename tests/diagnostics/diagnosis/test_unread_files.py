"""What a verdict says of files that were not read, or not to their end."""

from __future__ import annotations

from diagnostics.diagnosis.judge import judge
from tests.diagnostics.diagnosis.test_verdict import INPUTS, RULES, signal

CUT = {"file": "b.zip", "format": None, "refused": True, "warnings": ["cut off in the middle of a file", "other"]}
NOTE = {"file": "note.txt", "format": None, "warnings": ["not recognised as evidence: kept as an attachment"]}


def test_a_verdict_without_a_cause_says_which_files_were_cut_off() -> None:
    said = "Not read, or not to the end: b.zip (cut off in the middle of a file)."
    undecided = judge([signal("load", skew=0)], [*INPUTS, NOTE, CUT], RULES)["verdict"]["summary"]
    assert undecided.endswith(f"Not understood, and so not judged: note.txt. {said}")
    well = judge([signal("checkpoints", completed=9)], [*INPUTS, NOTE, CUT], RULES)["verdict"]
    assert (well["symptom_class"], well["summary"].endswith(said)) == ("healthy", True)
    cause = judge([signal("load", skew=3)], [*INPUTS, NOTE, CUT], RULES)["verdict"]["summary"]
    assert "b.zip" not in cause
