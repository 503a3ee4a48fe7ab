"""TCP counters, earliest first."""

from __future__ import annotations

from diagnostics.aggregators.aggregator import CITATION_ORDER, first_rows_aggregator

MOST_SAMPLES = 50_000
"""Samples kept, the earliest. Our choice: a hundred connections on five hosts, a hundred times."""

AGGREGATOR = first_rows_aggregator(
    "tcp_samples",
    "tcp_sample",
    (
        "ts_ms",
        "seen_by",
        "host",
        "local_address",
        "local_port",
        "peer_address",
        "peer_port",
        "segments_out",
        "segments_retransmitted",
        "timeouts",
        "backoff",
        "rto_ms",
        "silent_ms",
        "waiting_bytes",
    ),
    lambda rows: rows,
    order=(("ts_ms", "ascending"), *CITATION_ORDER),
    most=MOST_SAMPLES,
)
