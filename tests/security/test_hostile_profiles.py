"""Profiles share frames, so a few bytes can encode a deep stack: a small file must not cost what a large one does."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from diagnostics.notation.profiler_stack import FRAMES_AT_ONCE, MOST_STACK_FRAMES, FrameAllowance, stack_batches
from tests.security.bounded_reading import BoundedReader, warm_reader

MOST_MIB = 400
MOST_SECONDS = 12.0
"""Of processor time and memory of a file of a few hundred kB. Before they were bounded: 60 s and more, up to 3 GiB."""
DEPTH = 900
LONG = f"com.acme.{'F' * 450}.run"


def varint(value: int) -> bytes:
    encoded = b""
    while value >= 128:
        encoded += bytes([value & 127 | 128])
        value >>= 7
    return encoded + bytes([value])


def field(number: int, content: bytes | int) -> bytes:
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    return varint(number << 3 | 2) + varint(len(content)) + content


def pprof(samples: Iterator[bytes], locations: Iterator[bytes], functions: int) -> bytes:
    """A profile whose functions all have one long name."""
    strings = (b"", b"cpu", b"nanoseconds", LONG.encode())
    parts = [field(1, field(1, 1) + field(2, 2))]
    parts += [field(2, field(1, ids) + field(2, varint(10**7))) for ids in samples]
    parts += [field(4, location) for location in locations]
    parts += [field(5, field(1, number) + field(2, 3)) for number in range(1, functions + 1)]
    parts += [field(6, each) for each in strings]
    return b"".join(parts)


def pprof_of_inlined_frames() -> bytes:
    """One location of many inlined lines, named again and again by each sample."""
    lines = b"".join(field(4, field(1, 1)) for _ in range(3_000))
    samples = (varint(1) * 3_000 for _ in range(100))
    return pprof(samples, iter([field(1, 1) + lines]), 1)


def pprof_of_deep_stacks() -> bytes:
    samples = (varint(number) + varint(1) * DEPTH for number in range(2, 1_000))
    locations = (field(1, number) + field(4, field(1, number)) for number in range(1, 1_000))
    return pprof(samples, locations, 1_000)


def speedscope_of_samples() -> bytes:
    return speedscope({"type": "sampled", "samples": [[n, *[0] * DEPTH] for n in range(1, 500)], "weights": [1] * 499})


def speedscope_of_events() -> bytes:
    events = [{"type": "O", "frame": 0, "at": 0}] * DEPTH
    for number in range(1, 10_000):
        events += [{"type": kind, "frame": number, "at": 2 * number + late} for late, kind in enumerate("OC")]
    return speedscope({"type": "evented", "events": events, "startValue": 0, "endValue": 30_000})


def speedscope(profile: dict[str, object]) -> bytes:
    frames = [{"name": LONG}, *({"name": f"a{number}"} for number in range(10_000))]
    schema = "https://www.speedscope.app/file-format-schema.json"
    named = {"name": "m", "unit": "none", **profile}
    return json.dumps({"$schema": schema, "shared": {"frames": frames}, "profiles": [named]}).encode()


def flame_graph() -> bytes:
    leaves = [{"name": str(number), "value": 1, "children": []} for number in range(10_000)]
    node = {"name": LONG, "value": 10**9, "children": leaves}
    for _ in range(200):
        node = {"name": LONG, "value": 10**9, "children": [node]}
    root = {"name": "root", "value": 10**9, "children": [node]}
    return json.dumps({"endTimestamp": 1795222142335, "data": root}).encode()


def page_of_frames() -> bytes:
    deep = "u(8,999999999)\n" * DEPTH
    leaves = "".join(f"f(8,{DEPTH + 1},{number},1)\n" for number in range(10_000))
    return page([f"' {LONG}'"], deep + leaves)


def page_of_titles() -> bytes:
    """Each title repeats the whole one before it."""
    return page(["' aaaa'", *("'\U00100000aaaaaaaa'" for _ in range(20_000))], "u(8,7)\n")


def page(titles: list[str], frames: str) -> bytes:
    pool = ",\n".join(["'all'", *titles])
    return (
        "<!DOCTYPE html>\n<html lang='en'>\n<h1>CPU profile</h1>\n<a href='https://github.com/async-profiler/"
        f"async-profiler'>async-profiler</a>\n<script>\n\tconst levels = Array(5);\nconst cpool = [\n{pool}\n];\n"
        f"unpack(cpool);\n\nn(3,1000000000)\n{frames}search();\n</script>"
    ).encode()


@pytest.fixture(scope="module")
def reader() -> Iterator[BoundedReader]:
    with warm_reader() as warm:
        yield warm


@pytest.mark.parametrize(
    ("format_id", "made"),
    [
        ("pprof", pprof_of_inlined_frames),
        ("pprof", pprof_of_deep_stacks),
        ("speedscope", speedscope_of_samples),
        ("speedscope", speedscope_of_events),
        ("flink-rest-flame-graph", flame_graph),
        ("async-profiler-html", page_of_frames),
        ("async-profiler-html", page_of_titles),
    ],
)
def test_a_small_profile_costs_no_more_than_its_bound(
    format_id: str, made: Callable[[], bytes], reader: BoundedReader, tmp_path: Path
) -> None:
    path = tmp_path / "profile"
    path.write_bytes(made())
    assert path.stat().st_size < 1_700_000
    outcome = reader.read(path, format_id)
    assert outcome.failure is None
    assert outcome.rows["stack_sample"]
    assert outcome.peak_mib < MOST_MIB
    assert outcome.seconds < MOST_SECONDS


def test_deep_stacks_come_a_few_at_a_time() -> None:
    rows = [{"frames": ["a"] * 1_000, "weight": 1.0}] * 100 + [{"frames": ["a"] * 3 * FRAMES_AT_ONCE}] * 2
    batches = [batch.rows for batch in stack_batches(rows)]
    assert [row for batch in batches for row in batch] == rows
    assert [len(batch) for batch in batches] == [40, 40, 20, 1, 1]


def test_stacks_beyond_what_a_file_may_have_are_said() -> None:
    allowance, said = FrameAllowance(), list[str]()
    assert allowance.take(MOST_STACK_FRAMES - 1)
    allowance.report(said.append)
    assert said == []
    assert not allowance.take(2)
    assert not allowance.take(1)
    allowance.report(said.append)
    assert said == ["more than 20,000,000 frames in all its stacks: those beyond them are not counted"]
