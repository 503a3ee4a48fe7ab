"""Resources of Flink's Kubernetes operators whose state asks for something, though it may hold no error."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.notation.operator_resource import NULL, SCOPE
from diagnostics.reconstruction.configuration.stated_settings import stated_options
from diagnostics.reconstruction.errors.blamed_fault import blamed_faults
from diagnostics.reconstruction.failures.incident_log import incident_log
from diagnostics.signals.signal import Measured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.resource_states import resource_states, state_of

HANDLED = ("warning", "passed")
"""Who reports what something handles by trying again; any other report says more than a state."""
SAYS = ("op.event.warning", "op.status.error", "op.resource.error", "op.resource.event", "op.restore")
"""Events of what an operator reports of a resource."""
SHOWN_FIELDS = (
    "status.jobStatus.state",
    "status.jobManagerDeploymentStatus",
    "status.lifecycleState",
    "status.phase",
    "status.state",
    "spec.job.state",
    "metadata.deletionTimestamp",
)
"""Fields that a reader is shown and pointed to, the most telling first."""
MOST_SHOWN = 4
LIFECYCLE = "status.lifecycleState"
RECONCILIATION = "status.reconciliationStatus.state"
OF_BOTH = ("UPGRADING", "ROLLING_BACK", "ROLLED_BACK")
"""States of the reconciliation that are states of the life cycle, too. Source: CommonStatus.getLifecycleState."""
GENERATION, OBSERVED = "metadata.generation", "status.observedGeneration"


@dataclass(slots=True)
class Shown:
    """A resource: its fields, and where each stands."""

    fields: dict[str, str] = field(default_factory=dict)
    cited: dict[str, Citation] = field(default_factory=dict)


def measure(evidence: Evidence) -> Measured:
    """The state of the first resource that asks for something.

    Reads   config_option (scope resource), log_record, failure, and the histories of checkpoints.
    Gives   one signal of the case for each resource in such a state; none without one.
    """
    resources = _resources(evidence)
    if not resources:
        return
    failed = [each for each in blamed_faults(evidence) if each.reported_by not in HANDLED]
    said = "\n".join(each.message for each in incident_log(evidence).of("kubernetes") if each.event in SAYS)
    for name, shown in resources.items():
        state = state_of(shown.fields, f"{shown.fields.get('status.error', '')}\n{said}")
        if state is None:
            continue
        entry = resource_states()[state]
        shown_paths = [each for each in SHOWN_FIELDS if each in shown.fields and each in shown.cited][:MOST_SHOWN]
        facts: dict[str, FactValue] = {
            "state": state,
            "cause": entry.cause,
            "what": entry.what_for(shown.fields),
            "advice": entry.advice_for(shown.fields),
            "decides": entry.decides,
            "failures": len(failed),
            "resource": name or None,
            "shown_fields": [f"{each}: {shown.fields[each]}" for each in shown_paths] or None,
        }
        cited = [shown.cited[each] for each in shown_paths] or list(shown.cited.values())[:MOST_SHOWN]
        yield Signal("operator_resources", Subject(), known_facts(facts), tuple(dict.fromkeys(cited)))
        return


def _resources(evidence: Evidence) -> Mapping[str, Shown]:
    """The resources by name; pieces without one are of the only resource that has one."""
    resources: dict[str, Shown] = defaultdict(Shown)
    for option in stated_options(evidence):
        if option.scope == SCOPE and option.value is not None:
            name, _, path = option.key.partition("/")
            resources[name].fields.setdefault(path, option.value)
            resources[name].cited.setdefault(path, option.citation)
    if len(resources) == 2 and "" in resources:
        pieces = resources.pop("")
        (whole,) = resources.values()
        whole.fields = pieces.fields | whole.fields
        whole.cited = pieces.cited | whole.cited
    for shown in resources.values():
        shown.fields |= dict(_derived(shown.fields))
    return resources


def _derived(fields: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    """What several fields say together, by the names of the catalogue."""
    generation, observed = fields.get(GENERATION, ""), fields.get(OBSERVED, "")
    if generation.isdecimal() and observed.isdecimal():
        yield "generations", "behind" if int(observed[:18]) < int(generation[:18]) else "alike"
    if generation:
        yield "status", "some" if any(path.startswith("status.") for path in fields) else "none"
    yield "reported", "error" if fields.get("status.error", NULL) != NULL else "none"
    if LIFECYCLE not in fields and fields.get(RECONCILIATION) in OF_BOTH:
        yield LIFECYCLE, fields[RECONCILIATION]


FACTS = {
    "state": "id of the state in the catalogue of states that ask for something",
    "cause": "class of what is behind it",
    "what": "what is so",
    "advice": "what to do about it",
    "decides": "whether it counts beside failures, too",
    "failures": "failures of tasks or jobs beside it, and errors in logs",
    "resource": "name of the resource",
    "shown_fields": "fields of the resource that show it",
}

SIGNALS = (SignalDefinition("operator_resources", "case", FACTS, measure),)
