"""Evidence table `tcp_sample`: TCP counters of one connection or of a whole host at one time."""

from __future__ import annotations

from diagnostics.evidence.table import Column, Table

TABLE = Table(
    "tcp_sample",
    "what was counted of TCP until one time, of one connection or of a whole host; counters since its start",
    (
        Column("ts_ms", "long", "time that the file states, epoch milliseconds UTC"),
        Column(
            "seen_by",
            "string",
            "`capture` for packets seen on the wire, counted since the capture began; null for what a kernel counted",
        ),
        Column("host", "string", "what identifies the host: its network addresses (MAC), where the file has them"),
        Column("local_address", "string", "address of this side; null for the whole host"),
        Column("local_port", "int", "port of this side"),
        Column("peer_address", "string", "address of the other side"),
        Column("peer_port", "int", "port of the other side"),
        Column("state", "string", "state of the connection, e.g. ESTAB"),
        Column("segments_out", "long", "segments sent with data (connection), or all segments sent (host)"),
        Column("segments_retransmitted", "long", "segments sent again"),
        Column("bytes_out", "long", "bytes sent, with those sent again"),
        Column("bytes_retransmitted", "long", "bytes sent again"),
        Column("timeouts", "long", "retransmission timeouts of the whole host"),
        Column("aborted", "long", "connections that were given up after timeouts, of the whole host"),
        Column("backoff", "int", "how often the retransmission timeout has doubled without an answer"),
        Column("rto_ms", "double", "present retransmission timeout"),
        Column("rtt_ms", "double", "smoothed round-trip time"),
        Column("silent_ms", "double", "time since the other side acknowledged anything"),
        Column("waiting_bytes", "long", "bytes that wait to be acknowledged (Send-Q)"),
    ),
)
