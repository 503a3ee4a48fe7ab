"""Teams share the queue by turns; within a team the order is that of the requests."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import redis
from django.conf import LazySettings
from django.utils import timezone

from diagnostics.reading.case import LARGE_BYTES
from tests.workbench.diagnosed import stored_file
from tests.workbench.people import People, case_of
from workbench.accounts.models import Membership, Team, User
from workbench.analyses.models import Analysis, AnalysisStatus
from workbench.analyses.room import LEAST_ROOM
from workbench.analyses.services import (
    analysis_cancel,
    analysis_claim,
    analysis_fail,
    analysis_give_back,
    analysis_request,
    analysis_retry,
    waiting_analyses_wake,
)
from workbench.analyses.turns import BEHIND_LARGE, RUNS_ALONE_AFTER, analyses_waiting, analysis_next
from workbench.machine import broker
from workbench.machine.disk import disk_room
from workbench.uploads.models import Arrival, ArrivalState

Committed = Callable[..., AbstractContextManager[Any]]


def requested(user: User, count: int = 1) -> list[Analysis]:
    """So many queued analyses of cases of the user's team."""
    cases = [case_of(user) for _ in range(count)]
    for case in cases:
        stored_file(case, user)
    return [analysis_request(case=case, user=user) for case in cases]


def large_requested(user: User, count: int = 1, each_bytes: int = LARGE_BYTES + 1) -> list[Analysis]:
    """So many queued analyses of a file of that size."""
    cases = [case_of(user) for _ in range(count)]
    for case in cases:
        file = stored_file(case, user)
        file.bytes = file.members[0]["bytes"] = each_bytes
        file.save()
    return [analysis_request(case=case, user=user) for case in cases]


def begin() -> Analysis:
    """What a worker takes out of the queue next."""
    analysis = analysis_next()
    assert analysis is not None
    assert analysis_claim(analysis)
    analysis.refresh_from_db()
    return analysis


def end(analysis: Analysis) -> None:
    """The run is over; how does not matter to the queue."""
    assert analysis.claim
    assert analysis_fail(analysis=analysis, claim=analysis.claim, reason="made up for the test")


def begun_one_by_one(count: int) -> list[Analysis]:
    """What one worker runs."""
    found = []
    for _ in range(count):
        found.append(begin())
        end(found[-1])
    return found


def teams_of(analyses: list[Analysis]) -> list[str]:
    return [each.case.team.name for each in analyses]


def person_of_a_third_team() -> User:
    user = User.objects.create_user("dora", password="dora-has-a-password")
    Membership.objects.create(user=user, team=Team.objects.create(name="Third"))
    return user


def test_one_team_gets_its_analyses_in_the_order_of_its_requests(people: People) -> None:
    asked = requested(people.alice, 3) + requested(people.bob, 1)
    assert begun_one_by_one(4) == asked
    assert analysis_next() is None


def test_twenty_analyses_of_three_teams_are_begun_by_turns_and_none_is_lost(people: People) -> None:
    dora = person_of_a_third_team()
    first, second, third = requested(people.alice, 10), requested(people.charlie, 6), requested(dora, 4)
    begun = begun_one_by_one(20)
    assert teams_of(begun[:12]) == ["Streaming", "Strangers", "Third"] * 4
    assert teams_of(begun[12:16]) == ["Streaming", "Strangers"] * 2
    for asked in (first, second, third):
        assert [each for each in begun if each in asked] == asked
    assert len(begun) == len({each.pk for each in begun}) == 20


def test_a_team_that_comes_later_does_not_wait_for_all_of_another(people: People) -> None:
    requested(people.alice, 10)
    begun_one_by_one(3)
    running = begin()
    [late] = requested(people.charlie)
    assert late.queue_position == 2
    end(running)
    assert late in begun_one_by_one(2)


def test_a_team_gains_nothing_by_having_waited_for_nothing(people: People) -> None:
    begun_one_by_one(len(requested(people.alice, 5)))
    requested(people.alice, 3)
    requested(people.charlie, 3)
    assert teams_of(begun_one_by_one(6)) == ["Streaming", "Strangers"] * 3


def test_a_requeued_analysis_keeps_its_turn_and_gives_no_other_an_earlier_one(people: People) -> None:
    lost = requested(people.alice, 4)[0]
    begin()
    begun_one_by_one(2)
    lost.refresh_from_db()
    analysis_give_back(analysis=lost, claim=lost.claim, reason="Spark is not there.")
    requested(people.charlie, 2)
    begun = begun_one_by_one(4)
    assert begun[0] == lost
    assert teams_of(begun) == ["Streaming", "Streaming", "Strangers", "Strangers"]


def test_cancelling_and_asking_again_is_a_new_request(people: People) -> None:
    first, second = requested(people.alice, 2)
    analysis_cancel(analysis=first)
    again = analysis_retry(analysis=first, user=people.alice)
    assert begun_one_by_one(2) == [second, again]


