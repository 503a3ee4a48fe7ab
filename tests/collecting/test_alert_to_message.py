"""From the alert to the message: a real Flink and a real Alertmanager, the workbench as `make up` starts it, a chat."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.collecting.flink_cluster import JARS, FlinkCluster, running_flink, wait_until
from tests.collecting.test_real_cluster import JOB, NAME
from tests.running_workbench import RunningWorkbench, eventually, free_port
from tests.workbench.channels.chat import Chat, running

ALERTMANAGER = shutil.which("prometheus-alertmanager") or shutil.which("alertmanager")
AMTOOL = shutil.which("amtool")

pytestmark = [
    pytest.mark.spark,
    pytest.mark.celery,
    pytest.mark.skipif(not JARS.is_dir(), reason="there is no Flink here: `make flink` installs it (240 MB)"),
    pytest.mark.skipif(not (ALERTMANAGER and AMTOOL), reason="there is no Alertmanager here: `.ci/run` installs it"),
]

MOST_SECONDS = 180
"""Until a message is there on a machine that runs other tests; the median on an idle one is far below."""
MENDED = (JOB[0], JOB[1], "INSERT INTO totals SELECT 7, SUM(amount) FROM orders GROUP BY 7")
LISTING = """
import json
from workbench.accounts.models import Team, User
from workbench.alerts.sources import SourceForm, source_add
from workbench.channels.models import USUAL_TEMPLATE
from workbench.channels.services import ChannelForm, channel_save
from workbench.clusters.services import cluster_add
ada, team = User.objects.get(username="admin"), Team.objects.get()
cluster_add(user=ada, name="orders", url={flink!r}, special_allowed=True)
_, token = source_add(user=ada, form=SourceForm("live", "alertmanager", team, ada))
channel_save(user=ada, form=ChannelForm("chat", "webhook", team, {chat!r} + "/hook", "", True, "all", USUAL_TEMPLATE))
print(token)
"""
"""What an administrator lists on three pages."""


@contextmanager
def running_alertmanager(folder: Path, url: str, token: str) -> Iterator[str]:
    """An Alertmanager that sends each group at once; gives its address."""
    folder.mkdir()
    receiver = {"url": url, "http_config": {"authorization": {"credentials": token}}}
    settings = {
        "route": {"receiver": "workbench", "group_wait": "0s", "group_interval": "1s", "repeat_interval": "1h"},
        "receivers": [{"name": "workbench", "webhook_configs": [receiver]}],
    }
    (folder / "alertmanager.yml").write_text(json.dumps(settings))  # YAML holds JSON
    address = f"127.0.0.1:{free_port()}"
    command = [
        str(ALERTMANAGER),
        f"--config.file={folder}/alertmanager.yml",
        f"--storage.path={folder}/data",
        f"--web.listen-address={address}",
        "--cluster.listen-address=",
    ]
    with (folder / "said.txt").open("wb") as said:
        process = subprocess.Popen(command, stdout=said, stderr=said)
    try:
        ready = [str(AMTOOL), f"--alertmanager.url=http://{address}", "alert", "query"]
        assert eventually(lambda: subprocess.run(ready, capture_output=True, check=False).returncode == 0, 30)
        yield f"http://{address}"
    finally:
        process.terminate()
        process.wait(10)


def fire(alertmanager: str, *, is_over: bool = False) -> None:
    """The alert as Prometheus would send it; what ended lies a second back, since equal moments are no end."""
    labels = ["alertname=JobRestarts", "cluster=orders", f"job_name={NAME}", "severity=critical"]
    ended = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 1))
    end = [f"--end={ended}", "--start=2026-01-01T00:00:00Z"] if is_over else []
    command = [str(AMTOOL), f"--alertmanager.url={alertmanager}", "alert", "add", *end, *labels]
    subprocess.run(command, check=True, capture_output=True)


def message(chat: Chat, number: int) -> Any:
    """The message of this number, from 1, once it has come."""
    assert eventually(lambda: len(chat.posts) >= number, MOST_SECONDS), chat.posts
    return chat.posts[number - 1][2]


def restart_mended(cluster: FlinkCluster, job: str) -> None:
    """Cancels the job and starts one of the same name without its fault."""
    cluster.cancel(job)
    wait_until(lambda: cluster.rest(f"/jobs/{job}")["state"] == "CANCELED")
    cluster.submit(NAME, MENDED)


def test_an_alert_becomes_a_message_with_the_cause_and_its_end_another_one(
    workbench: RunningWorkbench, tmp_path: Path
) -> None:
    flink_folder = tmp_path / "flink"
    flink_folder.mkdir()
    with running_flink(flink_folder) as cluster, running(Chat()) as chat:
        cluster.submit(NAME, JOB)
        job = cluster.rest("/jobs/overview")["jobs"][0]["jid"]
        wait_until(lambda: len(cluster.rest(f"/jobs/{job}/exceptions")["exceptionHistory"]["entries"]) >= 3)
        token = workbench.manage("shell", "-c", LISTING.format(flink=cluster.url, chat=chat.url)).splitlines()[-1]
        url = f"{workbench.address}/api/v1/alerts/live/"
        with running_alertmanager(tmp_path / "alertmanager", url, token) as alertmanager:
            begun = time.monotonic()
            fire(alertmanager)
            first = message(chat, 1)
            print(f"message {time.monotonic() - begun:.1f} s after the alert")
            assert "NumberFormatException" in first["text"]
            assert first["verdict"] == "Failure in the job's own code"
            assert first["url"].startswith("http")

            restart_mended(cluster, job)
            fire(alertmanager, is_over=True)
            second = message(chat, 2)
            assert (second["what"], second["url"]) == ("After the change", first["url"])
