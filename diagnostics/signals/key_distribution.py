"""Distribution of the sampled input events over their keys."""

from __future__ import annotations

from collections.abc import Mapping

from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.events.places import EventPlace, first_events
from diagnostics.reconstruction.events.totals import EventTotals, event_totals
from diagnostics.reconstruction.job.cluster import Cluster, cluster_of
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition
from diagnostics.wording.cited_text import FIRST_OF_KEY, cited_text

FEWEST_EVENTS = 200
"""How many events a sample must hold. Our choice: 5 % is then ten events."""
HOT_KEY_RATIO = 0.1
"""From this share of all events on a key is listed as hot. Our choice: it makes one of ten subtasks hot by itself."""


def measure(evidence: Evidence) -> Measured:
    """The most frequent keys of the event sample.

    Reads   event: one row per input event.
    Gives   one signal of the case.
    Empty   NotMeasured without events, or when they carry no key.
    """
    if not evidence.has("event"):
        yield NotMeasured("key_distribution", "event-sample", "no file holds input events")
        return
    totals = event_totals(evidence)
    if totals.keyed < FEWEST_EVENTS:
        yield NotMeasured("key_distribution", "event-sample", f"fewer than {FEWEST_EVENTS} events with a key")
        return
    hot = [key for key, events in totals.frequent if events / totals.keyed >= HOT_KEY_RATIO]
    shown = hot or [totals.frequent[0][0]]
    yield _signal(totals, len(hot), first_events(evidence, shown), cluster_of(evidence))


def _signal(totals: EventTotals, hot: int, places: Mapping[str, EventPlace], cluster: Cluster) -> Signal:
    """The signal of the case; the `hot` most frequent keys are hot."""
    events = totals.keyed
    top_key, top_events = totals.frequent[0]
    hot_events = sum(count for _, count in totals.frequent[:hot])
    facts: dict[str, FactValue] = {
        "events": events,
        "distinct_keys": totals.keys,
        "top_key": top_key,
        "top_key_events": top_events,
        "top_key_share_ratio": top_events / events,
        "top_multiple_ratio": top_events * totals.keys / events,
        "hot_keys": [key for key, _ in totals.frequent[:hot]],
        "hot_key_count": hot,
        "hot_keys_share_ratio": hot_events / events,
    }
    if len(totals.frequent) > 1:
        second_key, second_events = totals.frequent[1]
        facts |= {"second_key": second_key, "second_key_share_ratio": second_events / events}
    parallelism = _keyed_parallelism(cluster)
    if parallelism:
        facts["keyed_parallelism"] = parallelism
        facts["hot_key_multiple_ratio"] = top_events / events * parallelism
    return Signal(
        key="key_distribution",
        subject=Subject(),
        facts=facts,
        citations=tuple(_first_event(places[key], count, events) for key, count in totals.frequent[: max(hot, 1)]),
        citation_count=hot_events or top_events,
    )


def _keyed_parallelism(cluster: Cluster) -> int | None:
    """Highest parallelism among tasks that read by key, when at least one has two or more subtasks."""
    keyed = [
        task.parallelism
        for vertex, task in cluster.tasks.items()
        if task.parallelism and any(strategy == "HASH" for _, strategy in cluster.inputs.get(vertex, ()))
    ]
    return max((each for each in keyed if each > 1), default=None)


def _first_event(place: EventPlace, count: int, events: int) -> Citation:
    return Citation(
        file_id=place.file_id,
        line=place.line,
        last_line=place.last_line,
        pointer=place.pointer,
        kind="event",
        text=cited_text(FIRST_OF_KEY, count=f"{count:,}", key=place.key, events=f"{events:,}"),
        name="key",
        value=place.key,
    )


SIGNALS = (
    SignalDefinition(
        key="key_distribution",
        level="case",
        facts={
            "events": "events in the sample that carry a key",
            "distinct_keys": "different keys among them",
            "top_key": "the most frequent key",
            "top_key_events": "its events",
            "top_key_share_ratio": "part of the events with the most frequent key, 0 to 1",
            "top_multiple_ratio": "events of the most frequent key as a multiple of an average key's",
            "second_key": "the second most frequent key",
            "second_key_share_ratio": "part of the events with the second most frequent key, 0 to 1",
            "hot_keys": "keys with a tenth of the events or more",
            "hot_key_count": "how many those are",
            "hot_keys_share_ratio": "their part of the events together, 0 to 1",
            "keyed_parallelism": "highest parallelism of a task that reads by key",
            "hot_key_multiple_ratio": "top key's events as a multiple of the hottest task's even share",
        },
        measure=measure,
    ),
)
