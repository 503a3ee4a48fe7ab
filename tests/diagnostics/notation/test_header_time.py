"""Times that a script writes above the output of a command."""

import pytest

from diagnostics.notation.header_time import header_time

MOMENT = 1_795_222_825_000


@pytest.mark.parametrize(
    "line",
    [
        "2026-11-21T01:00:25Z",
        "2026-11-21T01:00:25+00:00",
        "2026-11-21T02:00:25+01:00",
        "2026-11-21 01:00:25",
        "# 2026-11-21T01:00:25Z",
        "=== 2026-11-21T01:00:25Z ===",
        "1795222825",
        "1795222825000",
    ],
)
def test_a_line_that_is_a_time_is_read(line: str) -> None:
    assert header_time(line) == MOMENT


@pytest.mark.parametrize(
    "line", ["", "Tcp: 1 200", "2026-11-21T01:00:25Z jobmanager is well", "9999999999999999999999", "2026"]
)
def test_other_lines_are_not_recognised(line: str) -> None:
    assert header_time(line) is None
