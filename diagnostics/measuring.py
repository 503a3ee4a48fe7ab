"""Measures every signal of a case; where its files are those of several clusters, each cluster by its own files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from diagnostics.evidence import Evidence
from diagnostics.language import say
from diagnostics.signals import DEFINITIONS
from diagnostics.signals.signal import Measured, NotMeasured, Signal
from diagnostics.spark import ends_analysis

T = TypeVar("T")

MOST_SUBJECTS = 1_000
"""Signals kept per key, those with most evidence. Our choice: a large session cluster has some hundred jobs; a file
that names a hundred thousand is forged or broken, and each would cost 2 ms to judge and a page of its own.
"""


@dataclass(frozen=True, slots=True)
class ClusterEvidence:
    """The evidence of one cluster.

    jobs    its jobs; empty for the only cluster of a case, all of whose signals are taken as they are
    others  jobs of other clusters, which files of no certain cluster may name here too
    """

    evidence: Evidence
    jobs: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()

    def own(self, signal: Signal) -> Iterator[Signal]:
        """The signal as one of the cluster's jobs: what concerns the whole cluster concerns each of them."""
        subject = signal.subject
        if not self.jobs or subject.job in self.jobs:
            yield signal
        elif subject.job is None and (len(self.jobs) == 1 or DEFINITIONS[signal.key].level == "case"):
            yield from (replace(signal, subject=replace(subject, job=job)) for job in sorted(self.jobs))
        elif subject.job not in self.others:
            yield signal


def measure_signals(
    clusters: Sequence[ClusterEvidence], report: Callable[[float, str], None], warnings: list[str]
) -> tuple[list[Signal], list[NotMeasured]]:
    """The signals of all clusters, and the measurements that the evidence of none of them allows.

    report    gets the completed share (0..1) and details
    warnings  is extended by each measurement that raised and by each bound that was met
    """
    signals: dict[tuple[str, str], Signal] = {}
    not_measured: dict[NotMeasured, None] = {}
    measures = list(dict.fromkeys(definition.measure for definition in DEFINITIONS.values()))
    total = len(measures) * len(clusters)
    pairs = ((cluster, measure) for cluster in clusters for measure in measures)
    for done, (cluster, measure) in enumerate(pairs, 1):
        name = measure.__module__.rpartition(".")[2]
        failed = say("{name} could not be measured", name=name)
        for each in attempted(partial(_whole, measure, cluster.evidence), failed, warnings) or ():
            if isinstance(each, NotMeasured):
                not_measured.setdefault(each)
                continue
            for own in cluster.own(each):
                signals.setdefault((own.key, repr(own.subject)), own)
        report(done / total, say("{done} of {total} measurements", done=done, total=total))
    measured = {key for key, _ in signals}
    lacking = [each for each in not_measured if len(clusters) == 1 or each.key not in measured]
    return (
        sorted(_bounded(signals.values(), warnings), key=lambda each: (each.key, repr(each.subject))),
        sorted(lacking, key=lambda each: (each.key, each.needs)),
    )


def attempted(work: Callable[[], T], failed: str, warnings: list[str]) -> T | None:
    """The result of the work; None when it raises, which becomes a warning."""
    try:
        return work()
    except Exception as error:
        if ends_analysis(error):
            raise
        warnings.append(f"{failed}: {error}"[:500])
        return None


def _whole(measure: Callable[[Evidence], Measured], evidence: Evidence) -> list[Signal | NotMeasured]:
    """All results of a measurement; a generator raises only while it is consumed."""
    return list(measure(evidence))


def _bounded(signals: Iterable[Signal], warnings: list[str]) -> Iterator[Signal]:
    """At most MOST_SUBJECTS signals per key; a warning reports those left out."""
    by_key: dict[str, list[Signal]] = defaultdict(list)
    for each in signals:
        by_key[each.key].append(each)
    for key, measured in by_key.items():
        if len(measured) > MOST_SUBJECTS:
            warnings.append(
                say(
                    "{key}: of {count:,} subjects the {bound:,} with most evidence count",
                    key=key,
                    count=len(measured),
                    bound=MOST_SUBJECTS,
                )
            )
            measured.sort(key=lambda each: (-each.citation_count, repr(each.subject)))
        yield from measured[:MOST_SUBJECTS]
