"""What the processes of the web server share: read once, before the server forks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.template.loader import get_template
from django.urls import get_resolver

from diagnostics.diagnosis.fact_label import chinese_explanations, chinese_labels
from diagnostics.diagnosis.looked_at import places
from diagnostics.diagnosis.missing import needs
from diagnostics.redaction.rule import shipped_redaction_rules
from diagnostics.rules.shipped import shipped_rules
from diagnostics.runbook import runbooks
from diagnostics.symptoms import symptoms
from diagnostics.vocabulary.class_owners import class_owners
from diagnostics.vocabulary.glossary import glossary
from diagnostics.vocabulary.harmless_errors import harmless_errors
from diagnostics.vocabulary.newest_releases import upgradables
from diagnostics.vocabulary.sources import bound_reasons, sources
from diagnostics.vocabulary.stored_words import fact_words
from diagnostics.wording.option_names import option_search
from workbench.languages.sentences import in_language, say_stored
from workbench.machine.code_version import code_version

CATALOGUES: tuple[Callable[[], object], ...] = (
    code_version,
    symptoms,
    shipped_rules,
    runbooks,
    shipped_redaction_rules,
    needs,
    places,
    bound_reasons,
    sources,
    glossary,
    harmless_errors,
    class_owners,
    upgradables,
    option_search,
    fact_words,
    chinese_labels,
    chinese_explanations,
)
"""What the program reads of its own files when it is asked for the first time."""


def program_preload() -> None:
    """Imports the views, compiles the templates, and reads rules, runbooks and translations.

    The caches of all these have no lock: left to the first pages, each thread of a process that waits for one reads it
    for itself, all at once, and those pages take seconds. It takes 0.7 s on a quiet machine.
    """
    get_resolver().url_patterns  # noqa: B018 - reading it imports the views
    for read in CATALOGUES:
        read()
    for language, _ in settings.LANGUAGES:
        with in_language(language):
            say_stored("-")
    folder = Path(settings.BASE_DIR) / "templates"
    for path in sorted(folder.rglob("*.html")):
        get_template(path.relative_to(folder).as_posix())
