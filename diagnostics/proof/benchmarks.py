"""The benchmarks that both snapshots ran: the duration of each before and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from diagnostics.proof.quantity import Effect, Quantity, judge
from diagnostics.proof.reading import RUNS, reading_of_samples


def benchmark_effects(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Effect]:
    """One for each benchmark and measure of both, in the order of the later file.

    before, after  the points of the chart `benchmark-durations`; a single run has no known noise
    """
    first, second = dict(_runs(before)), dict(_runs(after))
    effects = []
    for name, runs in second.items():
        if name in first:
            title = " ".join(name)
            quantity = Quantity(title, title, "duration", lambda _: None, better="lower")
            sides = (reading_of_samples(each, RUNS) for each in (first[name], runs))
            effects.append(judge(quantity, *sides))
    return effects


def _runs(points: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], Sequence[float]]]:
    for each in points.get("benchmarks", ()):
        for measure, runs in each["runs"].items():
            yield (each["name"], measure), runs
