"""Runs one check of a watched cluster and stores what it says about each job."""

from __future__ import annotations

import contextlib
import datetime as dt
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from diagnostics.collect_flink import Cluster as RestApi
from diagnostics.collect_flink import Limits, Stopped, Unanswered
from workbench.cases.models import Case, CaseStatus
from workbench.cases.own_texts import CHECK_FOUND_IN, EARLY_WARNING
from workbench.cases.services import case_rename, note_add
from workbench.channels.notices import Notice, notice_send
from workbench.clusters.address import AddressRefused, ClusterUrl, Lookup, judged_address, looked_up
from workbench.clusters.connection import PinnedCluster
from workbench.clusters.login import NoLogin, login_headers
from workbench.clusters.same_incident import SAME_INCIDENT, case_about_job
from workbench.clusters.services import collection_request
from workbench.languages.sentences import said, say, to_say
from workbench.watching.asking import OVER, JobSeen, ask_about, ask_for_jobs, moment_of
from workbench.watching.judging import Judgement, Looks, Sign, judge
from workbench.watching.models import LONGEST_TEXT, EarlyWarning, JobCheck, Level, Watch, WatchedJob

logger = logging.getLogger(__name__)

REQUESTS_PER_SECOND = 10.0
MOST_BYTES = 50_000_000
ANSWER_SECONDS = 5.0
MOST_ANSWER_SECONDS = 10.0
"""Of one answer. Our choice: a cluster that takes longer is not well, and a check occupies a worker."""
MOST_CHECK_SECONDS = 90.0
MOST_JOBS = 30
"""Of one cluster. Our choice: with five requests each, a check of a busy cluster takes half a minute."""
COMPARED = dt.timedelta(days=7)
"""Checks that trends are made of."""
SOON = dt.timedelta(minutes=1)
"""After which a cluster without a job, or without an answer, is checked again, with one request. Our choice: somebody
who begins to watch a cluster deploys to it next, and looks at the fleet."""
TOLD_AFTER = 2
"""Checks in a row without an answer, after which the team hears of it. Our choice: one fails with a leader's change."""
GONE_AFTER = 3
"""A warning ends when it was absent for as many checks: one that comes and goes is one warning. Our choice."""
MOST_CASES_A_DAY = 5
"""Of one watch: more jobs in trouble at once have one cause."""
COLLECTED_SECONDS = 10
LIMITS = Limits(
    requests_per_second=REQUESTS_PER_SECOND,
    most_bytes=MOST_BYTES,
    most_log_bytes=0,
    most_metrics=0,
    answer_seconds=ANSWER_SECONDS,
)


@dataclass(frozen=True, slots=True)
class _Answered:
    """What a cluster answered.

    jobs      those that were looked at, with their measurements
    listed    the names of all jobs of the cluster
    left_out  what was not looked at, in words
    """

    jobs: Sequence[JobSeen]
    listed: Sequence[str]
    left_out: str


def check_run(watch: Watch, *, lookup: Lookup = looked_up, limits: Limits = LIMITS) -> None:
    """Checks the cluster of a watch. A cluster that does not answer is stored as the watch's failure."""
    begun = timezone.now()
    Watch.objects.filter(pk=watch.pk).update(begun_at=begun)
    failure, answered = "", None
    try:
        answered = _asked(watch, begun, lookup, limits)
        _store(watch, answered, begun)
    except (AddressRefused, NoLogin, Unanswered, Stopped) as error:
        failure = str(error)
    except Exception as error:
        logger.exception("the check of %s ended with an error of our own", watch.cluster)
        failure = say("The workbench failed ({error}); the worker's log has the details.", error=type(error).__name__)
    failures = watch.failures + 1 if failure else 0
    checked = Watch.objects.filter(pk=watch.pk)
    checked.update(begun_at=None, failure=failure.replace("\x00", "")[:LONGEST_TEXT], failures=failures)
    if failures == 1 or (answered is not None and not answered.listed):
        checked.filter(next_at__gt=begun + SOON).update(next_at=begun + SOON)
    if not failure and answered is not None:
        checked.update(checked_at=begun, left_out=answered.left_out[:LONGEST_TEXT])
    _tell_of_silence(watch, failure, failures)


