from __future__ import annotations

import pytest

from diagnostics.arithmetic.line_fit import line_through, trend_through


def test_a_line_states_how_much_of_the_variance_it_explains() -> None:
    exact, flat = line_through([(0, 0), (1, 2), (2, 4)]), line_through([(0, 1), (1, 1), (2, 1)])

    assert exact
    assert exact.explained == pytest.approx(1)
    assert exact.meets(10) == pytest.approx(5)
    assert flat
    assert flat.meets(10) is None
    assert line_through([(0, 0), (0, 1), (0, 2)]) is None


def test_points_without_a_direction_have_a_line_but_no_trend() -> None:
    rising, scattered = [(0, 0), (1, 2), (2, 4)], [(0, 0), (1, 5), (2, 0), (3, 5), (4, 1)]

    assert trend_through(rising) == line_through(rising)
    assert line_through(scattered)
    assert trend_through(scattered) is None
