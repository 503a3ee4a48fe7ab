"""Export and import of rules as files for a Git repository; an import becomes drafts after a review of its changes."""

from __future__ import annotations

import io
import re
import time
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import BinaryIO

from django.db import transaction

from diagnostics.errors import InvalidRule
from diagnostics.rules.rule import LONGEST_RULE
from diagnostics.rules.shipped import shipped_rule_names
from workbench.accounts.models import User
from workbench.languages.sentences import say
from workbench.rules.difference import Line, difference
from workbench.rules.models import Draft, EventKind, Rule, RuleEvent, RuleVersion
from workbench.rules.selectors import version_to_edit, versions_to_edit
from workbench.rules.services import draft_save, ruleset_published
from workbench.rules.validation import SAMPLE_NAMES, checked_rule, tested
from workbench.untrusted.received_zip import UnreadableZip, opened_zip

MOST_FILES = 2_000
MOST_BYTES = 4 * 1024**2
"""Uncompressed size of all files that are read. Our choice: ten times what is shipped."""

MOST_SECONDS = 5.0
"""Time limit for validating them, while a user waits. Our choice: enough for 300 rules like the shipped ones."""

RULE_FILE = re.compile(r"(?:^|/)([a-z][a-z0-9_]{0,49})/rules/([A-Za-z0-9._-]{1,100}?)(\.fires|\.silent)?\.yaml$")
MOMENT = (2000, 1, 1, 0, 0, 0)
"""A constant time, so that the same rules give the same bytes."""


class ImportRefused(Exception):
    """The archive is unreadable; the text says why."""


def exported(versions: Iterable[RuleVersion]) -> bytes:
    """A zip archive of the versions, laid out as the shipped rules are: `<class>/rules/<name>.yaml` and its samples."""
    packed, taken = io.BytesIO(), set()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for version in sorted(versions, key=lambda each: each.rule.rule_id):
            stem = f"{version.symptom_class}/rules/{_name(version.rule.rule_id)}"
            if stem in taken:
                stem = f"{version.symptom_class}/rules/{version.rule.rule_id}"
            taken.add(stem)
            texts = {"": version.text, ".fires": version.fires_sample, ".silent": version.silent_sample}
            for ending, text in texts.items():
                if text:
                    archive.writestr(zipfile.ZipInfo(f"{stem}{ending}.yaml", MOMENT), text)
    return packed.getvalue()


def exported_rules() -> bytes:
    """As `exported`, for every effective rule."""
    return exported(ruleset_published().versions.select_related("rule"))


def _name(rule_id: str) -> str:
    """The shipped file's name, else the id without its first word, which the folder name repeats."""
    return shipped_rule_names().get(rule_id) or rule_id.partition(".")[2] or rule_id


@dataclass(slots=True)
class Offered:
    """A rule of an archive: its changes, or why it is refused."""

    path: str
    text: str = ""
    fires: str = ""
    silent: str = ""
    rule_id: str = ""
    title: str = ""
    present: RuleVersion | None = None
    reasons: list[str] = field(default_factory=list)

    @property
    def lines(self) -> list[Line]:
        return difference(self.present.text if self.present else "", self.text)

    @property
    def state(self) -> str:
        """refused, new, same or changed."""
        if self.reasons:
            return "refused"
        if self.present is None:
            return "new"
        present = (self.present.text, self.present.fires_sample, self.present.silent_sample)
        return "same" if present == (self.text, self.fires, self.silent) else "changed"


