"""What a task's threads do while working: the user function on top, known frames, and uploads of state."""

from __future__ import annotations

import itertools
import math
import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from diagnostics.aggregators import code_calls
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.notation.sql_tables import OF_STATEMENTS
from diagnostics.reconstruction.configuration.deployment import deployment_of
from diagnostics.reconstruction.job.cluster import Cluster, cluster_of
from diagnostics.reconstruction.job.graph import job_graph
from diagnostics.reconstruction.load.offered_rate import excess_ratio
from diagnostics.reconstruction.load.task_rates import task_rates
from diagnostics.reconstruction.stacks.profile import Profile, Sampled, stack_profiles
from diagnostics.reconstruction.stacks.task_threads import FEWEST_WORKING, MOST_CITED, heaviest, subject_of, working
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.known_frames import OUTSIDE, known_frames

OWN_CLASS = re.compile(r"[.$]")
"""What separates the parts of a frame's name: packages, classes, nested classes and the method."""


def measure(evidence: Evidence) -> Measured:
    """The functions in which each task spends its working time.

    Reads   stack_sample: flame graphs, collapsed stacks, thread dumps; code_call: methods that take a value of a state,
            classes that are handed an argument of the program; config_option and log_record: the job's start;
            subtask and metric_sample: the cost of a record, and what the sources offer.
    Gives   one signal per task with samples of a working thread; `hot_frames.upload` for threads that write state.
    Units   shares of the samples in which the thread waits neither for input nor for output buffers.
    Empty   NotMeasured without a profile or thread dump.
    """
    profiles = stack_profiles(evidence)
    if not profiles.tasks:
        yield NotMeasured("hot_frames", "flame-graph", "no flame graph, profile or thread dump shows a task's thread")
    cluster, takers = cluster_of(evidence), _takers_of_state(evidence)
    handed, starts = _handed_arguments(evidence), deployment_of(evidence).starts
    for task, profile in profiles.tasks.items():
        start = starts.get(task[0]) or starts.get(None)
        signal = _signal(task, profile, cluster, takers, handed, start.program if start else ())
        if signal is not None:
            yield replace(signal, facts={**signal.facts, **_lowered(evidence, task, signal.facts)})
    if profiles.uploads is None:
        yield NotMeasured("hot_frames.upload", "thread-dumps", "no profile shows the threads of asynchronous snapshots")
        return
    uploads = profiles.uploads
    named = max(uploads.uploading, key=lambda each: (uploads.uploading[each], each), default=None)
    facts: dict[str, FactValue] = {
        "samples": uploads.samples,
        "upload_samples": sum(uploads.uploading.values()),
        "upload_share_ratio": sum(uploads.uploading.values()) / uploads.samples,
        "what": named,
        "full_snapshot": any(each.startswith("full") for each in uploads.uploading),
        "incremental_snapshot": any(each.startswith("incremental") for each in uploads.uploading),
        "rocksdb": any("RocksDB" in each or "ForSt" in each for each in uploads.uploading),
        "top_frame": uploads.heaviest_frame,
    }
    yield Signal(
        "hot_frames.upload",
        Subject(),
        known_facts(facts),
        (uploads.heaviest,) if uploads.heaviest else (),
    )


def _takers_of_state(evidence: Evidence) -> Collection[str] | None:
    """The job's own methods that take a value of a state, by its source; None without a source."""
    rows = [row for row in evidence.answer(code_calls.AGGREGATOR).to_pylist() if row["kind"] not in OF_STATEMENTS]
    return {row["name"] for row in rows if row["kind"] == "taker-of-previous-result"} if rows else None


def _handed_arguments(evidence: Evidence) -> Mapping[str, Sequence[str]]:
    """Class of the job -> names of the program's arguments that its source hands to it."""
    handed: dict[str, list[str]] = defaultdict(list)
    for row in evidence.answer(code_calls.AGGREGATOR).to_pylist():
        if row["kind"] == "handed-argument":
            function, name = row["name"].split(" ")
            handed[function].append(name)
    return handed


def _signal(
    task: tuple[str | None, str],
    profile: Profile,
    cluster: Cluster,
    takers: Collection[str] | None,
    handed: Mapping[str, Sequence[str]],
    program: Sequence[str],
) -> Signal | None:
    at_work = working(profile)
    whole = sum(each.weight for each in at_work)
    if whole < FEWEST_WORKING:
        return None
    all_read = sum(each.weight for each in profile.stacks)
    facts: dict[str, FactValue] = {
        "profile": profile.kind[0],
        "mode": profile.kind[1],
        "sees_all": profile.sees_all,
        "samples": profile.samples,
        "working_samples": whole,
        "idle_ratio": 1 - whole / all_read,
        "waiting_ratio": sum(each.weight for each in at_work if each.stack.waiting) / whole,
    }
    for fact, hottest in (
        ("top_user", heaviest(at_work, lambda each: each.stack.user)),
        ("system", heaviest(at_work, lambda each: each.stack.system)),
        ("category", heaviest(at_work, _category)),
        ("top", heaviest(at_work, lambda each: each.stack.top)),
    ):
        if hottest:
            facts[fact if fact in ("system", "category") else f"{fact}_frame"] = hottest[0]
            facts[f"{fact}_share_ratio"] = hottest[1] / whole
    computing = [each for each in at_work if not each.stack.waiting]
    facts |= {"computing_ratio": sum(each.weight for each in computing) / whole, **_hot(computing, whole)}
    own = facts.get("own_frame")
    if isinstance(own, str) and takers is not None:
        facts["own_takes_state"] = own.rpartition(".")[2] in takers
    if isinstance(own, str):
        names = handed.get(OWN_CLASS.split(own)[-2], ()) if "." in own else ()
        facts |= known_facts({"own_argument": _argument(names, program)})
    cited = sorted(at_work, key=lambda each: -each.weight)[:MOST_CITED]
    return Signal("hot_frames", subject_of(task, cluster), facts, tuple(each.citation for each in cited), len(at_work))


