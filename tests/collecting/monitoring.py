"""A real Prometheus that scrapes a Flink cluster and a real Alertmanager that sends its alerts, on this machine."""

from __future__ import annotations

import json
import shutil
import subprocess
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from diagnostics.spark.ports import free_port
from tests.running_workbench import eventually

PROMETHEUS = shutil.which("prometheus")
ALERTMANAGER = shutil.which("prometheus-alertmanager") or shutil.which("alertmanager")
MISSING = "there is no Prometheus with its Alertmanager here: apt-get install prometheus prometheus-alertmanager"
RESTARTS = {
    "alert": "JobRestarts",
    "expr": "flink_jobmanager_job_numRestarts > 0",
    "labels": {"cluster": "orders", "severity": "critical"},
    "annotations": {"summary": "The job restarted {{ $value }} times"},
}
"""The rule; the series has the label `job_name`."""


@contextmanager
def running_alertmanager(folder: Path, url: str, token: str) -> Iterator[str]:
    """An Alertmanager that sends each group at once; gives host and port."""
    folder.mkdir()
    receiver = {"url": url, "http_config": {"authorization": {"credentials": token}}}
    settings = {
        "route": {"receiver": "workbench", "group_wait": "0s", "group_interval": "1s", "repeat_interval": "1h"},
        "receivers": [{"name": "workbench", "webhook_configs": [receiver]}],
    }
    (folder / "alertmanager.yml").write_text(json.dumps(settings))  # YAML holds JSON
    address = f"127.0.0.1:{free_port()}"
    options = [f"--config.file={folder}/alertmanager.yml", f"--storage.path={folder}/data", "--cluster.listen-address="]
    with _running([str(ALERTMANAGER), *options, f"--web.listen-address={address}"], folder, address):
        yield address


@contextmanager
def running_prometheus(folder: Path, scraped: Sequence[int], address: str, alertmanager: str) -> Iterator[None]:
    """A Prometheus at host and port, which scrapes ports of this machine and judges them every second."""
    folder.mkdir()
    (folder / "rules.yml").write_text(json.dumps({"groups": [{"name": "flink", "rules": [RESTARTS]}]}))
    settings = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [f"{folder}/rules.yml"],
        "scrape_configs": [
            {"job_name": "flink", "static_configs": [{"targets": [f"127.0.0.1:{port}" for port in scraped]}]}
        ],
        "alerting": {"alertmanagers": [{"static_configs": [{"targets": [alertmanager]}]}]},
    }
    (folder / "prometheus.yml").write_text(json.dumps(settings))
    options = [f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data"]
    with _running([str(PROMETHEUS), *options, f"--web.listen-address={address}"], folder, address):
        yield


@contextmanager
def _running(command: Sequence[str], folder: Path, address: str) -> Iterator[None]:
    """The program, once it says that it is ready; ended with the block."""
    with (folder / "said.txt").open("wb") as said:
        process = subprocess.Popen(command, stdout=said, stderr=said)
    try:
        assert eventually(lambda: _is_ready(address), 60), (folder / "said.txt").read_text()
        yield
    finally:
        process.terminate()
        process.wait(20)


def _is_ready(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"http://{address}/-/ready", timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
