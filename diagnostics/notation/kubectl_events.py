"""What `kubectl get events` prints: a table, or its rows alone, as a filter such as grep leaves them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from diagnostics.notation.kubectl_description import Reading
from diagnostics.notation.kubernetes import concerns_flink, event_record
from diagnostics.notation.printed_table import cells_at

MOST_OTHERS = 2_000
"""Events of other pods that are kept until the end of the table. Our choice: those of a large namespace in an hour."""

_TITLES = re.compile(r"(?:NAMESPACE +)?LAST SEEN +(?:FIRST SEEN +)?(?:COUNT +)?(?:NAME +)?TYPE +REASON +OBJECT +")
_ROW = re.compile(
    r"(?:(?:[a-z0-9-]{1,63} {1,40})?(?:(?:\d{1,4}[smhdy]){1,3}|<unknown>|<invalid>) {1,40})"
    r"(?P<TYPE>Normal|Warning) {1,40}(?P<REASON>[A-Z]\w{1,60}) {1,60}(?P<OBJECT>[a-z][a-z.]{1,60}/\S{1,253}) {1,80}"
    r"(?P<MESSAGE>\S.*)"
)
"""A row with its age, behind a namespace or not. Source: Kubernetes, HumanDuration and the columns of kubectl."""
_APART = re.compile(r" {2,200}")
"""What stands between cells. Where it makes as many of them as there are titles, it counts before the place of a cell:
copying moves rows against their titles."""
_OF_A_DEPLOYMENT = re.compile(r"(.{1,63})-[0-9a-f]{6,10}-[0-9a-z]{5}")
"""The pod of a Deployment. Native Kubernetes calls the JobManager's as the cluster, the operator as its resource.
Source: Flink, KubernetesResourceManagerDriver and KubernetesUtils.getDeploymentName.
"""
_OF_THE_OPERATOR = re.compile(r"flinkdeployment/(\S{1,63})", re.IGNORECASE)


def deployment_of(pod: str) -> str | None:
    """The name of the Deployment whose pod this is."""
    found = _OF_A_DEPLOYMENT.fullmatch(pod)
    return found[1] if found else None


def events_of(first: str, at: int) -> Reading | None:
    """What reads events below this line of titles, or from this row on; None where the line is neither.

    at  the number of the line
    """
    if _TITLES.match(first):
        return _Events(first, at)
    return _Rows() if _ROW.fullmatch(first) else None


class Table(Reading):
    """What `kubectl get` prints: columns begin where their titles begin.

    at  the line of the titles
    """

    def __init__(self, title: str, at: int) -> None:
        super().__init__()
        self._at = at
        names = list(re.finditer(r"\S+(?: \S+)*", title.rstrip()))
        ends = [found.start() for found in names[1:]] + [None]
        self._columns = {found.group(): (found.start(), end) for found, end in zip(names, ends, strict=True)}

    def take(self, line: str, number: int) -> None:
        if number <= self._at or not line.strip():
            return
        apart = _APART.split(line.strip(), len(self._columns))
        cells = apart if len(apart) == len(self._columns) else cells_at(line, self._columns.values())
        self._row(dict(zip(self._columns, cells, strict=True)), number)

    def _row(self, row: Mapping[str, str], number: int) -> None:
        raise NotImplementedError


class _Events(Table):
    """Events below their titles. A pod of a Deployment that is called as a FlinkDeployment of the table is Flink's."""

    def __init__(self, title: str, at: int) -> None:
        super().__init__(title, at)
        self._clusters: set[str] = set()
        self._others: list[tuple[str, dict[str, Any], int]] = []

    def _row(self, row: Mapping[str, str], number: int) -> None:
        kind, reason, about = row.get("TYPE"), row.get("REASON"), row.get("OBJECT")
        if kind not in ("Normal", "Warning") or not reason or not about:
            self.tally.not_understood += 1
            return
        count = row.get("COUNT", "")
        message = row.get("MESSAGE", "")
        event = event_record(
            reason, kind, about, message, None, int(count) if count.isdecimal() and len(count) < 10 else None
        )
        self._clusters |= {found[1]} if (found := _OF_THE_OPERATOR.fullmatch(about)) else set()
        deployment = deployment_of(about.removeprefix("pod/"))
        if deployment and not concerns_flink(event) and len(self._others) < MOST_OTHERS:
            self._others.append((deployment, event, number))
        else:
            self._event(event, number)

    def close(self) -> None:
        """Adds the events of the pods that only the rest of the table shows to be Flink's."""
        super().close()
        for deployment, event, number in self._others:
            self._event(event | {"process": "jobmanager"} if deployment in self._clusters else event, number)
        self.records.sort(key=lambda row: int(row["line"]))


class _Rows(_Events):
    """Rows without their titles."""

    def __init__(self) -> None:
        super().__init__("MESSAGE", 0)

    def take(self, line: str, number: int) -> None:
        if found := _ROW.fullmatch(line.rstrip()):
            self._row(found.groupdict(), number)
        elif line.strip():
            self.tally.not_understood += 1
