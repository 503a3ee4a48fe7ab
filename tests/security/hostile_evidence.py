"""A real incident in which every string that a job, a host or a person chose holds markup, quotes and templates."""

from __future__ import annotations

import gzip
import io
import json
import re
import zipfile
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.json

from tests.running_workbench import PROJECT

INCIDENT = PROJECT / "workbench" / "analyses" / "demo" / "orders-one-hot-key.zip"
EVALUATED = "91819"
"""What a template that is evaluated makes of the product in some texts."""
PAYLOADS = (
    "<x-hit>",
    '" x-hit="1" onfocus="hit',
    "' x-hit='1' onfocus='hit",
    "</script><x-hit>",
    "</textarea></title></pre><x-hit>",
    "$(touch hit)",
    "`touch hit`",
    "';touch hit;'",
    '";touch hit;"',
    "|touch hit #",
    "{{91*1009}}",
    "{% x-hit %}",
    "${91*1009}",
    "{0.__class__}%(hit)s",
    '<a href="javascript:hit">x-hit</a>',
    "[x-hit](javascript:hit)",
    "![x-hit](//hit.invalid/a.png)",
    "=1+1",
    "');__import__('os').system('touch hit');('",
    '""";__import__("os").system("touch hit");"""',
    "*/hit();/*",
    "\u2028hit\u202e",
    "&lt;x-hit&gt;",
    "<img src=x onerror=hit>",
)
_PLAIN = re.compile(r"[0-9a-f]{32}|[A-Z_]+|[-+0-9.: TZ]*|true|false|unknown|jvm.*|Heap|\S*metrics\S*|\d\S*")
_LEVEL = re.compile(r"^(\d{4}-\S+ \S+ (?:TRACE|DEBUG|INFO|WARN|ERROR)\b.*)$", re.MULTILINE)
_THREAD = re.compile(r'^"([^"]+)"(?= )', re.MULTILINE)
_LABEL = re.compile(r'(task_name|operator_name|job_name|host|tm_id)="([^"]*)"')


class Poison:
    """Gives each text the next payload, and the same text the same one, so that files go on to agree."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        """The text with a payload behind it; numbers, states and ids stay as they are."""
        if _PLAIN.fullmatch(text):
            return text
        return self._known.setdefault(text, f"{text} {PAYLOADS[len(self._known) % len(PAYLOADS)]}")

    def names(self, value: object, key: str = "") -> object:
        """JSON with every text a person or a machine chose replaced."""
        if isinstance(value, dict):
            return {name: self.names(inner, name) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.names(inner, key) for inner in value]
        kept = key in ("id", "jid", "state", "status", "type", "key", "url", "path", "file", "slot-sharing-group-id")
        return self(value) if isinstance(value, str) and not kept else value

    def lines(self, text: str) -> str:
        """A log with a payload at the end of each record."""
        numbers = iter(range(10**9))
        return _LEVEL.sub(lambda found: f"{found[1]} {PAYLOADS[next(numbers) % len(PAYLOADS)]}", text)


def hostile_files() -> Iterator[tuple[str, bytes]]:
    """Name and content of each file of the incident."""
    poison = Poison()
    with zipfile.ZipFile(INCIDENT) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
        for name in sorted(names, key=lambda name: not name.startswith("rest/")):  # names of operators come first
            yield _renamed(name), _content(name, archive.read(name), poison)
    yield "conf/<x-hit>.yaml", _options()


def hostile_zip() -> bytes:
    """The same as one archive."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in hostile_files():
            archive.writestr(name, content)
    return packed.getvalue()


def _renamed(name: str) -> str:
    """What Flink's own names tell of a file stays; the folder is of somebody who means harm."""
    folders = {"logs": '<x-hit>"onfocus="hit', "gc": "'$(touch hit)'", "profile": "{{91*1009}}`touch hit`"}
    folder, _, rest = name.partition("/")
    return f"{folders.get(folder, folder)}/{rest}"


def _content(name: str, content: bytes, poison: Poison) -> bytes:
    packed = name.endswith(".gz")
    text = (gzip.decompress(content) if packed else content).decode()
    if name.endswith(".json"):
        text = json.dumps(poison.names(json.loads(text)))
    elif ".jsonl" in name:
        text = _events(text)
    elif ".prom" in name:
        text = _LABEL.sub(lambda found: f'{found[1]}="{_escaped(poison(found[2]))}"', text)
    elif name.endswith(".collapsed"):
        text = re.sub(r"(?m)^([^;\n]+);", lambda found: f"{found[1]}<x-hit>{{{{91*1009}}}};", text)
    elif name.startswith("profile/"):
        text = _THREAD.sub(lambda found: f'"{poison(found[1]).replace(chr(34), chr(39))}"', text)
    elif name.startswith("logs/"):
        text = poison.lines(text)
    return gzip.compress(text.encode()) if packed else text.encode()


def _events(text: str) -> str:
    """The hot key, and so what a generated script repeats, is hostile."""
    table = pa.json.read_json(io.BytesIO(text.encode())).to_pylist()
    for row in table:
        for name, value in row.items():
            if isinstance(value, str) and not value[:4].isdigit():
                row[name] = f"{value}{PAYLOADS[18]}{PAYLOADS[0]}"
    return "".join(json.dumps(row, default=str) + "\n" for row in table)


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _options() -> bytes:
    """Settings whose values enter commands and comparisons."""
    names = (
        "state.checkpoints.dir",
        "state.savepoints.dir",
        "env.java.opts.all",
        "rest.address",
        "jobmanager.rpc.address",
    )
    return "".join(
        f"{name}: {json.dumps(f'file:///x {payload}')}\n" for name, payload in zip(names, PAYLOADS[5:], strict=False)
    ).encode()
