"""The text of runbooks: questions, commands and changes. Parsing reports every error with its line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.errors import InvalidRule
from diagnostics.language import listed, say
from diagnostics.rules.condition import Condition, ConditionParser
from diagnostics.runbook.cluster_commands import ClusterCommands
from diagnostics.signals.signal import SignalDefinition
from diagnostics.wording import phrase
from diagnostics.wording.translated import translated
from diagnostics.yaml_document import Place, YamlDocument, read_yaml, translated_names

STEP_TEXTS = ("question", "why", "cost", "rollback", "done")
KNOWN_STEP = {*STEP_TEXTS, "id", "measured", "look", "answers", "change", "wont_help", "restart", "done_when", "docs"}
KNOWN_STEP |= {"when", "not_for", "otherwise", "drops_state", "one_way"}
KNOWN_STEP |= translated_names((*STEP_TEXTS, "otherwise", "measured", "wont_help"))
PROCESSES = ("jobmanager", "taskmanager", "all")
CHANGE_KINDS = ("config", "code", "sql", "command")


@dataclass(frozen=True, slots=True)
class Answer:
    """A possible answer to a step's question and its consequences.

    when      condition that selects it for a case
    unless    condition that rules it out; it decides before `when`, and selects nothing where it does not hold
    leads_to  later steps that this answer requires; skipped when another answer applies
    runbook   id of another runbook that this answer requires
    outside   whether what it means ends the trouble without a change of the job
    """

    condition: str
    meaning: str
    when: Condition | None
    leads_to: tuple[str, ...] = ()
    runbook: str | None = None
    unless: Condition | None = None
    outside: bool = False


@dataclass(frozen=True, slots=True)
class Look:
    """A command that shows something.

    when  whether it is useful in this case; unknown counts as yes
    logs  the kind of process over whose logs the command, a `grep` without files, is run: jobmanager, taskmanager, all
    on    `taskmanager` for a command on the host or in the pod of a TaskManager
    """

    what: str
    command: str
    when: Condition | None = None
    logs: str | None = None
    on: str | None = None


@dataclass(frozen=True, slots=True)
class Futile:
    """A remedy that does not help, and why.

    when  whether somebody could try it in this case; unknown counts as yes
    """

    text: str
    when: Condition | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A change from the present to the intended state; both may hold measured and computed values.

    when    whether this case needs it; unknown counts as yes
    only_if the `if` of the answer of its step that it belongs to: unknown until somebody looks
    choice  name shared by alternatives: only one of them is made, the most effective is first
    imports classes that the new code imports
    """

    kind: str
    file: str
    before: str
    after: str
    when: Condition | None = None
    only_if: str | None = None
    choice: str | None = None
    imports: tuple[str, ...] = ()

    @property
    def starts_program(self) -> bool:
        """Whether it is a command that starts the job with its former arguments."""
        programs = ("cluster.program", "cluster.smaller_program")
        return self.kind == "command" and any(each in programs for each, _ in phrase.placeholders(self.after))

    @property
    def quotes_source(self) -> bool:
        """Whether what it replaces is a text of the job's source, and not only an example of such a text."""
        return any(form == "source" for _, form in phrase.placeholders(self.before))


