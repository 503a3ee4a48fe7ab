"""A run's folder by path and by URL: files appear whole, are read at any place, and go when the run ends."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from diagnostics.aggregators import AGGREGATORS
from diagnostics.errors import AnalysisInterrupted, SparkUnavailable
from diagnostics.evidence import Evidence
from diagnostics.formats import FORMATS
from diagnostics.intake import SourceFile, unpack
from diagnostics.reading.case import FileChoices
from diagnostics.reading.far_workers import failures_of_workers
from diagnostics.reading.ranges import ranges_of
from diagnostics.reading.sending import sent
from diagnostics.reading.spark_job import read_evidence
from diagnostics.reading.task import COVERAGE, read_group
from diagnostics.reading.transport import unpack_tables
from diagnostics.storage.shared_folder import JVM_OPTIONS, SharedFolder, open_location, reason_of, run_folder
from tests.diagnostics.log_book.books import LOGS

RECORDING = Path(__file__).parents[1] / "formats" / "samples" / "heavy.jfr"
NAMES_OF_HADOOP = ("JAVA_HOME", "HADOOP_HOME", "ARROW_LIBHDFS_DIR", "LIBHDFS_OPTS", "CLASSPATH")
SAMPLES = ("event-parquet", "event-avro", "event-csv", "gc-log", "flink-rest-checkpoints", "flink-configuration")


@pytest.fixture(params=["file", "s3a"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A storage with nothing in it, by URL."""
    if request.param == "s3a":
        return f"{request.getfixturevalue('s3')}/{uuid4()}"
    (tmp_path / "mounted").mkdir()
    return f"file://{tmp_path}/mounted"


def unpacked(folder: Path, *, everything: bool = True) -> list[SourceFile]:
    """Logs, and with `everything` files whose readers go about in them: backwards, as text, by the JDK's own tool."""
    folder.mkdir()
    files: dict[str, bytes] = {name: text.encode() for name, text in LOGS.items()}
    if everything:
        files |= {f"{each}-{FORMATS[each].samples[0].name}": FORMATS[each].samples[0].content for each in SAMPLES}
        files["heavy.jfr"] = RECORDING.read_bytes()
    for number, content in enumerate(files.values()):
        (folder / str(number)).write_bytes(content)
    return [SourceFile(folder / str(number), name) for number, name in enumerate(files)]


class FullStore(BaseHTTPRequestHandler):
    """An object store that begins every upload and has no room for what follows."""

    def do_POST(self) -> None:
        self._answer(
            HTTPStatus.OK, b"<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>"
        )

    def do_PUT(self) -> None:
        self._answer(
            HTTPStatus.FORBIDDEN, b"<Error><Code>QuotaExceeded</Code><Message>the bucket is full</Message></Error>"
        )

    def log_message(self, *_: object) -> None:
        """Its answers are what is tested."""

    def _answer(self, status: HTTPStatus, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextlib.contextmanager
def full_store() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), FullStore) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            serving.join()


USES_HDFS = """
import os
from diagnostics.errors import SparkUnavailable
from diagnostics.storage.shared_folder import SharedFolder
try:
    SharedFolder.of("hdfs://namenode:8020/flink/run").make()
except SparkUnavailable as error:
    print(error)
print(os.environ["LIBHDFS_OPTS"])
"""


def told_of_hdfs(variables: dict[str, str]) -> tuple[str, str]:
    """What a program that uses HDFS is told without a native library, and the options of its JVM.

    A program of its own: pyarrow looks for the library once, whatever the variables say later.
    """
    environment = {name: value for name, value in os.environ.items() if name not in NAMES_OF_HADOOP}
    asked = [sys.executable, "-c", USES_HDFS]
    told = subprocess.run(asked, env=environment | variables, capture_output=True, text=True, check=True)
    reason, options = told.stdout.splitlines()
    return reason, options


def answers_of(evidence: Evidence) -> dict[str, Any]:
    answers = {name: evidence.answer(each) for name, each in AGGREGATORS.items()}
    return {name: each.to_pylist() if isinstance(each, pa.Table) else each for name, each in answers.items()}


