"""The collector against a real HTTP server that answers what a Flink cluster answered."""

from __future__ import annotations

import ast
import base64
import json
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from diagnostics import collect_flink
from diagnostics.formats import FORMATS
from diagnostics.formats import recognise as recognised
from tests.collecting.recorded_cluster import LOG, RecordedCluster, recorded_answers, running
from tests.diagnostics.formats.reading_aids import head_of, read

SCRIPT = Path(collect_flink.__file__)
QUICK = ("--seconds", "0.2", "--every", "0.2", "--rate", "1000")
JOB = "e7670588d52cb8dd6b217d2271f5ce2a"
ENGLISH_OF_ARGPARSE = (
    "usage",
    "options:",
    "error",
    "required",
    "expected",
    "choose",
    "invalid",
    "unrecognized",
    "allowed",
    "show this",
)


@pytest.fixture
def cluster() -> Iterator[RecordedCluster]:
    with running(RecordedCluster(recorded_answers())) as cluster:
        yield cluster


def collected(cluster: RecordedCluster, folder: Path, *options: str) -> dict[str, bytes]:
    """The files of the zip that a run writes, by name."""
    target = folder / "evidence.zip"
    assert collect_flink.main(["--rest", cluster.url, "--out", str(target), *QUICK, *options]) == 0
    with zipfile.ZipFile(target) as bundle:
        return {name: bundle.read(name) for name in bundle.namelist()}


def report(files: dict[str, bytes]) -> dict[str, Any]:
    return json.loads(files["collected.json"])


def test_it_needs_nothing_but_the_standard_library() -> None:
    imported = {
        (node.module if isinstance(node, ast.ImportFrom) else node.names[0].name).partition(".")[0]
        for node in ast.walk(ast.parse(SCRIPT.read_text("utf-8"), feature_version=(3, 8)))
        if isinstance(node, (ast.Import, ast.ImportFrom))
    }
    assert imported <= sys.stdlib_module_names


def test_it_runs_as_one_file_far_from_the_workbench(cluster: RecordedCluster, tmp_path: Path) -> None:
    copy = tmp_path / "collect_flink.py"
    copy.write_bytes(SCRIPT.read_bytes())
    command = [sys.executable, "-I", str(copy), "--rest", cluster.url, *QUICK]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "files," in run.stderr
    assert len(list(tmp_path.glob("flink-evidence-*.zip"))) == 1


def test_every_answer_comes_as_it_was_and_is_recognised(cluster: RecordedCluster, tmp_path: Path) -> None:
    files = collected(cluster, tmp_path)
    path = f"jobs/{JOB}/checkpoints"
    assert files[f"rest/snapshot-1/{path}.json"] == cluster.answers[f"/{path}"]
    unknown = [name for name, content in files.items() if recognised(head_of(content, name)).format_id is None]
    assert unknown == []


def test_all_that_was_recorded_is_asked_for(cluster: RecordedCluster, tmp_path: Path) -> None:
    """What a case needs; accumulators and times of state changes hold nothing that is measured."""
    collected(cluster, tmp_path)
    asked = {path.partition("?")[0] for path in cluster.paths}
    left = [path for path in cluster.answers if path.partition("?")[0].replace(":", "%3A") not in asked]
    telling = [
        path
        for path in left
        if not path.endswith(("/accumulators", "/subtasktimes", "/taskmanagers", "/subtasks/metrics"))
        and "/checkpoints/details/" not in path
    ]
    assert telling == []


def test_metrics_of_subtasks_keep_their_values(cluster: RecordedCluster, tmp_path: Path) -> None:
    files = collected(cluster, tmp_path)
    name = next(each for each in files if "/vertices/" in each and each.endswith("/metrics.json"))
    recorded = {each["id"]: each["value"] for each in json.loads(cluster.answers["/" + name.split("/", 2)[2][:-5]])}
    gathered = {each["id"]: each["value"] for each in json.loads(files[name])}
    assert gathered.items() <= recorded.items()
    assert "0.busyTimeMsPerSecond" in gathered
    assert all(len(path) < 4096 for path in cluster.paths)


