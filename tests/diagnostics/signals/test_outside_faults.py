"""Outside systems out of reach, told apart from Flink's own connections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from diagnostics.signals.outside_faults import measure
from tests.diagnostics.hand_made import START, hand_made, line_of_jobs, needs, only

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

    from diagnostics.signal import FactValue

pytestmark = pytest.mark.spark

DRIVER = "org.postgresql.util.PSQLException: The connection attempt failed."


def failed(second: float, exception: str, message: str, *, within: str = DRIVER, **rest: Any) -> dict[str, Any]:
    return {
        "ts_ms": START + int(second * 1000),
        "process": "jobmanager",
        "message": "Sink: documents (1/2) (x) switched from INITIALIZING to FAILED on tm-1 @ host.",
        "vertex": "Sink: documents",
        "subtask": 0,
        "exception_class": exception,
        "root_cause_class": exception,
        "root_cause_message": message,
        "root_cause_frame": "java.net.AbstractPlainSocketImpl.connect",
        "user_frame": "org.acme.DocumentSink.open",
        "causes": f"{within}\n{exception}: {message}",
        **rest,
    }


def facts_of(spark: SparkSession, *log: dict[str, Any]) -> Mapping[str, FactValue]:
    return only(measure(hand_made(spark, **line_of_jobs(), log_record=log)), "outside_faults").facts


def test_a_name_that_is_not_resolved_is_told_with_system_and_host(spark: SparkSession) -> None:
    facts = facts_of(spark, *(failed(second, "java.net.UnknownHostException", "db.internal") for second in (1, 11, 21)))
    assert (facts["kind"], facts["system"], facts["host"]) == (
        "its name cannot be resolved",
        "PostgreSQL",
        "db.internal",
    )
    assert (facts["rounds"], facts["opening"], facts["is_first"]) == (3, True, True)


def test_a_connection_between_taskmanagers_is_none_of_it(spark: SparkSession) -> None:
    told = "org.apache.flink.runtime.io.network.netty.exception.RemoteTransportException: to task manager 'tm-2'"
    facts = facts_of(spark, failed(1, "java.net.ConnectException", "Connection refused", within=told))
    assert facts["unreachable"] == 0


def test_without_logs_nothing_is_measured(spark: SparkSession) -> None:
    assert needs(measure(hand_made(spark))) == {"outside_faults": "jobmanager-log"}
