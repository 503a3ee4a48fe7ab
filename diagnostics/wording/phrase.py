"""Sentences with measured values: `{load_balance.hot_share_ratio|percent}`; a fixed list of formats, no expressions.

Where a number determines the words, both are given: `{restarts.restarts} [restart was|restarts were] needed`. The
number is that of the placeholder directly after (`[subtask|subtasks] {checkpoint_declines.subtasks|list}`, where the
length of the list counts), else of the one before.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.evidence.subject import FactValue, Lookup
from diagnostics.language import Text, reads_chinese, say, to_say
from diagnostics.vocabulary.stored_words import in_reader_words
from diagnostics.wording.placeholder import GAPS, PLACEHOLDER, gaps_kept

CHOICE = re.compile(r"\[([A-Za-z' -]{0,60})\|([A-Za-z' -]{1,60})\](?=( ?\{)?)")
"""Words for one and for any other number."""

NOTHING: Mapping[str, str] = {}


def plain(value: FactValue) -> str:
    """A value without a unit: lists are enumerated, numbers are rounded as `number` does."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return _list(value)
    if isinstance(value, float):
        return number(value)
    return str(value)


def number(value: FactValue) -> str:
    """Three significant digits below 100, thousands separators from 1,000."""
    if not isinstance(value, (int, float)):
        return str(value)
    if float(value).is_integer() or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 100 else f"{value:.3g}"


def percent(value: FactValue) -> str:
    """0.913 as `91 %`; one decimal below 10 %, where it matters."""
    if not isinstance(value, (int, float)):
        return str(value)
    shown = value * 100
    return f"{shown:.0f} %" if abs(shown) >= 10 or float(shown).is_integer() else f"{shown:.1f} %"


def percent_at_most(value: FactValue) -> str:
    """An upper bound: 0.1148 as `12 %`, for at most 11 % is less than it may be."""
    if not isinstance(value, (int, float)):
        return str(value)
    step = 0.01 if abs(value) >= 0.1 else 0.001
    return percent(math.ceil(round(value / step, 6)) * step)


def rounded_percent(value: float) -> float:
    """The number of percent that is shown of a ratio."""
    shown = value * 100
    return round(shown) if abs(shown) >= 10 else round(shown, 1)


def duration(value: FactValue) -> str:
    """Milliseconds for people: `950 ms`, `27.1 s`, `2 min 5 s`, `3 h 10 min`, `12 days 6 h`."""
    if not isinstance(value, (int, float)):
        return str(value)
    sign, ms = ("-" if value < 0 else ""), abs(value)
    if ms < 1000:
        return f"{sign}{ms:.0f} ms"
    if ms < 120_000:
        return f"{sign}{ms / 1000:.1f} s".replace(".0 s", " s")
    if ms < 7_200_000:
        minutes, seconds = divmod(round(ms / 1000), 60)
        return f"{sign}{minutes} min {seconds} s" if seconds else f"{sign}{minutes} min"
    if ms >= 172_800_000:
        days, hours = divmod(round(ms / 3_600_000), 24)
        whole = say("{days} days", days=days)
        return f"{sign}{whole} {hours} h" if hours else f"{sign}{whole}"
    hours, minutes = divmod(round(ms / 60_000), 60)
    return f"{sign}{hours} h {minutes} min" if minutes else f"{sign}{hours} h"


def exact_duration(value: FactValue) -> str:
    """`37 min 12 s (2,232,000 ms)`: for people, with the exact value."""
    said = duration(value)
    return said if said.endswith(" ms") or not isinstance(value, (int, float)) else f"{said} ({value:,.0f} ms)"


def size(value: FactValue) -> str:
    """Bytes in decimal units, as storage and networks count: `287.9 MB`."""
    return _scaled(value, 1000.0, (say("bytes"), "kB", "MB", "GB", "TB"))


def memory(value: FactValue) -> str:
    """Bytes in binary units, as the JVM and Flink's memory options count: `184 MiB`."""
    return _scaled(value, 1024.0, (say("bytes"), "KiB", "MiB", "GiB", "TiB"))


def _scaled(value: FactValue, step: float, units: tuple[str, ...]) -> str:
    if not isinstance(value, (int, float)):
        return str(value)
    amount, unit = float(value), 0
    while abs(amount) >= step and unit < len(units) - 1:
        amount, unit = amount / step, unit + 1
    shown = f"{amount:.0f}" if unit == 0 or amount >= 1000 else f"{amount:.1f}".removesuffix(".0")
    return f"{shown} {units[unit]}"


