"""Fills a runbook with the values of one case: unknown values are left out or shown as `<name>`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from diagnostics.diagnosis.counterpart import level_of
from diagnostics.diagnosis.fact_view import SignalIndex
from diagnostics.evidence.subject import FactValue, Lookup, Subject
from diagnostics.language import in_reader_language, joined_sentences, say, to_say
from diagnostics.rules.condition import Condition, shown_checks
from diagnostics.runbook.case_answers import begin_with_the_act, on_the_one_way, without_repeated_acts
from diagnostics.runbook.cluster_commands import ClusterCommands
from diagnostics.runbook.code_block import replaced_code
from diagnostics.runbook.config_file import ConfigFile, shown_change
from diagnostics.runbook.program_paths import copies_of, paths_at_risk
from diagnostics.runbook.restarting import stop_and_start
from diagnostics.runbook.text import Answer, Change, Look, Runbook, Step
from diagnostics.vocabulary.settings import Version, version_of
from diagnostics.wording import phrase
from diagnostics.wording.code import fill_code
from diagnostics.wording.option_names import CONFIG_FILE, code_in_version, in_version, lines_in_version, options_named

NOTHING_SAID: Mapping[str, str] = {}
GENERAL_WORDS = {
    "job.name": to_say("the job"),
    "subject.vertex": to_say("the task"),
    "blocking_calls.system": to_say("the outside system"),
    "outside_faults.system": to_say("the outside system"),
    "code_faults.exception": to_say("the exception"),
    "known_bugs.bug": to_say("this bug"),
}
"""What a sentence says where the evidence does not name the job, the task or the system."""
REASONS = ("why", "cost", "rollback")
"""Texts of a step that lose a sentence whose facts are not known; a question or a goal is always shown."""


def fill(
    runbook: Runbook,
    finding: Mapping[str, Any],
    signals: Sequence[Mapping[str, Any]],
    said: Mapping[str, str] = NOTHING_SAID,
) -> dict[str, Any]:
    """The runbook with the values of a case.

    finding  one of the document's findings
    signals  the stored signals of the analysis (`Report.signals`)
    said     step id -> the `if` of the user's answer, which takes precedence over measurements
    Gives    JSON values: a sentence or an answer whose facts are unknown is left out, an unknown value in a command
             stands as `<name>`; `done.holds` of a step is None when its facts are unknown; `left_out` of a step says
             which question's answer leads past it, measured or said, or the `reason`; `in_force` of a step says that
             it has changes and none of them is to be made. Options have the names of the Flink version seen.
             Commands and changes hold only values that mean nothing but themselves there (`code.fill_code`).
    """
    subject = Subject(**finding["subject"])
    view = SignalIndex.from_stored(signals).view(subject, level_of(subject), reach_down=True)

    seen = view("job_overview.flink_version")
    cluster = ClusterCommands(view, version_of(seen if isinstance(seen, str) else None))

    def lookup(reference: str) -> FactValue:
        return cluster.derived(reference) if reference in ClusterCommands.DERIVED else view(reference)

    lasts = finding.get("role") == "root_cause" and not runbook.repairs_without_restart
    advised = options_named(finding.get("first_step") or "")
    page = _Page(lookup, cluster, said, ConfigFile.of(view), finding.get("role") == "root_cause", lasts, advised)
    left_out = _left_out(runbook, page, finding.get("rule", {}).get("id"))
    steps = [{**_filled_step(step, page), "left_out": left_out.get(step.id)} for step in runbook.steps]
    begin_with_the_act(steps, finding, {each.id for each in runbook.steps if each.one_way})
    return {
        "id": runbook.id,
        "symptom_class": runbook.symptom_class,
        "title": in_reader_language(runbook.title),
        "goal": page.sentence(runbook.goal),
        "useless": sorted(runbook.useless),
        "place": cluster.place,
        "needed": [{"what": what, "command": command} for what, command in cluster.needed],
        "steps": steps,
    }


@dataclass(frozen=True, slots=True)
class _Page:
    """The values of a case, its Flink version, and the user's answers.

    of_root_cause  whether the runbook is the root cause's: what else fails lasts until its change is made
    lasts          whether nothing but a restart of the job repairs it, so that no change can wait for a repair
    advised        options that the finding's first step sets
    """

    lookup: Lookup
    cluster: ClusterCommands
    said: Mapping[str, str]
    file: ConfigFile
    of_root_cause: bool
    lasts: bool
    advised: Set[str]

    @property
    def version(self) -> Version | None:
        return self.cluster.version

    def named(self, template: str) -> str:
        """The template with the options of this version and the configuration file that this cluster loads."""
        said = in_version(in_reader_language(template), self.version)
        return CONFIG_FILE.sub(self.cluster.config_file, said)

    def sentence(self, template: str) -> str:
        """The sentence; unknown values are shown as a general word, or as `<name>`."""
        unknown = {reference: say(words) for reference, words in GENERAL_WORDS.items()}
        return phrase.fill_or_name(self.named(template), self.lookup, unknown)

    def known_sentences(self, text: str) -> str:
        """The sentences of the text whose facts are all known."""
        return joined_sentences(self.known(phrase.split_sentences(in_reader_language(text))))

    def command(self, template: str) -> str:
        """The command; values that are unknown or unsafe in a shell are shown as `<name>`."""
        return fill_code(self.named(template), self.lookup, self.cluster.unknown)

    def look(self, look: Look) -> dict[str, str]:
        """A command, over the logs or at the TaskManager of this cluster."""
        command = self.command(look.command)
        if look.logs:
            command = self.cluster.logs(look.logs, command)
        elif look.on:
            command = self.cluster.at_task_manager(command)
        return {"what": self.sentence(look.what), "command": command}

    def known(self, templates: Sequence[str]) -> list[str]:
        """The sentences whose facts are all known."""
        filled = (phrase.fill(self.named(template), self.lookup) for template in templates)
        return [said for said in filled if said is not None]

    def known_pieces(self, templates: Sequence[str]) -> list[list[dict[str, Any]]]:
        """The same sentences in pieces; a piece that is a value has its fact: {text, fact, value}."""
        filled = (phrase.fill_in_pieces(self.named(template), self.lookup) for template in templates)
        return [[each.as_json() for each in pieces] for pieces in filled if pieces is not None]

    def change(self, change: Change, set_before: Set[str] = frozenset()) -> dict[str, Any]:
        """A change, with its lines in the option names of this version.

        set_before  lines that other answers of its step have put into the configuration by then
        """
        wording = lines_in_version if change.kind == "config" else code_in_version
        unknown = self.cluster.unknown
        before = in_reader_language(change.before)
        before = self.stated(before) if change.kind == "config" else before
        before = fill_code(wording(before, self.version), self.lookup, unknown)
        after = fill_code(wording(in_reader_language(change.after), self.version), self.lookup, unknown)
        if change.kind == "config":
            before, after = _without_common_lines(before, after)
            after = self.file.without_defaults(after, before, self.version)
            before, unset = self.file.split(before, set_before, is_of_flink=CONFIG_FILE.search(change.file) is not None)
        else:
            before, unset = replaced_code(change, before, self.lookup)
        if change.starts_program:
            after = "\n".join([*copies_of(paths_at_risk(self.lookup)), after])
        file = phrase.fill_or_name(
            CONFIG_FILE.sub(self.cluster.config_place, in_reader_language(change.file)), self.lookup
        )
        return {
            "kind": change.kind,
            "file": file,
            "from": before.rstrip(),
            "unset": unset,
            "to": after.rstrip(),
            "choice": change.choice,
        }

    def can_compute(self, change: Change) -> bool:
        """Whether the evidence has the facts for computing the new settings."""
        return change.kind != "config" or self.is_known(change.after)

    def stated(self, before: str) -> str:
        """The lines of the present configuration, without those whose value no file states."""
        return "\n".join(line for line in before.split("\n") if self.is_known(line))

    def is_known(self, template: str) -> bool:
        return all(self.lookup(reference) is not None for reference, _ in phrase.placeholders(template))

    def _set_before(self, step: Step, change: Change) -> Set[str]:
        """The lines that changes of other answers, which stand before it, have put into the configuration."""
        before = step.changes[: step.changes.index(change)] if change.only_if else ()
        others = [each for each in before if each.only_if not in (None, change.only_if) and self.applies(each.when)]
        return {
            line
            for each in others
            if each.kind == "config" and self.can_compute(each)
            for line in self.change(each)["to"].split("\n")
        }

    def changes(self, step: Step) -> list[dict[str, Any]]:
        """The changes that this case needs: they alter something, and no measurement contradicts them.

        `only_if` is the answer that decides about the change while nobody has measured or given it, else None; `sure`
        says whether what it depends on is measured, `instead` whether it is an alternative to one before it.
        """
        changes: list[dict[str, Any]] = []
        for proposed in step.changes:
            belongs = self.answered(step, proposed.only_if)
            if belongs is False or not self.applies(proposed.when) or not self.can_compute(proposed):
                continue
            change = self.change(proposed, self._set_before(step, proposed))
            only_if = self.sentence(proposed.only_if or "") if belongs is None else None
            change |= {"only_if": only_if, "sure": proposed.when is None or proposed.when.holds(self.lookup) is True}
            group = change["choice"], change["only_if"]
            change["instead"] = bool(group[0]) and group in [(other["choice"], other["only_if"]) for other in changes]
            if change["to"].strip() and change["to"] != change["from"]:
                changes.append(change)
        return changes

    def answered(self, step: Step, condition: str | None) -> bool | None:
        """Whether this answer of the step is the case's; True without one."""
        if condition is None:
            return True
        if self.said.get(step.id) in [each.condition for each in step.answers]:
            return self.said[step.id] == condition
        return next((self.is_taken(step, each) for each in step.answers if each.condition == condition), None)

    def applies(self, condition: Condition | None) -> bool:
        """Whether it concerns this case; unknown counts as yes."""
        return condition is None or condition.holds(self.lookup) is not False

    def is_taken(self, question: Step, answer: Answer) -> bool | None:
        """Whether it is this case's answer, by the user or else by measurement; None when unknown."""
        given = self.said.get(question.id)
        if any(each.condition == given for each in question.answers):
            return answer.condition == given
        if answer.unless and answer.unless.holds(self.lookup):
            return False
        return answer.when.holds(self.lookup) if answer.when else None

    def leads_elsewhere(self, question: Step, answer: Answer) -> bool:
        """Whether the answer is not the case's, or unknown beside one that is and that is the question's one way."""
        taken = self.is_taken(question, answer)
        if taken is None and question.one_way:
            return any(self.is_taken(question, each) for each in question.answers)
        return taken is False

    def is_said(self, question: Step, answer: Answer) -> bool:
        return self.said.get(question.id) == answer.condition


