"""Effect of a restart now: records processed again, and time to catch up."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from diagnostics.calculators.calculator import (
    FORGETS,
    INCOMING_RATE,
    Calculator,
    InCase,
    Input,
    Line,
    Outcome,
    makes_own_records,
)
from diagnostics.evidence.subject import Lookup, number_of
from diagnostics.language import joined_sentences, listed, say, to_say
from diagnostics.vocabulary.job_states import DELETED_WHEN_ENDED
from diagnostics.wording.lost_records import (
    lost_in_time,
    owed_by_savepoint,
    owed_since,
    restart_of_own_records,
    rounded,
)
from diagnostics.wording.phrase import FORMATS, duration, number

DOWN_MS = 60_000.0
"""Down time that is assumed. A recovery that was measured and is shorter neither stopped nor deployed anything."""
OF_SAVEPOINT = to_say("After a stop with a savepoint nothing is repeated: the time since its trigger is 0 then.")


def _unneeded(lookup: Lookup) -> Collection[str]:
    """Nothing is caught up where nothing is read again, or where nothing waits outside."""
    if lookup("delivery_guarantee.source") == FORGETS:
        return ("rate", "capacity")
    return ("down_ms", "rate", "capacity") if lookup("delivery_guarantee.generated") is True else ()


def _unused(lookup: Lookup) -> Collection[str]:
    """What no field is shown for: nothing is caught up, so that no capacity counts."""
    if lookup("delivery_guarantee.source") == FORGETS:
        return ("capacity",)
    return ("down_ms", "rate", "capacity") if lookup("delivery_guarantee.generated") is True else ()


def _question(lookup: Lookup) -> str | None:
    """What is asked where nothing is caught up."""
    if lookup("delivery_guarantee.source") == FORGETS and not makes_own_records(lookup):
        return say("How many records does a restart lose?")
    makes = "delivery_guarantee.generated", "job_code.makes_records"
    return say("How far back does a restart go?") if any(lookup(each) is True for each in makes) else None


def _assumptions(lookup: Lookup) -> Sequence[str] | None:
    """What is assumed there."""
    if lookup("delivery_guarantee.source") == FORGETS:
        return [
            say("The rate that comes in stays the same."),
            say("After a stop with a savepoint the time since the trigger is 0."),
        ]
    return [say(OF_SAVEPOINT)] if lookup("delivery_guarantee.generated") is True else None


def _compute(values: Mapping[str, float], lookup: Lookup) -> Outcome:
    outcome, held = _effect(values, lookup), lookup("job_code.unsaved_buffers")
    if not isinstance(held, (list, tuple)):
        return outcome
    warning = say(
        "By the job's code a sink keeps records in {buffers}: no checkpoint or savepoint holds them, and nothing "
        "writes them out at a stop, so that each stop, cancellation or failure loses them. Write them out in "
        "snapshotState() and finish().",
        buffers=listed(str(each) for each in held),
    )
    return replace(outcome, headline=joined_sentences([outcome.headline, warning]))


def _effect(values: Mapping[str, float], lookup: Lookup) -> Outcome:
    since, idle = values["since_ms"], _not_run_ms(lookup)
    if lookup("delivery_guarantee.source") == FORGETS:
        emitted = None if idle else number_of(lookup, "throughput.since_checkpoint_per_s")
        lost_ms = since + idle if since else 0
        lost = _lost(lost_ms, values["down_ms"], values.get("rate"), emitted, lookup)
        return _without_own(lost, lost_ms, values["down_ms"]) if makes_own_records(lookup) else lost
    if lookup("delivery_guarantee.generated") is True:
        return _generated(since, lookup)
    down, rate, capacity = (values[name] for name in ("down_ms", "rate", "capacity"))
    behind = since + idle + down
    passed = [each for each in (since, idle) if each] or [since]
    backlog = behind / 1000 * rate
    spare = capacity - rate
    lines = [
        Line(say("Behind after the restart"), " + ".join(map(duration, [*passed, down])), duration(behind)),
        Line(say("Records to process again or late"), f"{duration(behind)} x {number(rate)}/s", number(backlog)),
        Line(say("Spare capacity"), f"{number(capacity)}/s - {number(rate)}/s", f"{number(spare)}/s"),
    ]
    results = {"behind_ms": behind, "backlog": backlog, "catch_up_ms": math.inf}
    if lookup("back_pressure.origin.ended_ms") is not None:
        over = say(
            "{repeats} The job is {behind} behind when it runs again; how fast it can catch up is not known, "
            "because it is not at its limit now.",
            repeats=_repeats(since, lookup),
            behind=duration(behind),
        )
        return Outcome("depends", over, lines[:2], results={"behind_ms": behind, "backlog": backlog})
    headline = _without_spare(values, lookup, behind)
    if headline:
        return Outcome("do not", headline, lines, [headline], results)
    catch_up = backlog / spare * 1000
    lines.append(Line(say("Time to catch up"), f"{number(backlog)} / {number(spare)}/s", duration(catch_up)))
    results["catch_up_ms"] = catch_up
    ways = {"behind": duration(behind), "catch_up": duration(catch_up)}
    if idle and since:
        headline = say(
            "{repeats} The job is {behind} behind when it runs again and needs {catch_up} to catch up.",
            repeats=_repeats(since, lookup),
            **ways,
        )
        return Outcome("depends", headline, lines, results=results)
    headline = (
        say(
            "At the end of the evidence a restart repeats the {since} since the trigger of the last completed "
            "checkpoint. The job is {behind} behind when it runs again and needs {catch_up} to catch up.",
            since=duration(since),
            **ways,
        )
        if since
        else say(
            "After a stop with a savepoint nothing is repeated. The job is {behind} behind when it runs again and "
            "needs {catch_up} to catch up.",
            **ways,
        )
    )
    return Outcome("depends", headline, lines, results=results)


def _without_own(outcome: Outcome, since: float, down: float) -> Outcome:
    """The effect where the source makes its records itself: what is counted is what a real feed in its place loses."""
    headline = restart_of_own_records(since, down, outcome.results.get("lost"), outcome.results.get("lost_most"))
    labels = [say("A real feed would lose"), say("A real feed would lose with all that was held back")]
    lines = [replace(line, label=label) for line, label in zip(outcome.lines, labels, strict=False)]
    return replace(outcome, headline=headline, lines=lines)


def _lost(since: float, down: float, rate: float | None, emitted: float | None, lookup: Lookup) -> Outcome:
    """The effect where the sources cannot be read again: what a checkpoint does not hold is lost.

    rate     what comes in while the job is down, 1/s: nothing holds the sources back then
    emitted  what the sources have emitted since the checkpoint, 1/s, which is less where they were held back; 0 where
             the job read nothing, so that what came is lost
    """
    if rate is None:
        return Outcome("depends", lost_in_time(since), formula="")
    if lookup("job_code.owes_by_clock") is True:
        return _owed(since, down, rate, lookup)
    before = emitted or rate
    lost = since / 1000 * before + down / 1000 * rate
    way = (
        f"{duration(since)} x {number(before)}/s + {duration(down)} x {number(rate)}/s"
        if since
        else f"{duration(down)} x {number(rate)}/s"
    )
    lines = [Line(say("Records lost"), way, number(lost))]
    words = {"lost": number(rounded(lost)), "down": duration(down)}
    since_then = {"since": duration(since), "rate": number(rate), "more": number(rounded(60 * before))}
    if since and rounded(before) != rounded(rate):
        held = _held(since, lookup)
        whole = held + (since + down) / 1000 * rate
        way = f"({duration(since)} + {duration(down)}) x {number(rate)}/s"
        way = f"{number(held)} + {way}" if held else way
        lines.append(Line(say("Records lost with all that was held back"), way, number(whole)))
        headline = _held_back(before, rate, whole, words | since_then, lookup)
        formula = say("lost = time since the trigger x rate that was read + down time x rate that comes in")
        return Outcome("depends", headline, lines, results={"lost": lost, "lost_most": whole}, formula=formula)
    headline = (
        say(
            "The source keeps no position in checkpoints. A restart from the last one loses what came in the {since} "
            "since then and what comes while the job is down, {rate}/s: about {lost} records if it is down for "
            "{down}, as of the end of the evidence; each further minute without a completed checkpoint adds {more}. "
            "Nothing is read again.",
            **words,
            **since_then,
        )
        if since
        else say(
            "The source keeps no position in checkpoints. After a stop with a savepoint the state is whole, but what "
            "comes while the job is down is lost: about {lost} records if it is down for {down}. Nothing is read "
            "again.",
            **words,
        )
    )
    formula = say("lost = time since the trigger x rate that was read + down time x rate that comes in")
    return Outcome("depends", headline, lines, results={"lost": lost}, formula=formula)


def _owed(since: float, down: float, rate: float, lookup: Lookup) -> Outcome:
    """The effect where the job's code shows that its sources keep in memory what they could not send: all that was due
    and not emitted by the checkpoint, or by a savepoint of now, is lost.
    """
    held = _held(since, lookup)
    lost = held + (since + down) / 1000 * rate
    time = f"({duration(since)} + {duration(down)})" if since else duration(down)
    way = f"{number(held)} + {time} x {number(rate)}/s" if held else f"{time} x {number(rate)}/s"
    counts = lookup("job_code.sources_by_clock")
    words = {
        "counts": listed(str(each) for each in counts) if isinstance(counts, (list, tuple)) else "",
        "held": number(rounded(held)),
        "since": duration(since),
        "rate": number(rate),
        "lost": number(rounded(lost)),
        "down": duration(down),
        "more": number(rounded(60 * rate)),
    }
    formula = say("lost = held back at the trigger + (time since the trigger + down time) x rate that comes in")
    because = say(
        "The source keeps no position in checkpoints, and by the job's code a count in memory is all that it "
        "keeps of what it cannot send: {counts}.",
        **words,
    )
    headline = joined_sentences([because, (owed_since if since else owed_by_savepoint)(held, words)])
    return Outcome("depends", headline, [Line(say("Records lost"), way, number(lost))], [], {"lost": lost}, formula)


def _held(since: float, lookup: Lookup) -> float:
    """Records that were held back at the trigger of the checkpoint, or at the end where it is a savepoint of now."""
    return number_of(lookup, "throughput.held_at_checkpoint" if since else "throughput.held_at_end") or 0.0


def _held_back(before: float, rate: float, whole: float, words: Mapping[str, str], lookup: Lookup) -> str:
    """What a restart loses where the sources emitted less than comes: it depends on where the rest waits."""
    late = number_of(lookup, "throughput.after_per_s")
    still = min(before, late) if late else before
    comes = f"{words['rate']}/s"
    if lookup("throughput.unheld_per_s") is None:
        comes = say("at least {rate}", rate=comes)
    return say(
        "The source keeps no position in checkpoints. A restart from the last one loses what the job read in the "
        "{since} since then, {before}/s, and what comes while the job is down, {comes}: about {lost} records if it is "
        "down for {down}, as of the end of the evidence; each further minute without a completed checkpoint adds "
        "about {more} that the job reads while it is held back. A source that keeps in its memory what it cannot send, "
        "such as a generator that counts what is due, loses all that came: about {whole} records, and {whole_more} for "
        "each further minute. Nothing is read again.",
        **{name: words[name] for name in ("since", "lost", "down")},
        before=number(before),
        comes=comes,
        more=number(rounded(60 * still)),
        whole=number(rounded(whole)),
        whole_more=number(rounded(60 * rate)),
    )


def _generated(since: float, lookup: Lookup) -> Outcome:
    """The effect where the sources generate their records: none waits. Whether they are the same ones again depends on
    the source, and on whether there is a checkpoint to continue from.
    """
    headline = say(
        "{repeats} The source generates its records: none waits outside while the job is down, so nothing is to be "
        "caught up.",
        repeats=_repeats(since, lookup),
    )
    results = {"behind_ms": 0.0, "backlog": 0.0, "catch_up_ms": 0.0}
    return Outcome("depends", headline, results=results, formula="")


def _not_run_ms(lookup: Lookup) -> float:
    """How long the job has been down, ms; 0 for one that runs."""
    return number_of(lookup, "checkpoint_progress.not_run_ms") or 0.0


def _repeats(since_ms: float, lookup: Lookup) -> str:
    if not since_ms:
        return say("After a stop with a savepoint nothing is repeated.")
    state, retention = lookup("restarts.final_state"), lookup("settings.retention")
    is_deleted = state in DELETED_WHEN_ENDED.get(str(retention), ())
    if is_deleted and lookup("checkpoint_progress.last_savepoint_path") is None:
        return say(
            "The job is {state}, and with the retention {retention} Flink deletes its checkpoints then: expect the "
            "last one to be gone, and all that the state held since the job was started to be lost. Only where it is "
            "still there, a restart repeats the {since} from it to where the job stopped.",
            state=str(state),
            retention=str(retention),
            since=duration(since_ms),
        )
    down_ms = number_of(lookup, "checkpoint_progress.down_since_ms")
    if down_ms is not None:
        return say(
            "A restart repeats the {since} from the last checkpoint to where the job stopped; it has not run since "
            "{down}.",
            since=duration(since_ms),
            down=FORMATS["time"](down_ms),
        )
    return say(
        "At the end of the evidence a restart repeats the {since} since the trigger of the last completed checkpoint.",
        since=duration(since_ms),
    )


def _without_spare(values: Mapping[str, float], lookup: Lookup, behind: float) -> str | None:
    """Why the job does not catch up; None when it does."""
    rate, capacity = values["rate"], values["capacity"]
    if lookup("back_pressure.origin.level") == "high" and lookup("restarts.final_state") in (None, "RUNNING"):
        return say(
            "At a capacity of {capacity}/s the job does not catch up: tasks upstream are held back, so more is "
            "offered than it takes. It is {behind} behind when it runs again, and the lag grows until a change raises "
            "the capacity.",
            capacity=number(capacity),
            behind=duration(behind),
        )
    if capacity > rate:
        return None
    return say(
        "At a capacity of {capacity}/s the job does not catch up: {rate}/s come in. It is {behind} behind when it runs "
        "again, and the lag grows until a change raises the capacity.",
        capacity=number(capacity),
        rate=number(rate),
        behind=duration(behind),
    )


CALCULATOR = Calculator(
    id="restart",
    title=to_say("If it restarts now"),
    question=to_say("How far back does a restart go, and how long does catching up take?"),
    formula=to_say("catch-up = (time since the trigger of the last checkpoint + down time) x rate / (capacity - rate)"),
    inputs=(
        Input(
            "since_ms",
            to_say("From the trigger of the last completed checkpoint to where the job last ran"),
            "duration",
            ("checkpoint_progress.goes_back_ms",),
            high=86_400_000,
        ),
        Input(
            "down_ms",
            to_say("Down time: stop, deploy, restore"),
            "duration",
            ("recovery.median_ms", "kafka_transactions.longest_outage_ms"),
            assumed=DOWN_MS,
            because=to_say("our choice: a minute; measure it once on purpose"),
            least=DOWN_MS,
            high=3_600_000,
        ),
        replace(
            INCOMING_RATE,
            facts=(
                *("record_rate.emitted_per_s", "record_rate.usual_per_s"),
                *("throughput.before_per_s", "throughput.emitting_per_s"),
            ),
        ),
        Input(
            "capacity",
            to_say("Records that the job can pass"),
            "rate",
            ("record_rate.ceiling_total_per_s",),
            high=1e6,
            choice=True,
        ),
    ),
    assumptions=(
        to_say("The rate that comes in stays the same; what can be read again is read that fast."),
        to_say("The capacity is what the bottleneck passes when its busiest subtask is busy all the time."),
        OF_SAVEPOINT,
    ),
    compute=_compute,
    symptoms=("slow_sink", "network_partition", "zookeeper_ha", "user_code", "restore_failure", "checkpoint_declined"),
    docs=("S105", "S107"),
    unneeded=_unneeded,
    in_case=lambda lookup: InCase(_question(lookup), _unused(lookup), _assumptions(lookup)),
)