def _often(value: FactValue) -> str:
    """A number of occurrences: `once`, `3 times`."""
    if value == 1:
        return say("once")
    if value == 2:
        return say("twice")
    return say("{count} times", count=f"{value:,.0f}") if isinstance(value, (int, float)) else str(value)


def _time(value: FactValue) -> str:
    if not isinstance(value, (int, float)):
        return str(value)
    try:
        moment = dt.datetime.fromtimestamp(value / 1000, tz=dt.UTC)
    except (OverflowError, ValueError, OSError):
        return say("a time that no calendar has")
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"


def clock_times(first: dt.datetime, last: dt.datetime) -> tuple[str, str]:
    """Two moments as times of the day in UTC; with their days where these are not the same."""
    form = "%H:%M:%S" if first.astimezone(dt.UTC).date() == last.astimezone(dt.UTC).date() else "%Y-%m-%d %H:%M:%S"
    return first.astimezone(dt.UTC).strftime(form), last.astimezone(dt.UTC).strftime(form)


def _list(value: FactValue) -> str:
    return _joined(value, plain)


def _joined(value: FactValue, form: Callable[[FactValue], str]) -> str:
    if not isinstance(value, list):
        return form(value)
    return enumeration([form(item) for item in value]) or say("none")


PROPER_NAMES = ("Flink", "Java", "Kafka", "Kubernetes")
"""Names that keep their capital within a sentence; those with a second capital (`TaskManagers`, `GC`) do so by it."""


def within_sentence(title: str) -> str:
    """A title as a part of a sentence: `checkpoints expired`, but `TaskManagers were lost`. Chinese titles stay."""
    if reads_chinese():
        return title
    word = title.partition(" ")[0]
    is_name = any(letter.isupper() for letter in word[1:]) or word.startswith(PROPER_NAMES)
    return title if is_name else title[:1].lower() + title[1:]


NAME = re.compile(r"\S*?(?:[a-z][A-Z]|\w[._]\w|-\w+-)")
"""The beginning of a text that is the name of an option, a metric or a class."""


def sentence_start(clause: str) -> str:
    """A clause as a sentence of its own: with a capital, unless it begins with a name (`floatingBuffersUsage is`)."""
    return clause if NAME.match(clause) else clause[:1].upper() + clause[1:]


def enumeration(words: Sequence[str], last: str = to_say("and")) -> str:
    """`a`, `a and b`, `a, b and c`; in Chinese `a、b 和 c`, without a space beside Chinese; empty without words."""
    if len(words) < 2:
        return "".join(words)
    if not reads_chinese():
        return f"{', '.join(words[:-1])} {say(last)} {words[-1]}"
    *others, end = words
    left = " " if others[-1][-1:].isascii() else ""
    right = " " if end[:1].isascii() else ""
    return f"{'、'.join(others)}{left}{say(last)}{right}{end}"


def in_brackets(text: str, details: str) -> str:
    """`text (details)`, with the brackets of the language."""
    return say("{text} ({details})", text=text, details=details)


FORMATS: Mapping[str, Callable[[FactValue], str]] = {
    **dict.fromkeys(("plain", "code", "source", "type"), plain),
    "number": number,
    "count": lambda value: f"{value:,.0f}" if isinstance(value, (int, float)) else str(value),
    "often": _often,
    "percent": percent,
    "ceiling": percent_at_most,
    "percents": lambda value: _joined(value, percent),
    "ratio": lambda value: f"{value:.2f}" if isinstance(value, (int, float)) else str(value),
    "bytes": size,
    "sizes": lambda value: _joined(value, size),
    "memory": memory,
    "duration": duration,
    "durations": lambda value: _joined(value, duration),
    "counts": lambda value: _joined(
        value, lambda each: f"{each:,.0f}" if isinstance(each, (int, float)) else str(each)
    ),
    "rate": lambda value: f"{number(value)}/s",
    "list": _list,
    "words": lambda value: " ".join(map(plain, value)) if isinstance(value, list) else plain(value),
    "time": _time,
    "sentence": lambda value: split_sentences(plain(value))[0],
}
"""Every format a placeholder may name."""


def facts_lost(text: str) -> str:
    """The facts that one language of a text states and another does not, as a sentence; empty when there are none."""
    if not isinstance(text, Text):
        return ""
    own = {reference for reference, _ in placeholders(text)}
    for language, said in text.translations.items():
        others = {reference for reference, _ in placeholders(said)}
        if own != others:
            return f"the text in {language} has other facts: {', '.join(sorted(own ^ others))}"
    return ""