def _without_common_lines(before: str, after: str) -> tuple[str, str]:
    """Settings before and after a change, without unchanged lines."""
    kept = set(before.split("\n")) & set(after.split("\n"))
    return _lines_but(before, kept), _lines_but(after, kept)


def _lines_but(text: str, kept: Set[str]) -> str:
    return "\n".join(line for line in text.split("\n") if line not in kept)


def _left_out(runbook: Runbook, page: _Page, rule: str | None) -> dict[str, dict[str, Any]]:
    """Step id -> the question and the answer that skip it, or the `reason` why it does not concern the case.

    rule  of the finding that the runbook is filled for

    A step is skipped only when every answer that leads to it is known not to apply and another answer of one of these
    questions does. Unknown answers skip nothing, but for a question whose measured answer is its one way.
    """
    leading: dict[str, list[tuple[Step, Answer]]] = {}
    for question in runbook.steps:
        for answer in question.answers:
            for step in answer.leads_to:
                leading.setdefault(step, []).append((question, answer))
    left_out: dict[str, dict[str, Any]] = {}
    for to, ways in leading.items():
        others = [
            (question, each) for question, _ in ways for each in question.answers if each.leads_to or question.one_way
        ]
        taken = next(((question, each) for question, each in others if page.is_taken(question, each)), None)
        if taken and all(page.leads_elsewhere(question, answer) for question, answer in ways):
            left_out[to] = {
                "step": taken[0].id,
                "question": page.sentence(taken[0].texts["question"]),
                "answer": page.sentence(taken[1].condition),
                "said": page.is_said(*taken),
            }
    elsewhere = [each for each in runbook.steps if not page.applies(each.when)]
    left_out |= {each.id: {"reason": page.sentence(each.otherwise or "")} for each in elsewhere}
    not_for = [each for each in runbook.steps if rule in each.not_for.rules]
    left_out |= {each.id: {"reason": page.sentence(each.not_for.because)} for each in not_for}
    return left_out


