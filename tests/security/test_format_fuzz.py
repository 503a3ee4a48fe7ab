"""Every format on damaged and forged files: nothing fails but with a reason, within stated time and memory.

`FUZZ_MUTANTS=20000 pytest tests/security/test_format_fuzz.py` reads more of them, `FUZZ_SEED=…` others.
"""

from __future__ import annotations

import os

import pytest

from diagnostics.formats import FORMATS
from tests.security.bounded_reading import BoundedReader
from tests.security.mutants import mutant_of
from tests.security.real_files import real_files

MUTANTS = int(os.environ.get("FUZZ_MUTANTS", "500"))
SEED = os.environ.get("FUZZ_SEED", "1")

MOST_SECONDS = 0.3
"""Processor time of one mutant, of up to 70 kB. Our choice: three times what the slowest of 60,000 took."""

MOST_MIB = 100
"""Memory at the peak of all mutants of a format, beyond what the process held. Our choice: 15 were seen."""


@pytest.mark.parametrize("format_id", FORMATS)
def test_no_mutant_fails_hangs_or_costs_what_was_not_touched(format_id: str, reader: BoundedReader) -> None:
    fuzzed = reader.fuzz(format_id, SEED, MUTANTS)
    assert not fuzzed.failures, "\n".join(fuzzed.failures)
    assert fuzzed.slowest[0][0] < MOST_SECONDS, f"seconds and numbers of the slowest mutants: {fuzzed.slowest}"
    assert fuzzed.peak_mib < MOST_MIB


def test_mutants_differ_and_come_again() -> None:
    content = real_files("flink-log")[0]
    mutants = {mutant_of(content, str(number)).content for number in range(100)}
    assert len(mutants) > 80
    assert mutants == {mutant_of(content, str(number)).content for number in range(100)}


def test_text_before_the_changed_place_is_unchanged() -> None:
    content = real_files("flink-log")[0]
    for number in range(200):
        mutant = mutant_of(content, str(number))
        assert mutant.content[: mutant.touched] == content[: mutant.touched]
