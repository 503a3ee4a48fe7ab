"""How long a Kafka transaction survives a stop."""

from __future__ import annotations

from tests.diagnostics.calculators.worked_example import outcome, shown


def test_a_transaction_survives_what_the_timeout_leaves_beside_interval_and_checkpoint() -> None:
    """15 min - (10 min + 2 min) = 3 min; ten minutes down are 7 min too long."""
    values = {"timeout_ms": 900_000.0, "interval_ms": 600_000.0, "duration_ms": 120_000.0, "broker_max_ms": 900_000.0}
    found = outcome("kafka-transactions", down_ms=600_000.0, **values)
    assert shown(found)["Down time that it survives"] == "15 min - 12 min = 3 min"
    assert found.results["window_ms"] == 7 * 60_000
    assert "transaction.max.timeout.ms" in found.refusals[0]
    assert outcome("kafka-transactions", down_ms=0.0, **values | {"timeout_ms": 600_000.0}).advice == "do not"
