"""Every address of the workbench from the URL configuration, and the visitors that request it."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib.admin.models import ADDITION, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from tests.diagnostics.log_book.books import LOGS
from tests.diagnostics.profiles.stack_rows import OWN, ROOT, profiles_of_rows, row
from tests.workbench.charts.test_charts import load_points
from tests.workbench.diagnosed import SKEW_RULE, diagnosed_case, drafted, published, write_log_book
from tests.workbench.people import People, case_of, signed_in
from workbench.accounts.models import ApiToken, User
from workbench.alerts.models import AlertSource
from workbench.analyses.models import ChartPoints, SampledStacks
from workbench.cases.bulk import cases_set_status
from workbench.cases.follow_ups import follow_up_add
from workbench.cases.models import CaseStatus, SavedView
from workbench.cases.services import case_close
from workbench.channels.models import Channel
from workbench.clusters.models import Cluster, Collection
from workbench.drills.models import Drill
from workbench.layouts.models import LogLayout
from workbench.redaction.models import RedactionRule
from workbench.rule_pages.backtest import backtest_start
from workbench.rules.models import RuleEvent
from workbench.rules.regression import case_keep
from workbench.runbooks.models import Article
from workbench.sign_in.models import GroupMapping, Identity
from workbench.uploads.arrivals import arrival_begin
from workbench.watching.models import Watch

METHODS = ("HEAD", "PUT", "PATCH", "DELETE")
"""All that do something, but GET and POST."""
BATCH = 32
"""Routes that one test asks for in one world. Our choice: making a world takes a third of a second."""
FORM = "application/x-www-form-urlencoded"
TUS = {"Tus-Resumable": "1.0.0"}


@dataclass(frozen=True, slots=True)
class Route:
    """One address: its name with the namespace, and the names of what varies in it."""

    name: str
    varies: tuple[str, ...]

    @property
    def is_api(self) -> bool:
        return self.name.startswith("api:")


def routes() -> Iterator[Route]:
    """Every route of the URL configuration; one without a name goes by its pattern."""
    yield from _routes(get_resolver(), (), ())


def _routes(resolver: URLResolver, namespaces: tuple[str, ...], varies: tuple[str, ...]) -> Iterator[Route]:
    for each in resolver.url_patterns:
        names = (*varies, *each.pattern.regex.groupindex)
        if isinstance(each, URLResolver):
            inner = (*namespaces, each.namespace) if each.namespace else namespaces
            yield from _routes(each, inner, names)
        elif isinstance(each, URLPattern):
            yield Route(":".join((*namespaces, each.name or str(each.pattern))), names)


@dataclass(frozen=True, slots=True)
class World:
    """A team with a diagnosed case and all that can hang on one, and everybody who may ask for it.

    people  name of the visitor -> the browser or program
    varies  name of what varies in addresses -> its value in this world
    """

    people: Mapping[str, Client]
    varies: Mapping[str, Any]

    def address(self, route: Route) -> str:
        """The route's address in this world."""
        if route.name.startswith("admin:"):
            known = _admin_varies(route, self.varies)
        else:
            known = {name: self.varies.get(f"{route.name}.{name}", self.varies.get(name)) for name in route.varies}
        return reverse(route.name, kwargs=known)

    def data(self, named: Mapping[str, str]) -> dict[str, str]:
        """The form with the values of this world in it."""
        return {name: value.format_map(self.varies) for name, value in named.items()}

    def ask(self, visitor: str, method: str, address: str, data: Mapping[str, Any] | None = None) -> Any:
        """The answer; whatever it changed in the database is as it was afterwards."""
        client = self.people[visitor]
        cookies = client.cookies.copy()
        with transaction.atomic():
            query = urlencode(data or {})
            in_address = f"{address}?{query}" if method == "GET" else address
            answer = client.generic(method, in_address, "" if method == "GET" else query, FORM, headers=TUS)
            transaction.set_rollback(True)
        client.cookies = cookies
        return answer


def _admin_varies(route: Route, varies: Mapping[str, Any]) -> dict[str, Any]:
    model = route.name.removeprefix("admin:").rpartition("_")[0]
    object_id = varies["admin"].get(model, "1")
    values = {"object_id": object_id, "id": varies["admin"]["accounts_user"], "app_label": "accounts", "url": "x"}
    values["content_type_id"] = varies["admin"]["content_type"]
    return {name: values[name] for name in route.varies}


