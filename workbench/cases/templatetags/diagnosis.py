"""Template filters for the values of a diagnosis: durations, sizes, shares, ages, names of facts and classes."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import accumulate, pairwise
from typing import Any

from django import template
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from diagnostics.charting.panel import shortened
from diagnostics.diagnosis.fact_label import fact_label
from diagnostics.diagnosis.health import points_left
from diagnostics.language import in_reader_language, joined_sentences
from diagnostics.rules.condition import Check
from diagnostics.symptoms import HEALTHY, INCONCLUSIVE, symptom
from diagnostics.vocabulary.sources import CitedSources, cited_sources
from diagnostics.wording import phrase
from diagnostics.wording.bound import bound_words, distance_to_bound
from diagnostics.wording.fact import exact_fact_value, fact_value
from workbench.accounts.models import Role
from workbench.cases.words import SCORE_WORDS, dimension_word, judgement_word, severity_word
from workbench.languages.sentences import say, say_counted

register = template.Library()

GOOD_SCORE, WATCH_SCORE = 80, 60
"""Bands of the health score, as `diagnostics.diagnosis.health` has them: over 80 good, 60 to 80 watch, under 60 act."""

LONGEST_PATH = 80
OPTION = re.compile(r"(?<![\w-])(--[A-Za-z][\w.-]{0,40})")
"""An option of a command, as long as a line of a phone has room for."""
LONG_ID = re.compile(r"(?<![0-9A-Za-z])([0-9a-f]{6})[0-9a-f]{10,}(?![0-9A-Za-z])")
"""An id of Flink's within a path. Its words are what differs between the paths of one job."""
COMMENTS = ("//", "#", "--")
"""How lines begin that are comments in Java, Python, YAML, shell or SQL."""
ORDERED = ("<", "<=", ">", ">=")
"""Operators for which a value has a distance from the bound."""


@register.simple_tag
@cache
def icon(name: str) -> SafeString:
    """A decorative icon that repeats the text beside it."""
    return format_html(
        '<svg class="icon" aria-hidden="true" focusable="false"><use href="{}#{}"></use></svg>',
        static("icons.svg"),
        name,
    )


@register.filter
def percent(value: float | None) -> str:
    """0.93 as `93 %`."""
    return "" if value is None else phrase.percent(value)


@register.filter
def plain_number(value: float) -> str:
    """A number with the significant digits for its magnitude."""
    return phrase.number(value) if abs(value) >= 1 or value == 0 else f"{value:.3g}"


@register.filter
def signed_number(value: int) -> str:
    """12 as `+12`, -3 with a true minus."""
    return f"+{value}" if value > 0 else f"\N{MINUS SIGN}{-value}" if value < 0 else "0"


@register.filter
def size(value: float | None) -> str:
    """Bytes for people."""
    return "" if value is None else phrase.size(value)


@register.filter
def memory(value: float) -> str:
    """Bytes in binary units, in which limits are set."""
    return phrase.memory(value)


@register.filter
def milliseconds(value: float | None) -> str:
    """Milliseconds for people."""
    return "" if value is None else phrase.duration(value)


@register.filter
def symptom_title(symptom_class: str | None) -> str:
    """The class's title."""
    return symptom(symptom_class).read_title if symptom_class else ""


@register.filter
def has_code(change: str) -> bool:
    """Whether a change has a line to paste: comments alone say in words what to do."""
    lines = (line.strip() for line in change.splitlines())
    return any(line and not line.startswith(COMMENTS) for line in lines)


@register.filter
def score_band(score: int | None, symptom_class: str | None = None) -> str:
    """good, watch, act or unknown. Never good without a verdict, because the score only counts findings; nor beside a
    cause, however small its share of the score.
    """
    if score is None or (score >= WATCH_SCORE and symptom_class == INCONCLUSIVE):
        return "unknown"
    if score < WATCH_SCORE:
        return "act"
    return "good" if score > GOOD_SCORE and symptom_class in (None, "", HEALTHY) else "watch"


