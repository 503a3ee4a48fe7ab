"""Names on a narrow screen are cut between letters, and titles of charts get the room of two lines."""

from __future__ import annotations

from playwright.sync_api import Browser

from diagnostics.charting.chart import Theme
from diagnostics.charting.panel import Panel, stacked
from tests.running_workbench import PROJECT

SHORTENED = """async ([source, how, text, most, tail]) => {
  const module = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  return module[how](text, most, tail);
}"""
NARROWED = """async ([source, layout, width]) => {
  const module = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  module.narrow(layout, width);
  return layout;
}"""
IMPORT = "import { cut, folded } from './short_name.js';\n"
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
    assert folded("Share of the arrivals, each 2.1 s", 31) == "Share of the arrivals, each<br>2.1 s"
    assert folded("region-&gt;revenue-sink lag", 10) == "regio…sink<br>lag"
    page.close()


def test_names_below_a_panel_get_lines_of_their_own_and_the_legend_is_below_them(browser: Browser) -> None:
    """On a phone the upright names of tasks ran through the legend of `How back pressure travels`."""
    names = ["Source: orders", "enrich-customer", "latest-version", "<b>Sink: elast…rch-orders</b><br>origin"]
    bars = {"type": "bar", "x": names, "y": [1, 2, 3, 4], "name": "Busy"}
    panel = Panel("Path", "", [bars], height=190, x={"type": "category", "categoryarray": names})
    layout = stacked([panel], Theme("light"), axis="own", x_title="")["layout"]
    narrow = (PROJECT / "static" / "js" / "chart_narrow.js").read_text("utf-8")
    page = browser.new_page()
    narrowed = page.evaluate(NARROWED, [SOURCE + narrow.replace(IMPORT, ""), layout, 346])
    page.close()

    assert narrowed["xaxis"]["ticktext"][:3] == ["Source:<br>orders", "enrich-<br>customer", "latest-<br>version"]
    assert narrowed["xaxis"]["ticktext"][3].endswith("</b><br>origin")
    assert narrowed["xaxis"]["tickangle"] == 0
    more = narrowed["margin"]["b"] - layout["margin"]["b"]
    assert more >= 15
    assert narrowed["height"] == layout["height"] + more + 60
    assert narrowed["legend"]["y"] < layout["legend"]["y"]


def test_a_panel_below_a_title_of_two_lines_moves_down_and_none_shrinks(browser: Browser) -> None:
    """On a phone the second title of `Heap and garbage collection` lay on the bars of the panel above."""
    narrow = (PROJECT / "static" / "js" / "chart_narrow.js").read_text("utf-8")
    long_title = "Allocation rate · causes: Allocation Failure 103, Metadata GC Threshold 2"
    panels = [Panel(title, "", [], height=100) for title in ("Used heap", long_title, "Pauses")]
    layout = stacked(panels, Theme("light"), axis="time")["layout"]
    page = browser.new_page()
    narrowed = page.evaluate(NARROWED, [SOURCE + narrow.replace(IMPORT, ""), layout, 350])
    page.close()

    def places(of: dict[str, object]) -> list[tuple[int, int]]:
        """Top and height of each panel, in pixels."""
        margin = of["margin"]
        assert isinstance(margin, dict)
        inner = float(str(of["height"])) - margin["t"] - margin["b"] - (60 if of is narrowed else 0)
        domains = [axis["domain"] for name, axis in of.items() if name.startswith("yaxis") and isinstance(axis, dict)]
        return [(round((1 - high) * inner), round((high - low) * inner)) for low, high in domains]

    assert [
        (after[0] - before[0], after[1]) for before, after in zip(places(layout), places(narrowed), strict=True)
    ] == [
        (0, 100),
        (15, 100),
        (15, 100),
    ]
    titles = [(each["text"], each["y"]) for each in narrowed["annotations"]]
    assert titles[1][0] == "Allocation rate · causes: Allocation<br>Failure 103, Metadata GC Threshold 2"
    assert [y for _, y in titles] == [narrowed[name]["domain"][1] for name in ("yaxis", "yaxis2", "yaxis3")]
