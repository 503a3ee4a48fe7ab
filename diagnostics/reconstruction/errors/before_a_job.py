"""Failures of the program that builds a job, before it has one."""

from __future__ import annotations

from diagnostics.reconstruction.failures.fault import Fault

IN_MAIN = "The main method caused an error"
"""Flink's PackagedProgram of a program that did not come to its end."""
PLAIN_PROGRAM = 'Exception in thread "main" '
"""How the Java launcher reports what a program throws that no client of Flink runs."""
OF_A_RUN = (
    *("Job execution failed", "JobExecutionException", "Job failed", "Recovery is suppressed"),
    *("Failed to fetch job execution result", "Failed to fetch next result", "Failed to wait job finish"),
)
"""Texts of an exception of the program that passes on how its job ended. Source: Flink's JobResult, ClientUtils,
CollectResultFetcher, CollectResultIterator and InsertResultProvider.
"""


def is_before_job(fault: Fault) -> bool:
    """Whether the program itself threw it, while it built its job, and not a job that it ran."""
    said = f"{fault.citation.text}\n{fault.chain}"
    return (IN_MAIN in said or said.startswith(PLAIN_PROGRAM)) and not any(each in said for each in OF_A_RUN)
