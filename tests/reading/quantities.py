"""Quantities that several sentences of a case state: a reader expects one number for each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

AMOUNT = r"(\d[\d,.]*(?: (?:ms|s|min|h))?(?: \d+ s)?)"
QUANTITIES: Mapping[str, tuple[str, ...]] = {
    "checkpoint timeout": (
        rf"The checkpoint timeout is {AMOUNT}",
        rf"expired after the timeout of {AMOUNT}",
        rf"the checkpoint timeout of {AMOUNT}",
        rf"least pause [^,]+, timeout {AMOUNT};",
    ),
    "longest completed checkpoint": (
        rf"The longest completed one, \d+, took {AMOUNT}",
        rf"the longest completed checkpoint took {AMOUNT}",
        rf"the longest of which took {AMOUNT}",
    ),
    "full collections of the worst TaskManager": (
        r": [\d,]+ pauses, ([\d,]+) of them full collections",
        r"The heap is too small: \S+ made ([\d,]+) full GCs",
    ),
    "slots of the cluster": (
        r"The cluster has ([\d,]+) slots",
        r"\(its highest parallelism\); ([\d,]+) (?:is|are) registered",
    ),
    "refused requests": (
        r"The outside system refused requests ([\d,]+) times",
        r"report ([\d,]+) refused requests",
        r"or write less to it: it refused requests ([\d,]+) times",
    ),
    "share of the hot subtask": (
        r"Subtask \d+ of .+? has [\d,]+ of [\d,]+ records \(([\d.]+) %\)",
        r"The most uneven task is .+?: subtask \d+ has ([\d.]+) % of the records",
    ),
    "records that the sink takes": (
        r"It takes ([\d,.]+) records/s in total",
        r"The sink takes ([\d,.]+) records/s",
    ),
    "lead of the watermark": (
        rf"[Ww]atermark (?:of .+? )?(?:is|was) up to {AMOUNT} ahead of the (?:wall )?clock",
        rf"the watermark would still be up to {AMOUNT} ahead",
        rf"Windows that end up to {AMOUNT} after the restart",
    ),
    "lead of the watermark at the end": (
        rf"watermark {AMOUNT} ahead of the clock at the end",
        rf"At the end it is {AMOUNT} ahead of the wall clock",
    ),
    "longest wait for a barrier": (
        rf"waited longest for a barrier, {AMOUNT}",
        rf"start delay {AMOUNT} in (?:.+?, in )?checkpoint",
    ),
    "time of one look-up": (rf"One look-up takes about {AMOUNT}", rf"cache their answers: one takes {AMOUNT}"),
}
"""Quantity of a job -> patterns of the sentences that state it, each with the number as its group."""


def stated(texts: Iterable[str]) -> dict[str, set[str]]:
    """Quantity -> the different numbers that the texts state for it."""
    numbers: dict[str, set[str]] = {}
    for text in texts:
        for quantity, patterns in QUANTITIES.items():
            for pattern in patterns:
                numbers.setdefault(quantity, set()).update(each.rstrip(".,") for each in re.findall(pattern, text))
    return numbers


def contradictions(texts: Iterable[str]) -> dict[str, set[str]]:
    """The quantities with more than one number."""
    return {quantity: numbers for quantity, numbers in stated(texts).items() if len(numbers) > 1}
