"""What may be imported of the library's plural folders: their contract, and never a single file by name."""

from __future__ import annotations

from tests.architecture.import_graph import arrows, room

HOUSE = "diagnostics"

CONTRACTS = {"signals": "signal", "formats": "format", "charts": "chart", "aggregators": "aggregator"}
"""What may be named of a plural folder: its contract, and of aggregators each one, since they are the questions."""


def test_nothing_imports_a_format_signal_or_chart_by_name() -> None:
    plural = ("formats", "signals", "charts")
    by_name = [
        f"{module} imports {target}"
        for module, target in arrows(HOUSE)
        if room(target) in plural
        and room(module) != room(target)
        and target.count(".") > 1
        and target.split(".")[2] != CONTRACTS[room(target)]
    ]
    assert by_name == []
