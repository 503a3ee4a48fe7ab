"""Number of salts that reduces a hot key to the capacity of a subtask."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from diagnostics.arithmetic.balance import salts_needed
from diagnostics.calculators.calculator import Calculator, Input, Line, Outcome
from diagnostics.evidence.subject import Lookup
from diagnostics.language import say, to_say
from diagnostics.wording import phrase
from diagnostics.wording.phrase import number, percent

MOST_SALTS = 1024
"""More salts cost more in the second aggregation than they save. Our choice."""


def _refusals(hottest: float, even: float, multiple: float, lookup: Lookup) -> Iterator[str]:
    if hottest <= multiple * even:
        yield say(
            "No subtask of {task} has more than {multiple} times its even share ({hottest} of the records; an even "
            "share is {even}): there is nothing to salt.",
            task=str(lookup("load_balance.task") or say("the task")),
            multiple=number(multiple),
            hottest=percent(hottest),
            even=percent(even),
        )
    if lookup("job_code.results_in_sequence") is True:
        read = lookup("job_code.previous_result")
        yield say(
            "Each result of a key depends on the one before ({places}): with a salt the results would be others. Make "
            "each record cheaper, or partition by a finer key whose results are independent of each other.",
            places=phrase.FORMATS["list"](read) if isinstance(read, list) else say("by the job's code"),
        )


def _compute(values: Mapping[str, float], lookup: Lookup) -> Outcome:
    share, subtasks, multiple = max(values["share"], 0.0), values["parallelism"], values["multiple"]
    if share > 1 or subtasks < 1 or multiple <= 1:
        return Outcome("not known", say("The key's share lies between 0 and 1, the multiple above 1."))
    even = 1 / subtasks
    rest = (1 - share) / subtasks
    room = multiple * even - rest
    salts = min(salts_needed(share, round(subtasks), multiple), MOST_SALTS)
    by_salt = share / salts
    lines = [
        Line(say("Even share"), f"1 / {number(subtasks)}", percent(even)),
        Line(say("Other keys on each subtask"), f"(1 - {percent(share)}) / {number(subtasks)}", percent(rest)),
        Line(
            say("Room for the hot key on one subtask"),
            f"{number(multiple)} x {percent(even)} - {percent(rest)}",
            percent(room),
        ),
        Line(
            say("Salts, since hashing puts some on one subtask"),
            f"2 x {number(subtasks)} x ln {number(subtasks)} x ({percent(share)} / {number(multiple - 1)})²",
            number(salts),
        ),
        Line(say("Share of one salt"), f"{percent(share)} / {number(salts)}", percent(by_salt)),
    ]
    results = {"salts": float(salts), "share_of_one": by_salt}
    refusals = list(_refusals(share + rest, even, multiple, lookup))
    if refusals:
        return Outcome("do not", refusals[0], lines, refusals, results)
    headline = say(
        "Where partial results of a key can be merged (sum, count, minimum, maximum): {salts} salts give each "
        "{by_salt} of the records and keep every subtask below {multiple} even shares, although hashing puts some of "
        "them on one subtask. A second step brings the parts together again.",
        salts=number(salts),
        by_salt=percent(by_salt),
        multiple=number(multiple),
    )
    return Outcome("depends", headline, lines, results=results)


CALCULATOR = Calculator(
    id="salting",
    title=to_say("Salting a hot key"),
    question=to_say("Into how many parts must the hot key be split?"),
    formula=to_say(
        "salts = 2 x subtasks x ln(subtasks) x (share of the key / (allowed multiple - 1))², at least the subtasks"
    ),
    inputs=(
        Input(
            "share",
            to_say("Share of the hot key"),
            "share",
            ("load_balance.concentration_ratio", "key_distribution.top_key_share_ratio"),
            high=1,
        ),
        Input(
            "parallelism",
            to_say("Subtasks of the keyed task"),
            "count",
            ("load_balance.parallelism", "key_distribution.keyed_parallelism", "record_rate.parallelism"),
            low=1,
            high=512,
        ),
        Input(
            "multiple",
            to_say("Allowed multiple of the even share"),
            "count",
            (),
            assumed=1.5,
            because=to_say("the exit condition of the runbook for data skew"),
            low=1.05,
            high=3,
            choice=True,
        ),
    ),
    assumptions=(
        to_say(
            "The other keys spread evenly: what the hottest subtask has beyond its part of them is the hot key. Where "
            "no records by subtask are known, the key's share of the sampled events is used."
        ),
        to_say(
            "Only the hot key is salted; the aggregate is one that can be put together from parts (sum, count, "
            "minimum)."
        ),
    ),
    compute=_compute,
    symptoms=("data_skew",),
    docs=("S046", "S066"),
)
