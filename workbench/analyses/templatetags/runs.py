"""Template filters for what a run did."""

from __future__ import annotations

from django import template

from workbench.analyses.stages import stage_title

register = template.Library()
register.filter("stage_title", stage_title)
