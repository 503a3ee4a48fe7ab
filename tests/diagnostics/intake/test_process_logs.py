"""A file with the logs of several processes is separated into the log of each."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from diagnostics.intake import Limits, SourceFile, peek, read_lines, unpack
from diagnostics.intake.process_logs import MOST_PROCESSES
from tests.diagnostics.intake.uploads import LINE, LOG, Desk, text_of, zipped

JOBMANAGER, TASKMANAGER = "orders-6f7d9c44b5-x2x9q", "orders-taskmanager-1-1"
TRACE = "\tat com.acme.Sink.write(Sink.java:7)\n"

Lines = Sequence[tuple[str, str]]
"""(pod, line)"""


def kubectl(lines: Lines) -> bytes:
    return "".join(f"[pod/{pod}/flink-main-container] {line}" for pod, line in lines).encode()


def stern(lines: Lines) -> bytes:
    return "".join(f"{pod} flink-main-container {line}" for pod, line in lines).encode()


def compose(lines: Lines) -> bytes:
    return "".join(f"{pod}  | {line}" for pod, line in lines).encode()


def logcli(lines: Lines) -> bytes:
    labels = 'container="flink-main-container", namespace="shop"'
    return "".join(f'2026-11-21T01:40:00Z {{{labels}, pod="{pod}"}} {line}' for pod, line in lines).encode()


def shipped(lines: Lines) -> bytes:
    entries = ({"log": line, "kubernetes": {"container_name": "main", "pod_name": pod}} for pod, line in lines)
    return "".join(json.dumps(each) + "\n" for each in entries).encode()


def elasticsearch(lines: Lines) -> bytes:
    sources = (
        {"@timestamp": "2026-11-21T01:40:00Z", "message": line, "kubernetes": {"pod": {"name": pod}}}
        for pod, line in lines
    )
    return json.dumps({"hits": {"hits": [{"_source": each} for each in sources]}}).encode()


def loki(lines: Lines) -> bytes:
    pods = dict.fromkeys(pod for pod, _ in lines)
    streams = [
        {"stream": {"pod": pod}, "values": [["1795224699640000000", line] for its, line in lines if its == pod]}
        for pod in pods
    ]
    return json.dumps({"status": "success", "data": {"resultType": "streams", "result": streams}}).encode()


def grafana(lines: Lines) -> bytes:
    entries = [{"line": line, "timestamp": "1795224699640000000", "labels": {"pod": pod}} for pod, line in lines]
    return json.dumps(entries).encode()


def kibana(lines: Lines) -> bytes:
    rows = "".join(f'"2026-11-21T01:40:00Z",{pod},"{line}"\n' for pod, line in lines)
    return f"@timestamp,kubernetes.pod.name,message\n{rows}".encode()


FORMS = (kubectl, stern, compose, logcli, shipped, elasticsearch, loki, grafana, kibana)
BOTH: Lines = [(JOBMANAGER, LINE), (TASKMANAGER, LINE), (JOBMANAGER, TRACE), (TASKMANAGER, LINE), (JOBMANAGER, LINE)]


@pytest.mark.parametrize("form", FORMS)
def test_the_log_of_each_process_is_a_file(desk: Desk, form: Callable[[Lines], bytes]) -> None:
    first, second = desk.unpack("pods.log", form(BOTH))
    assert first.name.startswith(f"pods.log!/{JOBMANAGER}")
    assert second.name.startswith(f"pods.log!/{TASKMANAGER}")
    assert (text_of(first).count("switched to"), text_of(first).count("Sink.write")) == (2, 1)
    assert (text_of(second).count("switched to"), text_of(second).count("Sink.write")) == (2, 0)


@pytest.mark.parametrize("form", FORMS)
def test_the_log_of_one_process_stays_as_it_is(desk: Desk, form: Callable[[Lines], bytes]) -> None:
    content = form([(TASKMANAGER, LINE)] * 3)
    [file] = desk.unpack("tm.log", content)
    assert (file.name, text_of(file).rstrip("\n")) == ("tm.log", content.decode().rstrip("\n"))


def test_a_line_that_names_no_process_is_of_the_one_before_it(desk: Desk) -> None:
    content = b"Starting\n" + kubectl(BOTH[:1]) + b"java.io.IOException: gone\n" + kubectl(BOTH[1:])
    first, _ = desk.unpack("pods.log", content)
    assert text_of(first).splitlines()[:3:2] == ["Starting", "java.io.IOException: gone"]


def test_the_level_in_front_of_a_record_is_no_process(desk: Desk) -> None:
    message = "org.apache.flink.runtime.taskmanager.Task | Map (1/2)#0 switched to RUNNING."
    content = "".join(f"{level} | 2026-11-21 01:40:00,000 | {message}\n" for level in ("INFO ", "WARN ", "INFO "))
    assert [file.name for file in desk.unpack("tm.log", content.encode())] == ["tm.log"]


def test_a_plain_log_and_what_is_no_log_of_flink_stay_whole(desk: Desk) -> None:
    other = kubectl([(JOBMANAGER, "GET /\n"), (TASKMANAGER, "GET /\n")])
    assert [file.name for file in (*desk.unpack("jm.log", LOG), *desk.unpack("web.log", other))] == [
        "jm.log",
        "web.log",
    ]


def test_it_may_be_packed_or_inside_an_archive(desk: Desk) -> None:
    packed = desk.unpack("a.log.gz", gzip.compress(kubectl(BOTH)))
    inside = desk.unpack("b.zip", zipped({"logs/pods.log": kubectl(BOTH)}))
    assert [file.name for file in (*packed, *inside)] == [
        f"{around}!/{pod}_flink-main-container.log"
        for around in ("a.log.gz", "b.zip!/logs/pods.log")
        for pod in (JOBMANAGER, TASKMANAGER)
    ]


def test_the_lines_before_a_cut_are_kept_and_the_cut_is_said(desk: Desk) -> None:
    whole = gzip.compress(kubectl([(pod, f"{LINE[:-1]} {number}\n") for number in range(9_000) for pod, _ in BOTH[:2]]))
    files = desk.unpack("a.log.gz", whole[: len(whole) // 2])
    assert [text_of(each).count("switched") > 1_000 for each in files] == [True, True]
    assert all("cut off" in " ".join(each.warnings) for each in files)


def test_no_name_of_a_process_leads_out_of_the_file(desk: Desk) -> None:
    files = desk.unpack("a.jsonl", shipped([("../../etc/passwd", LINE), ("C:x", LINE), ("/etc/hosts", LINE)]))
    assert [file.name for file in files] == [
        "a.jsonl!/_/_/etc/passwd.log",
        "a.jsonl!/C_x.log",
        "a.jsonl!/etc/hosts.log",
    ]
    assert [file.error for file in files] == [None, None, None]


def test_of_very_many_processes_the_last_are_together(desk: Desk) -> None:
    lines = [(f"orders-taskmanager-1-{number}", LINE) for number in range(MOST_PROCESSES + 5)]
    files = desk.unpack("pods.log", kubectl(lines))
    assert len(files) == MOST_PROCESSES + 1
    assert text_of(files[-1]).count("\n") == 5


def test_a_larger_file_than_the_bound_is_refused(desk: Desk) -> None:
    [file] = desk.unpack("pods.log", kubectl(BOTH * 200), Limits(file_bytes=10_000))
    assert "bound" in (file.error or "") or "more than" in (file.error or "")


def test_lines_count_within_a_processes_log_and_within_the_whole_file(desk: Desk) -> None:
    source = desk.upload("pods.log", kubectl(BOTH))
    inside = read_lines(source, f"pods.log!/{TASKMANAGER}_flink-main-container.log", 2, 2)
    whole = read_lines(source, None, 4, 4)
    assert inside[0][1] == whole[0][1]


def test_a_file_that_something_was_chosen_for_stays_whole(tmp_path: Path) -> None:
    path = tmp_path / "pods.log"
    path.write_bytes(kubectl(BOTH))
    intake = unpack([SourceFile(path, "pods.log")], tmp_path / "work", whole={"pods.log"})
    assert [file.name for file in intake.inputs] == ["pods.log"]


def test_the_list_of_an_upload_names_it_as_the_log_it_is(tmp_path: Path) -> None:
    path = tmp_path / "pods.log"
    path.write_bytes(kubectl(BOTH))
    assert [(each.name, each.recognition.format_id) for each in peek(path, "pods.log")] == [("pods.log", "flink-log")]


@pytest.mark.parametrize("form", [elasticsearch, grafana, kibana])
def test_an_answer_about_very_many_processes_stays_whole(desk: Desk, form: Callable[[Lines], bytes]) -> None:
    lines = [(f"orders-taskmanager-1-{number}", LINE) for number in range(MOST_PROCESSES + 5)]
    assert [file.name for file in desk.unpack("export", form(lines))] == ["export"]
