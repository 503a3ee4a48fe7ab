"""The imports within a package (`diagnostics` or `workbench`), read from the code without running it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def modules(house: str) -> dict[str, Path]:
    """Every module of the house by its dotted name, a package by its own."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted((ROOT / house).rglob("*.py"))
    }


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Every statement below the node, also inside functions. Expressions, most of a tree, hold none."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, (ast.stmt, ast.excepthandler, ast.match_case)):
            yield part
            yield from statements(part)


def imported_modules(path: Path, known: Mapping[str, Path]) -> Iterator[str]:
    """Those of the known modules that a file imports, also inside functions and for types only."""
    for node in statements(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module in known:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in known else node.module


@cache
def arrows(house: str) -> tuple[tuple[str, str], ...]:
    """(module, module that it imports), without imports of a module's own package."""
    known = modules(house)
    return tuple(
        (module, target)
        for module, path in known.items()
        for target in imported_modules(path, known)
        if target not in (module, house)
    )


def room(module: str) -> str:
    """The room that a module lies in, its own name when it lies in none, the house for the house itself."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else module


def rooms_with_a_docstring(house: str) -> set[str]:
    """The rooms whose `__init__` says what lives there."""
    return {
        path.parent.name
        for path in (ROOT / house).glob("*/__init__.py")
        if ast.get_docstring(ast.parse(path.read_text("utf-8")))
    }


def loose_modules(house: str) -> set[str]:
    """The modules that lie in no room."""
    return {path.stem for path in (ROOT / house).glob("*.py")} - {"__init__"}


def folder(module: str) -> str | None:
    """The folder inside its room that a module lies in; None when it lies in the room itself."""
    parts = module.split(".")
    is_in_folder = len(parts) > 2 and (ROOT.joinpath(*parts[:3]) / "__init__.py").is_file()
    return parts[2] if is_in_folder else None


def folders(house: str, name: str) -> set[str]:
    """The packages inside a room."""
    return {path.parent.name for path in (ROOT / house / name).glob("*/__init__.py")}


def arrows_of_folders(house: str, name: str) -> Iterator[tuple[str, str]]:
    """The imports between modules of a room that lie in different folders of it."""
    for module, target in arrows(house):
        if room(module) == room(target) == name:
            one, other = folder(module), folder(target)
            if one and other and one != other:
                yield module, target


def upward_imports(house: str, floors: tuple[tuple[str, ...], ...]) -> list[str]:
    """The imports of another room that lies on the same floor or above."""
    between = ((module, target) for module, target in arrows(house) if room(module) != room(target))
    return _upward(between, room, floors)


def upward_imports_of_folders(house: str, name: str, floors: tuple[tuple[str, ...], ...]) -> list[str]:
    """The imports inside a room of another folder that lies on the same floor or above."""
    return _upward(arrows_of_folders(house, name), lambda module: folder(module) or "", floors)


def _upward(
    between: Iterable[tuple[str, str]], place: Callable[[str], str], floors: tuple[tuple[str, ...], ...]
) -> list[str]:
    floor_of = {name: number for number, floor in enumerate(floors) for name in floor}
    return [
        f"{module} imports {target}" for module, target in between if floor_of[place(module)] <= floor_of[place(target)]
    ]


def circles_of_folders(house: str) -> list[list[str]]:
    """The circles of imports between folders inside a room, for every room; each name as `room/folder`."""
    graph: dict[str, set[str]] = {}
    for name in sorted(rooms_with_a_docstring(house)):
        for module, target in arrows_of_folders(house, name):
            graph.setdefault(f"{name}/{folder(module)}", set()).add(f"{name}/{folder(target)}")
    return circles(graph)


def circles_of_files(house: str) -> list[list[str]]:
    """The circles of imports between modules."""
    graph: dict[str, set[str]] = {}
    for module, target in arrows(house):
        graph.setdefault(module, set()).add(target)
    return circles(graph)


def circles_of_rooms(house: str) -> list[list[str]]:
    """The circles of imports between rooms."""
    graph: dict[str, set[str]] = {}
    for module, target in arrows(house):
        if room(module) != room(target):
            graph.setdefault(room(module), set()).add(room(target))
    return circles(graph)


def circles(graph: Mapping[str, Set[str]]) -> list[list[str]]:
    """The circles of a graph of who imports whom, one after the other: each is broken before the next is looked for.

    Gives   each circle as the names along it, the first again at its end; empty when there is none.
    """
    remaining = {node: set(targets) for node, targets in graph.items()}
    found: list[list[str]] = []
    while True:
        try:
            TopologicalSorter(remaining).prepare()
        except CycleError as error:
            # graphlib names the circle from the imported to the importing module.
            circle: list[str] = list(reversed(error.args[1]))
            found.append(circle)
            remaining[circle[0]].discard(circle[1])
        else:
            return found
