"""Values of options as numbers."""

import pytest

from diagnostics.notation.flink_values import duration_ms, number, size_bytes, truth


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("30000", 30_000),
        ("30s", 30_000),
        ("10 min", 600_000),
        ("30000 ms", 30_000),
        ("1 h", 3_600_000),
        ("PT1H30M", 5_400_000),
        ("PT0.5S", 500),
        ("P1D", 86_400_000),
    ],
)
def test_a_duration_is_read_in_every_spelling_that_flink_accepts(text: str, milliseconds: float) -> None:
    assert duration_ms(text) == milliseconds


@pytest.mark.parametrize(
    "text", [None, "", "soon", "10 parsecs", "1.2.3 s", "P", "PT5", "9223372036854775807", "9" * 200]
)
def test_what_is_no_duration_or_never_is_unknown(text: str | None) -> None:
    assert duration_ms(text) is None


def test_sizes_are_binary() -> None:
    assert size_bytes("4mb") == 4 * 1024 * 1024
    assert size_bytes("1728m") == 1728 * 1024**2
    assert size_bytes("20 kb") == 20_480
    assert size_bytes("4096") == 4096
    assert size_bytes("many") is None


def test_truth_values_and_numbers() -> None:
    assert (truth("TRUE"), truth("false"), truth("yes")) == (True, False, None)
    assert (number("0.4"), number("x")) == (0.4, None)
