"""A report as PDF, by ReportLab: pure Python without system libraries.

Chromium or Pango would convert our HTML, but users' machines have neither. Both fonts are embedded, as far as their
glyphs occur, so that a PDF looks the same in every reader.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import paperang_p2_fonts_cjk
import reportlab
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
    paragraph,
)

from diagnostics.language import reads_chinese
from diagnostics.notation.control_characters import show_controls
from workbench.cases.words import severity_word
from workbench.languages.sentences import say
from workbench.reports.content import COMMAND, Report, ReportedCauses, ReportedFinding, minute_utc
from workbench.runbooks.plans import PlanShown

# ruff: noqa: RUF001 - punctuation of Chinese
FONT, BOLD, CHINESE = "Vera", "VeraBd", "WenQuanYi Micro Hei"
FULL_WIDTH = "“”‘’…—"
"""Both fonts have them; in a Chinese sentence they are as wide as its characters."""
CLOSING = "，：；！？”’》"
"""What no line begins with, beside the punctuation of Japanese that ReportLab knows."""
MUTED = colors.HexColor("#545e6a")
LINE = colors.HexColor("#dce1e7")
CODE_GROUND = colors.HexColor("#f1f3f6")
LONGEST_TEXT = 2_000
"""Characters of one paragraph: longer ones do not fit on a page. Our choice."""

TITLE = ParagraphStyle("title", fontName=BOLD, fontSize=17, leading=22, spaceAfter=4)
HEADING = ParagraphStyle(
    "heading", fontName=BOLD, fontSize=12, leading=16, spaceBefore=12, spaceAfter=5, keepWithNext=1
)
FINDING = ParagraphStyle("finding", fontName=BOLD, fontSize=10, leading=14, spaceBefore=8, spaceAfter=2, keepWithNext=1)
TEXT = ParagraphStyle("text", fontName=FONT, fontSize=9, leading=13, spaceAfter=3)
SMALL = ParagraphStyle("small", parent=TEXT, fontSize=7.5, leading=10.5, textColor=MUTED, spaceAfter=1)
ARGUMENT = ParagraphStyle("argument", parent=TEXT, leftIndent=12, spaceAfter=1)
LINE_OF_EVIDENCE = ParagraphStyle("evidence", parent=SMALL, textColor=colors.black, leftIndent=8, spaceAfter=2)
CODE = ParagraphStyle("code", parent=SMALL, textColor=colors.black, leftIndent=8, backColor=CODE_GROUND, spaceAfter=0)


def as_pdf(report: Report, address: str) -> bytes:
    """The report on A4. The same report gives the same bytes, except for the time in the format."""
    _register_fonts()
    written = io.BytesIO()
    document = BaseDocTemplate(
        written,
        pagesize=A4,
        margins=18 * mm,
        leftMargin=18 * mm,
        rightMargin=18 * mm,
        topMargin=18 * mm,
        bottomMargin=18 * mm,
        title=report.case.read_title,
        author="Flink workbench",
        invariant=1,
    )
    frame = Frame(document.leftMargin, document.bottomMargin, document.width, document.height, 0, 0, 0, 0, id="page")
    document.addPageTemplates(PageTemplate(frames=[frame], onPage=_foot))
    document.build(list(flowables(report, address)))
    return written.getvalue()


@cache
def _register_fonts() -> None:
    folder = Path(reportlab.__file__).parent / "fonts"
    for name in (FONT, BOLD):
        pdfmetrics.registerFont(TTFont(name, folder / f"{name}.ttf"))
    package = Path(paperang_p2_fonts_cjk.__file__).parent
    pdfmetrics.registerFont(TTFont(CHINESE, package / "fonts" / "wqy-microhei.ttc"))
    paragraph.ALL_CANNOT_START += CLOSING


def _marked(text: str) -> str:
    """The escaped text; characters missing in the Latin font are set in the Chinese one."""
    known = pdfmetrics.getFont(FONT).face.charToGlyph.keys() - (map(ord, FULL_WIDTH) if reads_chinese() else ())
    shown = show_controls(" ".join(text.split()))
    shown = f"{shown[:LONGEST_TEXT]} …" if len(shown) > LONGEST_TEXT else shown
    runs = ((here, "".join(letters)) for here, letters in groupby(shown, key=lambda letter: ord(letter) in known))
    return "".join(escape(run) if here else f'<font name="{CHINESE}">{escape(run)}</font>' for here, run in runs)


def _paragraph(text: str, style: ParagraphStyle) -> Paragraph:
    return Paragraph(_marked(text), _wrapped(style))


def _wrapped(style: ParagraphStyle) -> ParagraphStyle:
    """The style for the reader's language: Chinese lines end between any two characters, in a font of one weight."""
    return ParagraphStyle(style.name, parent=style, wordWrap="CJK", fontName=FONT) if reads_chinese() else style


