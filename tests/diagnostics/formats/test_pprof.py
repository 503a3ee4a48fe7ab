"""pprof profiles beyond their sample: values, threads, inlined functions, and bytes that are no profile."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path

import pytest

from diagnostics.errors import UnreadableInput
from diagnostics.formats import FORMATS, recognise
from tests.diagnostics.formats.reading_aids import head_of, read
from tests.diagnostics.intake.uploads import Desk

PPROF = FORMATS["pprof"]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def message(*fields: tuple[int, int | bytes]) -> bytes:
    """A message of varint and length-delimited fields."""
    return b"".join(
        varint(number << 3) + varint(value)
        if isinstance(value, int)
        else varint(number << 3 | 2) + varint(len(value)) + value
        for number, value in fields
    )


STRINGS = (
    "",
    "alloc_space",
    "bytes",
    "cpu",
    "milliseconds",
    "Thread.run",
    "Lookup.get",
    "thread",
    "Map (2/4)#0",
    "inlined",
)


def profile(samples: Sequence[bytes], strings: Sequence[str] = STRINGS) -> bytes:
    return message(
        (1, message((1, 1), (2, 2))),
        (1, message((1, 3), (2, 4))),
        *((2, sample) for sample in samples),
        (4, message((1, 11), (4, message((1, 1))))),
        (4, message((1, 12), (4, message((1, 3))), (4, message((1, 2))))),
        (5, message((1, 1), (2, 5))),
        (5, message((1, 2), (2, 6))),
        (5, message((1, 3), (2, 9))),
        *((6, text.encode()) for text in strings),
        (9, 1_795_222_136_000_000_000),
    )


ONE = message((1, varint(12) + varint(11)), (2, varint(4096) + varint(70)), (3, message((1, 7), (2, 8))))


def test_cpu_time_is_chosen_and_becomes_samples_of_ten_milliseconds(tmp_path: Path) -> None:
    [row] = read(PPROF, profile([ONE, ONE]), tmp_path).rows["stack_sample"]
    assert (row["mode"], row["weight"], row["ts_ms"]) == ("cpu", 14.0, 1_795_222_136_000)


def test_inlined_functions_lie_above_the_one_that_they_are_in(tmp_path: Path) -> None:
    [row] = read(PPROF, profile([ONE]), tmp_path).rows["stack_sample"]
    assert row["frames"] == ["Thread.run", "Lookup.get", "inlined"]


def test_a_label_names_the_thread_and_the_thread_its_task(tmp_path: Path) -> None:
    [row] = read(PPROF, profile([ONE]), tmp_path).rows["stack_sample"]
    assert (row["thread"], row["vertex"], row["subtask"]) == ("Map (2/4)#0", "Map", 1)


def test_values_and_places_that_are_not_there_are_no_sample(tmp_path: Path) -> None:
    strange = [
        message((1, 99), (2, varint(1) + varint(5))),
        message((1, 11)),
        message((2, varint(1) + varint(2**64 - 1))),
    ]
    assert read(PPROF, profile([*strange, ONE]), tmp_path).records == 1


def test_a_packed_profile_is_recognised_in_an_upload(desk: Desk) -> None:
    [file] = desk.unpack("cpu.pb.gz", gzip.compress(profile([ONE] * 40)))
    assert file.format_id == "pprof"


@pytest.mark.parametrize("cut", [1, 3, 60])
def test_a_profile_that_was_cut_says_so(cut: int, tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput):
        read(PPROF, profile([ONE] * 3)[:-cut], tmp_path)


@pytest.mark.parametrize(
    "content", [b"\n\xff\xff\xff\xff\x7f", b"\n\x00" * 50, bytes(200), b"\x12\x04\x0a\x02\x08\x01", b"\xff" * 99]
)
def test_other_bytes_are_not_taken_for_a_profile(content: bytes) -> None:
    assert recognise(head_of(content), binary=True).format_id is None
