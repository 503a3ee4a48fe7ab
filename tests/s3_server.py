"""A real S3 server (SeaweedFS) on the loopback interface, and the environment in which it is found.

The environment is decided before the Spark server of the tests starts, whose workers inherit it.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from diagnostics.spark.server import die_with_parent, free_port

START_SECONDS = 60.0
BUCKET = "evidence"


@dataclass(frozen=True, slots=True)
class S3Server:
    """A server that runs, and where it keeps its log."""

    url: str
    log: Path


def environment() -> dict[str, str]:
    """What every program needs to find a server that a test may start: the usual variables of AWS."""
    return {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{free_port()}",
        "AWS_ACCESS_KEY_ID": secrets.token_hex(8),
        "AWS_SECRET_ACCESS_KEY": secrets.token_hex(16),
        "AWS_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """A server with nothing in it that knows one login, that of the environment."""
    place = tmp_path_factory.mktemp("s3")
    with (place / "log").open("wb") as log:
        server = subprocess.Popen(_command(place), stdout=log, stderr=log, cwd=place, preexec_fn=die_with_parent)
    try:
        _wait_until_it_answers(server)
        yield S3Server(f"s3a://{BUCKET}", place / "log")
    finally:
        server.kill()
        server.wait()


def _command(place: Path) -> list[str]:
    login = {"accessKey": os.environ["AWS_ACCESS_KEY_ID"], "secretKey": os.environ["AWS_SECRET_ACCESS_KEY"]}
    actions = ["Admin", "Read", "Write", "List"]
    identities = place / "identities.json"
    identities.write_text(json.dumps({"identities": [{"name": "tests", "credentials": [login], "actions": actions}]}))
    ports = {"s3.port": os.environ["AWS_ENDPOINT_URL"].rpartition(":")[2], "s3.port.grpc": str(free_port())}
    for part in ("master", "volume", "filer"):
        ports |= {f"{part}.port": str(free_port()), f"{part}.port.grpc": str(free_port())}
    unused = {"master.telemetry": "false", "s3.iam": "false", "s3.port.iceberg": "0", "s3.port.lance": "0"}
    small = {"volume.max": "4", "master.volumeSizeLimitMB": "64"}
    there = {"dir": str(place), "ip": "127.0.0.1", "ip.bind": "127.0.0.1", "s3.config": str(identities)}
    options = {**there, **ports, **unused, **small}
    program = Path(sys.executable).with_name("weed")
    return [str(program), "server", "-s3", *(f"-{name}={value}" for name, value in options.items())]


def _wait_until_it_answers(server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        assert server.poll() is None, "the S3 server ended at once"
        assert time.monotonic() < deadline, "the S3 server did not answer"
        try:
            with urllib.request.urlopen(f"{os.environ['AWS_ENDPOINT_URL']}/healthz", timeout=2):
                return
        except OSError:
            time.sleep(0.05)
