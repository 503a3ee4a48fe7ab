"""From the alert to the message: a real Flink, Prometheus and Alertmanager, the workbench as `make up` starts it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.collecting.flink_cluster import JARS, wait_until
from tests.collecting.live import Live, running_live
from tests.collecting.monitoring import ALERTMANAGER, MISSING, PROMETHEUS
from tests.collecting.test_real_cluster import NAME
from tests.running_workbench import RunningWorkbench, eventually

pytestmark = [
    pytest.mark.spark,
    pytest.mark.celery,
    pytest.mark.skipif(not JARS.is_dir(), reason="there is no Flink here: `make flink` installs it (240 MB)"),
    pytest.mark.skipif(not (PROMETHEUS and ALERTMANAGER), reason=MISSING),
]

MOST_SECONDS = 180
"""Until a message is there on a machine that runs other tests; the median on an idle one is far below."""
STATE = """
import json
from workbench.alerts.models import Alert
from workbench.cases.models import Case
alert, case = Alert.objects.latest("pk"), Case.objects.latest("pk")
files = list(case.files.filter(snapshot=1))
print(json.dumps({
    "received": alert.received_at.timestamp(),
    "sent": case.deliveries.earliest("pk").sent_at.timestamp(),
    "files": sorted(file.name.split("/")[-1].split("-")[0] for file in files),
    "formats": sorted({member["format"] or "" for file in files for member in file.members}),
}))
"""
AFTERWARDS = """
import json
from django.test import Client
from workbench.accounts.models import User
from workbench.cases.models import Case
from workbench.watching.models import WatchedJob
case = Case.objects.latest("pk")
analysis = case.analyses.done().filter(snapshot=2).first()
reader = Client(headers={"host": "127.0.0.1"})
reader.force_login(User.objects.get(username="admin"))
print(json.dumps({
    "health": case.health_score,
    "left_out": sum(each["left_out"]["records"] for each in analysis.document["inputs"] if "left_out" in each),
    "jobs": [job["name"] for job in analysis.document["jobs"]],
    "page": reader.get(case.get_absolute_url()).content.decode(),
    "watched": list(WatchedJob.objects.values_list("name", flat=True)),
}))
"""


def message(live: Live, number: int) -> Any:
    """The message of this number, from 1, once it has come."""
    assert eventually(lambda: len(live.chat.posts) >= number, MOST_SECONDS), live.chat.posts
    return live.chat.posts[number - 1][2]


def message_of(live: Live, what: str) -> Any:
    """The first message that is sent for this reason, once it has come; the job may have to be looked at again."""

    def found() -> list[Any]:
        return [post for _, _, post in live.chat.posts if post["what"] == what]

    assert eventually(lambda: bool(found()), 3 * MOST_SECONDS), [post["text"] for _, _, post in live.chat.posts]
    return found()[0]


def test_an_alert_becomes_a_message_with_the_cause_and_its_end_another_one(
    workbench: RunningWorkbench, tmp_path: Path
) -> None:
    with running_live(workbench, tmp_path) as live:
        live.deploy(ill=True)
        wait_until(lambda: live.restarts() >= 1)
        begun = time.monotonic()
        first = message(live, 1)
        print(f"message {time.monotonic() - begun:.1f} s after the first restart")
        assert "NumberFormatException" in first["text"]
        assert first["verdict"] == "Failure in the job's code or JARs"
        assert first["url"].startswith("http")

        state = json.loads(workbench.manage("shell", "-c", STATE).splitlines()[-1])
        print(f"message {state['sent'] - state['received']:.1f} s after the alert")
        assert state["files"] == ["orders", "prometheus"], "the REST API and Prometheus were asked together"
        assert {"prometheus-query", "flink-log"} <= set(state["formats"])

        live.deploy(ill=False)
        verified = message_of(live, "Fix verified")
        state = json.loads(workbench.manage("shell", "-c", AFTERWARDS).splitlines()[-1])
        assert verified["url"] == first["url"]
        assert verified["text"].splitlines()[-1].startswith("Continues: Verdict of ")
        assert "it is not found any more" in verified["text"]
        assert "NumberFormatException" not in verified["text"]
        assert (state["health"] > 80, state["jobs"]) == (True, [NAME])
        assert state["left_out"] > 0, "the log and the REST API still hold what happened before the fix"
        assert "Fix verified" in state["page"]
        assert "not count in this diagnosis" in state["page"]
        assert state["watched"] == [NAME]