def offered(file: BinaryIO) -> list[Offered]:
    """The changes by the archive's rules. Raises ImportRefused for an invalid or too large archive."""
    rules: dict[str, Offered] = {}
    texts = _texts(file)
    for path, text in texts.items():
        if RULE_FILE.search(path)[3] is None:  # type: ignore[index]
            stem = path.removesuffix(".yaml")
            rules[path] = Offered(path, text, texts.get(f"{stem}.fires.yaml", ""), texts.get(f"{stem}.silent.yaml", ""))
    begun = time.thread_time()
    for done, rule in enumerate(rules.values()):
        if time.thread_time() - begun > MOST_SECONDS:
            raise ImportRefused(
                say(
                    "Checking its {rules:,} rules takes longer than {most_seconds:g} seconds, which were over after "
                    "{done:,} of them. Split it into smaller archives.",
                    rules=len(rules),
                    most_seconds=MOST_SECONDS,
                    done=done,
                )
            )
        _check(rule)
    present = versions_to_edit(Rule.objects.filter(rule_id__in=[rule.rule_id for rule in rules.values()]))
    for rule in rules.values():
        rule.present = present.get(rule.rule_id)
    known: dict[str, str] = {}
    for rule in rules.values():
        if rule.rule_id and known.setdefault(rule.rule_id, rule.path) != rule.path:
            rule.reasons.append(say("{path} has the id {id!r} too", path=known[rule.rule_id], id=rule.rule_id))
    order = ("refused", "changed", "new", "same")
    return sorted(rules.values(), key=lambda each: (order.index(each.state), each.path))


def archived_rules(file: BinaryIO) -> dict[str, str]:
    """Path of each rule of an archive -> its text, without samples. Raises ImportRefused."""
    return {path: text for path, text in _texts(file).items() if RULE_FILE.search(path)[3] is None}  # type: ignore[index]


def _texts(file: BinaryIO) -> dict[str, str]:
    try:
        with opened_zip(file) as archive:
            entries = [entry for entry in archive.infolist() if RULE_FILE.search(entry.filename)]
            if len(archive.infolist()) > MOST_FILES or sum(entry.file_size for entry in entries) > MOST_BYTES:
                raise ImportRefused(
                    say(
                        "It holds more than {most_files:,} files or {most_bytes} MiB of rules.",
                        most_files=MOST_FILES,
                        most_bytes=MOST_BYTES // 1024**2,
                    )
                )
            texts = {entry.filename: _text(archive, entry) for entry in entries}
    except UnreadableZip as error:
        raise ImportRefused(str(error)) from None
    if not texts:
        raise ImportRefused(say("It holds no rule: rules lie in <class>/rules/<name>.yaml."))
    return texts


def _text(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> str:
    """At most a little more than a rule may have, so that the rule's own validation refuses it with the reason."""
    with archive.open(entry) as stream:
        return stream.read(4 * LONGEST_RULE).decode("utf-8", "replace").replace("\r\n", "\n").replace("\x00", "\ufffd")


def _check(offer: Offered) -> None:
    try:
        rule = checked_rule(offer.text)
    except InvalidRule as error:
        offer.reasons += error.errors
        return
    offer.rule_id, offer.title = rule.id, rule.title
    folder = RULE_FILE.search(offer.path)[1]  # type: ignore[index]
    if folder != rule.symptom_class:
        offer.reasons.append(
            say(
                "it lies in the folder {folder!r}, but its class is {symptom_class!r}",
                folder=folder,
                symptom_class=rule.symptom_class,
            )
        )
    for kind, text in (("fires", offer.fires), ("silent", offer.silent)):
        try:
            if text and not tested(rule, text, kind).passes:  # type: ignore[arg-type]
                offer.reasons.append(say("its {sample} fails", sample=SAMPLE_NAMES[kind]))  # type: ignore[index]
        except InvalidRule as error:
            offer.reasons += error.errors


@transaction.atomic
def import_as_draft(*, text: str, fires: str, silent: str, user: User) -> Draft:
    """A draft of an imported rule, for the existing rule with its id if any. Raises InvalidRule."""
    rule = checked_rule(text)
    present = Rule.objects.filter(rule_id=rule.id, versions__isnull=False).first()
    base = version_to_edit(present) if present else None
    draft = draft_save(user=user, text=text, fires_sample=fires, silent_sample=silent, base=base)
    RuleEvent.objects.filter(draft_number=draft.pk).update(kind=EventKind.IMPORTED)
    return draft
