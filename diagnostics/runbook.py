"""Runbooks: what to ask, look at and change, filled with the values of one case, and whether a step is done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from diagnostics import phrase
from diagnostics.condition import Condition, ConditionParser, Lookup
from diagnostics.diagnosis.fact_view import SignalIndex
from diagnostics.errors import InvalidRule
from diagnostics.signal import FactValue, Level, SignalDefinition, Subject
from diagnostics.symptoms import symptom_folders
from diagnostics.yaml_document import Place, YamlDocument, read_yaml

REST = "http://<jobmanager>:8081"
"""What `{rest}` stands for: Flink's default REST port (`rest.port`); the host is not in the evidence."""

SAVEPOINT = "flink stop --savepointPath <savepoint-directory> {subject.job}"
"""What a step that restarts the job begins with."""

STEP_TEXTS = ("question", "why", "cost", "rollback", "done")
KNOWN_STEP = {*STEP_TEXTS, "id", "measured", "look", "answers", "change", "wont_help", "restart", "done_when", "docs"}
CHANGE_KINDS = ("config", "code", "sql", "command")


@dataclass(frozen=True, slots=True)
class Answer:
    """A possible answer to a step's question and what it means; `when` tells whether it is this case's."""

    condition: str
    meaning: str
    when: Condition | None


@dataclass(frozen=True, slots=True)
class Change:
    """A change from what stands now to what should stand; both may hold measured and computed values."""

    kind: str
    file: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Step:
    """One step, its texts with placeholders.

    docs  rows of reference/source-document-rows.csv that the step answers
    """

    id: str
    texts: Mapping[str, str]
    measured: tuple[str, ...]
    look: tuple[tuple[str, str], ...]
    answers: tuple[Answer, ...]
    changes: tuple[Change, ...]
    wont_help: tuple[str, ...]
    restart: bool
    done_when: Condition | None
    docs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Runbook:
    """The runbook of one symptom class."""

    id: str
    symptom_class: str
    title: str
    goal: str
    steps: tuple[Step, ...]

    @classmethod
    def from_yaml(cls, text: str, source: str, vocabulary: Mapping[str, SignalDefinition] | None = None) -> Runbook:
        """The runbook that the text holds. Raises InvalidRule with every error, each with its line."""
        return _RunbookReader(read_yaml(text, source), vocabulary).runbook()


class _RunbookReader:
    def __init__(self, document: YamlDocument, vocabulary: Mapping[str, SignalDefinition] | None) -> None:
        self._document = document
        self._vocabulary = vocabulary
        self._errors: list[str] = []
        self._conditions = ConditionParser(self._report)

    def runbook(self) -> Runbook:
        content = self._document.content
        texts = {name: self._text(content, name, ()) for name in ("id", "symptom_class", "title", "goal")}
        steps = tuple(
            self._step(entry, ("steps", index))
            for index, entry in enumerate(self._list(content.get("steps"), ("steps",)))
            if self._is_step(entry, ("steps", index))
        )
        if not steps:
            self._report(("steps",), "a runbook has steps")
        if any(phrase.placeholders(texts["title"])):
            self._report(("title",), "a title is read without the case: no placeholders")
        ids = [step.id for step in steps]
        for repeated in sorted({each for each in ids if ids.count(each) > 1}):
            self._report(("steps",), f"two steps have the id {repeated!r}")
        if self._errors:
            raise InvalidRule(self._errors)
        return Runbook(steps=steps, **texts)

    def _report(self, place: Place, text: str) -> None:
        self._errors.append(f"{self._document.where(place)}: {text}")

    def _text(self, entry: Mapping[str, Any], name: str, place: Place) -> str:
        value = entry.get(name)
        if not isinstance(value, str) or not value.strip():
            self._report((*place, name), f"`{name}` is missing")
            return ""
        return self._template(value.strip(), (*place, name))

    def _template(self, text: str, place: Place) -> str:
        for reference, form in phrase.placeholders(text):
            if form not in phrase.FORMATS:
                self._report(place, f"unknown format {form!r}; known are {', '.join(phrase.FORMATS)}")
            self._check_fact(reference, place)
        return text

    def _check_fact(self, reference: str, place: Place) -> None:
        key, _, fact = reference.rpartition(".")
        if self._vocabulary is None or key == "subject" or reference in ("rest", "job.name"):
            return
        definition = self._vocabulary.get(key)
        if definition is None or fact not in definition.facts:
            self._report(place, f"no signal measures {reference!r}")

    def _list(self, value: Any, place: Place) -> list[Any]:
        if value is None:
            return []
        if not isinstance(value, list):
            self._report(place, "a list is expected")
            return []
        return value

    def _is_step(self, entry: Any, place: Place) -> bool:
        if not isinstance(entry, dict):
            self._report(place, "a step is a mapping")
            return False
        for unknown in sorted(set(entry) - KNOWN_STEP):
            self._report((*place, unknown), f"unknown entry {unknown!r}")
        return True

    def _step(self, entry: Mapping[str, Any], place: Place) -> Step:
        self._text(entry, "question", place)
        texts = {name: self._text(entry, name, place) for name in STEP_TEXTS if name in entry}
        return Step(
            id=self._text(entry, "id", place),
            texts=texts,
            measured=self._sentences(entry, "measured", place),
            look=tuple(
                (self._text(each, "what", here), self._text(each, "command", here))
                for here, each in self._mappings(entry, "look", place)
            ),
            answers=tuple(self._answer(each, here) for here, each in self._mappings(entry, "answers", place)),
            changes=tuple(self._change(each, here) for here, each in self._mappings(entry, "change", place)),
            wont_help=self._sentences(entry, "wont_help", place),
            restart=entry.get("restart") is True,
            done_when=self._condition(entry, place, "done_when"),
            docs=self._sentences(entry, "docs", place),
        )

    def _answer(self, entry: Mapping[str, Any], place: Place) -> Answer:
        condition, meaning = self._text(entry, "if", place), self._text(entry, "then", place)
        return Answer(condition, meaning, self._condition(entry, place, "when"))

    def _mappings(self, entry: Mapping[str, Any], name: str, place: Place) -> Iterator[tuple[Place, Mapping[str, Any]]]:
        for index, each in enumerate(self._list(entry.get(name), (*place, name))):
            here = (*place, name, index)
            if isinstance(each, dict):
                yield here, each
            else:
                self._report(here, "a mapping is expected")

    def _sentences(self, entry: Mapping[str, Any], name: str, place: Place) -> tuple[str, ...]:
        found = self._list(entry.get(name), (*place, name))
        return tuple(self._template(str(each), (*place, name, index)) for index, each in enumerate(found))

    def _change(self, entry: Mapping[str, Any], place: Place) -> Change:
        kind = str(entry.get("kind"))
        if kind not in CHANGE_KINDS:
            self._report((*place, "kind"), f"one of {', '.join(CHANGE_KINDS)}")
        before = self._template(str(entry.get("from") or ""), (*place, "from"))
        return Change(kind, str(entry.get("file") or ""), before, self._text(entry, "to", place))

    def _condition(self, entry: Mapping[str, Any], place: Place, name: str) -> Condition | None:
        if name not in entry:
            return None
        condition = self._conditions.parse(entry[name], (*place, name))
        for fact in condition.facts() if condition else ():
            self._check_fact(fact, (*place, name))
        return condition


