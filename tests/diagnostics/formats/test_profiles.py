"""Profiles of perf and speedscope beyond their samples, and the public ones of the corpus where it is there."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from diagnostics.formats import FORMATS, recognise
from tests.diagnostics.formats.reading_aids import head_of, read, read_path

PERF, SPEEDSCOPE = FORMATS["perf-script"], FORMATS["speedscope"]
PUBLIC = Path(__file__).resolve().parents[4] / "shared" / "corpus" / "public"
corpus_only = pytest.mark.skipif(not PUBLIC.is_dir(), reason="the corpus is not here")


@corpus_only
def test_perfs_samples_of_java_have_the_counts_of_flame_graphs_own_collapsed_result() -> None:
    """Upstream's result `perf-java-stacks-01-collapsed-all.txt` lacks the last sample, which no blank line ends."""
    name = "perf-java-stacks-01.txt"
    rows = read_path(PERF, PUBLIC / "flamegraph" / name, name).rows["stack_sample"]
    collapsed = (PUBLIC / "flamegraph" / "perf-java-stacks-01-collapsed-all.txt").read_text().splitlines()
    upstream: Counter[tuple[str, int]] = Counter()
    for line in collapsed:
        stack, _, count = line.rpartition(" ")
        upstream[(stack.partition(";")[0], stack.count(";"))] += int(count)
    ours = Counter((row["thread"], len(row["frames"])) for row in rows)
    assert ours - upstream == Counter([(rows[-1]["thread"], len(rows[-1]["frames"]))])
    assert not upstream - ours


@corpus_only
def test_perf_prints_process_and_thread_in_front_of_the_time() -> None:
    """Head lines counted with `grep -c '^[^#[:space:]]'`."""
    name = "simple-with-pid.linux-perf.txt"
    found = read_path(PERF, PUBLIC / "speedscope" / name, name)
    assert (found.records, found.coverage[0].not_understood) == (137, 0)
    assert {row["thread"] for row in found.rows["stack_sample"]} == {"simple-terminat"}


@corpus_only
@pytest.mark.parametrize("name", ["simple-sampled.speedscope.json", "simple.speedscope.json"])
def test_speedscopes_samples_and_events_give_the_same_weights(name: str) -> None:
    rows = read_path(SPEEDSCOPE, PUBLIC / "speedscope" / name, name).rows["stack_sample"]
    weights = {";".join(row["frames"]): row["weight"] for row in rows}
    assert weights == {"a;b;c": 5.0, "a;b;d": 4.0, "a;b": 5.0}


@corpus_only
@pytest.mark.parametrize(
    ("name", "warning"),
    [("out-of-order-events.json", "was not the last entered"), ("incomplete-trace.json", "ends inside 1 frames")],
)
def test_an_evented_profile_that_is_broken_says_so(name: str, warning: str) -> None:
    assert warning in read_path(SPEEDSCOPE, PUBLIC / "speedscope" / name, name).warnings[0]


SCHEMA = '"$schema": "https://www.speedscope.app/file-format-schema.json"'


@pytest.mark.parametrize(
    "profile",
    [
        '{"type": "sampled", "samples": [[7], [-1], ["x"]]}',
        '{"type": "sampled", "samples": [[0], [0], [0]], "weights": ["a", null, -1]}',
        '{"type": "evented", "events": [{"type": "O"}]}',
        '{"type": "evented", "events": 3}',
        "7",
    ],
)
def test_hostile_profiles_give_no_rows(profile: str, tmp_path: Path) -> None:
    text = f'{{{SCHEMA}, "shared": {{"frames": [{{"name": "a"}}]}}, "profiles": [{profile}]}}'
    assert not read(SPEEDSCOPE, text, tmp_path).rows.get("stack_sample")


@pytest.mark.parametrize(
    "text", ["a 1 2.345: b:\n", "\t7f a (b)\n", '{"$schema": "x"}', "we ran perf 1.000: it was slow\n"]
)
def test_other_texts_are_not_taken_for_profiles(text: str) -> None:
    assert recognise(head_of(text)).format_id not in (PERF.id, SPEEDSCOPE.id)