def _argument(names: Sequence[str], program: Sequence[str]) -> str | None:
    """The only one of these arguments, as the program was started with it: `--rounds 45000`."""
    stated = [
        f"{word} {value}"
        for word, value in itertools.pairwise(program)
        if word.startswith("-") and word.lstrip("-") in names and not value.startswith("-")
    ]
    return stated[0] if len(names) == len(stated) == 1 else None


def _lowered(evidence: Evidence, task: tuple[str | None, str], facts: Mapping[str, FactValue]) -> dict[str, FactValue]:
    """The argument with the value at which the fullest subtask keeps up if its work grows in proportion to it."""
    word, _, value = str(facts.get("own_argument") or "").partition(" ")
    rate = task_rates(evidence).get(task)
    excess = excess_ratio(evidence, job_graph(cluster_of(evidence), task[0]), task[1], rate) if rate else None
    if not value.isdecimal() or excess is None or excess <= 1:
        return {}
    lowered = math.floor(int(value) / excess)
    digits = 10 ** max(len(str(lowered)) - 2, 0)
    return {"own_argument_lowered": f"{word} {lowered // digits * digits}"} if lowered else {}


def _hot(computing: Sequence[Sampled], whole: float) -> dict[str, FactValue]:
    """The known function that uses most CPU, and the user code that does so outside of known functions."""
    advice = known_frames().computing
    facts: dict[str, FactValue] = {}
    known = [each for each in computing if each.stack.purpose in advice]
    hottest = heaviest(known, lambda each: each.stack.purpose)
    if hottest:
        purpose, weight = hottest
        inside = [each for each in known if each.stack.purpose == purpose]
        facts |= {"hot_purpose": purpose, "hot_share_ratio": weight / whole, "hot_advice": advice[purpose]}
        for fact, sampled in (
            ("hot_function", heaviest(inside, lambda each: each.stack.system)),
            ("hot_frame", heaviest(inside, lambda each: each.stack.system_frame)),
            ("hot_caller", heaviest(inside, lambda each: each.stack.user)),
        ):
            if sampled:
                facts[fact] = sampled[0]
    own = heaviest([each for each in computing if each.stack.purpose is None], lambda each: each.stack.user)
    if own:
        facts |= {"own_frame": own[0], "own_share_ratio": own[1] / whole}
    state = sum(each.weight for each in computing if each.stack.purpose == "state")
    return {**facts, "state_share_ratio": state / whole}


def _category(sampled: Sampled) -> str | None:
    """`waiting outside`, or the purpose of the known function that uses the CPU."""
    purpose = sampled.stack.purpose
    if purpose is None:
        return None
    return "outside call" if purpose in OUTSIDE else purpose


FACTS = {
    "profile": "flame-graph, collapsed or thread-dump",
    "mode": "kind of the samples: on-cpu, wall or another",
    "sees_all": "whether the profile counts waiting threads as well as working ones",
    "samples": "samples of the task's threads",
    "working_samples": "samples in which the thread was at work",
    "idle_ratio": "share of the samples in which the thread waited for input or for room in its output",
    "waiting_ratio": "share of the working samples without use of the CPU (a socket read counts as waiting)",
    "top_user_frame": "the user's function seen most",
    "top_user_share_ratio": "its share",
    "system": "the outside system or known library seen most",
    "system_share_ratio": "share of the most frequent outside system or known library",
    "category": "what that is for: outside call, state, or a purpose that uses the CPU (serialization, regex, ...)",
    "category_share_ratio": "its share",
    "top_frame": "the top frame seen most",
    "top_share_ratio": "its share",
    "computing_ratio": "share of the working samples that use the CPU",
    "hot_purpose": "known purpose that most of the CPU is used for: serialization, parsing, regex, ...",
    "hot_share_ratio": "share of the working samples in the most frequent known purpose",
    "hot_function": "the library or function seen most in it",
    "hot_frame": "its outermost frame seen most",
    "hot_caller": "the user's function that calls it",
    "hot_advice": "what helps against it",
    "own_frame": "the user's function that uses the CPU most without a known library",
    "own_argument": "the only argument of the program that the source hands to that function's class, with its value",
    "own_argument_lowered": "argument of the program, lowered so that the job's own function keeps up where its work "
    "grows in proportion",
    "own_takes_state": "whether the job's own function that uses the CPU most takes a value of a state",
    "own_share_ratio": "share of the working samples in the job's own function that uses the CPU most",
    "state_share_ratio": "share of the work in state access",
}
UPLOAD_FACTS = {
    "samples": "samples of threads that write state",
    "upload_samples": "samples in which they did",
    "upload_share_ratio": "share of the state writing threads' samples that write",
    "what": "what they did most: RocksDB upload, full RocksDB snapshot, ...",
    "full_snapshot": "whether a full snapshot was seen",
    "incremental_snapshot": "whether an incremental snapshot was seen",
    "rocksdb": "whether files of RocksDB or ForSt were being written",
    "top_frame": "the top frame seen most",
}

SIGNALS = (
    SignalDefinition("hot_frames", "vertex", FACTS, measure),
    SignalDefinition("hot_frames.upload", "case", UPLOAD_FACTS, measure),
)
