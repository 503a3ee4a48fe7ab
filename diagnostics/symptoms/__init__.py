"""The symptom classes: one folder each, data only. A folder here is registered by its listing.

`<class>/symptom.yaml` describes it, `<class>/rules/*.yaml` when it holds, `<class>/runbook.yaml` what to do, and
`<class>/runbook-<kind>.yaml` what to do where a kind of it is repaired in another way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal, cast, get_args

from diagnostics.errors import InvalidRule
from diagnostics.language import CHINESE, Text, in_reader_language
from diagnostics.yaml_document import read_yaml, with_translations

FOLDER = Path(__file__).parent

HEALTHY, INCONCLUSIVE = "healthy", "inconclusive"
NO_CAUSE = (HEALTHY, INCONCLUSIVE)
"""Verdicts, and answers of people, that name no cause."""

Dimension = Literal["checkpointing", "back_pressure", "resources", "event_time", "stability"]
Kind = Literal["cause", "consequence", "verdict"]


@dataclass(frozen=True, slots=True)
class Symptom:
    """A symptom class.

    kind       cause: can be the verdict; consequence: is explained by a cause and never the verdict;
               verdict: `healthy`, whose rules say when the evidence suffices to say so
    dimension  the part of the health score that its findings lower
    order      position in lists
    charts     ids of the charts that show it, the clearest first; a case's page shows them beside the verdict
    charts_of_rules  rule -> ids of the charts that show its finding better than those of the class
    asks_for   signals that show its cause best: what they lack is asked for before all else while it is unknown
    stays      whether the cause remains until somebody changes it, though its effect was over, as a setting does
    excluded_by  fact -> values with which it cannot be the cause
    """

    id: str
    title: str
    kind: Kind
    summary: str
    order: int
    dimension: Dimension
    charts: tuple[str, ...] = ()
    charts_of_rules: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    asks_for: tuple[str, ...] = ()
    stays: bool = False
    excluded_by: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def read_title(self) -> str:
        """The title in the language of the reader."""
        return in_reader_language(self.title)


def _symptom(folder: Path) -> Symptom:
    document = read_yaml((folder / "symptom.yaml").read_text("utf-8"), f"{folder.name}/symptom.yaml")
    content, errors = document.content, []
    for name in ("id", "title", "kind", "summary", "order", "dimension"):
        expected = int if name == "order" else str
        if not isinstance(content.get(name), expected):
            errors.append(f"{document.source}: `{name}` is missing or not {expected.__name__}")
    if not errors and content["id"] != folder.name:
        errors.append(document.fault(("id",), f"{content['id']!r} lies in the folder {folder.name!r}"))
    if not errors and content["dimension"] not in get_args(Dimension):
        errors.append(document.fault(("dimension",), f"one of {', '.join(get_args(Dimension))}"))
    if not errors and content["kind"] not in get_args(Kind):
        errors.append(document.fault(("kind",), f"one of {', '.join(get_args(Kind))}"))
    charts = content.get("charts")
    if not isinstance(charts, list) or not all(isinstance(each, str) for each in charts):
        errors.append(f"{document.source}: `charts` is missing or not a list of chart ids")
    if errors:
        raise InvalidRule(errors)
    return Symptom(
        id=content["id"],
        title=with_translations(content["title"], content, "title"),
        kind=cast(Kind, content["kind"]),
        summary=with_translations(content["summary"], content, "summary"),
        order=content["order"],
        dimension=cast(Dimension, content["dimension"]),
        charts=tuple(content["charts"]),
        charts_of_rules={rule: tuple(ids) for rule, ids in (content.get("charts_of_rules") or {}).items()},
        asks_for=tuple(content.get("asks_for") or ()),
        stays=content.get("stays") is True,
        excluded_by={fact: tuple(values) for fact, values in (content.get("excluded_by") or {}).items()},
    )


def symptom_folders() -> list[Path]:
    """Every class's folder, by name."""
    return sorted(folder for folder in FOLDER.iterdir() if (folder / "symptom.yaml").is_file())


def runbook_files(folder: Path) -> list[Path]:
    """The runbooks of a class, that of the class itself first; none for a class that has none."""
    return sorted(folder.glob("runbook*.yaml"), key=lambda path: (len(path.stem), path.stem))


@cache
def symptoms() -> Mapping[str, Symptom]:
    """Every shipped class by id; the shipped files do not change while a process lives."""
    return {folder.name: _symptom(folder) for folder in symptom_folders()}


UNDECIDED = Symptom(
    INCONCLUSIVE,
    Text("Inconclusive", {CHINESE: "无法判定"}),
    "verdict",
    "The evidence does not suffice for a verdict.",
    900,
    "stability",
)
"""The verdict without rules."""
UNEXPLAINED = "unexplained_error"
"""Class of records that become findings only when no cause explains them."""


def symptom(symptom_class: str) -> Symptom:
    """The class; for one that only an administrator's rule names, a plain cause of that name."""
    if symptom_class in symptoms():
        return symptoms()[symptom_class]
    if symptom_class == UNDECIDED.id:
        return UNDECIDED
    title = symptom_class.replace("_", " ").capitalize()
    return Symptom(symptom_class, title, "cause", "Defined by an administered rule.", 900, "stability")
