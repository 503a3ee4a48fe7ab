"""What Kubernetes says when it refuses a service account a request, in its parts.

`User "system:serviceaccount:jobs:flink" cannot watch resource "pods" in API group "" in the namespace "jobs"`, or at
the end `at the cluster scope`. Source: Kubernetes' documentation of RBAC and of the names of objects (RFC 1123).
"""

from __future__ import annotations

import re

_NAME = r"[a-z0-9][a-z0-9.-]{0,252}"
_REFUSAL = re.compile(
    rf'User \\?"system:serviceaccount:(?P<home>{_NAME}):(?P<account>{_NAME})\\?" cannot (?P<verb>[a-z]{{1,30}}) '
    rf'resource \\?"(?P<resource>[a-z0-9][a-z0-9./-]{{0,252}})\\?" in API group \\?"(?P<group>(?:{_NAME})?)\\?" '
    rf'(?:in the namespace \\?"(?P<namespace>{_NAME})\\?"|at the cluster scope)'
)
"""Names that a shell takes as they are; others leave the act general."""
EVERYWHERE, OPERATOR, DEFAULT, ACCOUNT = "everywhere", "operator", "default", "account"
"""Who is refused: one who asks for all namespaces, the operator, the account of pods that name none, another one."""
_FOLLOWING = ("list", "watch")
_ALL_OF_FOLLOWING = "get,list,watch"
"""The verbs of a client that follows objects, as Flink does ConfigMaps and pods. Source: Kubernetes' API concepts."""


def kubernetes_refusal(text: str) -> tuple[str, dict[str, str]] | None:
    """Who is refused, and the values of the message; None for a text without one, or with names of other letters.

    The values are home and account, verb, resource with its group as kubectl writes it, and the namespace. Who lists or
    watches objects does both, and gets each: `verbs` has them together.
    """
    refusal = _REFUSAL.search(text)
    if refusal is None:
        return None
    kind, slash, part = refusal["resource"].partition("/")
    group = f".{refusal['group']}" if refusal["group"] else ""
    values = {name: refusal[name] for name in ("home", "account", "verb")}
    values |= {
        "resource": f"{kind}{group}{slash}{part}",
        "verbs": _ALL_OF_FOLLOWING if refusal["verb"] in _FOLLOWING else refusal["verb"],
        "namespace": refusal["namespace"] or "",
    }
    return _refused(values), values


def _refused(values: dict[str, str]) -> str:
    if not values["namespace"]:
        return EVERYWHERE
    if values["account"].endswith("operator"):
        return OPERATOR
    return DEFAULT if values["account"] == "default" else ACCOUNT
