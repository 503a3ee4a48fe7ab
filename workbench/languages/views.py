"""The words of scripts in the language of the reader."""

from __future__ import annotations

from django.utils.decorators import method_decorator
from django.views.decorators.cache import cache_control
from django.views.i18n import JavaScriptCatalog


@method_decorator(cache_control(private=True, max_age=3600), name="dispatch")
class WordsOfScripts(JavaScriptCatalog):
    """Defines `gettext` for `static/js/words.js`, with the catalogue of the reader's language."""

    packages = ["workbench.languages"]
