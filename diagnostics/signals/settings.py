"""The settings that matter to a diagnosis, in effect for each job."""

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
    """The settings in effect for each job.

    Reads   config_option (files, REST answers, the JobManager's log); every table that names a job.
    Gives   one signal for each job; without a known job one without subject.
    Empty   NotMeasured when no file states an option that counts.
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
        "defaults": "facts that no file states and that are at Flink's default",
    }


SIGNALS = (SignalDefinition("settings", "job", _facts(), measure),)
