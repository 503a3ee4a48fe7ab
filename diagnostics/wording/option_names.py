"""Replaces option names in texts by those of the detected version of Flink."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from diagnostics.language import reader_language, say
from diagnostics.vocabulary.settings import KnownSetting, Version, setting_catalogue, version_of

CONFIG_FILE_SINCE: Version = (1, 19)
"""Flink reads config.yaml from this version on, flink-conf.yaml before. Source: Flink 1.19 release notes, FLIP-366."""
CONFIG_FILE = re.compile(r"(?<![\w-])config\.yaml")
OLD_CONFIG_FILE = "flink-conf.yaml"
BY_VERSION = re.compile(r"\[(<|>=)(\d+\.\d+)\|([^\]\n]+)\]")
_OPTION_NAME = re.compile(
    r"\b[a-z][a-z0-9-]{1,40}(?:\.[a-z0-9-]{1,60}){1,8}\b(?<!\.cfg)(?<!\.jar)(?<!\.log)(?<!\.py)(?<!\.sh)(?<!\.sql)(?<!\.xml)"
    r"(?<!\.yaml)",
    re.ASCII,
)
"""An option, and no file; beside Chinese characters, too."""


def in_version(text: str, version: Version | None) -> str:
    """Our text with every option under its name in that version; a missing option is marked as such.

    An option whose older name is also in the text is unchanged. Only for texts of the rules and runbooks, before values
    are filled in: text from an upload is never changed.
    """
    return text if version is None else _in_version(text, version, reader_language())


@lru_cache(maxsize=4096)
def _in_version(text: str, version: Version, _language: str) -> str:
    return _config_file(option_search().sub(lambda found: _named(found.group(), text, version), text), version)


def code_in_version(code: str, version: Version | None) -> str:
    """Lines of code, with the text of `[<1.20|...]` and `[>=2.2|...]` only in these versions and in an unknown one; a
    line without any text left is dropped.
    """
    lines = [(line, BY_VERSION.sub(lambda found: _if_in(found, version), line)) for line in code.split("\n")]
    return in_version("\n".join(kept for line, kept in lines if kept.strip() or not line.strip()), version)


def _if_in(found: re.Match[str], version: Version | None) -> str:
    relation, bound, text = found.groups()
    limit = version_of(bound)
    concerns = version is None or limit is None or (version < limit) == (relation == "<")
    return text if concerns else ""


def lines_in_version(lines: str, version: Version | None) -> str:
    """Lines of a configuration file; a line with an option that the version does not have becomes a comment."""
    return lines if version is None else _lines_in_version(lines, version, reader_language())


@lru_cache(maxsize=1024)
def _lines_in_version(lines: str, version: Version, _language: str) -> str:
    return "\n".join(_line(each, version) for each in lines.split("\n"))


@cache
def option_search() -> re.Pattern[str]:
    """Finds every name, new and former, the longest first, as a word of its own."""
    catalogue = setting_catalogue()
    names = sorted((each for each in (*catalogue.by_key, *catalogue.by_former) if "." in each), key=len, reverse=True)
    return re.compile(rf"(?<![\w.{{|-])(?:{'|'.join(map(re.escape, names))})(?![\w|-]|\.\w)")


def _named(name: str, text: str, version: Version) -> str:
    catalogue = setting_catalogue()
    known = catalogue.by_key.get(name) or catalogue.by_former[name]
    others = {known.key, *(each.name for each in known.former)} - {name}
    if known.reads(name, version) or any(_is_word(each, text) for each in others):
        return name
    return catalogue.known_name_in(known.key, version) or f"{name}{_unless_said(known, version, text)}"


def _is_word(name: str, text: str) -> bool:
    return re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-]|\.\w)", text) is not None


def _unless_said(known: KnownSetting, version: Version, text: str) -> str:
    return "" if _bounding(known, version) in text else f" ({_bound(known, version)})"


def _bound(known: KnownSetting, version: Version) -> str:
    """From or until which version the option exists, in words."""
    if known.until is not None and version > known.until:
        return say("until Flink {version}", version=_bounding(known, version))
    return say("from Flink {version} on", version=_bounding(known, version))


def _bounding(known: KnownSetting, version: Version) -> str:
    """The last version of an option that is gone, else its first one."""
    if known.until is not None and version > known.until:
        return f"{known.until[0]}.{known.until[1]}"
    first = min((each.since for each in known.former if each.since), default=known.since) or version
    return f"{first[0]}.{first[1]}"


def _line(line: str, version: Version) -> str:
    name, colon, _ = line.strip().partition(":")
    known = setting_catalogue().find(name) if colon else None
    if known and not known.reads(name, version) and setting_catalogue().known_name_in(known.key, version) is None:
        return f"# {line.strip()}   # {_bound(known, version)}"
    return in_version(line, version)


def _config_file(text: str, version: Version) -> str:
    if version >= CONFIG_FILE_SINCE or OLD_CONFIG_FILE in text:
        return text
    return CONFIG_FILE.sub(OLD_CONFIG_FILE, text)


def options_named(text: str) -> frozenset[str]:
    """The names of options in a text: words with dots, in lower case."""
    return frozenset(_OPTION_NAME.findall(text))