def test_a_job_that_is_over_is_asked_about_once(cluster: RecordedCluster, tmp_path: Path) -> None:
    ended = json.loads(cluster.answers[f"/jobs/{JOB}"]) | {"end-time": 1_700_000_000_000}
    cluster.answers[f"/jobs/{JOB}"] = json.dumps(ended).encode()
    collected(cluster, tmp_path)
    assert cluster.paths.count("/jobs/overview") == 2
    assert cluster.paths.count(f"/jobs/{JOB}") == 1


def test_only_get_is_ever_sent(cluster: RecordedCluster, tmp_path: Path) -> None:
    collected(cluster, tmp_path)
    assert {method for method, _, _ in cluster.asked} == {"GET"}


def test_it_asks_no_faster_than_it_may(cluster: RecordedCluster, tmp_path: Path) -> None:
    begun = time.monotonic()
    files = collected(
        cluster, tmp_path, "--rate", "100", "--without", "metrics", "flame-graphs", "thread-dumps", "logs"
    )
    assert report(files)["requests"] / 100 <= time.monotonic() - begun


def test_logs_come_through_rest_and_large_ones_are_named(cluster: RecordedCluster, tmp_path: Path) -> None:
    listed = [{"name": "flink-jobmanager.log", "size": len(LOG)}, {"name": "flink-old.log", "size": 3_000_000_000}]
    cluster.answers["/jobmanager/logs"] = json.dumps({"logs": listed}).encode()
    cluster.answers["/jobmanager/logs/flink-jobmanager.log"] = LOG
    files = collected(cluster, tmp_path)
    assert files["logs/jobmanager/flink-jobmanager.log"] == LOG
    assert any("flink-old.log" in each and "copy it from its host" in each for each in report(files)["skipped"])
    assert not any("flink-old" in path for path in cluster.paths)


def test_a_flame_graph_is_waited_for(cluster: RecordedCluster, tmp_path: Path) -> None:
    vertex = next(path.split("/")[4] for path in cluster.answers if "/vertices/" in path)
    path = f"/jobs/{JOB}/vertices/{vertex}/flamegraph"
    cluster.answers[f"{path}?type=FULL"] = b'{"endTimestamp": -3, "data": null}'
    first = collected(cluster, tmp_path)
    assert not any(name.endswith(f"{vertex}/flamegraph-full.json") for name in first)
    assert sum(each.startswith(path) for each in cluster.paths) == 2
    cluster.answers[f"{path}?type=FULL"] = b'{"endTimestamp": 1, "data": {"name": "root", "value": 1, "children": []}}'
    later = collected(cluster, tmp_path)
    assert any(name.endswith(f"{vertex}/flamegraph-full.json") for name in later)


def test_too_many_metrics_are_summed_and_said(cluster: RecordedCluster, tmp_path: Path) -> None:
    files = collected(cluster, tmp_path, "--most-metrics", "8")
    assert any("--most-metrics" in each for each in report(files)["skipped"])
    assert any(name.endswith("/subtasks/metrics.json") for name in files)


def test_it_ends_at_its_size_and_says_so(cluster: RecordedCluster, tmp_path: Path) -> None:
    files = collected(cluster, tmp_path, "--most-megabytes", "0.02")
    assert sum(len(content) for name, content in files.items() if not name.endswith("index.json")) < 60_000
    assert any("--most-megabytes" in each for each in report(files)["skipped"])


