"""Names on a narrow screen are cut between letters."""

from __future__ import annotations

from playwright.sync_api import Browser

from tests.running_workbench import PROJECT

CUT = """async ([source, text, most, tail]) => {
  const { cut } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  return cut(text, most, tail);
}"""


def test_an_escaped_letter_of_a_name_is_never_cut(browser: Browser) -> None:
    """`->` is `-&gt;` in a figure: both in the middle of what is left out, and at the ends of it."""
    source = (PROJECT / "static" / "js" / "short_name.js").read_text("utf-8")
    page = browser.new_page()

    def cut(text: str, most: int) -> str:
        return str(page.evaluate(CUT, [source, text, most, 4]))

    assert cut("region -&gt; revenue-sink", 15) == "region -&gt; …sink"
    assert cut("region -&gt; revenue-sink", 14) == "region -&gt;…sink"
    assert cut("a -&gt; b", 6) == "a -&gt; b"
    page.close()
