"""The whole way through Celery, Redis, a worker and Spark: finished, cancelled, killed and taken up again, ended."""

from __future__ import annotations

import re
import signal
import time

import psutil
import pytest

from tests.running_workbench import eventually, launch
from tests.workbench.analyses.conftest import Stacks
from tests.workbench.analyses.stack import LOG, Stack, has_ended, is_reading, niceness_of_threads

pytestmark = [pytest.mark.celery, pytest.mark.spark, pytest.mark.database]

RECORDS_OF_LOG = len(re.findall(rb"(?m)^\d{4}-\d\d-\d\d ", LOG))
LONG_LOG_BYTES = 96 * 1024**2
"""Of a large case, whose tasks are jobs of their own behind those of others: `Stack.held_in_spark` needs one."""

FREED_SECONDS = 1.0
"""Source: issue 16. A Python worker ends 0.2 s after the folder of its run."""


@pytest.fixture(scope="module", autouse=True)
def no_log_books(stacks: Stacks) -> None:
    """Nobody reads the log books of the large logs here; writing them takes a minute of processor time."""
    for writer in stacks().running.named("write_log_books"):
        writer.suspend()


@pytest.fixture(scope="module")
def long_log() -> bytes:
    """A real TaskManager log, again and again."""
    return LOG * (LONG_LOG_BYTES // len(LOG))


def test_a_case_goes_through_queue_worker_and_spark(stack: Stack) -> None:
    url = stack.send(LOG)
    case = stack.wait(url, has_ended)
    assert (case["status"], case["progress"], case["detail"]) == ("done", 1.0, None)
    document = stack.case(f"{url}diagnosis/")
    assert document["inputs"][0]["format"] == "flink-log"
    assert document["timing"]["queued_ms"] >= 0


def test_a_case_without_usable_files_fails_with_the_reason_for_each(stack: Stack) -> None:
    case = stack.wait(stack.send(b"Dear colleague,\nthe job is slow again.\n"), has_ended)
    assert case["status"] == "failed"
    assert case["detail"].startswith("tm.log: ")


def test_cancelling_stops_the_spark_work(stack: Stack, long_log: bytes) -> None:
    url = stack.send(long_log * 3)  # seconds of work: ranges that wait for a core while others are read
    number = stack.wait(url, is_reading)["id"]
    stack.running.manage(
        "shell",
        "--no-imports",
        "-c",
        "from workbench.analyses.models import Analysis; from workbench.analyses.services import analysis_cancel;"
        f"analysis_cancel(analysis=Analysis.objects.get(case={number}))",
    )
    assert stack.case(url)["status"] == "failed"
    assert stack.case(url)["detail"] == "Cancelled."
    assert stack.left_behind() == [], "the worker did not end the cancelled run"
    time.sleep(FREED_SECONDS)
    assert spark_seconds_in(stack, 1.0) < 0.2, "Spark goes on with the cancelled run"


def test_a_small_case_is_diagnosed_beside_a_large_one_whose_tasks_are_behind(stack: Stack, long_log: bytes) -> None:
    """A task of the large one is suspended: however long it takes, the small one gets a slot."""
    usual = psutil.Process(stack.workers()[0].pid).nice()
    with stack.held_in_spark(long_log) as large:
        small = stack.wait(stack.send(LOG + b"\n\n\n\n"), has_ended)
        assert small["status"] == "done", small["detail"]
        assert stack.case(large)["status"] == "running", "the small one had to wait for the large one"
    assert stack.wait(large, has_ended)["status"] == "done"
    assert eventually(lambda: set().union(*map(niceness_of_threads, stack.readers())) == {usual}, 10)


def spark_seconds_in(stack: Stack, seconds: float) -> float:
    """Processor seconds that Spark's Python workers use in that time; a run in the middle uses all cores."""

    def used() -> float:
        times = [process.cpu_times() for process in stack.readers()]
        return sum(each.user + each.system for each in times)

    before = used()
    time.sleep(seconds)
    return used() - before


def test_a_run_whose_worker_process_is_killed_is_taken_up_again(stack: Stack, long_log: bytes) -> None:
    with stack.held_in_spark(long_log + b"\n") as url:
        for process in stack.workers()[1:]:
            process.send_signal(signal.SIGKILL)
    case = stack.wait(url, has_ended)
    assert case["status"] == "done", case["detail"]
    assert attempts(stack, url) == 2


def test_a_run_whose_whole_worker_is_killed_is_taken_up_again(stack: Stack, long_log: bytes) -> None:
    with stack.held_in_spark(long_log + b"\n\n") as url:
        for process in stack.workers():
            process.send_signal(signal.SIGKILL)
    case = stack.wait(url, has_ended)
    assert case["status"] == "done", case["detail"]
    assert attempts(stack, url) == 2
    assert stack.left_behind() == []


def test_a_run_whose_spark_server_is_killed_is_tried_again(stack: Stack, long_log: bytes) -> None:
    with stack.held_in_spark(long_log + b"\n\n\n") as url:
        killed = stack.running.named("SparkConnectServer")
        assert killed
        for process in killed:
            process.send_signal(signal.SIGKILL)
    case = stack.wait(url, has_ended)
    assert case["status"] == "done", case["detail"]
    assert not {each.pid for each in killed} & {each.pid for each in stack.running.named("SparkConnectServer")}
    # Whether the run goes on with the next server or is queued again depends on how soon that one answers.
    records = stack.case(f"{url}diagnosis/")["inputs"][0]["records"]
    assert records == RECORDS_OF_LOG * (len(long_log) // len(LOG))


def test_cases_that_wait_while_spark_is_killed_are_diagnosed(stack: Stack) -> None:
    urls = []
    for _ in range(3):
        urls += [stack.send(LOG) for _ in range(2)]
        for process in stack.running.named("SparkConnectServer"):
            process.kill()
    for url in urls:
        case = stack.wait(url, has_ended)
        assert case["status"] == "done", case["detail"]


def test_a_spark_server_that_hangs_is_started_again_and_fails_no_case(stack: Stack, long_log: bytes) -> None:
    """Which takes as long as a server may be silent."""
    with stack.held_in_spark(long_log + b"\n\n\n\n") as reading:
        hung = stack.running.named("SparkConnectServer")
        assert hung
        for process in hung:
            process.suspend()
    waiting = [stack.send(LOG) for _ in range(2)]
    stack.wait(reading, lambda case: "Spark has not answered for" in (case["detail"] or ""), 30)
    for url in (reading, *waiting):
        case = stack.wait(url, has_ended)
        assert case["status"] == "done", case["detail"]
    assert not {each.pid for each in hung} & {each.pid for each in stack.running.named("SparkConnectServer")}
    log = (stack.running.data / "logs" / "spark.log").read_text("utf-8")
    assert "the Spark server has not answered for 30 s" in log


def test_a_worker_process_that_hangs_is_replaced_and_its_run_taken_up_again(stack: Stack, long_log: bytes) -> None:
    with stack.held_in_spark(long_log + b"\n" * 5) as url:
        hung = stack.workers()[1:]
        for process in hung:
            process.suspend()
    case = stack.wait(url, has_ended)
    assert case["status"] == "done", case["detail"]
    assert attempts(stack, url) == 2
    assert not any(process.is_running() for process in hung)


def test_a_redis_that_hangs_is_started_again_and_loses_no_case(stack: Stack, long_log: bytes) -> None:
    with stack.held_in_spark(long_log + b"\n" * 6) as reading:
        (hung,) = stack.running.named("redis-server")
        hung.suspend()
    waiting = stack.send(LOG)
    for url in (reading, waiting):
        case = stack.wait(url, has_ended)
        assert case["status"] == "done", case["detail"]
    assert not hung.is_running()
    assert "redis has not answered for 15 s" in stack.running.said()


def attempts(stack: Stack, url: str) -> int:
    """How often a worker began with the case's analysis."""
    number = stack.case(url)["id"]
    asked = f"from workbench.analyses.models import Analysis; print(Analysis.objects.get(case={number}).attempts)"
    return int(stack.running.manage("shell", "--no-imports", "-c", asked))


def test_what_dies_is_started_again_and_said(stack: Stack) -> None:
    running = stack.running
    assert "The workbench is ready: " + running.address in running.said()
    for words in (("diagnostics.spark_service", "serve"), ("celery", "worker"), ("redis-server",), ("gunicorn",)):
        (victim, *_) = sorted(running.named(*words), key=psutil.Process.create_time)
        victim.kill()
        assert eventually(lambda words=words, pid=victim.pid: any(each.pid != pid for each in running.named(*words))), (
            f"{words} was not started again"
        )
    assert eventually(running.is_ready), running.said()
    assert eventually(lambda: "is started again" in running.said(), 30), running.said()


def test_a_second_start_on_the_same_data_is_refused(stack: Stack) -> None:
    second = launch(stack.running.data)
    assert second.process.wait(60) == 1
    assert f"already runs on {stack.running.data}" in second.said()


def test_a_killed_launcher_leaves_nothing(stack: Stack) -> None:
    """The last of this file: it ends what the others use."""
    running = stack.running
    for writer in running.named("write_log_books"):
        writer.resume()
    running.process.kill()
    running.process.wait()
    assert eventually(lambda: not running.processes(), 60), [p.cmdline() for p in running.processes()]
