"""One plan of the changes that the runbooks of a job's causes propose: each option once, and one restart."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from diagnostics.diagnosis.fact_view import SignalIndex
from diagnostics.evidence.subject import Subject
from diagnostics.language import joined_sentences, say, to_say
from diagnostics.runbook.cluster_commands import ClusterCommands
from diagnostics.runbook.config_file import OPTION, ConfigFile, shown_change
from diagnostics.runbook.copied_checkpoints import COMMENT
from diagnostics.runbook.restarting import stop_and_start
from diagnostics.vocabulary.job_states import ENDED

PLACE_WITHIN = re.compile(r" \(| or |\uff08|\uff0c")
"""What follows the name of a file, in either language: `config.yaml (of the TaskManagers)`."""

STARTS = re.compile(r"(?:task|job)manager\.sh start\b")
"""A command that starts a process of Flink."""

CAUSE_FIRST = to_say(
    "None of the decided changes removes the root cause, so none is worth a restart. Begin with what the verdict says "
    "to do first. Where that does not suffice, look which of the changes under “Only after a look” fits: its step in "
    "the runbook shows how to restart the job, and the changes below can be made in the same restart."
)
NOT_THE_CAUSE = to_say(
    "Nothing in this plan removes the root cause: follow the runbook “{runbook}” for that. What is here lowers other "
    "risks and can wait for the next deployment."
)
NOTHING_LEFT = to_say(
    "Nothing is left to do in the runbook of the root cause, “{runbook}”. What is here lowers other risks and can wait "
    "for the next deployment."
)
DUE_CAUSE_FIRST = to_say(
    "None of the decided changes removes the root cause: begin with what the verdict says to do first. Look which of "
    "the changes under “Only after a look” fits: its step in the runbook shows how to restart the job. Make the "
    "changes below in the same restart."
)
DUE_BESIDE_THE_CAUSE = to_say(
    "Nothing in this plan removes the root cause: follow the runbook “{runbook}” for that first. Where it restarts the "
    "job, make these changes in the same restart."
)
START_FIRST = to_say("Run the commands that start processes now: the job needs them to run again.")
SETTINGS_FIRST = to_say(
    "First write the settings below into the files: that takes a minute, and a process reads them when it starts. Then "
    "run the commands that start processes: the job needs them to run again. The restart at the end can wait for a "
    "planned time; leave out processes that were started with these settings."
)
RESTART_LATER = to_say("The restart below can wait for a planned time. Do not begin with it while the incident lasts.")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A filled runbook of a cause, the root cause's first.

    useless  options that do not help against this cause
    steps    the filled steps that are still to be done
    """

    title: str
    useless: Collection[str]
    steps: Sequence[Mapping[str, Any]]


@dataclass(slots=True)
class _File:
    """The options that change in one place: option -> its line before, and the lines after with their comments.

    An option that has only a line before is to be removed.
    place  of the first of them among the changes
    unset  what is in effect without a line in a file of the case, in sentences
    """

    place: int
    before: dict[str, str] = field(default_factory=dict)
    unset: list[str] = field(default_factory=list)
    after: dict[str, list[str]] = field(default_factory=dict)