@pytest.mark.spark
def test_a_case_read_over_a_storage_fills_the_tables_that_it_fills_without(
    spark: SparkSession, tmp_path: Path, s3: str
) -> None:
    sources = unpacked(tmp_path / "given")
    alone, expected = read_evidence(
        unpack(sources, tmp_path / "alone"), spark, tmp_path / "alone", lambda *_: None, FileChoices()
    )
    with run_folder(s3, str(uuid4())) as shared:
        assert shared is not None
        told: list[str] = []
        intake = unpack(sources, tmp_path / "driver")
        evidence, inputs = read_evidence(
            intake, spark, tmp_path / "driver", lambda _, detail: told.append(detail), FileChoices(), shared=shared
        )
        assert inputs == expected
        assert evidence.rows == alone.rows
        assert answers_of(evidence) == answers_of(alone)
    assert f"{len(sources)} of {len(sources)} files sent to the shared storage" in told
    assert not shared.exists()


def test_a_file_appears_whole_and_under_its_own_name_only(storage: str) -> None:
    with run_folder(storage, "run") as run:
        assert run is not None
        folder = run / "table"
        draft = folder.draft("part")
        draft.write_bytes(b"half")
        assert folder.files() == []
        draft.write_bytes(b"first\nsecond\n")
        folder.publish(draft, "part")
        assert [(each.name, each.bytes) for each in folder.files()] == [("part", 13)]
        with open_location(f"{folder.location}/part") as opened:
            assert opened.seek(6) == 6
            assert opened.readline() == b"second\n"


def test_another_attempt_replaces_what_the_first_has_written(storage: str) -> None:
    with run_folder(storage, "run") as run:
        assert run is not None
        for content in (b"first", b"again"):
            draft = (run / "table").draft("part")
            draft.write_bytes(content)
            (run / "table").publish(draft, "part")
        with open_location(f"{run.location}/table/part") as opened:
            assert opened.read() == b"again"


def test_a_run_that_fails_leaves_nothing_at_the_storage(storage: str) -> None:
    with contextlib.suppress(ZeroDivisionError), run_folder(storage, "run") as run:
        assert run is not None
        (run / "files").send(RECORDING, "0")
        raise ZeroDivisionError
    assert not run.exists()
    assert (run / "files").files() == []


def test_a_worker_stops_when_the_run_has_ended(storage: str, tmp_path: Path) -> None:
    (file, *_) = unpack(unpacked(tmp_path / "given", everything=False), tmp_path / "driver").inputs
    with run_folder(storage, "run") as run:
        assert run is not None
        ranges = sent(list(ranges_of(file, FORMATS["flink-log"], None, None)), run / "files", lambda *_: None)
        (table,) = unpack_tables(pa.Table.from_batches(list(read_group(ranges, run, 0))))[COVERAGE]
        assert [row["records"] for row in table.to_pylist()] == [3]
    with pytest.raises(AnalysisInterrupted):
        list(read_group(ranges, run, 1))


def test_a_file_that_the_storage_does_not_give_is_not_taken_for_a_damaged_one(s3: str, tmp_path: Path) -> None:
    (file, *_) = unpack(unpacked(tmp_path / "given", everything=False), tmp_path / "driver").inputs
    with run_folder(s3, str(uuid4())) as run:
        assert run is not None
        [planned] = sent(list(ranges_of(file, FORMATS["flink-log"], None, None)), run / "files", lambda *_: None)
        (run / "files").remove()
        with pytest.raises(SparkUnavailable, match=rf"^{planned.part.path}: there is no such file"):
            list(read_group([planned], run, 0))


