"""Clients that send half of a request, or nothing, do not block other clients."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from diagnostics.spark.ports import free_port

THREADS = 4
CLIENTS = 60
APPLICATION = """
def application(environ, start_response):
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    said = f"{environ['PATH_INFO']} {len(body)}".encode()
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(said)))])
    return [said]
"""


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A web server of one process with our worker and a small application."""
    folder = tmp_path_factory.mktemp("application")
    (folder / "application.py").write_text(APPLICATION)
    free = free_port()
    server = ("gunicorn", "application", "--chdir", str(folder), "--bind", f"127.0.0.1:{free}", "--no-control-socket")
    worker = ("--worker-class", "workbench.launch.web_worker.PatientWorker", "--threads", str(THREADS))
    root = Path(__file__).resolve().parents[2]
    process = subprocess.Popen([sys.executable, "-m", *server, *worker], cwd=root, env={"PYTHONPATH": str(root)})
    try:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            try:
                answer_of(free, b"GET /ready HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                break
            except ConnectionError:
                time.sleep(0.1)
        yield free
    finally:
        process.terminate()
        process.wait(20)


def connected(port: int, sent: bytes) -> socket.socket:
    client = socket.create_connection(("127.0.0.1", port), timeout=8)
    client.sendall(sent)
    return client


def answer_of(port: int, request: bytes) -> bytes:
    with connected(port, request) as client:
        return everything(client)


def everything(client: socket.socket) -> bytes:
    """What comes until the server closes the connection."""
    return b"".join(iter(lambda: client.recv(65536), b""))


def seconds_to_be_served(port: int) -> float:
    began = time.monotonic()
    assert b"/healthz 0" in answer_of(port, b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    return time.monotonic() - began


HALF_SENT = {
    "nothing": b"",
    "half a head": b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ",
    "empty lines and half a head": b"\r\n\r\nGET / HTTP/1.1\r\n",
    "a head without its short body": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf",
    "a head without its long body": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nhalf",
    "a short body whose length has zeros in front": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: "
    + b"0" * 30
    + b"100\r\n\r\nhalf",
    "a body longer than anything": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + b"9" * 19 + b"\r\n\r\nhalf",
    "a head without its chunks": b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nha",
    "a whole request, without an end of the connection": b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    "a whole request and half of the next": b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\n",
}


@pytest.mark.parametrize("sent", HALF_SENT.values(), ids=HALF_SENT)
def test_half_sent_requests_keep_nobody_waiting(port: int, sent: bytes) -> None:
    clients = [connected(port, sent) for _ in range(CLIENTS)]
    time.sleep(0.3)
    try:
        assert [round(seconds) for _ in range(3) if (seconds := seconds_to_be_served(port)) >= 1] == []
    finally:
        for client in clients:
            client.close()


def test_a_head_that_comes_byte_by_byte_is_served(port: int) -> None:
    with connected(port, b"GET /sl") as client:
        for byte in b"ow HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n":
            client.sendall(bytes([byte]))
            time.sleep(0.005)
        assert b"/slow 0" in everything(client)


@pytest.mark.parametrize("length", [0, 10, 32 * 1024, 200_000, 3_000_000])
def test_a_body_that_comes_in_two_parts_is_read_whole(port: int, length: int) -> None:
    head = f"POST /body HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n".encode()
    with connected(port, head + b"x" * (length // 2)) as client:
        time.sleep(0.05)
        client.sendall(b"x" * (length - length // 2))
        assert f"/body {length}".encode() in everything(client)


def test_more_uploads_than_may_have_a_thread_are_served_one_after_the_other(port: int) -> None:
    head = b"POST /up HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 100000\r\n\r\n"
    clients = [connected(port, head) for _ in range(3 * THREADS)]
    for client in clients:
        client.sendall(b"x" * 100_000)
    answers = [everything(client) for client in clients]
    assert all(b"/up 100000" in answer for answer in answers)
    for client in clients:
        client.close()


def test_a_connection_that_is_kept_serves_the_next_request(port: int) -> None:
    with connected(port, b"GET /one HTTP/1.1\r\nHost: x\r\n\r\n") as client:
        time.sleep(0.1)
        client.sendall(b"GET /two HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        answers = everything(client)
    assert b"/one 0" in answers
    assert b"/two 0" in answers


def test_a_head_that_is_too_long_is_refused(port: int) -> None:
    request = b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X-Long: " + b"x" * 40_000
    assert b" 431 " in answer_of(port, request)


def test_a_client_that_leaves_before_the_end_of_its_head_is_forgotten(port: int) -> None:
    connected(port, b"GET / HTTP/1.1\r\n").close()
    assert seconds_to_be_served(port) < 1
