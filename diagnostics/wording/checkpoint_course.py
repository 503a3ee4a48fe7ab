"""What became of the checkpoints of a job, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diagnostics.language import joined_sentences, say, say_counted, to_say
from diagnostics.wording.checkpoint import known_phases, longest_phase, outcomes_in_words, refused_in_words
from diagnostics.wording.phrase import duration

BAD = ("expired", "declined", "failed", "aborted")
"""The outcomes of checkpoints that did not complete."""

REPRESENTATIVE = 0.5
"""Phases of less than this share of a checkpoint's duration may be those of a subtask that is not its slowest: details
taken while it was under way lack the slow ones. Our choice, as for findings on phases (`signals/checkpoint_phases.py`).
"""


def course_in_words(job: Mapping[str, Any]) -> str:
    """Counts, the longest checkpoint, its longest phase, and the timeout.

    job  as `checkpoint_courses` gives it
    """
    checkpoints = [each for each in job["checkpoints"] if not each["savepoint"]]
    savepoints = len(job["checkpoints"]) - len(checkpoints)
    failed = [each for each in checkpoints if each["status"] in BAD]
    completed = [each for each in checkpoints if each["status"] == "completed" and each["end_to_end_ms"] is not None]
    counted = outcomes_in_words([each["status"] for each in checkpoints], is_all_well=not failed)
    sentences = [counted, refused_in_words(job.get("refused", 0))]
    if completed:
        longest = max(completed, key=lambda each: (each["end_to_end_ms"], each["id"]))
        phases = known_phases(longest)
        is_representative = sum(phases.values()) >= REPRESENTATIVE * longest["end_to_end_ms"]
        sentence = (
            to_say("The longest completed one, {id}, took {time}.")
            if not phases
            else to_say("The longest completed one, {id}, took {time}, {part} of it {phase} in its slowest subtask.")
            if is_representative
            else to_say(
                "The longest completed one, {id}, took {time}; the known phases of its subtasks add up to only {sum}."
            )
        )
        took, known = duration(longest["end_to_end_ms"]), duration(sum(phases.values()))
        sentences.append(say(sentence, id=longest["id"], time=took, sum=known, **longest_phase(phases)))
    if savepoints:
        sentences.append(
            say_counted("{count} savepoint is not counted.", "{count} savepoints are not counted.", savepoints)
        )
    if job["timeout_ms"] is not None:
        sentences.append(say("The checkpoint timeout is {timeout}.", timeout=duration(job["timeout_ms"])))
    return joined_sentences(sentences)
