"""Calls in the source of the job, listed with their lines."""

from __future__ import annotations

import pytest

from diagnostics.notation.code_call import state_removals
from diagnostics.signals import job_code
from tests.diagnostics.hand_made import hand_made, needs, only


def test_calls_of_each_kind_are_listed_with_their_lines() -> None:
    rows = [
        {"kind": "blocking", "name": "executeQuery", "line": 83},
        {"kind": "key-by", "name": "keyBy", "line": 130},
        {"kind": "sink", "name": "addSink", "line": 133},
    ]
    signal = only(job_code.measure(hand_made(code_call=rows)), "job_code")
    facts = signal.facts
    assert (facts["blocking_calls"], facts["blocking"]) == (1, ["executeQuery (line 83)"])
    assert (facts["key_by"], facts["asynchronous_calls"]) == (["keyBy (line 130)"], 0)
    assert "asynchronous" not in facts
    assert facts["state_backend_calls"] == 0
    assert (facts["former_retention_calls"], facts["former_tolerance_calls"], facts["former_producer_calls"]) == (
        0,
        0,
        0,
    )
    assert [each.line for each in signal.citations] == [83, 130]


def test_a_job_makes_its_records_where_each_of_its_sources_does() -> None:
    source, own = {"kind": "source", "name": "A", "line": 3}, {"kind": "source-of-own-records", "name": "A", "line": 9}

    def makes(*rows: dict[str, object]) -> object:
        return only(job_code.measure(hand_made(code_call=list(rows))), "job_code").facts.get("makes_records")

    assert (makes(source, own), makes(source), makes(own)) == (True, False, None)
    assert makes(source, own, {**source, "name": "B"}) is False


def test_results_are_in_sequence_where_the_only_keyed_function_reads_its_state_first() -> None:
    keyed, read = {"kind": "key-by", "name": "keyBy", "line": 130}, {"kind": "previous-result", "name": "v", "line": 9}

    def in_sequence(*rows: dict[str, object]) -> object:
        return only(job_code.measure(hand_made(code_call=list(rows))), "job_code").facts["results_in_sequence"]

    assert in_sequence(keyed, read) is True
    assert in_sequence(keyed) is False
    assert in_sequence(keyed, {**keyed, "line": 140}, read) is False


def test_names_are_stated_where_the_source_has_one_of_what_they_belong_to() -> None:
    rows = [
        {"kind": "state-class", "name": "ValueStateDescriptor", "line": 70},
        {"kind": "state-name", "name": "profile", "line": 70},
        {"kind": "key-by", "name": "keyBy", "line": 90},
        {"kind": "key-part", "name": "userId", "line": 90},
    ]
    facts = only(job_code.measure(hand_made(code_call=rows)), "job_code").facts
    assert (facts["state_class"], facts["state_name"], facts["key_part"]) == (
        "ValueStateDescriptor",
        "profile",
        "userId",
    )

    rows += [
        {"kind": "state-class", "name": "MapStateDescriptor", "line": 71},
        {"kind": "key-by", "name": "keyBy", "line": 99},
    ]
    facts = only(job_code.measure(hand_made(code_call=rows)), "job_code").facts
    assert not {"state_class", "state_name", "key_part"} & set(facts)


@pytest.mark.parametrize(
    ("statement", "kept"),
    [("state.update(x);", "profile"), ("state.clear();", None), ("descriptor.enableTimeToLive(ttl);", None)],
)
def test_a_state_whose_entries_no_call_removes_is_named(statement: str, kept: str | None) -> None:
    rows = [
        {"kind": "state-class", "name": "ValueStateDescriptor", "line": 70},
        {"kind": "state-name", "name": "profile", "line": 70},
        *({"kind": "state-removal", "name": call.name, "line": call.line} for call in state_removals(statement)),
    ]
    assert only(job_code.measure(hand_made(code_call=rows)), "job_code").facts.get("kept_state") == kept


def test_a_file_that_is_there_twice_is_one_source() -> None:
    rows = [{"kind": "key-by", "name": "keyBy", "line": 90}, {"kind": "key-part", "name": "userId", "line": 90}] * 2
    assert only(job_code.measure(hand_made(code_call=rows)), "job_code").facts["key_part"] == "userId"


def test_imports_are_known_of_a_single_file() -> None:
    """A block of code for one job takes nothing from the imports of another one."""
    rows = [{"kind": "import", "name": "java.time.Duration", "line": 1}, {"kind": "key-by", "name": "keyBy", "line": 9}]
    assert only(job_code.measure(hand_made(code_call=rows)), "job_code").facts["imports"] == ["java.time.Duration"]
    other = [{**row, "file_id": 1} for row in rows[1:]]
    assert "imports" not in only(job_code.measure(hand_made(code_call=[*rows, *other])), "job_code").facts


def test_without_source_code_nothing_is_measured() -> None:
    assert needs(job_code.measure(hand_made())) == {"job_code": "configuration"}
