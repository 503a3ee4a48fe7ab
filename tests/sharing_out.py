"""How the processes of a test run share its files: three of them, of which two drive a browser.

A process that drives the browser starts a workbench, a minute of processor time on two cores, so all journeys go to
two processes, of about equal length; the third begins with the rest. Three, because each waits now and then, for a page
or for Spark, and two left a sixth of the two cores idle.
"""

from __future__ import annotations

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

JOURNEYS = {
    "tests/journeys/test_hostile_evidence.py": "evidence and pages",
    "tests/journeys/test_both_languages.py": "evidence and pages",
    "tests/journeys/test_chinese.py": "ways through",
    "tests/journeys/test_incidents.py": "evidence and pages",
    "tests/journeys/test_pages.py": "evidence and pages",
    "tests/journeys/test_case_page.py": "ways through",
    "tests/journeys/test_demo.py": "ways through",
    "tests/journeys/test_exploring.py": "ways through",
    "tests/journeys/test_history.py": "ways through",
    "tests/journeys/test_logs.py": "ways through",
    "tests/journeys/test_resumed_upload.py": "ways through",
    "tests/journeys/test_rules.py": "ways through",
    "tests/journeys/test_short_names.py": "ways through",
    "tests/hostile/test_web.py": "ways through",
    "tests/collecting/test_alert_to_message.py": "ways through",
}
"""The files that use the running workbench, and in which of the two shares: 395 and 430 s of processor time when they
were measured. One that is not named is a share of its own, which costs a workbench."""

CORPUS = (
    "tests/reading/test_charts_in_chinese.py",
    "tests/reading/test_citations_in_chinese.py",
    "tests/reading/test_numbers_of_corpus.py",
    "tests/reading/test_pages_of_corpus.py",
    "tests/reading/test_runbooks_of_corpus.py",
    "tests/reading/test_waits_of_corpus.py",
    "tests/diagnostics/prevention/test_alerts_of_corpus.py",
    "tests/diagnostics/proof/test_real_pair.py",
)
"""The files that read reports on the corpus: one share, so that each case is analysed once."""

SPARK_SERVER = "tests/diagnostics/spark/"
"""A folder whose files use one Spark server of their own: one share, so that only one process starts it."""


class BySharedWorkbench(LoadFileScheduling):  # type: ignore[misc]
    """Whole files to each process, the journeys in two shares, the corpus and the tests of Spark servers in one."""

    def _split_scope(self, nodeid: str) -> str:
        file = str(super()._split_scope(nodeid))
        if file in CORPUS:
            return "corpus"
        return SPARK_SERVER if file.startswith(SPARK_SERVER) else JOURNEYS.get(file, file)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> BySharedWorkbench:
    """Replaces what `--dist` names."""
    return BySharedWorkbench(config, log)
