"""The parsers of exports detect text that became more than text, and accept plain text."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.security import reading_back as back
from tests.security.hostile_evidence import PAYLOADS

HOSTILE = "".join(PAYLOADS)


def packed(name: str, content: bytes) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr(name, content)
    return written.getvalue()


@pytest.mark.parametrize(
    ("read", "harmful"),
    [
        (back.html_faults, "<p><x-hit></p>"),
        (back.html_faults, '<p title="" onfocus="hit()">a</p>'),
        (back.html_faults, "<p title='' x-hit='1'>a</p>"),
        (back.html_faults, '<a href=" javascript:hit">a</a>'),
        (back.html_faults, '<img src="//hit.invalid/a.png">'),
        (back.html_faults, "<p>91819</p>"),
        (back.json_faults, json.dumps({"rows": [{"html": "<li><x-hit></li>"}]})),
        (back.figure_faults, json.dumps({"data": [{"text": ["a<br><x-hit>"]}]})),
        (back.figure_faults, json.dumps({"data": [{"name": '<a href="//a">b</a>'}]})),
        (back.markdown_faults, "a <x-hit> b"),
        (back.markdown_faults, "[a](javascript:hit)"),
        (back.markdown_faults, "![a](//hit.invalid/a.png)"),
        (back.markdown_faults, "```\ncode\n```\n<x-hit>\n```\ncode\n```"),
        (back.pdf_faults, "%PDF-1.4 /OpenAction << /S /JavaScript >>"),
        (back.csv_faults, "a,=1+1\n"),
        (back.csv_faults, "a,@SUM(1)\n"),
        (back.yaml_faults, 'a: "{{ printf 1 }}"'),
        (back.python_faults, "a = 1;__import__('os').system('touch hit')"),
        (back.svg_faults, '<svg xmlns="http://www.w3.org/2000/svg"><g onload="hit"/></svg>'),
        (back.text_faults, "91819"),
    ],
)
def test_a_text_that_became_more_is_found(read: Callable[[bytes], Iterator[str]], harmful: str) -> None:
    assert list(read(harmful.encode()))


@pytest.mark.parametrize(
    ("read", "harmless"),
    [
        (back.html_faults, "<p title=\"' onfocus='hit\">&lt;x-hit&gt; {{91*1009}} javascript:hit</p>"),
        (back.json_faults, json.dumps({"name": HOSTILE})),
        (back.figure_faults, json.dumps({"text": "a<br>&lt;x-hit&gt;<b>1</b>"})),
        (back.markdown_faults, "a \\<x-hit\\> `<x-hit>` <https://here/cases/1/>\n```\n<x-hit>\n```"),
        (back.pdf_faults, "%PDF-1.4"),
        (back.csv_faults, "a,'=1+1,-5.2\n"),
        (back.yaml_faults, 'a: "{{ $labels.job }} { {91*1009} }"'),
        (back.python_faults, f"NAME = {HOSTILE!r}"),
        (back.svg_faults, '<svg xmlns="http://www.w3.org/2000/svg"><text>&lt;x-hit&gt;</text></svg>'),
        (back.text_faults, HOSTILE),
    ],
)
def test_text_may_say_what_it_likes(read: Callable[[bytes], Iterator[str]], harmless: str) -> None:
    assert list(read(harmless.encode())) == []


def test_each_member_of_an_archive_is_read_by_its_own_format() -> None:
    assert list(back.zip_faults(packed("a.md", b"a <x-hit> b")))
    assert list(back.zip_faults(packed("../a.txt", b"a")))
    assert list(back.zip_faults(packed("a.txt", b"<x-hit>"))) == []
    with pytest.raises(KeyError):
        list(back.zip_faults(packed("a.new-kind", b"")))


def test_a_command_that_runs_what_it_holds_is_found(tmp_path: Path) -> None:
    for harmful in ("curl $(touch hit)", "curl 'v';touch hit;''", "curl `touch hit`"):
        assert list(back.shell_faults([harmful], tmp_path)), harmful
    for harmless in ("curl 'v;touch hit'", "curl '$(touch hit)'", "flink stop <job>"):
        assert list(back.shell_faults([harmless], tmp_path)) == [], harmless


def test_code_of_a_page_is_what_is_copied() -> None:
    assert back.commands_of(b"<pre><code>curl &lt;rest&gt;\n<b>x</b></code></pre><code>two</code>") == [
        "curl <rest>\nx",
        "two",
    ]
