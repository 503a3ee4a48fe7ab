"""Each sample of the catalogue, read as a record of its class, matches its own event."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from diagnostics.log_scan.matching import match_events
from diagnostics.log_scan.selection import scanner_of
from diagnostics.notation.log_event import EventSample, LogEvent, catalogue

SAMPLES = [(event, sample) for event in catalogue() for sample in event.samples]


def read(sample: EventSample) -> dict[str, object]:
    """The columns that one record with the sample as its message fills."""
    line = sample.text.encode() + b"\n"
    starts, ends = np.array([0], np.int64), np.array([len(line) - 1], np.int64)
    columns = match_events(
        scanner_of(None).hits_in(line, starts),
        ends,
        pa.array([sample.text]),
        pa.array([f"org.apache.flink.{sample.logger}"]),
        lambda _: sample.text,
    )
    return {name: column[0].as_py() for name, column in columns.items()}


@pytest.mark.parametrize(
    ("event", "sample"),
    SAMPLES,
    ids=[f"{event.id}-{sample.version}-{place}" for place, (event, sample) in enumerate(SAMPLES)],
)
def test_a_sample_matches_its_own_event(event: LogEvent, sample: EventSample) -> None:
    assert read(sample)["event"] == event.id


def test_a_decline_of_1_5_states_its_checkpoint_and_its_job() -> None:
    job_id = "a3b1c2d4e5f60718293a4b5c6d7e8f90"
    text = f"Decline checkpoint 17 by task b3b1c2d4e5f60718293a4b5c6d7e8f91 of job {job_id}."
    told = read(EventSample("1.5", "CheckpointCoordinator.java", text))
    assert (told["event"], told["checkpoint_id"], told["job_id"]) == ("jm.ckpt.decline", 17, job_id)


def test_a_discarded_checkpoint_of_1_6_states_its_reason() -> None:
    text = "Discarding checkpoint 17 of job a3b1c2d4e5f60718293a4b5c6d7e8f90 because: Task Map (1/4) was not running"
    told = read(EventSample("1.6", "CheckpointCoordinator.java", text))
    assert told["reason"] == "Task Map (1/4) was not running"


def test_a_text_that_only_begins_like_an_event_is_not_an_event() -> None:
    told = read(EventSample("1.5", "JobManager.scala", "Task manager statistics are printed when the job terminated"))
    assert told.get("event") is None
