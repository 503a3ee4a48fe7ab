"""The measured values and the evidence of a finding: what decided it comes first, each value once."""

from __future__ import annotations

from typing import Any

from diagnostics.diagnosis.judge import judge
from diagnostics.rules.rule import Rule, Ruleset
from diagnostics.rules.shipped import shipped_rules

JOB = "a" * 32


def at_least(fact: str, value: float) -> dict[str, Any]:
    return {"fact": fact, "op": ">=", "value": value}


HEAP = {
    "id": "heap",
    "version": 1,
    "symptom_class": "resource_shortage",
    "level": "job",
    "title": "The heap is too small",
    "severity": "critical",
    "when": {
        "any": [
            at_least("errors.heap", 1),
            {"all": [at_least("heap.full", 5), at_least("heap.live_ratio", 0.7)]},
            {"all": [at_least("heap.full", 2), at_least("heap.live_ratio", 0.85)]},
        ]
    },
    "confidence": {
        "base": 0.8,
        "supports": [
            {"when": at_least("heap.full", 20), "add": 0.1, "because": "again and again"},
            {"when": {"fact": "settings.backend", "op": "==", "value": "hashmap"}, "add": 0.1, "because": "on it"},
        ],
    },
    "statement": "{heap.full} full collections with {settings.backend}, {sizes.bytes} bytes of state.",
}


def signal(key: str, *texts: str, **facts: Any) -> dict[str, Any]:
    cited = [{"file_id": 0, "line": line, "kind": "log", "text": text} for line, text in enumerate(texts, 1)]
    return {
        "key": key,
        "level": "job",
        "subject": {"job": JOB},
        "facts": facts,
        "citations": cited,
        "citation_count": len(cited),
        "window": None,
    }


def heap_finding(rule: dict[str, Any] = HEAP) -> dict[str, Any]:
    signals = [
        signal("settings", "backend: hashmap", backend="hashmap"),
        signal("sizes", "state of 3 MB", bytes=3_000_000),
        signal("heap", "Pause Full, the first", "Pause Full, the longest", full=30, live_ratio=0.86),
    ]
    document = judge(signals, [{"file": "gc.log", "format": "gc-log"}], Ruleset.of([Rule.from_mapping(rule, "test")]))
    [finding] = document["findings"]
    return finding


def test_each_value_is_compared_once_with_the_bound_of_the_branch_that_held() -> None:
    checks = [(each["fact"], each["bound"]) for each in heap_finding()["checks"]]
    assert checks == [("heap.full", 5), ("heap.live_ratio", 0.7), ("settings.backend", "hashmap")]


def test_the_evidence_of_what_decided_comes_first_and_the_settings_last() -> None:
    assert [each["text"] for each in heap_finding()["evidence"]] == [
        "Pause Full, the first",
        "Pause Full, the longest",
        "state of 3 MB",
        "backend: hashmap",
    ]


def test_a_signal_that_only_a_counter_indication_asks_for_is_no_evidence() -> None:
    """Files of RocksDB stood below a slow sink, because a rule asks whether the operator may be busy with its state."""
    no_state = {"none": [at_least("sizes.bytes", 1e9)]}
    rule = {**HEAP, "when": {"all": [HEAP["when"], no_state]}, "statement": "{heap.full} full collections."}
    assert [each["text"] for each in heap_finding(rule)["evidence"]] == [
        "Pause Full, the first",
        "Pause Full, the longest",
    ]


def claim_of(rule: dict[str, Any]) -> str:
    return "".join(piece["text"] for piece in heap_finding(rule)["sentences"][0])


def test_a_sentence_of_the_claim_whose_facts_are_not_known_is_left_out() -> None:
    claimed = {**HEAP, "statement": "{heap.full} full collections. Since {heap.since_ms|time} it is {heap.now} more."}
    assert claim_of(claimed) == "30 full collections."


def test_a_claim_whose_first_sentence_is_not_known_is_its_title() -> None:
    claimed = {**HEAP, "statement": "{heap.since_ms|time} it began. {heap.full} full collections."}
    assert claim_of(claimed) == "The heap is too small."


def test_of_the_settings_those_that_made_the_rule_hold_are_cited_first() -> None:
    options = ("interval", "timeout", "externalized-checkpoint-retention", "mode")
    settings = signal("settings", retention="NO_EXTERNALIZED_CHECKPOINTS", timeout_ms=600_000, interval_ms=5_000)
    settings["citations"] = [
        {"file_id": 0, "line": line, "kind": "config", "text": name, "name": f"execution.checkpointing.{name}"}
        for line, name in enumerate(options, 1)
    ]
    checked = signal("settings_check", hosts=2)
    checked["citations"] = [settings["citations"][place] for place in (2, 0, 1, 3)]
    risky = next(each for each in shipped_rules() if each.id == "conf.risky")
    inputs = [{"file": "config.yaml", "format": "flink-configuration"}]
    document = judge([settings, checked], inputs, Ruleset.of([risky]))
    [finding] = document["findings"]
    assert [each["text"] for each in finding["evidence"]] == [
        "externalized-checkpoint-retention",
        "interval",
        "timeout",
        "mode",
    ]


def test_what_only_excludes_another_explanation_comes_last_and_decides_nothing() -> None:
    """A share of GC pauses stood as the one number beside lost ZooKeeper sessions, because it was below its bound."""
    excluding = {**HEAP, "when": {"all": [at_least("heap.full", 5), {"none": [at_least("heap.live_ratio", 0.9)]}]}}
    found = heap_finding(excluding)
    assert found["deciding_checks"] == 1
    assert [each["fact"] for each in found["checks"]] == ["heap.full", "settings.backend", "heap.live_ratio"]
    assert found["checks"][-1]["op"] == "<"


def test_of_two_facts_of_one_name_the_one_that_the_rule_names_first_counts() -> None:
    """An unknown fact of the second signal took the known one of the first away."""
    rule = {**HEAP, "facts": ["heap.full", "settings.full", "old.live_ratio"]}
    facts = heap_finding(rule)["facts"]
    assert (facts["full"], facts["live_ratio"]) == (30, 0.86)
