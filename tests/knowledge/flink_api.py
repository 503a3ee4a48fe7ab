"""Gathers which line of Flink has which class, method and constant into `diagnostics/vocabulary/flink_api.csv`.

    python -m tests.knowledge.flink_api 1.9=FOLDER 1.10=FOLDER …

FOLDER holds the JARs of lib/ and opt/ of a release of that line, as those that the packages apache-flink (1.9 to 1.12)
and apache-flink-libraries (1.13 and later) of PyPI bring. What all lines have is left out, and what is not public, and
the members of classes below packages that nobody calls from outside (MEMBERS_OF says which are kept).
"""

from __future__ import annotations

import argparse
import csv
import io
import re
import struct
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from diagnostics.notation.missing_member import method_of_descriptor
from diagnostics.vocabulary.flink_api import FILE, PACKAGE, Line, line_of

PUBLIC, PROTECTED, SYNTHETIC = 0x0001, 0x0004, 0x1000
NO_API = re.compile(r"\$\d|\$\$|/shaded/|\$anon|package-info|module-info|/generated/|/proto/|Test|\$$")
NOT_CALLED = ("access$", "lambda$", "$", "<clinit>")
OTHER_JARS = re.compile(r"flink-(?:shaded|python|s3|oss|azure|gs|swift)")
MEMBERS_OF = tuple(
    f"{PACKAGE}{each}."
    for each in (
        *("api.common", "api.connector", "api.dag", "api.java", "client", "configuration", "connector.base"),
        *("connector.file", "core", "formats", "metrics", "runtime.jobgraph", "runtime.metrics", "runtime.security"),
        *("runtime.state", "runtime.util", "streaming.api", "streaming.runtime.operators", "streaming.runtime.tasks"),
        *("streaming.runtime.streamrecord", "streaming.util", "table.api", "table.catalog", "table.connector"),
        *("table.data", "table.descriptors", "table.expressions", "table.factories", "table.functions"),
        *("table.planner.factories", "table.runtime.operators", "table.runtime.types", "table.runtime.typeutils"),
        *("table.sinks", "table.sources", "table.types", "table.utils", "types", "util"),
    )
)
INNER = tuple(
    f"{PACKAGE}{each}."
    for each in (
        *(
            "contrib",
            "datastream.impl",
            "mesos",
            "optimizer",
            "queryablestate",
            "sql.parser",
            "table.client",
            "table.code",
        ),
        *("table.codegen", "table.codesplit", "table.plan", "table.planner.codegen", "table.planner.plan"),
        *("runtime.asyncprocessing", "runtime.blob", "runtime.dispatcher", "runtime.executiongraph", "runtime.io"),
        *(
            "runtime.iterative",
            "runtime.jobmanager",
            "runtime.jobmaster",
            "runtime.operators",
            "runtime.resourcemanager",
        ),
        *("runtime.rest", "runtime.rpc", "runtime.scheduler", "runtime.taskexecutor", "runtime.taskmanager"),
        *("runtime.webmonitor", "state.changelog", "state.forst", "streaming.api.graph.util", "changelog"),
    )
)
"""Packages whose classes nobody calls from outside. Our choice."""
PARTS_OF_A_MODULE = 5
"""Parts of a class's name that say which module it is of: `org.apache.flink.connector.file`. Our choice."""
SIZES = {7: 2, 8: 2, 16: 2, 19: 2, 20: 2, 15: 3, 3: 4, 4: 4, 9: 4, 10: 4, 11: 4, 12: 4, 17: 4, 18: 4}
"""Tag of an entry of the constant pool -> its bytes. Source: The Java Virtual Machine Specification, 4.4."""


@dataclass(slots=True)
class ApiClass:
    """What a class file declares."""

    is_public: bool
    parents: list[str]
    members: set[str] = field(default_factory=set)