def _what_of(sentence: str) -> str:
    """What a sentence `what: why` is about."""
    return sentence.partition(":")[0].partition("\N{FULLWIDTH COLON}")[0]


def _filled_step(step: Step, page: _Page) -> dict[str, Any]:
    lookup = page.lookup
    filled: dict[str, Any] = {"id": step.id}
    filled |= {
        name: page.known_sentences(text) if name in REASONS else page.sentence(text)
        for name, text in step.texts.items()
        if name != "done"
    }
    filled["measured"] = page.known(step.measured)
    filled["measured_pieces"] = page.known_pieces(step.measured)
    filled["look"] = [page.look(each) for each in step.look if page.applies(each.when)]
    answers = [
        {
            "if": page.sentence(answer.condition),
            "then": page.sentence(answer.meaning),
            "condition": answer.condition,
            "taken": page.is_taken(step, answer),
            "said": page.is_said(step, answer),
            "checks": [check.as_json() for check in shown_checks(answer.when, lookup)] if answer.when else [],
            "leads_to": list(answer.leads_to),
            "runbook": answer.runbook,
        }
        for answer in step.answers
        if page.is_known(answer.condition) and page.is_known(answer.meaning)
    ]
    filled["answers"] = without_repeated_acts(on_the_one_way(step, answers))
    filled["change"] = changes = page.changes(step)
    filled["shown_change"] = [shown_change(each, page.file) for each in changes]
    in_force = bool(step.changes) and not changes
    wont_help = page.known([each.text for each in step.wont_help if page.applies(each.when)])
    filled["wont_help"] = [each for each in wont_help if page.advised.isdisjoint(options_named(_what_of(each)))]
    filled["docs"] = list(step.docs)
    filled["in_force"] = in_force
    filled["restart"] = restart = step.restart and not in_force
    filled["starts_job"] = any("{cluster.run}" in each.after for each in step.changes)
    filled["changes_something"] = step.changes_something and not in_force
    decided = [each for each in changes if each["only_if"] is None] or changes
    choices = [each["choice"] for each in decided]
    made = [each for place, each in enumerate(decided) if not each["choice"] or each["choice"] not in choices[:place]]
    options = "\n".join(each["to"] for each in made if each["kind"] == "config")
    others = "\n".join(each["to"] for each in changes if each not in made and each["kind"] == "config")
    changes_code = any(each["kind"] == "code" for each in made)
    is_undecided = bool(changes) and all(each["only_if"] is not None for each in changes)
    can_wait = not page.of_root_cause or (is_undecided and not page.lasts and not step.may_end_outside)
    way = (
        stop_and_start(
            lookup,
            options,
            others=others,
            drops_state=step.drops_state,
            changes_code=changes_code,
            can_wait=can_wait,
        )
        if restart
        else None
    )
    filled["savepoint"] = way
    filled["drops_state"] = step.drops_state
    filled["done"] = {
        "text": page.sentence(step.texts.get("done", "")),
        "holds": step.done_when.holds(lookup) if step.done_when else None,
        "checks": [check.as_json() for check in shown_checks(step.done_when, lookup)] if step.done_when else [],
    }
    return filled
