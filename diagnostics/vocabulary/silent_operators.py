"""What an operator of SQL that reads rows and hands out none waits for or drops, from `silent_operators.yaml`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from diagnostics.vocabulary.catalogue_file import catalogue
from diagnostics.vocabulary.operators_at_limit import BEHIND_NAME
from diagnostics.yaml_document import with_translations


@dataclass(frozen=True, slots=True)
class SilentOperator:
    """One entry.

    names    beginnings of operators' names
    option   end of an option's key and its values in lower case that the job must state; None where none is needed
    reads    whether it reads rows; else it is one that never got any
    loses    whether fewer rows out than in show it already
    certain  whether the rows are lost whatever the query, so that it is a cause; else it is a remark
    """

    names: re.Pattern[str]
    option: tuple[str, tuple[str, ...]] | None
    reads: bool
    loses: bool
    certain: bool
    what: str
    advice: str

    def fits(self, operator: str, options: Iterable[tuple[str, str]]) -> bool:
        """Whether an operator has such a name, in a job with these options (key, value)."""
        if self.names.match(operator) is None:
            return False
        if self.option is None:
            return True
        key, values = self.option
        return any(stated.endswith(key) and value.strip("'").lower() in values for stated, value in options)


@cache
def silent_operators() -> Mapping[str, SilentOperator]:
    """The catalogue by id, in its order. Raises InvalidRule naming the line when the file is invalid."""
    content: Mapping[str, Mapping[str, Any]] = catalogue("silent_operators.yaml")
    return {
        name: SilentOperator(
            re.compile(rf"(?:{'|'.join(map(re.escape, entry['names']))}){BEHIND_NAME}"),
            (entry["option"]["key"], tuple(entry["option"]["values"])) if "option" in entry else None,
            entry.get("reads") is not False,
            entry.get("loses") is True,
            entry.get("certain") is True,
            with_translations(entry["what"].strip(), entry, "what"),
            with_translations(entry["advice"].strip(), entry, "advice"),
        )
        for name, entry in content.items()
    }