def test_a_redirect_is_not_followed(
    cluster: RecordedCluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with running(RecordedCluster({})) as elsewhere:
        cluster.answer = lambda _path: (307, f"{elsewhere.url}/overview".encode())  # type: ignore[method-assign]
        assert collect_flink.main(["--rest", cluster.url, "--out", str(tmp_path / "a.zip"), *QUICK]) == 2
        assert elsewhere.asked == []
    assert f"it redirects to {elsewhere.url}" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_secrets_of_the_command_line_are_sent_and_not_kept(cluster: RecordedCluster, tmp_path: Path) -> None:
    url = cluster.url.replace("http://", "http://ann:hunter2@")
    target = tmp_path / "evidence.zip"
    collect_flink.main(["--rest", url, "--out", str(target), "--header", "X-Token: s3cr3t", *QUICK])
    assert all(head["Authorization"].startswith("Basic ") for _, _, head in cluster.asked)
    assert {head["X-Token"] for _, _, head in cluster.asked} == {"s3cr3t"}
    with zipfile.ZipFile(target) as bundle:
        everything = b"".join(bundle.read(name) for name in bundle.namelist())
    assert b"hunter2" not in everything
    assert b"s3cr3t" not in everything


@pytest.mark.parametrize(
    ("option", "content", "sent"),
    [
        ("--token-file", "s3cr3t\n", "Bearer s3cr3t"),
        ("--login-file", "ann:hunter2\n", "Basic " + base64.b64encode(b"ann:hunter2").decode()),
    ],
)
def test_a_login_comes_from_a_file(
    cluster: RecordedCluster, tmp_path: Path, option: str, content: str, sent: str
) -> None:
    secret = tmp_path / "secret"
    secret.write_text(content)
    options = ["--rest", cluster.url, "--out", str(tmp_path / "evidence.zip"), "--without", *collect_flink.PARTS]
    assert collect_flink.main([*options, *QUICK, option, str(secret)]) == 0
    assert {head["Authorization"] for _, _, head in cluster.asked} == {sent}
    asked = len(cluster.asked)
    for wrong in ("", "two words\nof it"):
        secret.write_text(wrong)
        with pytest.raises(SystemExit):
            collect_flink.main([*options, option, str(secret)])
    assert len(cluster.asked) == asked, "nothing is sent without the login that was asked for"


def test_an_unreachable_cluster_ends_at_once_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert collect_flink.main(["--rest", "http://127.0.0.1:9", "--out", str(tmp_path / "a.zip")]) == 2
    assert "gives no answer of Flink" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def is_chinese(text: str) -> bool:
    return any("\u4e00" <= letter <= "\u9fff" for letter in text)


@pytest.mark.parametrize(
    ("locale", "options", "expected"),
    [
        ("zh_CN.UTF-8", (), True),
        ("zh_CN.UTF-8", ("--language", "en"), False),
        ("C.UTF-8", ("--language", "zh-hans"), True),
        ("C.UTF-8", (), False),
    ],
)
def test_the_terminal_is_told_in_its_language_and_the_report_in_english(
    cluster: RecordedCluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    locale: str,
    options: tuple[str, ...],
    expected: bool,
) -> None:
    monkeypatch.setenv("LC_ALL", locale)
    monkeypatch.setattr(collect_flink.Terminal, "language", collect_flink.ENGLISH)
    files = collected(cluster, tmp_path, "--without", *collect_flink.PARTS[:3], "--most-metrics", "8", *options)
    printed = capsys.readouterr().err
    assert is_chinese(printed) is expected
    assert ("\uff1aHTTP 404" in printed) is expected
    assert any(each.startswith("/jobmanager/logs: HTTP 404") for each in report(files)["skipped"])
    assert not is_chinese(json.dumps(report(files), ensure_ascii=False))


def test_help_and_refusals_are_in_the_language_of_the_option(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(collect_flink.Terminal, "language", collect_flink.ENGLISH)
    for arguments in (["--help"], ["--rest", "ftp://cluster"], ["--rest", "http://c", "--rate", "0"]):
        with pytest.raises(SystemExit):
            collect_flink.main([*arguments, "--language", "zh-hans"])
    printed = "".join(capsys.readouterr())
    assert all(text in printed for text in ("REST API 的地址", "--rest 应为形如", "应为大于零的数"))


def test_every_word_of_the_command_line_is_in_the_language_of_the_option(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(collect_flink.Terminal, "language", collect_flink.ENGLISH)
    wrong = (
        ["--help"],
        [],
        ["--rest"],
        ["--rest", "http://c", "--colour", "blue"],
        ["--rest", "http://c", "--without", "sleep"],
        ["--rest", "http://c", "--most-metrics", "many"],
        ["--rest", "http://c", "--rate", "fast"],
        ["--rest", "http://c", "--token-file", "a", "--login-file", "b"],
    )
    for arguments in wrong:
        with pytest.raises(SystemExit):
            collect_flink.main([*arguments, "--language", "zh-hans"])
        printed = "".join(capsys.readouterr())
        assert [word for word in ENGLISH_OF_ARGPARSE if word in printed] == []
        assert printed.count("\uff1a") >= 1


def test_what_was_not_collected_is_said_in_the_case(cluster: RecordedCluster, tmp_path: Path) -> None:
    files = collected(cluster, tmp_path)
    told = read(FORMATS["collector-report"], files["collected.json"], tmp_path, "collected.json").warnings
    assert any(warning.startswith("not collected: /jobmanager/thread-dump: HTTP 404") for warning in told)
