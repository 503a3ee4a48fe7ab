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
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from diagnostics.spark.ports import free_port
from diagnostics.spark.server import die_with_parent

START_SECONDS = 60.0
BUCKET = "evidence"


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
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a bucket on a server with nothing in it, which knows one login, that of the environment."""
    place = tmp_path_factory.mktemp("s3")
    ports = _ports()
    with (place / "log").open("wb") as log:
        command = _command(place, ports)
        server = subprocess.Popen(command, stdout=log, stderr=log, cwd=place, preexec_fn=die_with_parent)
    try:
        _wait_until_it_answers(server)
        yield f"s3a://{BUCKET}"
    finally:
        server.kill()
        server.wait()
        for port in ports.values():
            for socket_file in Path("/tmp").glob(f"seaweedfs-*-{port}.sock"):
                socket_file.unlink()


def _ports() -> dict[str, str]:
    """Of each part, which otherwise has a usual one."""
    names = [f"{part}.port{kind}" for part in ("master", "volume", "filer", "s3") for kind in ("", ".grpc")]
    told = os.environ["AWS_ENDPOINT_URL"].rpartition(":")[2]
    return {name: str(free_port()) for name in names} | {"s3.port": told}


def _command(place: Path, ports: dict[str, str]) -> list[str]:
    login = {"accessKey": os.environ["AWS_ACCESS_KEY_ID"], "secretKey": os.environ["AWS_SECRET_ACCESS_KEY"]}
    actions = ["Admin", "Read", "Write", "List"]
    identities = place / "identities.json"
    identities.write_text(json.dumps({"identities": [{"name": "tests", "credentials": [login], "actions": actions}]}))
    there = {"dir": str(place), "ip": "127.0.0.1", "ip.bind": "127.0.0.1", "s3.config": str(identities)}
    unused = {"master.telemetry": "false", "s3.iam": "false", "s3.port.iceberg": "0", "s3.port.lance": "0"}
    small = {"volume.max": "4", "master.volumeSizeLimitMB": "64"}
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