def placeholders(template: str) -> Iterator[tuple[str, str]]:
    """Each (reference, format) of a template."""
    for found in PLACEHOLDER.finditer(template):
        yield found.group(1), found.group(2) or "plain"


def fill(template: str, lookup: Lookup) -> str | None:
    """The template with its values; None when one of them is unknown."""
    if any(lookup(reference) is None for reference, _ in placeholders(template)):
        return None
    return fill_or_name(template, lookup)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a filled text: a formatted value with its reference, or the words between values."""

    text: str
    reference: str | None = None
    value: FactValue | None = None

    def as_json(self) -> dict[str, Any]:
        """{text}, of a value {text, fact, value}."""
        if self.reference is None:
            return {"text": self.text}
        return {"text": self.text, "fact": self.reference, "value": self.value}


Sentence = tuple[Piece, ...]


def sentence_text(sentence: Sentence) -> str:
    """The pieces together."""
    return "".join(each.text for each in sentence)


SENTENCE_END = re.compile(r"(?<=[.!?]) +(?=[A-Z0-9]|[a-z][a-z-]*\.[a-z])|(?<=。)(?=.)")
"""Between two sentences; a sentence may begin with a number or with the name of an option."""


def split_sentences(text: str) -> list[str]:
    """The sentences of a text; a quotation stays whole."""
    found, start = [], 0
    for end in SENTENCE_END.finditer(text):
        if not _within_quotation(text[start : end.start()]):
            found.append(text[start : end.start()])
            start = end.end()
    return [each for each in [*found, text[start:]] if each]


def _within_quotation(text: str) -> bool:
    """Whether a quotation that begins in the text goes on after it."""
    return text.count('"') % 2 == 1 or text.count("“") > text.count("”")


def fill_in_pieces(template: str, lookup: Lookup) -> Sentence | None:
    """The text of `fill` in pieces; None when a value is unknown."""
    if any(lookup(reference) is None for reference, _ in placeholders(template)):
        return None
    chosen = _chosen(template, lookup)
    pieces: list[Piece] = []
    end, gap = 0, ""
    for place in GAPS.finditer(chosen):
        value = lookup(place.group(2))
        said = _formatted(place.group(2), value, place.group(3) or "plain") or ""
        text = said.removesuffix(".") if chosen.startswith((".", "。"), place.end()) else said
        left, right = gaps_kept(place, text)
        pieces += [Piece(f"{gap}{chosen[end : place.start()]}{left}"), Piece(text, place.group(2), value)]
        end, gap = place.end(), right
    return tuple(each for each in [*pieces, Piece(f"{gap}{chosen[end:]}")] if each.text)


def fill_or_name(template: str, lookup: Lookup, unknown: Mapping[str, str] = NOTHING) -> str:
    """The template with its values; unknown ones are shown as `<name>`, for texts that a user completes.

    unknown  reference -> replacement for `<name>`
    """

    def shown(reference: str, form: str) -> str | None:
        said = _formatted(reference, lookup(reference), form)
        return unknown.get(reference) if said is None else said

    return fill_places(template, lookup, shown)


def fill_places(template: str, lookup: Lookup, shown: Callable[[str, str], str | None]) -> str:
    """The template with the texts of `shown` for each (reference, format), and `<name>` where there is none."""

    def replacement(found: re.Match[str]) -> str:
        said = shown(found.group(2), found.group(3) or "plain")
        if said is None:
            said = f"<{found.group(2).rpartition('.')[2].replace('_', '-')}>"
        text = said.removesuffix(".") if chosen.startswith((".", "。"), found.end()) else said
        left, right = gaps_kept(found, text)
        return f"{left}{text}{right}"

    chosen = _chosen(template, lookup)
    return GAPS.sub(replacement, chosen)


def _formatted(reference: str, value: FactValue, form: str) -> str | None:
    return None if value is None else FORMATS[form](in_reader_words(reference, value))


def _chosen(template: str, lookup: Lookup) -> str:
    """The template with the words that its numbers select."""
    if "[" not in template:
        return template
    places = [(found.start(), found.group(1)) for found in PLACEHOLDER.finditer(template)]

    def words(found: re.Match[str]) -> str:
        after = next((reference for start, reference in places if start >= found.end()), None)
        before = next((reference for start, reference in reversed(places) if start < found.start()), None)
        decisive = after if found.group(3) else before or after
        return found.group(1 if decisive and _is_one(lookup(decisive)) else 2)

    return CHOICE.sub(words, template)


def _is_one(value: FactValue) -> bool:
    return len(value) == 1 if isinstance(value, list) else value == 1 and not isinstance(value, bool)