@pytest.mark.spark
def test_what_a_worker_says_of_the_storage_reaches_the_run_in_one_line(spark: SparkSession) -> None:
    def fail(_batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        raise SparkUnavailable("s3a://bucket/run: slow down")

    with pytest.raises(SparkUnavailable, match=r"^s3a://bucket/run: slow down$"), failures_of_workers():
        spark.range(1).mapInArrow(fail, "id long").collect()


def test_without_a_storage_there_is_no_folder_to_send_files_to() -> None:
    with run_folder("", "run") as run:
        assert run is None


def test_a_storage_that_refuses_is_named_with_its_reason_and_without_the_login(
    s3: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not-the-secret")
    with pytest.raises(SparkUnavailable, match=r"s3a://other-bucket/run.*SIGNATURE_DOES_NOT_MATCH") as told:
        SharedFolder.of("s3a://other-bucket/run").make()
    assert "not-the-secret" not in str(told.value)


def test_a_folder_that_is_not_mounted_is_named_and_not_made(tmp_path: Path) -> None:
    with (
        pytest.raises(SparkUnavailable, match=f"{tmp_path}/absent/run: there is no such"),
        run_folder(f"file://{tmp_path}/absent", "run"),
    ):
        pytest.fail("a run began without its folder")
    assert not (tmp_path / "absent").exists()


def test_a_store_that_takes_the_beginning_of_a_file_and_refuses_its_end_has_not_taken_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "small").write_bytes(b"content")
    with full_store() as endpoint:
        monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
        with pytest.raises(SparkUnavailable, match=r"^s3a://full/run: .*the bucket is full"):
            SharedFolder.of("s3a://full/run").send(tmp_path / "small", "0")


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ("Call failed\n\tat org.apache.hadoop.ipc.Client.call(Client.java:1)", "Call failed"),
        (
            "HDFS CloseFile failed. Detail: [errno 255] Unknown error 255",
            "HDFS CloseFile failed. Detail: [errno 255] Unknown error 255"
            " (Java's reason is in the log of the program that asked)",
        ),
        ("", "OSError"),
    ],
    ids=["frames of Java", "no reason", "no text"],
)
def test_a_foreign_reason_is_one_line(told: str, reason: str) -> None:
    assert reason_of(OSError(told)) == reason


def test_hdfs_without_its_native_library_says_in_one_line_what_is_missing() -> None:
    told, _ = told_of_hdfs({})
    assert re.fullmatch(r"hdfs://namenode:8020/flink/run: Unable to load libhdfs: .*: No such file or directory", told)


def test_a_native_library_that_cannot_be_loaded_is_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "libhdfs.so").write_bytes(b"no library")
    told, _ = told_of_hdfs({"ARROW_LIBHDFS_DIR": str(tmp_path)})
    assert told.endswith(f"Unable to load libhdfs: {tmp_path}/libhdfs.so: file too short")


def test_the_jvm_of_hdfs_leaves_signals_to_the_program_and_its_options_to_the_operator() -> None:
    _, options = told_of_hdfs({"LIBHDFS_OPTS": "-Xmx1g"})
    assert options == f"{JVM_OPTIONS} -Xmx1g"
    assert "-Xrs" in options.split()


def test_a_program_that_inherits_the_options_of_the_jvm_adds_nothing_to_them() -> None:
    given = f"{JVM_OPTIONS} -Xmx1g"
    assert told_of_hdfs({"LIBHDFS_OPTS": given})[1] == given


@pytest.mark.parametrize("url", ["file:///mnt/shared", "s3a://bucket", "s3a://bucket/a/b/", "hdfs://name-node:8020/a"])
def test_a_url_of_a_known_storage_is_taken(url: str) -> None:
    assert SharedFolder.of(url).url == url.rstrip("/")


@pytest.mark.parametrize(
    "url",
    [
        "/mnt/shared",
        "gs://bucket/a",
        "file://host/a",
        "hdfs:///a",
        "hdfs://namenode:8020",
        "s3a://key:hunter2@bucket/a",
        "s3a://bucket/a?secret_key=hunter2",
        "s3a://bucket/a*",
        "file:///mnt/a%20b",
    ],
)
def test_any_other_url_is_refused_without_a_password_in_it(url: str) -> None:
    with pytest.raises(SparkUnavailable, match="URL without login") as told:
        SharedFolder.of(url)
    assert "hunter2" not in str(told.value)
