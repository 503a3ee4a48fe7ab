"""How a Spark server starts and ends, its address, and what it accepts from other programs."""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import sys
import threading
from uuid import uuid4

import psutil
import pytest
from pyspark.sql import SparkSession

from diagnostics import spark as engine
from diagnostics.errors import ServerLost, SparkUnavailable
from diagnostics.spark.ahead import start_ahead, started_ahead
from diagnostics.spark.client import address
from diagnostics.spark.ports import free_port
from diagnostics.spark.server import (
    LIGHTLY_COMPILED,
    LIGHTLY_COMPILED_BYTES,
    Server,
    die_with_parent,
    options_for,
)

pytestmark = pytest.mark.spark


def test_a_server_that_still_warms_up_ends_at_once_when_told_to() -> None:
    port = free_port()
    command = [sys.executable, "-m", "diagnostics.spark_service", "serve", "--port", str(port)]
    serving = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert serving.stderr is not None
    try:
        told = iter(serving.stderr.readline, "")
        assert any("Spark Connect answers" in line for line in told)
        (server,) = psutil.Process(serving.pid).children()
        server.kill()
        assert any("Spark Connect answers" in line for line in told)
        serving.terminate()
        assert serving.wait(5) == 0
    finally:
        serving.kill()


def test_the_niceness_of_a_server_counts_beside_its_starter_and_ctrl_c_does_not_reach_it() -> None:
    server = Server(free_port())
    try:
        jvm = server._process.pid
        assert os.getsid(jvm) == os.getsid(0)
        assert os.getpgid(jvm) == jvm
    finally:
        server.kill()
        server.stop()


def test_a_server_that_is_not_there_is_said_with_its_address() -> None:
    port = free_port()
    with pytest.raises(ServerLost, match=f"localhost:{port}"):
        engine.connect(f"sc://localhost:{port}", str(uuid4()))


@pytest.mark.parametrize("wrong", ["http://localhost:1", "sc://", "localhost:15002"])
def test_an_address_of_another_kind_is_refused(wrong: str) -> None:
    with pytest.raises(SparkUnavailable, match="sc://host:port"):
        address(wrong)


def test_programs_start_while_spark_is_asked(spark: SparkSession) -> None:
    ended = threading.Event()

    def ask() -> None:
        while not ended.is_set():
            spark.range(3).count()

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        programs = [subprocess.Popen([sys.executable, "-S", "-c", ""], preexec_fn=die_with_parent) for _ in range(60)]
        assert {each.wait() for each in programs} == {0}
    finally:
        ended.set()
        asking.join()


def test_the_driver_deserialises_nothing_for_another_program_of_this_machine(spark: SparkSession) -> None:
    """A request as Spark frames it: length, kind, number, length of the body, and a Java object."""
    body = b"\xac\xed\x00\x05sr"
    request = struct.pack(">BqI", 3, 1, len(body)) + body
    with socket.create_connection(("127.0.0.1", int(spark.conf.get("spark.driver.port") or 0)), 10) as connection:
        connection.sendall(struct.pack(">q", len(request) + 8) + request)
        assert b"Expected SaslMessage" in connection.recv(1_000)
    assert spark.range(3).mapInArrow(lambda batches: batches, "id long").count() == 3


@pytest.mark.parametrize(
    ("input_bytes", "lightly"), [(LIGHTLY_COMPILED_BYTES, True), (2 * 1024**3, False), (None, False)]
)
def test_only_a_jvm_for_one_small_analysis_does_without_the_second_compiler(
    input_bytes: int | None, lightly: bool
) -> None:
    assert (LIGHTLY_COMPILED[0] in options_for(input_bytes)) is lightly


def test_nothing_is_started_ahead_for_a_command_line_that_names_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPARK_REMOTE", raising=False)
    start_ahead(["--json", "no-such-file.json", "no-such-folder"])
    assert started_ahead() is None
