"""The advice on the garbage collector fits the collector and the Java that were seen (row S052)."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.runbook import fill, runbooks
from tests.diagnostics.runbook.test_runbook import stored

FINDING = {"subject": {"job": "a" * 32}, "runbook": "resource-shortage"}


def proposed(**facts: Any) -> list[str]:
    """The JVM options of the step about the collector."""
    signals = [stored("heap_pressure", "job", {"job": "a" * 32}, **facts)]
    steps = {step["id"]: step for step in fill(runbooks()["resource-shortage"], FINDING, signals)["steps"]}
    changes = [change["to"] for change in steps["collector-and-objects"]["change"]]
    return [each for each in changes if "env.java.opts" in each]


@pytest.mark.parametrize("collector", ["G1", "ZGC", "Shenandoah", None])
@pytest.mark.parametrize("release", [8, 17, None])
def test_who_uses_g1_or_a_concurrent_collector_or_is_unknown_is_not_told_to_switch(
    collector: str | None, release: int | None
) -> None:
    facts = {"collector": collector, "java_release": release}
    assert proposed(**{name: value for name, value in facts.items() if value is not None}) == []


@pytest.mark.parametrize("collector", ["Serial", "Parallel", "CMS"])
def test_the_options_are_those_that_the_java_release_knows(collector: str) -> None:
    (old,) = proposed(collector=collector, java_release=8)
    (new,) = proposed(collector=collector, java_release=17)
    (unknown,) = proposed(collector=collector)

    assert all("-XX:+UseG1GC" in each for each in (old, new, unknown))
    assert ("-Xloggc:" in old, "-Xlog:" in old) == (True, False)
    assert ("-Xloggc:" in new, "-Xlog:gc*" in new, "PrintGCDetails" in new) == (False, True, False)
    assert "log" not in unknown
