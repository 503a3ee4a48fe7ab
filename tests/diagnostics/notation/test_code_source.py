"""Which sources of a job's code keep in memory what they cannot send yet."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from diagnostics.notation.code_source import attached_sources, sources_by_clock, sources_of_own_records
from diagnostics.notation.source_text import without_comments
from tests.diagnosed_corpus import CORPUS

SOURCE = """env.addSource(new Orders(rate)).keyBy(o -> o.id);
class Orders extends RichParallelSourceFunction<Order> {{
  {field}
  public void run(SourceContext<Order> ctx) throws Exception {{
    long t0 = System.nanoTime();
    long sent = 0;
    while (running) {{
      {due}
      while (running && sent < due) {{ ctx.collect(next()); sent++; }}
      Thread.sleep(5);
    }}
  }}
}}"""
BY_CLOCK = "long due = (System.nanoTime() - t0) / 1_000_000L * rate / 1000;"


def found(due: str, field: str = "int rate;") -> list[tuple[str, int]]:
    return list(sources_by_clock(SOURCE.format(due=due, field=field)))


def test_a_source_that_sends_what_is_due_by_the_clock_is_named_with_the_line_of_its_count() -> None:
    assert found(BY_CLOCK) == [("Orders.sent", 9)]
    assert found("long el = System.currentTimeMillis() - t0; long due = el * rate / 1000;") == [("Orders.sent", 9)]


@pytest.mark.parametrize("due", ["long due = rate / 50;", "long due = queue.size();", "long due = sent + 10;"])
def test_a_source_that_sends_so_many_at_a_time_owes_nothing(due: str) -> None:
    assert found(due) == []


def test_a_count_that_a_checkpoint_holds_is_not_lost() -> None:
    assert found(BY_CLOCK, "public void snapshotState(FunctionSnapshotContext c) { state.add(sent); }") == []


def test_a_class_that_is_no_source_of_the_job_does_not_count() -> None:
    text = SOURCE.format(due=BY_CLOCK, field="").replace("addSource", "process")
    assert (attached_sources(text), list(sources_by_clock(text))) == ([], [])


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not on this machine")
def test_the_sources_of_the_corpus_are_told_apart() -> None:
    by_clock = {"OrderSource", "CartSource", "GatewaySource", "ClickSource"}
    for path in sorted(CORPUS.glob("*/conf/*.java")):
        plain = without_comments(Path(path).read_text("utf-8"))
        told = {name.partition(".")[0] for name, _ in sources_by_clock(plain)}
        assert told == {name for name, _ in attached_sources(plain)} & by_clock, path


def test_a_source_that_makes_its_records_by_chance_and_reads_nothing_is_named() -> None:
    def made(field: str) -> list[str]:
        return [name for name, _ in sources_of_own_records(SOURCE.format(due=BY_CLOCK, field=field))]

    assert made("Random rnd = new Random(5);") == ["Orders"]
    assert made("Random rnd; BufferedWriter tap = Files.newBufferedWriter(path); OutputStream copy;") == ["Orders"]
    assert made("Random rnd; List<String> names = Files.readAllLines(path);") == []
    assert made("int rate;") == []
    assert made("Random jitter = new Random(); BufferedReader in;") == []
    assert made("ThreadLocalRandom r; KafkaConsumer<String, Order> consumer;") == []


def test_source_made_to_go_back_ends() -> None:
    begun = time.process_time()
    for filling in ("long a = System.nanoTime() - a; " * 1_000, "while (a < " * 2_000, "long a = " * 3_000):
        list(sources_of_own_records("addSource(new S()); class S { " + filling + " }"))
        list(sources_by_clock("addSource(new S()); class S { public void run(Object c) { " + filling + " } }"))
    assert time.process_time() - begun < 6