def _tell_of_silence(watch: Watch, failure: str, failures: int) -> None:
    """Sends the team a notice when a cluster does not answer any more, and when it does again."""
    if failures == TOLD_AFTER:
        text = say("The last {count} checks were not answered: {failure}", count=failures, failure=failure)
        what = to_say("Not checked")
    elif not failure and watch.failures >= TOLD_AFTER:
        text, what = say("It answers again."), to_say("Checked again")
    else:
        return
    title = say("The cluster {cluster}", cluster=watch.cluster)
    notice_send(watch.team, Notice(what, title, text[:LONGEST_TEXT], reverse("watching:fleet")))


def _asked(watch: Watch, begun: dt.datetime, lookup: Lookup, limits: Limits) -> _Answered:
    """Asks the cluster about its jobs. Raises as `check_run` catches."""
    cluster = watch.cluster
    if cluster.removed_at:
        raise AddressRefused(say("{cluster} is not on the list any more.", cluster=cluster.name))
    url = ClusterUrl.parse(cluster.url)
    address = judged_address(url, special_allowed=cluster.special_allowed, lookup=lookup)
    headers = login_headers(cluster.pk) if cluster.login else {}
    known = {job.name: job for job in watch.jobs.all()}
    connection = PinnedCluster(url, address, limits, headers, most_seconds=MOST_ANSWER_SECONDS)
    with contextlib.closing(connection) as rest:
        listed = ask_for_jobs(rest)
        jobs = listed[:MOST_JOBS]
        skipped = _measure_jobs(rest, jobs, known, begun)
    more = len(listed) - len(jobs)
    left_out = [say("{count} more jobs", count=more)] if more else []
    left_out += (
        [say("{count} jobs: the check took {seconds:g} s", count=skipped, seconds=MOST_CHECK_SECONDS)]
        if skipped
        else []
    )
    left_out += [f"{job.name}: {job.failures[0]}" for job in jobs if job.failures]
    return _Answered(jobs[: len(jobs) - skipped], [job.name for job in listed], "; ".join(left_out))


def _measure_jobs(rest: RestApi, jobs: Sequence[JobSeen], known: dict[str, WatchedJob], begun: dt.datetime) -> int:
    """Asks about each job that runs; gives how many were not reached in time. Raises Stopped."""
    for place, job in enumerate(jobs):
        if (timezone.now() - begun).total_seconds() > MOST_CHECK_SECONDS:
            return len(jobs) - place
        if job.state not in OVER:
            before = known.get(job.name)
            ask_about(rest, job, before.known if before and before.job_id == job.job_id else {})
    return 0


def _store(watch: Watch, answered: _Answered, now: dt.datetime) -> None:
    """Stores what was seen of each job. One that is listed and was not looked at keeps what was known of it."""
    for seen in answered.jobs:
        with transaction.atomic():
            _store_job(watch, seen, now)
    gone = watch.jobs.exclude(name__in=answered.listed).exclude(level=Level.ENDED)
    for job in gone:
        job.level, job.reasons = Level.ENDED, [said(to_say("The cluster does not list the job any more."))]
        job.save(update_fields=["level", "reasons"])
        job.warnings.filter(ended_at=None).update(ended_at=now)


def _store_job(watch: Watch, seen: JobSeen, now: dt.datetime) -> None:
    job = watch.jobs.filter(name=seen.name).first() or WatchedJob(watch=watch, name=seen.name)
    earlier = []
    if job.pk is not None and job.job_id == seen.job_id:
        earlier = list(job.checks.filter(deployment=seen.job_id, at__gte=now - COMPARED).order_by("at"))
    limit = watch.state_limit_mb * 1e6 if watch.state_limit_mb else None
    judgement = judge(Looks(seen, earlier, now.timestamp() * 1000, limit))
    job.job_id, job.state, job.deployed_at, job.seen_at = seen.job_id, seen.state, moment_of(seen.deployed_ms), now
    job.known, job.level, job.looked_at = seen.known, judgement.level, list(judgement.looked_at)
    job.reasons = [sign.said for sign in judgement.signs]
    job.save()
    JobCheck.objects.create(
        job=job,
        deployment=seen.job_id,
        at=now,
        state=seen.state,
        level=judgement.level,
        checkpoint_ms=seen.checkpoint_ms,
        checkpoint_bytes=seen.checkpoint_bytes,
        failed_in_a_row=seen.failed_in_a_row,
        backlog=seen.backlog,
        restarts=seen.restarts,
    )
    _warn(watch, job, judgement, now)


