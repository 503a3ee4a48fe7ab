"""The log stores by what a listed entry serves."""

from __future__ import annotations

from workbench.clusters.elasticsearch import ELASTICSEARCH
from workbench.clusters.log_store import LogStore
from workbench.clusters.loki import LOKI
from workbench.clusters.models import Serves

LOG_STORES_BY_SERVICE = {Serves.LOKI.value: LOKI, Serves.ELASTIC.value: ELASTICSEARCH}


def log_store_of(serves: str) -> LogStore:
    """How the log store is queried."""
    return LOG_STORES_BY_SERVICE[serves]
