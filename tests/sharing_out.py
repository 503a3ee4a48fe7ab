"""How the processes of a test run share its files: the longest first, and what is costly to start only once or twice.

A process that drives the browser starts a workbench, half a minute of processor time on two cores, so all journeys go
to two processes, of about equal length. There are more processes than cores, because each waits now and then.
"""

from __future__ import annotations

import contextlib
import importlib
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

JOURNEYS = {
    "tests/journeys/test_hostile_evidence.py": "evidence and pages",
    "tests/journeys/test_odd_files.py": "evidence and pages",
    "tests/journeys/test_both_languages.py": "evidence and pages",
    "tests/journeys/test_chinese.py": "ways through",
    "tests/journeys/test_incidents.py": "evidence and pages",
    "tests/journeys/test_pages.py": "evidence and pages",
    "tests/journeys/test_case_page.py": "ways through",
    "tests/journeys/test_demo.py": "ways through",
    "tests/journeys/test_exploring.py": "ways through",
    "tests/journeys/test_history.py": "evidence and pages",
    "tests/journeys/test_logs.py": "ways through",
    "tests/journeys/test_resumed_upload.py": "ways through",
    "tests/journeys/test_rules.py": "ways through",
    "tests/journeys/test_short_names.py": "ways through",
    "tests/hostile/test_web.py": "ways through",
    "tests/collecting/test_alert_to_message.py": "evidence and pages",
}
"""The files that use the running workbench, and in which of the two shares. One that is not named is a share of its
own, which costs a workbench."""

CORPUS = (
    "tests/reading/test_charts_in_chinese.py",
    "tests/reading/test_citations_in_chinese.py",
    "tests/reading/test_numbers_of_corpus.py",
    "tests/reading/test_pages_of_corpus.py",
    "tests/reading/test_restarts_of_corpus.py",
    "tests/reading/test_runbooks_of_corpus.py",
    "tests/reading/test_waits_of_corpus.py",
    "tests/reading/test_what_if_of_corpus.py",
    "tests/diagnostics/prevention/test_alerts_of_corpus.py",
    "tests/diagnostics/proof/test_real_pair.py",
    "tests/workbench/analyses/test_ablation_of_corpus.py",
)
"""The files that read reports on the corpus: one share, so that each case is analysed once."""

WORKER = ("tests/workbench/analyses/test_growth.py", "tests/workbench/analyses/test_worker.py")
"""The files that need a workbench with its own Spark server: one share, so that only one process starts it."""

SPARK_SERVER = "tests/diagnostics/spark/"
"""A folder whose files use one Spark server of their own: one share, so that only one process starts it."""

SECONDS_FILE = Path(__file__).with_name("seconds_of_shares.json")
"""How long each share took that took LEAST_SECONDS: `make test TESTS=--keep-seconds` writes it again."""
LEAST_SECONDS = 2.0
DEAR = ("browser", "celery", "spark")
"""Marks of tests that start programs or Spark work."""
DEAR_SECONDS = 20.0
"""Assumed for a share with such a test that is not in the file yet. Our choice."""
LONG_TEST_SECONDS = 10.0
"""A process with a test of this length before it gets nothing else that is long: another one would begin that sooner.
Our choice."""


def share_of(file: str) -> str:
    """The share that a file belongs to, most often that of its name."""
    if file in CORPUS:
        return "corpus"
    if file in WORKER:
        return "worker"
    return SPARK_SERVER if file.startswith(SPARK_SERVER) else JOURNEYS.get(file, file)


def known_seconds() -> dict[str, float]:
    """The lengths of the last run that was kept, by share."""
    return dict(json.loads(SECONDS_FILE.read_text("utf-8")))


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """In a new checkout each process would compile all tests at the same time, half of the time of a collection: each
    begins with its part of them, and finds the others compiled.
    """
    given = getattr(session.config, "workerinput", None)
    if given is None:
        return
    places = [Path(argument.partition("::")[0]).resolve() for argument in session.config.args]
    files = sorted({file for place in places for file in ([place] if place.is_file() else place.rglob("test_*.py"))})
    own = int(given["workerid"].removeprefix("gw"))
    for file in files[own :: given["workercount"]]:
        name = ".".join(file.relative_to(session.config.rootpath).with_suffix("").parts)
        with contextlib.suppress(Exception):  # an error is said by the collection, which imports it again
            importlib.import_module(name)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest shares first: a long one at the end would leave a core idle."""
    seconds = known_seconds()
    shares = {item: share_of(item.nodeid.partition("::")[0]) for item in items}
    for item, share in shares.items():
        if share not in seconds and any(item.get_closest_marker(mark) for mark in DEAR):
            seconds[share] = DEAR_SECONDS
    items.sort(key=lambda item: -seconds.get(shares[item], 0.0))


class LongestFirst(LoadFileScheduling):  # type: ignore[misc]
    """Whole shares to each process, in the order of the collection."""

    def __init__(self, config: pytest.Config, log: Producer) -> None:
        super().__init__(config, log)
        self._seconds = known_seconds()

    def _split_scope(self, nodeid: str) -> str:
        return share_of(nodeid.partition("::")[0])

    def _assign_work_unit(self, node: WorkerController) -> None:
        """A process gets its next share before the last test of the present one begins; before a long test a short one,
        the last of the queue.
        """
        if any(self._has_long_test(share, tests) for share, tests in self.assigned_work[node].items()):
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)

    def _has_long_test(self, share: str, tests: Mapping[str, bool]) -> bool:
        return not all(tests.values()) and self._seconds.get(share, 0.0) / len(tests) > LONG_TEST_SECONDS


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LongestFirst:
    """Replaces what `--dist` names."""
    return LongestFirst(config, log)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option that keeps how long the shares take."""
    parser.addoption(
        "--keep-seconds", action="store_true", help=f"write {SECONDS_FILE.name}, by which files are ordered"
    )


class SecondsKept:
    """Adds up how long the tests of each share take, with their fixtures."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Of each phase of each test."""
        share = share_of(report.nodeid.partition("::")[0])
        self._seconds[share] = self._seconds.get(share, 0.0) + report.duration

    def pytest_sessionfinish(self) -> None:
        """The longest first, for people who look where time goes."""
        longest = sorted(self._seconds.items(), key=lambda each: -each[1])
        kept = {share: round(seconds, 1) for share, seconds in longest if seconds >= LEAST_SECONDS}
        SECONDS_FILE.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


def pytest_configure(config: pytest.Config) -> None:
    """In the process that all reports come to."""
    if config.getoption("keep_seconds") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(SecondsKept())