def flowables(report: Report, address: str) -> Iterator[Flowable]:
    """The parts of the report in their order."""
    yield _paragraph(report.case.read_title, TITLE)
    yield _paragraph(report.verdict, FINDING)
    if report.summary:
        yield _paragraph(report.summary, TEXT)
    if report.first_step:
        yield _paragraph(report.first_step, FINDING)
    for job in report.others:
        yield _paragraph(job.verdict, FINDING)
        yield _paragraph(job.summary, TEXT)
        if job.first_step:
            yield _paragraph(job.first_step, FINDING)
    yield Spacer(1, 6)
    yield _table([*report.facts, (say("Address"), address)])
    yield _paragraph(say("Findings"), HEADING)
    for finding in report.findings:
        yield from _finding(finding)
    if not report.findings:
        nothing = say("No rule found a problem.") if report.document else say("There is no diagnosis yet.")
        yield _paragraph(nothing, TEXT)
    colon, done = say(": "), say("Done: ")
    for possible in report.undecided:
        yield from _possible_causes(possible)
    yield from _sections(
        (say("Where trouble would show"), [f"{what}{colon}{answer}" for what, answer in report.looked_at]),
        (say("What to do"), [f"{each.title}{colon}{each.course}" for each in report.runbooks]),
    )
    for shown in report.plans:
        yield from _plan(shown)
    yield from _sections(
        (say("After each change"), [f"{change}{colon}{verdict}" for change, verdict in report.later]),
        (say("Actions"), [f"{done if is_done else ''}{_of(what, who)}" for what, who, is_done in report.actions]),
        (say("What the charts show"), [f"{title}{colon}{summary}" for title, summary in report.charts]),
        (say("What would make it surer"), [f"{each.what}{colon}{each.why}" for each in report.missing]),
    )
    if report.events:
        yield _paragraph(say("What happened (UTC)"), HEADING)
    for event in report.events:
        yield _paragraph(f"{event.when}  {say('; ').join(event.titles)}", TEXT)
    yield _paragraph(say("What was done in the workbench (UTC)"), HEADING)
    for entry in report.timeline:
        who = f"{entry.by} " if entry.by else ""
        detail = f"{say(': ')}{entry.detail}" if entry.detail else ""
        yield _paragraph(f"{minute_utc(entry.at)}  {who}{entry.text}{detail}", TEXT)


def _sections(*sections: tuple[str, list[str]]) -> Iterator[Flowable]:
    for title, lines in sections:
        if lines:
            yield _paragraph(title, HEADING)
            yield from (_paragraph(line, TEXT) for line in lines)


def _plan(shown: PlanShown) -> Iterator[Flowable]:
    plan = shown.plan
    yield _paragraph(shown.title, HEADING)
    yield from (_paragraph(text, TEXT) for text in (shown.waits_because, shown.remark) if text)
    if plan["at_once"]:
        yield _paragraph(say("First, without a restart"), FINDING)
    for each in plan["at_once"]:
        yield _paragraph(each["text"], TEXT)
        for look in each["look"]:
            yield _paragraph(look["what"], TEXT)
            yield from _code(look["command"])
    if plan["look_first"]:
        yield from _open(plan)
        if plan["open"] and plan["changes"]:
            yield _paragraph(say("Beside that, in the same restart"), FINDING)
    for change in plan["changes"]:
        yield from _change(change)
    if plan["restart"] and not shown.waits_because:
        yield _paragraph(plan["restart"]["text"], TEXT)
        yield from _code(plan["restart"]["look"]) if plan["restart"]["look"] else ()
        yield from _code(plan["restart"]["command"])
    if not plan["look_first"]:
        yield from _open(plan)
    if shown.left_out:
        yield _paragraph(say("Left out"), FINDING)
        yield from (_paragraph(each, TEXT) for each in shown.left_out)


