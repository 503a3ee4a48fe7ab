"""Settings in effect for each job, as far as a diagnosis needs them."""

from __future__ import annotations

from collections.abc import Sequence

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.configuration.stated_settings import (
    SETTINGS,
    TELLING,
    Stated,
    jobs_of,
    settings_of,
    stated_options,
    unused_backend,
)
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts


def measure(evidence: Evidence) -> Measured:
    """Settings in effect for each job.

    Reads   config_option (files, REST answers, the JobManager's log); every table that names a job.
    Gives   one signal per job; one without subject when no job is known.
    Empty   NotMeasured when no file states a relevant option.
    """
    options = stated_options(evidence)
    if not any(each.key in TELLING for each in options):
        yield NotMeasured("settings", "configuration", "no file states Flink's options")
        return
    for job_id in jobs_of(evidence):
        facts, citations = settings_of(options, job_id)
        facts |= known_facts({**_file_facts(options), "unused_backend": unused_backend(options)})
        order = [setting.fact for setting in SETTINGS if setting.fact in citations]
        yield Signal(
            "settings",
            Subject(job=job_id),
            facts,
            tuple(citations[fact] for fact in order),
            citation_count=len(citations),
        )


def _file_facts(options: Sequence[Stated]) -> dict[str, FactValue]:
    """The lines of the cluster's configuration, each option as the latest file states it, and its nested options."""
    stated = [each for each in reversed(options) if each.scope == "cluster" and each.value]
    lines = {each.key: f"{each.key}: {each.value}" for each in stated}
    nested = {each.key.removeprefix("form.") for each in options if each.scope == "file" and each.value == "nested"}
    return {"file_lines": [lines[key] for key in sorted(lines)] or None, "nested_options": sorted(nested) or None}


def _facts() -> dict[str, str]:
    return {
        **{setting.fact: setting.meaning for setting in SETTINGS},
        "file_lines": "options that the configuration of the cluster holds, as it states them",
        "nested_options": "those of them that a file holds as nested keys",
        "unused_backend": "state backend that a file states while the log shows another one to be loaded",
        "defaults": "settings that no file states and that are at Flink's default",
    }


SIGNALS = (SignalDefinition("settings", "job", _facts(), measure),)
