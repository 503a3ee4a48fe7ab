"""The delivery guarantee of a job from end to end: that of the weakest of source, Flink and sink."""

from __future__ import annotations

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.checkpoints.delivery import Delivery, deliveries, notes
from diagnostics.reconstruction.checkpoints.history import checkpoint_histories
from diagnostics.reconstruction.configuration.stated_settings import settings_of, stated_options
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.connectors import MODES, Guarantee, weakest

SHOWN = 6


def measure(evidence: Evidence) -> Measured:
    """What the sources, checkpointing and the sinks of each job allow, and what remains of it from end to end.

    Reads   config_option (the job's code and tables, Kafka's clients), the histories of checkpoints.
    Gives   one signal for each job with a source or a sink that a file names.
    Empty   NotMeasured when no file does.
    """
    found = deliveries(evidence)
    if not found:
        yield NotMeasured("delivery_guarantee", "configuration", "no file names the sources and sinks of a job")
        return
    for job_id, delivery in sorted(found.items(), key=lambda item: str(item[0])):
        yield _signal(evidence, job_id, delivery)


def _signal(evidence: Evidence, job_id: str | None, delivery: Delivery) -> Signal:
    engine = _engine(evidence, job_id)
    source, sink = delivery.source, delivery.sink
    facts: dict[str, FactValue] = {
        "source": source,
        "sources": [each.title for each in delivery.sources] or None,
        "generated": delivery.is_generated,
        "source_notes": notes(delivery.sources, "source") or None,
        "engine": engine,
        "sink": sink,
        "sinks": [each.title for each in delivery.sinks] or None,
        "sink_notes": notes(delivery.sinks, "sink") or None,
        "asks_exactly_once": "exactly once" in delivery.asked,
    }
    if source is not None and engine is not None and sink is not None:
        part, guarantee = weakest(source=source, checkpointing=engine, sink=sink)
        facts |= {"end_to_end": guarantee, "weakest": part}
    return Signal(
        "delivery_guarantee",
        Subject(job=job_id),
        known_facts(facts),
        tuple(delivery.citations[:SHOWN]),
        citation_count=len(delivery.citations),
    )


def _engine(evidence: Evidence, job_id: str | None) -> Guarantee | None:
    """What Flink's own state has by the checkpointing mode; `at most once` without checkpoints, None if unknown."""
    options = stated_options(evidence)
    settings, _ = settings_of(options, job_id)
    history = checkpoint_histories(evidence).get(job_id)
    if settings.get("interval_ms") or (history is not None and history.checkpoints):
        return MODES.get(str(settings.get("mode") or "EXACTLY_ONCE"))
    return "at most once" if options and history is None else None


FACTS = {
    "source": "delivery guarantee that the weakest source allows: at most once, at least once or exactly once",
    "sources": "the sources that files name",
    "generated": "whether all of them generate their records, so that none waits outside while the job is down",
    "source_notes": "how each of them is read again after a failure",
    "engine": "what checkpointing gives Flink's own state",
    "sink": "delivery guarantee of the weakest sink",
    "sinks": "the sinks that files name",
    "sink_notes": "how each of them takes part in a checkpoint",
    "asks_exactly_once": "whether a sink is configured for exactly-once delivery",
    "end_to_end": "the guarantee from end to end, that of the weakest part",
    "weakest": "the weakest part: `source`, `checkpointing` or `sink`",
}

SIGNALS = (SignalDefinition("delivery_guarantee", "job", FACTS, measure),)
