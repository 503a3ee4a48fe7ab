"""Patterns whose words vary become one template; messages that mean something else stay apart."""

from __future__ import annotations

import time

from diagnostics.log_book.template import MANY, templates_of

LOGGER = ("o.a.f.X", "INFO")


def mined(*patterns: str) -> list[str]:
    return templates_of(patterns, [LOGGER] * len(patterns))


def test_names_hosts_and_paths_that_vary_become_one_template() -> None:
    lines = [f"Fetched {path} from {host} for job {job}" for path, host, job in zip(PATHS, HOSTS, JOBS, strict=True)]
    assert mined(*lines) == ["Fetched <*> from <*> for job <*>"] * 4


PATHS = ("/data/orders.parquet", "/data/items.parquet", "/tmp/a.csv", "/tmp/b.csv")
HOSTS = ("alpha.example.org", "beta.example.org", "gamma.example.org", "delta.example.org")
JOBS = ("billing", "orders", "fraud", "audit")


def test_states_in_upper_case_never_vary() -> None:
    lines = [
        f"Task Map switched from RUNNING to {state} on host" for state in ("FAILED", "FINISHED", "CANCELED", "CREATED")
    ]
    assert mined(*lines) == lines


def test_a_few_alternatives_are_different_messages() -> None:
    lines = [
        f"Checkpoint <n> of the job was {what} by the coordinator" for what in ("completed", "declined", "expired")
    ]
    assert len(lines) < MANY
    assert mined(*lines) == lines


def test_messages_of_other_loggers_levels_and_lengths_stay_apart() -> None:
    lines = [f"Connection to {host} was lost" for host in HOSTS]
    groups = [("a", "INFO"), ("a", "WARN"), ("b", "INFO"), ("c", "INFO")]
    assert templates_of(lines, groups) == lines
    longer = [f"Connection to {host} was lost{' again' * number}" for number, host in enumerate(HOSTS)]
    assert mined(*longer) == longer


def test_messages_that_share_less_than_most_words_stay_apart() -> None:
    lines = [f"Opened {a} {b} {c} now" for a, b, c in zip(PATHS, HOSTS, JOBS, strict=True)]
    assert mined(*lines) == lines


def test_a_template_keeps_two_words_and_spaces_are_none() -> None:
    options, names = [f"    -X{name}" for name in JOBS], [f"Client {name}" for name in JOBS]
    assert mined(*options) == options
    assert mined(*names) == names


def test_messages_that_do_not_vary_are_their_own_template() -> None:
    lines = ["Starting the job", "Starting the job", "Stopping", ""]
    assert mined(*lines) == lines


def test_the_order_does_not_decide_whether_there_is_a_template() -> None:
    lines = [f"Connection to {host} was lost" for host in HOSTS]
    assert mined(*reversed(lines)) == mined(*lines) == ["Connection to <*> was lost"] * 4


def test_ten_thousand_patterns_take_bounded_time() -> None:
    lines = [f"{'word ' * 20}{number:x} {'a b c ' * (number % 5)}" for number in range(10_000)]
    begun = time.process_time()
    mined(*lines)
    assert time.process_time() - begun < 20
