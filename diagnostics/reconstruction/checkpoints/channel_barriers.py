"""When the barrier of a checkpoint arrived on each input channel of a subtask, from DEBUG logs of TaskManagers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from diagnostics.aggregators import barrier_records
from diagnostics.aggregators.barrier_records import BEGUN, RECEIVED_BEFORE_1_12
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence, read_once

CHANNEL = re.compile(
    r"Received barrier from channel "
    r"(?:InputChannelInfo\{gateIdx=(?P<gate>\d{1,6}), inputChannelIdx=(?P<index>\d{1,7})\}|(?P<old>\d{1,7}))"
)
"""The channel as Flink prints it: since 1.11 with the index of its input. Source: Flink's InputChannelInfo and
CheckpointBarrierAligner."""

Channel = tuple[int, int]
"""(input, channel of that input), both from 0."""
_Place = tuple[str | None, int, str, int]
"""(job, checkpoint, task, subtask)."""


@dataclass(frozen=True, slots=True)
class Arrivals:
    """The barriers of one checkpoint at one subtask.

    at  channel -> when its barrier arrived, epoch ms
    """

    job_id: str | None
    number: int
    task: str
    subtask: int
    at: Mapping[Channel, int]
    last_citation: Citation

    @property
    def spread_ms(self) -> int:
        """From the first barrier to the last one: as long the channels of an aligned checkpoint are blocked."""
        return max(self.at.values()) - min(self.at.values())

    @property
    def last(self) -> Channel:
        """The channel whose barrier came last."""
        return max(self.at, key=lambda channel: (self.at[channel], channel))


@read_once
def barrier_arrivals(evidence: Evidence) -> list[Arrivals]:
    """The arrivals of each checkpoint at each subtask with at least two channels, computed once for each Evidence.

    Before Flink 1.12 a record names no checkpoint: it belongs to the alignment that its task began last.

    Reads   log_record (DEBUG records of the barrier handlers).
    """
    begun: dict[tuple[str, int], int] = {}
    seen: dict[_Place, dict[Channel, int]] = defaultdict(dict)
    cited: dict[_Place, dict[str, Any]] = {}
    rows = evidence.answer(barrier_records.AGGREGATOR).to_pylist()
    for row in sorted(rows, key=lambda row: (row["ts_ms"] or 0, row["file_id"], row["line"] or 0)):
        if row["ts_ms"] is None or row["vertex"] is None or row["subtask"] is None:
            continue
        place = row["vertex"], row["subtask"]
        if row["event"] == BEGUN:
            begun[place] = row["checkpoint_id"]
            continue
        number = begun.get(place) if row["event"] == RECEIVED_BEFORE_1_12 else row["checkpoint_id"]
        channel = CHANNEL.search(row["message"])
        if number is None or channel is None:
            continue
        key = row["job_id"], number, *place
        seen[key].setdefault((int(channel["gate"] or 0), int(channel["index"] or channel["old"])), row["ts_ms"])
        cited[key] = row
    return [
        Arrivals(key[0], key[1], key[2], key[3], channels, Citation.cite_row(cited[key], "log", cited[key]["message"]))
        for key, channels in seen.items()
        if len(channels) > 1
    ]
