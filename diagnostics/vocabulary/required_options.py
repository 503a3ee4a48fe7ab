"""What a table of a connector must state, and which of it the options that an exception lists do not have.

Flink prints the options of the table with the exception that says that no source or sink can be made of it, and the
reason one cause below. Who copies the exception often leaves the cause out; the options then show by themselves what
is missing. `required_options.yaml` says what its entries have.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Any, Literal

from diagnostics.language import Text
from diagnostics.notation.printed_options import options_of_text
from diagnostics.vocabulary.catalogue_file import catalogue
from diagnostics.vocabulary.message_remedies import with_values
from diagnostics.yaml_document import with_translations

Role = Literal["source", "sink"]
CONNECTOR = "connector"
EITHER = "|"
"""Between options that do each by themselves."""
ALIKE = 0.8
"""How alike two names are that are one misspelt. Our choice: `host-name` for `hostname`, not `url` for `uri-x`."""
ACTS = ("missing", "misspelt")
ROLES: Mapping[str, Role] = {"Unable to create a source": "source", "Unable to create a sink": "sink"}
"""Beginnings of the message that lists the options -> what the table was to be. Source: Flink's FactoryUtil."""


@dataclass(frozen=True, slots=True)
class _Catalogue:
    """What the file has.

    needed    connector -> role -> options, each with those that do as well
    examples  option -> an example of its value
    acts      kind -> what to do, a form with names for values
    """

    needed: Mapping[str, Mapping[Role, tuple[tuple[str, ...], ...]]]
    examples: Mapping[str, str]
    acts: Mapping[str, str]


@cache
def required_options() -> _Catalogue:
    """The catalogue. Raises InvalidRule naming the line when the file is invalid."""
    content: Mapping[str, Any] = catalogue("required_options.yaml")
    roles: tuple[Role, ...] = ("source", "sink")
    return _Catalogue(
        {
            name: {
                role: tuple(tuple(each.split(EITHER)) for each in (*entry["needs"], *entry.get(role, ())))
                for role in roles
            }
            for entry in content["connectors"]
            for name in entry["connectors"]
        },
        dict(content["like"]),
        {kind: with_translations(content["acts"][kind].strip(), content["acts"], kind) for kind in ACTS},
    )


def act_of_message(message: str) -> Text | None:
    """What to add to the options that the innermost exception lists, or to spell otherwise."""
    role = next((role for words, role in ROLES.items() if message.startswith(words)), None)
    if role is None:
        return None
    return missing_option_act({row["key"]: row["value"] or "" for row in options_of_text(message)}, role)


def missing_option_act(options: Mapping[str, str], role: Role) -> Text | None:
    """What to add to the options of a table, or which of them to spell otherwise; None where nothing is missing.

    A misspelt one goes first: what was meant is known then.
    """
    catalogue, connector = required_options(), options.get(CONNECTOR, "")
    needed = catalogue.needed.get(connector, {}).get(role, ())
    lacking = [names for names in needed if not any(name in options for name in names)]
    if not lacking:
        return None
    known = {name for names in needed for name in names} | {CONNECTOR}
    for names in lacking:
        if written := _other_spelling(names, options.keys() - known):
            values = {"options": _stated(names[0]), "written": written, "connector": connector}
            return with_values(catalogue.acts["misspelt"], values)
    values = {"options": ", ".join(_stated(names[0]) for names in lacking), "connector": connector}
    return with_values(catalogue.acts["missing"], values)


def _stated(option: str) -> str:
    """The option as a WITH states it."""
    return f"'{option}' = '{required_options().examples.get(option, '…')}'"


def _other_spelling(names: tuple[str, ...], stated: Collection[str]) -> str | None:
    """The option that is stated instead of one of these names."""
    plain = {each.lower().replace("_", "-"): each for each in sorted(stated)}
    for name in names:
        if found := get_close_matches(name, plain, n=1, cutoff=ALIKE):
            return plain[found[0]]
    return None