def class_files(jar: Path | io.BytesIO) -> Iterator[tuple[str, bytes]]:
    """The class files of Flink in a JAR and in the JARs inside it."""
    with zipfile.ZipFile(jar) as archive:
        for name in archive.namelist():
            if name.endswith(".jar"):
                yield from class_files(io.BytesIO(archive.read(name)))
                continue
            own = name.removesuffix(".class")
            if own != name and own.startswith(PACKAGE.replace(".", "/")) and not NO_API.search(own):
                yield own.replace("/", "."), archive.read(name)


def read_class(content: bytes) -> ApiClass:
    """The public and protected members of a class file. Source: The Java Virtual Machine Specification, chapter 4."""
    texts, classes, place = {}, {}, 10
    number, end = 1, struct.unpack_from(">H", content, 8)[0]
    while number < end:
        tag = content[place]
        if tag == 1:
            size = struct.unpack_from(">H", content, place + 1)[0]
            texts[number] = content[place + 3 : place + 3 + size].decode("utf-8", "replace")
            place += 3 + size
        elif tag in (5, 6):
            place, number = place + 9, number + 1
        else:
            if tag == 7:
                classes[number] = struct.unpack_from(">H", content, place + 1)[0]
            place += 1 + SIZES[tag]
        number += 1
    access, own, parent, interfaces = struct.unpack_from(">HHHH", content, place)
    place += 8
    named = [*([parent] if parent else []), *struct.unpack_from(f">{interfaces}H", content, place)]
    place += 2 * interfaces
    found = ApiClass(bool(access & PUBLIC), [texts[classes[each]].replace("/", ".") for each in named])
    for is_method in (False, True):
        place = _read_members(content, place, texts, found, is_method)
    found.is_public = _access_as_nested(content, place, texts, classes, own, access) & (PUBLIC | PROTECTED) != 0
    return found


def _read_members(content: bytes, place: int, texts: Mapping[int, str], found: ApiClass, is_method: bool) -> int:
    count, place = struct.unpack_from(">H", content, place)[0], place + 2
    for _ in range(count):
        access, name, descriptor, attributes = struct.unpack_from(">HHHH", content, place)
        place += 8
        for _ in range(attributes):
            place += 6 + struct.unpack_from(">I", content, place + 2)[0]
        if access & (PUBLIC | PROTECTED) and not access & SYNTHETIC and not texts[name].startswith(NOT_CALLED):
            found.members.add(method_of_descriptor(texts[name], texts[descriptor]) if is_method else texts[name])
    return place


def _access_as_nested(
    content: bytes, place: int, texts: Mapping[int, str], classes: Mapping[int, int], own: int, access: int
) -> int:
    """The access of a nested class stands in its attribute InnerClasses."""
    count, place = struct.unpack_from(">H", content, place)[0], place + 2
    for _ in range(count):
        name, size = struct.unpack_from(">HI", content, place)
        if texts[name] == "InnerClasses":
            for each in range(struct.unpack_from(">H", content, place + 6)[0]):
                inner, _, _, flags = struct.unpack_from(">HHHH", content, place + 8 + 8 * each)
                access = flags if classes[inner] == classes[own] else access
        place += 6 + size
    return access


def api_of(folder: Path) -> dict[str, ApiClass]:
    """The classes of a distribution by name."""
    found: dict[str, ApiClass] = {}
    for jar in sorted(folder.rglob("flink-*.jar")):
        for name, content in () if OTHER_JARS.match(jar.name) else class_files(jar):
            if name not in found:
                found[name] = read_class(content)
    return found


