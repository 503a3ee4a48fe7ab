"""Signals of one task of one job, judged by all shipped rules."""

from __future__ import annotations

from typing import Any

from diagnostics.diagnosis.judge import judge
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules
from diagnostics.signals import DEFINITIONS

JOB = "0000000000000000000000000000000a"
VERTEX = "000000000000000000000000000000b1"
INPUTS = [{"file": "jm.log", "format": "flink-log"}]
SUBJECTS: dict[str, dict[str, Any]] = {
    "case": {},
    "job": {"job": JOB},
    "vertex": {"job": JOB, "vertex": "score", "vertex_id": VERTEX},
    "task_manager": {"task_manager": "tm-0"},
}


def judged(**facts: dict[str, Any]) -> dict[str, Any]:
    """The document of signals whose keys are given with `_` for `.` where the signal's key has a dot."""
    keys = {key.replace(".", "_"): key for key in DEFINITIONS}
    stored = [
        {
            "key": keys[name],
            "level": DEFINITIONS[keys[name]].level,
            "subject": SUBJECTS[DEFINITIONS[keys[name]].level],
            "facts": of_key,
            "citations": [{"file_id": 0, "line": 7, "kind": "log", "text": "a line"}],
            "citation_count": 1,
            "window": None,
        }
        for name, of_key in facts.items()
    ]
    return judge(stored, INPUTS, Ruleset.of(shipped_rules()))
