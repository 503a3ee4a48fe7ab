"""Source in which a state's previous value is needed for the next one, and source in which it is merely merged."""

from __future__ import annotations

import time

from diagnostics.notation.code_state import previous_results

OWN_METHOD = """
public class Dunes extends RichFlatMapFunction<Reading, Level> {
    @Override
    public void flatMap(Reading reading, Collector<Level> out) throws Exception {
        Level previous = level.value();
        %s
        level.update(next);
        out.collect(next);
    }

    private Level smoothed(Level previous, Reading reading) {
        if (reading == null) { return previous; } else if (reading.isOld()) { return previous; }
        return previous.towards(reading);
    }
}
"""


def test_a_previous_value_given_to_a_method_of_the_job_is_needed() -> None:
    [read] = previous_results(OWN_METHOD % "Level next = smoothed(previous, reading);")
    assert (read.receiver, read.arguments, read.line) == ("level", ("smoothed",), 5)


def test_a_value_that_is_merged_or_compared_is_not_needed() -> None:
    for statement in (
        "long next = Math.max(previous, reading.value);",
        "long next = previous + 1;",
        "if (previous == null) { next = reading.first(); }",
        "Level next = other.smoothed(previous);",
        "Level next = smoothed(first, reading);",
    ):
        assert not list(previous_results(OWN_METHOD % statement))


def test_source_made_to_go_back_ends() -> None:
    calls = "void flatMap(X x) {\n X v = s.value();\n" + "foo(v);\n" * 2_000 + "s.update(v);\n}\n"
    for filling in ("a<" * 500_000, "a " * 500_000, "a b(" * 250_000, "a b()" * 200_000, " " * 1_000_000):
        begun = time.process_time()
        list(previous_results(calls + filling))
        assert time.process_time() - begun < 3
