"""The charts that a class names for the first screen exist."""

from diagnostics.charts import CHARTS
from diagnostics.symptoms import symptoms


def test_every_class_names_charts_that_exist() -> None:
    unknown = {each.id: set(each.charts) - set(CHARTS) for each in symptoms().values()}
    assert {name: charts for name, charts in unknown.items() if charts} == {}
    assert [each.id for each in symptoms().values() if not each.charts] == []


def test_the_first_charts_show_the_course_of_the_trouble() -> None:
    """A rate over time for a sink that got slow, the checkpoints beside segments that were lost."""
    assert symptoms()["slow_sink"].charts[0] == "pressure-path"
    assert symptoms()["network_partition"].charts[:2] == ("retransmissions", "checkpoint-history")