class Lines:
    """The classes of all lines, the oldest first."""

    def __init__(self, read: Mapping[Line, dict[str, ApiClass]]) -> None:
        self.lines = sorted(read)
        self._read = read
        self._having: dict[tuple[Line, str], set[str]] = {}

    def is_public(self, line: Line, name: str) -> bool:
        """Whether a class and those around it are public in a line."""
        while name:
            found = self._read[line].get(name)
            if found is not None and not found.is_public:
                return False
            name = name.rpartition("$")[0]
        return True

    def classes(self) -> dict[str, list[Line]]:
        """Public class -> the lines that have it."""
        found: dict[str, list[Line]] = defaultdict(list)
        for line in self.lines:
            for name in self._read[line]:
                if not name.startswith(INNER) and self.is_public(line, name):
                    found[name].append(line)
        return found

    def members(self, line: Line, name: str) -> set[str]:
        """The members of a class in a line, with what it inherits from Flink's own classes."""
        if (line, name) not in self._having:
            found = self._read[line].get(name)
            having = set(found.members) if found else set()
            for parent in found.parents if found else ():
                having |= {each for each in self.members(line, parent) if not each.startswith("<init>")}
            self._having[line, name] = having
        return self._having[line, name]

    def declared(self, line: Line, name: str) -> set[str]:
        """The members that a class itself declares in a line."""
        return self._read[line][name].members

    def ends(self, having: Sequence[Line], among: Sequence[Line]) -> tuple[Line | None, Line | None] | None:
        """First and last of these lines, None for an end of all; None as a whole where they are not in sequence."""
        first, last = among.index(having[0]), among.index(having[-1])
        if last - first + 1 != len(having):
            return None
        return (None if first == 0 else having[0]), (None if last == len(among) - 1 else having[-1])


def module_of(name: str) -> str:
    """`org.apache.flink.connector.file`."""
    return ".".join(name.split(".")[:PARTS_OF_A_MODULE])


def rows(lines: Lines) -> Iterator[tuple[str, str, str, str, str]]:
    """Class, member, first and last line, and where a class moved."""
    classes = lines.classes()
    first_of: dict[str, Line] = {}
    for name, having in classes.items():
        first_of[module_of(name)] = min(first_of.get(module_of(name), having[0]), having[0])
    began: dict[tuple[str, Line], list[str]] = defaultdict(list)
    for name, having in classes.items():
        began[name.rpartition(".")[2], having[0]].append(name)
    places = _places_of_constants(lines, classes)
    for name, having in sorted(classes.items()):
        own = name.removeprefix(PACKAGE)
        if len(having) < len(lines.lines) and (ends := lines.ends(having, lines.lines)):
            since = None if having[0] == first_of[module_of(name)] else ends[0]
            after = lines.lines[lines.lines.index(having[-1]) + 1] if ends[1] else None
            moved = began.get((name.rpartition(".")[2], after), []) if after else []
            if since or ends[1]:
                now = moved[0].removeprefix(PACKAGE) if len(moved) == 1 else ""
                yield own, "", _text(since), _text(ends[1]), now
        if name.startswith(MEMBERS_OF):
            yield from _member_rows(lines, name, having, places)


def _member_rows(
    lines: Lines, name: str, having: Sequence[Line], places: Mapping[str, set[str]]
) -> Iterator[tuple[str, str, str, str, str]]:
    declared = {each for line in having for each in lines.declared(line, name)}
    for member in sorted(declared):
        with_it = [line for line in having if member in lines.members(line, name)]
        is_told = "(" in member or len(places[member]) == 1
        if is_told and len(with_it) < len(having) and (ends := lines.ends(with_it, having)):
            yield name.removeprefix(PACKAGE), member, _text(ends[0]), _text(ends[1]), ""


def _places_of_constants(lines: Lines, classes: Mapping[str, Sequence[Line]]) -> Mapping[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for name, having in classes.items():
        for line in having:
            for member in lines.declared(line, name):
                if "(" not in member:
                    found[member].add(name)
    return found


def _text(line: Line | None) -> str:
    return f"{line[0]}.{line[1]}" if line else ""


def main() -> None:
    """Writes the file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("distributions", nargs="+", metavar="LINE=FOLDER")
    read: dict[Line, dict[str, ApiClass]] = {}
    for each in parser.parse_args().distributions:
        text, _, folder = each.partition("=")
        if line := line_of(text):
            read[line] = api_of(Path(folder))
            print(text, len(read[line]), flush=True)
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("class", "member", "since", "until", "now"))
        writer.writerows(rows(Lines(read)))


if __name__ == "__main__":
    main()
