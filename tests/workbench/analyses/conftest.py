"""The workbench that the files of this folder share which need one with a Spark server of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.running_workbench import COLD
from tests.workbench.analyses.stack import Stack, started_stack

Stacks = Callable[[], Stack]


@pytest.fixture(scope="package")
def stacks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stacks]:
    """Gives the one that runs; starts one for the first test and after a test that ended it.

    Its runs share files with Spark by URL, so that each end of a run has to leave nothing there either.
    """
    started: list[Stack] = []
    with ExitStack() as ended_later:

        def running() -> Stack:
            if not started or started[-1].running.process.poll() is not None:
                data, storage = tmp_path_factory.mktemp("worker") / "data", tmp_path_factory.mktemp("storage")
                started.append(ended_later.enter_context(started_stack(data, storage, **COLD)))
            return started[-1]

        yield running


@pytest.fixture
def stack(stacks: Stacks) -> Stack:
    """A workbench whose worker, Spark server and Redis a test may kill."""
    return stacks()
