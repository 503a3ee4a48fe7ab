"""One sentence of Flink's log in every layout, for the tests of what is done with lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from diagnostics.formats.flink_log import FORMAT
from tests.diagnostics.formats.reading_aids import read

COORDINATOR = "org.apache.flink.runtime.checkpoint.CheckpointCoordinator"
JOB = "a3b1c2d4e5f60718293a4b5c6d7e8f90"
COMPLETED = (
    f"Completed checkpoint 17 for job {JOB} (1048576 bytes, checkpointDuration=5230 ms, finalizationTime=12 ms)."
)
AT_01_31_39_633 = 1_795_224_699_633
"""2026-11-21T01:31:39.633Z"""

LAYOUTS = {
    "log4j 2": f"2026-11-21 01:31:39,633 INFO  {COORDINATOR:<60} [] - {COMPLETED}",
    "log4j 1": f"2026-11-21 01:31:39,633 INFO  {COORDINATOR:<60}  - {COMPLETED}",
    "logback": f"2026-11-21 01:31:39.633 [main] INFO  {COORDINATOR}  - {COMPLETED}",
    "thread before the logger": f"2026-11-21 01:31:39,633 INFO  [main] {COORDINATOR} [] - {COMPLETED}",
    "thread as context": f"2026-11-21 01:31:39,633 INFO  {COORDINATOR:<60} [main] - {COMPLETED}",
    "unpadded": f"2026-11-21 01:31:39,633 INFO {COORDINATOR} - {COMPLETED}",
    "long logger": f"2026-11-21 01:31:39,633 INFO  org.apache.flink.a.very.long.package.{COORDINATOR} [] - {COMPLETED}",
    "ISO time with zone": f"2026-11-21T03:31:39.633+02:00 INFO  {COORDINATOR} [] - {COMPLETED}",
    "brackets": f"[2026-11-21 01:31:39,633] INFO {COORDINATOR} - {COMPLETED}",
    "logback with MDC": f"2026-11-21 01:31:39.633 [Map [x] (1/2)#0] INFO  {COORDINATOR} task-1 - {COMPLETED}",
    "level first": f"INFO  2026-11-21 01:31:39,633 {COORDINATOR} [] - {COMPLETED}",
    "level first in brackets": f"[INFO ] 2026-11-21 01:31:39.633 {COORDINATOR} - {COMPLETED}",
    "zone by name": f"2026-11-21 01:31:39,633 UTC INFO  {COORDINATOR} - {COMPLETED}",
    "zone of several": f"2026-11-21 01:31:39,633 CST INFO  {COORDINATOR} - {COMPLETED}",
    "zone apart": f"2026-11-21 03:31:39,633 +0200 INFO  {COORDINATOR} - {COMPLETED}",
    "thread between bars": f"2026-11-21 01:31:39.633 | INFO  | main | {COORDINATOR} | {COMPLETED}",
    "operator": f"2026-11-21 01:31:39,633 {COORDINATOR:<30} [INFO ][flink/orders] {COMPLETED}",
    "operator 1.0": f"2026-11-21 01:31:39,633 {COORDINATOR:<30} [INFO ] [flink.orders] {COMPLETED}",
    "tabs of Go": f"2026-11-21T01:31:39.633Z\tINFO\t{COORDINATOR}\t{COMPLETED}",
    "tabs of Go with the place": f"2026-11-21T01:31:39.633Z\tINFO\t{COORDINATOR}\tsource/a.go:64\t{COMPLETED}",
    "slashes, no fraction": f"26/11/21 01:31:39 INFO {COORDINATOR}: {COMPLETED}",
}


def rows(text: str, folder: Path) -> list[dict[str, Any]]:
    """The log records of a text."""
    return read(FORMAT, text, folder).rows["log_record"]