def _open(plan: Mapping[str, Any]) -> Iterator[Flowable]:
    """The changes that an answer decides about."""
    if plan["open"]:
        yield _paragraph(say("Only after a look"), FINDING)
    for each in plan["open"]:
        condition = say("{question} If {condition}:", question=each["question"], condition=each["only_if"])
        yield _paragraph(condition, TEXT)
        for place, change in enumerate(each["changes"]):
            if place and change["instead"]:
                yield _paragraph(say("Or, instead:"), TEXT)
            yield from _change(change)


def _change(change: Mapping[str, Any]) -> Iterator[Flowable]:
    name = change["file"] or change["kind"]
    if change["kind"] == COMMAND:
        yield _paragraph(say("{name}: run", name=name), TEXT)
    elif change["from"]:
        yield _paragraph(say("Change {name} from this:", name=name), TEXT)
        yield from _code(change["from"])
        yield _paragraph(say("to this:"), TEXT)
    else:
        yield _paragraph(say("Add to {name}:", name=name), TEXT)
    yield from _code(change["to"])
    yield from (_paragraph(said, TEXT) for said in change["unset"])


def _code(text: str) -> Iterator[Flowable]:
    """Lines of a file or a command with their indentation."""
    style = _wrapped(CODE)
    for line in text.splitlines():
        indentation = "&nbsp;" * (len(line) - len(line.lstrip()))
        yield Paragraph(f"{indentation}{_marked(line)}" or "&nbsp;", style)
    yield Spacer(1, 4)


def _possible_causes(possible: ReportedCauses) -> Iterator[Flowable]:
    yield _paragraph(possible.title, HEADING)
    yield from (_paragraph(line, TEXT) for line in possible.note)
    for title, share, arguments in possible.causes:
        yield _paragraph(f"{title}{say(': ')}{share}", TEXT)
        yield from (_paragraph(line, ARGUMENT) for line in arguments)


def _of(what: str, who: str) -> str:
    return say("{what} ({who})", what=what, who=who)


def _finding(finding: ReportedFinding) -> Iterator[Flowable]:
    yield _paragraph(f"{finding.role}{say(': ')}{finding.title}", FINDING)
    yield _paragraph(finding.statement, TEXT)
    about = say(
        "{sure} sure, {severity}, rule {rule}",
        sure=finding.sure,
        severity=severity_word(finding.severity).lower(),
        rule=finding.rule,
    )
    yield _paragraph(say("{where}. {about}", where=finding.where, about=about) if finding.where else about, SMALL)
    for place, text in finding.evidence:
        where = f'<font color="{MUTED.hexval().replace("0x", "#")}">{_marked(place)}</font>'
        yield Paragraph(f"{where}  {_marked(text)}", LINE_OF_EVIDENCE)
    if finding.cited > len(finding.evidence):
        more = say("and {count} more lines of evidence", count=finding.cited - len(finding.evidence))
        yield _paragraph(more, SMALL)


def _table(rows: list[tuple[str, str]]) -> Table:
    cells = [[_paragraph(name, SMALL), _paragraph(value, TEXT)] for name, value in rows]
    style = [
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("LINEBELOW", (0, 0), (-1, -1), 0.4, LINE),
        ("LEFTPADDING", (0, 0), (0, -1), 0),
    ]
    return Table(cells, colWidths=[34 * mm, 140 * mm], style=TableStyle(style))


def _foot(canvas: Canvas, document: BaseDocTemplate) -> None:
    canvas.setFont(FONT, 7)
    canvas.setFillColor(MUTED)
    canvas.drawRightString(A4[0] - 18 * mm, 10 * mm, f"{canvas.getPageNumber()}")
