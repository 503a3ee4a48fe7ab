"""Parsers for what leaves the workbench, which detect untrusted text that became more than text."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
import subprocess
import xml.etree.ElementTree as ET
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from shutil import which

import yaml

from tests.security.hostile_evidence import EVALUATED

Faults = Iterator[str]
ADDRESSES = ("href", "src", "action", "formaction", "xlink:href", "data", "poster")


class _Page(HTMLParser):
    """Elements and attributes that only text of others can have made, and what the page offers to copy."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.faults: list[str] = []
        self.commands: list[str] = []
        self._code: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "x-hit":
            self.faults.append("an element of the evidence is an element of the page")
        if tag == "code":
            self._code = []
        for name, value in attrs:
            target = (value or "").strip().lower()
            if name.startswith(("on", "x-hit")):
                self.faults.append(f"attribute {name} of {tag}")
            if name in ADDRESSES and re.match(r"(javascript|vbscript|data:text)|(https?:)?//[^/]*hit", target):
                self.faults.append(f"{name} of {tag} is {target[:60]}")

    def handle_endtag(self, tag: str) -> None:
        if tag == "code" and self._code is not None:
            self.commands.append("".join(self._code))
            self._code = None

    def handle_data(self, data: str) -> None:
        if self._code is not None:
            self._code.append(data)
        if EVALUATED in data:
            self.faults.append("a template of the evidence was evaluated")


def html_faults(content: bytes) -> Faults:
    """Of a page, or of a report as one."""
    yield from _parsed(content).faults


def commands_of(content: bytes) -> list[str]:
    """What stands in a page as code."""
    return _parsed(content).commands


def _parsed(content: bytes) -> _Page:
    page = _Page()
    page.feed(content.decode())
    page.close()
    return page


def json_faults(content: bytes) -> Faults:
    """JSON. What a script puts into the page is called `html` in it."""
    document = json.loads(content)
    if EVALUATED in json.dumps(document, ensure_ascii=False):
        yield "a template of the evidence was evaluated"
    for text in _fragments(document):
        yield from html_faults(text.encode())


def _fragments(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if name == "html" and isinstance(inner, str):
                yield inner
            yield from _fragments(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _fragments(inner)


def figure_faults(content: bytes) -> Faults:
    """A Plotly figure: names, hover texts and axis labels are markup there."""
    yield from json_faults(content)
    for text in _strings(json.loads(content)):
        if re.search(r"<(x-hit|a\s|img|script)", text):
            yield f"{text[:80]} is markup in a figure"


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def markdown_faults(content: bytes) -> Faults:
    """Outside of code, no tag, link or picture of others; in lines of commands, nothing that ends the block."""
    text = re.sub(r"(?ms)^(`{3,})[^\n]*\n.*?^\1$", "", content.decode())
    text = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
    for name, pattern in {
        "tag": r"(?<!\\)<(?!https?://)[a-z/]",
        "link": r"(?<!\\)\]\(javascript",
        "picture": r"(?<!\\)!\[",
    }.items():
        found = re.search(pattern, text)
        if found:
            yield f"a {name} in Markdown: {text[max(found.start() - 40, 0) : found.end() + 20]!r}"
    if EVALUATED in text:
        yield "a template of the evidence was evaluated"


def pdf_faults(content: bytes) -> Faults:
    """Nothing in it is an action."""
    assert content.startswith(b"%PDF")
    streams = []
    for packed in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", content, re.DOTALL):
        try:
            streams.append(zlib.decompress(packed))
        except zlib.error:
            streams.append(packed)
    outside = re.sub(rb"stream\r?\n.*?endstream", b"", content, flags=re.DOTALL)
    for action in (
        b"/JavaScript",
        b"/JS",
        b"/Launch",
        b"/OpenAction /",
        b"/EmbeddedFile",
        b"javascript:",
        b"hit.invalid",
    ):
        if action in outside:
            yield f"{action.decode()} in a PDF"


def csv_faults(content: bytes) -> Faults:
    """No cell is a formula."""
    for row in csv.reader(io.StringIO(content.decode().removeprefix("\ufeff"))):
        for cell in row:
            if re.match(r"[=+@\t]|-(?![\d.])", cell):
                yield f"a formula: {cell[:60]}"


def yaml_faults(content: bytes) -> Faults:
    """YAML with no template of others; promtool reads rules and tests where it is there."""
    for document in yaml.safe_load_all(content.decode()):
        for text in _strings(document):
            for template in re.findall(r"\{\{.*?\}\}", text):
                if not re.fullmatch(r"\{\{ (\$labels\.\w+|\$value( \| \w+)?) \}\}", template):
                    yield f"template {template}"


def python_faults(content: bytes) -> Faults:
    """A program in which text of others is a constant."""
    for node in ast.walk(ast.parse(content.decode())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "__import__":
            yield "code of the evidence is code of the program"


def text_faults(content: bytes) -> Faults:
    """Plain text is whatever it is."""
    if EVALUATED in content.decode():
        yield "a template of the evidence was evaluated"


def svg_faults(content: bytes) -> Faults:
    """A picture without elements or actions of others."""
    for element in ET.fromstring(content).iter():
        if element.tag.endswith("x-hit") or any(name.startswith("on") for name in element.attrib):
            yield f"element {element.tag}"


def zip_faults(content: bytes) -> Faults:
    """Each member by what it is; none leaves the folder that it is unpacked in."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in archive.namelist():
            if name.startswith(("/", "\\")) or ".." in Path(name).parts:
                yield f"member {name}"
            if not name.startswith("files/"):  # the evidence as it came
                suffix = name.rpartition(".")[2]
                yield from (f"{name}: {fault}" for fault in BY_SUFFIX[suffix](archive.read(name)))


def unchanged(content: bytes) -> Faults:
    """Evidence as it came, to be saved."""
    return iter(())


BY_SUFFIX: Mapping[str, Callable[[bytes], Faults]] = {
    "csv": csv_faults,
    "html": html_faults,
    "json": json_faults,
    "md": markdown_faults,
    "pdf": pdf_faults,
    "py": python_faults,
    "svg": svg_faults,
    "txt": text_faults,
    "yaml": yaml_faults,
    "yml": yaml_faults,
    "zip": zip_faults,
}


def shell_faults(commands: list[str], folder: Path) -> Faults:
    """Commands run where no program is found, in a folder where a text of others would leave a file."""
    for command in commands:
        environment = {"PATH": "", "HOME": str(folder)}
        subprocess.run(
            ["/bin/bash", "-c", f'touch() {{ : > "$1"; }}; {command}'],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=10,
            check=False,
        )
        if (folder / "hit").exists():
            (folder / "hit").unlink()
            yield f"a command of the evidence ran: {command[:200]}"


def promtool_faults(files: Mapping[str, bytes], folder: Path) -> Faults:
    """What promtool says against the alerts and their test, where it is installed."""
    for name, content in files.items():
        (folder / name).write_bytes(content)
    promtool = which("promtool")
    if promtool is None:
        return
    for command in (("check", "rules", "flink-alerts.yaml"), ("test", "rules", "flink-alerts-test.yaml")):
        if (folder / command[-1]).exists():
            ended = subprocess.run([promtool, *command], cwd=folder, capture_output=True, text=True, check=False)
            if ended.returncode:
                yield f"promtool {' '.join(command)}: {ended.stdout[-500:]}{ended.stderr[-500:]}"
