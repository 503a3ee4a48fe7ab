"""Evidence table `consumer_position`: position of a Kafka consumer group in one partition at one time."""

from __future__ import annotations

from diagnostics.evidence.table import Column, Table

TABLE = Table(
    "consumer_position",
    "the position of a Kafka consumer group in one partition at one time, as Kafka's own tool reports it",
    (
        Column("ts_ms", "long", "time that the file states, epoch milliseconds UTC"),
        Column("consumer_group", "string", "id of the group"),
        Column("topic", "string", "topic"),
        Column("partition", "int", "its partition"),
        Column("committed_offset", "long", "offset that the group committed; null when it never did"),
        Column("end_offset", "long", "offset of the end of the partition's log"),
        Column("lag", "long", "records between the two; null when the group never committed"),
        Column("host", "string", "host of the consumer; null without an active one"),
    ),
)
