"""What a signal asks for where it is not measured is a kind of evidence that the page can name."""

from __future__ import annotations

import ast
from pathlib import Path

import diagnostics.signals
from diagnostics.diagnosis.missing import needs

FOLDER = Path(diagnostics.signals.__file__).parent


def asked_for() -> set[tuple[str, str]]:
    """(file, the literal kind of evidence) of every NotMeasured of the folder."""
    calls = (
        (path.name, node)
        for path in FOLDER.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "NotMeasured"
    )
    return {
        (name, node.args[1].value)
        for name, node in calls
        if len(node.args) > 1 and isinstance(node.args[1], ast.Constant) and isinstance(node.args[1].value, str)
    }


def test_every_signal_asks_for_a_kind_of_evidence_that_is_known() -> None:
    asked = asked_for()
    assert len(asked) > 20
    assert [(name, kind) for name, kind in sorted(asked) if kind not in needs()] == []
