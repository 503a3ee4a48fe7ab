"""A watched cluster is checked with few requests; its jobs, warnings, notices and cases follow."""

from __future__ import annotations

import datetime as dt
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils import timezone

from tests.collecting.recorded_cluster import RecordedCluster
from tests.workbench.channels.chat import Chat
from tests.workbench.channels.chat import running as chatting
from tests.workbench.people import People, signed_in
from tests.workbench.watching.watched import QUICK, check, watched
from workbench.alerts.services import alerts_receive
from workbench.alerts.sources import SourceForm, source_add
from workbench.cases.holds import hold_lift, hold_place
from workbench.cases.models import Case
from workbench.channels.models import USUAL_TEMPLATE, Delivery
from workbench.channels.services import ChannelForm, channel_save, delivery_send
from workbench.clusters.models import Cluster, Collection
from workbench.clusters.services import cluster_add, cluster_remove
from workbench.watching import checking, services
from workbench.watching.checking import check_run
from workbench.watching.models import EarlyWarning, JobCheck, Level, Watch, WatchedJob
from workbench.watching.services import due_checks_request

pytestmark = pytest.mark.usefixtures("queue")

JOB = "e7670588d52cb8dd6b217d2271f5ce2a"


def fail_checkpoints(flink: RecordedCluster, count: int = 3) -> None:
    """The last checkpoints failed from now on."""
    answer = json.loads(flink.answers[f"/jobs/{JOB}/checkpoints"])
    newest = max(each["id"] for each in answer["history"])
    failed = [{"id": newest + place, "status": "FAILED", "is_savepoint": False} for place in range(1, count + 1)]
    flink.answers[f"/jobs/{JOB}/checkpoints"] = json.dumps({**answer, "history": failed + answer["history"]}).encode()


@contextmanager
def team_chat(people: People) -> Iterator[Chat]:
    """A chat to which a channel of the team sends."""
    with chatting(Chat()) as chat:
        form = ChannelForm("chat", "webhook", people.team, f"{chat.url}/hook", "", True, template=USUAL_TEMPLATE)
        channel_save(user=people.ada, form=form)
        yield chat


def test_a_check_measures_each_job_with_a_few_requests_that_only_read(
    people: People, cluster: Cluster, flink: RecordedCluster
) -> None:
    watch = watched(people, cluster)
    job = check(watch)
    assert (job.state, job.level, job.job_id) == ("RUNNING", Level.QUIET, JOB)
    measured = job.checks.get()
    assert measured.checkpoint_ms is not None
    first = len(flink.asked)
    check(watch)
    assert (first, len(flink.asked) - first) == (6, 3)
    assert {method for method, _, _ in flink.asked} == {"GET"}
    assert JobCheck.objects.count() == 2


def test_a_deployment_under_the_same_name_continues_the_job_with_other_checks(
    people: People, cluster: Cluster, flink: RecordedCluster
) -> None:
    watch, new = watched(people, cluster), "f" * 32
    before = check(watch)
    flink.answers = {
        path.replace(JOB, new): body.replace(JOB.encode(), new.encode()) for path, body in flink.answers.items()
    }
    after = check(watch)
    assert (after.pk, after.job_id) == (before.pk, new)
    assert set(after.checks.values_list("deployment", flat=True)) == {JOB, new}


def test_a_cluster_that_does_not_answer_is_said_and_its_jobs_keep_what_was_known(
    people: People, cluster: Cluster, flink: RecordedCluster
) -> None:
    watch = watched(people, cluster)
    check(watch)
    flink.answer = lambda _asked: (503, b"down")  # type: ignore[method-assign]
    check_run(watch, limits=QUICK)
    watch.refresh_from_db()
    assert watch.failure == "HTTP 503: down"
    assert watch.jobs.get().level == Level.QUIET
    page = signed_in(people.bob).get(reverse("watching:fleet")).content.decode()
    assert "Not checked" in page
    assert "HTTP 503: down" in page
    assert "1 not known: no answer" in page
    assert "0 with nothing alarming" in page, "nobody knows how the job is"
    assert "at the last answer: Nothing alarming" in page


