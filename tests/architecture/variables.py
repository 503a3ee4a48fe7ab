"""Variables of a module with the lines between their first and last use, each within the scope that binds it."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
Scope = Function | Comprehension
Scopes = tuple[tuple[Scope, set[str]], ...]
"""Scopes from outside to inside, each with the names that it binds."""


@dataclass(frozen=True)
class Variable:
    """A parameter or local variable of a function or comprehension, from the line of its first use to its last."""

    name: str
    first: int
    last: int


def variables(tree: ast.Module) -> list[Variable]:
    """The variables of all functions, lambdas and comprehensions; names of modules and classes are not among them."""
    lines: dict[tuple[int, str], list[int]] = defaultdict(list)
    for name, line, scopes in _uses(tree, ()):
        binding = next((scope for scope, bound in reversed(scopes) if name in bound), None)
        if binding is not None:
            lines[id(binding), name].append(line)
    return [Variable(name, min(used), max(used)) for (_, name), used in lines.items()]


def _uses(node: ast.AST, scopes: Scopes) -> Iterator[tuple[str, int, Scopes]]:
    """(name, line, scopes around it from outside to inside) of every use of a name and every parameter."""
    if isinstance(node, ast.Name):
        yield node.id, node.lineno, scopes
    if isinstance(node, ast.arg):
        yield node.arg, node.lineno, scopes
    inner = (*scopes, (node, _bound(node))) if isinstance(node, Scope) else scopes
    for part in ast.iter_child_nodes(node):
        yield from _uses(part, inner)


def _bound(scope: Scope) -> set[str]:
    """The names that the scope binds itself, not within a scope inside it."""
    if isinstance(scope, Comprehension):
        return {name for generator in scope.generators for name in _stored(generator.target)}
    arguments = ast.walk(scope.args)
    body = scope.body if isinstance(scope.body, list) else [scope.body]
    return {node.arg for node in arguments if isinstance(node, ast.arg)} | {
        name for statement in body for name in _stored(statement)
    }


def _stored(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    for part in ast.iter_child_nodes(node):
        if not isinstance(part, Scope):
            yield from _stored(part)
        elif isinstance(part, Comprehension):  # an assignment expression in it binds the variable outside
            yield from (walrus.target.id for walrus in ast.walk(part) if isinstance(walrus, ast.NamedExpr))