def _warn(watch: Watch, job: WatchedJob, judgement: Judgement, now: dt.datetime) -> None:
    """Begins, continues and ends the warnings of a job."""
    active = {warning.kind: warning for warning in job.warnings.filter(ended_at=None)}
    for sign in judgement.signs:
        text = sign.text[:LONGEST_TEXT]
        warning = active.pop(sign.kind, None)
        if warning is not None:
            warning.text, warning.said, warning.heard_at = text, sign.said, now
            warning.save(update_fields=["text", "said", "heard_at"])
        else:
            _begin(watch, job, sign, now)
    patience = dt.timedelta(minutes=watch.every * GONE_AFTER)
    over = [warning.pk for warning in active.values() if warning.heard_at <= now - patience]
    job.warnings.filter(pk__in=over).update(ended_at=now)


def _begin(watch: Watch, job: WatchedJob, sign: Sign, now: dt.datetime) -> None:
    text = sign.text[:LONGEST_TEXT]
    warning = EarlyWarning(job=job, kind=sign.kind, text=text, said=sign.said, began_at=now, heard_at=now)
    if watch.opens_cases:
        _open_or_join(watch, job, warning, now)
    warning.save()
    what = to_say("Ill") if sign.level == Level.ILL else to_say("Early warning")
    page = warning.case.get_absolute_url() if warning.case else job.get_absolute_url()
    title = say("The job {job} on {cluster}", job=job.name, cluster=watch.cluster)
    notice_send(watch.team, Notice(what, title, sign.text, page))


def _open_or_join(watch: Watch, job: WatchedJob, warning: EarlyWarning, now: dt.datetime) -> None:
    """The case of the job's latest warning or alert while it is open, else that of another job in this check, or a new
    one that evidence is collected into.
    """
    latest = (
        job.warnings.exclude(case=None)
        .exclude(case__status=CaseStatus.CLOSED)
        .filter(heard_at__gte=now - dt.timedelta(days=1))
    )
    earlier = latest.select_related("case__merged_into").first()
    if earlier is not None and earlier.case is not None:
        warning.case = earlier.case.merged_into or earlier.case
    else:
        about = case_about_job(watch.team, watch.cluster, job.name, since=now - SAME_INCIDENT)
        warning.case = about or _case_of_this_check(watch, job, now) or _opened(watch, job, warning, now)
    if warning.case is not None:
        text = CHECK_FOUND_IN.format(cluster=watch.cluster, job=job.name, text=warning.text)
        note_add(case=warning.case, user=watch.owner, text=text, unattended=True)


def _case_of_this_check(watch: Watch, job: WatchedJob, now: dt.datetime) -> Case | None:
    """The case that this check opened for another job of the cluster: what is collected holds all of its jobs."""
    opened = EarlyWarning.objects.filter(job__watch=watch, began_at=now).exclude(case=None)
    first = opened.select_related("case").order_by("pk").first()
    if first is None or first.case is None:
        return None
    names = list(dict.fromkeys(opened.filter(case=first.case).order_by("pk").values_list("job__name", flat=True)))
    if first.case.title == EARLY_WARNING.format(job=", ".join(names)):
        case_rename(case=first.case, user=watch.owner, title=EARLY_WARNING.format(job=", ".join([*names, job.name])))
    return first.case


def _opened(watch: Watch, job: WatchedJob, warning: EarlyWarning, now: dt.datetime) -> Case | None:
    opened = EarlyWarning.objects.filter(job__watch=watch, began_at__gte=now - dt.timedelta(days=1)).exclude(case=None)
    if opened.values("case").distinct().count() >= MOST_CASES_A_DAY:
        warning.reason = say(
            "Checks of {cluster} opened {most} cases within a day.", cluster=watch.cluster, most=MOST_CASES_A_DAY
        )
        return None
    try:
        return collection_request(
            user=watch.owner,
            cluster=watch.cluster,
            title=EARLY_WARNING.format(job=job.name),
            team=watch.team,
            seconds=COLLECTED_SECONDS,
            job=job.name,
        ).case
    except ValidationError as error:
        warning.reason = " ".join(error.messages)[:LONGEST_TEXT]
        return None
