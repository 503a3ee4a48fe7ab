"""Tasks are sent by name: every name that a service sends belongs to a task that the worker knows."""

from __future__ import annotations

from workbench.analyses.services import RUN_NEXT_ANALYSIS
from workbench.celery import app
from workbench.channels.services import SEND_DELIVERY
from workbench.clusters.services import RUN_COLLECTION
from workbench.rules.health_weights import APPLY_WEIGHTS
from workbench.uploads.arrivals import REDACT_ARRIVAL
from workbench.watching.services import RUN_CHECK


def test_the_worker_knows_the_tasks_that_services_send_and_no_others() -> None:
    app.loader.import_default_modules()
    known = {name for name in app.tasks if name.startswith("workbench.")}
    assert known == {RUN_NEXT_ANALYSIS, APPLY_WEIGHTS, RUN_COLLECTION, REDACT_ARRIVAL, SEND_DELIVERY, RUN_CHECK}
