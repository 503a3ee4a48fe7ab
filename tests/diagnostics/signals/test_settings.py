"""Settings in effect: precedence, old and new names, defaults."""

from __future__ import annotations

from typing import Any

from diagnostics.reconstruction.configuration.stated_settings import stated_options
from diagnostics.signals.settings import measure
from tests.diagnostics.hand_made import JOB, hand_made, line_of_jobs, needs, only


def _option(key: str, value: str, scope: str = "cluster", **columns: Any) -> dict[str, Any]:
    return {"scope": scope, "key": key, "value": value, **columns}


def test_what_rest_says_of_the_job_goes_before_the_clusters_configuration() -> None:
    options = [
        _option("execution.checkpointing.timeout", "10 min"),
        _option("execution.checkpointing.timeout", "30000 ms", "job", job_id=JOB),
        _option("state.backend.incremental", "true"),
        _option("state.backend.type", "EmbeddedRocksDBStateBackend", "job", job_id=JOB),
        _option("taskmanager.memory.network.max", "4mb"),
    ]
    signal = only(measure(hand_made(**line_of_jobs(), config_option=options)), "settings")
    assert signal.subject.job == JOB
    assert (signal.facts["timeout_ms"], signal.facts["incremental"]) == (30_000, True)
    assert (signal.facts["state_backend"], signal.facts["network_max_bytes"]) == ("rocksdb", 4 * 1024 * 1024)
    assert signal.citations[0].text == "execution.checkpointing.timeout: 30000 ms"
    assert "unaligned" not in signal.facts, "nobody states it, and no whole configuration is known"


def test_a_whole_configuration_leaves_the_rest_at_its_defaults() -> None:
    options = [_option("jobmanager.rpc.address", "jm"), _option("execution.checkpointing.interval", "10s")]
    facts = only(measure(hand_made(**line_of_jobs(), config_option=options)), "settings").facts
    assert (facts["interval_ms"], facts["incremental"], facts["timeout_ms"]) == (10_000, False, 600_000)
    assert isinstance(facts["defaults"], list)
    assert "incremental" in facts["defaults"]


def test_a_size_that_the_start_script_computed_is_no_limit_that_somebody_set() -> None:
    """A TaskManager's log prints it as an argument; alone it is all that is known of the configuration."""
    computed = _option("taskmanager.memory.network.max", "67108864b", process="taskmanager")
    stated = [_option("jobmanager.rpc.address", "jm"), _option("taskmanager.memory.process.size", "900m")]
    known = only(measure(hand_made(**line_of_jobs(), config_option=[computed, *stated])), "settings").facts
    alone = only(measure(hand_made(**line_of_jobs(), config_option=[computed])), "settings").facts
    assert "network_max_bytes" not in known
    assert alone["network_max_bytes"] == 67_108_864


def test_two_jobs_keep_their_own_settings() -> None:
    other = "0000000000000000000000000000000b"
    options = [
        _option("execution.checkpointing.interval", "10000 ms", "job", job_id=JOB),
        _option("execution.checkpointing.interval", "60000 ms", "job", job_id=other),
    ]
    measured = {each.subject.job: each.facts for each in measure(hand_made(config_option=options))}  # type: ignore[union-attr]
    assert (measured[JOB]["interval_ms"], measured[other]["interval_ms"]) == (10_000, 60_000)


def test_what_the_code_sets_goes_before_the_clusters_configuration_and_behind_rest() -> None:
    options = [
        _option("execution.checkpointing.timeout", "10 min"),
        _option("execution.checkpointing.timeout", "60000 ms", "program", file_id=1),
        _option("execution.checkpointing.min-pause", "500 ms", "program", file_id=1),
        _option("execution.checkpointing.min-pause", "2000 ms", "job", job_id=JOB),
    ]
    facts = only(measure(hand_made(**line_of_jobs(), config_option=options)), "settings").facts
    assert (facts["timeout_ms"], facts["min_pause_ms"]) == (60_000, 2000)


def test_the_code_of_several_programs_is_left_aside() -> None:
    options = [
        _option("execution.checkpointing.timeout", "10 min"),
        _option("execution.checkpointing.timeout", "60000 ms", "program", file_id=1),
        _option("execution.checkpointing.timeout", "90000 ms", "program", file_id=2),
    ]
    facts = only(measure(hand_made(**line_of_jobs(), config_option=options)), "settings").facts
    assert facts["timeout_ms"] == 600_000


def test_nothing_is_measured_without_options() -> None:
    assert needs(measure(hand_made(**line_of_jobs()))) == {"settings": "configuration"}


def test_a_class_that_rest_names_stands_behind_the_value_that_the_option_takes() -> None:
    """`state.backend.type: HashMapStateBackend` is in no file, and Flink refuses it."""
    rows = [
        _option("state.backend.type", "HashMapStateBackend", "job", job_id=JOB),
        {
            "scope": "job",
            "job_id": JOB,
            "key": "execution.checkpointing.storage",
            "value": "JobManagerCheckpointStorage",
        },
    ]
    texts = {each.citation.text for each in stated_options(hand_made(**line_of_jobs(), config_option=rows))}
    assert texts == {
        "state.backend.type: hashmap (HashMapStateBackend)",
        "execution.checkpointing.storage: jobmanager (JobManagerCheckpointStorage)",
    }
