"""Records of a program that fails, and the facts of its failures."""

from __future__ import annotations

from typing import Any

from diagnostics.signals.code_faults import measure
from tests.diagnostics.hand_made import START, hand_made, line_of_jobs, only

OWN = "org.acme.Enrich.map"


def failed(second: float, exception: str, message: str = "", subtask: int = 0, **rest: Any) -> dict[str, Any]:
    told = {"exception_class": exception, "root_cause_class": exception, "root_cause_message": message}
    return {
        "ts_ms": START + int(second * 1000),
        "process": "jobmanager",
        "message": f"enrich ({subtask + 1}/2) (x) switched from RUNNING to FAILED on tm-1 @ host.",
        "vertex": "enrich",
        "subtask": subtask,
        "task_manager": "tm-1",
        "root_cause_frame": OWN,
        "user_frame": OWN,
        "thrown_in": OWN,
        "own_frames": OWN,
        "causes": f"{exception}: {message}",
        **told,
        **rest,
    }


def facts_of(*log: dict[str, Any]) -> dict[str, Any]:
    return dict(only(measure(hand_made(**line_of_jobs(), log_record=log)), "code_faults").facts)


def of_version(version: str) -> dict[str, Any]:
    message = f" Starting StandaloneSessionClusterEntrypoint (Version: {version}, Scala: 2.12, Rev:a, Date:b)"
    return {"ts_ms": START, "level": "INFO", "message": message, "kinds": "version"}