def test_the_team_hears_once_that_a_cluster_does_not_answer_and_that_it_does_again(
    people: People, cluster: Cluster, flink: RecordedCluster
) -> None:
    with team_chat(people) as chat:
        watch, answering = watched(people, cluster, every=60), flink.answer
        flink.answer = lambda _asked: (503, b"down")  # type: ignore[method-assign]
        for told in (0, 1, 1):
            Watch.objects.update(next_at=timezone.now() + dt.timedelta(hours=1))
            check_run(watch, limits=QUICK)
            watch.refresh_from_db()
            assert Delivery.objects.count() == told
            assert (watch.next_at <= timezone.now() + checking.SOON) == (watch.failures == 1)
        flink.answer = answering  # type: ignore[method-assign]
        check(watch)
        check(watch)
        for delivery in Delivery.objects.order_by("pk"):
            delivery_send(delivery.pk)
        said = [body["text"].splitlines()[:2] for _, _, body in chat.posts]
    assert said == [
        ["Not checked: The cluster payments", "The last 2 checks were not answered: HTTP 503: down"],
        ["Checked again: The cluster payments", "It answers again."],
    ]


def test_a_warning_joins_the_case_of_an_alert_about_the_job(
    people: People, cluster: Cluster, flink: RecordedCluster
) -> None:
    name = check(watched(people, cluster)).name
    source, _ = source_add(
        user=people.ada, form=SourceForm(name="prod", kind="alertmanager", team=people.team, owner=people.alice)
    )
    labels = {"alertname": "CheckpointsFail", "cluster": "payments", "job_name": name}
    body = {"version": "4", "alerts": [{"status": "firing", "labels": labels, "fingerprint": "a"}]}
    [outcome] = alerts_receive(source=source, body=json.dumps(body).encode())
    fail_checkpoints(flink)
    check(watched(people, cluster, opens_cases=True))
    assert EarlyWarning.objects.get().case == outcome.case == Case.objects.get()


def test_a_cluster_that_hangs_ends_its_check(people: People, cluster: Cluster, flink: RecordedCluster) -> None:
    def hang(_asked: str) -> tuple[int, bytes]:
        time.sleep(3)
        return 200, b"{}"

    flink.answer = hang  # type: ignore[method-assign]
    watch, begun = watched(people, cluster), time.monotonic()
    check_run(watch, limits=QUICK)
    watch.refresh_from_db()
    assert time.monotonic() - begun < 2.9
    assert watch.failure.startswith("no answer")
    assert watch.begun_at is None


def test_malformed_answers_are_no_measurements(people: People, cluster: Cluster, flink: RecordedCluster) -> None:
    for path in list(flink.answers):
        if path.startswith("/jobs/e"):
            flink.answers[path] = b'[{"latest": 3, "plan": [], "value": "NaN", "history": {}}]'
    job = check(watched(people, cluster))
    assert list(job.looked_at) == ["state"]
    flink.answers["/jobs/overview"] = b'{"jobs": [1, {"jid": "x"}, {"jid": "../../a", "name": 4, "state": []}]}'
    assert check(job.watch).level == Level.ENDED


def test_a_warning_opens_one_case_that_collects_and_is_sent_once(
    people: People, cluster: Cluster, flink: RecordedCluster
) -> None:
    with team_chat(people) as chat:
        watch = watched(people, cluster, opens_cases=True)
        fail_checkpoints(flink)
        job = check(watch)
        check(watch)
        for delivery in Delivery.objects.all():
            delivery_send(delivery.pk)
        [(_, _, body)] = chat.posts
    assert (job.level, job.reason_sentences) == (Level.ILL, ["The last 3 checkpoints failed."])
    case = Case.objects.get()
    assert (case.team, case.owner) == (people.team, people.alice)
    assert Collection.objects.get().case == case
    assert f"A check of payments found in the job {job.name}: The last 3 checkpoints failed." in case.notes.get().text
    assert body["text"].splitlines()[:2] == [f"Ill: The job {job.name} on payments", "The last 3 checkpoints failed."]
    assert body["url"].endswith(case.get_absolute_url())


