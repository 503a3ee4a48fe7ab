"""The definition of a pipeline of Flink CDC in YAML: `source`, `sink`, `pipeline`, and the rules of `transform` and
`route`. Read by lines, since pieces of it are copied, and `projection: *` is no YAML.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

LISTS = ("transform", "route")
SECTIONS = ("source", "sink", "pipeline", *LISTS)
BLOCKS = ("|", ">", "|-", ">-", "|+", ">+")
"""What a value begins with whose text is in the lines below."""
MOST_RULES = 1_000
MOST_OPTIONS = 1_000
MOST_VALUE = 2_000

_KEY = re.compile(r"( {0,40})(- {1,8})?(['\"]?)([A-Za-z][\w.-]{0,120})\3 {0,8}:(?:\s+(\S.*))?\s*$")
_COMMENT = re.compile(r"\s#.*$")
_EVERY_TABLE = re.compile(r"\\\.\*(?:\.\\\.\*){0,2}")
"""`\\.*.\\.*`: the dot is escaped where it is none between the parts of a name."""


@dataclass(frozen=True, slots=True)
class Stated:
    """One option: `key: value` in a line."""

    key: str
    value: str
    line: int

    def below(self, section: str) -> Stated:
        """The option with its section in front of the key."""
        return Stated(f"{section}.{self.key}", self.value, self.line)


@dataclass(slots=True)
class Rule:
    """One entry of `transform` or `route`."""

    section: str
    options: list[Stated] = field(default_factory=list)

    @property
    def values(self) -> dict[str, str]:
        """The values of the rule by key."""
        return {each.key: each.value for each in self.options}


@dataclass(slots=True)
class CdcPipeline:
    """What a text states of a pipeline.

    options  of source, sink and pipeline, with the section in front of the key: `source.type`
    rules    of transform and route
    other    keys at the margin that are no part of such a definition
    """

    options: list[Stated] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    other: list[str] = field(default_factory=list)

    @property
    def values(self) -> dict[str, str]:
        """The values of the options by section and key."""
        return {each.key: each.value for each in self.options}

    @property
    def is_one(self) -> bool:
        """Whether the text is one of a pipeline: what it states is in no other YAML."""
        if self.other:
            return False
        values = self.values
        return (
            any("source-table" in rule.values for rule in self.rules)
            or ("source.type" in values and "sink.type" in values)
            or ("source.type" in values and "source.tables" in values)
            or "pipeline.schema.change.behavior" in values
        )

    @property
    def leaves_tables_out(self) -> bool:
        """Whether some tables have a rule of transform, and others may have none."""
        named = {rule.values.get("source-table", "") for rule in self.rules if rule.section == "transform"}
        wanted = {each.strip() for each in self.values.get("source.tables", "").split(",") if each.strip()}
        every = any(_EVERY_TABLE.fullmatch(each) for each in named)
        return bool(named) and not every and not (wanted and wanted <= named)


def cdc_pipeline(lines: Iterable[tuple[int, str]]) -> CdcPipeline:
    """What the numbered lines of a text state of a pipeline."""
    pipeline = CdcPipeline()
    margin, inner, section = -1, 0, ""
    open_value: list[Stated] | None = None
    for number, text in lines:
        line = text.rstrip()
        bare = line.lstrip(" ")
        if not bare or bare[0] == "#" or bare == "---":
            continue
        indent = len(line) - len(bare)
        margin = indent if margin < 0 else margin
        key = _KEY.match(line)
        if key is None:
            if open_value:
                open_value[-1] = _continued(open_value[-1], bare)
            continue
        is_item, open_value = key.group(2) is not None, None
        stated = Stated(key.group(4), _value(key.group(5) or ""), number)
        if indent <= margin and not is_item:
            section, inner = stated.key, -1
            if section not in SECTIONS or stated.value:
                pipeline.other.append(section)
                section = ""
        elif section in LISTS:
            if is_item and (inner < 0 or indent <= inner) and len(pipeline.rules) < MOST_RULES:
                inner = indent
                pipeline.rules.append(Rule(section))
            if pipeline.rules and pipeline.rules[-1].section == section:
                open_value = _added(pipeline.rules[-1].options, stated)
        elif section and not is_item and indent == (indent if inner < 0 else inner):
            inner = indent
            open_value = _added(pipeline.options, stated.below(section))
    return pipeline


def _added(options: list[Stated], stated: Stated) -> list[Stated] | None:
    """The options with one more, whose value may go on in the next lines; None where there are too many."""
    if len(options) >= MOST_OPTIONS:
        return None
    options.append(stated)
    return options


def _continued(stated: Stated, text: str) -> Stated:
    if len(stated.value) >= MOST_VALUE:
        return stated
    return Stated(stated.key, f"{stated.value} {text}".strip()[:MOST_VALUE], stated.line)


def _value(text: str) -> str:
    """A value without its comment and quotes; empty where it is in the lines below."""
    bare = _COMMENT.sub("", text[:MOST_VALUE]).strip()
    if bare in BLOCKS:
        return ""
    quoted = len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "'\""
    return bare[1:-1] if quoted else bare
