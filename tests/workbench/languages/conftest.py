"""An installation that offers both languages."""

from __future__ import annotations

import pytest
from django.conf import LazySettings
from django.utils import translation

from diagnostics.language import CHINESE, ENGLISH


@pytest.fixture
def both_languages(settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Offers Chinese. Django decides once in a process whether it translates: here it decides again."""
    settings.LANGUAGES = [(ENGLISH, "English"), (CHINESE, "简体中文")]
    settings.USE_I18N = True
    monkeypatch.setattr(translation, "_trans", type(vars(translation)["_trans"])())