def test_a_notice_opens_no_case_and_ends_after_it_was_absent_for_some_checks(
    people: People, cluster: Cluster, flink: RecordedCluster
) -> None:
    watch = watched(people, cluster)
    healthy = dict(flink.answers)
    fail_checkpoints(flink)
    check(watch)
    flink.answers = healthy
    assert check(watch).level == Level.QUIET
    warning = EarlyWarning.objects.get()
    assert (warning.case, warning.ended_at) == (None, None)
    patience = dt.timedelta(minutes=watch.every * checking.GONE_AFTER)
    EarlyWarning.objects.update(heard_at=timezone.now() - patience)
    check(watch)
    assert EarlyWarning.objects.get().ended_at is not None
    assert not Case.objects.exists()


def test_a_job_that_a_check_does_not_reach_keeps_its_level_and_its_warning(
    people: People, cluster: Cluster, flink: RecordedCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = watched(people, cluster)
    fail_checkpoints(flink)
    assert check(watch).level == Level.ILL
    monkeypatch.setattr(checking, "MOST_CHECK_SECONDS", 0.0)
    job = check(watch)
    assert (job.level, EarlyWarning.objects.get().ended_at) == (Level.ILL, None)
    assert watch.left_out == "1 jobs: the check took 0 s"
    monkeypatch.undo()
    monkeypatch.setattr(checking, "MOST_JOBS", 0)
    assert check(watch).level == Level.ILL
    assert watch.left_out == "1 more jobs"


def test_checks_run_one_after_another_when_they_are_due(people: People, cluster: Cluster) -> None:
    other = cluster_add(user=people.ada, name="other", url="http://10.1.2.3")
    first, second = watched(people, cluster), watched(people, other)
    assert due_checks_request() == 1
    first.refresh_from_db()
    assert first.next_at > timezone.now() + dt.timedelta(minutes=4)
    assert due_checks_request() == 0, "one check is running"
    Watch.objects.filter(pk=first.pk).update(begun_at=None)
    assert due_checks_request() == 1
    Watch.objects.filter(pk=second.pk).update(begun_at=timezone.now() - services.LOST_AFTER)
    assert due_checks_request() == 0, "nothing is due"
    Watch.objects.filter(pk=second.pk).update(next_at=timezone.now())
    assert due_checks_request() == 1, "the worker of the last check was lost"
    cluster_remove(user=people.ada, cluster=cluster)
    assert list(Watch.objects.listed()) == [second]


def test_old_checks_jobs_and_warnings_are_deleted(people: People, cluster: Cluster) -> None:
    watch = watched(people, cluster)
    job = check(watch)
    check(watch)
    long_ago = timezone.now() - services.WARNINGS_KEPT - dt.timedelta(days=1)
    JobCheck.objects.filter(pk=job.checks.latest("pk").pk).update(at=long_ago)
    job.warnings.create(kind="lag", text="x", began_at=long_ago, heard_at=long_ago, ended_at=long_ago)
    watch.jobs.create(name="gone", job_id="0" * 32, state="RUNNING", seen_at=long_ago, level=Level.ENDED)
    services.checks_expire()
    assert (JobCheck.objects.count(), EarlyWarning.objects.count(), WatchedJob.objects.count()) == (1, 0, 1)


def test_a_cluster_without_a_job_is_checked_again_soon(
    people: People, cluster: Cluster, flink: RecordedCluster
) -> None:
    watch, with_a_job = watched(people, cluster), flink.answers["/jobs/overview"]
    flink.answers["/jobs/overview"] = b'{"jobs": []}'
    due_checks_request()
    check_run(watch, limits=QUICK)
    watch.refresh_from_db()
    assert watch.next_at <= timezone.now() + checking.SOON
    flink.answers["/jobs/overview"] = with_a_job
    Watch.objects.update(next_at=timezone.now())
    due_checks_request()
    check(watch)
    assert watch.next_at > timezone.now() + dt.timedelta(minutes=4)


def test_checks_and_warnings_of_a_team_under_legal_hold_are_kept(people: People, cluster: Cluster) -> None:
    watch = watched(people, cluster)
    job = check(watch)
    long_ago = timezone.now() - services.WARNINGS_KEPT - dt.timedelta(days=1)
    job.warnings.create(kind="lag", text="x", began_at=long_ago, heard_at=long_ago, ended_at=long_ago)
    watch.jobs.create(name="gone", job_id="0" * 32, state="RUNNING", seen_at=long_ago, level=Level.ENDED)
    JobCheck.objects.update(at=long_ago)
    hold_place(team=people.team, user=people.ada, reason="Claim 7")
    strangers = people.charlie.teams.get()

    assert services.checks_expire() == 0
    signed_in(people.ada).post(reverse("watching:end", args=[cluster.pk]))
    with pytest.raises(ValidationError, match="under legal hold"):
        watched(people, cluster, team=strangers, owner=people.charlie)

    assert (JobCheck.objects.count(), EarlyWarning.objects.count(), WatchedJob.objects.count()) == (1, 1, 2)
    hold_lift(team=people.team, user=people.ada)
    assert services.checks_expire() == 3


def test_an_administrator_watches_a_cluster_and_the_team_sees_its_jobs(people: People, cluster: Cluster) -> None:
    browser = signed_in(people.ada)
    address = reverse("watching:watch", args=[cluster.pk])
    form = {"every": "5", "team": people.team.pk, "owner": people.alice.pk, "state_limit_mb": "x"}
    assert "The size is a number of megabytes." in browser.post(address, form).content.decode()
    browser.post(address, form | {"state_limit_mb": "20000", "opens_cases": "1"})
    watch = Watch.objects.get()
    assert (watch.state_limit_mb, watch.opens_cases) == (20_000, True)
    assert "20000" in browser.get(address).content.decode()
    job = check(watch)
    check(watch)
    for name, is_seen in (("bob", True), ("vera", True), ("charlie", False)):
        page = signed_in(getattr(people, name)).get(reverse("watching:fleet")).content.decode()
        assert (job.name in page) is is_seen
    assert signed_in(people.charlie).get(job.get_absolute_url()).status_code == 404
    page = signed_in(people.bob).get(job.get_absolute_url()).content.decode()
    assert "Duration of the last checkpoint" in page
    assert "Nothing alarming" in page
    browser.post(reverse("watching:end", args=[cluster.pk]))
    assert not WatchedJob.objects.exists()


def test_an_owner_outside_the_team_is_refused(people: People, cluster: Cluster) -> None:
    with pytest.raises(ValidationError, match="is not in the team"):
        watched(people, cluster, owner=people.charlie)


def test_jobs_that_are_ill_in_one_check_have_one_case(people: People, cluster: Cluster, flink: RecordedCluster) -> None:
    """What is collected holds all jobs of the cluster: a second case would say the same."""
    watch, twin = watched(people, cluster, opens_cases=True), "f" * 32
    fail_checkpoints(flink)
    copies = {
        path.replace(JOB, twin): body.replace(JOB.encode(), twin.encode())
        for path, body in flink.answers.items()
        if JOB in path
    }
    [listed] = json.loads(flink.answers["/jobs/overview"])["jobs"]
    both = [listed, {**listed, "jid": twin, "name": "invoices"}]
    flink.answers |= copies | {"/jobs/overview": json.dumps({"jobs": both}).encode()}
    check_run(watch, limits=QUICK)
    case = Case.objects.get()
    assert Collection.objects.count() == 1
    names = [warning.job.name for warning in EarlyWarning.objects.filter(case=case).order_by("pk")]
    assert len(names) == 2
    assert case.title == f"Early warning: {', '.join(names)}"
    assert {note.text.partition(": ")[0] for note in case.notes.all()} == {
        f"A check of payments found in the job {name}" for name in names
    }
