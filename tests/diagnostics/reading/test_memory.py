"""The memory limit of a reader: a read that exceeds it fails by itself, and the process goes on."""

from __future__ import annotations

import resource

import pyarrow as pa
import pytest

from diagnostics.reading.memory import bounded_memory

MIB = 1024**2


def test_what_fits_is_not_refused() -> None:
    with bounded_memory(3_000 * MIB):
        assert len(bytearray(50 * MIB)) == 50 * MIB


def test_more_than_the_bound_is_refused_to_python_and_to_arrow() -> None:
    with bounded_memory(200 * MIB):
        with pytest.raises(MemoryError):
            bytearray(300 * MIB)
        with pytest.raises(MemoryError):
            pa.allocate_buffer(3_000 * MIB)
        assert sum(range(1000)) == 499_500


def test_after_the_block_the_bound_is_gone() -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with pytest.raises(ValueError, match="inside"), bounded_memory(200 * MIB):
        raise ValueError("inside")
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
    assert len(bytearray(300 * MIB)) == 300 * MIB
