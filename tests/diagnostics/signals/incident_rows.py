"""Log records of a job that fails and restarts, as rows of evidence."""

from __future__ import annotations

from typing import Any

from tests.diagnostics.hand_made import JOB, START


def record(second: int, message: str, **rest: Any) -> dict[str, Any]:
    return {"ts_ms": START + second * 1000, "level": "INFO", "process": "jobmanager", "message": message, **rest}


def switched(second: int, before: str, after: str) -> dict[str, Any]:
    message = f"Job orders ({JOB}) switched from state {before} to {after}."
    return record(second, message, job_id=JOB, state_from=before, state_to=after)


def failed(second: int, name: str, message: str, frame: str, **rest: Any) -> dict[str, Any]:
    texts = {"exception_class": name, "exception_message": message, "root_cause_class": name}
    return record(
        second,
        "enrich (1/2) (0_1_0_0) switched from RUNNING to FAILED on tm-1 @ host.",
        vertex="enrich",
        subtask=0,
        root_cause_message=message,
        root_cause_frame=frame,
        **texts,
        **rest,
    )
