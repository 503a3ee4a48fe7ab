"""What a restart loses where the sources cannot be read again, in sentences."""

from __future__ import annotations

from collections.abc import Mapping

from diagnostics.language import joined_sentences, say
from diagnostics.wording.phrase import duration, number


def rounded(lost: float) -> float:
    """An estimate with as many digits as it deserves: two."""
    return float(f"{lost:.2g}")


def restart_of_own_records(since: float, down: float, lost: float | None, most: float | None) -> str:
    """What a restart means where the source makes its records itself: nothing is lost that exists elsewhere.

    since       ms since the checkpoint that it starts from; 0 for a savepoint of now
    lost, most  records that a real feed in its place would lose in `down` ms without the job, at least and at most
    """
    said = [
        say(
            "By the job's code its source makes its records itself: it begins anew at a restart, and nothing is lost "
            "that exists elsewhere."
        ),
        say(
            "A restart from the last checkpoint takes the state back {since}, as of the end of the evidence.",
            since=duration(since),
        )
        if since
        else say("After a stop with a savepoint the state is whole."),
    ]
    if lost is not None:
        said.append(
            say(
                "A real feed in its place that cannot be read again would lose about {lost} records if the job is down "
                "for {down}.",
                lost=at_least_and_most(lost, most),
                down=duration(down),
            )
        )
    return joined_sentences(said)


def at_least_and_most(lost: float, most: float | None) -> str:
    """A number of lost records, or from which to which it is."""
    if most is None:
        return number(rounded(lost))
    return say("{least} to {most}", least=number(rounded(lost)), most=number(rounded(most)))


def owed_since(held: float, words: Mapping[str, str]) -> str:
    """What a restart from the last checkpoint loses of a source that keeps in memory what it could not send.

    words  held, since, rate, lost, down, more
    """
    if not held:
        return say(
            "A restart from the last checkpoint loses what came in the {since} since its trigger and what comes while "
            "the job is down, {rate}/s: about {lost} records if it is down for {down}, as of the end of the evidence; "
            "each further minute without a completed checkpoint adds {more}. Nothing is read again.",
            **words,
        )
    return say(
        "A restart from the last checkpoint loses the {held} records that were held back at its trigger, what came in "
        "the {since} since then and what comes while the job is down, {rate}/s: about {lost} records if it is down for "
        "{down}, as of the end of the evidence; each further minute without a completed checkpoint adds {more}. "
        "Nothing is read again.",
        **words,
    )


def owed_by_savepoint(held: float, words: Mapping[str, str]) -> str:
    """The same after a stop with a savepoint."""
    if not held:
        return say(
            "After a stop with a savepoint the state is whole, but what comes while the job is down, {rate}/s, is "
            "lost: about {lost} records if it is down for {down}. Nothing is read again.",
            **words,
        )
    return say(
        "After a stop with a savepoint the state is whole, but the {held} records that are held back now and what "
        "comes while the job is down, {rate}/s, are lost: about {lost} records if it is down for {down}. Nothing is "
        "read again.",
        **words,
    )


def lost_in_time(since: float) -> str:
    """What is lost where nobody knows how many records come in."""
    if since:
        return say(
            "The source keeps no position in checkpoints. A restart from the last one loses what came in the {since} "
            "since then and what comes while the job is down. Nothing is read again.",
            since=duration(since),
        )
    return say(
        "The source keeps no position in checkpoints. After a stop with a savepoint the state is whole, but what comes "
        "while the job is down is lost. Nothing is read again."
    )
