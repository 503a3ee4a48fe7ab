"""Settings in effect for each job, as far as a diagnosis needs them."""

from __future__ import annotations

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import Subject
from diagnostics.reconstruction.configuration.stated_settings import (
    SETTINGS,
    TELLING,
    jobs_of,
    settings_of,
    stated_options,
)
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition


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
        order = [setting.fact for setting in SETTINGS if setting.fact in citations]
        yield Signal(
            "settings",
            Subject(job=job_id),
            facts,
            tuple(citations[fact] for fact in order),
            citation_count=len(citations),
        )


def _facts() -> dict[str, str]:
    return {
        **{setting.fact: setting.meaning for setting in SETTINGS},
        "defaults": "settings that no file states and that are at Flink's default",
    }


SIGNALS = (SignalDefinition("settings", "job", _facts(), measure),)