@register.filter
def score_word(score: int | None, symptom_class: str | None = None) -> str:
    """The band in words."""
    return say("not known") if score is None else str(SCORE_WORDS[score_band(score, symptom_class)])


@register.filter
def waterfall(health: Mapping[str, Any], findings: Sequence[Mapping[str, Any]] = ()) -> list[dict[str, Any]]:
    """The deductions of a health score in whole points that add up, each with the remaining ones as `left`, and with
    the task of its finding as `task` where several have one title.
    """
    deductions = health.get("deductions", ())
    taken = accumulate((each["points"] for each in deductions), initial=0.0)
    steps = pairwise(points_left([points]) for points in taken)
    titles = [each["title"] for each in deductions]
    return [
        {
            **each,
            "points": before - left,
            "left": left,
            "task": _task_of(each.get("finding"), findings) if titles.count(each["title"]) > 1 else None,
        }
        for each, (before, left) in zip(deductions, steps, strict=True)
    ]


def _task_of(place: int | None, findings: Sequence[Mapping[str, Any]]) -> str | None:
    """The task of the finding at that place; None for one of a whole job or host."""
    if place is None or place >= len(findings):
        return None
    task = findings[place]["subject"].get("vertex")
    return str(task) if task else None


@register.filter
def tone(symptom_class: str | None, severity: str | None = None) -> str:
    """good, critical, warning or info: the colour of a verdict."""
    if symptom_class == HEALTHY:
        return "good"
    if symptom_class in (INCONCLUSIVE, None, ""):
        return "info"
    return severity if severity in ("critical", "warning") else "warning"


@register.filter
def score_severity(score: int | None) -> str:
    """The severity that goes with a health score, for a job's own verdict."""
    return "critical" if score_band(score) == "act" else "warning"


@register.filter
def severity_icon(severity: str) -> str:
    """The icon of a severity or a tone."""
    return severity if severity in ("critical", "warning", "info", "good") else "unknown"


register.filter("fact_label", fact_label)
register.filter("fact_value", fact_value)
register.filter("fact_exact", exact_fact_value)


@register.filter
def bound(check: Mapping[str, Any] | Check) -> str:
    """`at least 2 times`: the bound of a check in words."""
    parts = check.as_json() if isinstance(check, Check) else check
    return bound_words(parts["fact"], str(parts["op"]), parts["bound"], parts["value"])


@register.filter
def missed_by(check: Check) -> str:
    """`; 12 s above the bound`: a measured number's distance from its bound; empty when there is none."""
    distance = distance_to_bound(check.fact, check.value, check.bound) if check.op in ORDERED else None
    if distance is None:
        return ""
    if not distance:
        return say("; it must not reach the bound")
    if check.value > check.bound:
        return say("; {distance} above the bound", distance=distance)
    return say("; {distance} below the bound", distance=distance)


@register.filter
def role_title(role: str) -> str:
    """The role without what it may do: `Rule editor`."""
    return str(Role(role).label).partition(":")[0]


@register.filter
def judgement_tone(judgement: str) -> str:
    """The colour of a judgement of a comparison."""
    tones = {"fixed": "good", "better": "good", "traded": "warning", "worse": "critical", "cannot tell": "info"}
    return tones.get(judgement, "")


@register.filter
def to_compare(snapshots: Sequence[Any]) -> tuple[Any, Any] | None:
    """The snapshot to compare with, and the shown one: the incident and a later one, when both are diagnosed."""
    diagnosed = [each for each in snapshots if each.diagnosed]
    shown = next((each for each in diagnosed if each.is_shown), None)
    if len(diagnosed) < 2 or shown is None:
        return None
    return (diagnosed[0], shown if shown is not diagnosed[0] else diagnosed[-1])


