"""The charts beside the verdict, drawn into a report: it opens without the workbench and without a chart library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from diagnostics.charting.chart import Theme
from diagnostics.charting.drawing import drawing_of
from workbench.analyses.models import Analysis
from workbench.charts.selectors import charts_shown, key_charts, points_of_job

THEMES = (Theme("light"), Theme("dark"))


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart as SVG for light and for dark pages; the text in it is escaped."""

    title: str
    summary: str
    light: SafeString
    dark: SafeString


def lead_drawings(analysis: Analysis) -> Sequence[Drawing]:
    """The charts of the verdict's class, of the job that it is about; those that are not drawn as SVG are left out."""
    document = analysis.document
    drawn, _, _ = charts_shown(analysis)
    lead = next((each for each in document["findings"] if each["role"] == "root_cause"), None)
    job = lead["subject"].get("job") if lead else None
    stored = {row.chart_id: row.points for row in analysis.charts.all()}
    drawings = []
    for shown in key_charts(drawn, document):
        points = points_of_job(stored[shown.chart.id], job)
        title = shown.chart.read_title
        light, dark = (drawing_of(shown.chart.figure(points, theme), title) if points else None for theme in THEMES)
        if points and light and dark:
            drawings.append(Drawing(title, shown.chart.summary(points), SafeString(light), SafeString(dark)))
    return drawings
