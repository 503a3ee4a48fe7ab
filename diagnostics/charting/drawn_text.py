"""Text of a figure that is drawn as SVG, with the tags that Plotly knows; everything else in it is escaped."""

from __future__ import annotations

import html
import re

LETTER = 0.56
"""Width of a letter as part of its size. Our choice: an average of system fonts; text is placed by it, not cut."""
TAG = re.compile(r"<(/?)(b|br|span)\b[^>]*?(?:color:(#[0-9a-f]{6})[^>]*)?>")


def drawn_text(
    text: str, spot: tuple[float, float], anchor: str, size: float, colour: str | None, ground: str | None = None
) -> str:
    """One line of text with the tags that Plotly knows; `ground` keeps lines from striking it out."""
    fill = f' fill="{colour}"' if colour else ""
    halo = f' stroke="{ground}" stroke-width="4" paint-order="stroke"' if ground else ""
    return (
        f'<text x="{spot[0]:.1f}" y="{spot[1]:.1f}" text-anchor="{anchor}" font-size="{size}"{fill}{halo} '
        f'xml:space="preserve">{_marked(text)}</text>'
    )


def _marked(text: str) -> str:
    """Escaped text whose tags are those of SVG."""
    shown, at, opened = "", 0, 0
    for tag in TAG.finditer(text):
        shown += html.escape(html.unescape(text[at : tag.start()]))
        at = tag.end()
        if tag[2] == "br":
            shown += " "
        elif tag[1]:
            shown += "</tspan>" if opened else ""
            opened = max(opened - 1, 0)
        else:
            shown += f'<tspan fill="{tag[3]}">' if tag[3] else '<tspan font-weight="650">'
            opened += 1
    return shown + html.escape(html.unescape(text[at:])) + "</tspan>" * opened
