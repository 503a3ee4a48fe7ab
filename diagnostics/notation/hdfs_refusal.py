"""What HDFS says when it refuses a user an access to a path, in its parts.

`Permission denied: user=flink, access=WRITE, inode="/data/out":hdfs:hadoop:drwxr-xr-x`, with `+` or the entries of an
ACL behind the mode. HDFS takes one class of the mode: the owner's for the owner, else the group's for its members, else
that of the others. Source: Hadoop's FSPermissionChecker, toAccessControlString and hasPermission.
"""

from __future__ import annotations

import re

_BITS = {
    "EXECUTE": "x",
    "WRITE": "w",
    "WRITE_EXECUTE": "wx",
    "READ": "r",
    "READ_EXECUTE": "rx",
    "READ_WRITE": "rw",
    "ALL": "rwx",
}
"""What an access needs. Source: Hadoop's FsAction."""
_NAME = r"[A-Za-z_][\w.-]{0,63}"
_REFUSAL = re.compile(
    rf"Permission denied: user=(?P<user>{_NAME}), access=(?P<access>{'|'.join(_BITS)}), "
    rf'inode="(?P<path>/[\w./=,@%+-]{{0,500}})":(?P<owner>{_NAME}):(?P<group>{_NAME}):'
    r"(?P<mode>[d-](?:[r-][w-][xsStT-]){3})(?P<acl>\+|:\w{0,10}:)?"
)
"""Names and paths that a shell takes as they are; others leave the act general."""
OWNER, GROUP, MEMBER, OTHERS, FILE, SHARED, ACL, BEYOND_MODE, SUPERUSER = (
    "owner",
    "group",
    "member",
    "others",
    "file",
    "shared",
    "acl",
    "beyond_mode",
    "superuser",
)
"""Who is refused: the owner; one outside of the group that may; a member of a group that may less than the others; one
of the others; one who uses a file of another user, who writes more of them; one who creates something in a directory
of all users; anybody where an ACL counts; one whom the mode admits, so that another authorizer refuses;
one who uses what is the superuser's."""
_OF_ALL_USERS = 1
"""Names in a path up to which a directory is of all users, such as `/`, `/user` and `/tmp`: no job is to own it."""

_SUPERUSERS = "supergroup"
"""The group whose members may do all, so that no job's user joins it. Source: hdfs-default.xml,
dfs.permissions.superusergroup."""

_SUPERUSER = "hdfs"
"""The user as whom the NameNode runs, for whom HDFS checks no rights: no job is to run as it. Source: Hadoop in Secure
Mode (User Accounts for Hadoop Daemons) and the HDFS Permissions Guide (The Super-User)."""


def hdfs_refusal(text: str) -> tuple[str, dict[str, str]] | None:
    """Who is refused, and the values of the message; None for a text without one, or with names of other letters.

    The values are user, path, owner, group, mode; `bits` that are missing; `grant`, those that an entry of an ACL
    needs; `folder`, a place below a directory for one of the user's own, or that of a file; and `place`, the directory
    that the superuser is to share.
    """
    refusal = _REFUSAL.search(text)
    if refusal is None:
        return None
    values = {name: refusal[name] for name in ("user", "path", "owner", "group", "mode")}
    bits, is_directory = _BITS[refusal["access"]], refusal["mode"].startswith("d")
    values |= {"bits": bits, "folder": _folder(values) if is_directory else values["path"].rpartition("/")[0]}
    refused = _refused(values, has_acl=refusal["acl"] is not None)
    values |= {"grant": _grant(bits, is_directory=is_directory or refused == FILE)}
    if values["owner"] == _SUPERUSER and refused in (GROUP, OTHERS, FILE, ACL):
        return SUPERUSER, {**values, "place": values["folder"] if refused == FILE else values["path"]}
    return refused, values


def _refused(values: dict[str, str], *, has_acl: bool) -> str:
    owner, group, others = (_admits(values["mode"][place : place + 3], values["bits"]) for place in (1, 4, 7))
    if values["user"] == values["owner"]:
        return BEYOND_MODE if owner else OWNER
    is_file = values["mode"].startswith("-")
    if is_file and (has_acl or not others) and _depth(values["folder"]) > _OF_ALL_USERS:
        return FILE
    if has_acl:
        return ACL
    if others:
        return BEYOND_MODE if group else MEMBER
    if "w" in values["bits"] and not is_file and _depth(values["path"]) <= _OF_ALL_USERS:
        return SHARED
    return GROUP if group and values["group"] != _SUPERUSERS else OTHERS


def _admits(of_class: str, bits: str) -> bool:
    """Whether three letters of a mode have the bits; `s` and `t` are `x` with a further right."""
    held = of_class.replace("s", "x").replace("t", "x")
    return all(bit in held for bit in bits)


def _grant(bits: str, *, is_directory: bool) -> str:
    """The bits of an ACL's entry: who writes or lists a directory passes it, too, and who writes it lists it."""
    wanted = set(bits) | ({"x"} if is_directory else set()) | ({"r"} if is_directory and "w" in bits else set())
    return "".join(bit if bit in wanted else "-" for bit in "rwx")


def _folder(values: dict[str, str]) -> str:
    """A user's home is a directory of the user's name; any other has a name that the reader knows."""
    path = values["path"].rstrip("/")
    return f"/user/{values['user']}" if path == "/user" else f"{path}/<folder>"


def _depth(path: str) -> int:
    return len([name for name in path.split("/") if name])