def test_positions_say_who_is_next(people: People) -> None:
    mine, theirs = requested(people.alice, 3), requested(people.charlie, 2)
    assert [each.queue_position for each in mine] == [1, 3, 5]
    assert [each.queue_position for each in theirs] == [2, 4]
    assert [each.queue_position for each in analyses_waiting()] == [1, 2, 3, 4, 5]


def test_what_lacks_room_on_the_disk_is_passed_over_and_says_so(people: People, settings: LazySettings) -> None:
    large, small = requested(people.alice, 2)
    free = disk_room().free
    Analysis.objects.filter(pk=large.pk).update(room_needed=free * 2)
    assert analysis_next() == small
    large.refresh_from_db()
    assert large.detail.startswith("The disk has too little room")
    settings.RESERVE_BYTES += free - LEAST_ROOM // 2
    assert analysis_next() is None


def test_a_run_of_an_older_version_has_its_turn_first(people: People) -> None:
    new = requested(people.charlie)
    old = requested(people.alice)
    Analysis.objects.filter(pk=old[0].pk).update(turn=0, queued_at=timezone.now())
    assert begun_one_by_one(2) == old + new
    assert not Analysis.objects.filter(status=AnalysisStatus.QUEUED).exists()


def test_what_loses_servers_runs_alone_so_that_no_other_pays_for_it(people: People) -> None:
    greedy, other = requested(people.alice, 2)
    Analysis.objects.filter(pk=greedy.pk).update(servers_lost=RUNS_ALONE_AFTER)
    third = requested(people.charlie)[0]
    assert begin() == greedy
    assert analysis_next() is None, "nothing begins beside it"
    greedy.refresh_from_db()
    end(greedy)
    assert {begin().pk, begin().pk} == {other.pk, third.pk}


def test_what_loses_servers_waits_for_those_that_run_and_is_not_overtaken(people: People) -> None:
    running = requested(people.charlie)[0]
    assert begin() == running
    greedy, behind = requested(people.alice, 2)
    Analysis.objects.filter(pk=greedy.pk).update(servers_lost=RUNS_ALONE_AFTER)
    assert analysis_next() is None
    greedy.refresh_from_db()
    assert greedy.detail == "The Spark server was lost while it ran. It begins when no other analysis runs."
    running.refresh_from_db()
    end(running)
    assert begun_one_by_one(2) == [greedy, behind]


def test_a_server_that_was_lost_once_delays_nobody(people: People) -> None:
    first, second = requested(people.alice, 2)
    Analysis.objects.update(servers_lost=RUNS_ALONE_AFTER - 1)
    assert (begin(), begin()) == (first, second)


def test_small_analyses_pass_a_large_one_that_waits_for_another(people: People, settings: LazySettings) -> None:
    settings.MOST_LARGE_ANALYSES = 1
    first, second = large_requested(people.alice, 2)
    small = requested(people.alice, 2)
    assert begin() == first
    assert [begin(), begin()] == small
    assert analysis_next() is None
    second.refresh_from_db()
    assert (second.detail, second.queue_position) == (BEHIND_LARGE, 1)
    small[0].refresh_from_db()
    end(small[0])
    assert analysis_next() is None, "the process is kept for small ones"


def test_a_large_one_begins_in_its_turn_once_there_is_a_place(people: People, settings: LazySettings) -> None:
    settings.MOST_LARGE_ANALYSES = 2
    first, second, third = large_requested(people.alice, 3)
    small = requested(people.alice)
    assert [begin(), begin()] == [first, second]
    first.refresh_from_db()
    end(first)
    assert [begin(), begin()] == [third, *small]


def test_the_end_of_a_run_wakes_a_worker_for_what_was_passed_over(
    people: People, queue: redis.Redis, settings: LazySettings, django_capture_on_commit_callbacks: Committed
) -> None:
    settings.MOST_LARGE_ANALYSES = 1
    first, _ = large_requested(people.alice, 2)
    begin()
    first.refresh_from_db()
    end(first)
    with django_capture_on_commit_callbacks(execute=True):
        waiting_analyses_wake()
    assert broker.messages_waiting() == 1
    begin()
    with django_capture_on_commit_callbacks(execute=True):
        waiting_analyses_wake()
    assert broker.messages_waiting() == 1, "nothing waits any more"


def test_how_large_an_analysis_is_counts_what_archives_hold_and_what_is_still_redacted(people: People) -> None:
    [plain] = large_requested(people.alice, each_bytes=LARGE_BYTES)
    [unpacked] = large_requested(people.alice, each_bytes=LARGE_BYTES + 1)
    case = case_of(people.alice)
    stored_file(case, people.alice)
    Arrival.objects.create(
        case=case, user=people.alice, name="tm.log", bytes=LARGE_BYTES, offset=LARGE_BYTES, state=ArrivalState.REDACTING
    )
    coming = analysis_request(case=case, user=people.alice)
    assert [plain.is_large, unpacked.is_large, coming.is_large] == [False, True, True]
