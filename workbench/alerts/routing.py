"""Maps the labels of an alert to a listed cluster and a job."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from workbench.alerts.models import AlertSource
from workbench.clusters.models import Cluster
from workbench.languages.sentences import say

MOST_ROUTES = 200
ANY_REST = "*"


class RoutesRefused(Exception):
    """An invalid line of the routes; the text names it."""


@dataclass(frozen=True, slots=True)
class Target:
    """The subject of an alert.

    cluster  None when no route matches; `reason` says why
    job      name of the job; empty when no label names one
    """

    cluster: Cluster | None
    job: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Routing:
    """The mapping of a source, with the clusters as they are listed now.

    offered  key -> cluster that the source's owner may collect from
    """

    source: AlertSource
    offered: Mapping[int, Cluster]

    @classmethod
    def of(cls, source: AlertSource) -> Routing:
        """The mapping for one message."""
        return cls(source, {cluster.pk: cluster for cluster in Cluster.objects.offered_to(source.owner).clusters()})

    def target_of(self, labels: Mapping[str, str]) -> Target:
        """The first route that fits, then the cluster that a label names, then the cluster of the source."""
        source, job = self.source, labels.get(self.source.job_label, "")
        for route in source.routes:
            if _fits(labels.get(str(route["label"])), str(route["value"])):
                cluster = self.offered.get(int(route["cluster"]))
                condition = f"{route['label']} = {route['value']}"
                reason = (
                    ""
                    if cluster
                    else say(
                        "The route {condition} leads to a cluster that is not listed any more.", condition=condition
                    )
                )
                return Target(cluster, job, reason)
        named = labels.get(source.cluster_label, "")
        for cluster in self.offered.values():
            if named and cluster.name.casefold() == named.casefold():
                return Target(cluster, job)
        if source.cluster_id is not None and source.cluster_id in self.offered:
            return Target(self.offered[source.cluster_id], job)
        label = source.cluster_label
        if named:
            return Target(
                None, job, say("The label {label} is {named}, which names no listed cluster.", label=label, named=named)
            )
        return Target(
            None, job, say("There is no label {label}, no route fits, and the source has no cluster.", label=label)
        )


def routes_read(written: str, clusters: Iterable[Cluster]) -> list[dict[str, str | int]]:
    """The routes of lines `label = value : cluster`; a value may end with `*`. Raises RoutesRefused."""
    by_name = {cluster.name.casefold(): cluster for cluster in clusters}
    routes: list[dict[str, str | int]] = []
    for number, line in enumerate(written.splitlines(), 1):
        if not line.strip():
            continue
        matched, colon, name = line.rpartition(" : ")
        label, equals, value = matched.partition("=")
        if not (colon and equals and label.strip() and value.strip()):
            raise RoutesRefused(say("Line {number} is not `label = value : cluster`.", number=number))
        cluster = by_name.get(name.strip().casefold())
        if cluster is None:
            raise RoutesRefused(
                say(
                    "Line {number}: the owner may collect from no cluster named {name}.",
                    number=number,
                    name=name.strip(),
                )
            )
        routes.append({"label": label.strip(), "value": value.strip(), "cluster": cluster.pk})
    if len(routes) > MOST_ROUTES:
        raise RoutesRefused(say("At most {most_routes} routes are kept.", most_routes=MOST_ROUTES))
    return routes


def routes_written(source: AlertSource) -> str:
    """The routes of a source as text for editing."""
    keys = [route["cluster"] for route in source.routes]
    names = dict(Cluster.objects.filter(pk__in=keys).values_list("pk", "name"))
    return "\n".join(
        f"{route['label']} = {route['value']} : {names.get(int(route['cluster']), 'removed')}"
        for route in source.routes
    )


def _fits(value: str | None, wanted: str) -> bool:
    if value is None:
        return False
    if wanted.endswith(ANY_REST):
        return value.startswith(wanted.removesuffix(ANY_REST))
    return value == wanted
