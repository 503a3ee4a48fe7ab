"""A block of code of a runbook beside the source of the job: what it takes the place of, and what it imports."""

from __future__ import annotations

from diagnostics.evidence.subject import Lookup
from diagnostics.language import listed, say, to_say
from diagnostics.runbook.text import Change
from diagnostics.wording import phrase

IN_GENERAL = to_say("What it replaces, in general form: {code}")
"""Where the files do not show the text of the source: nobody finds an example in a source by searching for it."""
IMPORTED = to_say("The new code also needs these imports: {imports}.")

OF_CODE = ("code", "sql")


def replaced_code(change: Change, before: str, lookup: Lookup) -> tuple[str, list[str]]:
    """The text of the source that a change replaces, empty where it is not known, and sentences below the new code.

    before  the filled text of `change.before`
    """
    known = all(lookup(each) is not None for each, _ in phrase.placeholders(change.before))
    is_found = change.kind not in OF_CODE or (change.quotes_source and known)
    said = [] if is_found or not before else [say(IN_GENERAL, code=" ".join(before.split()))]
    return before if is_found else "", [*said, *_imports(change, lookup)]


def _imports(change: Change, lookup: Lookup) -> list[str]:
    """The sentence about what the source does not import yet; empty where it imports all."""
    stated = lookup("job_code.imports")
    present = set(map(str, stated)) if isinstance(stated, list) else set()
    needed = [each for each in change.imports if {each, f"{each.rpartition('.')[0]}.*"}.isdisjoint(present)]
    return [say(IMPORTED, imports=listed(needed))] if needed else []