@dataclass(frozen=True, slots=True)
class NotFor:
    """The rules whose findings a step does not repair, and why it does not."""

    rules: tuple[str, ...] = ()
    because: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One step, its texts with placeholders.

    docs       ids of the step's sources
    drops_state whether an operator with state is replaced, so that the job starts without the former one's state
    when       whether it concerns this case; unknown counts as yes
    otherwise  the reason shown when it does not
    not_for    findings that it does not repair, although they have the same runbook
    one_way    an answer that is the case's leads past the steps of the others that are not known
    """

    id: str
    texts: Mapping[str, str]
    measured: tuple[str, ...]
    look: tuple[Look, ...]
    answers: tuple[Answer, ...]
    changes: tuple[Change, ...]
    wont_help: tuple[Futile, ...]
    restart: bool
    done_when: Condition | None
    docs: tuple[str, ...]
    drops_state: bool = False
    when: Condition | None = None
    otherwise: str | None = None
    one_way: bool = False
    not_for: NotFor = NotFor()

    @property
    def changes_something(self) -> bool:
        """Whether it is a remedy and not only a question."""
        return bool(self.changes) or self.restart

    @property
    def may_end_outside(self) -> bool:
        """Whether an answer ends the trouble without a change of the job; its changes are for the other answers."""
        return any(answer.outside for answer in self.answers)


@dataclass(frozen=True, slots=True)
class Runbook:
    """The runbook of one symptom class, or of one kind of its causes.

    useless  options whose change does not help against this cause, whatever the runbook of a lesser cause proposes
    """

    id: str
    symptom_class: str
    title: str
    goal: str
    steps: tuple[Step, ...]
    useless: frozenset[str] = frozenset()

    @property
    def repairs_without_restart(self) -> bool:
        """Whether a change, or a repair outside that an answer means, needs no restart of the job."""
        return any((step.changes and not step.restart) or step.may_end_outside for step in self.steps)

    @classmethod
    def from_yaml(cls, text: str, source: str, vocabulary: Mapping[str, SignalDefinition] | None = None) -> Runbook:
        """The runbook in a text. Raises InvalidRule with every error and its line."""
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
            self._report(("steps",), say("a runbook has steps"))
        if any(phrase.placeholders(texts["title"])):
            self._report(("title",), say("a title is read without the case: no placeholders"))
        ids = [step.id for step in steps]
        for repeated in sorted({each for each in ids if ids.count(each) > 1}):
            self._report(("steps",), say("two steps have the id {name}", name=repr(repeated)))
        self._check_ways(steps)
        if self._errors:
            raise InvalidRule(self._errors)
        useless = frozenset(str(each) for each in self._list(content.get("useless"), ("useless",)))
        return Runbook(steps=steps, useless=useless, **texts)

    def _check_ways(self, steps: Sequence[Step]) -> None:
        """Answers lead to later steps only; a remedy states its cost and how to undo it."""
        for index, step in enumerate(steps):
            later = {each.id for each in steps[index + 1 :]}
            for number, answer in enumerate(step.answers):
                for unknown in sorted(set(answer.leads_to) - later):
                    self._report(
                        ("steps", index, "answers", number), say("no later step has the id {name}", name=repr(unknown))
                    )
            if step.changes_something:
                for name in ("cost", "rollback"):
                    if name not in step.texts:
                        self._report(
                            ("steps", index), say("a step that changes something says its `{field}`", field=name)
                        )

    def _report(self, place: Place, text: str) -> None:
        self._errors.append(self._document.fault(place, text))

    def _text(self, entry: Mapping[str, Any], name: str, place: Place) -> str:
        value = entry.get(name)
        if not isinstance(value, str) or not value.strip():
            self._report((*place, name), say("`{field}` is missing", field=name))
            return ""
        return self._template(self._translated(value.strip(), entry, name, (*place, name)), (*place, name))

    def _translated(
        self, english: str, entry: Mapping[str, Any], name: str, place: Place, index: int | None = None
    ) -> str:
        return translated(english, entry, name, lambda fault: self._report(place, fault), index)

    def _template(self, text: str, place: Place) -> str:
        for reference, form in phrase.placeholders(text):
            if form not in phrase.FORMATS:
                known = listed(phrase.FORMATS)
                self._report(place, say("unknown format {name}; known are {known}", name=repr(form), known=known))
            self._check_fact(reference, place)
        return text

    def _check_fact(self, reference: str, place: Place) -> None:
        key, _, fact = reference.rpartition(".")
        if self._vocabulary is None or key == "subject" or reference in ("rest", "job.name", *ClusterCommands.DERIVED):
            return
        definition = self._vocabulary.get(key)
        if definition is None or fact not in definition.facts:
            self._report(place, say("no signal measures {name}", name=repr(reference)))

    def _list(self, value: Any, place: Place) -> list[Any]:
        if value is None:
            return []
        if not isinstance(value, list):
            self._report(place, say("a list is expected"))
            return []
        return value

    def _is_step(self, entry: Any, place: Place) -> bool:
        if not isinstance(entry, dict):
            self._report(place, say("a step is a mapping"))
            return False
        for unknown in sorted(set(entry) - KNOWN_STEP):
            self._report((*place, unknown), say("unknown entry {name}", name=repr(unknown)))
        return True

    def _step(self, entry: Mapping[str, Any], place: Place) -> Step:
        self._text(entry, "question", place)
        texts = {name: self._text(entry, name, place) for name in STEP_TEXTS if name in entry}
        answers = tuple(self._answer(each, here) for here, each in self._mappings(entry, "answers", place))
        if ("when" in entry) != ("otherwise" in entry):
            fault = say("`when` and `otherwise` belong together: the condition, and the reason when it fails")
            self._report(place, fault)
        return Step(
            id=self._text(entry, "id", place),
            texts=texts,
            measured=self._sentences(entry, "measured", place),
            look=tuple(self._look(each, here) for here, each in self._mappings(entry, "look", place)),
            answers=answers,
            changes=tuple(self._change(each, here, answers) for here, each in self._mappings(entry, "change", place)),
            wont_help=tuple(self._futile(entry, place)),
            restart=entry.get("restart") is True,
            done_when=self._condition(entry, place, "done_when"),
            docs=self._sentences(entry, "docs", place),
            drops_state=entry.get("drops_state") is True,
            when=self._condition(entry, place, "when"),
            otherwise=self._text(entry, "otherwise", place) if "otherwise" in entry else None,
            one_way=entry.get("one_way") is True,
            not_for=self._not_for(entry, (*place, "not_for")),
        )

    def _not_for(self, entry: Mapping[str, Any], place: Place) -> NotFor:
        if "not_for" not in entry:
            return NotFor()
        stated = entry["not_for"]
        if not isinstance(stated, dict):
            self._report(place, say("a mapping is expected"))
            return NotFor()
        rules = self._list(stated.get("rules"), (*place, "rules"))
        return NotFor(tuple(map(str, rules)), self._text(stated, "because", place))

    def _look(self, entry: Mapping[str, Any], place: Place) -> Look:
        return Look(
            self._text(entry, "what", place),
            self._text(entry, "command", place),
            self._condition(entry, place, "when"),
            self._one_of(entry, "logs", PROCESSES, place),
            self._one_of(entry, "on", ("taskmanager",), place),
        )

    def _one_of(self, entry: Mapping[str, Any], name: str, known: Sequence[str], place: Place) -> str | None:
        value = entry.get(name)
        if value is not None and value not in known:
            self._report((*place, name), say("one of {choices} is expected", choices=listed(known)))
            return None
        return value

    def _futile(self, entry: Mapping[str, Any], place: Place) -> Iterator[Futile]:
        for index, warning in enumerate(self._list(entry.get("wont_help"), (*place, "wont_help"))):
            here = (*place, "wont_help", index)
            if isinstance(warning, dict):
                yield Futile(self._text(warning, "text", here), self._condition(warning, here, "when"))
            else:
                text = self._translated(str(warning), entry, "wont_help", here, index)
                yield Futile(self._template(text, here))

    def _answer(self, entry: Mapping[str, Any], place: Place) -> Answer:
        condition, meaning = self._text(entry, "if", place), self._text(entry, "then", place)
        return Answer(
            condition,
            meaning,
            self._condition(entry, place, "when"),
            self._sentences(entry, "leads_to", place),
            self._text(entry, "runbook", place) if "runbook" in entry else None,
            self._condition(entry, place, "unless"),
            entry.get("outside") is True,
        )

    def _mappings(self, entry: Mapping[str, Any], name: str, place: Place) -> Iterator[tuple[Place, Mapping[str, Any]]]:
        for index, each in enumerate(self._list(entry.get(name), (*place, name))):
            here = (*place, name, index)
            if isinstance(each, dict):
                yield here, each
            else:
                self._report(here, say("a mapping is expected"))

    def _sentences(self, entry: Mapping[str, Any], name: str, place: Place) -> tuple[str, ...]:
        found = self._list(entry.get(name), (*place, name))
        return tuple(
            self._template(self._translated(str(each), entry, name, (*place, name), index), (*place, name, index))
            for index, each in enumerate(found)
        )

    def _change(self, entry: Mapping[str, Any], place: Place, answers: Sequence[Answer]) -> Change:
        kind = str(entry.get("kind"))
        if kind not in CHANGE_KINDS:
            self._report((*place, "kind"), say("one of {choices} is expected", choices=listed(CHANGE_KINDS)))
        before = self._translated(str(entry.get("from") or ""), entry, "from", (*place, "from"))
        before = self._template(before, (*place, "from"))
        after = self._text(entry, "to", place)
        only_if = next((each.condition for each in answers if each.condition == entry.get("only_if")), None)
        if "only_if" in entry and only_if is None:
            self._report((*place, "only_if"), say("no answer of this step reads {name}", name=repr(entry["only_if"])))
        return Change(
            kind,
            self._translated(str(entry.get("file") or ""), entry, "file", (*place, "file")),
            before,
            after,
            self._condition(entry, place, "when"),
            only_if,
            str(entry["choice"]) if "choice" in entry else None,
            tuple(map(str, self._list(entry.get("imports"), (*place, "imports")))),
        )

    def _condition(self, entry: Mapping[str, Any], place: Place, name: str) -> Condition | None:
        if name not in entry:
            return None
        condition = self._conditions.parse(entry[name], (*place, name))
        for fact in condition.facts() if condition else ():
            self._check_fact(fact, (*place, name))
        return condition
