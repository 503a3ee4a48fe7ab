"""Where a sink of a job's source begins a request."""

from __future__ import annotations

import time

import pytest

from diagnostics.notation.code_request import sink_requests

SINK = "x.addSink(new Out()); class Out {{ void send() {{ {code} }} }}"


def requests(code: str) -> list[str]:
    return [statement for statement, _ in sink_requests(SINK.format(code=code))]


def test_the_statement_that_makes_the_connection_of_a_request_begins_it() -> None:
    code = "while (true) { Connection c = url.open(); c.write(p); int rc = c.getResponseCode(); }"
    assert requests(code) == ["Connection c = url.open()"]


@pytest.mark.parametrize(
    "code",
    [
        "int[] n = ps.executeBatch();",
        "PreparedStatement ps = c.prepareStatement(q); for (Row r : rows) { int[] n = ps.executeBatch(); }",
        "if (first) { PreparedStatement ps = c.open(); } int[] n = ps.executeBatch();",
    ],
)
def test_a_connection_that_several_requests_share_does_not_begin_one(code: str) -> None:
    assert requests(code) == ["int[] n = ps.executeBatch()"]


@pytest.mark.parametrize(
    "code",
    ["if (full) ps.executeBatch();", "for (int i = 0; i < 3; i++) ps.executeBatch();", "} else ps.executeBatch();"],
)
def test_what_stands_for_no_place_of_two_statements_is_not_quoted(code: str) -> None:
    assert requests(code) in ([""], [])


def test_a_call_outside_a_sink_is_none_of_its_requests() -> None:
    assert list(sink_requests("x.addSink(new Out()); class LookUp { void m() { ps.executeQuery(); } }")) == []
    assert list(sink_requests("x.map(new Out()); class Out { void m() { ps.executeQuery(); } }")) == []


def test_source_made_to_go_back_ends() -> None:
    begun = time.process_time()
    for filling in (
        "ps.executeBatch();" * 50_000,
        "A ps = b; " * 3_000 + "ps.executeBatch();" * 2_000,
        "addSink(new " * 80_000,
    ):
        list(sink_requests("x.addSink(new Out()); class Out { " + filling + " }"))
    assert time.process_time() - begun < 6
