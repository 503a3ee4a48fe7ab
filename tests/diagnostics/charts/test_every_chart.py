from __future__ import annotations

from diagnostics.arithmetic.time_slot import slot_ms
from diagnostics.charting.panel import axis_unit, escaped, shortened
from diagnostics.charts import CHARTS


def test_every_chart_says_what_would_fill_it_and_has_a_place_of_its_own() -> None:
    assert all("would fill" in chart.missing for chart in CHARTS.values())
    orders = [chart.order for chart in CHARTS.values()]
    assert orders == sorted(set(orders))


def test_text_from_files_reaches_plotly_without_tags_and_without_templates() -> None:
    assert escaped('<a href="x">%{customdata}</a> & co') == '&lt;a href="x"&gt;% {customdata}&lt;/a&gt; &amp; co'


def test_a_long_name_keeps_both_ends() -> None:
    assert shortened("abcdefghij", 7) == "abcd…ij"
    assert shortened("short", 7) == "short"


def test_slots_cover_the_time_and_are_never_narrower_than_the_samples() -> None:
    assert slot_ms(0, 899_999, 90, least_ms=5000) == 10_000
    assert slot_ms(0, 60_000, 90, least_ms=5000) == 5000


def test_the_axis_has_the_largest_unit_in_which_numbers_stay_above_two() -> None:
    assert axis_unit(119_000.0, ((60_000.0, "min"), (1000.0, "s")), "ms") == (1000.0, "s")
    assert axis_unit(120_000.0, ((60_000.0, "min"), (1000.0, "s")), "ms") == (60_000.0, "min")
    assert axis_unit(900.0, ((60_000.0, "min"), (1000.0, "s")), "ms") == (1.0, "ms")
