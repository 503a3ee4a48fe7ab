"""Which records of a sink no checkpoint holds."""

from __future__ import annotations

import time

import pytest

from diagnostics.notation.code_buffer import unsaved_buffers

SINK = """x.addSink(new Out());
class Out extends RichSinkFunction<Order> {{
  transient List<Order> buf;
  public void invoke(Order o) {{ buf.add(o); if (buf.size() >= 250) flush(); }}
  {more}
}}"""


def test_a_list_that_a_sink_fills_and_nothing_saves_is_named_with_its_line() -> None:
    assert list(unsaved_buffers(SINK.format(more="void flush() { send(buf); buf.clear(); }"))) == [("Out.buf", 3)]


@pytest.mark.parametrize(
    "more",
    [
        "public void snapshotState(FunctionSnapshotContext c) { flush(); }",
        "public void finish() { flush(); }",
        "public void close() { flush(); }",
    ],
)
def test_a_sink_that_writes_its_records_out_at_a_checkpoint_or_at_its_end_is_not(more: str) -> None:
    assert list(unsaved_buffers(SINK.format(more=more))) == []


def test_a_list_that_is_filled_by_no_sink_is_none() -> None:
    assert list(unsaved_buffers(SINK.format(more="").replace("addSink", "map"))) == []
    assert list(unsaved_buffers(SINK.format(more="").replace("buf.add(o);", ""))) == []


def test_source_made_to_go_back_ends() -> None:
    begun = time.process_time()
    for filling in ("List<Order> buf; " * 2_000, "List<" * 7_000, "List<Order> buf = buf.add(" * 1_500):
        list(unsaved_buffers("x.addSink(new Out()); class Out { " + filling + " }"))
    assert time.process_time() - begun < 6
