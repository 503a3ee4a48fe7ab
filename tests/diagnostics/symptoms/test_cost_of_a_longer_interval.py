"""What the runbooks say a longer checkpoint interval costs: a source may not be read again, and then work is lost."""

from __future__ import annotations

import pytest

from diagnostics.runbook import runbooks


@pytest.mark.parametrize("book", ["misconfiguration", "rocksdb-slow-upload"])
def test_no_runbook_promises_that_what_a_failure_undoes_is_done_again(book: str) -> None:
    texts = [
        text
        for step in runbooks()[book].steps
        for text in (*step.texts.values(), *(each.text for each in step.wont_help))
    ]
    assert not [text for text in texts if "replay" in text]
    assert any("repeated where the sources are read again and lost where they are not" in text for text in texts)