def made_world(people: People) -> World:
    """The world with everything of Alice's in the team of Bob, Vera, Rita and Ada; Charlie is of another team."""
    team = people.team
    version = published(SKEW_RULE, people.rita)
    analysis = diagnosed_case(people.alice)
    case = analysis.case
    analysis.document["findings"][0]["runbook"] = "data-skew"
    analysis.signals[0]["facts"]["hot_share_ratio"] = 0.9
    SampledStacks.objects.create(analysis=analysis, content=profiles_of_rows([row(ROOT, OWN)]).to_bytes())
    ChartPoints.objects.create(analysis=analysis, chart_id="load-by-subtask", points=load_points("a"))
    analysis.save()
    file = analysis.files.get()
    write_log_book(analysis, LOGS)
    batch = cases_set_status(cases=[case], user=people.alice, status=CaseStatus.INVESTIGATING)
    follow_up = follow_up_add(case=case, user=people.alice, text="Look", owner=people.bob)
    arrival = arrival_begin(case=case, user=people.alice, name="a.log", size=5)
    cluster = Cluster.objects.create(name="c", url="http://10.9.9.9:8081", team=team, added_by=people.ada)
    metrics = Cluster.objects.create(
        name="p", url="http://10.9.9.8", serves="prometheus", team=team, added_by=people.ada
    )
    log_store = Cluster.objects.create(name="l", url="http://10.9.9.7", serves="loki", team=team, added_by=people.ada)
    watch = Watch.objects.create(cluster=cluster, team=team, owner=people.alice, next_at=timezone.now())
    watched = watch.jobs.create(name="j", job_id="0" * 32, state="RUNNING", seen_at=timezone.now(), level="quiet")
    channel = Channel.objects.create(name="x", kind="slack", origin="http://x", team=team, added_by=people.ada)
    source = AlertSource(slug="alertmanager", kind="alertmanager", team=team, owner=people.alice, added_by=people.ada)
    source.renew_token()
    source.save()
    collection = Collection.objects.create(case=case, cluster=cluster, requested_by=people.alice)
    draft = drafted(SKEW_RULE.replace("skew.test", "skew.other"), people.rita)
    backtest = backtest_start(draft=draft, user=people.rita)
    kept = diagnosed_case(people.alice, title="Another").case
    case_close(case=kept, user=people.alice, confirmed_class="data_skew", what_fixed_it="")
    case_keep(case=kept, user=people.alice)
    sample = version.rule.regression_samples.get()
    drilled = case_of(people.alice, "Drilled")
    drill = Drill.objects.create(user=people.bob, case=drilled, analysis=analysis, truth="data_skew")
    view = SavedView.objects.create(user=people.alice, name="Mine", query="status=open")
    token, _ = ApiToken.objects.make(people.alice, "admin's look")
    LogEntry.objects.create(
        user=people.ada, content_type=ContentType.objects.get_for_model(User), object_id="1", action_flag=ADDITION
    )
    identity = Identity.objects.create(user=people.bob, provider="oidc", issuer="https://login", subject="1")
    mapping = GroupMapping.objects.create(group="x", team=team)
    article = Article.objects.create(team=team, runbook="data-skew", title="x", text="x", added_by=people.alice)
    event = RuleEvent.objects.filter(rule_id="skew.test").earliest("pk")
    varies = {
        "case_id": case.pk,
        "analysis_id": analysis.pk,
        "before_id": analysis.pk,
        "after_id": analysis.pk,
        "position": 0,
        "file_id": file.pk,
        "line": 1,
        "chart_id": "load-by-subtask",
        "follow_up_id": follow_up.pk,
        "view_id": view.pk,
        "arrival_id": arrival.pk,
        "cluster_id": cluster.pk,
        "collection_id": collection.pk,
        "source_id": source.pk,
        "channel_id": channel.pk,
        "metrics_server_id": metrics.pk,
        "log_store_id": log_store.pk,
        "job_id": watched.pk,
        "source": source.slug,
        "person_id": people.bob.pk,
        "uidb64": "MQ",
        "token": "made-up",
        "mapping_id": mapping.pk,
        "team_id": team.pk,
        "token_id": token.pk,
        "drill_id": drill.pk,
        "draft_id": draft.pk,
        "backtest_id": backtest.pk,
        "event_id": event.pk,
        "article_id": article.pk,
        "sample_id": sample.pk,
        "rule_id": "skew.test",
        "version_id": version.pk,
        "step_id": "confirm-the-hot-subtask",
        "walk_id": "aligned-barriers",
        "calculator_id": "salting",
        "form": "csv",
        "batch": batch,
        "prevention:file.name": "flink-alerts.yaml",
        "admin": {
            "accounts_user": people.bob.pk,
            "accounts_team": team.pk,
            "accounts_apitoken": token.pk,
            "rules_rule": version.rule.pk,
            "sign_in_identity": identity.pk,
            **_administered(),
            "content_type": ContentType.objects.get_for_model(User).pk,
        },
    }
    return World(_visitors(people), varies)


def _administered() -> dict[str, Any]:
    """An object of each model that only the administration shows."""
    moment, address = timezone.now(), "192.0.2.7"
    seen = {"username": "x", "ip_address": address, "attempt_time": moment}
    return {
        "layouts_loglayout": LogLayout.objects.create(title="x", pattern="x", finds="x").pk,
        "redaction_redactionrule": RedactionRule.objects.create(rule_id="x", title="x", pattern="(none)", finds="x").pk,
        "axes_accessattempt": AccessAttempt.objects.create(failures_since_start=1, **seen).pk,
        "axes_accesslog": AccessLog.objects.create(**seen).pk,
        "axes_accessfailurelog": AccessFailureLog.objects.create(**seen).pk,
    }


def _visitors(people: People) -> dict[str, Client]:
    """Sessions of every role and of another team, none, and tokens that count and that do not."""
    sessions = {
        "nobody": Client(),
        "viewer": signed_in(people.vera),
        "responder": signed_in(people.bob),
        "rule editor": signed_in(people.rita),
        "administrator": signed_in(people.ada),
        "author": signed_in(people.alice),
        "stranger": signed_in(people.charlie),
    }
    left = User.objects.create_user("left", password="left-long-ago-now", is_active=False)
    expired, expired_secret = ApiToken.objects.make(people.bob, "expired")
    ApiToken.objects.filter(pk=expired.pk).update(expires_at=timezone.now() - dt.timedelta(seconds=1))
    revoked, revoked_secret = ApiToken.objects.make(people.bob, "revoked")
    revoked.delete()
    secrets = {
        "token of a responder": ApiToken.objects.make(people.bob, "good")[1],
        "token of a viewer": ApiToken.objects.make(people.vera, "good")[1],
        "token of a stranger": ApiToken.objects.make(people.charlie, "good")[1],
        "expired token": expired_secret,
        "revoked token": revoked_secret,
        "token of somebody who left": ApiToken.objects.make(left, "left")[1],
        "made-up token": uuid.uuid4().hex,
    }
    tokens = {name: Client(headers={"Authorization": f"Token {secret}"}) for name, secret in secrets.items()}
    return sessions | tokens
