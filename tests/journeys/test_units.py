"""A number and its unit stand in one line, wherever the line ends."""

from __future__ import annotations

from playwright.sync_api import Browser

from tests.running_workbench import PROJECT

SOURCE = (PROJECT / "static" / "js" / "units.js").read_text("utf-8")
KEPT = """async ([source, html]) => {
  const module = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  document.body.innerHTML = html;
  module.keepUnits(document.body);
  return document.body.innerHTML.replaceAll('&nbsp;', '~');
}"""


def test_a_number_is_kept_beside_its_unit_but_not_in_what_is_copied_to_a_terminal(browser: Browser) -> None:
    page = browser.new_page()

    def kept(html: str) -> str:
        return str(page.evaluate(KEPT, [SOURCE, html]))

    assert kept("12.8 s, 21.9 s and 2 min 45 s, above 100 %.") == "12.8~s, 21.9~s and 2~min 45~s, above 100~%."
    assert kept("<b>690.5 MB</b> in 60 s, 3 subtasks of 2 hosts") == "<b>690.5~MB</b> in 60~s, 3 subtasks of 2 hosts"
    assert kept("<pre>sleep 5 s</pre><code>-w 5 s</code>") == "<pre>sleep 5 s</pre><code>-w 5 s</code>"
    page.close()
