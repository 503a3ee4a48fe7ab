"""Options of commands in the texts of steps."""

from __future__ import annotations

from workbench.cases.templatetags.diagnosis import backticks


def test_no_line_ends_within_the_dashes_of_an_option() -> None:
    assert backticks("repeats --tap /data") == 'repeats <span class="nowrap">--tap</span> /data'
    assert backticks("`run --tap` -- a--b <b>") == "<code>run --tap</code> -- a--b &lt;b&gt;"
