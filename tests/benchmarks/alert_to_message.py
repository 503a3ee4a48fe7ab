"""From the alert to the message: a real Flink, Prometheus and Alertmanager, and jobs that fail one after another.

Each failing job has a name of its own, so each alert opens a case. The workbench's own part is what remains of the time
from its receipt of the alert to the sent message without the seconds over which it has to take two looks at the job.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median

from tests.collecting.flink_cluster import JARS
from tests.collecting.live import Live, running_live
from tests.collecting.monitoring import ALERTMANAGER, MISSING, PROMETHEUS
from tests.running_workbench import RunningWorkbench, eventually, launch

MOST_SECONDS = 240
TIMES = """
import json
from workbench.alerts.models import Alert
from workbench.alerts.services import COLLECTED_SECONDS
alert = Alert.objects.select_related("case").get(job_name={name!r})
delivery = alert.case.deliveries.earliest("pk")
analysis = delivery.analysis
times = [alert.starts_at, alert.received_at, analysis.queued_at, analysis.finished_at, delivery.sent_at]
print(json.dumps([COLLECTED_SECONDS, *(each.timestamp() for each in times)]))
"""


@dataclass(frozen=True, slots=True)
class Way:
    """Seconds of one way: until receipt, of collecting, analysis and sending, and the fixed time of the looks."""

    noticed: float
    collected: float
    analysed: float
    sent: float
    looks: float

    @property
    def own(self) -> float:
        return self.collected + self.analysed + self.sent - self.looks

    @property
    def total(self) -> float:
        return self.noticed + self.collected + self.analysed + self.sent


def report(rounds: int) -> None:
    """Prints each way from the alert to the message, and the medians."""
    if not (JARS.is_dir() and PROMETHEUS and ALERTMANAGER):
        print(f"Not measured: there is no Flink here (make flink), or {MISSING}.")
        return
    with tempfile.TemporaryDirectory(prefix="alerts-") as name:
        folder = Path(name)
        workbench = launch(folder / "data")
        try:
            workbench.wait_until_ready()
            with running_live(workbench, folder) as live:
                ways = [_way(workbench, live, number) for number in range(1, rounds + 1)]
        finally:
            workbench.end()
    print("| alert | alert to receipt | collecting | analysis | sending | alert to message | own part |")
    print("|---|---|---|---|---|---|---|")
    for number, way in enumerate(ways, 1):
        _print(str(number), way.noticed, way.collected, way.analysed, way.sent, way.total, way.own)
    columns = ("noticed", "collected", "analysed", "sent", "total", "own")
    _print("median", *(median(getattr(way, column) for way in ways) for column in columns))


def _way(workbench: RunningWorkbench, live: Live, number: int) -> Way:
    name = f"totals_{number}"  # as the label has it: Flink's reporter replaces blanks in values of labels
    live.deploy(ill=True, name=name)
    assert eventually(lambda: any(name in post["title"] for _, _, post in live.chat.posts), MOST_SECONDS), "no message"
    looks, *times = json.loads(workbench.manage("shell", "-c", TIMES.format(name=name)).splitlines()[-1])
    noticed, collected, analysed, sent = (after - before for before, after in pairwise(times))
    return Way(noticed, collected, analysed, sent, looks)


def _print(name: str, *seconds: float) -> None:
    print(f"| {name} | {' | '.join(f'{each:.1f}' for each in seconds)} |", flush=True)
