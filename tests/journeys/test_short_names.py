"""Names on a narrow screen are cut between letters."""

from __future__ import annotations

from playwright.sync_api import Browser

from tests.running_workbench import PROJECT

SHORTENED = """async ([source, how, text, most, tail]) => {
  const module = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  return module[how](text, most, tail);
}"""
SOURCE = (PROJECT / "static" / "js" / "short_name.js").read_text("utf-8")


def test_an_escaped_letter_of_a_name_is_never_cut(browser: Browser) -> None:
    """`->` is `-&gt;` in a figure: both in the middle of what is left out, and at the ends of it."""
    page = browser.new_page()

    def cut(text: str, most: int) -> str:
        return str(page.evaluate(SHORTENED, [SOURCE, "cut", text, most, 4]))

    assert cut("region -&gt; revenue-sink", 15) == "region -&gt; …sink"
    assert cut("region -&gt; revenue-sink", 14) == "region -&gt;…sink"
    assert cut("a -&gt; b", 6) == "a -&gt; b"
    page.close()


def test_a_title_has_a_second_line_before_it_is_cut(browser: Browser) -> None:
    """`Share of the arriva… each 2.1 s` hid what was shared."""
    page = browser.new_page()

    def folded(text: str, most: int) -> str:
        return str(page.evaluate(SHORTENED, [SOURCE, "folded", text, most, 4]))

    assert folded("Share of the arrivals, each 2.1 s", 40) == "Share of the arrivals, each 2.1 s"
    assert folded("Share of the arrivals, each 2.1 s", 20) == "Share of the<br>arrivals, each 2.1 s"
    assert folded("Share of the arrivals, each 2.1 s wide", 20) == "Share of the<br>arrivals, each …wide"
    assert folded("region-&gt;revenue-sink lag", 10) == "regio…sink<br>lag"
    page.close()
