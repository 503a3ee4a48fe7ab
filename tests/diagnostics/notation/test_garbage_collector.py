"""The collectors of the JVM, however a file names them."""

from __future__ import annotations

from collections import Counter

import pytest

from diagnostics.notation.garbage_collector import COLLECTORS, RECORDED_KINDS, GarbageCollector, collector_recorded
from diagnostics.notation.jvm_flag import flag_facts


def test_no_two_collectors_share_a_name_an_announcement_or_a_flag() -> None:
    names = [collector.name for collector in COLLECTORS]
    announced = [collector.announced for collector in COLLECTORS]
    flags = [flag for collector in COLLECTORS for flag in collector.flags]
    assert [each for each, count in Counter([*names, *flags]).items() if count > 1] == []
    assert len(set(announced)) == len(announced)


@pytest.mark.parametrize("collector", COLLECTORS, ids=lambda collector: collector.name)
def test_each_flag_selects_its_collector(collector: GarbageCollector) -> None:
    for flag in collector.flags:
        assert list(flag_facts(f"-XX:+{flag}")) == [("gc.collector", collector.name)]
        assert list(flag_facts(f"-XX:-{flag}")) == [(f"flag.{flag}", "false")]


@pytest.mark.parametrize(
    ("recorded", "collector", "kind"),
    [
        ("G1New", "G1", "young"),
        ("ParallelOld", "Parallel", "full"),
        ("DefNew", "Serial", "young"),
        ("ParNew", "CMS", "young"),
        ("ZGC Minor", "ZGC", "concurrent"),
        ("SerialOld", None, "full"),
        ("a later one", None, None),
    ],
)
def test_a_recorded_collection_has_its_collector_and_kind(
    recorded: str, collector: str | None, kind: str | None
) -> None:
    assert (collector_recorded(recorded), RECORDED_KINDS.get(recorded)) == (collector, kind)


def test_collectors_that_record_the_same_collection_agree_on_its_kind() -> None:
    kinds = [(name, kind) for collector in COLLECTORS for name, kind in collector.recorded.items()]
    assert len({name for name, _ in kinds}) == len(set(kinds))