@cache
def runbooks() -> Mapping[str, Runbook]:
    """Every shipped runbook, by its id."""
    found = {}
    for folder in symptom_folders():
        path = folder / "runbook.yaml"
        if path.is_file():
            runbook = Runbook.from_yaml(path.read_text("utf-8"), f"{folder.name}/runbook.yaml")
            found[runbook.id] = runbook
    return found


def runbook_for(symptom_class: str) -> Runbook | None:
    """The runbook of a class, None if it has none."""
    return next((each for each in runbooks().values() if each.symptom_class == symptom_class), None)


def fill(runbook: Runbook, finding: Mapping[str, Any], signals: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The runbook with the values of a case.

    finding  one of the document's findings
    signals  the stored signals of the analysis (`Report.signals`)
    Gives    JSON values: a sentence whose facts are unknown is left out, an unknown value in a command stands as
             `<name>`; `done.holds` of a step is None when its facts are unknown.
    """
    subject = Subject(**finding["subject"])
    view = SignalIndex.from_stored(signals).view(subject, _level(subject), reach_down=True)

    def lookup(reference: str) -> FactValue:
        return REST if reference == "rest" else view(reference)

    return {
        "id": runbook.id,
        "symptom_class": runbook.symptom_class,
        "title": runbook.title,
        "goal": phrase.fill_or_name(runbook.goal, lookup),
        "steps": [_filled_step(step, lookup) for step in runbook.steps],
    }


def _level(subject: Subject) -> Level:
    if subject.task_manager or subject.host:
        return "task_manager"
    if subject.subtask is not None:
        return "subtask"
    if subject.vertex or subject.vertex_id:
        return "vertex"
    return "job" if subject.job else "case"


def _filled_step(step: Step, lookup: Lookup) -> dict[str, Any]:
    filled: dict[str, Any] = {"id": step.id}
    filled |= {name: phrase.fill_or_name(text, lookup) for name, text in step.texts.items() if name != "done"}
    filled["measured"] = _known(step.measured, lookup)
    filled["look"] = [
        {"what": phrase.fill_or_name(what, lookup), "command": phrase.fill_or_name(command, lookup)}
        for what, command in step.look
    ]
    filled["answers"] = [
        {
            "if": phrase.fill_or_name(each.condition, lookup),
            "then": phrase.fill_or_name(each.meaning, lookup),
            "taken": each.when.holds(lookup) if each.when else None,
        }
        for each in step.answers
    ]
    filled["change"] = [
        {
            "kind": each.kind,
            "file": each.file,
            "from": phrase.fill_or_name(each.before, lookup),
            "to": phrase.fill_or_name(each.after, lookup),
        }
        for each in step.changes
    ]
    filled["wont_help"] = _known(step.wont_help, lookup)
    filled["docs"] = list(step.docs)
    filled["restart"] = step.restart
    filled["savepoint"] = phrase.fill_or_name(SAVEPOINT, lookup) if step.restart else None
    filled["done"] = {
        "text": phrase.fill_or_name(step.texts.get("done", ""), lookup),
        "holds": step.done_when.holds(lookup) if step.done_when else None,
        "checks": [check.as_json() for check in step.done_when.checks(lookup)] if step.done_when else [],
    }
    return filled


def _known(templates: Sequence[str], lookup: Lookup) -> list[str]:
    return [said for template in templates if (said := phrase.fill(template, lookup)) is not None]
