from __future__ import annotations

import json
from typing import Any

import pytest

from diagnostics.errors import UnreadableInput
from diagnostics.profiles.call_tree import call_tree, collapsed, compared, shown
from diagnostics.profiles.changing import changed_frames
from diagnostics.profiles.frame_meaning import explained, meaning, origin
from diagnostics.profiles.heat import heat
from diagnostics.profiles.selection import Selection, choices, completed
from diagnostics.profiles.stored import StoredProfiles
from tests.diagnostics.profiles.stack_rows import OWN, PARK, ROOT, profiles_of_rows, row


def answer_of(*rows: dict[str, Any], selection: Selection | None = None) -> dict[str, Any]:
    profiles = profiles_of_rows(rows)
    return shown(call_tree(profiles, completed(profiles, selection or Selection()).holds))


def weights(answer: dict[str, Any], column: str = "weight") -> dict[str, float]:
    return {answer["names"][name]: value for name, value in zip(answer["name"], answer[column], strict=True)}


def test_frames_that_stacks_share_are_one_node_with_the_sum() -> None:
    answer = answer_of(row(ROOT, OWN, weight=3), row(ROOT, PARK, weight=1))

    assert weights(answer) == {ROOT: 4, OWN: 3, PARK: 1}
    assert weights(answer, "own") == {ROOT: 0, OWN: 3, PARK: 1}


def test_what_is_stored_comes_back_unchanged_and_another_version_is_refused() -> None:
    profiles = profiles_of_rows([row(ROOT, OWN), row(ROOT, PARK, state="WAITING", ts_ms=5)])

    again = StoredProfiles.from_bytes(profiles.to_bytes())

    assert (list(again.names), list(again.parent), again.leaves) == (
        list(profiles.names),
        list(profiles.parent),
        profiles.leaves,
    )
    import zlib

    with pytest.raises(UnreadableInput):
        StoredProfiles.from_bytes(zlib.compress(b'{"version":0}'))


def test_on_and_off_cpu_follow_the_threads_state_and_without_one_the_top_frame() -> None:
    rows = [row(ROOT, PARK, weight=1), row(ROOT, OWN, weight=2), row(ROOT, OWN, weight=4, state="BLOCKED")]

    on, off = (answer_of(*rows, selection=Selection(cpu=cpu))["totals"]["weight"] for cpu in ("on", "off"))

    assert (on, off) == (2, 5)


def test_samples_of_one_subtask_and_of_a_time_can_be_chosen() -> None:
    rows = [row(ROOT, OWN, weight=1, ts_ms=1000), row(ROOT, OWN, weight=2, subtask=1, ts_ms=9000)]

    assert answer_of(*rows, selection=Selection(subtask=1))["totals"]["weight"] == 2
    assert answer_of(*rows, selection=Selection(to_ms=5000))["totals"]["weight"] == 1


def test_kinds_of_profiles_are_never_added_up() -> None:
    rows = [row(ROOT, OWN, weight=1), row(ROOT, OWN, weight=70, profile="thread-dump", mode="dump")]
    profiles = profiles_of_rows(rows)

    chosen = completed(profiles, Selection())

    assert chosen.source == "collapsed:wall"
    assert [each["samples"] for each in choices(profiles, chosen)["sources"]] == [1, 70]
    assert answer_of(*rows)["totals"]["weight"] == 1


def test_profiles_of_different_length_are_compared_as_if_both_had_the_same_number_of_samples() -> None:
    now, before = (
        profiles_of_rows([row(ROOT, OWN, weight=30), row(ROOT, PARK, weight=10)]),
        profiles_of_rows([row(ROOT, OWN)]),
    )
    selection = Selection(source="collapsed:wall")

    answer = shown(compared(call_tree(now, selection.holds), call_tree(before, selection.holds)))

    assert weights(answer, "base") == {ROOT: 40, OWN: 40, PARK: 0}
    assert answer["totals"] == {"weight": 40, "base": 1}


def test_a_path_that_is_gone_stays_in_the_comparison() -> None:
    now, before = profiles_of_rows([row(ROOT, OWN)]), profiles_of_rows([row(ROOT, PARK)])
    selection = Selection(source="collapsed:wall")

    answer = shown(compared(call_tree(now, selection.holds), call_tree(before, selection.holds)))

    assert (weights(answer)[PARK], weights(answer, "base")[PARK]) == (0, 1)


