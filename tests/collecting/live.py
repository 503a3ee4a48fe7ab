"""A workbench with a real Flink, Prometheus and Alertmanager around it, and a job that goes ill on command.

`make demo-live` runs it for a person; the test of the way from the alert to the message runs the same.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from diagnostics.spark.ports import free_port
from tests.collecting.flink_cluster import JARS, FlinkCluster, running_flink, wait_until
from tests.collecting.monitoring import ALERTMANAGER, MISSING, PROMETHEUS, running_alertmanager, running_prometheus
from tests.collecting.test_real_cluster import JOB, NAME
from tests.running_workbench import ADMIN_PASSWORD, RunningWorkbench, eventually, launch
from tests.workbench.channels.chat import Chat, running

HEALTHY = (JOB[0], JOB[1], "INSERT INTO totals SELECT 7, SUM(amount) FROM orders GROUP BY 7")
LISTING = """
from workbench.accounts.models import Team, User
from workbench.alerts.sources import SourceForm, source_add
from workbench.channels.models import USUAL_TEMPLATE
from workbench.channels.services import ChannelForm, channel_save
from workbench.clusters.services import cluster_add
from workbench.watching.services import WatchForm, watch_save
ada, team = User.objects.get(username="admin"), Team.objects.get()
metrics = cluster_add(user=ada, name="prometheus", url={prometheus!r}, serves="prometheus", special_allowed=True)
flink = cluster_add(user=ada, name="orders", url={flink!r}, special_allowed=True, metrics_server=metrics)
watch_save(user=ada, cluster=flink, form=WatchForm(5, team, ada))
_, token = source_add(user=ada, form=SourceForm("live", "alertmanager", team, ada))
form = ChannelForm("chat", "webhook", team, {chat!r} + "/hook", "", True, "all", False, USUAL_TEMPLATE)
channel_save(user=ada, form=form)
print(token)
"""
"""What an administrator lists on four pages."""


@dataclass(slots=True)
class Live:
    """The running systems."""

    flink: FlinkCluster
    chat: Chat

    def deploy(self, *, ill: bool, name: str = NAME) -> None:
        """Replaces what runs by a job that fails at its thirteenth record, or does not."""
        for listed in self.flink.rest("/jobs/overview")["jobs"]:
            job = listed["jid"]
            if listed["state"] not in ("CANCELED", "FAILED", "FINISHED"):
                self.flink.cancel(job)
                wait_until(lambda job=job: self.flink.rest(f"/jobs/{job}")["state"] == "CANCELED")  # type: ignore[misc]
        self.flink.submit(name, JOB if ill else HEALTHY)

    def restarts(self) -> int:
        """How often the present job failed so far, as far as Flink remembers."""
        [job] = [each["jid"] for each in self.flink.rest("/jobs/overview")["jobs"] if each["state"] != "CANCELED"]
        return len(self.flink.rest(f"/jobs/{job}/exceptions")["exceptionHistory"]["entries"])


@contextmanager
def running_live(workbench: RunningWorkbench, folder: Path) -> Iterator[Live]:
    """Flink, Prometheus, Alertmanager and a receiver of messages, all listed in the workbench."""
    (folder / "flink").mkdir()
    scraped, prometheus = (free_port(), free_port()), f"127.0.0.1:{free_port()}"
    with running_flink(folder / "flink", scraped) as flink, running(Chat()) as chat:
        listing = LISTING.format(flink=flink.url, chat=chat.url, prometheus=f"http://{prometheus}")
        token = workbench.manage("shell", "-c", listing).splitlines()[-1]
        intake = f"{workbench.address}/api/v1/alerts/live/"
        with (
            running_alertmanager(folder / "alertmanager", intake, token) as alertmanager,
            running_prometheus(folder / "prometheus", scraped, prometheus, alertmanager),
        ):
            yield Live(flink, chat)


def main() -> int:
    """Starts everything, makes the job ill and well again on command, and prints the messages that come."""
    if not JARS.is_dir():
        sys.stderr.write("There is no Flink here: make flink installs it (240 MB).\n")
        return 1
    if not (PROMETHEUS and ALERTMANAGER):
        sys.stderr.write(f"{MISSING[0].upper()}{MISSING[1:]}.\n")
        return 1
    with tempfile.TemporaryDirectory(prefix="demo-live-") as name:
        folder = Path(name)
        print("Starting the workbench, Flink, Prometheus and Alertmanager; it takes a minute or two.", flush=True)
        workbench = launch(folder / "data")
        try:
            workbench.wait_until_ready()
            with running_live(workbench, folder) as live:
                print(f"The workbench: {workbench.address}  (admin, {ADMIN_PASSWORD})", flush=True)
                _play(live)
        except KeyboardInterrupt:
            print("Ending.", flush=True)
        finally:
            workbench.end()
    return 0


def _play(live: Live) -> None:
    live.deploy(ill=False)
    print(f"The job {NAME!r} runs and is healthy; its fleet page is /fleet/.", flush=True)
    _ask("Press Enter to deploy a version that fails.")
    live.deploy(ill=True)
    _await_message(live, 1, "Prometheus sees restarts within seconds, then the alert goes out.")
    _ask("Press Enter to deploy the fixed version.")
    live.deploy(ill=False)
    _await_message(live, 2, "The alert resolves, and the workbench collects again.")
    _ask("Press Enter to end everything.")


def _await_message(live: Live, number: int, words: str) -> None:
    print(words, flush=True)
    begun = time.monotonic()
    if not eventually(lambda: len(live.chat.posts) >= number, 300):
        print("No message came within five minutes; the page of alerts says why.", flush=True)
        return
    text = live.chat.posts[number - 1][2]["text"]
    print(f"After {time.monotonic() - begun:.0f} s the channel received:\n\n{text}\n", flush=True)


def _ask(words: str) -> None:
    input(f"{words} ") if sys.stdin.isatty() else print(words, flush=True)


if __name__ == "__main__":
    sys.exit(main())
