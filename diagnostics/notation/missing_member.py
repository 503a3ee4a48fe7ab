"""What a LinkageError of the JVM says is missing: a class with its method, by simple names, as two JVMs print it.

Java 8 prints a method as the class file has it, `a.b.C.m(La/b/D;J)V`; Java 11 and later as Java writes it, in quotes:
`'void a.b.C.m(a.b.D, long)'`. Both give the class `a.b.C` and the member `m(D,long)void`.
"""

from __future__ import annotations

import re

_CLASS = r"(?:[a-z_][\w-]{0,60}\.){1,12}[A-Z_][\w$]{0,120}"
_NAME = r"(?:<init>|<clinit>|[\w$]{1,120})"
_TYPES = r"(?:\[{0,3}(?:[VIJZBCSFD]|L[\w/$-]{1,250};)){0,40}"
_OF_JAVA_8 = re.compile(rf"({_CLASS})\.({_NAME})\(({_TYPES})\)(\S{{1,260}})")
_OF_JAVA_11 = re.compile(rf"([\w.$\[\]]{{1,250}}) ({_CLASS})\.({_NAME})\(([\w.$\[\], ]{{0,3000}})\)")
_TYPE = re.compile(r"(\[{0,3})(?:L([\w/$-]{1,250});|([VIJZBCSFD]))")
_PRIMITIVE = {
    "V": "void",
    "I": "int",
    "J": "long",
    "Z": "boolean",
    "B": "byte",
    "C": "char",
    "S": "short",
    "F": "float",
    "D": "double",
}


def missing_method(message: str) -> tuple[str, str] | None:
    """The class and the method with the simple names of its types; None where a message names no whole method."""
    if found := _OF_JAVA_8.search(message):
        given, result = _simple_types(found[3]), _simple_types(found[4])
        return (found[1], method_text(found[2], given, result[0])) if len(result) == 1 else None
    if found := _OF_JAVA_11.search(message):
        given = [_simple(each.strip()) for each in found[4].split(",")] if found[4].strip() else []
        return found[2], method_text(found[3], given, _simple(found[1]))
    return None


def method_of_descriptor(name: str, descriptor: str) -> str:
    """The method of a class file: `m` with `(La/b/D;J)V` is `m(D,long)void`."""
    given, _, result = descriptor.removeprefix("(").rpartition(")")
    return method_text(name, _simple_types(given), _simple_types(result)[0])


def method_text(name: str, given: list[str], result: str) -> str:
    """`m(D,long)void`."""
    return f"{name}({','.join(given)}){result}"


def _simple_types(descriptor: str) -> list[str]:
    return [
        (_simple(found[2].replace("/", ".")) if found[2] else _PRIMITIVE[found[3]]) + "[]" * len(found[1])
        for found in _TYPE.finditer(descriptor)
    ]


def _simple(name: str) -> str:
    return name.rpartition(".")[2]