def merged_plan(
    proposals: Sequence[Proposal],
    signals: Sequence[Mapping[str, Any]],
    job: str | None,
    *,
    is_due: bool = False,
    is_over: bool = False,
) -> dict[str, Any] | None:
    """The changes of all proposals in the order of their effect; None when there is none.

    A change is taken when the measurements decide for it; what somebody has to look at first is in `open`. Of
    alternatives the most effective one is taken. An option has the value of the first proposal that changes it, and is
    left out where the runbook of a cause before it calls it useless.

    is_due   whether something else says by when: then the remark does not say that anything can wait
    is_over  whether the trouble has ended: then a root cause whose runbook has no step left needs no repair

    Gives  JSON values: `changes` [{kind, file, from, to, runbook}], the options of a file as one with `runbook` empty,
           `open` [{only_if, question, changes: [{file, from, to, instead}]}], where one that is `instead` is an
           alternative to those before it, `left_out` [{option, value, runbook, because}], and `restart` {text, look,
           command} or None, also where it would stop a job and no change removes the root cause, `remark`, a
           sentence where no decided change removes the root cause, else empty, also where nothing is left to do
           against it and the rest is due, `look_first`, whether what is open
           comes before the decided changes, `at_once` [{text, look: [{what, command}]}], what measured answers of the
           root cause's runbook say to look at before that without a restart, `runbooks`, the titles of those from
           which something is in the plan, and `options` {option: value} of all files that it changes.
           Each block of commands begins with what Flink's scripts need, which a runbook shows above its steps.
    """
    plan = _Plan(is_due=is_due, is_cause_left=not is_over or any(each.steps for each in proposals[:1]))
    for place, proposal in enumerate(proposals):
        before = proposals[:place]
        for step in proposal.steps:
            for change in step["change"]:
                plan.add(change, step, proposal, before)
    if not plan.is_needed:
        return None
    view = SignalIndex.from_stored(signals).view(Subject(job=job), "job", reach_down=True)
    cause = proposals[0].title
    starts_process = plan.starts_process
    ended = (view("restarts.final_state") or view("job_overview.state")) in ENDED
    restart = (
        stop_and_start(
            view,
            plan.options,
            others=plan.open_options,
            drops_state=plan.drops_state,
            changes_code=plan.changes_code,
        )
        if plan.restarts and (ended or starts_process or not plan.remark(cause))
        else None
    )
    shown = plan.as_json()
    exports = ClusterCommands(view, None).exports
    if restart:
        commands = restart["command"].splitlines()
        restart["command"] = "\n".join([*exports, *commands])
        restart["look"] = "\n".join([*exports, restart["look"]]) if restart["look"] else ""
        found = f"{ClusterCommands(view, None).checkpoint_listing} && "
        given = {each.removeprefix(COMMENT).removeprefix(found).partition("   # ")[0] for each in commands}
        shown["changes"] = [each for each in shown["changes"] if _last_line(each["to"]) not in given]
        for look in shown["open"]:
            look["changes"] = [each for each in look["changes"] if _last_line(each["to"]) not in given]
        shown["open"] = [each for each in shown["open"] if each["changes"]]
    starts = [each for each in shown["changes"] if each["kind"] == "command" and STARTS.search(each["to"])]
    for each in starts:
        each["to"] = "\n".join([*exports, each["to"]])
    file = ConfigFile.of(view)
    shown["changes"] = [shown_change(each, file) for each in shown["changes"]]
    for look in shown["open"]:
        look["changes"] = [shown_change(each, file) for each in look["changes"]]
    remark = plan.remark(cause)
    if starts and plan.restarts:
        has_settings = any(each["kind"] == "config" for each in shown["changes"])
        shown["changes"].sort(key=lambda each: each["kind"] == "command")
        remark = say(SETTINGS_FIRST) if has_settings else joined_sentences([say(START_FIRST), say(RESTART_LATER)])
    looks_first = plan.looks_first(cause) and not starts
    shown |= {"restart": restart, "remark": remark, "look_first": looks_first}
    shown["at_once"] = list(_at_once(proposals[0].steps)) if looks_first else []
    options = {option: value for line in plan.options.splitlines() for option, value in _stated(line)}
    return shown | {"runbooks": [each.title for each in proposals if each.title in plan.runbooks], "options": options}