def test_a_hundred_thousand_stacks_fit_in_one_answer_that_shows_what_it_left_out() -> None:
    rows = [row(ROOT, *(f"com.acme.Step{place % (7 + depth)}.run" for depth in range(12)), f"com.acme.Leaf{place}.run")
            for place in range(100_000)]  # fmt: skip

    answer = answer_of(*rows)

    assert len(json.dumps({**answer, **explained(answer["names"])}, separators=(",", ":"))) < 1_000_000
    assert answer["left_out"] > 0
    assert answer["totals"]["weight"] == 100_000
    assert answer["functions"][answer["names"].index(ROOT)][:2] == [0, 100_000]
    assert sum(answer["own"]) + sum(answer["cut"]) == 100_000


def test_zooming_in_brings_what_was_left_out_below_that_frame() -> None:
    rows = [row(ROOT, f"com.acme.Step{place % 2}.run", f"com.acme.Leaf{place}.run") for place in range(40_000)]
    profiles = profiles_of_rows(rows)
    tree = call_tree(profiles, Selection(source="collapsed:wall").holds)
    step = tree.names.index("com.acme.Step1.run")
    node = tree.name.index(step)

    inside = shown(tree, node)

    assert {inside["names"][name] for name in inside["name"][:2]} == {ROOT, "com.acme.Step1.run"}
    assert "com.acme.Step0.run" not in inside["names"]


def test_stacks_leave_as_collapsed_lines() -> None:
    profiles = profiles_of_rows([row(ROOT, "a;b", weight=2)])

    assert collapsed(profiles, Selection(source="collapsed:wall").holds) == [f"{ROOT};a,b 2"]


def test_known_frames_are_explained_and_the_jobs_own_code_is_distinguished() -> None:
    assert origin(OWN) == "own"
    assert origin("org.apache.flink.runtime.taskmanager.Task.run") == "flink"
    assert origin("org.rocksdb.RocksDB.get") == "state"
    assert "back pressured" in (
        meaning("org.apache.flink.runtime.io.network.buffer.LocalBufferPool.requestMemorySegmentBlocking") or ""
    )
    assert "PostgreSQL" in (meaning("org.postgresql.jdbc.PgPreparedStatement.executeQuery") or "")
    assert meaning(OWN) is None


def test_functions_that_took_more_of_the_samples_are_reported_with_both_shares() -> None:
    times = [row(ROOT, PARK, weight=90, ts_ms=1), row(ROOT, OWN, weight=10, ts_ms=1)]
    times += [row(ROOT, PARK, weight=50, ts_ms=5), row(ROOT, OWN, weight=50, ts_ms=5)]

    source, found = changed_frames(profiles_of_rows(times), (0, 2), (4, 6))

    assert source == "Profiler, wall clock"
    assert {each["name"]: (each["normal"], each["bad"]) for each in found} == {PARK: (0.9, 0.5), OWN: (0.1, 0.5)}
    assert changed_frames(profiles_of_rows(times), (0, 2), (0, 2)) == ("Profiler, wall clock", [])


def test_samples_without_a_time_are_not_compared() -> None:
    assert changed_frames(profiles_of_rows([row(ROOT, OWN, weight=9)]), (0, 2), (4, 6)) == (None, [])


def test_samples_are_counted_by_task_and_slot_of_time_and_gaps_stay_gaps() -> None:
    rows = [row(ROOT, OWN, ts_ms=0), row(ROOT, PARK, weight=2, ts_ms=500), row(ROOT, OWN, weight=4, ts_ms=3_200)]
    rows.append(row(ROOT, OWN, vertex="Sink", ts_ms=3_200))
    profiles = profiles_of_rows(rows)

    told = heat(profiles, completed(profiles, Selection()))
    on_cpu = heat(profiles, completed(profiles, Selection(cpu="on")))

    assert told
    assert (told["from_ms"], told["slot_ms"], told["slots"]) == (0, 1_000, 4)
    assert [(each["title"], each["samples"]) for each in told["rows"]] == [("Score", {0: 3, 3: 4}), ("Sink", {3: 1})]
    assert on_cpu
    assert on_cpu["rows"][0]["samples"] == {0: 1, 3: 4}
    assert profiles.span == (0, 3_200)


def test_samples_of_one_time_give_no_grid() -> None:
    profiles = profiles_of_rows([row(ROOT, OWN, ts_ms=7), row(ROOT, PARK)])

    assert heat(profiles, completed(profiles, Selection())) is None
    assert profiles.span is None
