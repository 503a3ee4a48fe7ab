"""Statements and tables of the job's SQL that do without an error what nobody wants of them."""

from __future__ import annotations

from diagnostics.aggregators import code_calls
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import Subject, only_one
from diagnostics.notation.code_call import TRAP, trap_of
from diagnostics.reconstruction.configuration.enabled_checkpoints import lacks_checkpoints, takes_checkpoints
from diagnostics.reconstruction.configuration.flink_releases import flink_releases
from diagnostics.reconstruction.errors.blamed_fault import blamed_faults
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.statement_traps import statement_traps

HANDLED = ("warning", "passed")
"""Who reports what something handles by trying again."""


def measure(evidence: Evidence) -> Measured:
    """The traps of the source, the certain ones first, in the order of their catalogue.

    Reads   code_call, config_option, job, and the histories of checkpoints.
    Gives   one signal of the case where the source has one.
    Empty   NotMeasured without source code of the job.
    """
    rows = [{**row, "ts_ms": None} for row in evidence.answer(code_calls.AGGREGATOR).to_pylist()]
    if not rows:
        yield NotMeasured("statement_traps", "configuration", "no source of the job was given")
        return
    traps = statement_traps()
    order = {name: place for place, name in enumerate(traps)}
    shown = [(*trap_of(row["name"]), row) for row in rows if row["kind"] == TRAP]
    checkpointed, is_off = takes_checkpoints(evidence), lacks_checkpoints(evidence)
    release = only_one(flink_releases(evidence).stated)
    shown = [
        each
        for each in shown
        if (trap := traps.get(each[0]))
        and trap.counts_with(release)
        and not (trap.without_checkpoints and checkpointed)
    ]
    shown.sort(key=lambda each: (not traps[each[0]].is_certain(is_off), order[each[0]]))
    if not shown:
        return
    (name, words, first), others = shown[0], [traps[each[0]] for each in shown[1:]]
    facts = {
        "trap": name,
        "certain": traps[name].is_certain(is_off),
        "usual": traps[name].usual,
        "what": traps[name].what,
        "advice": traps[name].advice,
        "words": words,
        "failures": sum(each.reported_by not in HANDLED for each in blamed_faults(evidence)),
        "line": first["line"],
        "others": [str(each.what) for each in others] or None,
    }
    for place, other in zip(("second", "third", "fourth"), others, strict=False):
        facts |= {f"{place}_what": other.what, f"{place}_advice": other.advice}
    places = tuple(Citation.cite_row(row, "config", words, name=words, value=None) for _, words, row in shown[:4])
    yield Signal("statement_traps", Subject(), known_facts(facts), places, citation_count=len(shown))


FACTS = {
    "trap": "id of the first trap",
    "certain": "whether the result is wrong whatever the data",
    "usual": "whether most jobs that have the first trap want it so",
    "what": "what is wrong, as a clause",
    "advice": "what to write instead",
    "failures": "failures of tasks or jobs beside it, and errors in logs",
    "words": "the words of the source that show it",
    "line": "line of the source",
    "others": "further traps of the source",
    "second_what": "fault that the second trap in the statement makes",
    "second_advice": "what to write instead of the second one",
    "third_what": "fault that the third trap in the statement makes",
    "third_advice": "what to write instead of the third one",
    "fourth_what": "fault that the fourth trap in the statement makes",
    "fourth_advice": "what to write instead of the fourth one",
}

SIGNALS = (SignalDefinition("statement_traps", "case", FACTS, measure),)