def _at_once(steps: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """What measured answers of steps that restart nothing lead to, with the commands that show it."""
    for step in steps:
        meant = [each["then"] for each in step["answers"] if each["taken"]]
        if meant and step["look"] and not step["restart"] and not step["left_out"]:
            yield {"text": joined_sentences(meant), "look": step["look"]}


class _Plan:
    """The changes so far.

    is_due         whether something else says by when
    is_cause_left  whether a step of the root cause's runbook is to be done
    """

    def __init__(self, *, is_due: bool, is_cause_left: bool) -> None:
        self.is_due, self.is_cause_left = is_due, is_cause_left
        self._files: dict[str, _File] = {}
        self._others: list[tuple[int, dict[str, Any]]] = []
        self._open: dict[tuple[str, str], list[dict[str, Any]]] = {}
        self._open_choices: set[tuple[str, str, str]] = set()
        self._left_out: list[dict[str, str]] = []
        self._choices: set[tuple[str, str]] = set()
        self.decided: set[str] = set()
        self.undecided: set[str] = set()
        self.restarts = False
        self.drops_state = False

    @property
    def is_needed(self) -> bool:
        return bool(self._files or self._others or self._open)

    @property
    def runbooks(self) -> set[str]:
        """Titles of the runbooks from which something is shown."""
        return {*self.decided, *self.undecided, *(each["runbook"] for each in self._left_out)}

    @property
    def options(self) -> str:
        return "\n".join(line for file in self._files.values() for lines in file.after.values() for line in lines)

    @property
    def open_options(self) -> str:
        """The lines of configuration that wait for an answer."""
        beside = (change for changes in self._open.values() for change in changes)
        return "\n".join(change["to"] for change in beside if change["kind"] == "config")

    @property
    def starts_process(self) -> bool:
        return any(change["kind"] == "command" and STARTS.search(change["to"]) for _, change in self._others)

    @property
    def changes_code(self) -> bool:
        return any(change["kind"] == "code" for _, change in self._others)

    def looks_first(self, cause: str) -> bool:
        """Whether a look decides on the root cause, and nothing decided removes it."""
        return cause in self.undecided and cause not in self.decided

    def remark(self, cause: str) -> str:
        """What is to be known first where no decided change belongs to the runbook of the root cause."""
        if cause in self.decided or (not self._files and not self._others):
            return ""
        if self.looks_first(cause):
            return say(DUE_CAUSE_FIRST if self.is_due else CAUSE_FIRST)
        if not self.is_cause_left:
            return "" if self.is_due else say(NOTHING_LEFT, runbook=cause)
        return say(DUE_BESIDE_THE_CAUSE if self.is_due else NOT_THE_CAUSE, runbook=cause)

    def add(
        self, change: Mapping[str, Any], step: Mapping[str, Any], proposal: Proposal, before: Sequence[Proposal]
    ) -> None:
        """Take a change into the plan; `before` are those of the causes that precede its own."""
        if not change["sure"]:
            return
        if change["only_if"]:
            self._look_at(change, step)
            self.undecided.add(proposal.title)
            return
        if change["choice"]:
            choice = (step["id"], change["choice"])
            if choice in self._choices:
                return
            self._choices.add(choice)
        if change["kind"] != "config":
            shown = {name: change[name] for name in ("kind", "file", "from", "to", "unset")}
            self._others.append((self._next_place(), {**shown, "runbook": proposal.title}))
        elif not self._take_options(change, proposal, before):
            return
        self.decided.add(proposal.title)
        self.restarts = self.restarts or step["restart"]
        self.drops_state = self.drops_state or step["drops_state"]

    def _look_at(self, change: Mapping[str, Any], step: Mapping[str, Any]) -> None:
        """List a change below the answer that decides about it; of several of one choice the later are alternatives."""
        chosen = (step["id"], change["only_if"], change["choice"])
        is_instead = bool(change["choice"]) and chosen in self._open_choices
        self._open_choices.add(chosen)
        shown = {name: change[name] for name in ("kind", "file", "from", "to", "unset")}
        beside = self._open.setdefault((step["question"], change["only_if"]), [])
        beside.append({**shown, "instead": is_instead})

    def _take_options(self, change: Mapping[str, Any], proposal: Proposal, before: Sequence[Proposal]) -> bool:
        """Merge the options of a change; gives whether one was taken."""
        name = PLACE_WITHIN.split(change["file"])[0]
        now = {option: line for option, line, _ in _options(change["from"])}
        taken = False
        after = list(_options(change["to"]))
        for option, line, comments in after:
            if any(option in file.after for file in self._files.values()):
                continue
            useless = next((each for each in before if option in each.useless), None)
            if useless:
                reason = {"option": option, "value": line, "runbook": proposal.title, "because": useless.title}
                self._left_out.append(reason)
                continue
            file = self._files.setdefault(name, _File(self._next_place()))
            file.after[option] = [*comments, line]
            if option in now:
                file.before[option] = now[option]
            taken = True
        if taken:
            stated = {option for option, _, _ in after}
            self._files[name].before |= {option: line for option, line in now.items() if option not in stated}
            self._files[name].unset += [each for each in change["unset"] if each not in self._files[name].unset]
        return taken

    def _next_place(self) -> int:
        return len(self._files) + len(self._others)

    def as_json(self) -> dict[str, Any]:
        files = [
            (
                file.place,
                {
                    "kind": "config",
                    "file": name,
                    "from": "\n".join(file.before.values()),
                    "to": "\n".join(line for lines in file.after.values() for line in lines),
                    "unset": file.unset,
                    "runbook": "",
                },
            )
            for name, file in self._files.items()
        ]
        return {
            "changes": [change for _, change in sorted([*files, *self._others], key=lambda each: each[0])],
            "open": [
                {"question": question, "only_if": only_if, "changes": changes}
                for (question, only_if), changes in self._open.items()
            ],
            "left_out": self._left_out,
        }


def _stated(line: str) -> list[tuple[str, str]]:
    """The option and its value that a line of a configuration states."""
    found = OPTION.match(line)
    return [(found.group(1), found.group(2))] if found else []


def useless_options(changes: Sequence[Mapping[str, Any]], useless: Collection[str]) -> list[str]:
    """The options of filled changes that do not help against a cause, each once."""
    return [option for option in changed_options(changes) if option in useless]


def changed_options(changes: Sequence[Mapping[str, Any]]) -> list[str]:
    """The options that filled changes set, each once."""
    settings = (change for change in changes if change["kind"] == "config")
    return list(dict.fromkeys(option for change in settings for option, _, _ in _options(change["to"])))


def _last_line(command: str) -> str:
    """The start among the lines of a command: what it may overwrite is copied before it."""
    return command.splitlines()[-1]


def _options(lines: str) -> Iterator[tuple[str, str, list[str]]]:
    """Each option with its line and the comments above it."""
    comments: list[str] = []
    for line in lines.splitlines():
        option = OPTION.match(line)
        if option:
            yield option.group(1), line, comments
            comments = []
        else:
            comments.append(line)