@register.filter
def advice_tone(advice: str) -> str:
    """The colour of a calculator's advice."""
    return {"do": "good", "do not": "critical", "depends": "info"}.get(advice, "")


@register.filter
def advice_words(advice: str) -> str:
    """A calculator's advice in words."""
    words = {
        "do": say("It helps"),
        "do not": say("Do not"),
        "depends": say("Your choice"),
        "not known": say("Not known"),
    }
    return words[advice]


@register.filter
def at(mapping: Mapping[str, Any], key: str) -> Any:
    """The value of a key, None when there is none."""
    return mapping.get(key)


MINUS = "\N{MINUS SIGN}"


@register.filter
def signed_points(delta: float) -> str:
    """A step of the confidence in percentage points, `+15` or `-20`."""
    points = round(delta * 100)
    return f"+{points}" if points >= 0 else f"{MINUS}{-points}"


@register.filter
def age(moment: dt.datetime | None) -> str:
    """`12 min`, `3 h`, `5 days`: how long ago."""
    if moment is None:
        return ""
    seconds = max((timezone.now() - moment).total_seconds(), 0)
    if seconds < 60:
        return say("just now")
    if seconds >= 86_400:
        return say_counted("{count} day ago", "{count} days ago", int(seconds // 86_400))
    if seconds >= 3600:
        return say("{count} h ago", count=int(seconds // 3600))
    return say("{count} min ago", count=int(seconds // 60))


@register.filter
def stamp(moment: dt.datetime | str | None) -> str:
    """A time in UTC to the second."""
    if not moment:
        return ""
    if isinstance(moment, str):
        try:
            moment = dt.datetime.fromisoformat(moment)
        except ValueError:
            return str(moment)
    return f"{moment.astimezone(dt.UTC):%Y-%m-%d %H:%M:%S} UTC"


@register.filter
def first_lines(text: str, most: int = 3) -> str:
    """The first lines of a text."""
    return "\n".join(text.splitlines()[:most])


register.filter("severity_word", severity_word)
register.filter("judgement_word", judgement_word)
register.filter("in_language", in_reader_language)
register.filter("dimension_word", dimension_word)


@register.filter
def words(name: str) -> str:
    """`back_pressure` as `back pressure`."""
    return name.replace("_", " ")


@register.filter
def backticks(text: str) -> SafeString:
    """Text with `code` in backticks, as in our own texts, converted to HTML; no line ends within the dashes of an
    option that stands outside of code.
    """
    parts = enumerate(text.split("`"))
    said = (format_html("<code>{}</code>", part) if place % 2 else _options_whole(part) for place, part in parts)
    return format_html_join("", "{}", ((each,) for each in said))


def _options_whole(text: str) -> SafeString:
    parts = enumerate(OPTION.split(text))
    said = (format_html('<span class="nowrap">{}</span>', part) if place % 2 else part for place, part in parts)
    return format_html_join("", "{}", ((each,) for each in said))


@register.filter
def lead_sentence(text: str) -> str:
    """The first sentence."""
    return next(iter(phrase.split_sentences(text)), "")


@register.filter
def later_sentences(text: str) -> str:
    """What follows the first sentence; empty where there is but one."""
    return joined_sentences(phrase.split_sentences(text)[1:])


register.filter("sentences", phrase.split_sentences)
register.filter("sentence_start", phrase.sentence_start)


@register.filter
def short_path(path: str) -> str:
    """A path with shortened ids, and a long one shortened in the middle; the link has the full one."""
    return shortened(LONG_ID.sub(r"\1…", path), LONGEST_PATH)


@register.filter
def clock(moment: str) -> str:
    """The time of day of an ISO time stamp, for the end of a time range."""
    return stamp(moment)[11:]


@register.filter
def cited(text: str | None) -> CitedSources:
    """The origin of a bound or step: the sources that the text names by id, and the rest."""
    return cited_sources(text or "")
